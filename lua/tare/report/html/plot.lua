-- The frame that all plots share, as inline SVG that stretches with the page:
-- places across are percentages, so text keeps its size. The shapes between
-- the axes are those of tare.report.html.canvas.
local markup = require "tare.report.html.markup"
local units = require "tare.base.units"

local plot = {}

local escape, element = markup.escape, markup.element

--- A unit's suffix as it is typeset.
---@param suffix string
---@return string
function plot.typeset(suffix) return (suffix:gsub("^us$", "\194\181s")) end

--- A number with its unit, typeset.
---@param x number?
---@param unit string "ns", "bytes" or what is counted
---@param digits integer? 3 unless told
---@return string
function plot.quantity(x, unit, digits)
  local text = units.value(x, unit, digits or 3)
  return (text:gsub(" us$", " \194\181s"):gsub(" ", "\194\160"))
end

local function trimmed(x) return ("%.6g"):format(x) end

-- Texts for the ticks of an axis, and the suffix that they share ("" where
-- each has its own, as counts always do: 5k).
local function tick_texts(axis, unit)
  local shared, texts = units.scale(unit, axis.ticks), {}
  for i, tick in ipairs(axis.ticks) do
    texts[i] = shared and trimmed(tick / shared.factor)
      or plot.quantity(tick, unit, 1)
  end
  if not shared then return texts, "" end
  if unit == "ns" or unit == "bytes" then
    return texts, plot.typeset(shared.suffix)
  end
  for i, tick in ipairs(axis.ticks) do
    if tick ~= 0 then texts[i] = texts[i] .. shared.suffix end
  end
  return texts, ""
end

local function percent(share) return ("%.4g%%"):format(share * 100) end

local function grid(ax, ay)
  local d = {}
  for _, tick in ipairs(ay and ay.ticks or {}) do
    d[#d + 1] = ("M0 %.0fh1000"):format((1 - ay.at(tick)) * 1000)
  end
  for _, tick in ipairs(not ay and ax.ticks or {}) do
    d[#d + 1] = ("M%.0f 0v1000"):format(ax.at(tick) * 1000)
  end
  return '<path class="grid" d="' .. table.concat(d) .. '"/>'
end

-- Which ticks keep their text: where they crowd on a narrow page ('dense'
-- ones), the style sheet hides every other.
local function x_labels(ax, unit)
  local texts, suffix = tick_texts(ax, unit)
  local parts = {}
  for i, tick in ipairs(ax.ticks) do
    parts[i] = ('<text x="%s" y="100%%" dy="17"%s>%s</text>'):format(
      percent(ax.at(tick)), i % 2 == 0 and #texts > 4 and ' class="odd"' or "",
      escape(texts[i]))
  end
  return '<g class="tx">' .. table.concat(parts) .. "</g>", suffix
end

local function y_labels(ay, unit)
  local texts, suffix = tick_texts(ay, unit)
  local parts, widest = {}, 0
  for i, tick in ipairs(ay.ticks) do
    widest = math.max(widest, #texts[i]:gsub("[\128-\191]", ""))
    parts[i] = ('<text x="0" y="%s" dx="-8" dy="4">%s</text>'):format(
      percent(1 - ay.at(tick)), escape(texts[i]))
  end
  return '<g class="ty">' .. table.concat(parts) .. "</g>", suffix, widest
end

local function with_unit(label, suffix)
  if suffix == "" then return escape(label) end
  return escape(label) .. ", " .. escape(suffix)
end

-- An axis as the script reads it.
local function axis_data(axis, unit)
  return axis and ("%s %.7g %.7g %s"):format(axis.kind, axis.low, axis.high,
    unit)
end

--- A plot: axes, ticks, titles and layers.
---@param spec table { x = axis, x_unit, x_label, y = axis?, y_unit, y_label,
---  layers = { markup of the canvas... },
---  about = text for those who can't see it, height = px? }
---@return string markup
function plot.frame(spec)
  local tx, x_suffix = x_labels(spec.x, spec.x_unit)
  local ty, y_suffix, widest = "", "", 1
  if spec.y then ty, y_suffix, widest = y_labels(spec.y, spec.y_unit) end
  local titles = ('<text class="xt" x="100%%" y="100%%" dy="34">%s</text>')
    :format(with_unit(spec.x_label, x_suffix))
  if spec.y_label then
    titles = titles .. ('<text class="yt" x="0" y="0" dx="-%d" dy="-10">%s'
      .. "</text>"):format(8 + widest * 7, with_unit(spec.y_label, y_suffix))
  end
  return element("svg", { "class", "plot", "role", "img", "aria-label",
    spec.about, "style", ("--l:%dpx;height:%dpx"):format(
      spec.y and 12 + widest * 7 or 12, spec.height or 170),
    "data-x", axis_data(spec.x, spec.x_unit),
    "data-y", axis_data(spec.y, spec.y_unit) },
    '<svg class="canvas" viewBox="0 0 1000 1000" preserveAspectRatio="none">'
    .. grid(spec.x, spec.y) .. table.concat(spec.layers)
    .. '<path class="axis" d="M0 1000h1000"/></svg>'
    .. tx .. ty .. titles
    .. '<text class="read" x="100%" y="0" dy="-10"></text>')
end

--- A plot with its title and a line of explanation below.
---@param title string
---@param drawing string markup
---@param note string? markup
---@return string markup
function plot.figure(title, drawing, note)
  return element("figure", nil, "<figcaption>" .. escape(title)
    .. "</figcaption>" .. drawing
    .. (note and '<div class="note">' .. note .. "</div>" or ""))
end

--- A key to the marks of a plot: { { class, text }... }.
---@return string markup
function plot.key(entries)
  local parts = {}
  for i, entry in ipairs(entries) do
    parts[i] = ('<span><i class="key %s"></i>%s</span>'):format(entry[1],
      escape(entry[2]))
  end
  return '<p class="keys">' .. table.concat(parts) .. "</p>"
end

return plot
