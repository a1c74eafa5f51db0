-- Numbers that functions of the core take: up to both ends, and not beyond.
local core = require "tare.core"
local stats = core.stats

local NAN, INF = 0 / 0, math.huge
local function nothing() end

-- A number in each argument: what is taken, and what is refused.
local RANGES = {
  { "steps of chain_read", core.chain_read, { 1 }, { 0.999, 1e9 + 1, INF } },
  { "samples", core.samples, { 2 }, { 1.999, 1e7 + 1, INF } },
  { "budget of frames", function(x) return core.frames(x, 1) end,
    { 1e-9, 1e12 }, { 0, -1, 1e12 + 1, INF } },
  { "rows of frames", function(x) return core.frames(16, x) end,
    { 1 }, { 0.999, 1e7 + 1, INF } },
  { "frames of a profile", function(x)
    local recorder = core.frames(16, 1)
    core.frames_profile(recorder, x, {})
    recorder:__gc()
  end, { 1, 1e9 }, { 0.999, 1e9 + 1, INF } },
  { "calls of a profile", function(x)
    return core.profile(nothing, x, 0, {})
  end, { 1 }, { 0.999, 2 ^ 53 + 2, INF } },
  { "calls before a profile", function(x)
    return core.profile(nothing, 1, x, {})
  end, { 0 }, { -1, 1e9 + 1, INF } },
  { "calls of a census", function(x) return core.census(nothing, x) end,
    { 1 }, { 0.999, 2 ^ 53 + 2, INF } },
  { "calls of instructions", function(x)
    return core.instructions(nothing, x)
  end, { 1 }, { 0.999, 2 ^ 53 + 2, INF } },
  { "a limit", function(x)
    local meter = core.meter()
    meter:limit(x)
    meter:limit()
  end, { 0, 1e6, 4e18 }, { -1, 4.1e18, INF } },
  { "a clock's move", function(x)
    local meter = core.meter { manual_tick_ns = 1 }
    meter:advance(5)
    meter:advance(x)
  end, { -5, 0, 1e18 }, { -6, 1.1e18, INF } },
  { "a mode", function(x) return core.unnamed_file("/no/folder", x) end,
    { 0, 511 }, { -1, 512, INF } },
  { "a file to lock", core.lock_file, {}, { -1, 2 ^ 31, INF } },
  { "p of a quantile", function(x) return stats.quantile({ 1, 2 }, x) end,
    { 0, 1 }, { -1e-9, 1 + 1e-9, INF } },
  { "a share to trim", function(x) return stats.trimmed_mean({ 1, 2 }, x) end,
    { 0, 0.499 }, { -1e-9, 0.5, INF } },
  { "a lag", function(x) return stats.autocorrelation({ 1, 2, 4 }, x) end,
    { 1, 2 }, { 0, 1.5, 3, INF } },
  { "a mean", function(x) return stats.outlier_variance(x, 1, 9) end,
    { -1e150, 1e150 }, { -1.1e150, 1.1e150, INF } },
  { "a deviation", function(x) return stats.outlier_variance(1, x, 9) end,
    { 0, 1e150 }, { -1e-9, 1.1e150, INF } },
  { "a count", function(x) return stats.outlier_variance(1, 1, x) end,
    { 1, 1e300 }, { 0.999, INF } },
  { "rows to draw", function(x) return stats.draws(x) end,
    { 1 }, { 0.999, 1e7 + 1, INF } },
  { "words", function(x) return stats.random_words(x, 1) end, { 0, 1 },
    { -1, 1e7 + 1, INF } },
  { "a seed", function(x) return stats.random_words(1, x) end,
    { 0, 2 ^ 53 }, { -1, 2 ^ 53 + 2, INF } },
  { "a state", function(x) return stats.random_words(1, { 1, 2, 3, x }) end,
    { 0, 2 ^ 53 }, { -1, 2 ^ 53 + 2, INF } },
  { "p to adjust", function(x) return stats.holm { 0.5, x } end,
    { 0, 1 }, { -1e-9, 1 + 1e-9, INF } },
  { "p of the normal", stats.normal_quantile, { 1e-300, 0.999 }, { 0, 1 } },
  { "p of Student's t", function(x) return stats.t_quantile(x, 4) end,
    { 1e-9, 0.999 }, { 0, 1 } },
  { "degrees of freedom", function(x) return stats.t_quantile(0.9, x) end,
    { 1, 1e9 }, { 0.999, -1 } },
  { "a place of the normal", stats.normal_cdf, { -INF, INF }, {} },
  { "a confidence", function(x)
    return stats.sign_interval({ 1, 2, 3 }, x)
  end, { 1e-9, 1 - 1e-9 }, { 0, 1, -1 } },
  { "a ratio", function(x) return stats.sign_interval { 1, x, 3 } end,
    { 1e-300 }, { 0, -1 } },
  { "a size", function(x)
    return stats.growth({ x, 1e3, 1e4, 1e5 }, { 1, 2, 3, 4 })
  end, { 1 }, { 0, -1, 1.1e100 } },
  { "tau", function(x)
    return stats.quantile_line({ 1, 2, 3 }, { 1, 2, 4 }, x)
  end, { 0.01, 0.99 }, { 0, 1, -1 } },
}

if core.deadline(1) then
  RANGES[#RANGES + 1] = { "a deadline", core.deadline, { 1, 8.9e18 },
    { 0.999, 9e18, INF } }
end

describe("a number that the core takes", function()
  for _, range in ipairs(RANGES) do
    local name, call, taken, refused = range[1], range[2], range[3], range[4]
    it("is within its range: " .. name, function()
      for _, x in ipairs(taken) do
        local ok, message = pcall(call, x)
        assert.is_true(ok, ("%.17g: %s"):format(x, tostring(message)))
      end
      refused[#refused + 1] = NAN
      for _, x in ipairs(refused) do
        local ok, message = pcall(call, x)
        assert.is_false(ok, ("%.17g"):format(x))
        assert.matches("bad argument #%d", message)
      end
    end)
  end

  it("is of a clock that is moved by hand, where one moves it", function()
    assert.error_matches(function() core.meter():advance(1) end,
      "its clock is not a manual one")
  end)
end)
