-- Which samples a plot shows: finite ones, thinned evenly to a budget.
local scale = require "tare.report.scale"

local points = {}

local is_drawable = scale.is_drawable

--- Rows in which all the columns are finite numbers and 'iters' is above 0.
---@param samples table? columns of a RESULT
---@param ... string names of columns beside 'iters'
---@return integer[]? rows nil where there is none
function points.rows(samples, ...)
  local iters = samples and samples.iters
  if not iters then return nil end
  local columns, rows = { iters }, {}
  for _, name in ipairs { ... } do
    columns[#columns + 1] = samples[name] or {}
  end
  for i = 1, #iters do
    local whole = is_drawable(iters[i]) and iters[i] > 0
    for c = 2, #columns do whole = whole and is_drawable(columns[c][i]) end
    if whole then rows[#rows + 1] = i end
  end
  return rows[1] and rows or nil
end

--- A column's values in some rows, divided by the calls of each.
---@return number[]
function points.per_call(samples, name, rows)
  local values = {}
  for k, i in ipairs(rows) do
    values[k] = samples[name][i] / samples.iters[i]
  end
  return values
end

--- A column's values in some rows; 0 where absent.
---@return number[]
function points.pick(column, rows)
  local values = {}
  for k, i in ipairs(rows) do
    local v = column and column[i]
    values[k] = is_drawable(v) and v or 0
  end
  return values
end

--- At most 'limit' rows, evenly from the first to the last.
---@param rows integer[]
---@param limit integer
---@return integer[]
function points.thin(rows, limit)
  if #rows <= limit then return rows end
  local kept = {}
  for k = 1, limit do
    kept[k] = rows[1 + math.floor((k - 1) * (#rows - 1) / (limit - 1) + 0.5)]
  end
  return kept
end

--- "" or a remark that only some of the samples are drawn.
---@return string
function points.remark(shown, all)
  if shown >= all then return "" end
  return (" %d of %d samples are drawn."):format(shown, all)
end

return points
