local launches = require "tare.analysis.launches"

-- Two launches without noise within: 100 and 110 ns a call.
local function samples()
  local s = { iters = {}, wall_ns = {}, launch = {} }
  for row = 1, 20 do
    local launch = row <= 10 and 1 or 2
    s.iters[row], s.launch[row] = row % 10 + 1, launch
    s.wall_ns[row] = s.iters[row] * (90 + 10 * launch)
  end
  return s
end

describe("the spread of launches", function()
  it("is that of their estimates, beside that of batches within", function()
    local result = {}
    launches.add(result, samples())
    assert.is_true(math.abs(result.between.sd - math.sqrt(50)) < 1e-6)
    assert.is_true(math.abs(result.between.estimates[2] - 110) < 1e-6)
    assert.is_true(result.within.sd < 1e-6)
  end)

  it("weighs the batches within by their degrees of freedom", function()
    local s, result = { iters = {}, wall_ns = {}, launch = {} }, {}
    for row, ns in ipairs { 10, 12, 20, 26, 23 } do
      s.iters[row], s.wall_ns[row] = 1, ns
      s.launch[row] = row <= 2 and 1 or 2
    end
    launches.add(result, s)
    -- variances of 2 (of two batches) and 9 (of three)
    assert.near_relative(math.sqrt((2 * 1 + 9 * 2) / 3), result.within.sd,
      1e-12)
  end)

  it("is not told of a single launch", function()
    local s, result = samples(), {}
    for row = 1, 20 do s.launch[row] = 1 end
    launches.add(result, s)
    s.launch = nil
    launches.add(result, s)
    assert.same({}, result)
  end)

  it("makes the interval of the time as wide as the launches are apart",
    function()
      local fit = require("tare.analysis.fits").fit(samples(),
        { responder = "time", predictors = { "iters" }, intercept = true },
        { resamples = 1000, confidence = 0.95, seed = 1 })
      local time = fit.coefficients.iters
      assert.is_true(time.low < 100.01 and time.high > 109.99)
    end)
end)
