local words = require "tare.report.words"

describe("sentences of a Report", function()
  local function compared(verdict, value, metric)
    return words.verdict { a = "new", b = "old", verdict = verdict,
      metric = metric,
      ratio = { value = value, low = value * 0.9, high = value * 1.1 } }
  end

  it("tell a comparison", function()
    assert.equal("new is 2.00x (1.82 to 2.22) faster than old.",
      compared("faster", 0.5))
    assert.equal("new is 1.32x (1.19 to 1.45) slower than old in cycles.",
      compared("slower", 1.32, "cycles"))
    assert.equal("new is the same as old: 1.00x (0.900 to 1.10).",
      compared("same", 1))
    assert.equal("Whether new is faster or slower than old in CPU time is "
      .. "unclear: 1.00x (0.900 to 1.10).",
      compared("unclear", 1, "cpu_time"))
  end)

  it("tell a bench's comparison with its other report", function()
    assert.equal("x is 2.00x (1.00 to 3.00) slower than in the other report.",
      words.verdict { a = "x", b = "x", verdict = "slower",
        ratio = { value = 2, low = 1, high = 3 } })
  end)

  it("tell a comparison without an interval, or an end of it", function()
    assert.equal("new is 2.00x slower than old in bytes.",
      words.verdict { a = "new", b = "old", verdict = "slower",
        metric = "bytes", ratio = { value = 2 } })
    assert.equal("new is 2.00x faster than old.",
      words.verdict { a = "new", b = "old", verdict = "faster",
        ratio = { value = 0.5, low = 0, high = 0.6 } })
    assert.matches("unclear: %-x%.", words.verdict { a = "new", b = "old" })
  end)

  it("tell that too few batches leave a comparison open", function()
    assert.equal("There are too few batches to tell new from old: 2.50x.",
      words.verdict { a = "new", b = "old", verdict = "unclear",
        ratio = { value = 2.5 } })
  end)

  it("tell where one overtakes another", function()
    assert.equal("b overtakes a at n = 1,300 (1,100 to 1,600).",
      words.crossover({ a = "a", b = "b", x = 1300, low = 1100, high = 1600 },
        "n"))
  end)

  it("round where one overtakes another, in full digits", function()
    assert.equal("b overtakes a at n = 1,230,000 (93.2 to 129).",
      words.crossover({ a = "a", b = "b", x = 1234567, low = 93.2303,
        high = 128.711 }, "n"))
  end)

  it("tell how a series grows", function()
    assert.equal("stays constant", words.law { name = "1" })
    assert.equal("grows like n log n (n can't be ruled out), exponent 1.12 "
      .. "(1.08 to 1.16)", words.law { name = "n log n", also = { "n" },
        exponent = { value = 1.12, low = 1.08, high = 1.16 } })
    assert.equal("stays constant, exponent 0.00 (0.00 to 0.01)",
      words.law { name = "1", exponent = { value = -0.000101,
        low = -0.000389, high = 0.0073 } })
    assert.equal("follows no law that can be told", words.law(nil))
  end)

  it("group the digits of large numbers", function()
    assert.equal("999", words.thousands(999))
    assert.equal("12,345,679", words.thousands(12345678.9))
    assert.equal("1,000", words.thousands(1000))
    assert.equal("-123,456", words.thousands(-123456))
    assert.equal("0.5", words.thousands(0.5))
  end)
end)
