local cells = require "tare.report.cells"
local columns = require "tare.report.columns"

local function made(name, results, context)
  context = context or { references = {}, confidence = "95%" }
  return cells.make(columns.chosen(name)[1], results, context)
end

local function interval(value, low, high, options)
  return cells.interval({ value = value, low = low, high = high },
    options or {})
end

describe("cells", function()
  it("share one unit over a column", function()
    local column = made("time", { { time = { value = 525 } },
      { time = { value = 2304 } }, { time = nil } })
    assert.same({ "525.0 ns", "2304 ns", "-" }, column.cells)
    assert.equal("decimal", column.align)
    assert.is_false(column.dull)
  end)

  it("have each their own unit where they lie too far apart", function()
    assert.same({ "1.500 ns", "2.000 s" }, made("time",
      { { time = { value = 1.5 } }, { time = { value = 2e9 } } }).cells)
  end)

  it("round what can't be told from zero to its error", function()
    local function time(value, half)
      return { time = { value = value, low = value - half,
        high = value + half } }
    end
    assert.same({ "0 ns", "73.50 ns", "0.004 ns" }, made("time",
      { time(-0.0003, 0.0085), time(73.5, 1), time(0.00412, 0.0085) }).cells)
    assert.same({ "1 ns" }, made("time", { time(0.62, 1.2) }).cells)
    assert.same({ "-10 ns" }, made("time", { time(-13.1, 14) }).cells)
    assert.same({ "0 ns" }, made("time", { time(0, 0) }).cells)
  end)

  it("print whole counts whole", function()
    assert.same({ "4", "1.500" }, made("allocs", { { allocs = { value = 4 } },
      { allocs = { value = 1.5 } } }).cells)
    assert.same({ "152 B" }, made("bytes",
      { { bytes = { value = 152 } } }).cells)
  end)

  it("give collections in a thousand calls", function()
    assert.same({ "0.760" }, made("gc_minor",
      { { gc_minor = { value = 0.00076 } } }).cells)
  end)

  it("give the collector's share", function()
    assert.same({ "25%" }, made("gc", { { net = { value = 75 },
      collector = { value = 25 } } }).cells)
    assert.same({ "-" }, made("gc", { { net = { value = 75 } } }).cells)
  end)

  it("cut R2 off instead of rounding it to 1", function()
    assert.same({ "0.9999", "1.0000" }, made("r2",
      { { r2 = 0.99999 }, { r2 = 1 } }).cells)
  end)

  it("tell an interval by its side, or by its ends", function()
    assert.equal("\194\1771.0%", interval(100, 99, 101))
    assert.equal("+-1.2%", interval(100, 99, 101.2, { ascii = true }))
    assert.equal("99.0..110", interval(100, 99, 110))
    assert.equal("10.0..190", interval(100, 10, 190))
    assert.equal("-1.00..3.00", interval(1, -1, 3))
    assert.equal("exact", interval(4, 4, 4))
    assert.equal("99.0 ns..110 ns", interval(100, 99, 110, { unit = "ns" }))
    assert.equal("0.0990..0.110", interval(100, 99, 110,
      { unit = "ns", scale = { factor = 1000, suffix = "us" } }))
  end)

  it("say when a column says nothing", function()
    assert.is_true(made("time", { {}, {} }).dull)
    assert.is_true(made("gc_minor", { { gc_minor = { value = 0 } } }).dull)
    assert.is_false(made("allocs", { { allocs = { value = 0 } } }).dull)
    assert.is_true(made("gc_run", { { gc = "natural" }, { gc = "natural" } })
      .dull)
    assert.is_false(made("gc_run", { { gc = "natural" }, { gc = "paced" } })
      .dull)
    assert.is_true(made("allocs:interval",
      { { allocs = { value = 4, low = 4, high = 4 } } }).dull)
  end)

  it("say nothing of a collector that has no part", function()
    local function bench(collector)
      return { time = { value = 100 }, net = { value = 100 },
        collector = { value = collector } }
    end
    for _, name in ipairs { "net", "gc", "collector" } do
      assert.is_true(made(name, { bench(0.1), {} }).dull)
      assert.is_false(made(name, { bench(0.1), bench(30) }).dull)
    end
  end)

  it("do not repeat a parameter that is in the name", function()
    local column = made("gc_mode", { { gc_mode = "incremental",
      params = { gc_mode = "incremental" } } })
    assert.same({ "-" }, column.cells)
    assert.is_true(column.dull)
  end)

  it("name their interval by the confidence", function()
    assert.equal("90% CI", made("time:interval", {},
      { confidence = "90%" }).title)
  end)
end)
