-- The one file for hosts without C: what it makes is a report like any other.
local cjson = require "cjson"
local command = require "spec.support.command"
local lite = require "tare.lite"
local report = require "tare.cli.report"
local settings = require "tare.cli.settings"
local store_schema = require "tare.store.schema"

-- A clock, in seconds, that functions move.
local function made_clock()
  local time = 0
  return function()
    time = time + 1e-7 -- a reading takes a tick
    return time
  end, function(ns)
    return function() time = time + ns / 1e9 end
  end
end

local function measured(benches, options)
  return cjson.decode(lite.run("s", benches, options))
end

describe("tare.lite", function()
  local clock, takes
  before_each(function() clock, takes = made_clock() end)

  local function both()
    return { { name = "slow", run = takes(3000) },
      { name = "quick", run = takes(1000), baseline = true } }
  end

  it("makes a sound report", function()
    local made = measured(both(), { clock = clock, quota = 0.05 })
    assert.is_true(store_schema.check(made))
    assert.equal("s/slow", made.results[1].id)
  end)

  it("writes null for a time that the clock has spoilt", function()
    local take, calls, is_broken = takes(3000), 0, false
    local text = lite.run("s", { { name = "a", run = function()
      take()
      calls = calls + 1
      is_broken = is_broken or calls == 10000
    end } }, { quota = 0.05, clock = function()
      local time = clock()
      if not is_broken then return time end
      is_broken, calls = false, 1e9
      return 1 / 0
    end })
    assert.matches("[%[,]null[%],]", text)
    assert.is_nil(text:find "inf", text)
  end)

  it("needs no library of the system, and reads no global that may lack",
    function()
      local globals = { _VERSION = _VERSION }
      for _, name in ipairs { "collectgarbage", "error", "getmetatable",
        "ipairs", "load", "loadstring", "math", "next", "pairs", "pcall",
        "rawget", "select", "setmetatable", "string", "table", "tonumber",
        "tostring", "type", "unpack" } do
        globals[name] = rawget(_G, name)
      end
      globals._G = globals
      setmetatable(globals, { __index = function(_, name)
        error("nonexistent global variable '" .. name .. "'", 2)
      end })
      local text = command.read "lua/tare/lite.lua"
      local load_in = rawget(_G, "setfenv")
      local chunk = load_in and load_in(assert(loadstring(text)), globals)
        or assert(load(text, "=lite", "t", globals))
      local made = cjson.decode(chunk().run("s", both(), { clock = clock,
        quota = 0.05 }))
      assert.is_true(store_schema.check(made))
    end)

  it("fills the quota with batches of many sizes", function()
    local made = measured(both(), { clock = clock, quota = 0.05 })
    for _, result in ipairs(made.results) do
      local sum, sizes, seen = 0, 0, {}
      for i, iters in ipairs(result.samples.iters) do
        sum = sum + result.samples.wall_ns[i]
        if not seen[iters] then sizes, seen[iters] = sizes + 1, true end
      end
      assert.is_true(sizes >= 10, sizes .. " sizes")
      assert.is_true(sum > 0.03e9 and sum < 0.06e9, sum .. " ns")
    end
  end)

  it("keeps to the quota, however long a call takes", function()
    for _, call_ns in ipairs { 100, 1e4, 3e5, 2e6, 7e6 } do
      local made = measured({ { name = "one", run = takes(call_ns) } },
        { clock = clock, quota = 0.1 })
      local sum = 0
      for _, ns in ipairs(made.results[1].samples.wall_ns) do sum = sum + ns end
      -- a tenth of it is the warm-up's
      assert.is_true(sum > 0.08e9 and sum < 0.0905e9, call_ns .. ": " .. sum)
    end
  end)

  it("has batches of two calls, too, where a call fills a batch", function()
    local made = measured({ { name = "long", run = takes(2e7) } },
      { clock = clock, quota = 1 })
    local count = { 0, 0 }
    for _, iters in ipairs(made.results[1].samples.iters) do
      count[iters] = count[iters] + 1
    end
    assert.is_true(count[1] > count[2] and count[2] >= 5, count[2])
  end)

  it("plans no shorter batches after an interruption of the warm-up", function()
    local call, interrupt, done = takes(1000), takes(3e6), false
    local function run()
      call()
      if clock() > 4.6e-3 and not done then
        done = true
        interrupt()
      end
    end
    local iters = measured({ { name = "a", run = run } },
      { clock = clock, quota = 0.05 }).results[1].samples.iters
    table.sort(iters)
    assert.is_true(done)
    assert.is_true(iters[1] >= 1000, iters[1] .. " calls")
  end)

  it("measures calls that are long one and two at a time", function()
    local iters = measured({ { name = "a", run = takes(2e7) } },
      { clock = clock, quota = 2 }).results[1].samples.iters
    local sizes = {}
    for _, size in ipairs(iters) do sizes[size] = (sizes[size] or 0) + 1 end
    assert.is_true(sizes[1] > 1 and sizes[2] > 1)
    assert.equal(#iters, sizes[1] + sizes[2])
  end)

  it("is analysed by tare with its mathematics, and compared", function()
    local made = measured(both(), { clock = clock, quota = 0.05 })
    local read = assert(settings.read({}, settings.stored(made.options)))
    local again = assert(report.again(made, read, false))
    assert.is_near(3000, again.results[1].time.value, 30)
    assert.is_near(1000, again.results[2].time.value, 10)
    assert.is_near(3, again.comparisons[1].ratio.value, 0.05)
    assert.equal("slower", again.comparisons[1].verdict)
  end)

  it("counts collections where each goes through the whole heap", function()
    local take = takes(1e6)
    local function run()
      take()
      collectgarbage()
    end
    local made = measured({ { name = "a", run = run },
      { name = "b", run = takes(1000) } }, { clock = clock, quota = 0.05 })
    assert.is_true(store_schema.check(made))
    local samples = made.results[1].samples
    if _VERSION >= "Lua 5.4" then return assert.is_nil(samples.gc_major) end
    assert.same(samples.iters, samples.gc_major)
    for _, count in ipairs(made.results[2].samples.gc_major) do
      assert.equal(0, count)
    end
  end)

  it("has no count of collections where finalizers are not run", function()
    local own = collectgarbage
    rawset(_G, "collectgarbage", function(what)
      if what ~= "count" then error "not here" end
      return own "count"
    end)
    local ok, made = pcall(measured, both(), { clock = clock, quota = 0.05 })
    rawset(_G, "collectgarbage", own)
    assert(ok, made)
    assert.is_true(store_schema.check(made))
    assert.is_nil(made.results[1].samples.gc_major)
  end)

  it("has the same sizes for the same seed, others for another", function()
    local function sizes(seed)
      local own, moves = made_clock()
      local made = measured({ { name = "a", run = moves(1000) } },
        { clock = own, quota = 0.02, seed = seed })
      return made.results[1].samples.iters
    end
    assert.same(sizes(1), sizes(1))
    assert.are_not.same(sizes(1), sizes(2))
  end)

  it("reports a bench that fails beside those that don't", function()
    local function bad() error "no \"x\"" end
    local made = measured({ { name = "bad", run = bad },
      { name = "good", run = takes(1000) } }, { clock = clock, quota = 0.02 })
    assert.matches('no "x"', made.results[1].error, 1, true)
    assert.is_nil(made.results[1].samples)
    assert.is_true(#made.results[2].samples.iters > 10)
  end)

  it("needs no file but its own", function()
    local code, out = command.shell(("%s -e %s"):format(
      os.getenv "TARE_LUA" or "lua5.4", [['
        package.path, package.cpath = "", ""
        local lite = dofile "lua/tare/lite.lua"
        local function f() return {} end
        local benches = { { name = "a", run = f } }
        io.write(lite.run("s", benches, { quota = 0.01 }))']]))
    assert.equal(0, code)
    assert.is_true(store_schema.check(cjson.decode(out)))
  end)

  it("has only words that Luau and Lua 5.1 have", function()
    local text = assert(io.open "lua/tare/lite.lua"):read "*a"
    assert.is_nil(text:find "%f[%w]goto%f[%W]")
    assert.is_nil(text:find("//", 1, true))
    assert.is_nil(text:find "require%s*[%(\"']")
  end)

  it("leaves a collector stopped that was", function()
    collectgarbage "stop"
    local can_tell, before = pcall(collectgarbage, "isrunning")
    measured(both(), { clock = clock, quota = 0.05 })
    local _, after = pcall(collectgarbage, "isrunning")
    collectgarbage "restart"
    if can_tell then assert.same({ false, false }, { before, after }) end
  end)

  it("refuses what it can't measure", function()
    local one = { { name = "a", run = print } }
    assert.has_error(function() lite.run(nil, one) end,
      "tare.lite: the suite's name must be a string, got nil")
    assert.has_error(function() lite.run("s", {}) end,
      "tare.lite: the benches must be a list of { name =, run = }")
    assert.has_error(function() lite.run("s", { { name = "a" } }) end,
      "tare.lite: bench 1 must have a 'name', a string, and 'run', a function")
    assert.has_error(function()
      lite.run("s", { one[1], { name = "b", run = print }, one[1] })
    end, "tare.lite: bench 3 has the name of bench 1, 'a'")
    assert.has_error(function() lite.run("s", one, { qouta = 3 }) end,
      "tare.lite: no such option: 'qouta'; there are clock, quota and seed")
    assert.has_error(function() lite.run("s", one, { quota = 0 }) end,
      "tare.lite: 'quota' must be seconds, more than 0")
    for _, quota in ipairs { math.huge, 0 / 0, "1s" } do
      assert.has_error(function() lite.run("s", one, { quota = quota }) end,
        "tare.lite: 'quota' must be seconds, more than 0")
    end
    for _, seed in ipairs { 0.5, 0 / 0, math.huge, "1" } do
      assert.has_error(function() lite.run("s", one, { seed = seed }) end,
        "tare.lite: 'seed' must be a whole number")
    end
    local ok, message = pcall(function()
      local made = lite.run("s", one, "1s")
      return made
    end)
    assert.is_false(ok)
    assert.matches("lite_spec%.lua:%d+: tare%.lite: 'options' must be a table, "
      .. "got string", message)
    assert.has_error(function() lite.run("s", one, { clock = 1 }) end,
      "tare.lite: 'clock' must be a function that returns seconds")
    assert.has_error(function()
      lite.run("s", { { name = "a", run = print, baseline = print } })
    end, "tare.lite: 'baseline' of bench 1 must be true or false")
  end)

  it("refuses whatever is no bench, and says which it is", function()
    local good = { name = "good", run = print }
    for _, bad in ipairs { 5, "a", true, print, {}, { name = "a" },
      { run = print }, { name = 5, run = print }, { name = true, run = print },
      { name = "a", run = "print" }, { name = "a", run = {} } } do
      for at, benches in ipairs { { bad, good }, { good, bad } } do
        assert.has_error(function() lite.run("s", benches) end,
          ("tare.lite: bench %d must have a 'name', a string, and 'run', a "
            .. "function"):format(at))
      end
    end
  end)

  it("refuses a clock that stands still, as one that is set once a frame does",
    function()
      assert.has_error(function()
        lite.run("s", both(), { clock = function() return 5 end })
      end, "tare.lite: 'clock' stands still: it must move on within a call")
    end)
end)
