local nearest = require "tare.base.nearest"

describe("the nearest name", function()
  local known = { quota = 1, quotas = 1, setup = 1, gc = 1, gc_mode = 1,
    [1] = 1 }

  it("is one or two edits away", function()
    for given, meant in pairs { qutoa = "quota", quot = "quota",
      sutep = "setup", setups = "setup", gc_moed = "gc_mode",
      xuotas = "quotas", QUOTA = "quota", Gc = "gc" } do
      assert.equal(meant, nearest.name(given, known), given)
    end
  end)

  it("is not far off, nor that of a word too short to tell", function()
    for _, given in ipairs { "banana", "ab", "g", "", "setupsss" } do
      assert.is_nil(nearest.name(given, known), given)
    end
    assert.is_nil(nearest.name(1, known))
    assert.is_nil(nearest.name(nil, known))
  end)

  it("is the first by alphabet of several", function()
    assert.equal("abca", nearest.name("abcx", { abcb = 1, abca = 1 }))
  end)

  it("ends a sentence", function()
    assert.equal("; did you mean 'quota'?", nearest.hint("quta", known))
    assert.equal("", nearest.hint("banana", known))
  end)
end)
