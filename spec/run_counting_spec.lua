local clocked = require "spec.support.clocked"
local counting = require "tare.run.counting"
local schedule = require "tare.run.schedule"

local function sorted(list)
  table.sort(list)
  return list
end

describe("the short batches that tell collections from calls", function()
  local function sizes(calls, call_ns, budget_ns)
    return counting.sizes(calls, call_ns, budget_ns, schedule.generator(1))
  end

  it("go from a few calls to a little more than lie between two", function()
    local list = sorted(sizes(1000, 100, 1e9))
    assert.equal(160, #list)
    assert.is_true(list[1] < 10)
    assert.equal(1250, list[160])
    local below = 0
    for _, size in ipairs(list) do
      if size < 625 then below = below + 1 end
    end
    assert.is_true(math.abs(below - 80) <= 2)
  end)

  it("are shuffled, the same for a seed", function()
    local list = sizes(1000, 100, 1e9)
    assert.same(list, sizes(1000, 100, 1e9))
    assert.not_same(list, sorted(sizes(1000, 100, 1e9)))
  end)

  it("are as many as the budget holds, or none", function()
    local list, total = sizes(1e4, 100, 6e7), 0
    assert.is_true(#list < 160 and #list >= 40)
    for _, size in ipairs(list) do total = total + size * 100 end
    assert.is_true(total < 6e7 * 1.3)
    assert.is_nil(sizes(1e6, 100, 6e7))
  end)

  it("have a call at least, where a call has many collections", function()
    for _, size in ipairs(sizes(0.01, 1e5, 1e9)) do
      assert.is_true(size >= 1 and size <= 2)
    end
  end)

  -- The passes of a run with time for all that it wants, which is ended before
  -- its timed batches.
  local kept, text = {}, ("x"):rep(3e4)
  local function passes_of(given)
    given.quota, given.warmup = "20s", "5ms"
    local runner = clocked(function() kept[1] = text .. #kept end, given)
    repeat runner:step() until runner.trials[1].stage == "measure"
    runner:close()
    assert.is_nil(runner.trials[1].error)
    return runner.trials[1].passes
  end

  it("are a pass of the generational collector alone", function()
    local is_generational = _VERSION == "Lua 5.4"
    local passes = passes_of { gc_mode = is_generational and "generational"
      or nil }
    assert.is_string(kept[1])
    assert.equal(is_generational, passes.counts ~= nil)
    if not is_generational then return end
    local minor = 0
    for _, n in ipairs(passes.counts.samples.gc_minor) do minor = minor + n end
    assert.is_true(minor > 5)
    assert.is_nil(passes_of { gc_mode = "incremental" }.counts)
    assert.is_nil(passes_of { gc_mode = "generational", split = false }.counts)
  end)
end)
