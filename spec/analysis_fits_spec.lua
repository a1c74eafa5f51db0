local analysis = require "tare.analysis"
local fits = require "tare.analysis.fits"

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
    local rows = fits.undisturbed(recorded)
    local alone = fits.fit(rows, fits.of_time(rows), SETTINGS)
    local counted = fits.fit(rows, fits.of_collections(rows), SETTINGS)
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
    assert.equal(result.fits[1].r2, result.r2)
    assert.is_true(result.fits[2].r2 <= 0.95)
    assert.is_true(result.fits[3].r2 >= 0.98)
    assert.is_false(has_warning(result, "collinear_counts"))
  end)

  it("says that it can't tell them apart in long batches", function()
    local result = result_of(long_batches(), {})
    assert.is_true(result.fits[2].vif.gc_minor > 100)
    assert.is_true(result.fits[2].collinear)
    assert.is_true(has_warning(result, "collinear_counts"))
    assert.is_nil(result.minor_time)
  end)

  it("leaves out batches without the core, not those that are slow", function()
    local samples = long_batches()
    samples.cpu_ns, samples.width = {}, {}
    samples.preemptions, samples.waits = {}, {}
    for row, wall_ns in ipairs(samples.wall_ns) do
      samples.cpu_ns[row], samples.width[row] = wall_ns, 4
      samples.preemptions[row], samples.waits[row] = 0, 0
    end
    samples.cpu_ns[3] = samples.wall_ns[3] * 0.8
    samples.preemptions[3] = 1
    samples.width[5] = 2
    samples.wall_ns[7] = samples.wall_ns[7] * 9
    samples.cpu_ns[7] = samples.wall_ns[7]
    assert.equal(58, #fits.undisturbed(samples).iters)
  end)

  it("are not regressions on collections where none was", function()
    local rows = { iters = { 1, 2, 3 }, wall_ns = { 1, 2, 3 },
      gc_minor = { 0, 0, 0 }, gc_major = { 2, 2, 2 } }
    assert.is_nil(fits.of_collections(rows))
    rows.gc_minor[2] = 1
    assert.same({ "iters", "gc_minor" },
      fits.of_collections(rows).predictors)
  end)
end)
