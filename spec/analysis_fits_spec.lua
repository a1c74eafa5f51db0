local analysis = require "tare.analysis"
local fits = require "tare.analysis.fits"
local made = require "spec.support.made"
local rows = require "tare.analysis.rows"

local SETTINGS = { confidence = 0.95, resamples = 500, seed = 1 }
local recorded = dofile "spec/data/gc_counts.lua"

-- Long batches, each with collections in proportion to its calls.
local function long_batches()
  local samples = { iters = {}, wall_ns = {}, gc_minor = {}, gc_major = {} }
  for i = 1, 60 do
    local iters = 1e5 + 1e3 * i
    samples.iters[i], samples.gc_major[i] = iters, 0
    samples.gc_minor[i] = math.floor(iters / 500 + i % 3 / 2)
    samples.wall_ns[i] = 100 * iters + i * 7919 % 1e5
  end
  return samples
end

local function result_of(samples, passes)
  return analysis.analyse({ id = "a", gc = "natural", warnings = {},
    samples = samples, passes = passes }, SETTINGS)
end

local function has_warning(result, code)
  for _, one in ipairs(result.warnings) do
    if one == code then return true end
  end
  return false
end

describe("the regression on counts", function()
  it("explains recorded batches far better than calls alone do", function()
    local free = rows.only(recorded, rows.clean(recorded).list)
    local alone = fits.fit(free, fits.of_time(free), SETTINGS)
    local counted = fits.fit(free, fits.of_collections(free), SETTINGS)
    assert.is_true(alone.r2 <= 0.95)
    assert.is_true(counted.r2 >= 0.98)
    assert.is_true(counted.vif.gc_minor < 10)
    assert.is_nil(counted.collinear)
  end)

  it("is of the pass that was made for it, where there is one", function()
    local result = result_of(long_batches(), { counts = {
      samples = recorded } })
    assert.same({ { "iters" }, { "iters" }, { "iters", "gc_minor" } },
      { result.fits[1].predictors, result.fits[2].predictors,
        result.fits[3].predictors })
    assert.same({ nil, "counts", "counts" }, { result.fits[1].pass,
      result.fits[2].pass, result.fits[3].pass })
    assert.is_true(result.fits[2].r2 <= 0.95)
    assert.is_true(result.fits[3].r2 >= 0.98)
    assert.is_false(has_warning(result, "collinear_counts"))
  end)

  it("is of the time that the batches of the pass ran, where some lost the "
    .. "core",
    function()
      local counts = { iters = {}, wall_ns = {}, cpu_ns = {}, preemptions = {},
        waits = {}, gc_minor = {}, gc_major = {} }
      for i = 1, 80 do
        local iters, minors = i * 37 % 101, i * 53 % 3
        local lost = i % 10 == 0
        counts.iters[i], counts.gc_minor[i] = iters, minors
        counts.cpu_ns[i] = 1000 * iters + 5e4 * minors
        counts.wall_ns[i] = counts.cpu_ns[i] + (lost and 4e6 or 0)
        counts.preemptions[i], counts.waits[i] = lost and 1 or 0, 0
        counts.gc_major[i] = 0
      end
      local result = result_of(long_batches(), {
        counts = { samples = counts } })
      assert.same({ "iters", "gc_minor" }, result.fits[3].predictors)
      assert.is_true(result.fits[3].r2 > 0.99, result.fits[3].r2)
    end)

  it("says that it can't tell them apart in long batches", function()
    local result = result_of(long_batches(), {})
    assert.is_true(result.fits[2].vif.gc_minor > 100)
    assert.is_true(result.fits[2].collinear)
    assert.is_true(has_warning(result, "collinear_counts"))
    assert.is_nil(result.minor_time)
  end)

  it("names the column that makes a regression impossible", function()
    local samples = long_batches()
    samples.heap_bytes, samples.cycles = {}, samples.iters
    for i = 1, 60 do samples.heap_bytes[i] = 4096 end
    for name, text in pairs {
      gc_major = "gc_major is zero in every batch",
      heap_bytes = "heap_bytes is the same in every batch, so it can't be "
        .. "separated from the intercept",
      mutator_ns = "mutator_ns has no values in these batches",
      cycles = "cycles is a linear combination of the others",
    } do
      local result = analysis.analyse({ id = "a", gc = "natural",
        warnings = {}, samples = samples, passes = {} }, { confidence = 0.95,
        resamples = 500, seed = 1, regress = { { responder = "time",
          predictors = { "iters", name }, intercept = true } } })
      assert.equal(text, result.fit_errors[1].message)
    end
  end)

  it("leaves out batches without the core, not those that are slow", function()
    local samples = long_batches()
    samples.width = {}
    for row = 1, 60 do samples.width[row] = row == 5 and 2 or 4 end
    local fit = result_of(samples, {}).fits[1]
    samples.wall_ns[5] = samples.wall_ns[5] * 9
    assert.same(fit, result_of(samples, {}).fits[1])
    samples.wall_ns[20] = samples.wall_ns[20] * 9
    assert.is_true(result_of(samples, {}).fits[1].r2 < fit.r2)
  end)

  it("knows that neighbouring batches are alike", function()
    local held, runs = 0, 100
    for seed = 1, runs do
      local random, level = made.generator(seed), 0
      local samples = { iters = {}, wall_ns = {}, start_ns = {} }
      for i = 1, 200 do
        level = 0.9 * level + random.normal()
        samples.iters[i], samples.start_ns[i] = 1000 + i * 37 % 60 * 50, i
        samples.wall_ns[i] = samples.iters[i] * (100 + level)
      end
      local slope = fits.fit(samples, fits.of_time(samples), {
        confidence = 0.95, resamples = 200, seed = seed }).coefficients.iters
      if slope.low < 100 and 100 < slope.high then held = held + 1 end
    end
    assert.is_true(held >= 0.88 * runs, held)
  end)

  it("has the confidence that was asked for", function()
    local function width(confidence)
      local slope = fits.fit(recorded, fits.of_time(recorded), {
        confidence = confidence, resamples = 500, seed = 1 }).coefficients.iters
      return slope.high - slope.low
    end
    assert.is_true(width(0.5) < 0.6 * width(0.95))
  end)

  it("are not regressions on collections where none was", function()
    local samples = { iters = { 1, 2, 3 }, wall_ns = { 1, 2, 3 },
      gc_minor = { 0, 0, 0 }, gc_major = { 2, 2, 2 } }
    assert.is_nil(fits.of_collections(samples))
    samples.gc_minor[2] = 1
    assert.same({ "iters", "gc_minor" },
      fits.of_collections(samples).predictors)
  end)

  it("has no intercept where all batches have as many calls", function()
    local samples = { iters = {}, wall_ns = {}, gc_minor = {}, gc_major = {} }
    for i = 1, 60 do
      samples.iters[i], samples.gc_minor[i] = 1000, 0
      samples.gc_major[i] = i % 3 == 0 and 1 or 0
      samples.wall_ns[i] = 1e5 + 3e4 * samples.gc_major[i] + i * 7919 % 100
    end
    local result = result_of(samples)
    assert.is_false(has_warning(result, "collinear_counts"))
    assert.is_nil(result.fit_errors)
    local fit = result.fits[2]
    assert.is_false(fit.intercept)
    assert.near_relative(3e4, fit.coefficients.gc_major.value, 0.01)
    assert.near_relative(100, fit.coefficients.iters.value, 0.01)
  end)
end)
