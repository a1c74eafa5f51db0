-- Text and elements of HTML, and the frame that all plots share: inline SVG
-- that stretches with the page. Everything that comes from a Report passes
-- through 'escape' on its way into the page.
local escapes = require "tare.report.escape"
local figures = require "tare.report.figures"
local numerals = require "tare.base.numerals"
local units = require "tare.base.units"

local markup = {}

local NBSP = "\194\160"

--- Text in an element or an attribute, on one line; control characters are
--- shown by their codes.
---@param text any
---@return string
markup.escape = escapes.xml
local escape = markup.escape

--- An element: its name, attributes as { "name", value, ... } (escaped; left
--- out where the value is false, without value where it is true), and its
--- content, which is markup already.
---@param name string
---@param attributes table without nil, whose place in a list no Lua keeps
---@param content string?
---@return string
function markup.element(name, attributes, content)
  local parts = { "<", name }
  for i = 1, #attributes, 2 do
    local value = attributes[i + 1]
    if value == true then
      parts[#parts + 1] = " " .. attributes[i]
    elseif value then
      parts[#parts + 1] = (' %s="%s"'):format(attributes[i], escape(value))
    end
  end
  parts[#parts + 1] = ">"
  parts[#parts + 1] = content or ""
  parts[#parts + 1] = "</" .. name .. ">"
  return table.concat(parts)
end
local element = markup.element

--- Markup in which no line ends within a day ("2026-11-22").
---@param out string markup
---@return string
function markup.with_days(out)
  return (out:gsub("%f[%d]%d%d%d%d%-%d%d%-%d%d%f[%D]",
    '<span class="whole">%0</span>'))
end

local LONG_ID = 20 -- characters, beyond which an id may have to be wrapped

--- An id or a name of the Report: monospaced, wrapped between its parts, or
--- anywhere where that is not enough.
---@param text string
---@return string
function markup.id(text)
  local out = escape(text)
  if #out > LONG_ID then out = out:gsub("[/{,]", "%0<wbr>") end
  return '<span class="id">' .. markup.with_days(out) .. "</span>"
end

--- A text of the report with the one sign for microseconds that the page has.
---@param text any
---@return string not escaped
function markup.micro(text)
  return (tostring(text):gsub("(%d) us%f[^%w_]", "%1 \194\181s"))
end

--- Text with the options in it, such as --quota, each on one line.
---@param text any
---@return string markup
function markup.options(text)
  return (escape(text):gsub("%f[%-%w]%-%-%l[%l%d%-]*",
    '<span class="option">%0</span>'))
end

--- Figures as they are typeset: "us" is "µs", "->" an arrow, and units stay
--- with numbers, as the two ends of a range and options do.
---@param text string of tare.report.figures
---@return string markup
function markup.figure(text)
  return (markup.options(markup.micro(text))
    :gsub("(%d[^%s()]*) to (%d)", "%1" .. NBSP .. "to" .. NBSP .. "%2")
    :gsub("([%d*]) ([%a\194])", "%1" .. NBSP .. "%2") -- as in "\194\181"
    :gsub("(%a) = (%d)", "%1" .. NBSP .. "=" .. NBSP .. "%2")
    :gsub(" %-&gt; ", " \226\134\146 "))
end

--- Numbers with separators, as axes have them: "1,479" for "1479".
---@param text string figures alone, no names
---@return string
function markup.thousands(text)
  return (text:gsub("%f[%d.,]%d%d%d%d+", function(digits)
    return units.thousands(tonumber(digits))
  end))
end

--- A quantity, typeset.
---@param x number?
---@param unit string "ns", "bytes" or what is counted
---@param digits integer? 3 by default
---@return string markup
function markup.quantity(x, unit, digits)
  return markup.figure(markup.thousands(figures.quantity(x, unit, digits)))
end

--- A number in an attribute of SVG.
---@param x number
---@return string
local function short(x) return numerals.format("%.4g", x) end
markup.number = short

-- Three digits are a third of a pixel.
local function percent(share)
  return numerals.format("%.3g", share * 100) .. "%"
end

-- Plots ----------------------------------------------------------------------
-- The canvas of a plot is 1000 by 250, which is half a pixel or less in those
-- of benches, stretched to its frame; strokes keep their width. Places across
-- the frame are percentages, so texts keep their size. A page may have hundreds
-- of plots: what needs no quotes has none.

local WIDE, HIGH = 1000, 250

local function rounded(share, size)
  return math.floor(math.max(-1, math.min(2, share)) * size + 0.5)
end

local function place(ax, ay, x, y)
  return rounded(ax.at(x), WIDE), rounded(1 - ay.at(y), HIGH)
end
markup.place, markup.HIGH = place, HIGH

-- Points, each relative to the one before: a page has tens of thousands.
local function steps_of(ax, ay, xs, ys, form)
  local steps, x0, y0 = {}, 0, 0
  for i = 1, #xs do
    local x, y = place(ax, ay, xs[i], ys[i])
    steps[i] = form:format(x - x0, y - y0)
    x0, y0 = x, y
  end
  return (table.concat(steps):gsub(" %-", "-"))
end

local function path(class, d)
  local form = class:find(" ", 1, true) and '<path class="%s" d="%s"/>'
    or '<path class=%s d="%s"/>'
  return form:format(class, d)
end

-- Dots, and what is drawn for points below and above the canvas: ticks that
-- begin at its edge and go back to it.
local POINT, BELOW, ABOVE = "m%d %dh0", "m%d %dv-9v9", "m%d %dv9v-9"

--- Points as round or square dots, by the line caps of the class; as ticks at
--- the edge where they are beyond the vertical axis.
---@return string markup
function markup.dots(class, ax, ay, xs, ys)
  local sets = {}
  for i, y in ipairs(ys) do
    local form = y > ay.high and ABOVE or y < ay.low and BELOW or POINT
    local set = sets[form] or { {}, {} }
    sets[form] = set
    table.insert(set[1], xs[i])
    table.insert(set[2], math.max(ay.low, math.min(ay.high, y)))
  end
  local parts = {}
  for _, form in ipairs { POINT, BELOW, ABOVE } do
    local set = sets[form]
    parts[#parts + 1] = set and path("dots " .. class
      .. (form == POINT and "" or " beyond"), steps_of(ax, ay, set[1], set[2],
      form))
  end
  return table.concat(parts)
end

--- A line through points.
---@return string markup
function markup.line(class, ax, ay, xs, ys)
  if #xs == 0 then return "" end
  return path(class, (steps_of(ax, ay, xs, ys, "l%d %d"):gsub("^l", "M")))
end

--- A filled shape through points, closed at its start.
---@return string markup
function markup.area(ax, ay, xs, ys)
  return path("area s1", steps_of(ax, ay, xs, ys, "l%d %d"):gsub("^l", "M")
    .. "Z")
end

--- The band of an interval between two values of x, from top to bottom.
---@return string markup
function markup.band(ax, low, high)
  local from, to = math.max(0, ax.at(low)), math.min(1, ax.at(high))
  return path("interval", ("M%d 0V%dH%dV0Z"):format(rounded(from, WIDE), HIGH,
    rounded(math.max(from, to), WIDE)))
end

--- Lines from top to bottom at some x.
---@return string markup
function markup.rules(class, ax, xs)
  local d = {}
  for i, x in ipairs(xs) do
    d[i] = ("M%d 0v%d"):format(rounded(ax.at(x), WIDE), HIGH)
  end
  return d[1] and path(class, table.concat(d)) or ""
end

-- Texts for the ticks of an axis, and the unit that they share ("" where each
-- has its own).
local function tick_texts(axis, unit)
  if axis.texts then return axis.texts, "" end
  local shared, texts = units.scale(unit, axis.ticks), {}
  local is_measure = unit == "ns" or unit == "bytes"
  for i, tick in ipairs(axis.ticks) do
    texts[i] = shared and units.thousands(tick / shared.factor)
      or markup.quantity(tick, unit, 1)
    if shared and not is_measure and tick ~= 0 then
      texts[i] = texts[i] .. (shared.suffix ~= "" and NBSP or "")
        .. shared.suffix
    end
  end
  local suffix = shared and is_measure and shared.suffix or ""
  return texts, (suffix:gsub("^us$", "\194\181s"))
end

local function label(text, suffix, axis)
  local notes = {}
  if suffix ~= "" then notes[1] = escape(suffix) end
  if axis.kind == "log" then notes[#notes + 1] = "log scale" end
  return escape(text) .. (notes[1] and ", " .. table.concat(notes, ", ") or "")
end

--- The margin of a plot, for ticks of so many characters.
---@param widest integer
---@return integer px
function markup.margin(widest) return 12 + widest * 7 end

markup.MOST_WIDE = 8 -- characters of ticks up to which it is a class

--- A plot: axes, ticks, titles and layers.
---@param spec table { x = axis, x_unit, x_label, y = axis?, y_unit, y_label,
---  layers = { markup... }, texts = markup on top?, height = px?, right = px of
---  margin?, class = string? }
---@return string markup
function markup.plot(spec)
  local ax, ay = spec.x, spec.y
  local grid, tx, ty, y_suffix, widest = {}, {}, {}, "", 1
  for _, tick in ipairs((ay or ax).ticks) do
    grid[#grid + 1] = ay and ("M0 %dh%d"):format(rounded(1 - ay.at(tick),
      HIGH), WIDE) or ("M%d 0v%d"):format(rounded(ax.at(tick), WIDE), HIGH)
  end
  local texts, x_suffix = tick_texts(ax, spec.x_unit)
  for i, tick in ipairs(ax.ticks) do
    tx[i] = ('<text x=%s>%s</text>'):format(percent(ax.at(tick)), texts[i])
  end
  if ay then
    texts, y_suffix = tick_texts(ay, spec.y_unit)
    for i, tick in ipairs(ay.ticks) do
      widest = math.max(widest, #texts[i]:gsub("[\128-\191]", ""))
      ty[i] = ('<text y=%s>%s</text>'):format(percent(1 - ay.at(tick)),
        texts[i])
    end
  end
  local titles = ('<text class=xt>%s</text>'):format(
    label(spec.x_label, x_suffix, ax))
  if spec.y_label then
    titles = ('%s<text class=yt>%s</text>'):format(titles,
      label(spec.y_label, y_suffix, ay))
  end
  local function axis_data(axis, unit)
    return axis ~= nil and ("%s%s %s %s"):format(
      axis.kind == "log" and "log " or "", numerals.format("%.5g", axis.low),
      numerals.format("%.5g", axis.high), unit)
  end
  -- A margin that many plots have, and nothing else of their own, is a class.
  local class, size = "plot" .. (spec.class or ""), {}
  if ay and widest <= markup.MOST_WIDE and not (spec.right or spec.height) then
    class = ("%s l%d"):format(class, widest)
  elseif ay then
    size[1] = ("--l:%dpx"):format(markup.margin(widest))
  end
  size[#size + 1] = spec.right and ("--r:%dpx"):format(spec.right) or nil
  size[#size + 1] = spec.height and ("height:%dpx"):format(spec.height) or nil
  local layers = table.concat(spec.layers)
  local has_dots = layers:find('class="dots', 1, true) ~= nil -- for the pointer
  return element("svg", { "class", class, "aria-hidden", "true",
    "style", size[1] ~= nil and table.concat(size, ";"),
    "data-x", has_dots and axis_data(ax, spec.x_unit),
    "data-y", has_dots and axis_data(ay, spec.y_unit) },
    '<svg viewBox="0 0 1000 250" preserveAspectRatio=none>'
    .. '<path class=grid d="' .. table.concat(grid) .. '"/>'
    .. layers .. '</svg><g class=tx>'
    .. table.concat(tx) .. "</g>"
    .. (ay and '<g class=ty>' .. table.concat(ty) .. "</g>" or "")
    .. titles .. (spec.texts or ""))
end

local NAME_GAP = 0.14 -- of the width, between names beside each other

--- Dotted rules at some x, named above; a name that would meet another is
--- raised.
---@param ax table
---@param list { [1]: string, [2]: number }[] names and values, ascending
---@return string rules
---@return string texts
function markup.named_rules(ax, list)
  local places, texts, last = {}, {}, { -1, -1 }
  for _, entry in ipairs(list) do
    local at = ax.at(entry[2])
    if at >= 0 and at <= 1 then
      places[#places + 1] = entry[2]
      local row = at - last[1] > NAME_GAP and 1 or 2
      if at - last[row] > NAME_GAP then
        texts[#texts + 1] = ('<text class=pt x=%s%s>%s</text>'):format(
          percent(at), row == 2 and " dy=-14" or "", escape(entry[1]))
        last[row] = at
      end
    end
  end
  return markup.rules("median", ax, places), table.concat(texts)
end

local LETTER = 0.027 -- of the width of a bench's plot, about

-- A name above a rule at a place from 0 to 1: in the middle, or beside it.
local function name_at(at, anchor, text)
  return ('<text class="pt" x=%s%s>%s</text>'):format(percent(at),
    anchor == "middle" and "" or anchor == "start"
    and ' dx=3 style="text-anchor:start"' or ' dx=-3 style="text-anchor:end"',
    escape(text))
end

--- Names of three percentiles above their rules, apart from each other; what
--- has no room is left out.
---@param ax table
---@param values number[] ascending
---@param names { [1]: number, [2]: string }[]
---@return string texts
function markup.named_percentiles(ax, values, names)
  local texts, last = {}, -1 -- where the name before ends
  local anchors = { "end", "middle", "start" }
  for i, value in ipairs(values) do
    local at, wide = ax.at(value), LETTER * #names[i][2]
    local anchor = anchors[i]
    if at >= 0 and at <= 1 then
      if i == 1 and at < wide then anchor = "start" end
      if i == 3 and at > 1 - wide then anchor = "middle" end
      local from = anchor == "end" and at - wide or anchor == "middle"
        and at - wide / 2 or at
      local next_at = values[i + 1] and ax.at(values[i + 1]) or 2
      if anchor == "middle" and i == 2 and (from <= last + LETTER / 2
        or from + wide >= next_at) then
        anchor, from = "start", at
      end
      if from > last and from + wide < math.max(next_at, 0) + LETTER / 2 then
        texts[#texts + 1] = name_at(at, anchor, names[i][2])
        last = from + wide
      end
    end
  end
  return table.concat(texts)
end

--- The time of a result above its rule, over the names of other rules.
---@param ax table
---@param value number
---@param text string markup
---@return string
function markup.named_time(ax, value, text)
  local at = ax.at(value)
  local wide = LETTER * #text:gsub("[\128-\191]", "")
  local anchor = at < wide / 2 and "start" or at > 1 - wide / 2 and "end"
    or "middle"
  return ('<text class="pt of" x=%s dy=-14%s>%s</text>'):format(percent(at),
    anchor == "middle" and "" or (' style="text-anchor:%s"'):format(anchor),
    text)
end

--- A plot with its title and a line of explanation below.
---@param title string
---@param drawing string markup
---@param note string? markup
---@return string markup
function markup.captioned(title, drawing, note)
  return "<figure><figcaption>" .. escape(title) .. "</figcaption>" .. drawing
    .. (note and note ~= "" and '<p class="note">' .. note or "")
    .. "</figure>"
end

--- A key to the marks of a plot: { { class, markup }... }.
---@return string markup
function markup.keys(entries)
  local parts = {}
  for i, entry in ipairs(entries) do
    parts[i] = ('<span class="key %s">%s</span>'):format(entry[1], entry[2])
  end
  return table.concat(parts, " ")
end

return markup
