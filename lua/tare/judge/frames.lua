-- Frames of one build compared with those of another, and gates on them. Pure:
-- figures of tare.analysis.frames in, differences and failures out. Frames of
-- two builds were played apart, so their intervals are independent.
local interval = require "tare.base.interval"
local nearest = require "tare.base.nearest"
local numerals = require "tare.base.numerals"
local units = require "tare.base.units"

local frames = {}

local SAME_SHARE = 0.001 -- of the frames: less of a difference is none

local function in_ns(ms, ends)
  return { value = ms * 1e6, low = ends.low and ends.low * 1e6,
    high = ends.high and ends.high * 1e6 }
end

local function percentile(name)
  return function(said)
    return in_ns(said[name], said.intervals[name] or {})
  end
end

local function slowest(name)
  return function(said) return in_ns(said[name].ms, said[name]) end
end

local function field(name)
  return function(said) return said[name] end
end

-- What is compared, in the order of tables: of all, more is worse. 'exact' has
-- no interval.
local FIGURES = {
  { name = "p50", title = "p50", unit = "ns", of = percentile "p50" },
  { name = "p95", title = "p95", unit = "ns", of = percentile "p95" },
  { name = "p99", title = "p99", unit = "ns", of = percentile "p99" },
  { name = "low1", title = "slowest 1 %", unit = "ns", of = slowest "low1" },
  { name = "low01", title = "slowest 0.1 %", unit = "ns",
    of = slowest "low01" },
  { name = "max", title = "longest", unit = "ns", exact = true,
    of = function(said) return { value = said.max * 1e6 } end },
  { name = "over", title = "over the budget", unit = "share",
    of = field "over" },
  { name = "stutters", title = "stutters", unit = "share",
    of = field "stutters" },
  { name = "heap_growth", title = "heap, per minute", unit = "bytes",
    of = function(said) return said.heap_bytes and said.heap_bytes.growth end },
}

local BY_NAME = {}
for _, figure in ipairs(FIGURES) do BY_NAME[figure.name] = figure end

local function verdict_of(figure, one)
  if figure.exact then return nil end
  if figure.unit == "ns" then
    return one.ratio and interval.verdict(one.ratio)
  end
  local least = figure.unit == "share" and SAME_SHARE or 0
  if math.max(math.abs(one.change.low), math.abs(one.change.high)) <= least then
    return "same"
  elseif one.change.low > 0 then return "more"
  elseif one.change.high < 0 then return "fewer" end
  return "unclear"
end

--- The figures of one build beside those of another.
---@param new table summary of tare.analysis.frames
---@param old table
---@return table[] { figure, new, old, ratio? (of times), change (difference),
---  verdict? ("faster", "slower", "more", "fewer", "same", "unclear") }
function frames.compare(new, old)
  local list = {}
  for _, figure in ipairs(FIGURES) do
    local one = { figure = figure, new = figure.of(new), old = figure.of(old) }
    if one.new and one.old then
      one.change = interval.difference(one.new, one.old)
      if figure.unit == "ns" then
        one.ratio = interval.ratio(one.new, one.old)
      end
      one.verdict = verdict_of(figure, one)
      list[#list + 1] = one
    end
  end
  return list
end

-- Gates ---------------------------------------------------------------------

local PARSE = { ns = units.parse_duration, bytes = units.parse_bytes }

--- Reads rules like "p99>20ms,over>1%" (of one capture) or "p99>5%,over>1%" (of
--- two: by how much the newer may be worse).
---@param text string
---@param has_old boolean whether there is another capture to compare with
---@return table[]? rules { figure, text, share? or amount? }
---@return string? message
function frames.rules(text, has_old)
  local list = {}
  for part in text:gmatch("[^,]+") do
    local name, limit = part:match("^%s*([%w_]+)%s*>%s*([%d.]+%s*%a*%%?)%s*$")
    local figure = BY_NAME[name]
    if not name then
      return nil, ("'%s' is not a rule (like p99>20ms or over>1%%)"):format(
        part)
    elseif not figure then
      return nil, ("no figure '%s'%s"):format(name, nearest.hint(name, BY_NAME))
    end
    limit = limit:gsub("%s", "")
    local rule = { figure = figure, text = name .. ">" .. limit }
    local parse, message = PARSE[figure.unit]
    if limit:find("%%$") then
      rule.share, message = units.parse_percent(limit)
      if parse and not has_old then
        message = "a percentage needs an older capture to compare with"
      end
    elseif not parse then
      message = "needs a percentage of the frames (like 1%)"
    elseif figure.unit == "ns" and not limit:find("%a$") then
      message = "needs a unit (like 20ms)"
    else
      rule.amount, message = parse(limit)
    end
    if message then return nil, ("'%s': %s"):format(rule.text, message) end
    list[#list + 1] = rule
  end
  if #list == 0 then return nil, "no rule is given (like over>1%)" end
  return list
end

local function show(value, unit)
  if unit == "ns" then return units.duration(value, 3) end
  return unit == "share" and numerals.fixed(100 * value, 2) .. " %"
    or units.value(value, unit, 3)
end

-- Whether a figure is beyond the limit for certain; the exact one at all.
local function fails(rule, new, one)
  local figure = rule.figure
  if not one then
    return (new.low or new.value) > (rule.amount or rule.share)
  end
  local ratio = one.ratio
  if rule.share and figure.unit == "ns" then
    if not ratio then return one.new.value > one.old.value end -- than nothing
    return (figure.exact and ratio.value or ratio.low) > 1 + rule.share
  elseif rule.share and figure.unit == "bytes" then
    return one.change.low > rule.share * math.abs(one.old.value)
  end
  return (figure.exact and one.change.value or one.change.low)
    > (rule.amount or rule.share)
end

-- Why a rule can't be checked; nil where it can. A change of which not even the
-- least is known, because an interval is missing, would pass every rule.
local function hindrance(figure, now, one, compared)
  if not now or compared and not one then
    return figure.name .. " is not known"
  elseif one and not figure.exact and one.change.low == -1/0 then
    return "too few frames to compare " .. figure.name
  end
end

--- Judges a capture by rules, or what differs between two captures.
---@param wanted table[] of frames.rules
---@param new table summary
---@param compared table[]? of frames.compare
---@return { failures: table[], checked: integer, notes: string[] }
function frames.gate(wanted, new, compared)
  local verdict, of = { failures = {}, checked = 0, notes = {} }, {}
  for _, one in ipairs(compared or {}) do of[one.figure.name] = one end
  for _, rule in ipairs(wanted) do
    local figure = rule.figure
    local now, one = figure.of(new), of[figure.name]
    local reason = hindrance(figure, now, one, compared)
    if reason then
      table.insert(verdict.notes, ("not checked: %s; gate: %s"):format(reason,
        rule.text))
    else
      verdict.checked = verdict.checked + 1
      if fails(rule, now, one) then
        local text = show(now.value, figure.unit)
        if one then
          text = ("%s instead of %s"):format(text,
            show(one.old.value, figure.unit))
        end
        table.insert(verdict.failures, { id = "frames", metric = figure.name,
          rule = rule.text, noisy = not figure.exact,
          message = ("%s: %s; gate: %s (%s)"):format(figure.title, text,
            one and rule.amount == 0 and "no more than before"
            or ("at most %s%s"):format(rule.text:match ">(.*)",
              one and " more than before" or ""), rule.text) })
      end
    end
  end
  return verdict
end

return frames
