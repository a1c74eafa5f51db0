-- A sweep as a table: a row each value of the axis, a column a series.
local columns = require "tare.report.html.columns"
local markup = require "tare.report.html.markup"
local pivot = require "tare.report.pivot"
local words = require "tare.report.words"

local escape = markup.escape

local function x_text(x)
  if type(x) ~= "number" then return escape(x) end
  return words.thousands(x)
end

-- A column a series; all share one unit.
local function series_columns(sweep, rows)
  local values, list = {}, {}
  for k in ipairs(sweep.series) do
    for i, row in ipairs(rows) do values[(k - 1) * #rows + i] = row[k] end
  end
  local all = columns.column(values, #sweep.series * #rows, sweep.unit or "ns",
    4)
  for k, series in ipairs(sweep.series) do
    local column = { texts = {}, pads = {} }
    for i = 1, #rows do
      local at = (k - 1) * #rows + i
      column.texts[i], column.pads[i] = all.texts[at], all.pads[at]
    end
    column.title = columns.title(markup.id(series.label), all.suffix)
    list[k] = column
  end
  return list
end

--- The table of a sweep.
---@param sweep table
---@return string markup
return function(sweep)
  local rows = pivot.rows(sweep)
  local list = series_columns(sweep, rows)
  local head, body = { '<th class="n">' .. escape(sweep.axis) .. "</th>" }, {}
  for _, column in ipairs(list) do
    head[#head + 1] = '<th class="n">' .. column.title .. "</th>"
  end
  for i, row in ipairs(rows) do
    local best, parts = #list > 1 and pivot.best(row, #list), {}
    for k, column in ipairs(list) do
      parts[k] = columns.cell(column, i, k == best and "n best" or "n")
    end
    body[i] = '<tr><th scope="row" class="n">' .. x_text(row.x) .. "</th>"
      .. table.concat(parts) .. "</tr>"
  end
  return markup.table("cells", table.concat(head), table.concat(body))
    .. (#list > 1 and '<p class="note">The least of each row is shaded.</p>'
      or "")
end
