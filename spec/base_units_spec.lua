local units = require "tare.base.units"

describe("units", function()
  it("reads durations into nanoseconds", function()
    local cases = {
      ["2s"] = 2e9, ["500ms"] = 5e8, ["1.5 us"] = 1500, ["3\194\181s"] = 3000,
      ["7ns"] = 7, ["2min"] = 120e9, ["1h"] = 3600e9, ["1e3ms"] = 1e9,
      [".5s"] = 5e8, ["0.25"] = 2.5e8, [" 1s "] = 1e9,
    }
    for text, ns in pairs(cases) do
      assert.near_relative(ns, units.parse_duration(text), 1e-12)
    end
    assert.equal(3e9, units.parse_duration(3))
    assert.equal(0, units.parse_duration(0))
  end)

  it("refuses what is no duration, in one clear line", function()
    for _, value in ipairs { "banana", "", "-1s", "1 banana", "inf", "nan",
      "0x10s", "1e999s", "1e", "s", ".", "1x", -1, 1/0, 0/0, true } do
      local ns, message = units.parse_duration(value)
      assert.is_nil(ns)
      assert.equal(("'%s' is not a duration (like 2s or 500ms)")
        :format(tostring(value)), message)
    end
  end)

  it("reads a quota as time or as calls", function()
    assert.same({ ns = 3e8 }, units.parse_quota("300ms"))
    assert.same({ calls = 1e6 }, units.parse_quota("1e6x"))
    assert.same({ ns = 2e9 }, units.parse_quota(2))
    for _, value in ipairs { "banana", "0s", "0x", "1.5x", 0 } do
      assert.is_nil((units.parse_quota(value)))
    end
    assert.matches("duration.*calls",
      select(2, units.parse_quota("banana")))
  end)

  it("reads calls, sizes and percentages", function()
    assert.equal(1000, units.parse_calls("1e3x"))
    assert.equal(1000, units.parse_calls(1000))
    assert.is_nil((units.parse_calls("2.5")))
    assert.equal(64 * 2^20, units.parse_bytes("64MiB"))
    assert.equal(2^10, units.parse_bytes("1K"))
    assert.equal(1e4, units.parse_bytes("10 kB"))
    assert.is_nil((units.parse_bytes("10 pounds")))
    assert.near_relative(0.005, units.parse_percent("0.5%"), 1e-12)
    assert.equal(0.01, units.parse_percent(0.01))
    assert.is_nil((units.parse_percent("a lot")))
  end)

  it("prints so many significant digits", function()
    assert.equal("12.35", units.number(12.3456))
    assert.equal("10.00", units.number(9.9996))
    assert.equal("123456", units.number(123456))
    assert.equal("0.00012", units.number(0.00012, 2))
    assert.equal("-1.5", units.number(-1.5, 2))
    assert.equal("0", units.number(0))
    assert.equal("1.000e+20", units.number(1e20))
    assert.equal("inf", units.number(1/0))
    assert.equal("-", units.number(0/0))
    assert.equal("-", units.number(nil))
  end)

  it("prints an infinite quantity without a unit", function()
    assert.equal("inf", units.duration(1/0))
    assert.equal("-inf", units.bytes(-1/0))
    assert.equal("inf", units.count(1/0))
  end)

  it("prints a quantity in the unit that suits it", function()
    assert.equal("1.234 us", units.duration(1234))
    assert.equal("1.000 us", units.duration(999.99))
    assert.equal("0 ns", units.duration(0))
    assert.equal("370.0 ps", units.duration(0.37))
    assert.equal("90.00 s", units.duration(90e9))
    assert.equal("40 B", units.bytes(40))
    assert.equal("1.500 KiB", units.bytes(1536))
    assert.equal("12", units.count(12))
    assert.equal("12.35 k", units.count(12345))
    assert.equal("1.3%", units.percent(0.013))
    assert.equal("-", units.duration(nil))
  end)

  it("shares one unit over a column", function()
    assert.same({ factor = 1, suffix = "ns" },
      units.scale("ns", { 525, 2304, 0 }))
    assert.same({ factor = 1e3, suffix = "us" },
      units.scale("ns", { 95, 256e3 }))
    assert.equal("s", units.scale("ns", { 100e9 }).suffix)
    assert.equal("ns", units.scale("ns", { 0.3084, 41.522 }).suffix)
    assert.equal("ps", units.scale("ns", { 0.3084, 0.7 }).suffix)
    assert.equal("k", units.scale("count", { 1000, 1000 }).suffix)
  end)

  it("shares no unit between a nanosecond and a second", function()
    assert.is_nil(units.scale("ns", { 1, 1e9 }))
    assert.same({ factor = 1, suffix = "ns" }, units.scale("ns", {}))
    assert.same({ factor = 1, suffix = "ns" }, units.scale("ns", { 0, 0/0 }))
  end)

  it("prints what was counted in full, but bytes in their unit", function()
    assert.equal("12.1 KiB", units.exact(12345, "bytes"))
    assert.equal("20,002", units.exact(20002, "count"))
    assert.equal("2.5", units.exact(2.5))
  end)

  it("prints thousands apart, and a fraction in up to six digits", function()
    for x, text in pairs { [0] = "0", [999] = "999", [1000] = "1,000",
      [99999] = "99,999", [100000] = "100,000", [-1234567] = "-1,234,567",
      [2^53] = "9,007,199,254,740,992", [0.123456] = "0.123456",
      [1234.5678] = "1,234.57", [99999.7] = "99,999.7",
      [123456.7] = "123,457", [1/0] = "inf" } do
      assert.equal(text, units.thousands(x))
    end
  end)

  it("prints two figures with the digits that tell them apart", function()
    assert.same({ "12.06 KiB", "12.05 KiB" },
      { units.apart(12345, 12344, "bytes") })
    assert.same({ "12.1 KiB", "12.1 KiB" },
      { units.apart(12345, 12345, "bytes") })
    assert.same({ "7", "25" }, { units.apart(7, 25, "count") })
  end)
end)
