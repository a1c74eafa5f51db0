local estimate = require "tare.analysis.estimate"
local schedule = require "tare.run.schedule"
local spans = require "tare.analysis.spans"

local NET_NS = 100

-- Batches of a mutator of 100 ns a call, and of a collection each so many
-- calls, whose cost is paid in the batches that 'pay' says, on a machine that
-- is slow in a third of the batches: their core was shared, and narrower.
local function samples(rows, period, cost_ns, pay)
  local random = schedule.generator(5)
  local made = { iters = {}, wall_ns = {}, start_ns = {}, gc_minor = {},
    gc_major = {}, width = {} }
  local calls, now = 0, 0
  for i = 1, rows do
    local iters = 1000 + random(2000)
    local before = math.floor(calls / period)
    local paid = pay(calls, calls + iters, period) * cost_ns
    calls = calls + iters
    local slow = random(3) == 1 and 1.5 or 1
    made.iters[i] = iters
    made.wall_ns[i] = (NET_NS * iters + paid) * slow * (1 + random(100) / 1e4)
    made.start_ns[i] = now
    made.gc_minor[i] = math.floor(calls / period) - before
    made.gc_major[i] = 0
    made.width[i] = slow > 1 and 1.5 or 3
    now = now + made.wall_ns[i]
  end
  return made, NET_NS + cost_ns / period
end

local PAID = {
  ["all at once"] = function(from, to, period)
    return math.floor(to / period) - math.floor(from / period)
  end,
  -- an incremental collector: it waits, then works in steps
  ["in steps, after a pause"] = function(from, to, period)
    local function work(at)
      local part = at / period
      local whole = math.floor(part)
      return whole + math.max(0, 2 * (part - whole) - 1)
    end
    return work(to) - work(from)
  end,
}

local function estimated(made)
  return estimate.per_call(made, "wall_ns", { confidence = 0.95 })
end

describe("a cost with collections in it", function()
  for way, pay in pairs(PAID) do
    it("is found where they are rare and paid " .. way, function()
      -- The fewer there are, the more it matters which were left out.
      for period, tolerance in pairs { [5e3] = 0.03, [2e4] = 0.06,
        [6e4] = 0.1 } do
        local made, truth = samples(600, period, 60 * period, pay)
        local found = estimated(made)
        assert.near_relative(truth, found.value, tolerance)
        assert.is_true(found.low < truth and truth < found.high)
      end
    end)
  end

  it("is what it was where each batch has its share", function()
    local made = samples(100, 200, 200 * 60, PAID["all at once"])
    local rows = {}
    for i = 1, 100 do rows[i] = i end
    assert.equal(100, #spans.of(made, "wall_ns", rows))
  end)

  it("keeps every call and all time in some span, launch by launch", function()
    local made = samples(300, 2e4, 1e6, PAID["all at once"])
    made.launch = {}
    local rows = {}
    for i = 1, 300 do made.launch[i], rows[i] = i > 150 and 2 or 1, i end
    local units = spans.of(made, "wall_ns", rows)
    local calls, time, expected = 0, 0, 0
    for _, unit in ipairs(units) do
      calls, time = calls + unit.iters, time + unit.value
    end
    for i = 1, 300 do
      calls, expected = calls - made.iters[i], expected + made.wall_ns[i]
    end
    assert.equal(0, calls)
    assert.near_relative(expected, time, 1e-12)
    assert.equal(1, units[1].launch)
    assert.equal(2, units[#units].launch)
    assert.is_true(#units >= 4 and #units < 60)
  end)

  it("leaves batches alone where there is hardly a collection", function()
    local made = samples(50, 4e4, 1e6, PAID["all at once"])
    local rows = {}
    for i = 1, 50 do rows[i] = i end
    assert.equal(50, #spans.of(made, "wall_ns", rows))
  end)

  it("keeps the calls of launches that have no whole span", function()
    local made = { iters = {}, wall_ns = {}, start_ns = {}, gc_minor = {},
      gc_major = {}, launch = {} }
    local rows = {}
    for i = 1, 80 do
      made.iters[i], made.wall_ns[i], made.start_ns[i] = 10, 1000, i % 20
      made.gc_minor[i] = i % 10 == 0 and 1 or 0
      made.gc_major[i], made.launch[i], rows[i] = 0, math.ceil(i / 20), i
    end
    local calls, launches = 0, {}
    for _, unit in ipairs(spans.of(made, "wall_ns", rows)) do
      calls = calls + unit.iters
      launches[unit.launch] = (launches[unit.launch] or 0) + 1
    end
    assert.equal(800, calls)
    assert.same({ 1, 1, 1, 1 }, launches)
  end)

  it("has its collections though launches began at the same time", function()
    local made = { iters = {}, wall_ns = {}, start_ns = {}, gc_minor = {},
      gc_major = {}, launch = {} }
    for launch = 1, 10 do
      for i = 1, 60 do
        local row, hit = #made.iters + 1, i % 10 == 0
        made.iters[row], made.launch[row] = 10, launch
        made.wall_ns[row] = hit and 6000 or 1000
        made.start_ns[row] = i * 1000
        made.gc_minor[row], made.gc_major[row] = hit and 1 or 0, 0
      end
    end
    assert.near_relative(150, estimated(made).value, 0.01)
  end)

  it("are so long that a coarse clock has moved in each", function()
    local random = schedule.generator(3)
    local made, now = { iters = {}, wall_ns = {} }, 0
    for i = 1, 400 do
      local iters = 1000 + random(3000)
      local ended = now + iters * NET_NS
      made.iters[i] = iters
      made.wall_ns[i] = 1e6 * (math.floor(ended / 1e6) - math.floor(now / 1e6))
      now = ended
    end
    local found = estimate.per_call(made, "wall_ns", { confidence = 0.95 })
    assert.is_true(found.low < NET_NS and found.high > NET_NS)
    assert.is_true(math.abs(found.value / NET_NS - 1) < 0.05)
    local _, joined = spans.of({ iters = { 1, 2 }, wall_ns = { 0, 0 } },
      "wall_ns", { 1, 2 })
    assert.is_false(joined)
  end)
end)
