-- The collector's part of a bench: its share of the time, its pauses, and
-- what is allocated, by type.
local canvas = require "tare.report.html.canvas"
local markup = require "tare.report.html.markup"
local plot = require "tare.report.html.plot"
local points = require "tare.report.html.points"
local scale = require "tare.report.scale"
local words = require "tare.report.words"
local units = require "tare.base.units"

local element, escape = markup.element, markup.escape
local collector = {}

-- Sum of a column over the calls of all rows; nil where absent.
local function paced_mean(result, name)
  local paced = result.passes and result.passes.paced
  local rows = paced and points.rows(paced.samples, name)
  if not rows then return nil end
  local sum, calls = 0, 0
  for _, i in ipairs(rows) do
    sum = sum + paced.samples[name][i]
    calls = calls + paced.samples.iters[i]
  end
  return sum / calls
end

--- The net time a call and the collector's, in ns; nil where not measured.
---@param result table
---@return number? net
---@return number? collector
function collector.parts(result)
  local net = result.net and result.net.value
    or paced_mean(result, "mutator_ns")
  local gc = result.collector and result.collector.value
    or paced_mean(result, "collector_ns")
  if not (net and gc) or net + gc <= 0 then return nil end
  return math.max(0, net), math.max(0, gc)
end

--- The collector's share of the time, from 0 to 1; nil where not measured.
---@param result table
---@return number?
function collector.share(result)
  local net, gc = collector.parts(result)
  return net and gc / (net + gc)
end

--- A bar of two parts, without text; "" where the collector has no part.
---@param share number? of the collector
---@return string markup
function collector.bar(share)
  if not share or share == 0 then return "" end
  return ('<span class="share"><i style="width:%.4g%%"></i></span>'):format(
    share * 100)
end

local function part_text(class, name, estimate, value, share)
  local text = plot.quantity(value, "ns", 4)
  if estimate and estimate.low and estimate.high then
    text = text .. (" (%s to %s)"):format(
      plot.quantity(estimate.low, "ns"), plot.quantity(estimate.high, "ns"))
  end
  return ('<span><i class="key block %s"></i>%s %s, %s</span>'):format(class,
    name, text, units.percent(share, 3))
end

--- The stacked bar of net and collector; nil where not measured, or where the
--- collector has no part.
---@return string? markup
function collector.share_figure(result)
  local net, gc = collector.parts(result)
  if not net or gc == 0 then return nil end
  local share = gc / (net + gc)
  return plot.figure("The collector's share", '<div class="parts">'
    .. collector.bar(share) .. "</div>", '<span class="keys">'
    .. part_text("net", "net", result.net, net, 1 - share)
    .. part_text("gc", "collector", result.collector, gc, share) .. "</span>")
end

local WITHIN = "\194\160%\194\160\226\137\164" -- "at most", as a sign
local PAUSES = { { "p50", "median" }, { "p95", "95" .. WITHIN },
  { "p99", "99" .. WITHIN }, { "max", "longest" } }

local function bars(edges, counts, ax, ay)
  local parts = {}
  for k, count in ipairs(counts) do
    local low, high = edges[k], edges[k + 1]
    if count > 0 and low > 0 and high then
      local x, y = canvas.place(ax, ay, low, count)
      local right = canvas.place(ax, ay, high, count)
      parts[#parts + 1] = ("M%d 1000V%dH%dV1000Z"):format(x + 2,
        math.min(y, 992), right - 2)
    end
  end
  return '<path class="area gc" d="' .. table.concat(parts) .. '"/>'
end

local function pause_note(pauses)
  local parts = { words.thousands(pauses.count or 0) .. " pauses" }
  for _, entry in ipairs(PAUSES) do
    if pauses[entry[1]] then
      parts[#parts + 1] = entry[2] .. "\194\160"
        .. plot.quantity(pauses[entry[1]], "ns")
    end
  end
  return table.concat(parts, " \194\183 ")
end

-- The first edge above 0: a logarithmic axis begins there.
local function ends(edges)
  for _, edge in ipairs(edges) do
    if edge > 0 then return edge, edges[#edges] end
  end
end

--- The histogram of the collector's pauses; nil where not measured.
---@return string? markup
function collector.pause_figure(result)
  local paced = result.passes and result.passes.paced
  local pauses = paced and paced.pauses
  local h = pauses and pauses.histogram
  if not (h and h.counts and h.counts[1] and h.edges_ns) then return nil end
  local low, high = ends(h.edges_ns)
  local _, most = scale.extent(h.counts)
  if not low or most == 0 then return nil end
  local ax, ay = scale.log(low, high), scale.linear(0, most * 1.06, 4)
  local layers = { bars(h.edges_ns, h.counts, ax, ay) }
  for _, name in ipairs { "p50", "p95", "p99" } do
    local at = pauses[name]
    if at and at >= low then
      layers[#layers + 1] = canvas.rule("median", ax, at)
    end
  end
  return plot.figure("Pauses of the collector", plot.frame { x = ax,
    x_unit = "ns", x_label = "length", y = ay, y_unit = "pauses",
    y_label = "pauses", layers = layers,
    about = "Histogram of the collector's pauses" }, pause_note(pauses))
end

local TYPES = { "table", "string", "function", "userdata", "thread", "other" }

local function type_row(name, entry, iters, total)
  local share = total > 0 and (entry.bytes or 0) / total or 0
  return element("tr", nil, '<th scope="row">' .. escape(name) .. "</th>"
    .. ('<td class="n">%s</td><td class="n">%s</td>'):format(
      units.count((entry.allocs or 0) / iters, 3),
      plot.quantity((entry.bytes or 0) / iters, "bytes"))
    .. ('<td class="meter"><i style="width:%.4g%%"></i></td>'):format(
      100 * share))
end

local function census_note(census)
  local iters = census.iters
  local allocs = units.count((census.allocs or 0) / iters, 3)
  return ("A call: %s allocation%s, %s. Peak %s over %s calls."):format(
    allocs, allocs == "1" and "" or "s",
    plot.quantity(census.bytes / iters, "bytes"),
    plot.quantity(census.peak_bytes, "bytes"), words.thousands(iters))
end

--- What a call allocates, by type; nil where not measured, or nothing.
---@return string? markup
function collector.types_figure(result)
  local census = result.passes and result.passes.census
  if not (census and (census.iters or 0) > 0 and (census.bytes or 0) > 0) then
    return nil
  end
  local rows = {}
  for _, name in ipairs(TYPES) do
    local entry = (census.by_type or {})[name]
    if entry and ((entry.allocs or 0) > 0 or (entry.bytes or 0) > 0) then
      rows[#rows + 1] = type_row(name, entry, census.iters, census.bytes)
    end
  end
  local body = rows[1] and markup.table("types", "<th>type</th>"
    .. '<th class="n">allocs</th><th class="n">bytes</th><th>share</th>',
    table.concat(rows)) or ""
  return plot.figure("Allocation by type", body, census_note(census))
end

return collector
