-- How many calls a batch has beside the collector's bursts: told of made-up
-- batches.
local Bursts = require "tare.conductor.bursts"

local CALL_NS = 1e3
local KEPT = 0.998 -- of the longest burst, with each batch

-- Bursts that have seen these batches, of 100 calls each that take CALL_NS as a
-- rule: { burst_ns =, grown =, after = bytes of the heap, major =, minor =,
-- cpu_ns = }
local function having_seen(batches, heap, step_ns)
  local bursts, heap_bytes = Bursts.new(heap or Bursts.heap()), 0
  local limits = { batch_ns = 1e6, step_ns = step_ns or 2e6,
    heap_bytes = batches[1] and batches[1].after
      and function() return heap_bytes end }
  for _, one in ipairs(batches) do
    heap_bytes = one.after
    bursts:saw("timed", { wall_ns = 100 * CALL_NS + (one.burst_ns or 0),
      cpu_ns = one.cpu_ns, growth_bytes = one.grown, gc_major = one.major,
      gc_minor = one.minor }, 100, 100 * CALL_NS, limits)
  end
  return bursts, limits, function(bytes) heap_bytes = bytes end
end

describe("calls of a batch", function()
  it("leave the step time for the longest burst", function()
    for _, case in ipairs {
      { bursts = {}, calls = 1000 },
      { bursts = { 0 }, calls = 1000 },
      { bursts = { 5e5 }, calls = 1000 }, -- as long as the step has for it
      { bursts = { 1e6 }, calls = 1000 },
      { bursts = { 1.5e6 }, calls = 500 },
      { bursts = { 1.6e6 }, calls = 400 },
      { bursts = { 0, 1.5e6, 1e5 }, calls = 503 }, -- slowly forgotten
      -- of a slow call as many as fit the step, and at least an eighth
      { bursts = { 2e6 }, calls = 76 },
      { bursts = { 9e6 }, calls = 50 },
    } do
      local seen = {}
      for i, ns in ipairs(case.bursts) do seen[i] = { burst_ns = ns } end
      local bursts, limits = having_seen(seen)
      assert.equal(case.calls, bursts:most_calls("timed", CALL_NS, limits))
      assert.equal(case.calls, bursts:planned_calls("timed", CALL_NS, limits))
      limits.step_ns = nil -- nobody waits
      assert.equal(1000, bursts:most_calls("timed", CALL_NS, limits))
    end
  end)

  it("are one at least", function()
    local bursts, limits = having_seen {}
    assert.equal(1, bursts:most_calls("timed", 5e6, limits))
    assert.equal(1, bursts:planned_calls("timed", 5e6, limits))
  end)

  it("have bursts of the processor's time, which others can't lengthen",
    function()
      local bursts, limits = having_seen { { burst_ns = 9e6, cpu_ns = 1e5 } }
      assert.equal(0, bursts:expected("timed", 100))
      assert.equal(1000, bursts:most_calls("timed", CALL_NS, limits))
    end)

  it("have another kind's bursts where none of their own was seen", function()
    local bursts, limits = having_seen { { burst_ns = 1.5e6 } }
    assert.equal(1.5e6, bursts:expected("other", 1))
    assert.equal(500, bursts:most_calls("other", CALL_NS, limits))
    bursts:saw("other", { wall_ns = 1e5 }, 100, 1e5)
    assert.equal(0, bursts:expected("other", 1))
    assert.equal(1.5e6, bursts:expected("timed", 1))
  end)

  -- A collection that began at 1 MB is over, and half of it freed.
  local COLLECTED = {
    { grown = 1e4, after = 1e6 }, -- 100 bytes per call
    { grown = 1e4, after = 1.01e6, burst_ns = 1.5e6 },
    { grown = -5e5, after = 5e5, major = 1 },
    { grown = 1e4, after = 5.1e5 },
  }

  it("are as many as fit until a collection begins, where that is known, and "
    .. "have no burst", function()
    local bursts, limits, set_heap = having_seen(COLLECTED)
    local burst_ns = 1.5e6 * KEPT ^ 2
    local beside = math.floor((2e6 - burst_ns) / CALL_NS)
    for _, case in ipairs {
      { heap_bytes = 5.1e5, calls = 1000, calm = 3675 },
      { heap_bytes = 9e5, calls = 750, calm = 750 },
      { heap_bytes = 9.9e5, calls = beside, calm = 75 },
      { heap_bytes = 9.999e5, calls = beside, calm = 0 },
      { heap_bytes = 1.1e6, calls = beside, calm = 0 },
    } do
      set_heap(case.heap_bytes)
      assert.equal(case.calls, bursts:most_calls("timed", CALL_NS, limits))
      assert.equal(case.calm > 0 and 0 or burst_ns,
        bursts:expected("timed", case.calm))
      assert.equal(burst_ns, bursts:expected("timed", case.calm + 1))
      assert.equal(1000, bursts:planned_calls("timed", CALL_NS, limits))
    end
  end)

  it("leave time for a burst while a collection is under way", function()
    for seen = 2, 3 do -- it has begun; it has ended, but not swept all
      local bursts, limits = having_seen { COLLECTED[1], COLLECTED[2],
        seen == 3 and COLLECTED[3] or nil }
      bursts:most_calls("timed", CALL_NS, limits)
      assert.equal(1.5e6 * KEPT ^ (seen - 2), bursts:expected("timed", 1))
    end
    local bursts, limits, set_heap = having_seen(COLLECTED)
    set_heap(4e5) -- it is swept between two batches
    bursts:most_calls("timed", CALL_NS, limits)
    assert.equal(1.5e6 * KEPT ^ 2, bursts:expected("timed", 1))
  end)

  it("have time to sweep a heap as a collector does that works in proportion",
    function()
      for _, case in ipairs {
        { heap_bytes = 1.5e6, calls = 1000 }, -- so small that a step sweeps it
        { heap_bytes = 1.6e6, calls = 266 }, -- of 1 us and of 1000 bytes
        { heap_bytes = 9e6, calls = 266 },
        { heap_bytes = 9e6, calls = 525, more = 20 }, -- no burst for long
      } do
        local batches = { { grown = 1e5, after = case.heap_bytes } }
        for i = 1, case.more or 0 do batches[1 + i] = batches[1] end
        local bursts, limits = having_seen(batches, Bursts.heap(true))
        assert.equal(case.calls, bursts:most_calls("timed", CALL_NS, limits))
      end
    end)

  it("cost what was seen of a collector that works in proportion, per byte",
    function()
      for _, case in ipairs {
        { burst_ns = 1.5e6, heap_bytes = 5e6, calls = 100 }, -- 15 ns
        { burst_ns = 3e5, heap_bytes = 5e6, calls = 267 }, -- hardly less
        -- what is marked at once is in proportion to the heap
        { burst_ns = 1.5e6, heap_bytes = 1e8, calls = 267 },
      } do
        local bursts, limits = having_seen({
          { grown = 1e5, after = case.heap_bytes },
          { grown = 1e5, after = case.heap_bytes, burst_ns = case.burst_ns },
        }, Bursts.heap(true))
        assert.equal(case.calls, bursts:most_calls("timed", CALL_NS, limits))
      end
    end)
end)

describe("the size of the heap at which a collection begins", function()
  -- As the calls tell that have no burst in a heap of half a megabyte, of 100
  -- bytes each: three quarters of those that it has room for.
  local function begins_at(batches, step_ns)
    local bursts, limits, set_heap = having_seen(batches, nil, step_ns)
    set_heap(5e5)
    bursts:most_calls("timed", CALL_NS, limits)
    local calm = 0
    if bursts:expected("timed", 1e6) == 0 then return nil end -- it knows none
    while bursts:expected("timed", calm + 1) == 0 do calm = calm + 1 end
    return calm > 0 and 5e5 + calm * 100 / 0.75 or nil
  end

  local FREED = { grown = -5e5, after = 5e5, major = 1 }
  local FREED_UNSEEN = { grown = -5e5, after = 5e5 }
  local FREED_BY_MINOR = { grown = -5e5, after = 5e5, minor = 1 }
  local GROWS = { grown = 1e4, after = 5.1e5 }
  local function quiet(after) return { grown = 1e4, after = after } end
  local function burst(after, ns)
    return { grown = 1e4, after = after, burst_ns = ns or 1e6 }
  end

  it("is learned of the heap before a burst", function()
    for _, case in ipairs {
      { at = 1e6, quiet(1e6), burst(1.01e6), FREED, GROWS },
      { at = 1e6, quiet(1e6), burst(1.01e6), FREED_UNSEEN, GROWS },
      { at = 1e6, quiet(1e6), burst(1.01e6), FREED_BY_MINOR, GROWS },
      { at = 1e6, quiet(8e5), burst(1.01e6), FREED, GROWS },
      -- It was larger before, so this one began at the end of the batch.
      { at = 1.01e6, quiet(1.2e6), quiet(6e5), burst(1.01e6), FREED, GROWS },
      { at = 9.1e5, quiet(1e6), burst(1.01e6), FREED, GROWS, quiet(8e5),
        burst(9.1e5), FREED, GROWS },
      -- What frees nothing has not ended.
      { at = nil, quiet(1e6), burst(1.01e6), quiet(1.02e6) },
      { at = nil, quiet(1e6), burst(1.01e6), FREED },
      { at = nil, quiet(1e6), quiet(1.01e6) },
    } do
      local at = begins_at(case)
      if case.at then
        assert.near(case.at, at, 140)
      else
        assert.is_nil(at)
      end
    end
  end)

  it("is expected further on where the heap is beyond it, each time twice as "
    .. "far", function()
    local batches = { quiet(1e6), burst(1.01e6), FREED, GROWS }
    for i, further in ipairs { 100, 200, 400, 800, 1600 } do
      batches[#batches + 1] = quiet(1e6 + 1e4 * i)
      batches[#batches + 1] = FREED_UNSEEN
      assert.near(1e6 + 1e4 * i + further, begins_at(batches), 140)
    end
    -- A batch that allocates next to nothing of a large heap says nothing.
    assert.near(1e6, begins_at { quiet(1e6), burst(1.01e6), FREED, GROWS,
      quiet(3e6), FREED_UNSEEN }, 140)
  end)

  it("is not learned of what others may have taken", function()
    -- A tenth of a step, and half of what the calls take as a rule: 50 us
    for _, case in ipairs { { step_ns = 2e6, none = 1.9e5, some = 2.1e5 },
      { step_ns = 2e5, none = 4e4, some = 6e4 } } do
      for _, name in ipairs { "none", "some" } do
        local at = begins_at({ quiet(1e6), burst(1.01e6, case[name]), FREED,
          GROWS }, case.step_ns)
        assert.equal(name == "some", at ~= nil)
      end
    end
  end)

  it("lets no burst be forgotten by batches that are done before it", function()
    for _, case in ipairs { { heap_bytes = 5.1e5, is_kept = true },
      { heap_bytes = 9.9e5, is_kept = false } } do
      local bursts, limits, set_heap = having_seen { quiet(1e6),
        burst(1.01e6), FREED, GROWS }
      set_heap(case.heap_bytes)
      bursts:most_calls("timed", CALL_NS, limits)
      local before_ns = bursts:expected("timed", 1e9)
      bursts:saw("timed", { wall_ns = 1e5 }, 100, 1e5, limits)
      assert.equal(case.is_kept and before_ns or KEPT * before_ns,
        bursts:expected("timed", 1e9))
    end
  end)
end)
