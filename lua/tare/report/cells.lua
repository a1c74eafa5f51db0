-- Makes the cells of a column: one text a result, in a unit that the whole
-- column shares.
local metrics = require "tare.base.metrics"
local units = require "tare.base.units"

local cells = {}

local NONE = "-"
-- Up to this quotient of its two sides an interval is told by the larger one.
local ALIKE = 1.5
-- Sides wider than this share of the value are told as ends.
local WIDE = 0.5

local function sides(e)
  local down, up = e.value - e.low, e.high - e.value
  return math.max(down, up), math.min(down, up)
end

-- Significant digits that tell the ends of an interval apart.
local function digits_for(e)
  local size = math.max(math.abs(e.low), math.abs(e.high))
  local span = e.high - e.low
  if not (span > 0 and size > 0) then return 4 end
  local needed = math.ceil(math.log(size / span) / math.log(10)) + 2
  return math.max(3, math.min(8, needed))
end

--- An interval in words: "±0.9%" where both sides are alike, else its ends.
---@param e { value: number, low: number, high: number }
---@param options { ascii: boolean?, unit: string?, scale: table? }
---@return string
function cells.interval(e, options)
  local larger, smaller = sides(e)
  if larger == 0 then return "exact" end
  if e.value > 0 and larger <= WIDE * e.value and smaller >= 0
    and larger <= ALIKE * smaller then
    local sign = options.ascii and "+-" or "\194\177"
    return sign .. units.percent(larger / e.value)
  end
  local digits, unit, scale = digits_for(e), options.unit, options.scale
  local function text(x)
    if scale then return units.scaled(x, scale, digits) end
    return unit and units.value(x, unit, digits) or units.number(x, digits)
  end
  return text(e.low) .. ".." .. text(e.high)
end

local function is_near_zero(e)
  return metrics.has_interval(e) and e.low <= 0 and e.high >= 0
    and e.high > e.low
end

-- A value, and its digits; what can't be told from zero is rounded to the first
-- digit of its error.
local function told(e)
  if not is_near_zero(e) then return e.value end
  local step = 10 ^ math.floor(math.log((e.high - e.low) / 2) / math.log(10)
    + 1e-9)
  local steps = math.floor(e.value / step + 0.5)
  return steps * step + 0, #("%d"):format(math.abs(steps)) -- no negative zero
end

local function figure_text(e, column, scale)
  local unit, value, digits = column.unit, told(e)
  digits = digits or column.digits
  if not scale then return units.value(value, unit, digits) end
  local text
  if scale.factor == 1 and unit ~= "ns" and value % 1 == 0
    and math.abs(value) < 1e15 then
    text = ("%.0f"):format(value)
  else
    text = units.scaled(value, scale, digits)
  end
  return scale.suffix == "" and text or text .. " " .. scale.suffix
end

local function estimates_of(column, results, context)
  local estimates, values = {}, {}
  for i, result in ipairs(results) do
    local e = column.estimate(result, context)
    estimates[i] = e or false
    if e then values[#values + 1] = is_near_zero(e) and 0 or e.value end
  end
  return estimates, values
end

local function scale_of(column, values)
  return column.unit and units.scale(column.unit, values) or nil
end

local function figures(column, results, context)
  local estimates, values = estimates_of(column, results, context)
  local scale, texts = scale_of(column, values), {}
  for i, e in ipairs(estimates) do
    texts[i] = e and (column.number and column.number(e.value)
      or figure_text(e, column, scale))
  end
  return texts, values
end

local function intervals(column, results, context)
  local estimates, values = estimates_of(column.of, results, context)
  local texts, options = {}, { ascii = context.ascii, unit = column.of.unit,
    scale = scale_of(column.of, values) }
  for i, e in ipairs(estimates) do
    texts[i] = e and metrics.has_interval(e) and cells.interval(e, options)
  end
  return texts
end

local function words(column, results, context)
  local texts = {}
  for i, result in ipairs(results) do
    texts[i] = column.text(result, context) or false
  end
  return texts
end

local function all(list, wanted)
  for i = 1, #list do
    if list[i] ~= wanted then return false end
  end
  return true
end

-- Whether the column can be left out: nothing in it, or no difference.
local function is_dull(column, texts, values)
  if all(texts, false) then return true end
  if column.of and all(texts, "exact") then return true end
  if column.dull == "zero" then return all(values, 0) end
  return column.dull == "equal" and all(texts, texts[1])
end

--- A column over some results.
---@param column table of tare.report.columns
---@param results table[]
---@param context { references: table, confidence: string, ascii: boolean? }
---@return { key: string, title: string, align: string, cells: string[],
---  dull: boolean }
function cells.make(column, results, context)
  local make = column.of and intervals or column.text and words or figures
  local texts, values = make(column, results, context)
  for i = 1, #texts do texts[i] = texts[i] or false end
  local dull = is_dull(column, texts, values or {})
    or column.says_nothing ~= nil and column.says_nothing(results)
  for i = 1, #texts do texts[i] = texts[i] or NONE end
  local title = column.title
  if type(title) == "function" then title = title(context) end
  return { key = column.key, title = title, align = column.align,
    cells = texts, dull = dull }
end

return cells
