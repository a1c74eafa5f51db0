-- The report of the terminal: whole screens of made-up Reports.
local analysis = require "tare.analysis"
local distribution = require "tare.report.distribution"
local fixtures = require "spec.support.fixtures"
local lists = require "tare.base.lists"
local made_run = require "spec.support.made_run"
local report = require "tare.report"
local sweeps = require "tare.report.sweeps"
local trouble = require "tare.report.trouble"
local width = require "tare.report.width"

local function rendered(options, data)
  return assert(report.render(data or fixtures.report(), "text", options or {}))
end

local function lines_of(s)
  local list = {}
  for line in s:gmatch("([^\n]*)\n") do list[#list + 1] = line end
  return list
end

local function has(s, part)
  assert.is_truthy(s:find(part, 1, true), "lacks: " .. part .. "\n" .. s)
end

local function lacks(s, part)
  assert.is_nil(s:find(part, 1, true), "has: " .. part .. "\n" .. s)
end

local function estimate(value, share)
  return { value = value, low = value * (1 - share),
    high = value * (1 + share) }
end

-- Two benches, the slow one marked as baseline.
local function pair(verdict, ratio)
  return { env = { lua = "Lua 5.4.4" }, results = {
    { id = "s/slow", suite = "s", baseline = true, time = estimate(2304, 0.01),
      instructions = { value = 45 }, bytes = { value = 200 } },
    { id = "s/quick", suite = "s", time = estimate(525, 0.04),
      instructions = { value = 9 }, bytes = { value = 7 } } },
    comparisons = { { a = "s/quick", b = "s/slow", metric = "time",
      verdict = verdict or "faster",
      ratio = ratio or { value = 0.23, low = 0.22, high = 0.24 } } } }
end

describe("the text report", function()
  it("says which mode of the collector the benches ran in, not the "
    .. "interpreter", function()
    local function head_of(first, second)
      local data = fixtures.report()
      data.env.collector = { mode = "generational" }
      data.results = { data.results[1], data.results[2] }
      data.results[1].gc_mode, data.results[2].gc_mode = first, second
      return rendered({}, data):match "^[^\n]+"
    end
    assert.matches("^Lua 5.4.4, incremental ", head_of("incremental",
      "incremental"))
    assert.matches("^Lua 5.4.4 ", head_of("incremental", "generational"))
    assert.matches("^Lua 5.4.4, generational ", head_of(nil, nil))
  end)

  it("says what a launch that failed met, where others have figures",
    function()
      local report_ = pair()
      report_.results[2].warnings = { "launch_failed" }
      report_.results[2].failed_launches = {
        { launch = 2, message = "bench.lua:7: no more\nstack traceback" },
        { launch = 3, message = "it ended its process: signal 9" } }
      local out = rendered({}, report_)
      has(out, "a launch failed: s/quick: bench.lua:7: no more. ")
      lacks(out, "traceback")
    end)

  it("explains ratios that are seen not to be the quotient", function()
    local note = "ratios: of batches measured in turn, so one may "
    lacks(rendered({}, pair("faster", { value = 0.2275, low = 0.220,
      high = 0.24 })), note)
    has(rendered({}, pair("faster", { value = 0.21, low = 0.20,
      high = 0.23 })), note .. "differ from the quotient of its two times, "
      .. "here by up to 7.8%\n")
    local out = rendered({}, pair("faster", { value = 0.11, low = 0.10,
      high = 0.12 }))
    has(out, "ratio and times disagree")
    lacks(out, note)
  end)

  it("says why a ratio's range is narrower than the intervals beside it",
    function()
      local said = "ratios: of batches measured in turn, so what slows both "
        .. "cancels: ranges are narrower than the two ± suggest"
      local ratio = { value = 525 / 2304, low = 0.225, high = 0.231 }
      has(rendered({}, pair("faster", ratio)), said .. "\n")
      ratio.value, ratio.low, ratio.high = 0.2302, 0.227, 0.233
      has(rendered({}, pair("faster", ratio)), said .. ", and ratios differ "
        .. "from quotients of times, here by up to 1.0%\n")
      -- A stored report may have any numbers.
      local absurd = pair("faster", ratio)
      absurd.results[2].time.value = 0
      lacks(rendered({}, absurd), "ranges are narrower")
      ratio.value, ratio.low, ratio.high = 525 / 2304, 0.219, 0.237
      lacks(rendered({}, pair("faster", ratio)), "ratios:")
    end)

  it("has the numbers of a bench's notes in ascending order", function()
    for _, codes in ipairs { { "quota_exceeded", "none_dropped" },
      { "none_dropped", "quota_exceeded" } } do
      local data = pair()
      data.results[3] = { id = "s/third", suite = "s",
        time = estimate(2304, 0.01) }
      data.results[2].warnings = { codes[2] }
      data.results[1].warnings = codes
      local out = rendered({}, data)
      assert.matches("\n  quick %[1%] ", out)
      assert.matches("\n  slow %[1%]%[2%] ", out)
    end
  end)

  it("says that a quotient is outside of the range, and of which bench",
    function()
      local data = pair("faster", { value = 1 / 1.19, low = 1 / 1.21,
        high = 1 / 1.17 })
      data.results[1].time.value = 755
      data.results[2].time.value = 606
      local out = rendered({}, data)
      has(out, "note: the quotient of the two times is outside the range of "
        .. "the ratio: s/quick (1.25 times as fast). Ratios are of batches "
        .. "measured in turn, times of all batches that count: trust the "
        .. "ratio\n")
      lacks(out, "a little")
      data.options = { net_of_loop = true }
      has(rendered({}, data), "(1.25 times as fast). Ratios are of batches "
        .. "measured in turn, with the loop, times are without it\n")
    end)

  it("names what benches are compared with where it is one for all", function()
    local data = { results = {}, comparisons = {} }
    for i, id in ipairs { "a{k=x}", "b{k=x}", "a{k=y}", "b{k=y}" } do
      data.results[i] = { id = "s/" .. id, suite = "s", name = id:sub(1, 1),
        params = { k = id:sub(5, 5) }, baseline = i % 2 == 1 or nil,
        time = estimate(100 * i, 0.01) }
    end
    for k, value in pairs { x = 2, y = 1.33 } do
      table.insert(data.comparisons, { a = ("s/b{k=%s}"):format(k),
        b = ("s/a{k=%s}"):format(k), metric = "time", verdict = "slower",
        ratio = estimate(value, 0.01) })
    end
    assert.matches("time +compared with its baseline\n", rendered({}, data))
    for _, result in ipairs(data.results) do result.baseline = nil end
    assert.matches("time +compared\n", rendered({}, data))
    data.results[3], data.results[4] = nil, nil
    assert.matches("time +compared with a{k=x}\n", rendered({}, data))
  end)

  it("has room for the names in a plot of boxes", function()
    local data = fixtures.many(3)
    data.results[2].id = "suite1/a bench of a rather long name"
    data.results[2].name = "a bench of a rather long name"
    local out = rendered({ plot = true, ascii = true, width = 100 }, data)
    assert.matches("\n  a bench of a rather long name +#", out)
  end)

  it("has a plot of boxes from five batches on", function()
    local function has_boxes(count)
      local data = fixtures.many(2)
      for _, result in ipairs(data.results) do
        local samples = { iters = {}, wall_ns = {} }
        for i = 1, count do
          samples.iters[i], samples.wall_ns[i] = 1, 100 + i
        end
        result.samples = samples
      end
      return rendered({ plot = true, ascii = true }, data)
        :find "|%-*=*#=*%-*|" ~= nil
    end
    assert.is_true(has_boxes(5))
    assert.is_false(has_boxes(4))
  end)

  it("has the quickest first, compared in words, and says why it wins",
    function()
      assert.equal([[
Lua 5.4.4

s           time         compared with slow                 bytes  instr
  quick   525 ns +-4.0%  4.35 times as fast (4.17 to 4.55)    7 B      9
  slow   2.30 us +-1.0%  baseline                           200 B     45
  quick is the quickest; it executes 80% fewer Lua instructions (C not
  counted) and allocates 97% less.

per call: time, bytes (allocated), instr (of Lua code, not C); ratios: of
batches measured in turn, so one may differ from the quotient of its two
times, here by up to 0.94%

2 ok
]], rendered({ ascii = true, width = 73 }, pair()))
    end)

  it("says of a run that nothing disturbed that it was quiet", function()
    local data = pair()
    lacks(rendered({}, data), "quiet machine") -- nobody knows
    data.env.crowded = 0
    for _, result in ipairs(data.results) do result.rounds = 15 end
    lacks(rendered({}, data), "quiet machine") -- others may have had turns
    for _, result in ipairs(data.results) do result.preempted = 0 end
    has(rendered({}, data), "Lua 5.4.4 \194\183 quiet machine\n")
    data.results[1].rounds = 14 -- of so few none is disturbed by chance
    lacks(rendered({}, data), "quiet machine")
    data.results[1].rounds = 15
    data.env.crowded = 0.2
    lacks(rendered({}, data), "quiet machine")
    data.env.crowded = 0.02
    data.results[1].warnings = { "crowded_run" } -- all that it has
    lacks(rendered({}, data), "quiet machine")
    for _, result in ipairs(data.results) do result.warnings = { "drift" } end
    local out = rendered({}, data)
    has(out, "machine: speed drifted")
    lacks(out, "quiet machine")
  end)

  -- In the midst of every n-th batch of 0.1 ms others had the core for 'ns'.
  local function of_shared_core(n, ns)
    local record = made_run.record({ batches = 100 }, function(row, _, i)
      row.cpu_ns, row.waits, row.preemptions = row.wall_ns, 0, 0
      if n > 0 and i % n == 0 then
        row.wall_ns, row.preemptions = row.wall_ns + ns, 1
      end
    end)
    return { env = { lua = "Lua 5.4.4" },
      results = { analysis.analyse(record, made_run.SETTINGS) } }
  end

  it("calls no machine quiet where others had a tenth of the batches' time, "
    .. "few as the batches may be that they disturbed", function()
    has(rendered({}, of_shared_core(0, 0)), "quiet machine")
    has(rendered({}, of_shared_core(25, 2e4)), "quiet machine")
    for _, data in ipairs { of_shared_core(25, 1e7), of_shared_core(50, 1e7),
      of_shared_core(5, 2e4) } do
      lacks(rendered({}, data), "quiet machine")
    end
  end)

  it("calls the machine busy where others had a tenth of the batches' time, "
    .. "in the mean of the benches", function()
    local function of_two(n, ns)
      local data = of_shared_core(n, ns)
      data.results[2] = of_shared_core(0, 0).results[1]
      return rendered({}, data)
    end
    local text = "busy machine: other programs had the core, or shared it, "
      .. "for %s of the time; batches may be slow, too."
    has(rendered({}, of_shared_core(50, 1.5e6)), text:format "11%")
    lacks(of_two(50, 1.5e6), "busy machine")
    has(of_two(50, 1e7), text:format "22%")
    lacks(rendered({}, of_shared_core(0, 0)), "busy machine")
  end)

  it("says of the machine what a quarter of the measured benches have",
    function()
      local function rendered_with(drifting, failed)
        local data = { env = { lua = "Lua 5.4.4" }, results = {} }
        for i = 1, 8 + failed do
          data.results[i] = { id = "s/" .. i, suite = "s",
            time = i <= 8 and estimate(100, 0.01) or nil,
            error = i > 8 and "boom" or nil,
            warnings = i <= drifting and { "drift" } or {} }
        end
        return rendered({}, data)
      end
      has(rendered_with(2, 0), "machine: speed drifted (in 2 of 8 benches)")
      has(rendered_with(2, 8), "machine: speed drifted (in 2 of 8 benches)")
      lacks(rendered_with(1, 0), "speed drifted")
    end)

  it("says that intervals are wider where measuring may end early", function()
    local function sure_of(share, started, options)
      local data = pair()
      data.options, data.started = { confidence = 0.95 }, started
      for _, result in ipairs(data.results) do result.in_process = true end
      data.results[1].precision = share
      return (rendered(options or {}, data):gsub("%s+", " "))
    end
    lacks(sure_of(nil, "now"), "early")
    has(sure_of(0.01, "now"), "in 95% of runs in this process, however early "
      .. "--precision ends a run (times have wider intervals for that)")
    has(sure_of(0.01), "however early 'precision' ends a run")
    local explain = { explain = true }
    lacks(sure_of(nil, "now", explain), "early")
    has(sure_of(0.01, "now", explain), "with a confidence of 95%, however "
      .. "early --precision ends a run (times have wider intervals for that);")
  end)

  it("says what helps where no quota makes a time as precise as was asked, in "
    .. "each form", function()
    local data = pair()
    data.results[2].time = estimate(525, 0.06)
    data.results[2].warnings = { "precision_unseen" }
    for _, format in ipairs { "text", "markdown", "html" } do
      local out = report.render(data, format):gsub("%s+", " ")
      has(out, "less precise than asked, whatever the quota")
      has(out, "else compare within one run, for ratios are more precise")
    end
  end)

  it("says of a narrow interval, too, that a narrower one was asked for",
    function()
      local data = pair()
      data.results[2].time = estimate(525, 0.01)
      data.results[2].warnings = { "few_samples" }
      lacks(rendered({}, data), "few batches")
      data.results[2].warnings = { "precision_missed" }
      has(rendered({}, data), "less precise than asked")
    end)

  it("says how sure intervals are, and what verdicts need, once", function()
    local data = pair("unclear", { value = 0.9, low = 0.8, high = 1.25 })
    data.options = { confidence = 0.95, tolerance = 0.02 }
    for _, result in ipairs(data.results) do result.launches = 7 end
    data.results[3] = { id = "s/third", suite = "s", launches = 7,
      time = estimate(2304, 0.01) }
    data.comparisons[2] = { a = "s/third", b = "s/slow", metric = "time",
      verdict = "same", ratio = { value = 1, low = 0.99, high = 1.01 } }
    local out = rendered({}, data)
    has(out, "; ± and ranges in brackets: the true value is within, in 95% of "
      .. "runs in new processes; unclear: it may be faster or slower; same: "
      .. "the whole range is within 2% either way; -: ")
    has(rendered({ explain = true }, data), "\nunclear: it may be faster or "
      .. "slower\nsame: the whole range is within 2% either way\n")
    lacks(rendered({}, pair()), "unclear:")
    lacks(rendered({}, pair()), "same:")
  end)

  it("names what was measured on another machine than that of its head, or by "
    .. "another Lua", function()
    local data = fixtures.many(4)
    data.env = { lua = "Lua 5.4.4", cpu = "AMD EPYC", cores = 2, clock = {
      reference_ghz = 3, seen_ghz = { low = 2, high = 3 } } }
    lacks(rendered({}, data), "measured elsewhere")
    data.envs = { data.env, { lua = "Lua 5.4.4", cpu = "Intel", cores = 8,
      clock = { reference_ghz = 2.5 } }, { lua = "Lua 5.4.6",
      cpu = "AMD EPYC", cores = 2 }, { lua = "Lua 5.4.4", cpu = "AMD EPYC",
      cores = 2, clock = { reference_ghz = 3 } } }
    for i, result in ipairs(data.results) do result.env_index = i end
    local ids = {}
    for i, result in ipairs(data.results) do ids[i] = result.id end
    local out = rendered({}, data)
    has(out, ("\nmeasured elsewhere: %s (Lua 5.4.4, Intel, 8 cores at 2.50 "
      .. "GHz)\nmeasured elsewhere: %s (Lua 5.4.6, AMD EPYC, 2 cores)\n")
      :format(ids[2], ids[3]))
    lacks(out, ids[4] .. " (Lua")
    data.env = data.envs[2] -- a run that goes on elsewhere has its own
    has(rendered({}, data), ("\nmeasured elsewhere: %s, %s (Lua 5.4.4, AMD "
      .. "EPYC, 2 cores at 3.00 GHz (it ran at 2.00 to 3.00))\n"):format(ids[1],
      ids[4]))
    data.envs[1] = {}
    lacks(rendered({}, data), "elsewhere: " .. ids[1])
  end)

  it("names in its head all interpreters that were measured side by side",
    function()
      local data = fixtures.many(3)
      data.env = { lua = "Lua 5.4.4", cpu = "AMD EPYC", collector = {
        mode = "generational" } }
      data.envs = { data.env, { lua = "LuaJIT 2.1.0", cpu = "AMD EPYC",
        jit = { on = true } }, { lua = "Lua 5.5.0", cpu = "AMD EPYC" } }
      local modes = { "generational", "incremental", "incremental" }
      for i, result in ipairs(data.results) do
        result.env_index, result.lua, result.gc_mode = i, "lua" .. i, modes[i]
      end
      local out = rendered({}, data)
      has(out, "Lua 5.4.4, generational · LuaJIT 2.1.0 · Lua 5.5.0, "
        .. "incremental · AMD EPYC")
      lacks(out, "measured elsewhere")
    end)

  it("names what is not compared, and why", function()
    local data = pair()
    for _, result in ipairs(data.results) do result.compared = "s" end
    lacks(rendered({}, data), "Not compared")
    data.results[3] = { id = "s/broken", suite = "s", compared = "s",
      error = "boom" }
    has(rendered({}, data), "\n  Not compared: broken failed.\n")
    data.results[3], data.comparisons = nil, {}
    for _, result in ipairs(data.results) do result.baseline = nil end
    lacks(rendered({}, data), "Not compared") -- nobody asked for it
    data.results[1].baseline = true
    has(rendered({}, data), "\n  Not compared: of slow and quick too few "
      .. "batches were measured in turn; give a longer --quota.\n")
    data.options = { order = "sequential" }
    has(rendered({}, data), "\n  Not compared: of slow and quick the batches "
      .. "were not measured in turn (--order sequential).\n")
    data.results[2].sitting = 2
    has(rendered({}, data), "\n  Not compared: of slow and quick the batches "
      .. "are of several runs (--resume), not in turn.\n")
    -- One beside others that were compared, be the first of the group none.
    data = pair()
    table.insert(data.results, 1, { id = "s/broken", suite = "s",
      error = "boom" })
    data.results[4] = { id = "s/late", suite = "s", sitting = 2,
      time = estimate(100, 0.01) }
    for _, result in ipairs(data.results) do result.compared = "s" end
    has(rendered({}, data), "\n  Not compared: broken failed, and of late the "
      .. "batches are of several runs (--resume), not in turn.\n")
  end)

  it("names nothing as not compared that was compared with a revision",
    function()
      local data = { results = {}, comparisons = {} }
      for i, id in ipairs { "s/a", "s/a{ref=v1}", "s/b", "s/b{ref=v1}" } do
        data.results[i] = { id = id, suite = "s", compared = id:match "^s/.",
          time = estimate(100, 0.01), baseline = i % 2 == 0 or nil,
          params = i % 2 == 0 and { ref = "v1" } or {} }
        if i % 2 == 1 then
          table.insert(data.comparisons, { a = id, b = id .. "{ref=v1}",
            between = "revisions", other = "v1", metric = "time",
            verdict = "unclear", ratio = { value = 1, low = 0.9,
              high = 1.1 } })
        end
      end
      lacks(rendered({ columns = "time" }, data), "Not compared")
      data.comparisons = {}
      has(rendered({ columns = "time" }, data), "Not compared")
    end)

  it("has two notes beside those without which a figure misleads", function()
    local data = fixtures.many(8)
    for i, code in ipairs { "inside_unknown", "optimized_away", "shared_traces",
      "interrupted_once", "launch_failed" } do
      data.results[i].warnings = { code }
    end
    local out = rendered({}, data)
    has(out, "too fast to be real: ")
    has(out, "a launch failed: ")
    has(out, "\nnote: 1 more about single benches: --explain lists them\n")
    lacks(out, "interrupted once")
    has(rendered({ explain = true }, data), "interrupted once: ")
  end)

  it("has one time of a bench whose processes differ, where room is short",
    function()
      local data = pair()
      data.results[1].groups = { { value = 2000, share = 0.7 },
        { value = 4000, share = 0.3 } }
      assert.matches("\n  slow .-  2%.00 us or 4%.00 us  ", rendered({}, data))
      assert.matches("\n  slow .-  2%.30 us +baseline", rendered({ width = 60 },
        data))
    end)

  it("marks what was cut short with one sign where room is short", function()
    local data = pair()
    data.results[2].warnings = { "interrupted" }
    local out = rendered({ width = 60 }, data)
    assert.matches("\n  quick \226\128\160 ", out)
    has(out:gsub("\n", " "), "\226\128\160: interrupted before its quota; its "
      .. "figures and intervals hold")
    has(rendered({}, data), "; cut short: interrupted before its quota; ")
    lacks(rendered({}, pair()), "before its quota")
    out = rendered({ width = 60, ascii = true }, data)
    assert.matches("\n  quick %^ ", out)
  end)

  it("cuts names in sentences as in the table", function()
    local data = pair("unclear", { value = 1, low = 0.5, high = 2 })
    local name = 's = "" for i=1,#t do s = s .. t[i] .. 100 % i .. "%1" end'
    data.results[2].id = "s/" .. name
    data.comparisons[1].a = "s/" .. name
    local out = rendered({ width = 60 }, data)
    local short = out:match "\n  (s = .-%S)  +%d"
    assert.matches("\226\128\166", short)
    assert.truthy(out:gsub("\n *", " "):find("Unclear which of slow and "
      .. short .. " is the quickest.", 1, true) or out:gsub("\n *", " "):find(
      short .. " and slow", 1, true), out)
    lacks(out, name)
  end)

  it("says what the winner's calls cost beside their time", function()
    local data = pair()
    local function says(instructions, bytes, reasons)
      data.results[2].instructions.value = instructions
      data.results[2].bytes.value = bytes
      has(rendered({}, data), "quick is the quickest" .. reasons .. ".\n")
      has(rendered({ columns = "time" }, data),
        "quick is the quickest, 4.35 times as fast as slow (4.17 to 4.55)"
          .. reasons .. ".\n")
    end
    says(9, 0, "; it executes 80% fewer Lua instructions (C not counted) and "
      .. "allocates nothing")
    says(45, 0, "; it allocates nothing")
    says(45, 200, "")
    says(90, 150, "; it allocates 25% less, but executes 90 Lua instructions "
      .. "(C not counted) instead of 45")
    data.results[1].bytes.value = 0
    says(45, -5, "") -- which no run has, but a file may
    data.results[1].bytes.value = 200
    says(45, 2 ^ 28, ", although it allocates 256 MiB instead of 200 B")
    says(90, 200, ", although it executes 90 Lua instructions (C not counted) "
      .. "instead of 45")
    data.results[1].allocs, data.results[2].allocs = { value = 10 },
      { value = 2 }
    says(45, 150, "; it allocates 25% less and makes 80% fewer allocations")
    says(45, 0, "; it allocates nothing")
    data.comparisons[1].ratio = { value = 2, low = 1.5, high = 2.5 }
    data.comparisons[1].verdict = "unclear"
    has(rendered({}, data), "Unclear which of slow and quick is the quickest.")
  end)

  it("names none as the quickest that is slower than another", function()
    local data = pair("unclear", { value = 0.97, low = 0.9, high = 1.1 })
    data.results[2].time = estimate(2240, 0.04)
    data.results[3] = { id = "s/third", suite = "s",
      time = estimate(2500, 0.2) }
    data.comparisons[2] = { a = "s/third", b = "s/slow", metric = "time",
      verdict = "slower", ratio = { value = 1.2, low = 1.05, high = 1.4 } }
    data.comparisons[3] = { a = "s/third", b = "s/quick", metric = "time",
      verdict = "unclear", ratio = { value = 1.2, low = 0.95, high = 1.5 } }
    has(rendered({}, data), "Unclear which of quick and slow is the quickest.")
  end)

  it("calls the baseline so where it is too noisy to compare, too", function()
    local data = pair("unclear", { value = 0.5 })
    for _, result in ipairs(data.results) do
      result.warnings = { "crowded_run" }
      result.time.low, result.time.high = nil, nil
    end
    local out = rendered({}, data)
    assert.matches("\n  quick ! .-  faster; too noisy to say by how much  ",
      out)
    assert.matches("\n  slow ! .-  baseline  ", out)
  end)

  it("gives the reason below where the row of a noisy baseline can't",
    function()
      local data = pair("unclear", { value = 0.5 })
      data.results[1].time.low, data.results[1].time.high = -9, 5000
      local out = rendered({}, data)
      assert.matches("\n  slow ! .-  baseline  ", out)
      has(out, "\n! too noisy: the interval is as wide as the time. Give")
    end)

  it("ranks what is too noisy by a factor of 2 or more alone", function()
    local data = pair("unclear", { value = 0.5 })
    local function noisy(result, is_noisy)
      result.warnings = is_noisy and { "crowded_run" } or nil
    end
    noisy(data.results[1], true) -- the baseline
    local out = rendered({}, data)
    assert.matches("  quick .-  faster; too noisy to say by how much  ", out)
    has(out, "\n  quick is the quickest, though too noisy to say by how much; "
      .. "it executes 80% fewer Lua instructions")
    noisy(data.results[2], true)
    out = rendered({}, data)
    has(out, "faster; too noisy to say by how much")
    has(out, "\n  quick is the quickest, though too noisy to say by how much; ")
    data.results[2].time = estimate(1153, 0.01)
    out = rendered({}, data)
    lacks(out, "faster;")
    has(out, "No winner: too noisy to compare quick and slow.")
  end)

  it("ranks no time that its wide interval, or none, leaves open", function()
    local data = pair("unclear", { value = 8 })
    local quick, noisy = data.results[1], data.results[2]
    quick.time, noisy.time = estimate(28, 0.01), { value = 200, low = 20,
      high = 380 }
    local out = rendered({}, data)
    lacks(out, "slower")
    lacks(out, "the quickest,")
    noisy.time.low, noisy.time.high = nil, nil -- too few batches
    lacks(rendered({}, data), "slower")
    noisy.min = 50 -- of its quickest batch
    lacks(rendered({}, data), "slower")
    noisy.min = 120
    has(rendered({}, data), "slower; too few batches")
    noisy.min = nil
    noisy.time.low, noisy.time.high = 60, 380
    has(rendered({}, data), "slower; too noisy")
  end)

  it("leaves out of the race what is far behind any other", function()
    local data = pair("unclear", { value = 0.4 })
    data.results[1].time = estimate(1390, 0.1)
    data.results[2].time = estimate(741, 0.09)
    data.results[3] = { id = "s/third", suite = "s", warnings = {
      "crowded_run" }, time = { value = 620 } }
    data.comparisons[2] = { a = "s/third", b = "s/slow", metric = "time",
      verdict = "unclear", ratio = { value = 0.45 } }
    has(rendered({}, data), "  faster; too noisy to say by how much  ")
    has(rendered({}, data), "Unclear which of quick and third is the quickest.")
  end)

  it("ranks two benches by their times where the baseline is noisy", function()
    local data = pair("unclear", { value = 0.23 })
    data.results[1].warnings = { "crowded_run" }
    data.results[3] = { id = "s/third", suite = "s",
      time = estimate(700, 0.04) }
    data.comparisons[2] = { a = "s/third", b = "s/slow", metric = "time",
      verdict = "unclear", ratio = { value = 0.3 } }
    has(rendered({}, data), "\n  quick is the quickest, ")
  end)

  it("says same, slower and unclear in words too", function()
    local same = rendered({}, pair("same", { value = 1, low = 0.993,
      high = 1.009 }))
    has(same, "same (within 0.90%)")
    has(same, "No winner: slow and quick take the same time.")
    has(rendered({}, pair("slower", { value = 1.2, low = 1.1, high = 1.3 })),
      "1.20 times as slow (1.10 to 1.30)")
    local unclear = rendered({}, pair("unclear", { value = 0.9, low = 0.8,
      high = 1.25 }))
    has(unclear, "unclear (20% less to 25% more time)")
    has(unclear, "Unclear which of quick and slow is the quickest.")
    local unknown = rendered({}, pair("unclear", { value = 0.5 }))
    has(unknown, "unclear (too noisy)")
    has(unknown, "No winner: too noisy to compare quick and slow.")
  end)

  it("names no winner where all are the same as the baseline", function()
    local data = pair("same", { value = 1, low = 0.997, high = 1.003 })
    data.results[3] = { id = "s/third", suite = "s",
      time = estimate(2310, 0.01) }
    data.results[2].time = estimate(2302, 0.01)
    table.insert(data.results, 1, table.remove(data.results, 2))
    data.comparisons[2] = { a = "s/third", b = "s/slow", metric = "time",
      verdict = "same", ratio = { value = 1, low = 0.996, high = 1.004 } }
    local out = rendered({}, data)
    has(out, "No winner: quick, slow and third take the same time.")
    lacks(out, "Unclear")
    data.comparisons[2].verdict = "unclear"
    has(rendered({}, data), "Unclear which of quick, slow and third is")
  end)

  it("counts what is unclear apart from what is ok", function()
    local unclear = { value = 1, low = 0.8, high = 1.25 }
    assert.matches("\n1 ok, 1 unclear\n$", rendered({}, pair("unclear",
      unclear)))
    assert.matches("\n2 ok\n$", rendered({}, pair("same", { value = 1,
      low = 0.993, high = 1.009 })))
    local data = pair("unclear", unclear)
    data.comparisons[1].a, data.comparisons[1].between = "s/slow", "reports"
    assert.matches("\n1 ok, 1 unclear\n$", rendered({}, data))
    data.results[1].error = "boom"
    assert.matches("\n1 ok, 1 failed\n$", rendered({}, data))
  end)

  it("says why it is unclear where the times lie apart", function()
    local function why(ratio, third)
      local data = pair("unclear", ratio)
      if third then
        data.results[3] = { id = "s/third", suite = "s",
          time = estimate(2304, 0.01) }
        data.comparisons[2] = { a = "s/third", b = "s/slow", metric = "time",
          verdict = "unclear", ratio = { value = 1, low = 0.9, high = 1.1 } }
      end
      return rendered({}, data)
    end
    has(why({ value = 0.9, low = 0.7, high = 1.2 }), "quick: unclear though "
      .. "the times lie apart. A comparison goes by batches measured in turn, "
      .. "process by process, and these do not say which is faster.\n")
    has(why({ value = 0.9, low = 0.7, high = 1.2 }, true), "faster. Of 2 "
      .. "comparisons each has a wider interval, so that all hold together.\n")
    has(why { value = 0.9 }, "in which both had the core for themselves, and "
      .. "there were too few.\n")
    lacks(rendered({}, pair()), "lie apart")
  end)

  it("shows of an end of a ratio on which side of 1 it is", function()
    has(rendered({}, pair("faster", { value = 0.95, low = 0.9,
      high = 0.9995 })),
      "1.05 times as fast (1.001 to 1.11)")
    has(rendered({}, pair("unclear", { value = 0.95, low = 0.9,
      high = 1.0004 })), "unclear (10% less to 0.040% more time)")
  end)

  it("says which to trust where ratio and times disagree", function()
    lacks(rendered({}, pair()), "disagree")
    has(rendered({}, pair("faster", { value = 0.5, low = 0.48, high = 0.52 })),
      "quick: ratio and times disagree, for the machine's speed changed. ")
    local data = pair("faster", { value = 0.5, low = 0.48, high = 0.52 })
    data.options = { net_of_loop = true }
    has(rendered({}, data), "quick: ratio and times disagree, for the loop is "
      .. "deducted from times alone (--net-of-loop).")
  end)

  it("compares nobody whom the run did not compare", function()
    local data = pair()
    data.comparisons, data.results[1].baseline = {}, nil
    local out = rendered({}, data)
    lacks(out, "compared")
    lacks(out, "times as")
    assert.is_true(out:find("slow", 1, true) < out:find("quick", 1, true))
  end)

  it("gives a single bench a card of five lines", function()
    local result = fixtures.result("join", "concat", { ns = 1140,
      noise = 0.01, bytes = 200 }, { launches = 10,
      time = estimate(1140, 0.012), net = estimate(1100, 0.02),
      collector = estimate(40, 0.1),
      bytes = { value = 201 }, allocs = { value = 2.5 },
      instructions = { value = 45 } })
    local data = { results = { result }, env = {
      lua = "Lua 5.4.4", collector = { mode = "generational" },
      cpu = "Example(R) 9 CPU @ 3.00GHz", cores = 4,
      clock = { reference_ghz = 2.97, from = "remembered",
        seen_ghz = { low = 2.5, high = 2.97 } } } }
    local out = rendered({ width = 120 }, data)
    local list = lines_of(out)
    assert.is_true(#list <= 9, out)
    has(out, "\n\n1 ok\n")
    has(out, "join/concat")
    has(out, "Lua 5.4.4, generational")
    has(out, "Example 9 at 2.97 GHz (it ran at 2.50 to 2.97)")
    has(out, "10 processes, 80 batches")
    has(out, "1.14 us per call \194\1771.2%   877 k calls/s   45 Lua "
      .. "instructions (C not counted)")
    has(out, "201 B in 2.5 allocations per call   4% of the time in the "
      .. "collector (without it: 1.10 us)")
    assert.matches("\n  batches took 1%.%d%d us .- to 1%.%d%d us per call "
      .. "%(bars: how many%)\n", out)
    result.throughput = { items = 100 }
    has(rendered({ width = 80 }, data), "\n  201 B in 2.5 allocations per "
      .. "call\n  4% of the time in the collector (without it: 1.10 us)\n  "
      .. "87.7 M items/s (the bench counts 100 per call)\n")
  end)

  it("shows the code of an expression as it was given", function()
    local data = pair()
    data.comparisons, data.results[2] = {}, nil
    data.results[1].suite = "expressions"
    data.results[1].id = "expressions/f ()"
    local options = { width = 40, expression = "local t = {}\n"
      .. "for i = 1, 10 do t[i] = i / 2 end" }
    local code = "local t = {} for i = 1, 10 do t[i] = i / 2 end"
    local first = rendered(options, data):match "^[^\n]*"
    assert.equal(code:sub(1, 39) .. "\226\128\166", first)
    options.width = 60
    assert.equal(code, rendered(options, data):sub(1, #code))
    has(rendered({}, data), "expressions/f ()")
  end)

  it("draws the batches of a card so that the time is among them", function()
    for _, ns in ipairs { 90, 100, 110 } do
      local result = fixtures.result("a", "b", { ns = 100, noise = 0.01 })
      result.time = estimate(ns, 0.01)
      local low, high = rendered({ ascii = true }, { results = { result } })
        :match "took (%d+%.?%d*) ns .- to (%d+%.?%d*) ns per call %(signs"
      assert.is_true(tonumber(low) <= ns and tonumber(high) >= ns)
    end
  end)

  it("replaces an interval wider than the value by what it would take",
    function()
      local data = pair()
      data.options = { quota = { ns = 2e8 } }
      data.results[2].time = { value = 70e3, low = -9510, high = 141e3 }
      data.comparisons = {}
      local out = rendered({}, data)
      has(out, "  70 us ") -- two digits: nobody shall read more into it
      has(out, "; !: time too noisy to rely on\n")
      has(out, "too noisy at 200 ms; needs about 4 s")
      lacks(out, "-9")
      has(out, "quick !")
      has(out, "1 ok, 1 too noisy")
      data.results[2].time = { value = 700, low = 200, high = 1300 }
      has(rendered({}, data), "too noisy at 200 ms; needs about 2 s")
    end)

  it("shows each figure with its own unit and three digits", function()
    local out = rendered({ columns = "time,bytes,instr,allocs" }, { results = {
      { id = "a", time = estimate(0.3456, 0.01), bytes = { value = 1536 },
        instructions = { value = 4812 }, allocs = { value = 2.5 } },
      { id = "b", time = { value = 1234567, low = 1.2e6, high = 1.5e6 },
        bytes = { value = 3 }, instructions = { value = 1.25e6 } } } })
    has(out, "0.346 ns")
    has(out, "1.23 ms (1.20 to 1.50 ms)")
    has(out, "1.50 KiB")
    has(out, "4,812")
    has(out, "1.25 M")
    has(out, "2.5")
  end)

  it("says what failed first, and counts at the end", function()
    local out = rendered({ checked = 9, failures = {
      { id = "strings/gsub", message = "strings/gsub: time rose by 20%" },
      { id = "strings/gsub", message = "strings/gsub: allocs rose" } } })
    local failed = out:find("FAILED broken/raises: broken_bench.lua:7", 1, true)
    assert.is_truthy(failed and failed < out:find("buffer", 1, true))
    has(out, "FAILED strings/gsub: time rose by 20%")
    assert.equal(3, select(2, out:gsub("FAILED", "")))
    assert.equal(1, select(2, out:gsub("attempt to index", "")))
    assert.matches("\n19 ok, 1 worse, 1 failed, 2 gates failed\n$", out)
  end)

  it("says how many batches were shared where none is left out", function()
    local data = pair()
    for _, result in ipairs(data.results) do
      result.rounds, result.clean_batches = 40, 40
    end
    data.env.crowded = 0.4
    has(rendered({}, data), "busy machine: 40% of the batches were disturbed; ")
    data.results[1].clean_batches, data.results[2].clean_batches = 20, 28
    has(rendered({}, data), "busy machine: 40% of the batches were disturbed "
      .. "and left out; ")
    data.env.crowded = 0.2 -- those next to a shared one are left out, too
    has(rendered({}, data), "busy machine: 40% of the batches were disturbed "
      .. "and left out; ")
  end)

  it("breaks the lines of one bench where they would be too wide", function()
    local data = fixtures.report()
    data.results = { data.results[5] }
    data.comparisons, data.sweeps = {}, {}
    local card = rendered({ width = 1000 }, data)
    for _, line in ipairs(lines_of(card)) do
      if line:find "   " and line:find "per call" then
        local wide = width.of(line)
        has(rendered({ width = wide }, data), "\n" .. line .. "\n")
        local narrow = rendered({ width = wide - 1 }, data)
        lacks(narrow, "\n" .. line .. "\n")
        for _, short in ipairs(lines_of(narrow)) do
          assert.is_true(width.of(short) < wide, short)
        end
        return
      end
    end
    error(card)
  end)

  it("counts gates at the end, each by its worst outcome", function()
    local function closing(...)
      local gates = { ... }
      for i, one in ipairs(gates) do
        gates[i] = { metric = "time", text = "time>5%", checked = one[1],
          unclear = one[2], unchecked = one[3], undecided = {} }
      end
      return rendered({ failures = {}, gates = gates })
        :match "\n20 ok, 1 failed, ([^\n]*)\n$"
    end
    assert.equal("1 gate passed", closing { 21, 0, 0 })
    assert.equal("2 gates passed", closing({ 21, 0, 0 }, { 21, 0, 0 }))
    assert.equal("1 gate could not be decided, 1 not checked",
      closing({ 20, 1, 1 }, { 0, 0, 21 }))
    assert.equal("1 gate passed, 1 checked in part",
      closing({ 21, 0, 0 }, { 2, 0, 19 }))
  end)

  it("says once how many batches and processes there were", function()
    local data = pair()
    for i, result in ipairs(data.results) do
      result.launches, result.rounds = 8 + i, 100 * i
      result.clean_batches = 60 * i
    end
    data.env.crowded = 0.2
    assert.matches("\194\183 9 to 10 processes, 100 to 200 batches per bench\n"
      .. "busy machine: 40%% of the batches were disturbed and left out; "
      .. "others may be slow, too. A quieter machine narrows intervals "
      .. "%(widest: s/quick, \194\1774.0%%%)%.\n",
      rendered({}, data))
    has(rendered({ explain = true }, data), "9 to 10 processes, 100 to "
      .. "200 batches per bench (60 to 120 undisturbed)\n")
    data.results[2] = nil
    assert.matches("\194\183 9 processes, 100 batches\n", rendered({}, data))
    has(rendered({ explain = true }, data), "9 processes, 100 batches (60 "
      .. "undisturbed)\n")
    data.env.crowded = 0.95
    has(rendered({}, data), "busy machine: other programs shared the core in "
      .. "nearly all batches.\n")
  end)

  describe("ends with one command, which", function()
    local function after(data, more, words, files)
      local options = { command = { program = { "tare" }, files = files,
        words = words or { "run", "a b.lua", "--quota", "1s" } } }
      for name, value in pairs(more or {}) do options[name] = value end
      data.options = data.options or { quota = { ns = 1e9 } }
      return rendered(options, data):match("\n\n(Next, [^\n]*\n[^\n]*)\n$")
    end

    it("is none where nothing is left to do", function()
      assert.is_nil(after(pair()))
      assert.is_nil(after(pair("unclear", { value = 1.0000001, low = 0.5,
        high = 2 }))) -- no quota is likely to do
    end)

    it("measures longer where that may help", function()
      assert.equal("Next, to measure 4 times as long, which may settle the "
        .. "unclear comparison:\n  tare run 'a b.lua' --quota 4s",
        after(pair("unclear", { value = 1.05, low = 0.97, high = 1.136 })))
      local data = pair()
      data.results[2].time.low, data.results[2].time.high = 100, 1000
      assert.equal("Next, to measure 10 times as long, which may settle the "
        .. "noisy time:\n  the same command with --quota 10s",
        after(data, nil, { "-", "--quota=1s", "-q" }))
      data.results[2].time.low, data.results[2].time.high = 100, 2000
      assert.is_nil(after(data)) -- 40 times and more
    end)

    it("has whole letters", function()
      local data = fixtures.many(3)
      for i, name in ipairs { "é", "è", "a" } do
        data.results[i].id, data.results[i].name = "s/" .. name, name
        data.results[i].suite = "s"
        data.results[i].error = i < 3 and "it raised" or nil
      end
      assert.is_nil(rendered({ command = { program = { "tare" },
        words = { "run", "x_bench.lua" } } }, data):find("\\xc3", 1, true))
    end)

    it("is quoted as the system's shell has it", function()
      local data = pair("unclear", { value = 1.05, low = 0.97, high = 1.136 })
      local function on_windows(...)
        return after(data, { command = { program = { "tare" }, words = { ... },
          on_windows = true } }):match "\n  (.*)"
      end
      assert.equal([[tare run "C:\a b.lua" c.lua --quota 4s]],
        on_windows("run", [[C:\a b.lua]], "c.lua"))
      assert.equal([[tare run "C:\a b\\" -e "\"x\"" --quota 4s]],
        on_windows("run", [[C:\a b\]], "-e", '"x"'))
      assert.matches("\n  lua 'my bench.lua' %-%-quota 4s$", after(data,
        { command = { program = { "lua", "my bench.lua" }, words = {} } }))
    end)

    it("says how many times the quota it proposes, and not less", function()
      local data = pair("unclear", { value = 1.05, low = 0.97, high = 1.136 })
      data.options = { quota = { ns = 3e8 } } -- 1.2 s would do
      assert.equal("Next, to measure 6.7 times as long, which may settle the "
        .. "unclear comparison:\n  tare run 'a b.lua' --quota 2s", after(data))
    end)

    it("measures longer to decide a gate, rather than ask why what it is about "
      .. "is slower", function()
      local data = pair()
      data.comparisons = { { a = "s/slow", b = "s/slow", metric = "time",
        between = "reports", verdict = "slower", other = "main",
        ratio = { value = 1.04, low = 1.01, high = 1.07 } } }
      local function asked(...)
        local gates = { { metric = "time", text = "time>5%", checked = 2,
          unclear = select("#", ...), unchecked = 0, undecided = { ... } } }
        return after(data, { failures = {}, gates = gates,
          against = { name = "main.json", results = data.results } },
          { "run", "x.lua", "--fail-on", "time>5%", "--quota=1s" })
      end
      local function measured(times, more)
        return ("Next, to measure %s times as long, which may settle the "
          .. "undecided gate%s:\n  tare run x.lua --fail-on 'time>5%%' "
          .. "--quota %ss"):format(times, more or "", times)
      end
      assert.equal(measured "4", asked({ text = "y", alone = 1.5, both = 1.2 },
        { text = "z", alone = 3.5, both = 3 }))
      -- the baseline's own interval is in the way
      assert.equal(measured("6", " (if main.json is measured again 6 times as "
        .. "long, too)"), asked { text = "y", alone = 1/0, both = 5.5 })
      local why = "^Next, to find the costliest lines of what is slower:"
      assert.matches(why, asked())
      assert.matches(why, asked { text = "y", alone = 1/0, both = 99 })
      data.env.crowded = 0.6 -- a longer run would be crowded, too
      lacks(asked { text = "y", alone = 2, both = 2 }, "--quota 2s")
    end)

    it("is about the machine where that is busy", function()
      local data = pair("unclear", { value = 1.05, low = 0.97, high = 1.136 })
      data.env.crowded = 0.6
      local sure = pair()
      sure.env.crowded = 0.6
      assert.is_nil(after(sure))
      assert.equal("Next, to see what keeps this machine busy:\n  tare env",
        after(data))
    end)

    it("resumes, calls what failed once, or profiles what a gate stopped",
      function()
        local kept = "what was finished is not measured again"
        assert.equal("Next, to finish the run (" .. kept .. "):\n  tare run "
          .. "x.lua --resume part.json", after(pair(), { interrupted = {
            file = "part.json" } }, { "run", "x.lua", "--save", "part.json" }))
        -- What else is written is written again, but not what the file is.
        for words, left in pairs { ["--save part.json -o x.md"] = " -o x.md",
          ["-o part.json -f json"] = "" } do
          local list = { "run", "x.lua" }
          for word in words:gmatch "%S+" do list[#list + 1] = word end
          assert.equal("Next, to finish the run (" .. kept .. "):\n  tare "
            .. "run x.lua" .. left .. " --resume part.json", after(pair(), {
              interrupted = { file = "part.json" } }, list))
        end
        local data = pair()
        data.results[1].warnings = { "interrupted" }
        local anew = "what was cut short is measured anew, in place of its "
          .. "figures"
        local function why()
          return after(data, { interrupted = { file = "part.json" } },
            { "run", "x.lua" }):match "^Next, to finish the run (%b()):\n"
        end
        assert.equal(("(%s; %s)"):format(kept, anew), why())
        data.results[2].warnings = { "interrupted" }
        assert.equal(("(%s)"):format(anew), why())
        data.results[2].warnings = nil
        data.results[1].error = "boom"
        assert.matches("\n  tare run x.lua %-%-filter s/slow %-%-dry%-run$",
          after(data, nil, { "run", "x.lua", "-o", "x.html", "--baseline",
            "old.json" }))
        for _, words in ipairs { { "run", "-q", "x.lua" },
          { "run", "--quiet", "x.lua" }, { "run", "-qf", "json", "x.lua" } } do
          assert.matches("\n  tare run x.lua %-%-filter s/slow %-%-dry%-run$",
            after(data, nil, words, { ["x.lua"] = "x.lua",
              ["x.lua:slow"] = "x.lua", ["x.lua:s/slow"] = "x.lua" }))
        end
        -- each file and folder once, and no value of an option
        assert.matches("\n  tare run d x.lua %-%-param f=a.lua:b %-%-filter "
          .. "s/slow %-%-dry%-run$", after(data, nil, { "run", "d:slow", "d:a",
          "x.lua:b", "--param", "f=a.lua:b" }, { ["d:slow"] = "d",
          ["d:a"] = "d", ["x.lua:b"] = "x.lua" }))
        data.results[2].error = "boom"
        assert.equal("Next, to call the 2 benches that failed once, without "
          .. "measuring:\n  tare run x.lua --filter s --dry-run",
          after(data, nil, { "run", "x.lua", "--filter", "s" }))
        assert.matches("\n  tare run x.lua %-%-filter s/slow %-%-profile$",
          after(pair(), { failures = { { id = "s/slow", message = "rose" } } },
            { "run", "x.lua", "--fail-on=time>5%" }))
      end)

    it("names a bench as it is chosen, without its interpreter", function()
      local data = pair()
      for i, lua in ipairs { "lua5.4", "luajit" } do
        data.results[i].id = ("s/bad{n=1,lua=%s}"):format(lua)
        data.results[i].params = { n = 1, lua = lua }
      end
      data.results[3] = { id = "s/good{n=1,lua=luajit}", suite = "s",
        name = "good", params = { n = 1, lua = "luajit" } }
      data.results[2].error = "boom"
      local words = { "run", "x.lua", "--lua", "lua5.4,luajit" }
      assert.equal("Next, to call the bench that failed once, without "
        .. "measuring:\n  tare run x.lua --lua lua5.4,luajit --filter "
        .. "'s/bad{n=1}' --dry-run", after(data, nil, words))
      assert.matches("filter 's/bad{n=1}' %-%-profile$", after(pair(), {
        failures = { { id = data.results[2].id, message = "rose" } } }, words))
    end)

    it("calls nothing for what failed in another revision", function()
      local data = pair()
      data.results[1].id, data.results[1].params = "s/a{ref=HEAD}",
        { ref = "HEAD" }
      data.results[2].id, data.results[2].params = "s/a", {}
      data.comparisons = {}
      data.results[1].error = "boom"
      local words = { "compare", "--ref", "HEAD", "x.lua" }
      assert.is_nil(after(data, nil, words))
      data.results[2].error = "boom"
      assert.matches("\n  tare run x.lua %-%-filter s/a %-%-dry%-run$",
        after(data, nil, words))
    end)

    it("leaves out what the run writes and chose, however that was given",
      function()
        local data = pair()
        data.results[1].error = "boom"
        for _, line in ipairs { "x.lua -of.json -fhtml -of.html",
          "x.lua -qfjson -o f.json", "x.lua:slow --filter slow",
          "x.lua:s/slow" } do
          local words = { "run" }
          for word in line:gmatch "%S+" do words[#words + 1] = word end
          assert.matches("\n  tare run x.lua %-%-filter s/slow %-%-dry%-run$",
            after(data, nil, words, { ["x.lua"] = "x.lua",
              ["x.lua:slow"] = "x.lua", ["x.lua:s/slow"] = "x.lua" }))
        end
        -- each file and folder once, and no value of an option
        assert.matches("\n  tare run d x.lua %-%-param f=a.lua:b %-%-filter "
          .. "s/slow %-%-dry%-run$", after(data, nil, { "run", "d:slow", "d:a",
          "x.lua:b", "--param", "f=a.lua:b" }, { ["d:slow"] = "d",
          ["d:a"] = "d", ["x.lua:b"] = "x.lua" }))
        -- an expression is no option, whatever it begins with
        assert.matches("\n  tare %-e %-offset %-%-filter s/slow %-%-dry%-run$",
          after(data, nil, { "-e", "-offset" }))
      end)

    it("covers all that failed, or says of how many it takes the first",
      function()
        local function stopped(...)
          local data, failures = fixtures.many(8), {}
          data.results[8].id = "other/join"
          for i, k in ipairs { ... } do
            failures[i] = { id = data.results[k].id, message = "rose" }
          end
          return after(data, { failures = failures },
            { "run", "x.lua", "--filter", "x", "--match=prefix" })
        end
        assert.equal("Next, to find the costliest lines of the 2 that failed:"
          .. "\n  tare run x.lua --filter suite1/bench1 --filter other/join "
          .. "--profile", stopped(1, 8))
        assert.matches("lines of the 7 that failed:\n  tare run "
          .. "x.lua %-%-filter suite1/bench %-%-profile$",
          stopped(1, 2, 3, 4, 5, 6, 7))
        assert.matches("lines of the first 3 of 4 that failed:.- suite1/bench2 "
          .. "%-%-filter suite1/bench3 %-%-profile$", stopped(1, 2, 3, 8))
      end)

    it("counts no comparison of what is too noisy, as the closing line",
      function()
        local data = pair("unclear", { value = 1.05, low = 0.97,
          high = 1.136 })
        local asks = { "run", "x.lua" }
        assert.matches("1 unclear comparison", (after(data, nil, asks)
          :gsub("the unclear", "1 unclear")))
        for _, result in ipairs(data.results) do
          local time = result.time
          time.low, time.high = time.value * 0.4, time.value * 1.6
        end
        local said = after(data, nil, asks)
        assert.matches("noisy time", said)
        lacks(said, "unclear")
      end)

    it("counts an unclear comparison of two revisions once", function()
      local data = pair("unclear", { value = 1.05, low = 0.97, high = 1.136 })
      for i, ref in ipairs { "main", "x" } do
        data.results[i].id = ("s/a{ref=%s}"):format(ref)
        data.results[i].params = { ref = ref }
      end
      data.comparisons[1].a = "s/a{ref=x}"
      data.comparisons[1].b = "s/a{ref=main}"
      data.comparisons[1].between = "revisions"
      assert.matches("may settle the unclear comparison:", after(data))
    end)

    it("counts a bench once that is unclear beside another and beside what it "
      .. "was", function()
      local ratio = { value = 1.05, low = 0.97, high = 1.136 }
      local data = pair("unclear", ratio)
      data.comparisons[2] = { a = "s/quick", b = "s/quick", metric = "time",
        between = "reports", verdict = "unclear", ratio = ratio }
      assert.matches("may settle the unclear comparison:", after(data))
      data.comparisons[2].a, data.comparisons[2].b = "s/slow", "s/slow"
      assert.matches("may settle the 2 unclear comparisons:", after(data))
    end)

    it("is not made of what reads reports only", function()
      assert.is_nil(after(pair("unclear", { value = 1.05, low = 0.97,
        high = 1.136 }), nil, { "compare", "a.json", "b.json" }))
      assert.is_nil(rendered({}, pair("unclear", { value = 1.05, low = 0.97,
        high = 1.136 })):find("Next", 1, true))
    end)
  end)

  it("compares nothing with a time that is too fast to be real", function()
    local data = fixtures.report()
    local plain = rendered({}, data)
    has(plain, "times as fast (")
    for _, result in ipairs(data.results) do
      result.warnings = { "optimized_away" }
    end
    local out = rendered({}, data)
    lacks(out, "times as fast (")
    lacks(out, "times as slow (")
    lacks(out, "is the quickest; ")
    lacks(out, "is the quickest.")
    has(out, "too fast to be real")
  end)

  it("marks the cells of a sweep that a note concerns", function()
    local data = fixtures.report()
    for _, result in ipairs(data.results) do
      if result.id == "vec/fill{impl=insert,n=10}" then
        result.warnings = { "optimized_away" }
      end
    end
    local out = rendered({}, data)
    assert.matches("\n +10 +610 ns +94%.5 ns%*%[2%]\n", out)
    has(out, "\n[2] too fast to be real: vec/fill{impl=insert,n=10}. ")
  end)

  it("says of a ratio that is too noisy no more than that", function()
    local data = fixtures.report()
    for _, c in ipairs(data.comparisons) do
      c.ratio, c.verdict = { value = 2.44, low = 1.27, high = 4.64 }, "unclear"
    end
    local out = rendered({}, data)
    has(out, "unclear (too noisy)")
    lacks(out, "4.64")
  end)

  it("tells trouble of the machine in one line, of benches below", function()
    local data = fixtures.many(8)
    for i, result in ipairs(data.results) do
      result.warnings = { "stood_still", i < 5 and "drift" or nil }
    end
    data.results[1].warnings[3] = "optimized_away"
    data.results[2].warnings[1] = "drift"
    local out = rendered({}, data)
    has(out, "\nmachine: paused now and then, speed drifted "
      .. "(in up to 7 of 8 benches); intervals allow for it (the widest: "
      .. "suite1/bench6, \194\1771.0%).\n")
    has(out, "bench1 [1]")
    lacks(out, "bench2 [")
    lacks(out, "!")
    has(out, "\n[1] too fast to be real: suite1/bench1. Return what was "
      .. "computed")
    lacks(out, "does next to nothing")
    has(rendered({ explain = true }, data), "does next to nothing")
    data.env.crowded = 0.31
    out = rendered({}, data)
    has(out, "busy machine: 31% of the batches were disturbed; "
      .. "others may be slow, too. A quieter machine narrows intervals "
      .. "(widest: suite1/bench6, \194\1771.0%).\n")
    lacks(out, "speed drifted")
    has(rendered({ explain = true }, data), "\nspeed drifted: suite1/bench1, ")
    data.results[2].time.low, data.results[2].time.high = 90, 120
    data.results[2].id = "suite1/bench2{ref=main}"
    has(rendered({}, data), "(widest: suite1/bench2, \194\17720%).\n")
    data.results[2].time.low, data.results[2].time.high = 1, 400 -- marked
    has(rendered({}, data), "A quieter machine narrows intervals.\n")
    data.results[2].warnings = { "crowded_run" }
    has(rendered({}, data), "; others may be slow, too. Stop what else runs, "
      .. "or measure again later.\n")
  end)

  it("counts a time that is too noisy in all revisions as one", function()
    local data = pair()
    local function add(id, warning)
      data.results[#data.results + 1] = { id = id, suite = "s", baseline = true,
        time = { value = 100, low = 10, high = 400 }, warnings = { warning } }
    end
    add("s/a{ref=x}")
    add("s/a{ref=main}")
    add("s/b", "few_cycles")
    has(rendered({ width = 999 }, data), "too few garbage collections (1)")
    has(rendered({ width = 999 }, data), "is as wide as the time (1)")
    -- Nor is one counted whose change the rows show all the same.
    for verdict, said in pairs { unclear = "is as wide as the time (1)",
      faster = "too few garbage collections. " } do
      data.comparisons = { { a = "s/a{ref=x}", b = "s/a{ref=main}",
        between = "revisions",
        metric = "time", verdict = verdict,
        ratio = { value = 0.5, low = 0.2, high = 0.8 } } }
      has(rendered({ width = 999 }, data), said)
    end
    data.results[3].id, data.comparisons = "s/c", {}
    has(rendered({ width = 999 }, data), "is as wide as the time (2)")
  end)

  it("has what needs no action only with --explain", function()
    local data = fixtures.many(8)
    for _, result in ipairs(data.results) do
      result.warnings = { "autocorrelated", "high_variance" }
    end
    lacks(rendered({}, data), "machine:")
    lacks(rendered({}, data), "alike")
    has(rendered({ explain = true }, data),
      "\nneighbouring batches are alike: suite1/bench1, ")
  end)

  it("names some benches whose processes differ, all with --explain",
    function()
      local data = fixtures.many(8)
      for i = 1, 5 do
        data.results[i].launches = 10
        data.results[i].groups = { { share = 0.7, value = 1200 },
          { share = 0.3, value = 1900 } }
      end
      local out = rendered({}, data)
      assert.equal(3, select(2, out:gsub("%(1.20 us in 7 of 10 "
        .. "processes, 1.90 us in 3%)",
        "")))
      assert.equal(1, select(2, out:gsub(": measure again", "")))
      has(out, " in 3) and 2 more (--explain lists them). Which is usual")
      assert.equal(5, select(2, rendered({ explain = true }, data)
        :gsub("%(1.20 us in 7 of 10 "
        .. "processes, 1.90 us in 3%)", "")))
    end)

  it("counts the benches on a shared core, whose rows say so", function()
    local data = fixtures.many(8)
    for i = 1, 6 do
      data.results[i].warnings = { "crowded_run" }
      data.results[i].time.low, data.results[i].time.high = nil, nil
    end
    local out = rendered({}, data)
    assert.equal(6, select(2, out:gsub("\n  bench%d !  ", "")))
    has(out, "! too noisy: the core was shared nearly all the time. "
      .. "Stop what else runs, or measure again later.\n")
    has(out, "\n2 ok, 6 too noisy\n")
  end)

  it("says once that the core was shared, of the machine where it was busy",
    function()
      local data = pair("unclear", { value = 0.5 })
      for _, result in ipairs(data.results) do
        result.warnings = { "crowded_run" }
        result.time.low, result.time.high = nil, nil
      end
      data.results[2].time.value = 2000
      for crowded, said in pairs { [0.3] = "disturbed.",
        [0.95] = "in nearly all batches." } do
        data.env.crowded = crowded
        local out = rendered({}, data)
        has(out, said .. " Stop what else runs, or measure again later.\n")
        assert.matches("\n  quick ! .-  unclear %(too noisy%)  ", out)
        for _, again in ipairs { "shared core", "! too noisy:", "nearly all "
          .. "the time", "\194\177", "ranges" } do
          lacks(out, again)
        end
        has(rendered({ explain = true }, data), "\n! too noisy: the core was "
          .. "shared nearly all the time.\n")
      end
    end)

  it("says on a busy machine what else makes a time too noisy", function()
    local data = fixtures.many(8)
    data.env.crowded = 0.3
    data.results[1].warnings = { "crowded_run" }
    data.results[1].time.low, data.results[1].time.high = nil, nil
    data.results[2].time.low = 0.4 * data.results[2].time.value
    data.results[2].time.high = 2 * data.results[2].time.value
    has(rendered({}, data), "\n! too noisy: the core was shared nearly all "
      .. "the time (1), the interval is as wide as the time (1). Give a longer "
      .. "--quota.\n")
  end)

  it("takes what a name has in brackets for no interval", function()
    local data = pair()
    data.results[3], data.options = nil, { confidence = 0.95 }
    for i, result in ipairs(data.results) do
      result.id = "s/copy (1 to " .. 10 * i .. ") +-"
      result.time.low, result.time.high = nil, nil
    end
    data.comparisons = {}
    for _, format in ipairs { "text", "markdown", "html" } do
      lacks(report.render(data, format), "95% of runs")
    end
    data.results[1].time = estimate(525, 0.04)
    has(rendered({}, data), "\194\177: the true value is within, in 95% of "
      .. "runs in ")
  end)

  it("explains no sign of an interval that is not there", function()
    local data = pair("faster", { value = 0.5, low = 0.4, high = 0.6 })
    local function sure(low, high)
      data.options, data.comparisons[1].ratio.low = { confidence = 0.95 }, low
      data.comparisons[1].ratio.high = high
      return rendered({}, data):match "; ([^;]+): the true value is within"
    end
    assert.equal("± and ranges in brackets", sure(0.4, 0.6))
    assert.equal("±", sure(nil, nil))
    for _, result in ipairs(data.results) do
      result.time.low, result.time.high = nil, nil
    end
    assert.equal("ranges in brackets", sure(0.4, 0.6))
    data.env.clock = { reference_ghz = 3, seen_ghz = { low = 2, high = 3 } }
    assert.is_nil(sure(nil, nil))
  end)

  it("explains the range of a gate that could not be decided", function()
    local data = pair()
    data.results[3], data.options = nil, { confidence = 0.95 }
    data.comparisons = {}
    for _, result in ipairs(data.results) do
      result.time.low, result.time.high = nil, nil
    end
    for _, undecided in ipairs { false, "s/quick: 19% less to 21% more" } do
      local out = rendered({ failures = {}, gates = { { metric = "time",
        text = "time>5%", checked = 2, unclear = 1, unchecked = 0,
        undecided = { undecided and { text = undecided } or nil } } } }, data)
      assert.equal(undecided and "ranges in brackets" or nil,
        out:match "; ([^;]+): the true value is within, in 95%% of runs")
    end
  end)

  it("cuts no title over the room of a column that has a shorter one",
    function()
      local data = pair()
      for _, result in ipairs(data.results) do
        result.id = result.id:gsub("^s/", "text/join/")
        result.suite, result.group = "text", { "join" }
      end
      data.comparisons[1].a = data.comparisons[1].a:gsub("^s/", "text/join/")
      data.comparisons[1].b = data.comparisons[1].b:gsub("^s/", "text/join/")
      for most = 60, 100 do
        local out = rendered({ width = most }, data)
        has(out, "\ntext/join ")
        local head, row = out:match "\n(text/join [^\n]+)\n([^\n]+)"
        assert.is_true(#head <= most and #row <= most + 6, most) -- of bytes
        assert.equal((head:find "compared"), (row:find "baseline")
          or (row:gsub("[\128-\191]", ""):find "%d%.%d+ times"))
      end
    end)

  it("says where processes fall into groups", function()
    local data = pair()
    data.results[2].launches = 11 -- one of which had no batch that counts
    data.results[2].launch_values = { 1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.9,
      1.9, 1.9 }
    data.results[2].groups = { { share = 0.7, value = 1200 },
      { share = 0.3, value = 1900 } }
    local out = rendered({ ascii = true }, data)
    has(out, "1.20 us or 1.90 us")
    has(out, "\n[1] processes differ much: s/quick (1.20 us in 7 of 11 "
      .. "processes, 1.90 us in 3; 1 mostly disturbed, not counted). Which "
      .. "is usual is not known: measure again before you "
      .. "rely on such a time; verdicts allow for both.\n")
    data.results[2].launches, data.comparisons = 10, {}
    data.results[2].groups[2].value = 1250
    out = rendered({ ascii = true }, data) -- no reason for a mark
    has(out, "\nprocesses differ: s/quick (1.20 us in 7 of 10 processes, 1.25 "
      .. "us in 3). The intervals allow for it.\n")
    lacks(out, "[1]")
    has(out, "525 ns +-4.0%")
    out = rendered({ ascii = true, explain = true }, data)
    has(out, "525 ns +-4.0%")
    has(out, "\n[1] processes differ: s/quick (1.20 us in 7 of 10 "
      .. "processes, 1.25 us in 3). "
      .. "Memory layout and hash seed do that; the intervals allow for it.\n")
    data.results[2].launches = 11 -- all of which count
    data.results[2].launch_values[11] = 1.2
    data.results[2].groups[1].share = 8 / 11
    data.results[2].groups[2].share = 3 / 11
    has(rendered({ ascii = true, explain = true }, data), "(1.20 us in 8 of 11 "
      .. "processes, 1.25 us in 3).")
    data.results[2].launch_values[11], data.results[2].launches = nil, 10
    data.results[2].groups = { { share = 0.9, value = 1200 },
      { share = 0.1, value = 1900 } }
    out = rendered({ ascii = true }, data) -- one is no doubt
    has(out, "\nprocesses differ: s/quick (1.20 us in 9 of 10 processes, 1.90 "
      .. "us in 1). The ")
    lacks(out, " or 1.90 us")
    has(rendered({ ascii = true, columns = "time,groups" }, data),
      "  1.20 us in 9 of 10 processes, 1.90 us in 1\n")
    data.results[2].groups = nil
    lacks(rendered({ ascii = true, columns = "all" }, data), "differ")
  end)

  it("says how long the warm-up was that was too short, where that is known",
    function()
      for _, case in ipairs {
        { { warmup = { ns = 3e8 } }, "300 ms" },
        { { warmup = { ns = 3e8 }, quota = { ns = 1e9 } }, "300 ms" },
        { { quota = { ns = 1e9 } }, "200 ms" }, -- a fifth of it
        { { warmup = { calls = 10 }, quota = { ns = 1e9 } } },
        { { quota = { calls = 100 } } },
        { {} },
        { { warmup = { ns = 3e8 } }, code = "optimized_away" },
        { { warmup = { ns = 3e8 } }, code = "launch_failed" },
      } do
        local data = fixtures.many(3)
        data.results[1].warnings = { case.code or "not_settled" }
        data.results[1].time = estimate(100, 0.2)
        for _, name in ipairs { "warmup", "quota" } do
          data.options[name] = case[1][name]
        end
        local text = rendered({}, data):gsub("%s+", " ")
        assert.equal(case.code == nil, text:find("Give a longer --warmup", 1,
          true) ~= nil)
        assert.equal(case[2], text:match "%-%-warmup %(it was (.-) at most%)%.")
        assert.equal(case[2] ~= nil, text:find("it was", 1, true) ~= nil)
      end
    end)

  it("says where processes fall into groups beside other notes, last and of a "
    .. "few benches", function()
    local data = fixtures.many(8)
    for i, result in ipairs(data.results) do
      result.groups = i > 3 and { { share = 0.7, value = 1200 },
        { share = 0.3, value = 1250 } } or nil
    end
    data.results[1].warnings = { "optimized_away" }
    data.results[2].warnings = { "not_settled" }
    data.results[2].time = estimate(100, 0.2)
    data.results[3].time = estimate(100, 0.9)
    local out = rendered({}, data)
    lacks(out, "more about single benches")
    has(out, "\nprocesses differ: suite1/bench4 (1.20 us in 70% of the "
      .. "processes, 1.25 us in 30%), suite1/bench5 (")
    has(out, " in 30%) and 2 more (--explain lists them). The intervals allow "
      .. "for it.\n\n")
    assert.equal(3, select(2, out:gsub("1%.25 us", "")))
  end)

  it("says how long the run waited for a free core, where that was long",
    function()
      local data = fixtures.many(4)
      data.options.quota = { ns = 1e9 }
      data.results[1].waited_ns = 2e8
      lacks(rendered({}, data), "waited")
      data.results[2].waited_ns = 2.06e9
      has(rendered({}, data), "\nmachine: waited 2.3 s for a free core.\n")
      data.env.crowded, data.results[2].preempted = 0.01, 0
      lacks(rendered({}, data), "quiet machine")
      data.env.crowded = 0.31
      has(rendered({ width = 999 }, data), "others may be slow, too. A quieter "
        .. "machine narrows intervals (widest: suite1/bench3, "
        .. "\194\1771.0%). Waited 2.3 s for a free core.\n")
      data.options.quota = { calls = 100 } -- a second for each
      has(rendered({}, data), "aited 2.3 s")
      data.results[2].waited_ns = 1e8
      lacks(rendered({}, data), "aited")
    end)

  it("says that times are by the plain clock, and why if that is known",
    function()
      local data = pair()
      data.env.cpu = "Example 9"
      data.env.clock = { from = "none" }
      lacks(rendered({}, data), "wall time")
      local slow, quick = data.results[1], data.results[2]
      slow.time_from, quick.time_from = "wall", "wall"
      has(rendered({}, data), "Example 9 \194\183 wall time: the core's clock "
        .. "can't be read here\n")
      data.env.clock = nil -- the library has none, and a host its own
      has(rendered({}, data), "Example 9 \194\183 times by the plain clock\n")
      data.env.clock = { from = "remembered", reference_ghz = 3 }
      has(rendered({}, data), "Example 9 \194\183 times by the plain clock\n")
      slow.time_from, quick.time_from = "cycles", "cycles"
      local out = rendered({}, data)
      has(out, "Example 9 at 3.00 GHz\n")
      lacks(out, "plain clock")
      lacks(out, "wall time")
    end)

  it("marks times that are by another clock than the others", function()
    local data = pair()
    data.env.clock = { from = "remembered", reference_ghz = 3 }
    data.results[1].time_from, data.results[2].time_from = "cycles", "wall"
    local out = rendered({}, data)
    has(out, "at 3.00 GHz\n")
    assert.matches("\n  quick %[1%]  ", out)
    has(out:gsub("\n *", " "), " [1] wall time: s/quick. The core's clock was "
      .. "not read beside each batch; other times are at the reference clock. ")
    data.results[2].error, data.results[2].time = "oops", nil
    lacks(rendered({}, data), "wall time")
  end)

  it("says of a time that the shared core made no more than that", function()
    local data = pair()
    data.results[2].groups = { { share = 0.7, value = 1200 },
      { share = 0.3, value = 1900 } }
    data.results[2].warnings = { "crowded_run" }
    local out = rendered({}, data)
    lacks(out, "processes differ")
    assert.matches("\n  quick !  ", out)
  end)

  it("does not tell a share of the collector of too few cycles", function()
    local data = pair()
    data.results[1].net, data.results[1].collector = estimate(2000, 0.1),
      estimate(304, 0.1)
    has(rendered({}, data), "13%")
    data.results[1].warnings = { "few_cycles" }
    data.results[1].cycles_needed_ns = 3e9
    local out = rendered({}, data)
    lacks(out, "13%")
    assert.matches("slow  .- %?  ", out)
    has(out, "\n? too few collections to say what they cost: s/slow. That "
      .. "needs a --quota of about 3 s.")
  end)

  it("says what '?' means in the column of the collector's share", function()
    local data = fixtures.report()
    lacks(rendered({}, data), "?:")
    data.results[1].warnings = { "few_cycles" }
    has(rendered({}, data), "gc: collector's share of the time, ?: too few "
      .. "collections to say")
  end)

  it("advises a program that measured itself in the words of its options",
    function()
      local data = pair()
      data.results[1].warnings = { "few_cycles" }
      data.results[1].cycles_needed_ns = 3e9
      data.results[2].warnings = { "collector_stopped" }
      data.results[2].time = estimate(2000, 0.3)
      data.results[1].in_process, data.results[2].in_process = true, true
      local out = rendered({}, data)
      has(out, "That needs a 'quota' of about 3 s.")
      has(out, "or with gc = 'paced', which drives it itself.")
      lacks(out, "--")
      data.started = "2026-01-01 12:00 UTC" -- by the command, without processes
      out = rendered({}, data)
      has(out, "That needs a --quota of about 3 s.")
      has(out, "or with --gc paced, which drives it itself.")
    end)

  it("proposes no --resume where revisions were compared, which has none",
    function()
      local data = fixtures.report()
      data.results[2].warnings = { "interrupted" }
      data.refs, data.interrupted = { main = "185fc8a" }, { of = 9 }
      local words = { program = { "tare" }, words = { "compare", "--ref=main",
        "x.lua" } }
      for _, file in ipairs { "r.json", false } do
        local out = rendered({ command = words, interrupted = {
          file = file or nil } }, data)
        has(out, file and "\ninterrupted. What was measured is kept in "
          .. "r.json.\n" or "\ninterrupted.\n")
        lacks(out, "--resume")
        lacks(out, "--save")
        -- and what failed is called by 'run'
        has(out, "\n  tare run x.lua --filter broken/raises --dry-run\n")
      end
    end)

  it("says of an interrupted run in one line what comes next", function()
    local function line(given, next_one, more)
      local data = fixtures.report()
      data.results = { data.results[1], data.results[2], data.results[3] }
      data.results[2].warnings = { "interrupted" }
      data.results[3].error, data.interrupted = "boom", { of = 9 }
      for name, value in pairs(more or {}) do data[name] = value end
      return trouble.interrupted_in_short(data, given, next_one)
    end
    local file = { file = "r.json" }
    assert.equal("interrupted: 2 of 9 benches were finished; to finish: tare "
      .. "run", line(file, { why = "to finish", command = "tare run" }))
    assert.equal("interrupted: 2 of 9 benches were finished; --resume r.json "
      .. "measures the rest", line(file))
    assert.equal("interrupted: 2 of 9 benches were finished; with --save FILE "
      .. "it could be continued (--resume FILE)", line {})
    local refs = { refs = { main = "185fc8a" } }
    assert.equal("interrupted: 2 of 9 benches were finished; r.json has what "
      .. "was measured", line(file, nil, refs))
    assert.equal("interrupted: 2 of 9 benches were finished; nothing was "
      .. "stored", line({}, nil, refs))
    assert.equal("interrupted: 0 of 1 bench was finished; nothing was stored",
      line({}, nil, { refs = {}, results = {}, interrupted = { of = 1 } }))
  end)

  it("says what an interrupted run kept, and how to go on", function()
    local data = pair()
    data.results[2].warnings = { "interrupted" }
    local options = { interrupted = { file = "r.json" } }
    data.interrupted = { of = 9.0 } -- as a file has it
    local out = rendered(options, data)
    has(out, "\ninterrupted. --resume r.json measures the rest, and what was "
      .. "cut short anew.\n")
    local first, second = data.results[1], data.results[2]
    first.error = "boom"
    has(rendered(options, data), "\ninterrupted before any bench was finished: "
      .. "figures are of the batches until then. --resume r.json measures the "
      .. "rest, and what was cut short anew.\n")
    first.error, first.warnings = nil, { "interrupted" }
    has(rendered(options, data),
      "\ninterrupted before any bench was finished: ")
    first.warnings, data.results[2] = nil, second
    assert.matches("\n  quick %(cut short%) +525 ns", out)
    assert.matches("\n  slow +2.30 us", out)
    has(out, "\ninterrupted: 1 ok, 1 cut short, 7 not measured\n")
    has(rendered({}, data), " With --save FILE it could be continued "
      .. "(--resume FILE).")
    data.interrupted.missing = { "s/a", "s/b", "s/c", "s/d", "s/e", "s/f",
      "s/g" }
    has(rendered({}, data), "\ninterrupted: s/a, s/b, s/c, s/d and 3 more "
      .. "were not measured. ")
    data.results[1].warnings = { "interrupted" }
    has(rendered({}, data), "3 more were not measured, and no other was "
      .. "finished. ")
    data.interrupted.missing = nil
    has(rendered({}, data), "\ninterrupted: 2 cut short, 7 not measured\n")
    data.interrupted.of = 1e300 -- of nobody's run
    has(rendered({}, data), "\ninterrupted: 2 cut short\n")
    data.interrupted.of = 9
    data.results[2].error = "boom"
    has(rendered({}, data),
      "\ninterrupted: 1 cut short, 1 failed, 7 not measured\n")
    data.results, data.comparisons = {}, {}
    has(rendered(options, data), "\ninterrupted before any figure. --resume "
      .. "r.json measures the rest.\n")
    has(rendered(options, data), "\ninterrupted: 9 not measured\n")
    data.interrupted = {}
    has(rendered(options, data), "\ninterrupted before any figure. --resume ")
    has(rendered(options, data), "\ninterrupted\n")
  end)

  it("leaves out columns that say nothing, suite by suite", function()
    local titles = {}
    for _, line in ipairs(lines_of(rendered())) do
      local suite = line:match("^(%S+) .*time")
      if suite then titles[suite] = line end
    end
    has(titles["tables/array"], "gc  bytes  instr")
    lacks(titles.strings, "bytes")
    has(titles.strings, "compared with concat")
    lacks(titles["tables/array"], "compared")
  end)

  it("shows the columns that are asked for, by their names", function()
    local out = rendered({ columns = "median,+net" }, pair())
    has(out, "median  net\n")
    local all = rendered { columns = "all" }
    for _, name in ipairs { "time", "mean", "sd", "p95", "p99", "max",
      "outliers", "gc_minor", "distribution", "loop" } do
      assert.matches("%f[%w]" .. name .. "%f[%W]", all)
    end
    has(rendered { columns = ",mad" }, "mad")
    has(rendered { columns = ",mad" }, "compared with concat")
    local none, message = report.render(pair(), "text", { columns = "tme" })
    assert.is_nil(none)
    assert.equal("no column 'tme'; did you mean 'time'?", message)
    none, message = report.render(pair(), "text", { columns = "nonsense" })
    assert.is_nil(none)
    assert.equal("no column 'nonsense'; there are time, compared, gc, bytes, "
      .. "instr, net, allocs, mean, p99 and more: '--columns all' shows every "
      .. "one", message)
  end)

  it("shows no column unasked, and an empty one only by its name", function()
    local out = rendered({ columns = ",+mad" }, pair())
    has(out, "  instr  mad\n")
    assert.matches("time +wait +compared", rendered({ columns = ",wait" },
      pair()))
    local all = rendered({ columns = "all" }, pair())
    lacks(all, "  wait")
    has(all, "\nnothing to show in: wall, net, collector, wait, ")
    lacks(rendered({ columns = "time,wall" }, pair()), "nothing to show in")
  end)

  it("gives mean, quantiles and R2 their intervals where asked", function()
    local iters, wall_ns = {}, {}
    for i = 1, 400 do iters[i], wall_ns[i] = 10, 10 * (1000 + i) end
    local data = { results = { { id = "a/b", suite = "a",
      time = estimate(1050, 0.01), r2 = 0.99912,
      mean = { value = 1200.5 }, stddev = { value = 116 },
      samples = { iters = iters, wall_ns = wall_ns },
      fits = { { r2 = 0.99912, r2_low = 0.998, r2_high = 0.9999 } } } } }
    local out = rendered({ columns = "+mean,+sd,+p95,p99,max,+r2" }, data)
    -- of a uniform distribution, whose kurtosis is 1.8
    assert.matches("\n  b +1%.20 us ±0%.95%% +116 ns ±4%.5%% +1%.38 us ±%S+ "
      .. "+1%.40 us +1%.40 us +0%.9991 %(0%.9980 to 0%.9999%)\n", out)
  end)

  it("says that no batch could be dropped, however sure the time", function()
    local data = pair()
    data.results[2].warnings = { "none_dropped" }
    local out = rendered({}, data)
    has(out, "  quick [1]")
    has(out, "\n[1] no batches dropped, for nearly all would have been: "
      .. "s/quick. --gc paced measures ")
  end)

  it("gives quantiles an interval where batches reach beyond them", function()
    local function shown(count, columns, confidence)
      local iters, wall_ns = {}, {}
      for i = 1, count do iters[i], wall_ns[i] = 1, 1000 + i end
      return rendered({ columns = columns }, { results = {
        { id = "a/b", suite = "a", time = estimate(1000, 0.01),
          mean = { value = 1500 }, stddev = { value = 100 },
          samples = { iters = iters, wall_ns = wall_ns } } },
        options = { confidence = confidence } })
    end
    -- 0.95^72 and 0.99^368 are the first below 0.025
    assert.matches("\n  b +1%.07 us\n", shown(71, "+p95"))
    assert.matches("\n  b +1%.07 us ±0%.42%%\n", shown(72, "+p95"))
    assert.matches("\n  b +1%.36 us\n", shown(367, "+p99"))
    has(shown(367, "+p99"), "\nno interval: p99 (too few batches: give a "
      .. "longer --quota)\n")
    lacks(shown(368, "+p99"), "no interval")
    lacks(shown(367, "p99"), "no interval")
    assert.matches("\n  b +1%.36 us ±0%.32%%\n", shown(368, "+p99"))
    -- from the batch of rank 371 to that of 389, of 400
    assert.matches("\n  b +1%.38 us ±0%.66%%\n", shown(400, "+p95"))
    assert.matches("\n  b +1%.38 us ±0%.87%%\n", shown(400, "+p95", 0.99))
    assert.matches("\n  b +1%.40 us\n", shown(400, "+max"))
    has(shown(400, "+max"), "\nno interval: max (nothing says how slow the "
      .. "next batch may be)\n")
    -- Student's t of 399 degrees of freedom is 1.966
    assert.matches("\n  b +1%.50 us ±0%.66%%", shown(400, "+mean"))
    assert.matches("\n  b +1%.50 us ±0%.87%%", shown(400, "+mean", 0.99))
    assert.matches("\n  b +100 ns ±%S+", shown(400, "+sd"))
  end)

  it("gives them wider ones where launches differ, and none where these have "
    .. "nothing in common", function()
    local function shown(columns, launch_of, apart)
      local samples = { iters = {}, wall_ns = {}, launch = {} }
      for i = 1, 400 do
        samples.iters[i], samples.launch[i] = 1, launch_of(i)
        samples.wall_ns[i] = 1000 + i % 20 + apart * (i % 4)
      end
      return rendered({ columns = columns }, { results = {
        { id = "a/b", suite = "a", time = estimate(1000, 0.01),
          mean = { value = 1500 }, stddev = { value = 100 },
          samples = samples } } })
    end
    local function alike(i) return math.ceil(i / 100) end
    local function one() return 1 end
    local function different(i) return i % 4 end
    for _, column in ipairs { "+mean", "+sd", "+p95" } do
      assert.equal(shown(column, one, 50), shown(column, alike, 50))
    end
    local function half(columns, launch_of, apart)
      return tonumber(shown(columns, launch_of, apart):match "±([%d.]+)%%")
    end
    -- Student's t of 3 degrees of freedom is 3.18; of 1000, 1050, 1100 and
    -- 1150 the mean is known to 32.
    assert.near(7, half("+mean", different, 50), 0.3)
    assert.is_true(half("+mean", one, 50) < 1)
    assert.is_true(half("+sd", one, 50) < 5)
    -- as wide as from 48 to 207 ns: too noisy to be shown
    assert.matches("\n  b +100 ns\n", shown("+sd", different, 50))
    assert.matches("1%.17 us %(1%.165 to 1%.169 us%)", shown("+p95", one, 50))
    local out = shown("+p95", different, 50)
    assert.matches("\n  b +1%.17 us\n", out)
    has(out, "\nno interval: p95")
  end)

  it("takes intervals of the spread from the batches that the figure is of",
    function()
      local function shown(columns, more)
        local one = { id = "a/b", suite = "a", time = estimate(1000, 0.01),
          mean = { value = 1500 }, stddev = { value = 100 },
          samples = { iters = {}, wall_ns = {}, gc_minor = {}, gc_major = {} } }
        for i = 1, 100 do
          local iters, is_slow = i > 4 and 1 or 100, i % 10 == 0
          one.samples.iters[i], one.samples.gc_minor[i] = iters, 0
          one.samples.wall_ns[i] = iters * (is_slow and 9000 or 1000 + i)
          one.samples.gc_major[i] = is_slow and 1 or 0
        end
        for name, value in pairs(more or {}) do one[name] = value end
        return rendered({ columns = columns }, { results = { one } })
      end
      -- of all batches, though only four of them are long
      assert.matches("\n  b +100 ns .+\n", shown "+sd")
      lacks(shown "+sd", "no interval")
      -- a quantile is of long ones, a mean of those that were not dropped
      assert.matches("\n  b +1%.00 us\n", shown "+max")
      local dropped = { discarded = 10, discarded_by = { gc = 10 } }
      -- Student's t of 89 degrees of freedom is 1.987: 1.4 %, not 1.3
      assert.matches("±1%.3%d?%%", shown "+mean")
      assert.matches("±1%.4%d?%%", shown("+mean", dropped))
      local long = {}
      for i = 1, 100 do long[i] = 1 end
      local samples = { iters = long, wall_ns = {}, gc_major = {} }
      for i = 1, 100 do
        samples.wall_ns[i] = i % 10 == 0 and 9000 or 1000 + i
        samples.gc_major[i] = i % 10 == 0 and 1 or 0
      end
      assert.matches("\n  b +9%.00 us", shown("+max", { samples = samples }))
      dropped.samples = samples
      assert.matches("\n  b +1%.10 us", shown("+max", dropped))
    end)

  it("gives a mean of few batches Student's interval, on a log scale",
    function()
      local function shown(stddev)
        local iters, wall_ns = {}, {}
        for i = 1, 10 do iters[i], wall_ns[i] = 1, 1000 + i end
        return rendered({ columns = "+mean" }, { results = {
          { id = "a/b", suite = "a", time = estimate(1000, 0.01),
            mean = { value = 1500 }, stddev = { value = stddev },
            samples = { iters = iters, wall_ns = wall_ns } } } })
      end
      assert.matches("\n  b +1%.50 us ±0%.72%%\n", shown(15)) -- 2.262 of them
      -- exp(2.262 * 1000 / sqrt(10) / 1500) is 1.61
      assert.matches("\n  b +1%.50 us %(931 ns to 2%.42 us%)\n", shown(1000))
    end)

  it("takes older names", function()
    local out = rendered({ columns = "relative,share,instructions,histogram" })
    has(out, "gc")
    has(out, "instr")
    has(out, "distribution")
  end)

  it("sorts on request, either way, what has no figure last", function()
    local function order(sort)
      local out, names = rendered { sort = sort, columns = "time" }, {}
      for name in out:gmatch("\n  (%l+) +[%d.]+ [nu]s") do
        names[#names + 1] = name
      end
      return table.concat(names, " ")
    end
    assert.equal("buffer concat format gsub", order(nil))
    assert.equal("buffer format concat gsub", order("time"))
    assert.equal("gsub concat format buffer", order("-time"))
    assert.equal("buffer concat format gsub", order("name"))
    local none, message = report.render(pair(), "text", { sort = "beauty" })
    assert.is_nil(none)
    assert.matches("^can't sort by 'beauty', but by bench, time, ", message)
  end)

  it("keeps to the width, saying which columns that cost", function()
    for _, size in ipairs { 40, 60, 80, 120 } do
      for _, options in ipairs { { width = size }, { width = size,
        explain = true, plot = true }, { width = size, columns = "all" } } do
        for _, line in ipairs(lines_of(rendered(options))) do
          local one_word = line:find("^%s*%S+$") -- can't be broken
          assert.is_true(width.of(line) <= size or one_word ~= nil, line)
        end
      end
    end
    has(rendered { width = 32 }, "not shown at this width")
    lacks(rendered { width = 200 }, "left out")
  end)

  it("shortens comparisons before it leaves out a column", function()
    local out = rendered({ width = 67 }, pair())
    has(out, "4.35 times as fast (4.17 to 4.55)  ")
    has(out, "instr")
    has(out, "not shown at this width (see --width): \194\177 of the time\n")
    lacks(rendered({ width = 73 }, pair()), "not shown at this width")
  end)

  it("shortens names to a third of the page before it leaves out a column",
    function()
      local data, long = pair(), ("abcdefghij"):rep(4)
      data.comparisons, data.results[1].baseline = {}, nil
      data.results[2].id = "s/" .. long
      local function shown(size)
        local out = rendered({ width = size }, data)
        for _, line in ipairs(lines_of(out)) do
          if line:find "525 ns" then
            return width.of(line:match "^  (%S+)"), width.of(line),
              out:find("not shown at this width", 1, true) == nil
          end
        end
      end
      local name, line, is_whole = shown(200)
      assert.same({ 40, true }, { name, is_whole })
      local others = line - name
      for size = 34, others + 44 do
        name, line, is_whole = shown(size)
        assert.equal(size - others >= math.floor(size / 3), is_whole)
        if is_whole then
          assert.same({ math.min(40, size - others), math.min(others + 40,
            size) }, { name, line })
        else
          assert.is_true(line <= size and name >= math.floor(size / 3))
        end
      end
    end)

  it("leaves out the range of a comparison before the verdict", function()
    local out = rendered({ width = 40 }, pair("unclear", { value = 1,
      low = 0.4, high = 2.5 }))
    assert.matches("\n  quick +525 ns \194\1774.0%% +unclear ", out)
    has(out:gsub("%s+", " "), "ranges of what is compared")
    has(rendered({ width = 44 }, pair()), "4.35 times as fast\n")
  end)

  it("gives names and columns back what shorter words leave free", function()
    local data, names = pair(), { "drain{n=16,impl=remove_first}",
      "drain{n=16,impl=two_ends}" }
    for i, result in ipairs(data.results) do
      result.id = "s/" .. names[i]
    end
    data.comparisons[1].a = data.results[2].id
    data.comparisons[1].b = data.results[1].id
    local function has_rows(size, time, bytes)
      local out = rendered({ width = size }, data)
      has(out, ("\n  drain{n=16,impl=two_ends}       525 ns%s  4.35 times as "
        .. "fast%s"):format(time, bytes))
    end
    has_rows(60, "", "\n")
    has_rows(66, " \194\1774.0%", "\n")
    has(rendered({ width = 66 }, data), "not shown at this width (see --width)"
      .. ": instr, bytes, ranges of\nwhat is compared\n")
  end)

  it("takes no room for a mark from names that have none", function()
    local data = pair()
    data.results[1].id, data.comparisons[1].b = "s/dots_ipairs", "s/dots_ipairs"
    data.results[2].warnings = { "optimized_away" }
    local out = rendered({ width = 73 }, data)
    has(out, "quick [1]")
    has(out, "\n  dots_ipairs  2.30 us ")
  end)

  it("breaks the table when columns were asked for", function()
    local out = rendered({ width = 34, columns = "time,min,bytes,instr,loop" },
      pair())
    assert.is_true(select(2, out:gsub("\ns ", "")) > 1)
    lacks(out, "left out")
  end)

  it("colours only when it is told to", function()
    lacks(rendered(), "\27")
    local out = rendered { color = true }
    has(out, "\27[31mFAILED broken/raises:\27[0m broken_bench")
    has(out, "\27[32m2.04 times as fast")
    assert.equal(rendered(), (out:gsub("\27%[%d*m", "")))
  end)

  it("has an ASCII form, of names as well", function()
    local data = fixtures.report()
    data.results[1].name = "caf\195\169 \240\159\152\128"
    data.results[1].id = "strings/caf\195\169 \240\159\152\128"
    data.results[1].params = { impl = "caf\195\169" }
    for _, options in ipairs { {}, { width = 50 }, { plot = true,
      explain = true } } do
      options.ascii = true
      local out = rendered(options, data)
      assert.is_nil(out:find("[\128-\255]"))
      if not options.width then has(out, "caf\\u00e9 \\U0001f600") end
    end
  end)

  it("writes out joiners, which terminals count differently", function()
    local data = pair()
    data.results[1].id = "s/a\226\128\141b"
    has(rendered({}, data), "a\\u200db")
  end)

  it("lets no control character of a name through", function()
    local data = fixtures.report()
    for _, result in ipairs(data.results) do
      result.error = result.error and "\27]0;title\7"
      result.gc_mode, result.loop = "\27[2J" .. result.id, "\27[31m"
      result.warnings = { "\27[31m" }
    end
    data.env.cpu, data.env.lua = "\27[31m", "\27[31m"
    data.sweeps[1].series[1].label, data.sweeps[1].axis = "\27[31m", "\27[31m"
    data.options.regress = { { responder = "\27[31m", predictors = {
      "\27[31m" } } }
    local out = rendered({ failures = { { message = "\27[31m" } },
      notes = { "\27[31m" }, explain = true, plot = true, columns = "all",
      against = { name = "\27[31m", results = { { id = "\27[31m" } } } }, data)
    assert.is_nil(out:gsub("\n", ""):find("%c"))
  end)

  it("lets a very long name move no row but its own, in a pipe", function()
    local data = pair()
    data.results[1].id = "s/" .. ("x"):rep(200)
    local out = rendered({}, data)
    local quick = out:match("\n(  quick +525 ns[^\n]*)")
    assert.is_true(#quick < 140, quick)
    assert.matches("x  2%.30 us", out)
  end)

  it("renders a Report in which almost everything is absent", function()
    assert.equal("no benches\n", rendered({}, { results = {} }))
    assert.matches("1 too noisy\n$", rendered({}, { results = {
      { id = "a" }, { id = "b", time = estimate(1, 0.1) } } }))
  end)

  it("explains the columns that are shown", function()
    local out = rendered({ explain = true })
    has(out, "instr: instructions of the virtual machine")
    has(out, "95%")
    lacks(out, "\ncycles: ")
    local one = fixtures.report()
    for _, result in ipairs(one.results) do
      result.passes = { paced = { pauses = { p50 = 1e3, p95 = 2e3, p99 = 3e3,
        max = 4e3 } } }
    end
    out = rendered({ explain = true, columns = "pause_p95,pause_max" }, one)
    has(out, "pause_p95: p95 of the collector's pauses")
    has(out, "pause_max: longest pause of the collector")
  end)

  it("explains the lines of a card", function()
    local data = pair()
    data.results, data.comparisons = { data.results[2] }, {}
    data.results[1].allocs = { value = 1 }
    local out = rendered({ explain = true }, data)
    has(out, "\n  525 ns per call ±4.0%   1.90 M calls/s   9 Lua instr")
    for _, said in ipairs { "per call: time per call: how much ",
      "calls/s: so many calls", "Lua instructions: instructions of the ",
      "bytes: bytes allocated per call", "allocations: blocks " } do
      has(out, "\n" .. said)
    end
    for _, one in ipairs { "bench", "items/s", "in the collector" } do
      lacks(out, "\n" .. one .. ": ")
    end
  end)

  it("says that 0 B may be a string that exists already", function()
    local data, note = pair(), "\nnote: 0 B may mean that each call makes "
      .. "the same strings, which Lua finds again instead of allocating them\n"
    data.env.lua = "LuaJIT 2.1.0"
    lacks(rendered({}, data), note)
    data.results[2].bytes.value = 0
    has(rendered({}, data), note)
    lacks(rendered({ columns = "time" }, data), note)
    data.results[2].time = estimate(1, 0.04) -- no time for a string
    lacks(rendered({}, data), note)
    data.results[2].time, data.env.lua = estimate(525, 0.04), "Lua 5.4.4"
    lacks(rendered({}, data), note)
    data.results[2].long_bytes = { value = 0.3, unit = "bytes" }
    has(rendered({}, data), note)
  end)

  it("shows notes", function()
    has(rendered { notes = { "c" } }, "\nnote: c\n")
    has(rendered { notes = { "not checked: c" } }, "\nnot checked: c\n")
    has(rendered { notes = { "not checked: c" }, failures = {}, gates = { {
      text = "time>5%", metric = "time", checked = 0, unchecked = 1 } } },
      "\ngate time>5%, if surely more than before: 1 not checked\n"
      .. "not checked: c\n")
  end)
end)

describe("a sweep on the terminal", function()
  it("is one table: sizes, the quickest marked, laws, and who wins", function()
    local out = rendered { ascii = true }
    has(out, "\nvec/fill, time per call by n and impl\n"
      .. "         n   append    insert\n"
      .. "        10   610 ns   94.5 ns*\n")
    has(out, "\n     3,000  63.4 us*  67.3 us\n")
    has(out, "\n  grows as        n   n log n\n   + fixed   400 ns     30 ns"
      .. "\n  * the quickest; + fixed: what a call takes at any n; "
      .. "times: +-2.0% or better\n")
    has(out, "insert is the quickest up to n = 1,300 (1,100 to 1,600), 1.10 "
      .. "(n = 1,000) to 6.46 times (n = 10) as fast as append; then append, "
      .. "1.06 (n = 3,000) to 1.23 times (n = 10,000) as fast as insert.")
    lacks(out, "vec  ")
  end)

  it("advises the columns that it has figures for", function()
    local data, command = fixtures.report(), { program = { "tare" },
      words = { "run", "x.lua" } }
    local function advice()
      return rendered({ command = command }, data)
        :match "; ([^;]-: %-%-columns=%S+)"
    end
    for _, result in ipairs(data.results) do
      result.instructions, result.bytes = nil, { value = 8 }
      result.net, result.collector, result.collector_share = nil, nil, nil
    end
    assert.equal("bytes of each: --columns=time,bytes", advice())
    for _, result in ipairs(data.results) do
      result.collector_share = { value = 0.2 }
    end
    assert.equal("gc and bytes of each: --columns=time,gc,bytes", advice())
  end)

  it("marks none and says so where sizes are too close to call", function()
    local data = fixtures.report()
    data.sweeps[1].crossovers = {}
    for _, series in ipairs(data.sweeps[1].series) do
      for _, point in ipairs(series.points) do
        point.id = nil
        if point.x == 1000 then
          point.low, point.high = 1, 1e9
        end
      end
    end
    local out = rendered({}, data)
    has(out, "insert is the quickest up to n = 300, 1.39 (n = 300) to "
      .. "6.46 times (n = 10) as fast as append; unclear at n = 1,000; append "
      .. "from n = 3,000 on, 1.06 (n = 3,000) to 1.23 times (n = 10,000) as "
      .. "fast as insert.")
    assert.matches("\n +1,000 +%S+ us~ +%S+ us~\n", out)
    has(out, "\n  * the quickest; ~ may be; ")
    for _, series in ipairs(data.sweeps[1].series) do
      for _, point in ipairs(series.points) do
        if point.x == 1000 then point.low, point.high = nil, nil end
      end
    end
    has(rendered({}, data), "; unclear at n = 1,000;")
  end)

  it("marks none where two were compared and it is unclear, however far apart "
    .. "their times", function()
    local data = fixtures.report()
    data.sweeps[1].crossovers = {}
    local ids = {}
    for _, series in ipairs(data.sweeps[1].series) do
      ids[series.label] = series.points[1].id
    end
    data.comparisons = { { a = ids["impl=insert"], b = ids["impl=append"],
      verdict = "unclear", ratio = { value = 0.15, low = 0.02, high = 1.2 } } }
    local out = rendered({}, data)
    assert.matches("\n +10 +610 ns~ +94%.5 ns~\n", out)
    has(out, "\n  Unclear which is the quickest at n = 10; insert is ")
  end)

  it("says between which it can't tell, where they are the same", function()
    local points = { a = {}, b = {}, c = {} } -- times 'slow' are too noisy
    for i, n in ipairs { 10, 20, 40, 80, 160, 320 } do
      for name in pairs(points) do
        local slow = name == (i <= 3 and "c" or "a")
        points[name][i] = { x = n, value = (slow and 1000 or 100) * n,
          low = slow and 990 * n or nil, high = slow and 1010 * n or nil }
      end
    end
    local series = {}
    for i, name in ipairs { "a", "b", "c" } do
      series[i] = { label = name, points = points[name] }
    end
    local data = { results = {}, sweeps = { { bench = "s/f", axis = "n",
      series = series } } }
    has(rendered({}, data), "\n  Unclear which is the quickest at every n.\n")
    for name, list in pairs(points) do
      points[name] = { list[1], list[2], list[3] }
      series[name == "a" and 1 or name == "b" and 2 or 3].points = points[name]
    end
    has(rendered({}, data), "\n  Unclear between a and b at every n.\n")
  end)

  it("ranks what is too noisy where it is far slower", function()
    local data = fixtures.report()
    data.comparisons, data.sweeps[1].crossovers = {}, {}
    for _, result in ipairs(data.results) do
      if not result.error and result.id:find("impl=append", 1, true)
        and (result.params or {}).n == 10 then
        result.warnings = { "crowded_run" }
        result.time.low, result.time.high = nil, nil
      end
    end
    for _, series in ipairs(data.sweeps[1].series) do
      for _, point in ipairs(series.points) do
        if series.label == "impl=append" and point.x == 10 then
          point.low, point.high = nil, nil
        end
      end
    end
    local out = rendered({}, data)
    assert.matches("\n +10 +610 ns! +94%.5 ns%*\n", out)
    has(out, "insert is the quickest up to n = 1,000, 1.10 (n = 1,000) "
      .. "to 3.26 times (n = 30) as fast as append where neither is too "
      .. "noisy; append from n = 3,000 on, ")
    has(out, "\n! too noisy: the core was shared "
      .. "nearly all the time. Stop what else runs, or measure again later.\n")
  end)

  it("says series by series who wins where that changes often", function()
    local function swept(quick) -- which of two is quickest at each row
      local data = { results = {}, sweeps = { { bench = "s/f", axis = "n",
        series = { { label = "impl=a", points = {} },
          { label = "impl=b", points = {} },
          { label = "impl=c", points = {} } } } } }
      for i = 1, #quick do
        for k, name in ipairs { "a", "b", "c" } do
          data.sweeps[1].series[k].points[i] = { x = 2 ^ i, value = 100,
            low = quick:sub(i, i) == name and 90 or 99,
            high = quick:sub(i, i) == name and 92 or 101 }
          if quick:sub(i, i) == name then
            data.sweeps[1].series[k].points[i].value = 91
          end
        end
      end
      return rendered({}, data)
    end
    has(swept "abab-b-", "\n  a is the quickest at n = 2 and 8, 1.10 times as "
      .. "fast as b; b at n = 4, 16 and 64, 1.10 times as fast as a; unclear "
      .. "at n = 32 and 128.\n")
  end)

  it("says the same of a cell in the table and in the sentence", function()
    local data = fixtures.report()
    data.comparisons, data.sweeps[1].crossovers = {}, {}
    for _, result in ipairs(data.results) do
      if not result.error and result.id:find("^vec/") then
        result.warnings = { "crowded_run" }
        result.time.low, result.time.high = 1, 1e9
      end
    end
    local out = rendered({}, data)
    assert.matches("\n +30 +%S+ us! +%S+ ns%*!\n", out)
    assert.matches("\n +1,000 +%S+ us~! +%S+ us~!\n", out)
    has(out, "\n  * the quickest; ~ may be; ! too "
      .. "noisy to rely on, ranked only where a factor of 2 apart\n")
    has(out, "\n  insert is the quickest up to n = 30; unclear from n = 100 "
      .. "on.\n")
    local all = 0
    for _, result in ipairs(data.results) do
      all = all + (result.id:find("^vec/") and not result.error and 1 or 0)
    end
    assert.matches(", " .. all .. " too noisy, ", out)
  end)

  it("says of nothing that takes no time how many times as fast it is",
    function()
      local data = fixtures.report()
      data.sweeps[1].crossovers = {}
      for _, result in ipairs(data.results) do
        if result.id:find("^vec/fill{impl=insert") then
          result.warnings = { "optimized_away" }
        elseif result.id:find("^vec/") then
          result.baseline = true
        end
      end
      local out = rendered({}, data)
      has(out, "\n  insert is the quickest up to n = 1,000; append from n = "
        .. "3,000 on, 1.06 (n = 3,000) to 1.23 times (n = 10,000) as fast as "
        .. "insert.\n")
      has(out, "too fast to be real: vec/fill{impl=insert,n=10}, ")
    end)

  it("names no crossing between points that are too noisy", function()
    local data = fixtures.report()
    local crossover = data.sweeps[1].crossovers[1]
    local said = "overtakes"
    has(rendered({ explain = true }, data), said)
    for _, result in ipairs(data.results) do
      if (result.params or {}).n == 1000 then
        result.warnings = { "crowded_run" }
      end
    end
    assert.is_true(crossover.x > 300 and crossover.x < 3000)
    lacks(rendered({ explain = true }, data), said)
  end)

  it("has the collector's shares below, and says how many sizes a law takes",
    function()
      local data = fixtures.report()
      local sweep = data.sweeps[1]
      lacks(rendered({}, data), "\n  gc ")
      lacks(rendered({}, data), "takes 5 sizes")
      for i, point in ipairs(sweep.series[1].points) do
        point.id = "vec/fill/" .. i
        table.insert(data.results, { id = point.id, suite = "vec",
          time = estimate(point.value, 0.01),
          collector_share = { value = i == 1 and 0.02 or 0.13 } })
      end
      local out = rendered({}, data)
      assert.matches("\n +gc +2 to 13%% +%-\n", out)
      has(out, "gc: the collector's share of the time")
      for _, series in ipairs(sweep.series) do
        while #series.points > 4 do table.remove(series.points) end
      end
      has(rendered({}, data), "how it grows takes 5 sizes")
    end)

  it("calls a law n where its exponent allows that", function()
    local data = fixtures.report()
    data.sweeps[1].series[2].law.exponent = { value = 1.02, low = 0.98,
      high = 1.07 }
    has(rendered({}, data), "grows as        n         n\n")
  end)

  it("finds no law only where there are sizes enough for one", function()
    local data = fixtures.report()
    local series = data.sweeps[1].series[1]
    series.law = {}
    assert.is_true(#series.points >= 6)
    has(rendered({ explain = true }, data),
      "append follows no law that these sizes show.")
    while #series.points > 5 do table.remove(series.points) end
    has(rendered({ explain = true }, data),
      "append has too few sizes to say how it grows.")
  end)

  it("states a law with its doubt where points are noisy, or it is wide",
    function()
      local data = fixtures.report()
      lacks(rendered({}, data), "maybe")
      data.sweeps[1].series[1].law.exponent = { value = 1, low = 0.7,
        high = 1.3 }
      local out = rendered({}, data)
      has(out, "grows as  maybe n   n log n\n")
      lacks(out, "exponent")
      has(rendered({ explain = true }, data), "append may grow as n, exponent "
        .. "1.00 (0.70 to 1.30).")
      data = fixtures.report()
      data.sweeps[1].series[1].law.exponent = { value = 0.86, low = 0.8,
        high = 0.91 } -- not n's own, 1
      has(rendered({}, data), "grows as  maybe n   n log n\n")
      data.sweeps[1].series[1].law.also = { "n log n" }
      data.sweeps[1].series[1].law.exponent = { value = 1, low = 0.4,
        high = 3 } -- nearly any
      has(rendered({}, data), "grows as  unclear   n log n\n")
      data.sweeps[1].series[1].law = { name = "1", also = { "log n" },
        exponent = { value = 0.2, low = 0.1, high = 0.3 } }
      has(rendered({}, data), "grows as  maybe log n   n log n\n")
      data.sweeps[1].series[1].law = { name = "log n", also = {},
        exponent = { value = 0.2, low = 0.1, high = 1.8 } }
      has(rendered({}, data), "grows as    log n   n log n\n")
      data = fixtures.report()
      for _, result in ipairs(data.results) do
        if result.id == "vec/fill{impl=insert,n=10}" then
          result.warnings = { "crowded_run" }
        end
      end
      assert.matches("\n +10 +610 ns +94 ns%*!+\n", rendered({}, data))
      assert.matches("\n +grows as +n +maybe n log n\n", rendered({}, data))
    end)

  it("shows rows of benches, too, where columns are asked for", function()
    has(rendered { columns = "time,mad" }, "fill{impl=append,n=10}")
  end)

  it("has no fixed cost that nobody sees, or whose law is doubtful", function()
    local data = fixtures.report()
    local of = data.sweeps[1].series[1].law.coefficients
    of.constant = 10
    assert.matches("\n +%+ fixed +30 ns\n", rendered({}, data))
    local other = data.sweeps[1].series[2].law
    other.exponent = { value = 1, low = 0.95, high = 1.02 }
    assert.equal("n", sweeps.law(other)) -- the fit is of n log n
    lacks(rendered({}, data), "+ fixed")
    other.exponent = { value = 1.12, low = 1.08, high = 1.16 }
    of.constant = 80
    assert.matches("\n +%+ fixed +80 ns +30 ns\n", rendered({}, data))
    for _, series in ipairs(data.sweeps[1].series) do
      series.law.exponent.low, series.law.exponent.high = 0.6, 1.4
    end
    lacks(rendered({}, data), "+ fixed")
  end)

  it("is drawn on request, with names of its axes", function()
    local out = rendered { ascii = true, plot = true }
    has(out, "time per call (log) over n (log)")
    has(out, "10                  100                 1000")
    has(out, "o append  x insert")
    has(out, "xo append, insert\n") -- beside their last points
    has(out, "|x") -- the first points beside the edge
    has(out, "|o")
    has(out, "append grows as n: 400 ns + 21 ns * n, exponent 0.97 (0.93 to "
      .. "1.01).")
    has(out, "insert grows as n log n, beside a fixed 30 ns (n is possible, "
      .. "too), ")
    has(out, "batches: = middle half, # median")
    lacks(rendered { ascii = true }, "(log)")
    -- its corner is below its edge, and its lowest line as long as its rows
    local chart = out:match "%(log%) over n %(log%)\n(.-\n +%+%-+\n) +10  "
    local corner, level = chart:match "\n( +)%+(%-+)\n$"
    for line in chart:gmatch "[^\n]+" do
      assert.matches("^[|+]", line:sub(#corner + 1))
      local drawn = line:gsub(" append, insert$", "")
      assert.is_true(#drawn <= #corner + 1 + #level)
    end
  end)

  it("takes any number of cores that a report names", function()
    for cores, said in pairs { [4] = ", 4 cores", [3.2] = ", 3 cores",
      [1e300] = ", " .. ("%.0f"):format(1e300) .. " cores" } do
      local data = fixtures.report()
      data.env.cpu, data.env.cores, data.env.clock = "C", cores, nil
      has(rendered({ width = 999 }, data), "C" .. said)
    end
  end)

  it("compares all series with the baseline in one sentence", function()
    local data = fixtures.report()
    for _, result in ipairs(data.results) do
      if (result.params or {}).impl == "append" then
        result.baseline = true
        local other = result.id:gsub("append", "insert")
        table.insert(data.comparisons, { a = other, b = result.id,
          metric = "time", verdict = result.params.n == 1000 and "unclear"
            or "faster", ratio = { value = 10 / result.params.n,
            low = 9 / result.params.n, high = 11 / result.params.n } })
      end
    end
    local said = "Compared with append, the baseline, least to most over n: "
      .. "insert 1.00 to 1,000 times as fast "
    local out = rendered({}, data)
    has(out, said .. "(unclear at n = 1,000).")
    has(out, "\n  * the quickest; ~ may be; both by ratios to the others; ")
    local noisy
    for _, result in ipairs(data.results) do
      local p = result.params or {}
      if p.n == 1000 and p.impl == "insert" then noisy = result end
    end
    noisy.warnings = { "crowded_run" }
    has(rendered({}, data), said .. "(too noisy at n = 1,000).")
    for _, c in ipairs(data.comparisons) do
      local n = c.a:match "impl=insert,n=(%d+)"
      if n == "300" then c.verdict = "unclear" end
      if n == "100" then c.verdict = "same" end
    end
    has(rendered({}, data), "(same at n = 100, unclear at n = 300, too noisy "
      .. "at n = 1,000).")
  end)

  it("names a series that is nowhere clearly different from the baseline",
    function()
      local data = fixtures.report()
      for _, result in ipairs(data.results) do
        if (result.params or {}).impl == "append" then
          result.baseline = true
          table.insert(data.comparisons, { b = result.id, metric = "time",
            a = result.id:gsub("append", "insert"), verdict = "unclear",
            ratio = { value = 1, low = 0.9, high = 1.1 } })
        end
      end
      has(rendered({}, data), "Compared with append, the baseline, least to "
        .. "most over n: insert not clearly different.")
    end)

  it("says which way a series differs that is too noisy to say by how much, as "
    .. "its marks do", function()
    local data = fixtures.report()
    local of_id = lists.by_id(data.results)
    for _, result in ipairs(data.results) do
      if (result.params or {}).impl == "append" then
        local other = of_id[result.id:gsub("append", "insert")]
        result.baseline, other.warnings = true, { "crowded_run" }
        other.time = { value = 5 * result.time.value }
        table.insert(data.comparisons, { b = result.id, metric = "time",
          a = other.id, verdict = "unclear", ratio = { value = 5 } })
      end
    end
    for _, point in ipairs(data.sweeps[1].series[2].points) do
      local time = of_id[point.id].time
      point.value, point.low, point.high = time.value, nil, nil
    end
    local first = "Compared with append, the baseline, least to most over n: "
      .. "insert "
    has(rendered({}, data), first .. "slower (too noisy to say by how much).")
    of_id["vec/fill{impl=insert,n=10}"].time.value = 1
    has(rendered({}, data), first .. "not clearly different.")
  end)

  it("compares with each of several baselines, as each interpreter has its own",
    function()
      local data, at = fixtures.report(), {}
      local sweep = data.sweeps[1]
      for _, result in ipairs(data.results) do at[result.id] = result end
      for i, series in ipairs { sweep.series[1], sweep.series[2] } do
        local twin = { label = series.label .. ",lua=luajit", points = {} }
        for k, point in ipairs(series.points) do
          local copy = lists.copy(at[point.id])
          copy.id = point.id:gsub("}", ",lua=luajit}")
          at[point.id].baseline = true
          data.results[#data.results + 1] = copy
          twin.points[k] = { x = point.x, value = point.value, id = copy.id }
          table.insert(data.comparisons, { a = copy.id, b = point.id,
            metric = "time", verdict = "faster", ratio = { value = 1 / i / 2,
              low = 0.9 / i / 2, high = 1.1 / i / 2 } })
        end
        sweep.series[i + 2] = twin
      end
      has(rendered({}, data), "Compared with impl=append, least to most over "
        .. "n: impl=append,lua=luajit 2.00 times as fast; with impl=insert: "
        .. "impl=insert,lua=luajit 4.00 times as fast.")
    end)

  it("compares with a baseline that failed at the first size", function()
    local data = fixtures.report()
    for _, result in ipairs(data.results) do
      if (result.params or {}).impl == "append" then
        result.baseline = result.params.n > 10 or nil
        table.insert(data.comparisons, { b = result.id, metric = "time",
          a = result.id:gsub("append", "insert"), verdict = "unclear",
          ratio = { value = 1, low = 0.9, high = 1.1 } })
      end
    end
    has(rendered({}, data), "Compared with append, the baseline, ")
  end)

  it("says nothing of series whose comparisons have no ratio, or one of 0",
    function()
      for _, kept in ipairs { "b", "a" } do
        for _, ratio in ipairs { { }, { value = 0, low = 0, high = 0 } } do
          local data = fixtures.report()
          for _, result in ipairs(data.results) do
            if (result.params or {}).impl == "append" then
              result.baseline = true
              local ids = { a = result.id:gsub("append", "insert"),
                b = result.id }
              table.insert(data.comparisons, { a = ids[kept],
                b = ids[kept == "a" and "b" or "a"], metric = "time",
                verdict = "faster", ratio = ratio })
            end
          end
          local out = rendered({}, data)
          assert.is_nil(out:find "least to most over n: insert %d")
          lacks(out, "inf")
          lacks(rendered({ columns = "all" }, data), "inf")
        end
      end
    end)

  it("of several benches over the same sizes is one table", function()
    local data = { results = {}, sweeps = {} }
    for _, name in ipairs { "list", "vector" } do
      local points = {}
      for i, n in ipairs { 10, 100, 1000 } do
        points[i] = { x = n, value = n * #name, low = n * #name * 0.99,
          high = n * #name * 1.01 }
      end
      table.insert(data.sweeps, { bench = "seq/" .. name, axis = "n",
        series = { { label = name, points = points } } })
    end
    local out = rendered({}, data)
    has(out, "seq, time per call by n\n")
    has(out, "n     list    vector")
    has(out, "list is the quickest at every n, 1.50 times as fast as vector.")
  end)

  it("names the first of the sizes that share a lead", function()
    local one = { bench = "s/f", axis = "n", series = {
      { label = "impl=a", points = {} }, { label = "impl=b", points = {} } } }
    for i, slower in ipairs { 120, 120, 180, 180 } do
      for k, value in ipairs { 100, slower } do
        one.series[k].points[i] = { x = 10 ^ i, value = value,
          low = value * 0.99, high = value * 1.01 }
      end
    end
    has(rendered({}, { results = {}, sweeps = { one } }),
      "a is the quickest at every n, 1.20 (n = 10) to 1.80 times (n = 1,000) "
        .. "as fast as b.")
  end)

  it("has in its legend what no table above it has said", function()
    local data = { results = {}, sweeps = {} }
    for k, wide in ipairs { 0.01, 0.02 } do
      local one = { bench = "s/f" .. k, axis = "n", series = {
        { label = "impl=a", points = {} }, { label = "impl=b", points = {} } } }
      for i = 1, 4 do
        for j, value in ipairs { 100 * i, 150 * i } do
          one.series[j].points[i] = { x = 10 ^ i, value = value,
            low = value * (1 - wide), high = value * (1 + wide) }
        end
      end
      data.sweeps[k] = one
    end
    local out = rendered({}, data)
    has(out, "\n  * the quickest; to say how it grows takes 5 sizes; times: "
      .. "±1.0% or better\n")
    has(out, "\n  times: ±2.0% or better\n")
  end)
end)

describe("changes on the terminal", function()
  local function compared()
    local new = { id = "mod/join", suite = "mod", time = estimate(1380, 0.01),
      time_from = "cycles", bytes = { value = 431 }, allocs = { value = 2 },
      instructions = { value = 11 } }
    local old = { id = "mod/join", suite = "mod", time = estimate(3770, 0.01),
      time_from = "cycles", bytes = { value = 1608 }, allocs = { value = 2 },
      instructions = { value = 270 } }
    return { results = { new, { id = "fresh/x", suite = "fresh",
      time = estimate(5, 0.01) } }, comparisons = { { a = "mod/join",
      b = "mod/join", metric = "cycles", verdict = "faster", other = "main",
      between = "reports", ratio = { value = 0.37, low = 0.36,
        high = 0.38 } } } },
      { name = "main", results = { old, { id = "old/y" } } }
  end

  -- Two benches, the second of which has changed more, and was quicker.
  local function two()
    local data, against = compared()
    data.results[2] = { id = "mod/split", suite = "mod",
      time = estimate(100, 0.01), time_from = "cycles" }
    against.results[2] = { id = "mod/split", suite = "mod",
      time = estimate(1000, 0.01), time_from = "cycles" }
    data.comparisons[2] = lists.copy(data.comparisons[1])
    data.comparisons[2].a, data.comparisons[2].b = "mod/split", "mod/split"
    data.comparisons[2].ratio = { value = 0.1, low = 0.09, high = 0.11 }
    return data, against
  end

  it("are sorted by what is asked for", function()
    local data, against = two()
    local function order(by)
      local out = rendered({ against = against, sort = by }, data)
      return out:match "\n  mod/(%l+) [^\n]*\n  mod/(%l+) "
    end
    assert.same({ "split", "join" }, { order() }) -- the larger change
    assert.same({ "join", "split" }, { order "-time" })
    assert.same({ "join", "split" }, { order "bench" })
  end)

  it("are counted with what is the same", function()
    local data, against = two()
    data.options = { tolerance = 0.01 }
    data.comparisons[1].verdict = "same"
    assert.matches("\n1 faster, 0 slower, 1 same %(within 1%%%), 0 unclear\n",
      rendered({ against = against }, data))
  end)

  it("are beside a table of the columns that are asked for", function()
    local data, against = two()
    local out = rendered({ against = against, columns = "median,+mean" }, data)
    has(out, "3.77 us -> 1.38 us")
    assert.matches("\n[^\n]* median +mean\n", out)
    assert.matches("\n2 faster, 0 slower, 0 same, 0 unclear\n", out)
  end)

  it("name what can't be compared since it failed there", function()
    local data, against = two()
    against.results[2] = { id = "mod/split", suite = "mod", error = "boom" }
    table.remove(data.comparisons)
    for _, partial in ipairs { false, true } do
      against.partial = partial
      has(rendered({ against = against }, data), "\n  failed in main: "
        .. "mod/split.\n")
    end
    data.comparisons = {} -- nothing else was compared, either
    has(rendered({ against = against }, data), "main -> this run\n")
    data.results[2].error = "boom, too"
    lacks(rendered({ against = against }, data), "failed in main")
  end)

  it("say was -> is, what is new and gone, and how many", function()
    local data, against = compared()
    local out = rendered({ against = against }, data)
    has(out, "main -> this run\n")
    has(out, "3.77 us -> 1.38 us")
    has(out, "2.70 times as fast (2.63 to 2.78)")
    has(out, "1.57 KiB -> 431 B")
    has(out, "270 -> 11")
    has(out, "\n1 faster, 0 slower, 0 same, 0 unclear, 1 new, 1 gone\n")
    has(out, "\n  was -> is: before and now, per call\n  allocs: the same "
      .. "everywhere.\n")
    lacks(out, "less per call") -- which the table says
    has(rendered({ against = against, width = 80 }, data), "\n  mod/join: 1.15 "
      .. "KiB and 259 instructions less per call.\n")
    has(out, "new: fresh/x.")
    has(out, "gone: old/y.")
    lacks(out, "mod  ")
    local slower = lists.copy(data.results[1])
    local was = lists.copy(against.results[1])
    slower.id, was.id, slower.allocs = "mod/zip", "mod/zip", { value = 9 }
    table.insert(data.results, slower)
    table.insert(against.results, was)
    local of_it = lists.copy(data.comparisons[1])
    of_it.a, of_it.b, of_it.verdict = "mod/zip", "mod/zip", "slower"
    of_it.ratio = { value = 2, low = 1.9, high = 2.1 }
    table.insert(data.comparisons, of_it)
    assert.matches("\n  mod/zip: 7 allocations more.-mod/join: ",
      (rendered({ against = against, width = 80 }, data)))
    data.results[#data.results], against.results[#against.results] = nil, nil
    data.comparisons[#data.comparisons] = nil
    against.partial = true
    lacks(rendered({ against = against }, data), "gone")
    data.results[1].allocs.value = data.results[1].allocs.value + 1
    has(rendered({ against = against, width = 80 }, data), "\n  mod/join: 1 "
      .. "allocation more, 1.15 KiB and 259 instructions less per call.\n")
  end)

  it("has collections in a thousand calls", function()
    local data = fixtures.many(1)
    data.results[1].gc_major = { value = 0.004, low = 0.003, high = 0.005 }
    local out = rendered({ columns = { "gc_major" } }, data)
    assert.matches("bench1%s+4\n", out)
  end)

  it("say of what commit, day and machine the other report is", function()
    local data, against = compared()
    against.report = { commit = "commit 185fc8a (changed)",
      started = "2026-11-22 14:04 UTC", env = { crowded = 0.02 },
      results = { { id = "s/a", rounds = 40, preempted = 0 } } }
    has(rendered({ against = against }, data), "main (commit 185fc8a "
      .. "(changed), 2026-11-22 14:04 UTC, quiet machine) -> this run\n")
    against.report = { env = { crowded = 0.4 }, results = {} }
    has(rendered({ against = against }, data), "main (busy machine) -> this")
    against.report = { results = {} } -- of before
    has(rendered({ against = against }, data), "main -> this run\n")
  end)

  it("have what changed most first", function()
    local data, against = { results = {}, comparisons = {} }, { name = "main",
      results = {} }
    for i, ratio in ipairs { 1.1, 30, 2, 0.5, 0.2 } do
      local id = "s/" .. i
      data.results[i] = { id = id, suite = "s", time = estimate(ratio, 0.01) }
      against.results[i] = { id = id, suite = "s", time = estimate(1, 0.01) }
      data.comparisons[i] = { a = id, b = id, metric = "time", other = "main",
        verdict = ratio > 1 and "slower" or "faster", between = "reports",
        ratio = estimate(ratio, 0.01) }
    end
    local order = {}
    for id in rendered({ against = against }, data):gmatch "\n  s/(%d) " do
      order[#order + 1] = id
    end
    assert.equal("2 3 1 5 4", table.concat(order, " "))
  end)

  it("names two files shortly, and of the second what differs", function()
    local data, against = compared()
    local function title(old, new)
      against.name, against.new_name = old, new
      for _, c in ipairs(data.comparisons) do c.other = old end
      return rendered({ against = against }, data):match "^([^\n]+)"
    end
    assert.equal("a/x.json -> b/x.json", title("a/x.json", "b/x.json"))
    local folder = "/a/long/way/to/the/folder/of/reports/"
    assert.equal("x.json -> y.json", title(folder .. "x.json", folder
      .. "y.json"))
    assert.equal("a/x.json -> b/x.json", title(folder .. "a/x.json", folder
      .. "b/x.json"))
    assert.equal("x.json -> y.json", title(folder .. "x.json", "y.json"))
    data.commit, data.started = "commit 185fc8a", "2026-11-22 15:10 UTC"
    against.report = { commit = "commit 185fc8a", results = {},
      started = "2026-11-22 14:04 UTC", env = {} }
    assert.equal("x (commit 185fc8a, 2026-11-22 14:04 UTC) -> y (15:10)",
      title("x", "y"))
    data.commit, data.started = "commit 77ab001", "2026-11-23 15:10 UTC"
    assert.equal("x (commit 185fc8a, 2026-11-22 14:04 UTC) -> y (77ab001, "
      .. "2026-11-23 15:10 UTC)", title("x", "y"))
  end)

  it("say whether both were measured on the same model of CPU", function()
    local data, against = compared()
    local said = "before and now, per call, on the same model of CPU"
    lacks(rendered({ against = against }, data), said)
    data.env = { cpu = "One" }
    against.report = { results = {}, env = { cpu = "One" } }
    has(rendered({ against = against }, data), said)
    against.report.env.cpu = "Another"
    lacks(rendered({ against = against }, data), said)
  end)

  it("say in how many benches what is counted is the same, unless the table "
    .. "or a sentence does", function()
    local old, new = fixtures.many(4), fixtures.many(4)
    for _, data in ipairs { old, new } do
      for _, result in ipairs(data.results) do
        result.bytes, result.allocs = { value = 64 }, { value = 2 }
        result.instructions = { value = 9 }
      end
    end
    for i, result in ipairs(new.results) do
      new.comparisons[i] = { a = result.id, b = result.id, verdict = "same",
        between = "reports", metric = "time",
        ratio = { value = 1, low = 0.99, high = 1.01 } }
    end
    new.results[3].bytes = { value = 40 }
    new.results[3].allocs = { value = 1 }
    local function said(columns)
      return rendered({ against = { name = "main", results = old.results },
        width = columns }, new)
    end
    has(said(), "\n  instr: the same everywhere.\n")
    has(said(60), "\n  suite1/bench3: 24 B and 1 allocation less per call.\n"
      .. "  instr: the same everywhere.\n")
    for _, result in ipairs(new.results) do result.bytes = { value = 40 } end
    has(said(), "\n  allocs: the same in 3 of 4 benches; instr: the same "
      .. "everywhere.\n")
  end)

  it("have the collector's share under its name, as a run has", function()
    local data, against = compared()
    local function with(result, share)
      result.collector_share = share and { value = share } or nil
    end
    local new, old = data.results[1], against.results[1]
    with(new, 0.041)
    with(old, 0.072)
    local out = rendered({ against = against }, data)
    assert.matches("\n  bench .* gc\n", out)
    assert.matches("7%% %-> 4%%\n", out)
    with(old, 0.0411)
    has(rendered({ against = against }, data),
      "gc (collector's share): the same everywhere")
    with(old, nil)
    lacks(rendered({ against = against }, data), "gc")
  end)

  it("end with why the command ends as it does", function()
    local data, against = compared()
    local function ends(options)
      options.against = against
      return rendered(options, data):match "([^\n]*)\n$"
    end
    assert.matches("; no gate was set %(%-%-fail%-on%)$",
      ends { exit_code = 0 })
    assert.matches(", 1 gate failed; exit code 3$", ends { exit_code = 3,
      failures = { { id = "mod/join", message = "m" } }, checked = 1 })
    assert.matches(", 1 gate failed; exit code 3 %(what is not checked or "
      .. "undecided does not fail%)$", ends { exit_code = 3, unchecked = 1,
      failures = { { id = "mod/join", message = "m" } }, checked = 2,
      gates = { { text = "time>5%", metric = "time", checked = 2, unclear = 1,
        unchecked = 1 } } })
    assert.matches("; what is undecided does not fail: exit code 0$",
      ends { exit_code = 0, failures = {}, gates = { { text = "time>5%",
        metric = "time", checked = 1, unclear = 1, unchecked = 0 } } })
    assert.matches(", 1 gate not checked; exit code 1: a gate could not be "
      .. "checked$", ends { exit_code = 1, failures = {}, unchecked = 1,
      gates = { { text = "time>5%", metric = "time", checked = 0,
        unchecked = 1 } } })
    assert.matches(", 1 gate checked in part; what is not checked does not "
      .. "fail: exit code 0$", ends { exit_code = 0, failures = {},
      unchecked = 2, gates = { { text = "time>5%", metric = "time",
        checked = 1, unchecked = 2 } } })
    assert.matches(" 1 gone$", ends {})
  end)

  it("count what a gate stopped, which the top names", function()
    local data, against = compared()
    local function closing(count)
      local failures = {}
      for i = 1, count do
        failures[i] = { id = "s/" .. i, message = "m; gate: g (allocs>0)",
          rule = "allocs>0" }
      end
      return rendered({ against = against, failures = failures, exit_code = 3,
        gates = { { metric = "allocs", text = "allocs>0", checked = 4,
          meaning = "no more allocs than before", unchecked = 0 } } }, data)
    end
    has(closing(1), "FAILED s/1: m; gate: g (allocs>0)\n")
    has(closing(1), "\nno more allocs than before (gate allocs>0): 1 failed, "
      .. "3 passed\n")
    has(closing(1), ", 1 gate failed; exit code 3\n")
    has(closing(3), "allocs>0): 3 failed, 1 passed\n")
  end)

  it("rank what is too noisy by a factor of 2 or more", function()
    local data, against = compared()
    data.results[1].warnings = { "crowded_run" }
    data.results[1].time = { value = 1380 }
    data.comparisons[1].verdict = "unclear"
    data.comparisons[1].ratio = { value = 0.37 }
    local out = rendered({ against = against }, data)
    has(out, "  faster; too noisy to say by how much  ")
    has(out, "\n1 faster, 0 slower, 0 same, 0 unclear, 1 new, 1 gone\n")
    data.results[1].time = { value = 2000 } -- 3770 was
    has(rendered({ against = against }, data), "  unclear (too noisy)  ")
  end)

  it("come before what is new", function()
    local data, against = compared()
    assert.matches("main %-> this run\n.*\nfresh +time\n  x +5.00 ns",
      rendered({ against = against }, data))
  end)

  it("mark a bench whose other revision is too noisy", function()
    local data, against = compared()
    against.results[1].warnings = { "crowded_run" }
    has(rendered({ against = against }, data), "\n  mod/join !  ")
    data.results[1].warnings = { "optimized_away" }
    has(rendered({ against = against }, data), "\n  mod/join ! [1]  ")
    data.results[1].warnings = { "crowded_run" }
    has(rendered({ against = against }, data), "\n  mod/join !  ")
  end)

  it("say once what names begin with where they don't fit", function()
    local data, old = { results = {}, comparisons = {} }, { results = {} }
    for i, name in ipairs { "coroutine", "closure", "method call", "table" } do
      local id = "calls/make/" .. name
      for _, list in ipairs { data.results, old.results } do
        list[i] = { id = id, suite = "calls", time = estimate(1380, 0.01),
          bytes = { value = list == data.results and 1e5 + i or 1e5 } }
      end
      data.comparisons[i] = { a = id, b = id, metric = "time", other = "main",
        between = "reports", verdict = "slower", ratio = { value = 1.2,
          low = 1.1, high = 1.3 } }
    end
    local against = { name = "main", results = old.results }
    has(rendered({ against = against, width = 120 }, data),
      "\n  calls/make/method call  1.38 us -> 1.38 us")
    local out = rendered({ against = against, width = 80 }, data)
    has(out, "\n  calls/make/\n    coroutine")
    has(out, "\n    method call  1.38 us -> 1.38 us")
    assert.equal(1, select(2, out:gsub("calls/make/\n", "")))
    data.results[2].warnings = { "crowded_run" }
    out = rendered({ against = against, width = 80 }, data)
    has(out, "\n    closure !     1.38 us -> 1.4 us")
    has(out, "\n!: time too noisy to rely on\n")
    for line in out:gmatch "[^\n]+" do assert.is_true(#line <= 90, line) end
  end)

  it("show the columns of gates whatever is in them, and count", function()
    local data, against = compared()
    local function shown(gates)
      return rendered({ against = against, checked = 4, failures = { { id = "x",
        message = "m", rule = "allocs>0" } }, gates = gates }, data)
    end
    local out = shown { { metric = "allocs", text = "allocs>0", checked = 4,
      unclear = 1, unchecked = 1, undecided = { { text = "y: 1.01 times as "
        .. "slow" } } },
      { metric = "net", text = "net>5%",
      checked = 1, unchecked = 0 } }
    assert.matches("\n  bench +time +compared with main +bytes +allocs +instr "
      .. "+net\n", out)
    has(out, "\ngate allocs>0: 1 failed, 2 passed, 1 not checked, 1 "
      .. "could not be decided (y: 1.01 times as slow)\n"
      .. "gate net>5%, if surely more than before: 1 passed\n")
    lacks(out, "allocs: the same everywhere")
    lacks(rendered({ against = against }, data), "gates")
  end)

  it("counts benches whose counts differ where they are many", function()
    local new, old = fixtures.many(5), fixtures.many(5)
    new.comparisons = {}
    for i, result in ipairs(new.results) do
      result.bytes = { value = i == 1 and 50 or 200 }
      result.allocs = { value = i == 2 and 9 or 8 }
      old.results[i].bytes, old.results[i].allocs = { value = 100 },
        { value = 8 }
      new.comparisons[i] = { a = result.id, b = result.id, metric = "time",
        verdict = "same", other = "main", between = "reports",
        ratio = { value = 1, low = 0.99, high = 1.01 } }
    end
    has(rendered({ against = { results = old.results, name = "main" } }, new),
      "\n  bytes: more in 4, less in 1")
    has(rendered({ against = { results = old.results, name = "main" } }, new),
      "; allocs: more in 1.\n")
    for i, result in ipairs(new.results) do
      result.bytes.value = i == 1 and 200 or 50
    end
    has(rendered({ against = { results = old.results, name = "main" } }, new),
      "\n  bytes: more in 1, less in 4")
  end)

  it("show cycles where the ratio is of cycles and times are not", function()
    local data, against = compared()
    for _, result in ipairs { data.results[1], against.results[1] } do
      result.time_from, result.cycles = nil, { value = result.time.value * 3 }
    end
    local out = rendered({ against = against }, data)
    has(out, "cycles")
    lacks(out, "3.77")
    has(out, "11,310 -> 4,140")
    data.results[1].time_from = "cycles" -- the times of only one are
    has(rendered({ against = against }, data), "11,310 -> 4,140")
  end)

  it("are told without the other report, too", function()
    local data = compared()
    local out = rendered({}, data)
    has(out, "2.70 times as fast")
    has(out, "1.38 us")
    lacks(out, "->  ")
  end)

  it("of revisions are cells with a parameter 'ref'", function()
    local data = { results = {
      { id = "mod/join", suite = "mod", params = {},
        time = estimate(1380, 0.01) },
      { id = "mod/join{ref=main}", suite = "mod", params = { ref = "main" },
        time = estimate(3770, 0.01) } },
      comparisons = { { a = "mod/join", b = "mod/join{ref=main}",
        metric = "time", verdict = "faster",
        ratio = { value = 0.37, low = 0.36, high = 0.38 } } } }
    local out = rendered({}, data)
    has(out, "main -> working tree\n")
    has(out, "\n\n1 faster, 0 slower, 0 same, 0 unclear\n")
    data.refs = { main = "185fc8a" }
    has(rendered({}, data), "main (185fc8a) -> working tree\n")
    lacks(out, "quickest")
    has(out, "mod/join  3.77 us -> 1.38 us  2.70 times as fast (2.63 to 2.78)")
    lacks(out, "{ref=main}")
  end)

  it("of several revisions are counted each, green where nothing is worse or "
    .. "unclear, red where something is slower", function()
    local data = { results = { { id = "s/a", suite = "s", params = {},
      time = estimate(100, 0.01) } }, comparisons = {} }
    for i, verdict in ipairs { "faster", "slower", "unclear", "same" } do
      local id = ("s/a{ref=v%d}"):format(i)
      data.results[i + 1] = { id = id, suite = "s", params = { ref = "v" .. i },
        time = estimate(100, 0.01) }
      data.comparisons[i] = { a = "s/a", b = id, metric = "time",
        verdict = verdict, ratio = { value = 1, low = 0.9, high = 1.1 } }
    end
    local out = rendered({ color = true }, data)
    has(out, "\27[32m1 faster, 0 slower, 0 same, 0 unclear.\27[0m\n")
    has(out, "\27[31m0 faster, 1 slower, 0 same, 0 unclear.\27[0m\n")
    has(out, "\n  0 faster, 0 slower, 0 same, 1 unclear.\n")
    has(out, "\n  0 faster, 0 slower, 1 same, 0 unclear.\n")
  end)

  it("of many benches list only what is not the same", function()
    local data, against = fixtures.many(60), { name = "old", results = {} }
    data.comparisons = {}
    for i, result in ipairs(data.results) do
      against.results[i] = { id = result.id, time = result.time }
      data.comparisons[i] = { a = result.id, b = result.id, other = "old",
        between = "reports", metric = "time",
        verdict = i == 7 and "slower" or "same",
        ratio = { value = i == 7 and 1.2 or 1, low = 0.995,
          high = i == 7 and 1.25 or 1.005 } }
    end
    local out = rendered({ against = against }, data)
    has(out, "suite1/bench7")
    lacks(out, "suite1/bench8")
    has(out, "0 faster, 1 slower, 59 same, 0 unclear")
  end)
end)

describe("a comparison alone", function()
  it("is told in words, and is not 'no benches'", function()
    local text = require("tare").render({ a = "c/a", b = "c/b",
      metric = "time", verdict = "faster", ratio = { value = 0.5, low = 0.4,
        high = 0.625 } }, "text", { ascii = true })
    assert.matches("c/a, compared with c/b: 2%.00 times as fast", text)
    assert.matches("\n1 comparison\n$", text)
  end)
end)

describe("interpreters on the terminal", function()
  local function results(count)
    local data = { results = {}, comparisons = {} }
    for i = 1, count do
      for k, lua in ipairs { "lua5.4", "luajit" } do
        table.insert(data.results, { suite = "calls", params = { lua = lua },
          id = ("calls/m%d{lua=%s}"):format(i, lua), baseline = k == 1,
          time = estimate(50 / k ^ 3, 0.01), instructions = k == 1
            and { value = 8 } or nil })
      end
      table.insert(data.comparisons, { metric = "time", verdict = "faster",
        a = ("calls/m%d{lua=luajit}"):format(i),
        b = ("calls/m%d{lua=lua5.4}"):format(i),
        ratio = { value = 0.125, low = 0.12, high = 0.13 } })
    end
    return data
  end

  it("stand side by side, metric by metric", function()
    assert.equal((([[
calls/m1, per call by interpreter
  metric                  lua5.4                                    luajit
  time                   50.0 ns +-1.0%@6.25 ns +-1.0%
  compared with lua5.4  baseline         8.00 times as fast (7.69 to 8.33)
  instr                        8                                         -

-: no figure

2 ok
]]):gsub("@", (" "):rep(28))),
      (rendered({ ascii = true }, results(1)):gsub(" +\n", "\n")))
  end)

  it("of many benches are one table of times", function()
    local out = rendered({ ascii = true }, results(6))
    has(out, "time per call, by interpreter\n")
    has(out, "  calls/m6  50.0 ns +-1.0%  6.25 ns +-1.0%\n")
  end)

  it("say which times are too noisy, and what is unknown of the collector",
    function()
      local few, many = results(2), results(6)
      for _, data in ipairs { few, many } do
        data.results[4].time = estimate(6.25, 0.9)
        data.results[1].warnings = { "few_cycles" }
      end
      local noisy = "\n  ! too noisy to rely on"
      local out = rendered({ ascii = true }, many)
      assert.matches("calls/m2  50.0 ns %+%-1.0%% +6%.3 ns!\n", out)
      has(out, noisy)
      out = rendered({ ascii = true }, few)
      assert.matches("\n  time +50.0 ns %+%-1.0%% +6%.3 ns!\n", out)
      assert.matches("\n  gc +%? ", out)
      has(out, noisy)
      has(out, "gc: the collector's share of the time, ?: too few collections "
        .. "to say")
      lacks(rendered({ ascii = true }, results(6)), "too noisy")
    end)

  it("are in the order that is asked for, by the first interpreter", function()
    for _, count in ipairs { 3, 6 } do
      local data = results(count)
      for i = 1, count do
        data.results[2 * i - 1].time = estimate(100 - i, 0.01)
      end
      local function order(by)
        local found = {}
        for number in ("\n" .. rendered({ sort = by }, data))
          :gmatch "\n *calls/m(%d)" do
          found[#found + 1] = number
        end
        return table.concat(found):sub(1, 3)
      end
      assert.equal("123", order())
      assert.equal(count == 3 and "321" or "654", order "time")
      assert.equal("123", order "-time")
    end
  end)
end)

describe("names in a table", function()
  -- For each width of the page the letters of a name that its row has, and
  -- whether it has the interval of the time.
  local function rows(letters)
    local data, list = pair(), {}
    for i, letter in ipairs { "a", "b" } do
      local result = data.results[i]
      result.id = "s/" .. letter:rep(letters)
      result.name = letter:rep(letters)
    end
    local one = data.comparisons[1]
    one.a, one.b = data.results[2].id, data.results[1].id
    for size = 40, 200 do
      local row = rendered({ width = size }, data)
        :match "\n  (b[^\n]* ns[^\n]*)"
      list[size] = row and { letters = width.of(row:match "^%S+"),
        has_interval = row:find("\194\177", 1, true) ~= nil }
    end
    return list
  end

  it("keep three quarters of their letters beside the interval of the time, "
    .. "and fourteen of a short one", function()
    for letters, least in pairs { [8] = 8, [13] = 13, [16] = 14, [18] = 14,
      [20] = 15, [32] = 24, [48] = 36 } do
      local fewest = math.huge
      for _, row in pairs(rows(letters)) do
        if row.has_interval then fewest = math.min(fewest, row.letters) end
      end
      assert.equal(least, fewest, letters)
    end
  end)
end)

describe("the clock in a report's head", function()
  it("is the reference, and what was seen where that is 3 % or more away",
    function()
      local function phrase(clock)
        local data = pair()
        data.env.clock = clock
        return rendered({}, data):match "at ([%d.]+ GHz[^\n;,]-%f[\n;,])"
          or "none"
      end
      local function seen(low, high)
        return phrase { reference_ghz = 3, from = "remembered",
          seen_ghz = { low = low, high = high } }
      end
      for _, case in ipairs { { 3, 3 }, { 2.95, 3 }, { 2.92, 3.08 },
        { 3, 3.08 } } do
        assert.equal("3.00 GHz", seen(case[1], case[2]))
      end
      assert.equal("3.00 GHz (it ran at 2.90 to 3.00)", seen(2.9, 3))
      assert.equal("3.00 GHz (it ran at 3.00 to 3.10)", seen(3, 3.1))
      assert.equal("3.00 GHz (it ran at 2.50 to 3.50)", seen(2.5, 3.5))
      for _, unknown in ipairs { { 2.5 }, { nil, 3.5 }, { "x", 3.5 },
        { 2.5, "x" } } do
        assert.equal("3.00 GHz", seen(unknown[1], unknown[2]))
      end
      assert.equal("3.00 GHz", phrase { reference_ghz = 3, seen_ghz = "x" })
      for _, clock in ipairs { { from = "none", reference_ghz = 3 },
        { seen_ghz = { low = 2, high = 3 } }, { reference_ghz = "x" } } do
        assert.equal("none", phrase(clock))
      end
    end)
end)

describe("regressions on the terminal", function()
  it("are tables with intervals and R2, and errors with names", function()
    local data = fixtures.report()
    data.options.regress = { { responder = "time", intercept = true,
      predictors = { "iters", "gc_minor", "gc_major" } },
      { responder = "bytes", predictors = { "iters" } } }
    data.results[5].fits[2].r2_low, data.results[5].fits[2].r2_high = 0.998,
      0.9995
    for _, result in ipairs(data.results) do
      result.fit_errors = { { responder = "bytes", predictors = { "iters" },
        message = "a column has no values" } }
    end
    local out = rendered({}, data)
    has(out, "regression time ~ iters + gc_minor + gc_major\n")
    assert.matches("per iters +per gc_minor +per gc_major +intercept +R2", out)
    assert.matches("tables/fill{n=10} +255 ns ±1%.0%% +9%.10 us ±10%% +"
      .. "69%.0 us ±20%% +60%.0 ns ±50%% +0%.9991 %(0%.9980 to 0%.9995%)", out)
    has(out, "strings/concat can't be fitted: a column has no values")
    has(rendered({ width = 80 }, data), "\n  tables/fill{n=10}  255 ns")
    data.results[5].fits[2].coefficients.intercept = { value = -50, low = -90,
      high = 10 }
    has(rendered({}, data), "-50.0 ns (-90.0 to 10.0 ns)")
  end)

  it("keep every column where the page is narrow, in several blocks",
    function()
      local data = fixtures.report()
      data.options.regress = { { responder = "time", intercept = true,
        predictors = { "iters", "gc_minor", "gc_major" } } }
      for _, letters in ipairs { 40, 60, 80, 200 } do
        local out = rendered({ width = letters }, data)
        local part = out:match "\nregression time.*"
        for _, title in ipairs { "per iters", "per gc_minor", "per gc_major",
          "intercept", "R2" } do
          has(part, title)
        end
        lacks(part, "columns left out")
      end
    end)

  it("are not shown unasked", function()
    lacks(rendered(), "regression")
  end)
end)

describe("a histogram in one line", function()
  local result = fixtures.many(1).results[1]

  it("is blocks between its ends, or plain characters", function()
    local blocks = distribution.spark(result)
    has(blocks, "\226\150\136")
    local plain = distribution.spark(result, true)
    assert.is_nil(plain:find "[\128-\255]")
    has(plain, "@")
    assert.equal(blocks:match "^%S+", plain:match "^%S+")
  end)

  -- A result of batches of 100 calls, with those rows left out.
  local function of(times, left_out)
    local one = { id = "s/a", left_out = left_out,
      samples = { iters = {}, wall_ns = {} },
      time = { value = times[1], unit = "ns" } }
    for i, ns in ipairs(times) do
      one.samples.iters[i], one.samples.wall_ns[i] = 100, 100 * ns
    end
    return one
  end

  it("is as high as batches are many, from the quickest to the slowest",
    function()
      local times = {}
      for _, one in ipairs { { 100, 8 }, { 100.6, 4 }, { 102.2, 2 },
        { 104, 8 } } do
        for _ = 1, one[2] do times[#times + 1] = one[1] end
      end
      assert.equal("100 ns @=  :  @ 104 ns", distribution.spark(of(times),
        true))
    end)

  it("is of what was not disturbed, which would stretch it or look like a mode",
    function()
      local times, disturbed = {}, {}
      for i = 1, 20 do times[i] = 100 + i % 5 end
      local quiet = distribution.spark(of(times))
      assert.matches("^100 ns .* 104 ns$", quiet)
      for i = 21, 60 do
        times[i], disturbed[#disturbed + 1] = 180 + i, i
      end
      local one = of(times, disturbed)
      assert.equal(quiet, distribution.spark(one))
      has(rendered({}, one), "undisturbed batches took " .. quiet:gsub(" (%S+ "
        .. "ns)$", " to %1"))
      -- of all where hardly any was undisturbed
      for i = 4, 20 do disturbed[#disturbed + 1] = i end
      one = of(times, disturbed)
      assert.matches(" 240 ns$", distribution.spark(one))
      lacks(rendered({}, one), "undisturbed batches took")
    end)

  it("is at the clock that the time is of, whatever the core's was", function()
    for _, call_ns in ipairs { 100, 0.1 } do -- calls of less than a cycle, too
      local times, cycle_ns = {}, {}
      for i = 1, 20 do times[i] = call_ns * (1 + i % 5 / 100) end
      local wanted = distribution.spark(of(times))
      for i = 1, 20 do -- a cycle takes 0.25 ns, and now and then twice as long
        cycle_ns[i] = i % 3 == 0 and 0.5 or 0.25
        times[i] = times[i] * cycle_ns[i] / 0.25
      end
      local one = of(times)
      one.samples.cycle_ns, one.cycles = cycle_ns, { value = call_ns / 0.25 }
      one.time.value = call_ns
      local by_wall = distribution.spark(one)
      assert.not_equal(wanted, by_wall)
      one.time_from = "cycles"
      assert.equal(wanted, distribution.spark(one))
      for _, name in ipairs { "time", "cycles" } do -- what is no time
        local value = one[name].value
        one[name].value = 0
        assert.equal(distribution.spark(of(times)):match "%S+ns$",
          distribution.spark(one):match "%S+ns$")
        one[name].value = value
      end
    end
  end)
end)

describe("a result in one line", function()
  it("is its figures, or why it failed", function()
    assert.equal("s/quick  525 ns \194\1774.0%, 7 B, 9 instr",
      report.line(pair().results[2]))
    assert.equal("a failed: boom\\n",
      report.line { id = "a", error = "boom\n" })
  end)

  it("or a comparison can be rendered alone", function()
    has(rendered({}, pair().results[1]), "2.30 us")
    has(rendered({}, pair().comparisons[1]),
      "s/quick, compared with s/slow: 4.35 times as fast (4.17 to 4.55)")
  end)
end)
