-- What the plots of a terminal share: how wide they are, their axes, and the
-- labels beside them.
local digits = require "tare.report.digits"
local scale = require "tare.report.scale"
local units = require "tare.base.units"
local width = require "tare.report.width"

local ruler = {}

local WIDEST = 64 -- columns that a plot takes at most
local UNLIMITED = 100 -- columns that are taken to be there in a pipe
local LOG_FROM = 10 -- a larger span is drawn on a logarithmic axis

--- Columns of a plot beside labels of so many.
---@param labels integer
---@param free integer? columns of the terminal
---@return integer
function ruler.columns(labels, free)
  return math.max(10, math.min(WIDEST, (free or UNLIMITED) - labels))
end

--- An axis that suits the values: logarithmic where they span much.
---@param values number[]
---@param count integer? of ticks
---@return table? axis of tare.report.scale; nil without values
function ruler.axis(values, count)
  local low, high = scale.extent(values)
  if not low then return nil end
  if low > 0 and high > low * LOG_FROM then
    return scale.log(low, high, count)
  end
  return scale.linear(low, high, count)
end

--- Columns of the longest of some texts.
---@param texts string[]
---@return integer
function ruler.longest(texts)
  local size = 0
  for _, text in ipairs(texts) do size = math.max(size, width.of(text)) end
  return size
end

local MOST_DIGITS = 8

-- Whether each text is another than the one before.
local function differ(texts)
  for i = 2, #texts do
    if texts[i] == texts[i - 1] then return false end
  end
  return true
end

--- Ticks of an axis with their labels, as plot.axis takes them; with as many
--- digits as tell them apart.
---@param axis table
---@param text_of fun(value: number, digits: integer): string
---@return { at: number, text: string }[]
function ruler.ticks(axis, text_of)
  local function texts(count)
    local list = {}
    for i, value in ipairs(axis.ticks) do list[i] = text_of(value, count) end
    return list
  end
  local labels = texts(digits.fewest(MOST_DIGITS, function(count)
    return differ(texts(count))
  end))
  local ticks = {}
  for i, value in ipairs(axis.ticks) do
    ticks[i] = { at = axis.at(value), text = labels[i] }
  end
  return ticks
end

-- "10.0 us" -> "10 us"
local function without_zeros(s)
  return (s:gsub("(%.%d-)0+(%D)", "%1%2"):gsub("%.(%D)", "%1"))
end

--- "10 us"
---@param ns number
---@param count integer of digits
---@return string
function ruler.duration(ns, count)
  return without_zeros(units.duration(ns, count))
end

--- "0.5x"
---@param ratio number
---@param count integer of digits
---@return string
function ruler.times(ratio, count)
  return without_zeros(units.number(ratio, count) .. "x")
end

--- "1000"
---@param x number
---@return string
function ruler.plain(x) return ("%.6g"):format(x) end

return ruler
