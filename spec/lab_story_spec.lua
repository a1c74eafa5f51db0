-- What 'make story' makes of its runs.
local verdict = require "spec.lab.story.verdict"

local function result(crowded, low)
  return { net = { value = 100, low = low }, crowded = crowded }
end

describe("the story of the vector", function()
  it("passes where the time bends and the function's own does not", function()
    assert.is_true((verdict.of({ 1.1, 1.2 }, { 2, 1.4 }, {})))
    assert.is_false((verdict.of({ 1.1, 1.21 }, { 2, 2 }, {})))
    assert.is_false((verdict.of({ 1.1, 1.1 }, { 2, 1.3 }, {})))
  end)

  it("has no bend, let alone an infinite one, where a size was refused",
    function()
      assert.equal(2, verdict.bend { 50, 100, 75 })
      assert.is_nil(verdict.bend { 50, false, 75 })
      assert.equal("too few cycles of the collector", verdict.refused {})
    end)

  it("is not judged where a single size shared its core", function()
    assert.is_nil(verdict.refused(result(0.25, 90)))
    assert.equal("40 % of the batches shared their core",
      verdict.refused(result(0.4, 90)))
    assert.equal("no interval", verdict.refused(result(0, nil)))
    local passed, why = verdict.of({ 1.5 }, { 2 }, {
      "run 1, vector of 64: no" })
    assert.is_false(passed)
    assert.equal("not to be judged: run 1, vector of 64: no", why)
  end)
end)
