local fixtures = require "spec.support.fixtures"
local sentences = require "tare.report.sentences"

local function compared(n, verdict)
  local list = {}
  for i = 1, n do
    list[i] = { a = "a" .. i, b = "b", verdict = verdict(i),
      ratio = { value = 1, low = 1, high = 1 } }
  end
  return list
end

describe("sentences", function()
  it("say each of a few comparisons", function()
    local list = sentences.comparisons(fixtures.report().comparisons)
    assert.equal(3, #list)
    assert.equal("strings/buffer is 2.04x (2.01 to 2.07) faster than "
      .. "strings/concat.", list[1].text)
    assert.equal("faster", list[1].verdict)
  end)

  it("count those alike of many", function()
    local list = sentences.comparisons(compared(20, function(i)
      return i <= 2 and "slower" or i <= 5 and "unclear" or "same"
    end))
    assert.equal(4, #list)
    assert.equal("15 more are the same.", list[3].text)
    assert.matches("^3 more are unclear", list[4].text)
  end)

  it("name what all are compared with", function()
    local list = compared(2, function() return "same" end)
    assert.equal("comparisons with b", sentences.comparisons_title(list))
    list[2].b = "c"
    assert.equal("comparisons", sentences.comparisons_title(list))
  end)

  it("say how series grow and where they cross", function()
    local sweep = fixtures.report().sweeps[1]
    assert.equal("vec/fill over n", sentences.sweep_title(sweep))
    assert.same({
      "o impl=append grows like n, exponent 0.97 (0.93 to 1.01)",
      "x impl=insert grows like n log n (n can't be ruled out), exponent "
        .. "1.12 (1.08 to 1.16)",
      "impl=append overtakes impl=insert at n = 1,300 (1,100 to 1,600).",
    }, sentences.sweep(sweep, true))
  end)

  it("claim no law of too few points", function()
    assert.same({ "o x" }, sentences.sweep({ axis = "n", series = {
      { label = "x", points = { { x = 1 }, { x = 2 }, { x = 3 } } } } }, true))
  end)

  it("send no control character on", function()
    local text = sentences.comparisons { { a = "\27[31m", b = "\n",
      verdict = "slower", ratio = { value = 2 } } }[1].text
    assert.is_nil(text:find("%c"))
  end)
end)
