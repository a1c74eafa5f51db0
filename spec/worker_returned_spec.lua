local returned = require "tare.worker.returned"

-- What calls that return these values differ in: there, and here.
local function difference(there, here)
  return returned.difference(returned.of { n = 1, there },
    returned.of { n = 1, here })
end

describe("agreement of implementations", function()
  it("is equality of all results, tables by what is in them", function()
    local nan = 0 / 0
    for _, pair in ipairs { { 1, 1 }, { "x", "x" }, { nan, nan }, { {}, {} },
      { 2 ^ 53, 2 ^ 53 }, { false, false },
      { { 1, { a = true } }, { 1, { a = true } } } } do
      assert.is_nil(difference(pair[1], pair[2]))
      assert.is_nil(returned.difference(returned.of { n = 2, nil, pair[1] },
        returned.of { n = 2, nil, pair[2] }))
    end
  end)

  it("says where results differ", function()
    local function says(expected, there, here)
      assert.equal(expected, difference(there, here))
    end
    says("the result is 1 there, and 2 here", 1, 2)
    says("the result[\"a\"][2] is 5 there, and nil here", { a = { 4, 5 } },
      { a = { 4 } })
    says("the result[\"b\"] is nil there, and 1 here", {}, { b = 1 })
    says("the result[1] is \"x\" there, and nil here", { "x", a = "y" },
      { a = "y" })
    says("the result[2] is nil there, and 1 here", { [10] = 1 },
      { [2] = 1, [10] = 1 })
    says("the result is a table there, and 1 here", {}, 1)
    says("the result is 0.1 there, and 0.10000000000000002 here", 0.1,
      0.1 + 2 ^ -56)
    says("the result is true there, and \"true\" here", true, "true")
    says("the result is 1 there, and \"1\" here", 1, "1")
    assert.equal("result 2 is nil there, and \"x\" here", returned.difference(
      returned.of { n = 1, 1 }, returned.of { n = 2, 1, "x" }))
  end)

  it("knows a table that is met twice from two alike", function()
    local one = {}
    assert.is_nil(difference({ one, one }, { one, one }))
    assert.is_string(difference({ one, one }, { {}, {} }))
  end)

  it("looks into circles once", function()
    local function circle(last)
      local t = { f = function() end, last = last }
      t.me = t
      return t
    end
    assert.is_nil(difference(circle(1), circle(1)))
    assert.equal('the result["last"] is 1 there, and 2 here',
      difference(circle(1), circle(2)))
  end)

  it("goes as deep as tables do", function()
    local function deep(last)
      local t = { last }
      for _ = 1, 5000 do t = { t } end
      return t
    end
    assert.is_nil(difference(deep(1), deep(1)))
    assert.equal("the result" .. ("[1]"):rep(10)
      .. "... is 1 there, and 2 here", difference(deep(1), deep(2)))
  end)

  it("says where long texts differ", function()
    local text = ("x"):rep(1000)
    assert.equal("the result differs from byte 1001 on: \""
      .. ("x"):rep(59) .. "...",
      difference(text .. "a" .. text, text .. "b"))
  end)

  it("says where keys differ that have no order", function()
    assert.equal("the result has more keys in one than in the other",
      difference({ [{}] = 1 }, {}))
    assert.is_nil(difference({ [{}] = 1 }, { [{}] = 1 }))
  end)

  it("sees of functions and the like only the kind, for calls make them anew",
    function()
      assert.is_nil(difference(function() end, print))
      assert.equal("the result is a function there, and a thread here",
        difference(print, coroutine.create(function() end)))
    end)

  it("holds what was returned then, whatever becomes of it", function()
    local shared = { 1 }
    local then_ = returned.of { n = 1, shared }
    shared[1] = 2
    assert.equal("the result[1] is 1 there, and 2 here",
      returned.difference(then_, returned.of { n = 1, shared }))
  end)

  it("is no matter of the order in which keys came, whatever their kind",
    function()
      local keys = { true, false }
      for i = 1, 14 do keys[#keys + 1] = i % 2 == 0 and "k" .. i or i / 4 end
      local function filled(first)
        local made = {}
        for i = 0, #keys - 1 do
          made[keys[(first * 7 + i * (first % 2 == 0 and 1 or 15)) % 16 + 1]] =
            i * 0
        end
        return made
      end
      for first = 0, 31 do
        assert.is_nil(difference(filled(0), filled(first)))
      end
    end)

  it("does not ask what tables make of themselves", function()
    local proud = setmetatable({ 1 }, { __index = error, __eq = error,
      __len = error, __pairs = error, __tostring = error })
    assert.is_nil(difference(proud, { 1 }))
  end)
end)
