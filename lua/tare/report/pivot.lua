-- A sweep as rows and columns: a row each value of the axis, a column a
-- series. Pure.
local cells = require "tare.report.cells"
local escape = require "tare.report.escape"
local words = require "tare.report.words"

local pivot = {}

local LEAST = "*" -- marks the least of a row

local function in_order(a, b)
  if type(a.x) == "number" and type(b.x) == "number" then return a.x < b.x end
  return tostring(a.x) < tostring(b.x)
end

--- The rows of a sweep, by its axis.
---@param sweep table
---@return { x: any, [integer]: number }[] rows with the value of each series
function pivot.rows(sweep)
  local rows, at = {}, {}
  for k, series in ipairs(sweep.series) do
    for _, point in ipairs(series.points) do
      local x, value = point.x, point.value
      if x and x == x and not at[x] then
        at[x] = { x = x }
        rows[#rows + 1] = at[x]
      end
      if at[x] and value == value then at[x][k] = value end
    end
  end
  table.sort(rows, in_order)
  return rows
end

--- The series with the least of a row.
---@param row table of pivot.rows
---@param count integer of series
---@return integer? series
function pivot.best(row, count)
  local best
  for k = 1, count do
    if row[k] and (not best or row[k] < row[best]) then best = k end
  end
  return best
end

-- Marks the cells of the series that takes least.
local function mark_best(columns, rows)
  for i, row in ipairs(rows) do
    local best = pivot.best(row, #columns)
    if best then
      local column = columns[best]
      column.cells[i] = { column.cells[i] .. LEAST, "good" }
    end
  end
end

local function axis_column(sweep, rows)
  local texts = {}
  for i, row in ipairs(rows) do
    texts[i] = type(row.x) == "number" and words.thousands(row.x)
      or escape.visible(tostring(row.x))
  end
  return { key = "axis", title = escape.visible(sweep.axis), align = "right",
    cells = texts }
end

-- The texts of all values, series by series, in the unit that they share.
local function texts_of(sweep, rows)
  local values = {}
  for k in ipairs(sweep.series) do
    for _, row in ipairs(rows) do values[#values + 1] = { of = row[k] } end
  end
  return cells.make({ unit = sweep.unit or "ns", estimate = function(entry)
    return entry.of and { value = entry.of }
  end }, values, {}).cells
end

--- The columns of a sweep's table: the axis, then the series; the least of each
--- row is marked.
---@param sweep table
---@return { key: string, title: string, align: string, cells: table }[]
function pivot.columns(sweep)
  local rows, columns = pivot.rows(sweep), {}
  local texts = texts_of(sweep, rows)
  for k, series in ipairs(sweep.series) do
    local own = {}
    for i = 1, #rows do own[i] = texts[(k - 1) * #rows + i] end
    columns[k] = { key = series.label, title = escape.visible(series.label),
      align = "decimal", cells = own }
  end
  if #columns > 1 then mark_best(columns, rows) end
  table.insert(columns, 1, axis_column(sweep, rows))
  return columns
end

return pivot
