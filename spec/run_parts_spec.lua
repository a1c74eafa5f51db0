local parts = require "tare.run.parts"

local SETTINGS = { quota = { ns = 1e9 } }

-- Cells "a1 a2 b1": what has a letter in common is compared.
local function cells(text, options)
  local list = {}
  for id in text:gmatch("%S+") do
    list[#list + 1] = { id = id, compared = id:sub(1, 1),
      spec = { options = options or {} } }
  end
  return list
end

-- Parts as text: "a1 a2|b1 / c1", groups within parts.
local function text_of(list)
  local texts = {}
  for p, part in ipairs(list) do
    local groups = {}
    for g, group in ipairs(part) do
      local ids = {}
      for i, cell in ipairs(group) do ids[i] = cell.id end
      groups[g] = table.concat(ids, " ")
    end
    texts[p] = table.concat(groups, "|")
  end
  return table.concat(texts, " / ")
end

describe("cells that are measured at the same time", function()
  local WIDE = { cells = 100, ns = 1e12 }

  it("stand beside those that they are compared with", function()
    assert.equal("a1 a2|b1", text_of(parts.of(cells "a1 b1 a2", SETTINGS,
      WIDE)))
  end)

  it("are no more than asked for, but for one group", function()
    assert.equal("a1|b1 b2 / c1 c2 c3 c4 / d1", text_of(parts.of(
      cells "a1 b1 b2 c1 c2 c3 c4 d1", SETTINGS, { cells = 3, ns = 1e12 })))
  end)

  it("take no longer than asked for, by their quotas", function()
    local most = { cells = 100, ns = 3e9 }
    assert.equal("a1|b1 b2 / c1", text_of(parts.of(cells "a1 b1 b2 c1",
      SETTINGS, most)))
    assert.equal("a1 / b1", text_of(parts.of(cells("a1 b1",
      { quota = { ns = 2e9 } }), SETTINGS, most)))
  end)

  it("may take any time where only their calls are limited", function()
    assert.equal("a1|b1|c1", text_of(parts.of(cells "a1 b1 c1",
      { quota = { calls = 10 } }, { cells = 100, ns = 1 })))
  end)

  it("part, where they are many and there is nothing to compare with",
    function()
      local many, narrow = cells(("a "):rep(40)), { cells = 8, ns = 1e12 }
      assert.equal(5, #parts.of(many, SETTINGS, narrow))
      assert.equal(1, #parts.of(cells(("a "):rep(32)), SETTINGS, narrow))
      assert.equal(1, #parts.of(many, SETTINGS,
        { cells = 8, ns = 1e12, whole = true }))
      many[7].baseline = true
      assert.equal(1, #parts.of(many, SETTINGS, narrow))
    end)

  it("are in no part where there are none", function()
    assert.same({}, parts.of({}, SETTINGS, WIDE))
  end)
end)
