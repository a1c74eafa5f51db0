local contrast = require "tare.report.contrast"

local function compared(a, b, value, verdict)
  return { a = a, b = b, verdict = verdict or "faster",
    ratio = { value = value, low = value * 0.99, high = value * 1.01 } }
end

-- f{n=N,impl=x} against f{n=N,impl=y}, for some n.
local function sweep(values)
  local list = {}
  for i, value in ipairs(values) do
    list[i] = compared(("s/f{n=%d,impl=x}"):format(i),
      ("s/f{n=%d,impl=y}"):format(i), math.abs(value),
      value < 0 and "unclear" or value > 1 and "slower" or "faster")
  end
  return list
end

local function texts_of(list)
  local texts = {}
  for i, one in ipairs(contrast.sentences(contrast.sets(list)[1])) do
    texts[i] = one.text
  end
  return texts
end

describe("comparisons that have something in common", function()
  it("are of cells that differ in one parameter", function()
    assert.same({ bench = "s/f", a = "impl=x", b = "impl=y", at = "n=1,m=2" },
      contrast.of { a = "s/f{n=1,impl=x,m=2}", b = "s/f{n=1,impl=y,m=2}" })
    assert.is_nil(contrast.of { a = "s/f{n=1,impl=x}", b = "s/f{n=2,impl=y}" })
    assert.is_nil(contrast.of { a = "s/f{n=1}", b = "s/g{n=2}" })
    assert.is_nil(contrast.of { a = "s/f", b = "t/f" })
    assert.is_nil(contrast.of { a = "s/f{n=1}", b = "s/f{n=1}" })
    assert.is_nil(contrast.of { a = "s/f{n=1}", b = "s/f" })
  end)

  it("or of benches of a group, with the same parameters", function()
    assert.same({ bench = "s/t", a = "f", b = "g", at = "n=1" },
      contrast.of { a = "s/t/f{n=1}", b = "s/t/g{n=1}" })
    assert.same({ bench = "s", a = "f", b = "g", at = "" },
      contrast.of { a = "s/f", b = "s/g" })
  end)

  it("stand together by bench and reference, the others by themselves",
    function()
      local list = sweep { 0.5, 0.4 }
      table.insert(list, 2, compared("s/g", "s/h", 2))
      local sets = contrast.sets(list)
      assert.equal(2, #sets)
      assert.equal("s/f, against impl=y", sets[1].title)
      assert.same({ list[1], list[3] }, sets[1].list)
      assert.is_nil(sets[2].title)
      assert.equal("n=2  impl=x", contrast.label(list[3]))
    end)

  it("are told one by one where they are few", function()
    assert.same({ "impl=x is 2.00x (1.98 to 2.02) faster than impl=y at n=1.",
      "Whether impl=x is faster or slower than impl=y at n=2 is unclear: "
        .. "1.00x (0.990 to 1.01)." }, texts_of(sweep { 0.5, -1 }))
  end)

  it("are told together where many came out alike", function()
    assert.same({
      "impl=x is 2.00x (n=1) to 5.00x (n=7) faster than impl=y, at 3 of 7 "
        .. "values of n.",
      "Whether impl=x is faster or slower than impl=y is unclear at 3 of 7 "
        .. "values of n.",
      "impl=x is 1.50x (1.48 to 1.52) slower than impl=y at n=4.",
    }, texts_of(sweep { 0.5, -1, -1, 1.5, -1, 0.4, 0.2 }))
    assert.same({ "impl=x is 2.00x (n=1) to 2.50x (n=7) faster than impl=y, "
      .. "at all 7 values of n." },
      texts_of(sweep { 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.4 }))
  end)
end)
