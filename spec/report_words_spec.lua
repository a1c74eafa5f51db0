local words = require "tare.report.words"

describe("sentences of a Report", function()
  local function compared(verdict, value, metric)
    return words.verdict { a = "new", b = "old", verdict = verdict,
      metric = metric,
      ratio = { value = value, low = value * 0.9, high = value * 1.1 } }
  end

  it("tell a comparison", function()
    assert.equal("new is faster than old: it takes 0.500 (0.450 to 0.550) of "
      .. "its time.", compared("faster", 0.5))
    assert.equal("new and old are the same in time: ratio 1.00 (0.900 to "
      .. "1.10).", compared("same", 1))
    assert.equal("Whether new or old is faster is unclear: ratio 1.00 (0.900 "
      .. "to 1.10) in CPU time.", compared("unclear", 1, "cpu_time"))
  end)

  it("tell a comparison without an interval", function()
    assert.equal("new is slower than old: it takes 2.00 of its bytes.",
      words.verdict { a = "new", b = "old", verdict = "slower",
        metric = "bytes", ratio = { value = 2 } })
  end)

  it("tell where one overtakes another", function()
    assert.equal("b overtakes a at n = 1,300 (1,100 to 1,600).",
      words.crossover({ a = "a", b = "b", x = 1300, low = 1100, high = 1600 },
        "n"))
  end)

  it("tell how a series grows", function()
    assert.equal("stays constant", words.law { name = "1" })
    assert.equal("grows like n log n (n can't be ruled out), exponent 1.12 "
      .. "(1.08 to 1.16)", words.law { name = "n log n", also = { "n" },
        exponent = { value = 1.12, low = 1.08, high = 1.16 } })
    assert.equal("follows no law that can be told", words.law(nil))
  end)

  it("group the digits of large numbers", function()
    assert.equal("999", words.thousands(999))
    assert.equal("1,000", words.thousands(1000))
    assert.equal("-123,456", words.thousands(-123456))
    assert.equal("0.5", words.thousands(0.5))
  end)
end)
