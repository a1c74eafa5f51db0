-- The report as one page of HTML: no network, light and dark, whole without
-- its script. Inline SVG is written here; the parts are in tare.report.html.*
local circumstances = require "tare.report.html.circumstances"
local clean = require "tare.report.html.clean"
local groups = require "tare.report.groups"
local markup = require "tare.report.html.markup"
local notes = require "tare.report.notes"
local overview = require "tare.report.html.overview"
local ratios = require "tare.report.html.ratios"
local result_card = require "tare.report.html.result"
local script = require "tare.report.html.script"
local style = require "tare.report.html.style"
local sweep_card = require "tare.report.html.sweep"

local escape = markup.escape
local html = {}

local UNFOLDED = 16        -- so many results are shown unfolded
local POINTS_OF_PAGE = 12000 -- sample points that a page spends on each plot
local FEWEST, MOST = 24, 400 -- points a plot, whatever the number of benches

local section = markup.section

local function tally(report)
  local failed, warned = 0, 0
  for _, result in ipairs(report.results) do
    if result.error then
      failed = failed + 1
    elseif (result.warnings or {})[1] then
      warned = warned + 1
    end
  end
  return failed, warned
end

local function masthead(report, title)
  local failed, warned = tally(report)
  local count = #report.results
  local parts = { ("%d %s"):format(count, count == 1 and "bench" or "benches") }
  for _, phrase in ipairs(notes.machine(report.env)) do
    parts[#parts + 1] = escape(phrase)
  end
  if warned > 0 then
    parts[#parts + 1] = ('<span class="warn">%d with warnings</span>')
      :format(warned)
  end
  if failed > 0 then
    parts[#parts + 1] = ('<span class="bad">%d failed</span>'):format(failed)
  end
  return '<header><p class="brand">tare</p><h1>' .. escape(title)
    .. '</h1><p class="meta"><span>' .. table.concat(parts,
      "</span><span>") .. "</span></p></header>"
end

local function controls(report)
  if #report.results < 2 then return "" end
  return '<p class="controls"><input id="filter" type="search" '
    .. 'placeholder="Filter benches" aria-label="Filter benches">'
    .. '<button id="fold" type="button">Fold or unfold all</button></p>'
end

local function results_of(report, options)
  local count = #report.results
  local drawn = { machine = circumstances.machines(report),
    open = options.open or count <= UNFOLDED,
    points = options.points or math.max(FEWEST, math.min(MOST,
      math.floor(POINTS_OF_PAGE / math.max(count, 1)))) }
  local place, parts = {}, {}
  for i, result in ipairs(report.results) do place[result] = i end
  for s, group in ipairs(groups.sections(report.results)) do
    local cards = {}
    for k, result in ipairs(group.results) do
      cards[k] = result_card(result, place[result], drawn)
    end
    parts[s] = '<div class="suite"><h2>' .. markup.id(group.title) .. "</h2>"
      .. table.concat(cards) .. "</div>"
  end
  return table.concat(parts)
end

local function sweeps_of(report)
  if not (report.sweeps and report.sweeps[1]) then return "" end
  local cards = {}
  for i, sweep in ipairs(report.sweeps) do cards[i] = sweep_card(sweep) end
  return section("sweeps", "Sweeps", table.concat(cards))
end

local function comparisons_of(report)
  if not (report.comparisons and report.comparisons[1]) then return "" end
  return section("comparisons", "Comparisons", ratios(report.comparisons))
end

-- Nothing is fetched, whatever a Report holds.
local POLICY = "default-src 'none'; style-src 'unsafe-inline'; "
  .. "script-src 'unsafe-inline'"

local function gates_of(options)
  local items = {}
  for _, failure in ipairs(options.failures or {}) do
    items[#items + 1] = '<li class="bad">' .. escape(failure.message) .. "</li>"
  end
  for _, line in ipairs(options.notes or {}) do
    items[#items + 1] = "<li>" .. escape(line) .. "</li>"
  end
  if not items[1] then return "" end
  return section("gates", "Gates", '<ul class="warnings">'
    .. table.concat(items) .. "</ul>")
end

local function title_of(report, options)
  if options.title then return options.title end
  local suites, seen = {}, {}
  for _, result in ipairs(report.results) do
    local suite = result.suite or result.id or ""
    if not seen[suite] then suites[#suites + 1] = suite end
    seen[suite] = true
  end
  if #suites == 0 then return "Nothing was measured" end
  if #suites <= 3 then return table.concat(suites, ", ") end
  return ("%s and %d more suites"):format(table.concat(suites, ", ", 1, 2),
    #suites - 2)
end

local function body(report, title, options)
  local parts = { masthead(report, title), "<main>", gates_of(options) }
  if report.results[1] then
    parts[#parts + 1] = section("overview", "Overview", controls(report)
      .. overview(report))
  end
  parts[#parts + 1] = comparisons_of(report) .. sweeps_of(report)
    .. results_of(report, options)
    .. circumstances.sections(report)
  parts[#parts + 1] = "</main>"
  return table.concat(parts)
end

--- A Report as a page of HTML, complete in itself.
---@param report table
---@param options table? { title = string, open = show all results unfolded,
---  points = most sample points of a plot, failures = of tare.judge.gate,
---  notes = lines to add }
---@return string
function html.render(report, options)
  if type(report) ~= "table" or type(report.results) ~= "table" then
    error("tare.report.html: a Report with 'results' is expected", 2)
  end
  report, options = clean(report), options or {}
  local title = title_of(report, options)
  return table.concat { '<!DOCTYPE html>\n<html lang="en">\n<head>\n',
    '<meta charset="utf-8">\n<meta name="viewport" ',
    'content="width=device-width, initial-scale=1">\n',
    '<meta http-equiv="Content-Security-Policy" content="', POLICY, '">\n',
    '<meta name="color-scheme" content="light dark">\n',
    '<meta name="generator" content="tare">\n<title>', escape(title),
    " \194\183 tare</title>\n<style>\n", style, "</style>\n</head>\n<body>\n",
    body(report, title, options), "\n<script>\n", script,
    "</script>\n</body>\n</html>\n" }
end

return html
