-- What tare.measure and its like promise. Nothing here depends on how fast the
-- machine is.
local command = require "spec.support.command"
local core = require "tare.core"
local gc_option = require "tare.base.gc_option"
local Process = require "tare.worker.process"
local tare = require "tare"

local jit = rawget(_G, "jit")

local function warns(result, code)
  for _, one in ipairs(result.warnings) do
    if one == code then return true end
  end
  return false
end

local function sum(list)
  local all = 0
  for _, value in ipairs(list or {}) do all = all + value end
  return all
end

local function calls_of(result, pass)
  local samples = result.samples
  if pass then samples = (result.passes[pass] or { samples = {} }).samples end
  return sum(samples.iters)
end

-- In a process of its own, on a machine that is remembered to have cycles of
-- 0.4 ns and cores of some width.
local function measured_on(width)
  local folder = command.path()
  local code, stdout, stderr = command.shell(([[
mkdir -p FOLDER/tare && export XDG_STATE_HOME=FOLDER && LUA -e '
  local clock = require("tare.env.clock").load()
  for _ = 1, 16 do clock:observe(0.4, %g) end
  assert(clock:save())' && LUA -e '
  local result = require("tare").measure(function()
    local sum = 0
    for i = 1, 100 do sum = sum + i end
    return sum
  end, { quota = "30ms" })
  print(result.time_from, result.time.value / result.cycles.value,
    result.time.low, table.concat(result.warnings, " "))']])
    :format(width):gsub("FOLDER", command.quoted(folder))
    :gsub("LUA", os.getenv "TARE_LUA" or "lua5.4"))
  command.shell("rm -rf " .. command.quoted(folder))
  assert.equal(0, code, stderr)
  local from, cycle_ns, low, warnings =
    stdout:match "^(%S+)\t(%S+)\t(%S+)\t(.-)\n$"
  return { from = from, cycle_ns = tonumber(cycle_ns), low = tonumber(low),
    is_crowded = warnings:find "crowded_run" ~= nil }
end

describe("a time of the library", function()
  it("is at the clock that tare run remembers of this machine", function()
    if not (core.chain_steps() and core.build.optimized) then return end
    local found = measured_on(1)
    assert.equal("cycles", found.from)
    assert.near_relative(0.4, found.cycle_ns, 1e-6)
  end)

  it("has no interval where the core was narrower than it can be, all the time",
    function()
      if not (core.chain_steps() and core.build.optimized) then return end
      local found = measured_on(60)
      assert.is_true(found.is_crowded)
      assert.is_nil(found.low)
    end)

  it("is the plain clock's where none is remembered, and nothing is stored",
    function()
      local folder = command.path()
      local code, stdout, stderr = command.shell(([[
mkdir FOLDER && XDG_STATE_HOME=FOLDER LUA -e '
  print(require("tare").measure(function() end, { quota = "5ms" }).time_from)
' &&
ls FOLDER && rmdir FOLDER]]):gsub("FOLDER", command.quoted(folder))
        :gsub("LUA", os.getenv "TARE_LUA" or "lua5.4"))
      assert.equal(0, code, stderr)
      assert.equal("wall\n", stdout)
    end)
end)

describe("a full collection", function()
  it("is timed within the run", function()
    local began_ns = core.now_ns()
    local result = tare.measure(function() return { 1 } end,
      { quota = "200x" })
    local took_ns = core.now_ns() - began_ns
    assert.is_true(result.full_time.value > 0)
    assert.is_true(result.full_time.value < took_ns)
  end)
end)

describe("a quota of calls", function()
  -- What is called at a quota, in whichever pass, and the result.
  local function calls_at(quota, gc)
    local calls = 0
    local result = tare.measure(function()
      calls = calls + 1
      return {}
    end, { quota = quota .. "x", gc = gc, resamples = 200 })
    return calls, result
  end

  for _, gc in ipairs(gc_option.names) do
    it("counts every call, with the collector " .. gc, function()
      for _, quota in ipairs { 1, 2, 3, 5, 20, 300 } do
        local calls, result = calls_at(quota, gc)
        assert.is_nil(result.error)
        assert.is_true(calls <= quota, calls .. " of " .. quota)
        assert.is_true(calls_of(result) >= 1)
        assert.is_number(result.time.value)
      end
    end)
  end

  it("is spent on batches that are as long as may be", function()
    -- Nothing is allocated: no call is needed to see whole collections.
    local calls = 0
    local result = tare.measure(function() calls = calls + 1 end,
      { quota = "10000x", resamples = 200 })
    table.sort(result.samples.iters)
    assert.is_true(#result.samples.iters <= 24)
    assert.is_true(result.samples.iters[1] > 50)
  end)
end)

describe("a quota of time", function()
  local kept = {}
  local function allocates()
    kept[1] = { {} }
    return kept
  end

  it("has one call at least, however short it is", function()
    for _, gc in ipairs(gc_option.names) do
      local result = tare.measure(allocates, { quota = "1us", gc = gc,
        resamples = 200 })
      assert.is_nil(result.error)
      assert.is_true(calls_of(result) >= 1)
    end
  end)

  it("says so where one call is longer", function()
    local result = tare.measure(function()
      local ended = core.now_ns() + 5e6
      while core.now_ns() < ended do end -- luacheck: ignore 542
    end, { quota = "2ms", resamples = 200 })
    assert.is_true(warns(result, "quota_exceeded"))
  end)
end)

describe("the census of a result", function()
  it("is exact: what a call allocates, by type", function()
    local kept = {}
    local result = tare.measure(function()
      kept[1], kept[2] = {}, {}
      return kept
    end, { quota = "2000x", resamples = 200 })
    assert.equal(2, result.allocs.value)
    local census = result.passes.census
    local tables = census.by_type.table -- this Lua may not tell
    assert.equal(_VERSION ~= "Lua 5.1", tables ~= nil)
    if tables then assert.equal(2 * census.iters, tables.allocs) end
    assert.equal(result.bytes.value, census.bytes / census.iters)
  end)

  it("is nothing for a function that allocates nothing", function()
    local result = tare.measure(function() return 1 end,
      { quota = "2000x", resamples = 200 })
    assert.equal(0, result.allocs.value)
    assert.equal(0, result.bytes.value)
  end)
end)

describe("the memory cap", function()
  it("ends a bench of which one call does not fit", function()
    local kept, made = nil, 0
    local result = tare.measure(function()
      made = made + 1
      kept = ("x"):rep(2 ^ 18) .. made
      return kept
    end, { gc = "stopped", memory_cap = "64KiB", quota = "100x" })
    assert.matches("one call allocated more than the memory cap of 64",
      result.error)
  end)

  it("keeps batches below it", function()
    local kept, made = {}, 0
    local result = tare.measure(function()
      made = made + 1
      kept[1] = ("x"):rep(1024) .. made
      return kept
    end, { gc = "stopped", memory_cap = "256KiB", quota = "3000x",
      resamples = 200 })
    assert.is_nil(result.error)
    for _, bytes in ipairs(result.samples.growth_bytes) do
      assert.is_true(bytes <= 2 ^ 18)
    end
    assert.is_true(warns(result, "stopped_is_biased"))
  end)
end)

describe("a result", function()
  it("has rates of what its calls process", function()
    local result = tare.measure({ run = function() return {} end,
      throughput = { items = 8 } }, { quota = "200x", resamples = 200 })
    assert.same({ items = 8 }, result.throughput)
  end)

  it("is of one process", function()
    assert.equal(1, tare.measure(function() end, { quota = "200x",
      resamples = 200 }).launches)
  end)

  it("is an error where the function raises, its teardown run", function()
    local torn = 0
    local result = tare.measure({ run = function() error("mine", 0) end,
      teardown = function() torn = torn + 1 end }, { quota = "20x" })
    assert.equal("mine", result.error)
    assert.equal(1, torn)
  end)

  it("is of a whole spec: its setup, arguments and own options", function()
    local seen = {}
    local result = tare.measure({ quota = "50x", loop = "call",
      setup = function() return "state" end,
      args = function(state) return state .. "'s" end,
      run = function(...) seen = { ... } end }, { resamples = 200 })
    assert.is_nil(result.error)
    assert.equal("call", result.loop)
    assert.same({ "state", "state's" }, seen)
    assert.has_error(function()
      tare.measure { run = print, params = { n = { 1, 2 } } }
    end, "tare.measure: 'params' give several benches: see tare.suite")
  end)

  it("may have what an empty loop costs subtracted", function()
    local result = tare.measure(function() return {} end,
      { quota = "100ms", net_of_loop = true, resamples = 200 })
    assert.is_true(#result.passes.empty.samples.iters >= 5)
    assert.equal(result.overhead == nil, warns(result, "loop_unknown"))
  end)

  it("is refused where one function is to be its own loop", function()
    assert.has_error(function()
      tare.measure(function() end, { loop = "batch" })
    end, "tare.measure: loop: 'batch' needs a bench with a function 'batch': "
      .. "see tare.suite")
  end)

  it("can't have launches", function()
    assert.has_error(function() tare.measure(print, { launches = 2 }) end,
      "tare.measure: launches: only 'tare run' and tare.main have child "
      .. "processes")
  end)
end)

describe("functions that are compared", function()
  it("are measured in turn, in the same rounds", function()
    local report = tare.compare({ a = function() return {} end,
      b = function() return {} end }, { quota = "2000x", resamples = 200 })
    assert.equal("compare/a", report.results[1].id)
    assert.same(report.results[1].samples.round,
      report.results[2].samples.round)
    assert.equal(1, #report.comparisons)
    assert.has_error(function()
      tare.compare({ a = print, b = print }, { order = "sequential" })
    end, "tare.compare: 'order' must be 'interleaved': ratios need benches "
      .. "that were measured in turn")
  end)

  it("are to agree where that is asked", function()
    local report = tare.compare({ a = function() return { 1 } end,
      b = function() return { 2 } end }, { quota = "40x", agree = true })
    assert.is_nil(report.results[1].error)
    assert.equal("does not agree with compare/a: the result[1] is 1 there, "
      .. "and 2 here", report.results[2].error)
  end)
end)

describe("a timeout", function()
  local function forever() while true do end end -- luacheck: ignore 542

  if Process.deadline_refusal() then
    it("is refused where none can be kept", function()
      assert.has_error(function()
        tare.measure(forever, { timeout = "20ms" })
      end, "tare.measure: timeout: " .. Process.deadline_refusal())
    end)
    return
  end

  it("ends a function that does not come back", function()
    local result = tare.measure(forever, { timeout = "20ms", quota = "1s" })
    assert.is_string(result.error)
    assert.is_true(warns(result, "timeout"))
  end)

  it("is a bench's own, and the others are measured", function()
    local report = tare.compare({ a = { run = forever, timeout = "20ms" },
      b = function() return 1 end }, { quota = "100x", resamples = 200 })
    assert.is_true(warns(report.results[1], "timeout"))
    assert.is_nil(report.results[2].error)
  end)

  it("is no limit of benches that come back in time", function()
    local result = tare.measure(function() return 1 end,
      { timeout = "10s", quota = "1000x", resamples = 200 })
    assert.is_nil(result.error)
    assert.is_nil((debug.gethook()))
  end)
end)

if not jit then return end

describe("the option 'jit' as a parameter", function()
  it("has the compiler on and off, and leaves it as it was", function()
    local suite, seen = tare.suite "s", {}
    suite:bench("f", { params = { jit = { true, false } },
      run = function(p) seen[tostring(p.jit)] = jit.status() end })
    local session = tare.session(suite, { quota = "60x", resamples = 50 })
    while not session:step(1000) do end -- luacheck: ignore 542
    local results = session:report().results
    assert.is_true((jit.status()))
    assert.same({ ["true"] = true, ["false"] = false }, seen)
    assert.same({ true, false }, { results[1].jit, results[2].jit })
  end)
end)
