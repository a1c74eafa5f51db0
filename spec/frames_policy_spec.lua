local core = require "tare.core"
local tare = require "tare"

local HAS_MODES = _VERSION >= "Lua 5.4"
local IS_5_1 = _VERSION == "Lua 5.1" and not jit

local function frame()
  local list = {}
  for i = 1, 500 do list[i] = { i } end
  return list
end

-- Whether the collector runs by itself, which 5.1 can't be asked.
local function runs()
  local watch = core.gcwatch()
  watch:arm()
  for _ = 1, 1000 do frame() end
  local minor, major = watch:counts()
  watch:disarm()
  return minor + major > 0
end

describe("a policy that is applied", function()
  after_each(function() collectgarbage "restart" end)

  it("collects in its calls alone, and keeps the heap small", function()
    for _, name in ipairs { "step", "spare" } do
      collectgarbage()
      local most_kb = 3 * collectgarbage "count" + 1e4
      local watch = core.gcwatch()
      local policy = tare.frames.policy(name)
      watch:arm()
      local outside = 0
      for _ = 1, 1000 do
        local minor, major = watch:counts()
        frame()
        local later_minor, later_major = watch:counts()
        outside = outside + later_minor + later_major - minor - major
        policy:after(5)
        assert.is_true(collectgarbage "count" < most_kb)
      end
      local minor, major = watch:counts()
      watch:disarm()
      policy:close()
      assert.equal(0, outside)
      assert.is_true(minor + major > 1)
    end
  end)

  it("counts what 'spare' took beyond its time", function()
    local policy = tare.frames.policy "spare"
    for _ = 1, 1000 do
      frame()
      policy:after(0) -- no time at all: it collects where it must
    end
    policy:close()
    assert.is_true(policy.overruns > 0)
    assert.is_true(policy.overrun_ms > 0)
  end)

  it("gives the collector back as it was found", function()
    local before = core.gc_state()
    for _, name in ipairs { "automatic", "incremental", "step", "spare",
      HAS_MODES and "generational" or nil } do
      local policy = tare.frames.policy(name, name ~= "automatic"
        and name ~= "generational" and { pause = 300 } or nil)
      policy:after(1)
      policy:close()
      policy:close()
      policy:after(1)
      assert.same(before, core.gc_state())
    end
  end)

  it("leaves the collector to one that began later, until that is closed too",
    function()
      local before = core.gc_state()
      local first = tare.frames.policy "step"
      local second = tare.frames.policy "spare"
      local third = tare.frames.policy "incremental"
      first:close()
      assert.is_true(runs())
      third:close()
      assert.is_false(runs()) -- before a frame's end could stop it
      second:after(1)
      assert.is_false(runs())
      second:close()
      assert.same(before, core.gc_state())
      assert.is_true(runs())
      first:close()
      third:after(1)
      assert.same(before, core.gc_state())
    end)

  it("starts a collector that the host has stopped, and stops it again",
    function()
      collectgarbage "stop"
      local policy = tare.frames.policy "incremental"
      assert.is_true(runs())
      policy:close()
      assert.equal(IS_5_1, runs())
    end)

  it("collects nothing while the collector is that of a later one", function()
    local first = tare.frames.policy "step"
    local second = tare.frames.policy "automatic"
    local before = collectgarbage "count"
    for _ = 1, 50 do
      frame()
      first:after(1)
    end
    assert.is_true(collectgarbage "count" > before + 500)
    second:close()
    first:close()
  end)

  it("takes what tare.frames recommends", function()
    local found = tare.frames(frame, { frames = 20 })
    local policy = tare.frames.policy(found.recommendation)
    assert.equal(found.recommendation.policy, policy.name)
    policy:close()
    for _, played in ipairs(found.policies) do
      tare.frames.policy(played.policy, played.settings):close()
    end
  end)

  it("has a name and settings that there are", function()
    local names = "expected one of the policies automatic, incremental, "
      .. (HAS_MODES and "generational, " or "") .. "step, spare, got "
    assert.has_error(function() tare.frames.policy "steps" end,
      "tare: " .. names .. "steps")
    assert.has_error(function() tare.frames.policy() end,
      "tare: " .. names .. "nil")
    assert.error_matches(function()
      tare.frames.policy("step", { step = 1 })
    end, "settings must be a table of step_kb, pause, step_multiplier")
    assert.error_matches(function() tare.frames.policy("step", 3) end,
      "settings must be a table of")
  end)
end)
