local width = require "tare.report.width"

local WIDE = "\230\151\165\230\156\172" -- two characters of two columns
local ACCENT = "e\204\129" -- e and a combining acute

describe("width", function()
  it("counts columns of the terminal, not bytes", function()
    assert.equal(5, width.of("plain"))
    assert.equal(1, width.of("\195\169"))
    assert.equal(4, width.of(WIDE))
    assert.equal(1, width.of(ACCENT))
    assert.equal(0, width.of(""))
  end)

  it("knows marks and wide characters of all scripts", function()
    local columns = { ["\226\154\161"] = 2, ["\226\156\133"] = 2,
      ["\226\173\144"] = 2, ["\226\153\165"] = 1, ["\240\159\164\150"] = 2,
      ["\240\159\171\160"] = 2, ["\224\164\149\224\165\129"] = 1,
      ["\224\184\129\224\184\177"] = 1, ["\217\133\226\128\140\217\133"] = 2,
      ["\225\132\128\225\133\161\225\134\168"] = 2, ["\239\190\138"] = 1 }
    for text, expected in pairs(columns) do
      assert.equal(expected, width.of(text), text)
    end
  end)

  it("begins no tail with a mark", function()
    assert.equal("ab~xy", width.squeeze("abcde" .. ACCENT .. "xy", 5, "~"))
  end)

  it("pads on either side", function()
    assert.equal("ab  ", width.pad("ab", 4))
    assert.equal("  ab", width.pad("ab", 4, "right"))
    assert.equal(WIDE .. " ", width.pad(WIDE, 5))
    assert.equal("abc", width.pad("abc", 2))
  end)

  it("cuts what is too long and says so", function()
    assert.equal("abc", width.cut("abc", 3))
    assert.equal("a...", width.cut("abcdef", 4))
    assert.equal("ab", width.cut("abcdef", 2))
    assert.equal("\230\151\165.", width.cut(WIDE, 3, "."))
    assert.equal("ab~", width.cut("ab" .. WIDE, 3, "~"))
  end)

  it("wraps between words", function()
    assert.same({ "one two", "three" }, width.wrap("one two three", 8))
    assert.same({ "a", "verylongword", "b" },
      width.wrap("a verylongword b", 6))
    assert.same({ "one two three" }, width.wrap("one two three"))
    assert.same({}, width.wrap("", 5))
  end)

  it("leaves a number its unit, and an equation whole", function()
    assert.same({ "it is at most", "34.6 ns; more" },
      width.wrap("it is at most 34.6 ns; more", 20))
    assert.same({ "it is so", "(n = 16)" }, width.wrap("it is so (n = 16)", 16))
    assert.same({ "it took 12", "stones" }, width.wrap("it took 12 stones", 16))
    -- but for what would be too long for a line
    assert.same({ "averylong =", "name" }, width.wrap("averylong = name", 11))
  end)
end)
