-- After measurements in a host's own process, all is as the host had it.
local collector = require "spec.support.collector"
local core = require "tare.core"
local gc_option = require "tare.base.gc_option"
local tare = require "tare"

local is_stock_5_1 = _VERSION == "Lua 5.1" and not rawget(_G, "jit")

-- The collector's settings and the hook.
local function state_of_host()
  local state = core.gc_state()
  state.hook, state.hook_mask, state.hook_count = debug.gethook()
  return state
end

local function churn()
  local kept = {}
  for i = 1, 20 do kept[i] = { i } end
  return kept
end

local calls = 0

local BENCHES = {
  ["allocates"] = churn,
  ["raises"] = function() error "mine" end,
  ["raises after a while"] = function()
    calls = calls + 1
    if calls > 1 then error { "mine" } end
    return churn()
  end,
  ["stops the collector"] = function()
    collectgarbage "stop"
    return churn()
  end,
  ["restarts the collector"] = function()
    collectgarbage "restart"
    return churn()
  end,
  ["collects"] = function()
    collectgarbage "step"
    collectgarbage()
  end,
  ["tunes the collector"] = function()
    collector.set("pause", 150)
    collector.set("stepmul", 400)
    return churn()
  end,
  ["sets a hook"] = function() debug.sethook(churn, "c", 1000) end,
  ["raises and sets a hook"] = function()
    debug.sethook(churn, "", 7)
    error "mine"
  end,
  ["takes the hook away"] = function() debug.sethook() end,
  ["runs in a coroutine"] = function()
    return coroutine.wrap(function() return churn() end)()
  end,
}
if _VERSION >= "Lua 5.4" then
  BENCHES["changes the mode"] = function()
    collectgarbage(calls % 2 == 0 and "generational" or "incremental")
    calls = calls + 1
  end
end

local OPTIONS = {
  ["settings of its own"] = { gc_pause = 130, gc_step_multiplier = 300 },
}
for _, gc in ipairs(gc_option.names) do OPTIONS["mode " .. gc] = { gc = gc } end
if _VERSION >= "Lua 5.4" then
  OPTIONS["the other collector"] = { gc_mode = "incremental",
    gc_step_size = 10 }
end

local function measured(run, options)
  calls = 0
  local own = { quota = "6x", warmup = "2x", resamples = 200 }
  for name, value in pairs(options) do own[name] = value end
  return tare.measure(run, own)
end

describe("after a run the host finds as it was", function()
  local hooked
  before_each(function()
    hooked = 0
    debug.sethook(function() hooked = hooked + 1 end, "", 100000)
  end)
  after_each(function() debug.sethook() end)

  for setting, options in pairs(OPTIONS) do
    for name, run in pairs(BENCHES) do
      it("all of it, when a bench " .. name .. " in " .. setting, function()
        local before = state_of_host()
        math.randomseed(42)
        local expected = math.random()
        math.randomseed(42)
        local result = measured(run, options)
        local random = math.random()
        assert.same(before, state_of_host())
        assert.equal(expected, random)
        assert.equal(name:find "^raises" ~= nil, result.error ~= nil)
      end)
    end
  end

  it("all of it, after a profile of a bench that has settings of its own and "
    .. "can't be set up", function()
      local before = state_of_host()
      for _, options in pairs(OPTIONS) do
        local bench = { run = churn, setup = function() error "mine" end }
        for name, value in pairs(options) do bench[name] = value end
        if bench.gc_mode == before.mode then bench.gc_mode = "generational" end
        assert.error_matches(function() tare.profile(bench) end, "mine")
        assert.same(before, state_of_host())
      end
    end)

  if not is_stock_5_1 then -- which does not tell
    it("a collector that it had stopped", function()
      for _, options in pairs(OPTIONS) do
        for _, run in pairs(BENCHES) do
          collectgarbage "stop"
          measured(run, options)
          local is_running = collectgarbage "isrunning"
          collectgarbage "restart"
          assert.is_false(is_running)
        end
      end
    end)
  end

  it("its allocator", function()
    local outer
    local function run() measured(churn, {}) end
    outer = core.census(run, 1)
    assert.is_true(outer.allocs > 0)
    assert.is_true(core.census(churn, 1).allocs >= 20)
  end)
end)

describe("the collector that ran", function()
  -- Whether garbage of four times the heap is collected before it is all made:
  -- of small pieces, for some collectors do little work a piece.
  local function collects()
    local before, pad, last = collectgarbage "count", ("x"):rep(1024), 0
    for i = 1, 4 * before + 60000 do
      local _ = i .. pad
      local now = collectgarbage "count"
      if now < last then return true end
      last = now
    end
    return false
  end

  for _, gc in ipairs(gc_option.names) do
    it("runs again, asked or not, after mode " .. gc, function()
      for _, name in ipairs { "allocates", "stops the collector" } do
        collectgarbage "restart"
        collectgarbage()
        tare.measure(BENCHES[name], { quota = "3ms", gc = gc })
        assert.is_true(collects(), name)
      end
    end)
  end
end)
