-- What a report says of LuaJIT's traces, whatever Lua renders it.
local traces = require "tare.report.traces"

local function abort(line, count, blacklisted)
  return { source = "src/f.lua", line = line, bytecode = "FNEW", count = count,
    reason = "NYI: bytecode FNEW", blacklisted = blacklisted }
end

local function root(line, taken, count)
  return { source = "src/f.lua", line = line, taken = taken, traces = count,
    side = count - 1, exits = 3 * count }
end

local function sections(found, id)
  return traces.sections { results = { { id = "s/none" }, { id = id or "s/a",
    traces = found }, { id = "s/other", traces = { compiled = 2 } } } }
end

local function texts(section)
  local list = {}
  for i, row in ipairs(section.table.rows) do
    list[i] = {}
    for k, cell in ipairs(row.cells) do list[i][k] = cell.text end
  end
  return list
end

describe("traces in a report", function()
  it("are a table of what was given up, and one of what was compiled",
    function()
      local made = sections { compiled = 5, side = 2,
        aborts = { abort(3, 7), abort(9, 1, true) },
        roots = { root(20, 0.5, 1), root(30, 4, 2), root(10, 4, 2),
          root(40, 4, 3) } }
      assert.equal(2, #made)
      assert.same({ "Traces of s/a", "Compiled code in s/a" },
        { made[1].title, made[2].title })
      assert.same({ { "f.lua:3", "FNEW", "7", "NYI: bytecode FNEW" },
        { "f.lua:9", "FNEW", "1", "NYI: bytecode FNEW (for good)" } },
        texts(made[1]))
      assert.same({ { "f.lua:40", "3", "2", "9", "4" },
        { "f.lua:10", "2", "1", "6", "4" },
        { "f.lua:30", "2", "1", "6", "4" },
        { "f.lua:20", "1", "0", "3", "0.500" } }, texts(made[2]))
      assert.equal("5 traces were compiled (2 of them side traces); the "
        .. "compiler gave up at 2 places, at 1 of them for good.",
        made[1].sentences[1].text)
      assert.equal(2, #made[1].sentences) -- and advice, once
    end)

  it("have no table of nothing", function()
    local made = sections { compiled = 1, side = 0, aborts = {} }
    assert.equal(1, #made)
    assert.is_nil(made[1].table)
    assert.equal(1, #made[1].sentences)
    assert.matches("gave up at 0 places%.$", made[1].sentences[1].text)
    assert.matches("gave up at 1 place%.$", sections {
      aborts = { abort(1, 1) } }[1].sentences[1].text)
  end)

  it("are the first of many, and how many more there are", function()
    local aborts, roots = {}, {}
    for i = 1, 40 do aborts[i], roots[i] = abort(i, i), root(i, i, 1) end
    local made = sections { aborts = aborts, roots = roots }
    for k, first in ipairs { "f.lua:1", "f.lua:40" } do
      local rows = texts(made[k])
      assert.equal(first, rows[1][1])
      assert.equal(("%d more"):format(40 - #rows),
        made[k].table.legend[1].text)
    end
    local rows = texts(made[1])
    while #aborts > #rows do aborts[#aborts] = nil end
    assert.is_nil(sections({ aborts = aborts })[1].table.legend)
  end)
end)
