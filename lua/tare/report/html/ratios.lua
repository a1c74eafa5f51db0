-- Comparisons: a sentence each, and beside it the ratio with its interval on
-- a logarithmic axis that all of them share.
local markup = require "tare.report.html.markup"
local scale = require "tare.report.scale"
local sentences = require "tare.report.sentences"
local units = require "tare.base.units"

local VERDICTS = { faster = true, slower = true, same = true }

local function is_ratio(x)
  return type(x) == "number" and x > 0 and x < 1/0
end

local function axis_of(comparisons)
  local values = { 0.95, 1.05 }
  for _, c in ipairs(comparisons) do
    for _, name in ipairs { "value", "low", "high" } do
      local v = c.ratio and c.ratio[name]
      if is_ratio(v) then values[#values + 1] = v end
    end
  end
  local low, high = scale.extent(values)
  return scale.log(scale.log_padded(low, high, 0.06))
end

local function percent(axis, v) return ("%.4g%%"):format(axis.at(v) * 100) end

local function rules(axis)
  local parts = {}
  for i, tick in ipairs(axis.ticks) do
    local x = percent(axis, tick)
    parts[i] = ('<line class="grid" x1="%s" x2="%s" y1="0" y2="100%%"/>')
      :format(x, x)
  end
  local one = percent(axis, 1)
  parts[#parts + 1] = ('<line class="one" x1="%s" x2="%s" y1="0" y2="100%%"/>')
    :format(one, one)
  return table.concat(parts)
end

local function interval(axis, ratio)
  local drawing = ""
  if is_ratio(ratio.low) and is_ratio(ratio.high) then
    drawing = ('<line class="reach" x1="%s" x2="%s" y1="50%%" y2="50%%"/>')
      :format(percent(axis, ratio.low), percent(axis, ratio.high))
  end
  return drawing .. ('<circle cx="%s" cy="50%%" r="4.5"/>'):format(
    percent(axis, ratio.value))
end

local function row(c, say, axis, behind)
  local verdict = VERDICTS[c.verdict] and c.verdict or "unclear"
  local ratio = c.ratio or {}
  local sentence = markup.escape(say(c))
  return ('<div class="ratio %s"><p>%s</p><div><svg role="img" '
    .. 'aria-label="%s">%s</svg></div></div>'):format(verdict, sentence,
      sentence, behind .. (is_ratio(ratio.value) and interval(axis, ratio)
        or ""))
end

local function ticks(axis)
  local parts = {}
  for i, tick in ipairs(axis.ticks) do
    parts[i] = ('<text x="%s" y="14"%s>%s\195\151</text>'):format(
      percent(axis, tick), i % 2 == 0 and #axis.ticks > 4
      and ' class="odd"' or "", units.thousands(tick))
  end
  return '<div class="ratio ticks"><p></p><div><svg aria-hidden="true">'
    .. '<g class="tx">' .. table.concat(parts) .. "</g></svg></div></div>"
end

-- A card: comparisons that share an axis.
local function card(set, is_last)
  local axis = axis_of(set.list)
  local parts, behind = {}, rules(axis)
  for i, c in ipairs(set.list) do parts[i] = row(c, set.say, axis, behind) end
  local head = set.title == "comparisons" and ""
    or "<h3>" .. markup.id(set.title) .. "</h3>"
  return '<div class="ratios card">' .. head .. table.concat(parts)
    .. ticks(axis)
    .. (is_last and '<p class="note">Ratios of the first against the second, '
      .. "with their intervals: left of 1\195\151 is less.</p>" or "")
    .. "</div>"
end

--- The comparisons of a Report, a card each reference.
---@param comparisons table[]
---@return string markup
return function(comparisons)
  local cards, sets = {}, sentences.sets(comparisons)
  for i, set in ipairs(sets) do cards[i] = card(set, i == #sets) end
  return table.concat(cards)
end
