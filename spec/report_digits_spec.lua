local digits = require "tare.report.digits"

describe("digits", function()
  it("are three, or as many as tell texts apart", function()
    local function telling(least)
      return function(count) return count >= least end
    end
    assert.equal(3, digits.fewest(5, telling(1)))
    assert.equal(4, digits.fewest(5, telling(4)))
  end)

  it("are the most that are allowed where nothing does", function()
    local asked = {}
    assert.equal(5, digits.fewest(5, function(count)
      asked[#asked + 1] = count
      return false
    end))
    assert.same({ 3, 4 }, asked)
  end)
end)
