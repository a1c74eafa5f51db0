local fixtures = require "spec.support.fixtures"
local markdown = require "tare.report.markdown"

local function rendered(options, report)
  return assert(markdown.render(report or fixtures.report(), options))
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
    assert.equal(5 + #fixtures.report().sweeps, #list)
    for _, rows in ipairs(list) do
      for _, cells in ipairs(rows) do assert.equal(#rows[1], #cells) end
      for _, rule in ipairs(rows[2]) do
        assert.matches("^ :?%-+:? $", rule)
      end
    end
    assert.equal(2 + 4, #list[1])
  end)

  it("keeps hostile names from breaking out", function()
    local out = rendered()
    assert.is_nil(out:find("<script", 1, true))
    assert.is_nil(out:find("</script>", 1, true))
    assert.is_nil(out:gsub("\n", ""):find("%c"))
    assert.is_truthy(out:find("\\|\\\\r\\\\n", 1, true))
  end)

  it("has the same columns and figures as the text", function()
    local out = rendered({ columns = "+time" })
    assert.is_truthy(out:find("| name | time | 95% CI | R2 |", 1, true))
    assert.is_truthy(out:find("| buffer | 525.0 ns | \194\1771.0% |", 1,
      true))
    assert.is_nil((markdown.render(fixtures.report(), { columns = "x" })))
  end)

  it("lists sweeps, comparisons, gates, failures and warnings", function()
    local out = rendered { failures = { { message = "a: time rose" } },
      notes = { "not gated: b" }, explain = true }
    for _, part in ipairs {
      "### vec/fill over n\n\n- \226\151\143 impl=append grows like n",
      "### strings, against concat\n\n- buffer is 2.04x",
      "### Gates not passed\n\n- a: time rose\n",
      "### Failed\n\n- broken/raises: broken\\_bench.lua:7: attempt",
      "### Warnings\n\n- speed drifted (strings/gsub): Later batches",
      "### Notes\n\n- not gated: b\n",
      "### What the columns say\n\n- time: wall time a call",
      "21 benches, 1 failed, 1 gate not passed.\n",
    } do
      assert.is_truthy(out:find(part, 1, true), part)
    end
  end)

  it("renders a Report in which almost everything is absent", function()
    assert.equal("0 benches.\n", rendered(nil, { results = {} }))
    assert.is_string(rendered(nil, { results = { { id = "a" } } }))
  end)
end)
