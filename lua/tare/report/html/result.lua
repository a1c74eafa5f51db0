-- One result: its headline, what is to be said about it, plots and figures.
local collector = require "tare.report.html.collector"
local density = require "tare.report.html.density"
local drift = require "tare.report.html.drift"
local facts = require "tare.report.html.facts"
local fit = require "tare.report.html.fit"
local markup = require "tare.report.html.markup"
local known_warnings = require "tare.base.warnings"
local plot = require "tare.report.html.plot"

local escape, element = markup.escape, markup.element

local function headline(result)
  if result.error then return '<b class="bad">failed</b>' end
  local time = result.time
  if not (time and time.value) then return "" end
  local text = "<b>" .. plot.quantity(time.value, "ns", 4) .. "</b>"
  if time.low and time.high and time.value ~= 0 then
    text = text .. (' <span class="dim">\194\177\194\160%.1f\194\160%%</span>')
      :format(50 * (time.high - time.low) / math.abs(time.value))
  end
  return text
end

local function chips(result, machine)
  local parts = {}
  local function chip(text)
    if text then
      parts[#parts + 1] = '<span class="chip">' .. escape(text) .. "</span>"
    end
  end
  chip(result.baseline and "baseline")
  chip(result.loop and result.loop .. " loop")
  chip(result.gc and "collector " .. result.gc)
  chip(result.gc_mode)
  chip(machine)
  return '<p class="chips">' .. table.concat(parts) .. "</p>"
end

-- Options are not cut at their hyphens.
local function unbroken(text)
  return (text:gsub("%-%-[%w-]+", '<span class="option">%0</span>'))
end

local function warnings(result)
  local items = {}
  for i, code in ipairs(result.warnings or {}) do
    local warning = known_warnings.explain(code)
    items[i] = "<li><b>" .. escape(warning.title) .. "</b>"
      .. (warning.advice and " " .. unbroken(escape(warning.advice)) or "")
      .. "</li>"
  end
  return items[1] and '<ul class="warnings">' .. table.concat(items)
    .. "</ul>" or ""
end

local function plots(result, limit)
  local parts = {}
  for _, draw in ipairs { density, fit, drift, collector.share_figure,
    collector.pause_figure, collector.types_figure } do
    parts[#parts + 1] = draw(result, limit)
  end
  return parts[1] and '<div class="plots">' .. table.concat(parts) .. "</div>"
    or ""
end

local function summary(result)
  return "<summary><h3>" .. markup.id(result.id) .. "</h3>"
    .. '<span class="head">' .. headline(result)
    .. collector.bar(collector.share(result)) .. "</span></summary>"
end

--- A result as a part of the page that can be folded.
---@param result table
---@param index integer its place in the Report; #r<index> is its anchor
---@param options table { open = boolean, points = most of them a plot,
---  machine = tells a result's environment }
---@return string markup
return function(result, index, options)
  local body = chips(result, options.machine(result))
  if result.error then
    body = body .. '<pre class="error">' .. markup.lines(result.error)
      .. "</pre>"
  end
  body = body .. warnings(result)
  if not result.error then
    body = body .. plots(result, options.points) .. facts.figures(result)
      .. facts.regressions(result.fits)
  end
  return element("details", { "class", "card result", "id", "r" .. index,
    "open", options.open }, summary(result) .. '<div class="body">' .. body
    .. "</div>")
end
