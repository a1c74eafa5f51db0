local canvas = require "tare.report.html.canvas"
local columns = require "tare.report.html.columns"
local plot = require "tare.report.html.plot"
local points = require "tare.report.html.points"
local scale = require "tare.report.scale"

describe("a linear axis", function()
  it("places values between its ends", function()
    local axis = scale.linear(10, 30)
    assert.equal(0, axis.at(10))
    assert.equal(0.5, axis.at(20))
    assert.equal(1, axis.at(30))
  end)

  it("has ticks at round values within its ends", function()
    assert.same({ 0, 20, 40, 60, 80, 100 }, scale.linear(0, 100).ticks)
    assert.same({ -1, 0, 1 }, scale.linear(-1.2, 1.3, 3).ticks)
    assert.same({ 1200, 1400, 1600 }, scale.linear(1150, 1650, 3).ticks)
  end)

  it("moves ends apart that coincide", function()
    for _, v in ipairs { 0, 5, -3 } do
      local axis = scale.linear(v, v)
      assert.equal(0.5, axis.at(v))
      assert.is_true(axis.low < v and v < axis.high)
    end
  end)

  it("has no ticks where doubles can't tell steps apart", function()
    assert.same({}, scale.linear(1e15, 1e15 + 0.5).ticks)
  end)
end)

describe("a logarithmic axis", function()
  it("places equal ratios at equal distances", function()
    local axis = scale.log(1, 10000)
    assert.near(0.25, axis.at(10), 1e-12)
    assert.near(0.75, axis.at(1000), 1e-12)
  end)

  it("has ticks at powers of ten, with what fits between", function()
    local function ticks(low, high, count)
      local texts = {}
      for i, v in ipairs(scale.log(low, high, count).ticks) do
        texts[i] = ("%g"):format(v)
      end
      return table.concat(texts, " ")
    end
    assert.equal("1 2 5 10 20 50 100", ticks(1, 100, 7))
    assert.equal("1 3 10 30 100", ticks(1, 100, 6))
    assert.equal("1 10 100 1000 10000", ticks(1, 1e4, 6))
    assert.equal("1 1000 1e+06 1e+09", ticks(1, 1e9, 4))
    assert.equal("0.01 0.03 0.1 0.3 1", ticks(0.01, 1))
  end)

  it("has the ticks of a linear axis over less than a factor of three",
    function()
      assert.same(scale.linear(100, 200, 6).ticks, scale.log(100, 200).ticks)
    end)

  it("moves ends apart that coincide", function()
    local axis = scale.log(7, 7)
    assert.near(0.5, axis.at(7), 1e-12)
  end)
end)

describe("an axis over more than doubles hold", function()
  it("ends, and places what lies on it", function()
    for _, ends in ipairs { { 0, 1 }, { 1, 1/0 }, { 1e-308, 1e308 },
      { -1/0, 1/0 }, { 5e-324, 1e308 } } do
      for _, make in ipairs { scale.linear, scale.log } do
        local axis = make(ends[1], ends[2])
        assert.is_true(#axis.ticks < 20)
        for _, v in ipairs { ends[1], ends[2], 0, 1 } do
          local at = axis.at(v)
          assert.is_true(at > -1e4 and at < 1e4, at)
        end
      end
    end
  end)
end)

describe("the ends of an axis", function()
  it("pass over what can't be drawn", function()
    local low, high = scale.extent { 0/0, 3, -1/0, 1, 1e300 }
    assert.equal(1, low)
    assert.equal(3, high)
    assert.is_nil(scale.extent { 0/0 })
  end)

  it("show the bulk, and count what lies beyond", function()
    local values = {}
    for i = 1, 99 do values[i] = i end
    values[100] = 5000
    local low, high, beyond = scale.bulk(values)
    assert.equal(1, low)
    assert.is_true(high < 500)
    assert.equal(1, beyond)
  end)

  it("show everything where nothing is far off", function()
    local low, high, beyond = scale.bulk { 3, 1, 2 }
    assert.same({ 1, 3, 0 }, { low, high, beyond })
  end)
end)

describe("samples for a plot", function()
  it("are rows of finite numbers with calls", function()
    local samples = { iters = { 1, 0, 3, 4, 5 },
      wall_ns = { 10, 20, 0/0, 1/0, 50 } }
    assert.same({ 1, 5 }, points.rows(samples, "wall_ns"))
    assert.is_nil(points.rows(samples, "cpu_ns"))
    assert.is_nil(points.rows(nil, "wall_ns"))
  end)

  it("are thinned evenly, first and last kept", function()
    local rows = {}
    for i = 1, 1001 do rows[i] = i end
    assert.same({ 1, 251, 501, 751, 1001 }, points.thin(rows, 5))
    assert.equal(rows, points.thin(rows, 1001))
  end)
end)

describe("a column of numbers", function()
  it("shares a unit and pads to the decimal point", function()
    local column = columns.column({ 1500, nil, 22000, 333000 }, 4, "ns", 4)
    assert.same({ "1.500", nil, "22.00", "333.0" }, column.texts)
    assert.same({ 0, nil, 1, 2 }, column.pads)
    assert.equal("\194\181s", column.suffix)
  end)

  it("gives each its unit where they lie too far apart", function()
    local column = columns.column({ 1, 2e9 }, 2, "ns", 2)
    assert.same({ "1.0\194\160ns", "2.0\194\160s" }, column.texts)
    assert.equal("", column.suffix)
  end)
end)

describe("shapes", function()
  local ax, ay = scale.linear(0, 10), scale.linear(0, 100)

  it("lie on a canvas of 1000 by 1000, y upwards", function()
    assert.equal('<path class="line c" d="M0 1000L500 500L1000 0"/>',
      canvas.line("c", ax, ay, { 0, 5, 10 }, { 0, 50, 100 }))
    assert.equal('<path class="dots c" d="M200 800h0"/>',
      canvas.dots("c", ax, ay, { 2 }, { 20 }))
  end)

  it("end not far beyond the canvas", function()
    assert.equal('<path class="line c" d="M-1000 2000L2000 -1000"/>',
      canvas.line("c", ax, ay, { -1e6, 1e6 }, { -1e9, 1e9 }))
  end)

  it("are nothing without points", function()
    assert.equal("", canvas.dots("c", ax, ay, {}, {}))
    assert.equal("", canvas.area("c", ax, ay, {}, {}))
  end)
end)

describe("the frame of a plot", function()
  local frame = plot.frame { x = scale.linear(0, 4000, 4), x_unit = "calls",
    x_label = "calls <n>", y = scale.log(1e3, 1e6), y_unit = "ns",
    y_label = "time", layers = { "<LAYER/>" }, about = 'time "against" calls' }

  it("labels ticks in one unit, counts with their prefix", function()
    assert.truthy(frame:find(">0</text>.*>1k</text>.*>4k</text>"))
    assert.truthy(frame:find(">1</text>.*>10</text>.*>1000</text>"))
    assert.truthy(frame:find("time, \194\181s", 1, true))
  end)

  it("escapes its texts", function()
    assert.truthy(frame:find("calls &lt;n&gt;", 1, true))
    assert.truthy(frame:find('aria-label="time &quot;against&quot; calls"', 1,
      true))
  end)

  it("tells the script its axes", function()
    assert.truthy(frame:find('data-x="linear 0 4000 calls"', 1, true))
    assert.truthy(frame:find('data-y="log 1000 1000000 ns"', 1, true))
  end)
end)
