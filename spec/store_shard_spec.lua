local shards = require "tare.store.shards"

local function item(group, cost) return { group = group, cost = cost } end

local function loads(items, count)
  local sums = {}
  for k = 1, count do sums[k] = 0 end
  for i, k in ipairs(shards.assign(items, count)) do
    sums[k] = sums[k] + items[i].cost
  end
  return sums
end

describe("a shard", function()
  it("is written i/N", function()
    assert.same({ index = 2, count = 4 }, shards.parse("2/4"))
    assert.same({ index = 1, count = 1 }, shards.parse(" 1 / 1 "))
    for text in ("0/4 5/4 1 a/b 1/0 -1/4 1/2/3"):gmatch("%S+") do
      assert.same({ nil, "'" .. text .. "' is not a shard (like 1/4)" },
        { shards.parse(text) })
    end
  end)

  it("is one of 10,000 at most", function()
    assert.same({ index = 10000, count = 10000 }, shards.parse("10000/10000"))
    for text in ("1/10001 1/99999999999 1/99999999999999999999999"):gmatch
      "%S+" do
      assert.same({ nil, "'" .. text .. "' is too many shards: at most 10000" },
        { shards.parse(text) })
    end
  end)

  it("keeps comparison groups together", function()
    local items = {}
    for n = 1, 20 do
      for _ = 1, 3 do items[#items + 1] = item("n=" .. n, n) end
    end
    local home = {}
    for i, k in ipairs(shards.assign(items, 4)) do
      home[items[i].group] = home[items[i].group] or k
      assert.equal(home[items[i].group], k)
    end
  end)

  it("has the same benches in whatever order a process has loaded them",
    function()
      local names, homes = { "d", "a", "c", "b", "e" }, nil
      for _ = 1, #names do
        table.insert(names, table.remove(names, 1))
        local items, found = {}, {}
        for i, name in ipairs(names) do items[i] = item(name, 2e9) end
        for i, k in ipairs(shards.assign(items, 2)) do found[names[i]] = k end
        homes = homes or found
        assert.same(homes, found)
      end
    end)

  it("has about as much to do as the others", function()
    local items = {}
    for i = 1, 40 do items[i] = item("g" .. i, 1 + i * 7 % 13) end
    local sums = loads(items, 4)
    table.sort(sums)
    assert.is_true(sums[4] - sums[1] <= 1)
  end)

  it("is at worst what Graham's example says: 11 where 9 would do", function()
    local items = {}
    for i, cost in ipairs { 5, 5, 4, 4, 3, 3, 3 } do
      items[i] = item("g" .. i, cost)
    end
    assert.same({ 11, 8, 8 }, loads(items, 3))
  end)

  it("takes what is unknown as the usual cost", function()
    local items = { item("a", 10), item("b", 2), item("c"), item("d", 2) }
    assert.same({ 1, 2, 2, 2 }, shards.assign(items, 2))
    assert.same({ 1, 2, 1 },
      shards.assign({ item("a"), item("b"), item("c") }, 2))
  end)

  it("is empty where there is less to do than shards", function()
    assert.same({}, shards.select({ item("a", 1) }, { index = 2, count = 2 }))
    assert.same({}, shards.select({}, { index = 1, count = 2 }))
  end)

  it("and its peers hold every item once, in order", function()
    local items, seen = {}, {}
    for i = 1, 31 do items[i] = item("g" .. i % 11, i % 5) end
    for index = 1, 5 do
      local last = 0
      local part = { index = index, count = 5 }
      for _, chosen in ipairs(shards.select(items, part)) do
        assert.is_nil(seen[chosen])
        seen[chosen] = true
        for i = 1, #items do
          if items[i] == chosen then
            assert.is_true(i > last)
            last = i
          end
        end
      end
    end
    for _, one in ipairs(items) do assert.is_true(seen[one]) end
  end)
end)
