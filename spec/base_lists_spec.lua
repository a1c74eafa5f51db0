local lists = require "tare.base.lists"

describe("lists", function()
  it("are grouped in the order in which keys first appear", function()
    local a, b, c, d = { k = 2 }, { k = 1 }, { k = 2 }, {}
    assert.same({ { a, c }, { b } }, lists.grouped({ a, d, b, c },
      function(item) return item.k end))
    assert.same({}, lists.grouped({}, tostring))
  end)

  it("take false for a key as any other", function()
    assert.same({ { 1, 3 }, { 2 } }, lists.grouped({ 1, 2, 3 },
      function(n) return n % 2 == 0 end))
  end)

  it("are cut into blocks of neighbours of nearly the same length", function()
    assert.same({ { 1, 2 }, { 3, 4, 5 } }, lists.blocks({ 1, 2, 3, 4, 5 }, 2))
    assert.same({ { 1 }, { 2 }, { 3 } }, lists.blocks({ 1, 2, 3 }, 9))
    assert.same({}, lists.blocks({}, 3))
  end)

  it("have an item or not, also where there is no list", function()
    assert.is_true(lists.has({ "a", "b" }, "b"))
    assert.is_false(lists.has({ "a", "b" }, "c"))
    assert.is_false(lists.has(nil, "a"))
  end)

  it("take in the items of another, where there is one", function()
    local list = { "a" }
    lists.append(list, { "b", "c" })
    lists.append(list, nil)
    assert.same({ "a", "b", "c" }, list)
  end)

  it("have a first item that passes a test, and those that do", function()
    local function is_even(n) return n % 2 == 0 end
    assert.equal(4, lists.first({ 3, 4, 5, 6 }, is_even))
    assert.is_nil(lists.first({ 3, 5 }, is_even))
    assert.same({ 4, 6 }, lists.those({ 3, 4, 5, 6 }, is_even))
    assert.same({}, lists.those({}, is_even))
  end)

  it("name the keys of a map in the order of their texts", function()
    assert.same({ 1, "a", "b" }, lists.keys { b = true, "x", a = false })
    assert.same({}, lists.keys {})
  end)

  it("become maps of what has an id", function()
    local a, b = { id = "a" }, { id = "b" }
    assert.same({ a = a, b = b }, lists.by_id { a, b })
  end)

  it("name the first few", function()
    assert.equal("a, b and 2 more", lists.named({ "a", "b", "c", "d" }, 2))
    assert.equal("a, b", lists.named({ "a", "b" }, 2))
    assert.equal("", lists.named({}, 2))
  end)
end)

describe("a file", function()
  it("is none where a host has no io, or one that opens nothing", function()
    local read, kept = require("tare.base.files").read, io
    for _, one in ipairs { false, {}, kept } do
      rawset(_G, "io", one or nil)
      local ok, text = pcall(read, "spec/base_lists_spec.lua")
      rawset(_G, "io", kept)
      assert.is_true(ok)
      assert.equal(one == kept, text ~= nil)
    end
    assert.is_nil((read "no/such/file"))
  end)
end)
