local stats = require("tare.core").stats

describe("random numbers", function()
  it("are those that the authors of xoshiro256** give for 1, 2, 3, 4",
    function()
      assert.same({
        "0000000000002d00", "0000000000000000", "000000005a007080",
        "10e0000000009d80", "10e0b61ce1009d80", "0870021ce143ad00",
      }, stats.random_words(6, { 1, 2, 3, 4 }))
    end)

  it("start from four numbers of splitmix64", function()
    -- both recurrences computed apart from this code, in whole numbers
    assert.same({
      "b3f2af6d0fc710c5", "853b559647364cea", "92f89756082a4514",
      "642e1c7bc266a3a7", "b27a48e29a233673",
    }, stats.random_words(5, 1))
  end)

  it("pick rows by multiply-shift, the low half of a word first", function()
    assert.same({ { 1, 8, 3, 6, 1, 6, 8, 4, 7, 7 } },
      stats.draws(10, { seed = 1 }))
  end)

  it("are of one row or more", function()
    assert.same({ { 1 } }, stats.draws(1))
    assert.has_error(function() stats.draws(0) end)
  end)

  it("have words of state that a double holds", function()
    for _, word in ipairs { -1, 2 ^ 54, 1/0, -1/0, 0/0 } do
      assert.has_error(function()
        stats.random_words(1, { 1, 2, 3, word })
      end)
    end
  end)

  it("refuse a number of words below 0, their first argument", function()
    local ok, message = pcall(stats.random_words, -1, 5)
    assert.is_false(ok)
    assert.truthy(message:find("#1", 1, true), message)
    assert.same({}, stats.random_words(0, 5))
  end)

  it("drop the last half where the number of rows is odd", function()
    local words = stats.random_words(4, 5)
    local draws = stats.draws(3, { seed = 5, resamples = 2 })
    local function pick(half) return math.floor(half * 3 / 2 ^ 32) + 1 end
    local expected = {}
    for r = 1, 2 do
      local first, second = words[2 * r - 1], words[2 * r]
      expected[r] = {
        pick(tonumber(first:sub(9), 16)), pick(tonumber(first:sub(1, 8), 16)),
        pick(tonumber(second:sub(9), 16)),
      }
    end
    assert.same(expected, draws)
  end)

  it("pick every row equally often", function()
    local counts = {}
    for _, rows in ipairs(stats.draws(7, { resamples = 10000 })) do
      for _, row in ipairs(rows) do counts[row] = (counts[row] or 0) + 1 end
    end
    local chi2 = 0
    for row = 1, 7 do chi2 = chi2 + (counts[row] - 1e4) ^ 2 / 1e4 end
    assert.is_true(chi2 < 22.5, chi2) -- 6 degrees of freedom: 0.1 %
  end)
end)

describe("draws", function()
  it("of moving blocks may begin at the first and at the last place", function()
    local first, last = 0, 0
    for _, rows in ipairs(stats.draws(11, { block = 4, resamples = 50 })) do
      for i = 1, 11, 4 do
        if rows[i] == 1 then first = first + 1 end
        if rows[i] == 8 then last = last + 1 end
      end
    end
    -- 150 blocks, of 8 places
    assert.is_true(first > 8 and first < 32, first)
    assert.is_true(last > 8 and last < 32, last)
  end)

  it("of moving blocks take neighbours", function()
    for block = 2, 4 do
      for _, rows in ipairs(stats.draws(11, { block = block,
        resamples = 50 })) do
        assert.equal(11, #rows)
        for i, row in ipairs(rows) do
          assert.is_true(row >= 1 and row <= 11)
          if (i - 1) % block > 0 then assert.equal(rows[i - 1] + 1, row) end
        end
      end
    end
  end)

  it("of two levels take groups, then rows within each", function()
    local groups = { "a", "b", "a", "b", "c", "c", "c", "a", "a" }
    local size = { a = 4, b = 2, c = 3 }
    local seen = {}
    local all = stats.draws(9, { groups = groups, resamples = 200 })
    for _, rows in ipairs(all) do
      local at = 1
      for _ = 1, 3 do
        local group = groups[rows[at]]
        for i = at, at + size[group] - 1 do
          assert.equal(group, groups[rows[i]])
          seen[rows[i]] = true
        end
        at = at + size[group]
      end
      assert.equal(#rows, at - 1)
    end
    assert.equal(9, #seen)
  end)

  it("refuse what makes no sense", function()
    local function refused(rows, options, pattern)
      local ok, message = pcall(stats.draws, rows, options)
      assert.is_false(ok)
      assert.matches(pattern, message)
    end
    refused(0, nil, "must be in")
    refused(3, { block = 4 }, "'block'")
    refused(3, { block = 1.5 }, "'block'")
    refused(3, { groups = { 1, 2 } }, "'groups'")
    refused(3, { groups = { 1, 2, 2, 1 } }, "'groups'")
    refused(3, { groups = { 1, 2, 0 / 0 } }, "'groups'")
    refused(3, { groups = { 1, 2, 2 }, block = 2 }, "exclude")
    refused(3, { seed = -1 }, "'seed'")
    refused(3, { resamples = 0 }, "'resamples'")
    refused(3, { confidence = 1 }, "'confidence'")
    refused(3, { method = "best" }, "'method'")
  end)
end)
