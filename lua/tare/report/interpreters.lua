-- Interpreters side by side: cells that differ in the parameter 'lua'. A few
-- benches have a table each, of metrics; many have one in common, of times.
-- They are sorted by their figures in the first interpreter.
local columns = require "tare.report.columns"
local escape = require "tare.report.escape"
local ids = require "tare.base.ids"

local interpreters = {}

local MOST_BENCHES = 4 -- that have a table each

-- The benches that several interpreters ran, each with its result by the name
-- of the interpreter; these names in order.
local function read(results)
  local benches, names, covered = {}, {}, {}
  for _, result in ipairs(results) do
    local lua = (result.params or {}).lua
    if lua ~= nil then
      lua = escape.visible(lua)
      local id = ids.without(result.id, "lua")
      if not benches[id] then
        benches[id] = { id = id, by_name = {}, results = {} }
        benches[#benches + 1] = benches[id]
      end
      if not names[lua] then names[lua], names[#names + 1] = true, lua end
      table.insert(benches[id].results, result)
      benches[id].by_name[lua], covered[result] = result, true
    end
  end
  return benches, names, covered
end

-- An empty table with a column for each interpreter.
local function new_table(first, names)
  local list = { { key = first, title = first, align = "left" } }
  for i, name in ipairs(names) do
    list[i + 1] = { key = name, title = name, align = "right" }
  end
  return { columns = list, rows = {} }
end

-- A row of figures of one bench; whether it says anything. That a time is too
-- noisy stands after it, for a row has several.
local function row_of(title, bench, names, chosen, context)
  local cells, says = { { text = title } }, false
  for i, name in ipairs(names) do
    local result = bench.by_name[name]
    local cell = result and chosen.column.cell(result, context,
      chosen.interval)
    says = says or cell ~= nil and cell.text ~= "-"
    cells[i + 1] = cell and { text = cell.short or cell.text,
      more = cell.more, style = cell.style, value = cell.value,
      interval = cell.interval, verdict = cell.verdict,
      mark = chosen.column.key == "time" and context.mark_of(result) or nil,
      hint = cell.short and cell.text } or { text = "-", style = "dim" }
  end
  return { cells = cells, key = chosen.column.key }, says
end

-- What the signs of a table mean, and of its rows the collector's.
local function legend_of(made)
  local is_noisy, gc
  for _, row in ipairs(made.rows) do
    for i, cell in ipairs(row.cells) do
      is_noisy = is_noisy or (cell.mark or ""):find("!", 1, true) ~= nil
      if i > 1 and row.key == "gc" then
        gc = cell.text == "?" and ", ?: too few collections to say" or gc or ""
      end
    end
  end
  local legend = {}
  legend[1] = is_noisy and { sign = "!", text = "too noisy to rely on" } or nil
  legend[#legend + 1] = gc and { text = "gc: the collector's share of the time"
    .. gc } or nil
  return legend[1] and legend or nil
end

local function of_bench(bench, names, context)
  local made = new_table("metric", names)
  local set = context.relations.set_of[bench.results[1]]
  for _, chosen in ipairs(context.chosen) do
    local title = chosen.column.title
    if title == "compared" and set then
      local other = (set.reference.params or {}).lua
      title = "compared with " .. escape.visible(other or set.reference.id)
    end
    local row, says = row_of(title, bench, names, chosen, context)
    if says or chosen.named then made.rows[#made.rows + 1] = row end
  end
  made.legend = legend_of(made)
  return { kind = "interpreters", table = made, results = bench.results,
    title = escape.visible(bench.id) .. ", per call by interpreter" }
end

--- The sections of a Report about interpreters, and the results that they show.
---@param context table of tare.report.document
---@return table[] sections
---@return table<table, boolean> covered
function interpreters.sections(report, context)
  local benches, names, covered = read(report.results)
  local sections = {}
  benches = columns.sorted(benches, context, function(bench)
    return bench.by_name[names[1]] or bench.results[1]
  end)
  if #benches <= MOST_BENCHES or context.explicit then
    for i, bench in ipairs(benches) do
      sections[i] = of_bench(bench, names, context)
    end
    return sections, covered
  end
  local made, results = new_table("bench", names), {}
  for i, bench in ipairs(benches) do
    made.rows[i] = row_of(escape.visible(bench.id), bench, names,
      { column = columns.find "time" }, context)
    for _, result in ipairs(bench.results) do
      results[#results + 1] = result
    end
  end
  made.legend = legend_of(made)
  return { { kind = "interpreters", table = made, results = results,
    title = "time per call, by interpreter" } }, covered
end

return interpreters
