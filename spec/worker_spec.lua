-- A worker in this process: what it is asked for, and what it answers.
local clocked = require "spec.support.clocked"
local core = require "tare.core"
local passes = require "tare.base.passes"
local Process = require "tare.worker.process"
local Worker = require "tare.worker"

local jit = rawget(_G, "jit")

-- A worker of one bench on a made-up clock.
local function worker_of(spec, given, process, meter)
  if not process then process, meter = clocked.process() end
  local cells = clocked.cells(function(suite) suite:bench("b", spec) end,
    meter, given)
  return Worker.new(cells[1], process), meter
end

-- The same, made from the clock and ready to be called.
local function ready(make, given)
  local process, meter = clocked.process()
  local worker = worker_of(make(meter), given, process, meter)
  assert(worker:run { op = "prepare" })
  return worker, meter
end

describe("a worker that is asked for a full collection", function()
  it("tells what is left of the heap, and what was freed, in bytes", function()
    local worker = worker_of { run = function() end }
    assert(worker:run { op = "prepare" })
    collectgarbage()
    local garbage = {} -- luacheck: ignore 241
    for i = 1, 1e5 do garbage[i] = {} end -- of 32 to 64 bytes, and a place each
    garbage = nil -- luacheck: ignore 311
    local full = assert(worker:run { op = "full", iters = 0 })
    local left = collectgarbage "count" * 1024
    assert.is_true(math.abs(full.heap_bytes - left) < 0.2 * left)
    assert.is_true(full.freed_bytes > 32e5 and full.freed_bytes < 150e5)
    assert.is_true(full.ns > 0)
  end)

  it("calls no hook, for it makes no call", function()
    local called = {}
    local function note(name)
      return function() called[#called + 1] = name end
    end
    local worker = worker_of { run = function() return {} end,
      before_batch = note "before_batch", before_each = note "before_each",
      after_each = note "after_each", after_batch = note "after_batch" }
    assert(worker:run { op = "prepare" })
    assert(worker:run { op = "full", iters = 0 })
    assert(worker:run { op = "collect", iters = 10 })
    assert.same({}, called)
  end)

  it("tells what more calls keep, to less than a byte per call: nothing of "
    .. "what finalizers keep for a while", function()
    local head, newproxy = nil, rawget(_G, "newproxy")
    local mortal = { __gc = function() end }
    local proxy = newproxy and newproxy(true)
    if proxy then getmetatable(proxy).__gc = mortal.__gc end
    local function keep() head = { before = head } end
    local worker = worker_of { run = function()
      keep()
      return newproxy and newproxy(proxy) or setmetatable({}, mortal)
    end }
    assert(worker:run { op = "prepare" })
    assert(worker:run { op = "time", iters = 10 })
    for _ = 1, 8 do collectgarbage() end -- the buffer of strings shrinks
    local each = assert(core.census(keep, 1)).bytes
    local full = assert(worker:run { op = "full", iters = 200 })
    assert.equal(200, full.retained.iters)
    -- Equal to the byte, but for 64 bytes in all on 5.5.
    assert.is_true(math.abs(full.retained.bytes / 200 - each) < 1)
  end)
end)

describe("a worker that is asked to prepare", function()
  it("tells what the plan depends on", function()
    local worker = worker_of { run = function() end,
      throughput = { bytes = 8 } }
    local info = assert(worker:run { op = "prepare" })
    assert.equal("inline", info.loop)
    assert.is_false(info.has_inputs)
    assert.same({ bytes = 8 }, info.throughput)
    assert.is_true(info.heap_bytes > 1000)
    assert.truthy(info.gc_mode == "incremental"
      or info.gc_mode == "generational")
    assert.is_nil(info.ignores_setting)
  end)

  it("tells of inputs for each call, and of settings of the other mode",
    function()
      local worker = worker_of({ run = function() end,
        before_each = function() end }, { gc_minor_multiplier = 30,
        gc_mode = _VERSION >= "Lua 5.4" and "incremental" or nil })
      local info = assert(worker:run { op = "prepare" })
      assert.is_true(info.has_inputs)
      assert.equal("inline", info.loop)
      assert.is_true(info.ignores_setting)
    end)

  it("tells what setup raised", function()
    local worker = worker_of { run = print,
      setup = function() error("no file", 0) end }
    assert.same({ nil, "in setup: no file" }, { worker:run { op = "prepare" } })
  end)
end)

describe("a batch of a worker", function()
  it("is so many calls by the clock", function()
    local calls = 0
    local worker = ready(function(meter)
      return function()
        calls = calls + 1
        meter:advance(100)
      end
    end)
    for _, op in ipairs { "warm", "time" } do
      calls = 0
      local row = assert(worker:run { op = op, iters = 50 })
      assert.equal(50, calls)
      assert.equal(50, row.iters)
      assert.equal(5000, row.wall_ns)
    end
  end)

  it("has its hooks around it, whose time is only in 'spent_ns'", function()
    local log = {}
    local worker = ready(function(meter)
      local function note(name)
        return function()
          log[#log + 1] = name
          meter:advance(1000)
        end
      end
      return { run = note "run", before_batch = note "before",
        after_batch = note "after" }
    end)
    local row = assert(worker:run { op = "time", iters = 2 })
    assert.same({ "before", "run", "run", "after" }, log)
    assert.equal(2000, row.wall_ns)
    assert.is_true(row.spent_ns >= 4000)
  end)

  it("is as many calls where its collector is paced; in Lua 5.5 a third as "
    .. "many more come before the first, after the heap is weighed", function()
    local calls, is_5_5 = 0, _VERSION == "Lua 5.5"
    local worker = ready(function(meter)
      return function()
        calls = calls + 1
        meter:advance(10)
      end
    end, { gc_mode = is_5_5 and "incremental" or nil })
    local function calls_of_batch()
      local before = calls
      assert(worker:run { op = "paced", iters = 100 })
      return calls - before
    end
    assert.equal(is_5_5 and 130 or 100, calls_of_batch())
    assert.equal(100, calls_of_batch())
  end)

  if _VERSION == "Lua 5.5" then
    it("comes in generational mode after as many thirds as have five minor "
      .. "collections, or six", function()
      local function calls_of_first(run)
        local calls = 0
        local worker = ready(function(meter)
          return function()
            calls = calls + 1
            meter:advance(10)
            return run(calls)
          end
        end, { gc_mode = "generational" })
        local before = calls
        assert(worker:run { op = "paced", iters = 100 })
        return calls - before
      end
      assert.equal(100 + 6 * 30, calls_of_first(function() end))
      local few = calls_of_first(function(n)
        return ("x"):rep(4e6 + n)
      end)
      assert.is_true(few >= 100 + 30 and few < 100 + 6 * 30)
    end)
  end

  it("is told with its collector's pauses, of all that were paced", function()
    local worker = ready(function()
      return { run = function() return {} end }
    end)
    assert.is_nil((assert(worker:run { op = "pauses" })).pauses)
    assert(worker:run { op = "paced", iters = 200000 })
    local first = assert(worker:run { op = "pauses" }).pauses
    assert(worker:run { op = "paced", iters = 200000 })
    local both = assert(worker:run { op = "pauses" }).pauses
    assert.is_true(0 < first.count and first.count < both.count)
    -- Those of another pacer, with the steps inside calls, are beside them.
    assert(worker:run { op = "inside", iters = 1 })
    local all = assert(worker:run { op = "pauses" }).pauses
    assert.is_true(all.count >= both.count and all.max >= both.max)
  end)

  it("leaves a row that the next one overwrites: to keep none allocates "
    .. "nothing", function()
    local worker = ready(function(meter)
      return function() meter:advance(1) end
    end)
    local first = assert(worker:run { op = "time", iters = 3 })
    assert.equal(first, worker:run { op = "time", iters = 4 })
    assert.equal(4, first.iters)
    if jit then jit.off() jit.flush() end -- traces allocate at their exits
    local request = { op = "time", iters = 5 }
    local least = math.huge -- of some tries: busted allocates at times too
    collectgarbage()
    collectgarbage "stop"
    for _ = 1, 10 do
      local before = collectgarbage "count"
      worker:run(request)
      least = math.min(least, collectgarbage "count" - before)
    end
    collectgarbage "restart"
    if jit then jit.on() end
    assert.is_true(least < 0.5, least)
  end)

  it("tells what the bench raised, and can be asked again", function()
    local fails = true
    local worker = ready(function(meter)
      return function()
        meter:advance(10)
        if fails then error({}, 0) end
      end
    end)
    assert.same({ nil, "(an error that is a table)" },
      { worker:run { op = "time", iters = 3 } })
    fails = false
    assert.equal(30, worker:run({ op = "time", iters = 3 }).wall_ns)
  end)

  for _, hook in ipairs { "before_batch", "after_batch", "before_each",
    "after_each" } do
    it("tells what " .. hook .. " raised", function()
      local worker = ready(function()
        return { run = function() end,
          [hook] = function() error("mine", 0) end }
      end)
      assert.same({ nil, ("in %s: mine"):format(hook) },
        { worker:run { op = "time", iters = 1 } })
    end)
  end

  it("has a loop of the same kind that calls nothing", function()
    for _, spec in ipairs { { loop = "inline" }, { loop = "call" },
      { unroll = 4 } } do
      local calls = 0
      local worker = ready(function(meter)
        spec.run = function()
          calls = calls + 1
          meter:advance(100)
        end
        return spec
      end)
      local row = assert(worker:run { op = "empty", iters = 50 })
      assert.equal(0, calls)
      assert.equal(50, row.iters)
      assert.equal(0, row.wall_ns)
    end
  end)

  it("has no full collection before an empty loop", function()
    for _, gc in ipairs { "collect", "stopped" } do
      local worker = ready(function()
        return { run = function() end, gc = gc }
      end)
      worker:run { op = "empty", iters = 1 } -- is made
      local weak = setmetatable({}, { __mode = "k" })
      collectgarbage()
      weak[{}] = true
      worker:run { op = "empty", iters = 1 }
      local was_left = next(weak) ~= nil
      worker:run { op = "time", iters = 1 }
      assert.is_true(was_left, gc)
      assert.is_nil(next(weak))
    end
  end)
end)

describe("untimed calls of a worker", function()
  it("come before the batch, between hooks of their own, and leave no row",
    function()
      local log = {}
      local worker, meter = ready(function(meter)
        return { run = function() meter:advance(10) end,
          before_batch = function(n) log[#log + 1] = n end }
      end)
      local row = assert(worker:run { op = "time", iters = 8, untimed = 5 })
      assert.same({ 5, 8 }, log)
      assert.equal(8, row.iters)
      assert.equal(80, row.wall_ns)
      assert.equal(130, row.spent_ns)
      assert.equal(1, #worker.samples)
      assert.is_truthy(meter)
      assert(worker:run { op = "time", iters = 8 })
      assert.same({ 5, 8, 8 }, log)
      assert(worker:run { op = "time", iters = 8, untimed = 1 })
      assert.same({ 5, 8, 8, 1, 8 }, log)
    end)

  it("that fail are the failure of the batch", function()
    local worker = ready(function()
      return { run = function() error "no more" end }
    end)
    local row, message = worker:run { op = "time", iters = 8, untimed = 5 }
    assert.is_nil(row)
    assert.matches("no more", message)
  end)
end)

describe("a census of a worker", function()
  -- A call makes a table, and a place for it, in an input that has none.
  local function allocs(op)
    local worker = worker_of { before_each = function() return {} end,
      run = function(input)
        if not input[1] then input[1] = {} end
      end }
    assert(worker:run { op = "prepare" })
    return assert(worker:run { op = op, iters = 16 }).allocs
  end

  it("is of calls whose inputs no call before has used up", function()
    for _, op in ipairs { "census", "census_alone" } do
      assert.is_true(allocs(op) >= 32, op)
    end
  end)

  if jit then
    it("is so of compiled code, too", function()
      jit.on()
      local ok, counted = pcall(allocs, "census")
      jit.off()
      assert.is_true(ok, counted)
      assert.is_true(counted >= 32, counted)
    end)
  end

  it("has none of what only the first calls make, though each has an input",
    function()
      local worker = worker_of { inputs = function(random) return random(4) end,
        run = function(input) return "text " .. input end }
      assert(worker:run { op = "prepare" })
      assert.equal(0, assert(worker:run { op = "census", iters = 16 }).allocs)
    end)

  it("makes each batch between its hooks, which know its calls", function()
    local planned, made, ended = 0, 0, 0
    local worker = worker_of { run = function() made = made + 1 end,
      before_batch = function(n) planned = planned + n end,
      after_batch = function(n) ended = ended + n end }
    assert(worker:run { op = "prepare" })
    assert(worker:run { op = "census", iters = 16 })
    assert.is_true(made >= 32)
    assert.same({ made, made }, { planned, ended })
  end)
end)

describe("calls by no clock", function()
  it("are made between the hooks", function()
    local log = {}
    local worker = ready(function()
      return { run = function() log[#log + 1] = "run" end,
        before_batch = function(n) log[#log + 1] = n end,
        params = nil }
    end)
    assert.equal(2, worker:run({ op = "call", iters = 2 }).calls)
    assert.equal("run", log[#log])
    assert.equal(3, #log)
  end)
end)

describe("the answer of a worker", function()
  local function answer(spec)
    local worker = worker_of(spec)
    assert(worker:run { op = "prepare" })
    return worker:run { op = "returned" }
  end

  it("is what one call returned, all of it, as plain data", function()
    assert.same({ { "the result", "1" }, { "result 2", "sx" } },
      answer({ run = function() return 1, "x" end }).returned)
    assert.same({ { "the result", "1" } },
      answer({ batch = function(n) return n end }).returned)
  end)

  it("is of a call between its hooks", function()
    local log = {}
    local got = answer { before_batch = function() log[1] = true end,
      before_each = function() return 21 end,
      run = function(x) return 2 * x end,
      after_each = function(x) log[2] = x end }
    assert.same({ { "the result", "42" } }, got.returned)
    assert.same({ true, 42 }, log)
  end)

  it("is what the call raised", function()
    local worker = worker_of { run = function() error("no", 0) end }
    assert(worker:run { op = "prepare" })
    assert.same({ nil, "no" }, { worker:run { op = "returned" } })
  end)
end)

describe("the memory cap of a worker", function()
  local CAP = 2 ^ 16
  local kept, made = {}, 0
  after_each(function()
    kept = {}
    collectgarbage "restart"
  end)

  -- Each call makes a string of a kilobyte that was not there before.
  local function hungry(gc, before_batch)
    return ready(function(meter)
      return { gc = gc, memory_cap = CAP, before_batch = before_batch,
        run = function()
          made = made + 1
          kept[#kept % 1000 + 1] = ("x"):rep(1024) .. made
          meter:advance(100)
        end }
    end)
  end

  it("ends a batch with the collector stopped, which leaves no row", function()
    local worker = hungry "stopped"
    for _, op in ipairs { "warm", "time" } do
      assert.is_true(worker:run({ op = op, iters = 500 }).is_capped)
      local row = assert(worker:run { op = op, iters = 8 })
      assert.is_nil(row.is_capped)
      assert.equal(8, row.iters)
      assert.is_true(row.growth_bytes >= 8 * 1024)
    end
  end)

  it("fails the bench of which one call does not fit", function()
    for _, op in ipairs { "warm", "time" } do
      local worker = ready(function()
        return { gc = "stopped", memory_cap = CAP,
          run = function() kept[1] = ("x"):rep(2 * CAP) end }
      end)
      assert.is_true(worker:run({ op = op, iters = 2 }).is_capped)
      assert.same({ nil, "one call allocated more than the memory cap of "
        .. "64.00 KiB with the collector stopped", "memory_cap" },
        { worker:run { op = op, iters = 1 } })
    end
  end)

  it("is no reason for what fails in a later batch", function()
    local batches = 0
    local worker = hungry("stopped", function()
      batches = batches + 1
      if batches > 1 then error("no more", 0) end
    end)
    assert.is_true(worker:run({ op = "time", iters = 500 }).is_capped)
    local row, message = worker:run { op = "time", iters = 8 }
    assert.is_nil(row)
    assert.matches("no more", message)
  end)

  it("is none while the collector runs", function()
    local row = assert(hungry("natural"):run { op = "time", iters = 500 })
    assert.equal(500, row.iters)
  end)

  it("ends a single batch without the collector", function()
    local worker = hungry "natural"
    local row, message = worker:run { op = "stopped", iters = 500 }
    assert.is_nil(row)
    assert.is_string(message)
    assert.equal(8, worker:run({ op = "stopped", iters = 8 }).iters)
  end)

  it("is gone after a batch that raised", function()
    for op, gc in pairs { time = "stopped", stopped = "natural" } do
      local fails, big = true, nil
      local worker, meter = ready(function()
        return { gc = gc, memory_cap = CAP, run = function()
          if fails then error("no more", 0) end
        end }
      end)
      assert.same({ nil, "no more" }, { worker:run { op = op, iters = 1 } })
      fails = false
      assert.is_true(meter:time(core.samples(2), function()
        big = ("x"):rep(2 * CAP)
      end, 1))
      assert.equal(2 * CAP, #big)
    end
  end)
end)

describe("a batch with the collector stopped", function()
  it("is followed by batches of as many calls with the collector running",
    function()
      local calls, running = 0, {}
      local worker = ready(function(meter)
        return { run = function()
          calls = calls + 1
          meter:advance(1000)
          running[calls] = select(3, core.gc_settings())
        end }
      end)
      for _ = 1, 3 do
        calls = 0
        assert(worker:run { op = "stopped", iters = 5 })
        assert.equal((1 + passes.SETTLING_BATCHES) * 5, calls)
        if _VERSION ~= "Lua 5.1" or jit then -- which can't tell
          for i = 1, calls do assert.equal(i > 5, running[i]) end
        end
      end
    end)

  local kept = {}
  local function churn()
    for i = 1, 200 do kept[i] = { i } end
    return kept
  end

  it("has no collections, and others have none of its garbage to pay for",
    function()
      local worker = ready(function() return churn end)
      for _ = 1, 3 do
        local row = assert(worker:run { op = "stopped", iters = 500 })
        assert.equal(0, row.gc_minor + row.gc_major)
      end
      if _VERSION ~= "Lua 5.1" or jit then
        assert.is_true((select(3, core.gc_settings())))
      end
    end)

  it("leaves the collector running where an error passes by what times it",
    function()
      local process, meter = clocked.process()
      local failing = setmetatable({ time = function() error("late", 0) end },
        { __index = function(_, name)
          return function(_, ...) return meter[name](meter, ...) end
        end })
      process.meter = failing
      local worker = worker_of(churn, { gc = "arms" }, process, meter)
      assert(worker:run { op = "prepare" })
      local row, message = worker:run { op = "stopped", iters = 500 }
      assert.is_nil(row)
      assert.equal("late", message)
      collectgarbage()
      local before = collectgarbage "count"
      for _ = 1, 1000 do churn() end -- 16 MB of garbage
      assert.is_true(collectgarbage "count" < before + 8000)
    end)
end)

describe("the end of a worker", function()
  it("is one teardown, if setup was begun", function()
    local torn = 0
    local spec = { run = function() end,
      teardown = function() torn = torn + 1 end }
    local worker = worker_of(spec)
    assert(worker:run { op = "finish" })
    assert.equal(0, torn)
    assert(worker:run { op = "prepare" })
    assert(worker:run { op = "finish" })
    assert(worker:run { op = "finish" })
    assert.equal(1, torn)
  end)

  it("tells what teardown raised", function()
    local worker = ready(function()
      return { run = print, teardown = function() error("stuck", 0) end }
    end)
    assert.same({ nil, "in teardown: stuck" }, { worker:run { op = "finish" } })
  end)

  it("comes after a setup that raised, too", function()
    local torn = 0
    local worker = worker_of { run = print,
      setup = function() error "no" end,
      teardown = function() torn = torn + 1 end }
    worker:run { op = "prepare" }
    worker:run { op = "finish" }
    assert.equal(1, torn)
  end)
end)

describe("the row of a worker", function()
  it("shares no trace that was compiled in a pass without a row, where tare's "
    .. "own code runs, too", function()
    local worker = worker_of { run = function() return {} end }
    local in_pass, shares = false, false
    worker.watch = { count = function() return 0 end,
      follow = function(_, subject)
        shares = shares or in_pass and subject == nil
      end,
      shares = function()
        local were = shares
        shares = false
        return were
      end }
    assert(worker:run { op = "prepare" })
    for _, op in ipairs { "census", "call" } do
      in_pass = true
      assert(worker:run { op = op, iters = 4 })
      in_pass = false
      assert.is_nil(worker:run { op = "time", iters = 10 }.shares_traces)
      shares = true
      assert.is_true(worker:run { op = "time", iters = 10 }.shares_traces)
    end
  end)

  it("has no flag of the row before", function()
    local process = Process.new()
    local shared = true
    process.watch = setmetatable({ shares = function() return shared end },
      { __index = process.watch })
    local worker = worker_of({ run = function() end }, {}, process)
    assert(worker:run { op = "prepare" })
    assert.is_true(worker:run { op = "time", iters = 10 }.shares_traces)
    shared = false
    assert.is_nil(worker:run { op = "time", iters = 10 }.shares_traces)
    assert.is_nil(worker:run { op = "empty", iters = 10 }.shares_traces)
  end)
end)

-- What LuaJIT has compiled can't be ended from within: there it is refused.
if Process.deadline_refusal() then return end

describe("the deadline of a worker", function()
  local function forever() while true do end end -- luacheck: ignore 542

  local function stuck(spec, timeout)
    local worker = worker_of(spec, { timeout = timeout or "20ms" },
      Process.new { deadlines = true })
    return worker, { worker:run { op = "prepare" } }
  end

  it("ends each call of the bench that does not come back", function()
    for _, op in ipairs { "time", "warm", "paced", "stopped", "census",
      "instructions", "returned", "call" } do
      local worker = stuck { run = forever }
      local row, message, code = worker:run { op = op, iters = 2 }
      assert.is_nil(row, op)
      assert.is_string(message)
      assert.equal("timeout", code, op)
    end
  end)

  it("may be beyond what the clock of the system can count", function()
    local worker, prepared = stuck({ run = function() end }, "10000000000s")
    assert.is_table(prepared[1])
    assert(worker:run { op = "time", iters = 1 })
  end)

  it("ends its hooks", function()
    for _, hook in ipairs { "setup", "args" } do
      local _, answer = stuck { run = print, [hook] = forever }
      assert.equal("timeout", answer[3], hook)
    end
    for _, hook in ipairs { "before_batch", "after_batch", "before_each",
      "after_each" } do
      local worker = stuck { run = function() end, [hook] = forever }
      assert.equal("timeout",
        (select(3, worker:run { op = "time", iters = 1 })), hook)
    end
    local worker = stuck { run = print, teardown = forever }
    assert.equal("timeout", (select(3, worker:run { op = "finish" })))
  end)

  it("is for each batch, not for all", function()
    local worker = stuck({ run = function() end }, "1s")
    local ended = core.now_ns() + 1.1e9
    while core.now_ns() < ended do
      assert(worker:run { op = "time", iters = 1000 })
    end
  end)
end)

describe("a worker whose host's clock goes back", function()
  -- The clock is set back in each of the first 'steps' batches.
  local function setting_back(steps)
    local calls = 0
    return ready(function(meter)
      meter:advance(1e6)
      return { run = function()
        calls = calls + 1
        meter:advance(calls <= steps and -500 or 100)
      end }
    end)
  end

  it("measures the batch again and says so", function()
    local worker = setting_back(2)
    local row = assert(worker:run { op = "time", iters = 1 })
    assert.equal(100, row.wall_ns)
    assert.is_true(row.clock_went_back)
    row = assert(worker:run { op = "time", iters = 1 })
    assert.is_nil(row.clock_went_back)
  end)

  it("gives up where it always does", function()
    local row, message = setting_back(99):run { op = "time", iters = 1 }
    assert.is_nil(row)
    assert.matches("the clock went back in 3 batches in a row", message)
  end)
end)
