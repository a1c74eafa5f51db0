local gather = require "tare.host.gather"

local function part(launch, samples, more)
  local record = { id = "s/a", samples = samples, warnings = {},
    warmup = { calls = 10, ns = 100 }, passes = {} }
  for key, value in pairs(more or {}) do record[key] = value end
  return { record = record, launch = launch }
end

describe("records of several launches", function()
  it("become one, with the launch of each row", function()
    local merged = gather.merge {
      part(1, { iters = { 1, 2 }, wall_ns = { 10, 20 } }),
      part(2, { iters = { 3 }, wall_ns = { 31 } }) }
    assert.same({ iters = { 1, 2, 3 }, wall_ns = { 10, 20, 31 },
      launch = { 1, 1, 2 } }, merged.samples)
    assert.equal(2, merged.launches)
    assert.same({ calls = 20, ns = 200 }, merged.warmup)
  end)

  it("number their rounds and times on", function()
    local first = part(1, { iters = { 1 }, round = { 5 }, start_ns = { 7 } })
    local second = part(2, { iters = { 1 }, round = { 1 }, start_ns = { 2 } })
    second.first_round, second.began_ns = 5, 1000
    local samples = gather.merge({ first, second }).samples
    assert.same({ 5, 6 }, samples.round)
    assert.same({ 7, 1002 }, samples.start_ns)
    assert.equal(5, gather.last_round(first.record))
  end)

  it("leave absent what a launch did not measure", function()
    local samples = gather.merge({ part(1, { iters = { 1 } }),
      part(2, { iters = { 2 }, cycles = { 9 } }) }).samples
    assert.is_true(samples.cycles[1] ~= samples.cycles[1])
    assert.equal(9, samples.cycles[2])
  end)

  it("keep what went well and say what did not", function()
    local merged = gather.merge { part(1, { iters = { 1 } }),
      part(2, { iters = {} }, { error = "gone", warnings = { "timeout" } }) }
    assert.is_nil(merged.error)
    assert.same({ "launch_failed", "timeout" }, merged.warnings)
    assert.same({ { launch = 2, message = "gone" } }, merged.failed_launches)
    assert.equal(1, merged.launches)
  end)

  it("are an error where none went well", function()
    local merged = gather.merge { part(1, { iters = {} }, { error = "gone" }) }
    assert.equal("gone", merged.error)
    assert.is_nil(merged.failed_launches)
  end)

  it("keep the first launch's passes, and leave the parts alone", function()
    local one = part(1, { iters = { 1 }, round = { 1 } },
      { passes = { census = { iters = 1 } } })
    one.first_round = 3
    assert.equal(one.record.passes, gather.merge({ one }).passes)
    assert.same({ 1 }, one.record.samples.round)
  end)

  it("are made of stored results, without what was made of those", function()
    local function result(iters, round)
      return { id = "s/a", samples = { iters = iters, round = round },
        warnings = { "few_samples", "thinned" },
        measured_warnings = { "thinned" } }
    end
    local merged = gather.results { { result({ 1, 1 }, { 1, 2 }) },
      { result({ 1 }, { 1 }) } }
    assert.equal(1, #merged)
    assert.same({ "thinned" }, merged[1].warnings)
    assert.is_nil(merged[1].measured_warnings)
    assert.same({ iters = { 1, 1, 1 }, round = { 1, 2, 3 },
      launch = { 1, 1, 2 } }, merged[1].samples)
  end)
end)
