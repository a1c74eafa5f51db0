local fit = require "tare.report.fit"

local function column(key, size)
  return { key = key, title = key, size = size, cells = {} }
end

local function keys(list)
  local names = {}
  for i, c in ipairs(list) do names[i] = c.key end
  return table.concat(names, " ")
end

describe("fitting a table to a width", function()
  local list = { column("name", 10), column("time", 8), column("r2", 6),
    column("relative", 8), column("cycles", 8) }

  it("drops nothing from what fits", function()
    local kept, dropped = fit.drop(list, 50, 2)
    assert.equal("name time r2 relative cycles", keys(kept))
    assert.same({}, dropped)
  end)

  it("drops the least telling column first", function()
    local kept, dropped = fit.drop(list, 49, 2)
    assert.equal("name time r2 relative", keys(kept))
    assert.same({ "cycles" }, dropped)
    kept, dropped = fit.drop(list, 32, 2)
    assert.equal("name time relative", keys(kept))
    assert.same({ "cycles", "r2" }, dropped)
  end)

  it("keeps name and figure, however narrow it is", function()
    assert.equal("name time", keys((fit.drop(list, 5, 2))))
  end)

  it("breaks into tables that each have the name", function()
    local blocks = fit.split(list, 32, 2)
    assert.equal(2, #blocks)
    assert.equal("name time r2", keys(blocks[1]))
    assert.equal("name relative cycles", keys(blocks[2]))
    assert.equal(4, #fit.split(list, 5, 2))
  end)

  it("shortens long names in their middle", function()
    assert.same({ "short", { "abcdefg~uvwxyz", "bad" } }, fit.names({ "short",
      { "abcdefghijklmnopqrstuvwxyz", "bad" } }, 28, "~"))
  end)

  it("leaves room for a figure", function()
    assert.same({ "abc~yz" }, fit.names({ "abcdefghijklmnopqrstuvwxyz" }, 20,
      "~"))
  end)
end)
