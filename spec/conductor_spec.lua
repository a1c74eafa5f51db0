-- Real processes, with little work.
local command = require "spec.support.command"
local Conductor = require "tare.conductor"
local core = require "tare.core"
local kept = require "spec.support.kept"
local Launch = require "tare.conductor.launch"
local options = require "tare.base.options"
local story = require "tare.conductor.story"
local uv = require "luv"

-- Bench files know where they may write what they saw.
local LOG = [[
  local path = %q
  local function log(text)
    local file = io.open(path, "ab")
    file:write(text, "\n")
    file:close()
  end
  local suite = require("tare").suite "s"
  %s
  return suite
]]

-- An analysis that never ends a run early, and knows nothing of the core.
local SILENT = { is_narrow = function() return false end,
  free_width = function() return nil end, spread = function() return nil end }

-- A conductor over bench files of such texts.
local function conductor_of(texts, given, more)
  local path = kept.keep(command.path ".log")
  local files = {}
  for i, text in ipairs(texts) do
    files[i] = kept.keep(command.file(LOG:format(path, text), "_bench.lua"))
  end
  local job = { files = files,
    settings = assert(options.resolve(given or { quota = "60ms" }, "spec")) }
  for name, value in pairs(more or {}) do job[name] = value end
  local signals = { count = 0 }
  local conductor = Conductor.new(job, { signals = signals,
    start = Launch.start, story = job.story or story.run,
    variants = job.variants,
    analysis = job.analysis or SILENT, count_machine = job.count_machine,
    resolution_ns = core.clock_resolution() })
  job.variants, job.analysis, job.count_machine = nil, nil, nil
  job.story = nil
  return conductor, signals, path
end

-- Measures all; records by id, and the lines that the benches logged. 'before'
-- may return what is called before each request, and a timer that is closed.
local function measured(texts, given, more, before)
  local conductor, signals, path = conductor_of(texts, given, more)
  local cells = assert(conductor:cells())
  local records, ids, on_turn, timer = {}, {}, nil, nil
  if before then on_turn, timer = before(conductor, signals) end
  conductor:measure(cells, function(some)
    for _, record in ipairs(some) do
      records[record.id] = record
      ids[#ids + 1] = record.id
    end
  end, on_turn)
  if timer then timer:close() end
  local lines, file = {}, io.open(path, "rb")
  if file then
    for line in file:lines() do lines[#lines + 1] = line end
    file:close()
  end
  return records, lines, ids, conductor
end

local function warns(record, code)
  return (" " .. table.concat(record.warnings, " ") .. " "):find(
    " " .. code .. " ", 1, true) ~= nil
end

local function distinct(list)
  local seen, count = {}, 0
  for _, item in ipairs(list) do
    if not seen[item] then seen[item], count = true, count + 1 end
  end
  return count
end

local TWO = [[
  suite:bench("a", { baseline = true, run = function() return {} end })
  suite:bench("b", function() return {} end)
]]

-- Logs the number of its process once it is set up.
local PID = [[
  local function pid() return require("luv").os_getpid() end
  local function logging(name)
    return { run = function() return {} end,
      setup = function() log(name .. " " .. pid()) end }
  end
]]

-- luv frees what is closed but still in its loop when the state ends.
local function clean_up()
  kept.remove()
  uv.run "nowait"
end

describe("a conductor", function()
  after_each(clean_up)

  it("keeps a launch to five hundred cells, so that no worker has a large heap "
    .. "of others' to carry", function()
    local function launches_of(cells)
      local _, lines, _, conductor = measured({ ([[
        log "loaded"
        suite:bench("a", { params = { n = require("tare").range(1, %d) },
          run = function() end })
      ]]):format(cells) }, { quota = "1x", launches = 1, warmup = "1x" })
      assert.equal(#lines, #conductor.layouts)
      return #lines
    end
    assert.equal(1, launches_of(500))
    assert.equal(3, launches_of(501)) -- one lists them, and one for each part
  end)

  it("reads the cells from a process that has loaded the files", function()
    local conductor = conductor_of({ TWO, [[
      log("loaded")
      suite:group("g", function(g)
        g:bench("c", { run = print, setup = print, params = { n = { 1, 2 } } })
      end)
    ]] }, { quota = "1s" }, { filter = { "!s/b" } })
    local cells = assert(conductor:cells())
    conductor:close()
    local ids = {}
    for i, cell in ipairs(cells) do ids[i] = cell.id end
    assert.same({ "s/a", "s/g/c{n=1}", "s/g/c{n=2}" }, ids)
    assert.same({ n = 2 }, cells[3].params)
    assert.equal(1e9, cells[3].options.quota.ns)
    assert.is_string(cells[1].source)
    assert.is_string(conductor.interpreters[1].lua)
  end)

  it("says what is wrong where there is nothing to measure", function()
    local conductor = conductor_of { "error('broken', 0)" }
    local cells, message, broken = conductor:cells()
    assert.is_nil(cells)
    assert.matches("broken$", message)
    assert.equal(1, #broken)
    conductor = conductor_of({ TWO }, nil, { filter = { "x*" } })
    cells, message = conductor:cells()
    assert.is_nil(cells)
    assert.equal("no bench matches 'x*' (a glob covers a whole id, "
        .. "like */name*); there are: s/a, s/b",
      message)
  end)

  it("refuses two baselines of benches that are compared", function()
    local conductor = conductor_of { [[
      suite:bench("a", { run = print, baseline = true })
      suite:bench("b", { run = print, baseline = true })
    ]] }
    local cells, message = conductor:cells()
    assert.is_nil(cells)
    assert.matches("'s/b': 'baseline' is set here and in 's/a'", message, 1,
      true)
  end)

  it("goes on beside a file that is broken", function()
    local conductor = conductor_of { "error('broken', 0)", TWO }
    local cells, _, broken = conductor:cells()
    conductor:close()
    assert.equal(2, #cells)
    assert.equal(1, #broken)
  end)

  describe("beside a file that is broken", function()
    local ENDED = 'local uv = require "luv" uv.kill(uv.os_getpid(), "sigkill")'

    it("checks the benches of all other files together", function()
      local conductor = conductor_of { "error('broken', 0)",
        'suite:bench("a", { run = print, baseline = true })',
        'suite:bench("b", { run = print, baseline = true })' }
      local cells, message, broken = conductor:cells()
      assert.is_nil(cells)
      assert.matches("'s/b': 'baseline' is set here and in 's/a'", message, 1,
        true)
      assert.equal(1, #broken)
      conductor = conductor_of({ "error('broken', 0)", TWO }, nil,
        { param = { "n=3" } })
      cells, message = conductor:cells()
      assert.is_nil(cells)
      assert.equal("--param: no chosen bench has a parameter 'n'", message)
    end)

    it("names its variant once", function()
      local conductor = conductor_of({ ENDED, TWO }, nil,
        { variants = { { label = "this one" } } })
      local cells, _, broken = conductor:cells()
      assert.equal(2, #cells)
      assert.matches("^this one: [^ ]+_bench%.lua: it ended while it loaded",
        broken[1])
    end)

    it("loads no other one after a signal", function()
      local conductor, signals = conductor_of { ENDED, TWO, "error()", TWO }
      local start, count = conductor.start, 0
      function conductor.start(...)
        count = count + 1
        if count == 3 then signals.signal, signals.count = "sigint", 1 end
        return start(...)
      end
      local cells, message = conductor:cells()
      assert.is_nil(cells)
      assert.equal("interrupted while it loaded", message)
      assert.equal(3, count)
    end)
  end)

  it("blames no file where an interpreter can't be started", function()
    local conductor = conductor_of({ TWO, TWO }, nil,
      { variants = { { label = "x", lua = "/no/such/interpreter" } } })
    local cells, message, broken = conductor:cells()
    assert.is_nil(cells)
    assert.equal("x: can't be started: no such file or directory", message)
    assert.is_nil(broken)
  end)

  it("says that an answer is too large", function()
    local records = measured({ [[
      local text = ("x"):rep(2^26)
      local function run() return text end
      suite:bench("a", { run = run, baseline = true, agree = true })
      suite:bench("b", { run = run })
    ]] }, { quota = "5x", launches = 1 })
    assert.equal("its answer (returned) is larger than 64 MiB, the most that "
      .. "is read", records["s/a"].error)
  end)

  it("ends at the first look at which all that are compared are precise",
    function()
      local looks = 0
      local records = measured({ TWO }, { quota = "3s", precision = "5%",
        split = false }, { analysis = { free_width = SILENT.free_width,
        spread = SILENT.spread,
        is_look = function(launches) return launches % 2 == 0 end,
        is_narrow = function(record, given)
          assert.equal(0.05, given.precision)
          looks = looks + 1
          return record.launches > 4
        end } })
      assert.equal(6, records["s/a"].launches)
      assert.equal(6, records["s/b"].launches)
      -- At two and at four launches, of the first alone.
      assert.equal(4, looks)
    end)

  it("has batches of as many calls as in the first launch in one whose every "
    .. "batch begins slowly, as where others take the core", function()
    local records = measured({ [[
      local first = io.open(path, "rb") == nil
      if first then log "a launch" end
      suite:bench("b", { batch = function(n)
        local began = os.clock()
        for i = 1, 100 * n do local _ = i % 7 end
        while not first and os.clock() - began < 0.004 do end
      end })
    ]] }, { quota = "200ms", launches = 3, split = false })
    local samples = records["s/b"].samples
    local most = { 0, 0, 0 } -- the last batches of a launch may be shorter
    for row, launch in ipairs(samples.launch) do
      most[launch] = math.max(most[launch], samples.iters[row])
    end
    assert.is_true(most[2] > most[1] / 10)
    assert.is_true(most[3] > most[1] / 10)
  end)

  it("adds launches for those that were crowded as a whole", function()
    local planned
    local records = measured({ [[suite:bench("a", function() end)]] },
      { quota = "1s", split = false }, { analysis = {
        is_narrow = SILENT.is_narrow, spread = SILENT.spread,
        free_width = function() return 0 end,
        clean_launches = function(record)
          planned = planned or record.launches
          return record.launches - 2
        end } })
    assert.equal(planned + 2, records["s/a"].launches)
  end)

  it("measures each cell in launches that share its quota", function()
    local records, _, ids = measured({ TWO }, { quota = "60ms", launches = 3,
      split = false })
    assert.same({ "s/a", "s/b" }, ids)
    for _, record in pairs(records) do
      assert.is_nil(record.error)
      assert.equal(3, record.launches)
      local samples = record.samples
      assert.equal(3, distinct(samples.launch))
      for row = 1, #samples.iters do
        assert.is_true(row == 1 or samples.round[row] > samples.round[row - 1])
        assert.is_true(row == 1
          or samples.start_ns[row] > samples.start_ns[row - 1])
      end
    end
    -- What is compared has its rounds in common.
    local rounds, common = {}, 0
    local a, b = records["s/a"].samples.round, records["s/b"].samples.round
    for _, round in ipairs(a) do rounds[round] = true end
    for _, round in ipairs(b) do
      if rounds[round] then common = common + 1 end
    end
    assert.is_true(common >= 0.5 * math.min(#a, #b))
  end)

  it("has a process for each cell of each launch, and loads a file once a "
    .. "launch", function()
    local _, lines = measured({ PID .. [[
      log("loaded")
      suite:bench("a", logging "a")
      suite:bench("b", logging "b")
    ]] }, { quota = "20ms", launches = 2 })
    local loaded, pids = 0, {}
    for _, line in ipairs(lines) do
      if line == "loaded" then loaded = loaded + 1
      else pids[#pids + 1] = line:match "%d+" end
    end
    assert.equal(4, #pids)
    assert.equal(core.can_fork and 2 or 4, loaded)
    assert.equal(4, distinct(pids))
    for _, pid in ipairs(pids) do -- all have ended
      assert.is_nil((require("luv").kill(tonumber(pid), 0)))
    end
  end)

  it("measures what an id names, whatever the order in which a process has "
    .. "loaded it", function()
    local _, lines = measured({ [[
      log "loaded"
      local loads, names = 0, { "a", "b" }
      for line in io.lines(path) do
        if line == "loaded" then loads = loads + 1 end
      end
      if loads % 2 == 0 then names = { "b", "a" } end
      for _, name in ipairs(names) do
        suite:bench(name, { run = function() return {} end,
          setup = function() log(name) end })
      end
    ]] }, { quota = "20ms", launches = 3, order = "sequential" })
    assert.equal("loaded a b loaded a b loaded a b", table.concat(lines, " "))
  end)

  it("measures benches of one group that are in two files", function()
    local records = measured({ 'suite:bench("light", function() end)',
      'suite:bench("heavy", function() return {} end)' },
      { quota = "20ms", launches = 2 })
    for id, allocs in pairs { ["s/light"] = 0, ["s/heavy"] = 1 } do
      local census = records[id].passes.census
      assert.equal(allocs * census.iters, census.allocs, id)
    end
  end)

  it("has no figures of a bench that its file no longer has", function()
    local records = measured({ [[
      log "loaded"
      local loads = 0
      for _ in io.lines(path) do loads = loads + 1 end
      suite:bench("stays", function() end)
      if loads == 1 then suite:bench("goes", function() end) end
    ]] }, { quota = "20ms", launches = 2 })
    assert.equal(2, records["s/stays"].launches)
    local goes = records["s/goes"]
    assert.equal(1, goes.launches)
    assert.matches("no such bench", goes.failed_launches[1].message)
  end)

  it("hands the turn over after some batches, forth and back", function()
    local records, lines = measured({ [[
      for _, name in ipairs { "a", "b" } do
        suite:bench(name, { baseline = name == "a" or nil,
          run = function() return {} end,
          before_batch = function() log(name) end })
      end
    ]] }, { quota = "150ms", launches = 1, split = false, warmup = "5ms" })
    -- Who has a batch in a round depends on the machine; the order does not.
    -- Each batch is two here: calls that are not timed come first.
    local rounds, from, to = { a = {}, b = {} }, math.huge, 0
    for name, taken in pairs(rounds) do
      for _, round in ipairs(records["s/" .. name].samples.round) do
        taken[round] = true
        from, to = math.min(from, round), math.max(to, round)
      end
    end
    local function turns_of(each)
      local order = {}
      for first = from, to, each do
        local is_forth = (first - from) / each % 2 == 0
        for _, name in ipairs(is_forth and { "a", "b" } or { "b", "a" }) do
          for round = first, first + each - 1 do
            if rounds[name][round] then order[#order + 1] = name:rep(2) end
          end
        end
      end
      return order
    end
    local told, found = table.concat(lines), nil
    for each = 2, 8 do
      local order = turns_of(each)
      assert.is_true(#order > 10)
      if told:find(table.concat(order), 1, true) then found = each end
    end
    assert.truthy(found, told)
  end)

  if _VERSION >= "Lua 5.4" then
    it("measures a generational collector that has minor collections from the "
      .. "beginning, and not first a major one of what the set-up made",
      function()
        local records = measured({ [[
          collectgarbage "generational"
          suite:bench("a", { args = function()
            local live = {}
            for i = 1, 20000 do live[i] = { i, i } end
            return live
          end, run = function(live) return { live, live } end })
        ]] }, { quota = "100ms", launches = 3, split = false, warmup = "1ms" })
        local samples = records["s/a"].samples
        local least, most, minors = math.huge, 0, 0
        for row, bytes in ipairs(samples.heap_bytes) do
          least, most = math.min(least, bytes), math.max(most, bytes)
          minors = minors + samples.gc_minor[row]
        end
        assert.is_true(minors > 3)
        assert.is_true(most < 1.4 * least, most / least) -- a minor one: by 1.2
      end)
  end

  it("measures one after the other what nobody compares", function()
    local function told(text)
      local _, lines = measured({ text }, { quota = "60ms", launches = 1,
        split = false, warmup = "5ms" })
      return table.concat(lines)
    end
    assert.matches("^a+b+$", told [[
      for _, name in ipairs { "a", "b" } do
        suite:bench(name, { run = function() return {} end,
          before_batch = function() log(name) end })
      end
    ]])
    -- Implementations of one bench are compared without a baseline, too.
    assert.matches("a+b+a+b+a", told [[
      suite:bench("c", { params = { impl = { "a", "b" } }, compare = "impl",
        run = function() return {} end,
        before_batch = function(_, p) log(p.impl) end })
    ]])
  end)

  it("measures one after the other when told", function()
    local _, lines = measured({ [[
      for _, name in ipairs { "a", "b" } do
        suite:bench(name, { run = function() return {} end,
          setup = function() log(name .. " begins") end,
          teardown = function() log(name .. " ends") end })
      end
    ]] }, { quota = "20ms", launches = 1, order = "sequential" })
    assert.same({ "a begins", "a ends", "b begins", "b ends" }, lines)
  end)

  -- Lines of benches that log when they begin and end, each quickly.
  local function begun_and_ended(count, more, given)
    local _, lines = measured({ ([[
      for i = 1, %d do
        suite:bench("b" .. i, { run = function() end, baseline = %s,
          setup = function() log("begins") end,
          teardown = function() log("ends") end })
      end
    ]]):format(count, more or "nil") }, given or { quota = "4x" })
    return lines
  end

  it("has a launch for each cell where no worker can be forked", function()
    local records, lines = measured({ 'require("tare.core").can_fork = false\n'
      .. PID .. [[
      log("loaded")
      suite:bench("a", logging "a")
      suite:bench("b", logging "b")
      suite:bench("fails", function() error "it fails" end)
    ]] }, { quota = "20ms", launches = 2 })
    local loaded, pids, names = 0, {}, {}
    for _, line in ipairs(lines) do
      if line == "loaded" then loaded = loaded + 1
      else
        pids[#pids + 1] = line:match "%d+"
        names[line:match "^%a+"] = (names[line:match "^%a+"] or 0) + 1
      end
    end
    assert.same({ a = 2, b = 2 }, names)
    assert.equal(4, distinct(pids))
    assert.equal(6, loaded)
    assert.same({ 2, 2 }, { records["s/a"].launches, records["s/b"].launches })
    assert.matches("it fails", records["s/fails"].error)
  end)

  it("has no more processes at a time than what is compared needs", function()
    for i, line in ipairs(begun_and_ended(33)) do
      assert.equal(i % 2 == 1 and "begins" or "ends", line)
    end
    for i, line in ipairs(begun_and_ended(33, "i == 7")) do
      assert.equal(i <= 33 and "begins" or "ends", line)
    end
    for i, line in ipairs(begun_and_ended(33, "nil, agree = true")) do
      assert.equal(i <= 33 and "begins" or "ends", line)
    end
  end)

  it("tells of what is finished before it begins with more", function()
    local conductor, _, path = conductor_of({ [[
      for _, name in ipairs { "a", "b", "c" } do
        suite:group(name, function(g)
          g:bench("bad", function() log(name) error("no", 0) end)
        end)
      end
    ]] }, { quota = "1000s" })
    local seen = {}
    conductor:measure(assert(conductor:cells()), function(records)
      seen[#seen + 1] = records[1].id .. " "
        .. command.read(path):gsub("\n", "")
    end)
    for i, text in ipairs { "s/a/bad a+", "s/b/bad a+b+", "s/c/bad a+b+c+" } do
      assert.matches("^" .. text .. "$", seen[i])
    end
  end)

  it("passes on what is raised by whoever takes its records", function()
    local refused = { "what the store refuses" }
    for _, raised in ipairs { "full", refused } do
      local conductor = conductor_of({ TWO }, { quota = "4x", launches = 1 })
      local ok, found = pcall(conductor.measure, conductor,
        assert(conductor:cells()), function() error(raised, 0) end)
      assert.is_false(ok)
      assert.equal(raised, found)
    end
  end)

  it("has notes of what is measured now, not of what was before", function()
    local conductor = conductor_of({ TWO }, { quota = "4x", launches = 1 },
      { count_machine = function() return nil, "no valgrind" end })
    local cells = assert(conductor:cells())
    conductor:measure(cells, function() end)
    assert.equal(2, #conductor.notes)
    conductor:measure({ cells[2] }, function() end)
    assert.same({ "s/b: no instructions of the processor: no valgrind" },
      conductor.notes)
  end)

  it("tells of a bench that needs no more launches before the others go on",
    function()
      local conductor, _, path = conductor_of({ [[
        suite:group("bad", function(g)
          g:bench("a", function() error("no", 0) end)
        end)
        suite:group("good", function(g)
          g:bench("a", { run = function() return {} end,
            setup = function() log("set up") end })
        end)
      ]] }, { quota = "300ms", launches = 3, split = false })
      local begun = {}
      conductor:measure(assert(conductor:cells()), function(records)
        local file = io.open(path, "rb")
        begun[records[1].id] = file and #file:read "*a" / #"set up\n" or 0
        if file then file:close() end
      end)
      assert.is_true(begun["s/good/a"] > 1)
      assert.is_true(begun["s/bad/a"] < begun["s/good/a"])
    end)

  it("draws each launch anew", function()
    local _, _, _, conductor = measured({ TWO }, { quota = "30ms",
      launches = 3 })
    assert.equal(3, #conductor.layouts)
    for i, layout in ipairs(conductor.layouts) do
      assert.equal(i, layout.launch)
    end
  end)

  it("begins with a collected heap, whatever its set-up has left", function()
    local records = measured({ [[
      suite:bench("a", { run = function() return {} end, setup = function()
        local list = {}
        for i = 1, 2e5 do list[i] = { i } end
      end })
      suite:bench("b", function() return {} end)
    ]] }, { quota = "20ms", launches = 1 })
    local with, without = records["s/a"].heap_bytes, records["s/b"].heap_bytes
    assert.is_true(with < without + 1e6, with .. " of " .. without)
  end)

  it("has fewer launches where setting up takes most of the quota", function()
    local records = measured({ [[
      suite:bench("a", { run = function() return {} end, setup = function()
        local ended = os.clock() + 0.05
        while os.clock() < ended do end
      end })
    ]] }, { quota = "100ms" })
    assert.equal(1, records["s/a"].launches)
  end)

  it("has its launches where no cycles of the collector are to be whole",
    function()
      -- Beside so much, whole cycles would take more than the quota. The heap
      -- only says that it is large: to fill it may take seconds.
      local records = measured({ [[
        suite:bench("a", { run = function() return {} end, setup = function()
          local count = collectgarbage
          function collectgarbage(what, ...)
            if what == "count" then return 1e5 end
            return count(what, ...)
          end
        end })
      ]] }, { quota = "1s", gc = "collect", warmup = "5ms" })
      assert.is_true(records["s/a"].launches > 1)
    end)

  it("measures a call of more than a launch's share more than once", function()
    local records = measured({ [[
      local now_ns = require("tare.core").now_ns
      suite:bench("a", function()
        local ended = now_ns() + 4e7
        while now_ns() < ended do end
      end)
    ]] }, { quota = "380ms", split = false })
    assert.is_true(#records["s/a"].samples.iters >= 2)
  end)
end)

describe("a bench that", function()
  after_each(clean_up)

  -- Measures such a bench beside one that does nothing bad.
  local function beside(spec, given)
    local records = measured({ PID .. ([[
      suite:bench("bad", %s)
      suite:bench("good", function() return {} end)
    ]]):format(spec) }, given or { quota = "30ms", launches = 2 })
    local good = records["s/good"]
    assert.is_nil(good.error)
    assert.equal(2, good.launches)
    return records["s/bad"]
  end

  it("raises is an error", function()
    assert.matches("no more$",
      beside([[function() error("no more") end]]).error)
  end)

  it("is killed is an error, and the others are measured", function()
    local bad = beside [[function() require("luv").kill(pid(), 9) end]]
    assert.equal("it ended its process: signal 9", bad.error)
    assert.is_true(warns(bad, "launch_failed"))
  end)

  it("ends its process by other ways says with which code", function()
    local bad = beside [[function()
      io.stdout:flush()
      require("luv").stop()
      os.exit(3)
    end]]
    assert.matches("it called os%.exit%(3%)", bad.error)
  end)

  it("may have a timeout of more years than a timer can count", function()
    local records = measured({ TWO }, { quota = "4x", launches = 1,
      timeout = "1e20s" })
    assert.is_nil(records["s/a"].error)
  end)

  it("says that its rows cost nothing is not measured for ever", function()
    for _, lie in ipairs {
      "ops.warm = function(_, n) "
        .. "return { iters = n, wall_ns = 2e6, spent_ns = 1e-9 } end",
      "local warm, is_first = ops.warm, true ops.warm = function(_, n) "
        .. "local spent = is_first and 1e18 or 0 is_first = false "
        .. "return { iters = n, wall_ns = 2e6, spent_ns = spent } end",
      "for _, op in ipairs { 'paced', 'inside' } do ops[op] = function(_, n) "
        .. "return { iters = n, wall_ns = 0, spent_ns = 0 } end end" } do
      local began_ns, is_late = uv.hrtime(), false
      local records = measured({ ([[
        suite:bench("bad", { run = function() return {} end,
          setup = function() local ops = require("tare.worker").OPS %s end })
        suite:bench("good", function() return {} end)
      ]]):format(lie) }, { quota = "20ms", launches = 1, timeout = "1s" }, nil,
        function(_, signals)
          return function() -- before each request
            is_late = is_late or uv.hrtime() - began_ns > 2e10
            if is_late then signals.signal, signals.count = "sigint", 1 end
          end
        end)
      assert.is_false(is_late, lie)
      assert.is_truthy(records["s/bad"])
      assert.is_nil(records["s/good"].error)
    end
  end)

  it("does not come back is ended at its timeout", function()
    local began = core.now_ns()
    local bad = beside([[{ timeout = "150ms", run = function()
      while true do end
    end }]])
    assert.equal("it had not returned after 0.15 s", bad.error)
    assert.is_true(warns(bad, "timeout"))
    assert.is_true(core.now_ns() - began < 2e10)
  end)

  -- The system then keeps no exit code for the launch.
  if rawget(_G, "jit") and jit.os == "Linux" then
    it("ends its process where children are ignored says only that", function()
      local records = measured({ [[
        local ffi = require "ffi"
        ffi.cdef "void *signal(int, void *);"
        ffi.C.signal(17, ffi.cast("void *", 1))
        suite:bench("bad", function() require("luv").kill(
          require("luv").os_getpid(), 9) end)
        suite:bench("good", function() return {} end)
      ]] }, { quota = "30ms", launches = 2 })
      assert.equal("it ended its process", records["s/bad"].error)
      assert.is_nil(records["s/good"].error)
    end)
  end

  it("fails in one launch keeps what the others measured", function()
    local path = kept.keep(command.path())
    local bad = beside(([[{ run = function() return {} end,
      setup = function()
        local file = io.open(%q)
        if file then file:close() return end
        io.open(%q, "w"):close()
        require("luv").kill(pid(), 9)
      end }]]):format(path, path))
    assert.is_nil(bad.error)
    assert.equal(1, bad.launches)
    assert.is_true(warns(bad, "launch_failed"))
    assert.same({ { launch = 1, message = "it ended its process: signal 9" } },
      bad.failed_launches)
  end)

  it("breaks the library hurts itself alone", function()
    beside [[function()
      for _, name in ipairs { "ipairs", "pcall", "tostring", "type" } do
        _G[name] = nil
      end
      string.format, table.concat, os.exit = nil, nil, nil
    end]]
  end)

  it("prints, closes stdout and asks for input harms no answer", function()
    local bad = beside [[function()
      io.write ""
      io.read()
      io.stdout:close()
      error("after all that", 0)
    end]]
    assert.equal("after all that", bad.error)
  end)
end)

describe("implementations in different processes", function()
  after_each(clean_up)

  it("are to agree", function()
    local records = measured({ [[
      suite:bench("a", function() return { 1, { x = 2 } } end)
      suite:bench("b", function() return { 1, { x = 3 } } end)
      suite:bench("c", function() return { 1, { x = 2 } } end)
    ]] }, { quota = "20ms", launches = 2, agree = true })
    assert.is_nil(records["s/a"].error)
    assert.equal('does not agree with s/a: the result[2]["x"] is 2 there, and '
      .. "3 here", records["s/b"].error)
    assert.is_nil(records["s/c"].error)
    assert.equal(2, records["s/c"].launches)
  end)

  it("are errors where they agree in some of the launches alone", function()
    local records, lines = measured({ [[
      suite:bench("a", { baseline = true, run = function() return 1 end })
      suite:bench("b", function()
        local file = io.open(path, "rb") -- what the launch before has left
        if file then file:close() end
        return file and 2 or 1
      end)
      suite:bench("c", { run = function() return 1 end,
        teardown = function() log "c" end })
    ]] }, { quota = "30ms", launches = 3, agree = true })
    assert.equal(3, #lines)
    assert.equal("does not agree with s/a: the result is 1 there, and 2 here",
      records["s/b"].error)
    assert.is_nil(records["s/b"].is_measured)
    assert.equal(3, records["s/a"].launches)
  end)
end)

describe("a run that a signal ends", function()
  after_each(clean_up)

  it("keeps what was measured, says so, and tears down", function()
    local turns = 0
    local records, lines = measured({ [[
      for _, name in ipairs { "a", "b" } do
        suite:bench(name, { baseline = name == "a" or nil,
          run = function() return {} end,
          teardown = function() log(name) end })
      end
    ]] }, { quota = "10s", launches = 2, split = false, warmup = "5ms" }, nil,
      function(_, signals)
        return function()
          turns = turns + 1
          if turns == 80 then signals.signal, signals.count = "sigint", 1 end
        end
      end)
    for _, id in ipairs { "s/a", "s/b" } do
      assert.is_true(warns(records[id], "interrupted"))
      assert.equal(1, records[id].launches)
      assert.is_true(#records[id].samples.iters > 3)
    end
    table.sort(lines)
    assert.same({ "a", "b" }, lines)
  end)

  it("says so of no bench that failed before", function()
    local turns = 0
    local records = measured({ [[
      suite:bench("bad", function() error("no", 0) end)
      suite:bench("good", function() return {} end)
    ]] }, { quota = "10s", launches = 2, split = false, warmup = "5ms" }, nil,
      function(_, signals)
        return function()
          turns = turns + 1
          if turns == 80 then signals.signal, signals.count = "sigint", 1 end
        end
      end)
    assert.equal("no", records["s/bad"].error)
    assert.is_false(warns(records["s/bad"], "interrupted"))
    assert.is_true(warns(records["s/good"], "interrupted"))
  end)

  -- Two signals come once a bench says that it hangs.
  local function twice_where_it_hangs(conductor, signals)
    local path = conductor.job.files[1]
    local log = command.read(path):match 'local path = "([^"]+)"'
    local timer = uv.new_timer()
    timer:start(20, 20, function()
      local file = io.open(log, "rb")
      local hangs = file and file:read("*a"):find "hangs"
      if file then file:close() end
      if hangs and signals.count < 2 then
        signals.signal, signals.count = "sigint", signals.count + 1
      end
    end)
    return nil, timer
  end

  it("by a second one loses the request that hangs, and no other", function()
    local records, lines = measured({ [[
      local batches = 0
      suite:bench("a", { baseline = true, run = function() return {} end,
        teardown = function() os.execute "sleep 0.3" log "torn" end })
      suite:bench("b", { before_batch = function() batches = batches + 1 end,
        run = function()
          if batches < 60 then return {} end
          log "hangs"
          while true do end
        end })
    ]] }, { quota = "10s", launches = 1, warmup = "5ms" }, nil,
      twice_where_it_hangs)
    assert.same({ "hangs", "torn" }, lines)
    assert.is_nil(records["s/b"])
    assert.is_true(warns(records["s/a"], "interrupted"))
    assert.is_nil(records["s/a"].error)
    assert.is_true(#records["s/a"].samples.iters > 3)
  end)

  it("while a worker starts loses no other worker, and blames no bench",
    function()
      local records, lines = measured({ [[
        local functions = debug.getregistry()["tare.link"].__index
        local fork, times = functions.fork, 0
        function functions.fork(link)
          times = times + 1
          if times == 1 then return fork(link) end
          log "hangs"
          while true do end
        end
        suite:bench("a", { baseline = true, run = function() return {} end,
          teardown = function() log "torn" end })
        suite:bench("b", function() return {} end)
      ]] }, { quota = "10s", launches = 1 }, nil, twice_where_it_hangs)
      assert.same({ "hangs", "torn" }, lines)
      assert.is_nil(records["s/b"])
      assert.is_nil(records["s/a"].error)
      assert.same({ "interrupted" }, records["s/a"].warnings)
    end)

  it("says so of no bench that has all its launches", function()
    local records, lines = measured({ [[
      for _, name in ipairs { "a", "b" } do
        suite:bench(name, { baseline = name == "a" or nil,
          run = function() return {} end,
          teardown = function() log(name) end })
      end
    ]] }, { quota = "30ms", launches = 2, split = false, warmup = "5ms" }, nil,
      function(conductor, signals)
        local path = conductor.job.files[1]
        local log = command.read(path):match 'local path = "([^"]+)"'
        return function() -- b's teardown is all that is left
          local file = io.open(log, "rb")
          local text = file and file:read "*a" or ""
          if file then file:close() end
          if #text == #"a\nb\na\n" then signals.signal = "sigint" end
        end
      end)
    assert.equal(4, #lines)
    for _, id in ipairs { "s/a", "s/b" } do
      assert.equal(2, records[id].launches)
      assert.is_false(warns(records[id], "interrupted"))
    end
  end)
end)

describe("variants", function()
  after_each(clean_up)

  it("are measured side by side, and compared", function()
    local lua = require("luv").exepath()
    local records, lines, ids = measured({ PID .. [[
      suite:bench("a", logging "a")
      suite:bench("b", { params = { n = { 1 } }, run = function() end })
    ]] }, { quota = "30ms", launches = 2 }, { variants = {
      { name = "one", parameter = "lua", lua = lua, is_baseline = true },
      { name = "two", parameter = "lua", lua = lua } } })
    assert.same({ "s/a{lua=one}", "s/a{lua=two}", "s/b{n=1,lua=one}",
      "s/b{n=1,lua=two}" }, ids)
    local one, two = records["s/a{lua=one}"], records["s/a{lua=two}"]
    assert.equal(one.compared, two.compared)
    assert.is_true(one.baseline)
    assert.is_nil(two.baseline)
    assert.same({ lua = "two" }, two.params)
    assert.equal("two", two.lua)
    -- The one with fewer batches has none in some rounds.
    local rounds_of_one, shared = {}, 0
    for _, round in ipairs(one.samples.round) do rounds_of_one[round] = true end
    for _, round in ipairs(two.samples.round) do
      if rounds_of_one[round] then shared = shared + 1 end
    end
    assert.is_true(shared > 0)
    assert.equal(4, distinct(lines))
  end)

  it("are started first by turns", function()
    local lua = require("luv").exepath()
    local conductor = conductor_of({ TWO }, { quota = "40ms", launches = 4 },
      { variants = { { name = "one", parameter = "lua", lua = lua },
        { name = "two", parameter = "lua", lua = lua } } })
    local cells, ids = assert(conductor:cells()), {}
    for i, cell in ipairs(cells) do ids[i] = cell.id end
    assert.same({ "s/a{lua=one}", "s/a{lua=two}", "s/b{lua=one}",
      "s/b{lua=two}" }, ids) -- bench by bench, though these are compared, too
    assert.equal(cells[1].compared, cells[2].compared)
    assert.not_equal(cells[2].compared, cells[3].compared)
    assert.is_nil(conductor:measure(cells, function() end))
    local started = {}
    for i, layout in ipairs(conductor.layouts) do started[i] = layout.place end
    assert.same({ "one", "two", "two", "one", "one", "two", "two", "one" },
      started)
  end)

  it("are not cut short where a bench ends the launch of another", function()
    if not core.can_fork then return pending "needs workers of a launch" end
    local sigpipe = uv.new_signal()
    sigpipe:start("sigpipe", function() end) -- as tare.cli.signals does
    local lua, flag = uv.exepath(), kept.keep(command.file("", ""))
    local records = measured({ ([[
      suite:bench("a", function()
        local uv = require "luv"
        -- only the first of the two that comes here
        if uv.os_getppid() ~= %d and os.remove(%q) then
          uv.kill(uv.os_getppid(), 9)
          uv.sleep(1000)
        end
      end)
      suite:bench("b", function() end)
    ]]):format(uv.os_getpid(), flag) }, { quota = "300x", launches = 1,
      timeout = "5s" }, { variants = {
      { name = "one", parameter = "lua", lua = lua },
      { name = "two", parameter = "lua", lua = lua } } })
    sigpipe:close()
    local one, two = records["s/a{lua=one}"], records["s/a{lua=two}"]
    local sound = one.error and two or one
    assert.is_true((one.error or two.error) ~= nil)
    assert.is_nil(sound.error)
    assert.is_false(warns(sound, "interrupted"))
    assert.is_true(#sound.samples.iters >= 3)
  end)

  it("have the limits that they began with, whatever another bench has changed "
    .. "in the process that starts them", function()
    if not core.can_fork then return pending "needs workers of a launch" end
    if command.shell "prlimit --version >/dev/null" > 0 then
      return pending "there is no prlimit"
    end
    local _, lines = measured { [[
      local function add(name, changes)
        suite:group(name, function(group)
          group:bench("a", { run = function() end, setup = function()
            for line in io.lines "/proc/self/limits" do
              if line:find "^Max open files" then log(name .. " " .. line) end
            end
          end, teardown = function()
            if changes then
              os.execute(("prlimit --nofile=64:64 --pid=%d"):format(
                require("luv").os_getppid()))
            end
          end })
        end)
      end
      add("one", true)
      add("two", false)
    ]] }
    local seen = {}
    for _, line in ipairs(lines) do
      local name, limits = line:match "^(%S+) (.*)$"
      assert.equal(seen.limits or limits, limits)
      seen[name], seen.limits = true, limits
    end
    assert.is_true(seen.one and seen.two)
    assert.is_nil(seen.limits:find " 64 ")
  end)

  -- The first bench leaves a process that kills its launch once the second one
  -- has its turn, which then waits for that.
  local LATE = [[
    local uv, flag, told = require "luv", path .. ".flag", false
    suite:bench("a", { baseline = true, run = function() end,
      setup = function()
        os.remove(flag)
        log(uv.os_getppid())
        os.execute(("(while [ ! -e %s ]; do sleep 0.02; done; rm %s; "
          .. "kill -9 %d) &"):format(flag, flag, uv.os_getppid()))
      end })
    suite:bench("b", function()
      if told then return end
      told = true
      local launch
      for line in io.lines(path) do launch = tonumber(line) end
      io.open(flag, "w"):close()
      for _ = 1, 100 do
        if not uv.kill(launch, 0) then break end
        uv.sleep(50)
      end
    end) ]]

  it("don't end for long by what another bench has left behind", function()
    if not core.can_fork then return pending "needs workers of a launch" end
    local sigpipe = uv.new_signal()
    sigpipe:start("sigpipe", function() end) -- as tare.cli.signals does
    local records = measured({ LATE }, { quota = "60ms", launches = 2 })
    sigpipe:close()
    assert.matches("and the one that started it", records["s/a"].error)
    assert.is_nil(records["s/b"].error)
    assert.equal(2, records["s/b"].launches)
    assert.equal(1, #records["s/b"].failed_launches)
  end)

  it("have tare's core from a path that is relative, in any folder", function()
    if command.lacks_shell then return pending "needs a shell" end
    local cpath, file = package.cpath, Launch.find("tare.core", package.cpath)
    package.cpath = (uv.cwd():gsub("[^/]+", "..") .. file):sub(2)
      :gsub("tare/core(%.%w+)$", "?%1")
    local ok, records = pcall(measured, { TWO }, { quota = "20ms",
      launches = 1 }, { variants = {
      { folder = uv.cwd() .. "/spec/support" } } })
    package.cpath = cpath
    assert(ok, records)
    assert.is_nil(records["s/a"].error)
  end)

  it("say which of them has no such program", function()
    local conductor = conductor_of({ TWO }, nil, { variants = {
      { name = "lua9", parameter = "lua", lua = "no-such-lua" } } })
    local cells, message = conductor:cells()
    assert.is_nil(cells)
    assert.matches("^lua9: can't be started: ", message)
  end)
end)

describe("calls that are not timed", function()
  after_each(clean_up)

  it("are as many as the quota of each cell, each in a process", function()
    local conductor, _, path = conductor_of({ [[
      suite:bench("a", function() log("a") end)
      suite:bench("b", function() error("no", 0) end)
      suite:bench("c", function() require("luv").kill(
        require("luv").os_getpid(), 9) end)
      suite:bench("d", { run = function() log("d") end,
        teardown = function() log("d ends") end })
    ]] }, { order = "sequential", launches = 1 }, { story = story.call })
    local cells = assert(conductor:cells())
    local told = {}
    for _, cell in ipairs(cells) do cell.options.quota = { calls = 2 } end
    conductor:measure(cells, function(records)
      for _, record in ipairs(records) do
        told[record.id] = record.error or "well"
      end
    end)
    assert.same({ ["s/a"] = "well", ["s/b"] = "no",
      ["s/c"] = "it ended its process: signal 9", ["s/d"] = "well" }, told)
    assert.equal("a\na\nd\nd\nd ends\n", command.read(path))
  end)

  it("have their inputs made in batches, not all at once", function()
    local records, lines = measured({ [[
      local made, calls, most = 0, 0, 0
      suite:bench("a", { inputs = function()
        made = made + 1
        return made
      end, run = function(input)
        calls, most = calls + 1, math.max(most, made - calls + 1)
      end, teardown = function() log(calls) log(most) end })
    ]] }, { quota = "10000x", launches = 1 }, { story = story.call })
    assert.is_nil(records["s/a"].error)
    assert.same({ "10000", "4097" }, lines) -- with one that the set-up made
  end)
end)
