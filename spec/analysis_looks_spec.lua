local estimate = require "tare.analysis.estimate"
local looks = require "tare.analysis.looks"
local made = require "spec.support.made_numbers"

local CALL_NS = 100
local MOST_ROWS = 400

-- Batches of 1e3 to 2e3 calls with so much noise.
local function row(samples, i, uniform, normal, noise)
  samples.iters[i] = 1000 + math.floor(1000 * uniform())
  samples.wall_ns[i] = samples.iters[i] * CALL_NS * (1 + noise * normal())
  samples.start_ns[i] = i
end

-- One run that stops early; its interval, as far as the run shows it.
local function run(uniform, normal, settings)
  local samples = { iters = {}, wall_ns = {}, start_ns = {} }
  local rows = 0
  repeat
    rows = rows + 1
    row(samples, rows, uniform, normal, settings.noise)
  until rows == MOST_ROWS
    or looks.due(rows) and looks.narrow(samples, settings)
  local found = estimate.per_call(samples, "wall_ns", { estimator = "ols",
    confidence = looks.confidence(settings.confidence) })
  return found, rows
end

describe("stopping at a precision", function()
  it("looks at few numbers of rows, fixed beforehand", function()
    local at = {}
    for rows = 1, 2000 do if looks.due(rows) then at[#at + 1] = rows end end
    assert.same({ 40, 80, 160, 320, 640 }, at)
  end)

  it("keeps the coverage that was asked for", function()
    local uniform, normal = made.uniform(7), made.normal(8)
    local settings = { precision = 0.01, confidence = 0.95, noise = 0.006,
      estimator = "ols" }
    local held, early, runs = 0, 0, 400
    for _ = 1, runs do
      local found, rows = run(uniform, normal, settings)
      if math.abs(found.value - CALL_NS) <= found.within then
        held = held + 1
      end
      if rows < MOST_ROWS then early = early + 1 end
    end
    assert.is_true(early > 0.9 * runs, early .. " stopped early")
    assert.is_true(held >= 0.95 * runs, held .. " of " .. runs .. " held")
  end)

  it("goes on where noise is too much for it", function()
    local _, rows = run(made.uniform(7), made.normal(8), { precision = 1e-4,
      confidence = 0.95, noise = 0.05, estimator = "ols" })
    assert.equal(MOST_ROWS, rows)
  end)

  it("goes on until the whole interval is within it, if it can be", function()
    local settings = { precision = 0.042, confidence = 0.95, noise = 0.02,
      estimator = "ols" }
    local found, rows = run(made.uniform(7), made.normal(8), settings)
    assert.is_true(rows < MOST_ROWS)
    assert.is_true(found.high - found.value <= 0.042 * found.value)
  end)

  it("is said to have missed where the interval is wider", function()
    local time = { value = 100, low = 97, high = 103 }
    assert.is_true(looks.missed { precision = 0.02, time = time })
    assert.is_false(looks.missed { precision = 0.03, time = time })
    assert.is_false(looks.missed { time = time })
    assert.is_false(looks.missed { precision = 0.02, time = { value = 1 } })
  end)
end)
