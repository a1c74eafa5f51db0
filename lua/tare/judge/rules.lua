-- The rules of gates as people write them: "time>5%,allocs>0".
local metrics = require "tare.base.metrics"
local unicode = require "tare.base.unicode"
local units = require "tare.base.units"

local rules = {}

local PARSE_ABSOLUTE = { ns = units.parse_duration, bytes = units.parse_bytes }

local function plain_number(text)
  local number = tonumber(text)
  if number and number >= 0 and number < 1/0 then return number end
  return nil, ("'%s' is not a number"):format(text)
end

-- "5%" -> { share = 0.05 }; "100ns", "1KiB", "2" -> { amount = }
local function parse_threshold(text, metric)
  if text:find("%%$") then
    local share, message = units.parse_percent(text)
    return share and { share = share }, message
  end
  if metric.unit == "ns" and not text:find("%a$") then
    return nil, ("'%s' needs a unit (like 5%% or 100ns)"):format(text)
  end
  local parse = PARSE_ABSOLUTE[metric.unit] or plain_number
  local amount, message = parse(text)
  return amount and { amount = amount }, message
end

local function parse_rule(text)
  local name, threshold = text:match("^%s*([%w_]+)%s*>%s*(.-)%s*$")
  threshold = (threshold or ""):gsub("^([%d.]+)%s+(%S+)$", "%1%2")
  if threshold == "" or threshold:find("[%s<>]") then
    return nil, ("'%s' is not a rule (like time>5%% or allocs>0)"):format(text)
  end
  local metric = metrics.find(name)
  if not metric then
    local names = {}
    for i, m in ipairs(metrics.all()) do names[i] = m.name end
    return nil, ("no metric '%s'; there are: %s"):format(name,
      table.concat(names, ", "))
  end
  local rule, message = parse_threshold(threshold, metric)
  if not rule then return nil, message end
  rule.metric, rule.text = name, name .. ">" .. threshold
  return rule
end

--- Reads "time>5%,allocs>0,bytes>1KiB": for each metric by how much a call may
--- cost more than in the baseline, as a share or as an amount.
---@param text string
---@return table[]? rules { metric, text, share? or amount? }
---@return string? message
function rules.parse(text)
  local list = {}
  for part in text:gmatch("[^,]+") do
    local rule, message = parse_rule(unicode.visible(part))
    if not rule then return nil, message end
    list[#list + 1] = rule
  end
  if #list == 0 then return nil, "no rule is given (like time>5%)" end
  return list
end

return rules
