local plot = require "tare.report.plot"
local width = require "tare.report.width"

describe("plots of characters", function()
  it("draw a histogram in one line", function()
    assert.equal(" .=@", plot.spark({ 0, 1, 4, 8 }, true))
    assert.equal("\226\150\129\226\150\136 ", plot.spark { 1, 100, 0 })
    assert.equal("   ", plot.spark { 0, 0, 0 })
  end)

  it("draw a box between whiskers", function()
    assert.equal("|--==#==-|", plot.box({ low = 0, q1 = 0.33, middle = 0.55,
      q3 = 0.8, high = 1 }, 10, true))
  end)

  it("draw an interval with its value beside a rule", function()
    assert.equal(":   |-#-|", plot.box({ low = 0.4, middle = 0.6, high = 0.8,
      rule = 0 }, 11, true))
  end)

  it("keep within the frame, whatever the places are", function()
    assert.equal("#", plot.box({ low = -5, middle = -1, high = -1 }, 4, true))
    assert.equal("", plot.box({ low = 0/0, middle = 0/0, high = 0/0 }, 4,
      true))
    assert.equal(4, width.of(plot.box({ low = -9, middle = 2, high = 9 }, 4)))
  end)

  it("label an axis without labels that touch", function()
    local ticks = { { at = 0, text = "1" }, { at = 0.5, text = "10" },
      { at = 1, text = "100" } }
    assert.equal("1        10      100", plot.axis(ticks, 20))
    assert.equal("1 100", plot.axis(ticks, 5))
  end)

  it("draw series with marks and the way between them", function()
    local rising = { { x = 0, y = 0 }, { x = 1, y = 1 } }
    local falling = { { x = 0, y = 1 }, { x = 1, y = 0 } }
    assert.same({
      "x   o",
      " . .",
      "  .",
      " . .",
      "o   x",
    }, plot.lines({ rising, falling }, 5, 5, true))
  end)

  it("do not join more than three series", function()
    local rising = { { x = 0, y = 0 }, { x = 1, y = 1 } }
    local four = { rising, rising, rising, rising }
    assert.same({ " +xo", "", "ox+" }, plot.lines(four, 4, 3, true))
  end)

  it("put marks of one place side by side", function()
    local point = { { x = 0.5, y = 0.5 } }
    assert.same({ " +ox" }, plot.lines({ point, point, point }, 5, 1, true))
  end)

  it("hide marks behind the first where there is no room", function()
    local point = { { x = 0.5, y = 0.5 } }
    assert.same({ "o" }, plot.lines({ point, point }, 1, 1, true))
  end)

  it("tell series apart by marks of one column", function()
    local seen = {}
    for i = 1, 8 do
      for _, ascii in ipairs { true, false } do
        local mark = plot.mark(i, ascii)
        assert.equal(1, width.of(mark))
        assert.is_nil(seen[mark])
        seen[mark] = true
      end
    end
    assert.equal(plot.mark(1), plot.mark(9))
  end)
end)
