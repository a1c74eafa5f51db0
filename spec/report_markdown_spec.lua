local fixtures = require "spec.support.fixtures"
local markdown = require "tare.report.markdown"
local report = require "tare.report"

local function rendered(options, data)
  return assert(markdown.render(data or fixtures.report(), options))
end

-- The tables of a document as GitHub reads them: a bar that is not escaped
-- ends a cell.
local function tables(text)
  local list, current = {}, nil
  for line in text:gmatch("([^\n]*)\n") do
    local inside = line:match("^|(.*)|$")
    if inside and not current then
      current = {}
      list[#list + 1] = current
    elseif not inside then
      current = nil
    end
    if inside then
      local cells = {}
      local safe = inside:gsub("\\\\", "\1"):gsub("\\|", "\2")
      for cell in (safe .. "|"):gmatch("([^|]*)|") do
        cells[#cells + 1] = cell
      end
      current[#current + 1] = cells
    end
  end
  return list
end

describe("the Markdown report", function()
  it("has a table a section, every row as long as its titles", function()
    local list = tables(rendered())
    assert.equal(3 + #fixtures.report().sweeps, #list)
    for _, rows in ipairs(list) do
      for _, cells in ipairs(rows) do assert.equal(#rows[1], #cells) end
      for _, rule in ipairs(rows[2]) do
        assert.matches("^ :?%-+:? $", rule)
      end
    end
    assert.equal(2 + 4, #list[1])
  end)

  it("says by which clock times are, how long was waited, and where processes "
    .. "fall into groups", function()
    local data = fixtures.many(1)
    local one = data.results[1]
    one.time_from, one.waited_ns, one.launches = "wall", 2.3e9, 10
    one.groups = { { value = 1200, share = 0.7 }, { value = 1250,
      share = 0.3 } }
    data.env.clock, data.options.quota = { from = "none" }, { ns = 1e9 }
    local out = rendered({}, data)
    assert.matches("Example 9, wall time: the core's clock can't be read here",
      out)
    assert.matches("\nmachine: waited 2%.3 s for a free core%.\n", out)
    assert.truthy(out:find("- **processes differ** suite1/bench1 (1.20 us in 7 "
      .. "of 10 processes, 1.25 us in 3). The", 1, true), out)
  end)

  it("keeps hostile names from breaking out", function()
    local out = rendered()
    assert.is_nil(out:find("<script", 1, true))
    assert.is_nil(out:find("</script>", 1, true))
    assert.is_nil(out:gsub("\n", ""):find("%c"))
    assert.is_truthy(out:find("\\|\\\\r\\\\n", 1, true))
  end)

  it("says the same as the terminal", function()
    local out, screen = rendered(), report.render(fixtures.report(), "text")
    assert.is_truthy(out:find("| bench | time | compared with concat |", 1,
      true))
    assert.is_truthy(out:find("| buffer | 525 ns \194\1771.0% | 2.04 times as "
      .. "fast (2.01 to 2.07) |", 1, true))
    for sentence in screen:gmatch("\n  (%l[^\n]*%.)\n") do
      assert.is_truthy(out:find("- " .. sentence, 1, true), sentence)
    end
    assert.is_nil((markdown.render(fixtures.report(), { columns = "x" })))
  end)

  it("has what failed first, then sections, notes and the count", function()
    local out = rendered { failures = { { message = "a: time rose" } },
      notes = { "not checked: b" }, explain = true }
    local last = 0
    for _, part in ipairs {
      "## Failed\n\n- **broken/raises** broken\\_bench.lua:7: attempt",
      "- **gate** a: time rose\n", "## strings\n\n| bench |",
      "- buffer is the quickest.",
      "## vec/fill, time per call by n and impl\n\n| n | append | insert |",
      "| 10 | 610 ns | **94.5 ns** |\n", "| grows as | n | n log n |\n",
      "\nbold: the quickest; + fixed: what a call takes at any n; times: "
        .. "\194\1772.0% or better\n",
      "- append grows as n: 400 ns + 21 ns \\* n, exponent 0.97 (0.93 to "
        .. "1.01).\n",
      "## Notes\n\n- **\\[1\\] no known code", "- **not checked** b\n",
      "## What the columns mean\n\n- **bench** name",
      "**20 ok, 1 failed, 1 gate failed**\n",
    } do
      local at = out:find(part, last + 1, true)
      assert.is_truthy(at, part)
      last = at
    end
  end)

  it("renders a Report in which almost everything is absent", function()
    assert.equal("**no benches**\n", rendered(nil, { results = {} }))
    assert.is_string(rendered(nil, { results = { { id = "a" } } }))
  end)

  it("lists the figures of a single bench", function()
    local out = rendered(nil, { results = { fixtures.report().results[5] } })
    assert.is_truthy(out:find("## tables/fill{n=10}\n\n- 264 ns", 1, true))
    assert.is_truthy(out:find("61 Lua instructions (C not", 1, true))
    assert.is_truthy(out:find("\n- 152 B in 4 allocations per call, 27%", 1,
      true))
  end)
end)
