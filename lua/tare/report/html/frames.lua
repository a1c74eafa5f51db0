-- Plots of a session's frames: its course, how long frames took, the latest
-- ones one by one, the collector's part of them, and the heap.
local markup = require "tare.report.html.markup"
local scale = require "tare.report.scale"
local units = require "tare.base.units"
local width = require "tare.report.width"

local escape, quantity = markup.escape, markup.quantity
local frame_plots = {}

local MOST = 1200 -- of the latest frames that are drawn
local LETTERS = 60 -- of a name, from the left of a plot to its right

local function axis_of_time(from_ns, to_ns)
  return scale.linear(from_ns, math.max(to_ns, from_ns + 1), 4)
end

-- A dashed line from left to right at some y.
local function across(ax, ay, y)
  return markup.line("dashed", ax, ay, { ax.low, ax.high }, { y, y })
end

-- When the last frame ended: between frames there may be waits, so the session
-- is longer than its frames together.
local function end_ns(said)
  local samples = said.samples or {}
  local starts, times = samples.start_ns, samples.wall_ns
  local last = starts and times and math.min(#starts, #times) or 0
  return last > 0 and math.max(starts[last] + times[last], said.total_ms * 1e6)
    or said.total_ms * 1e6
end

-- Marks as rules with their names; names that would meet are left out, and cut
-- where there is too little room up to the next one.
local function marks_on(ax, marks)
  local places, shown, texts, last = {}, {}, {}, -1
  for _, mark in ipairs(marks) do
    local at = ax.at(mark.start_ms * 1e6)
    if at >= 0 and at <= 1 then
      places[#places + 1] = mark.start_ms * 1e6
      if at - last > 0.16 and at < 0.9 then
        shown[#shown + 1] = { at = at, name = mark.name }
        last = at
      end
    end
  end
  for i, mark in ipairs(shown) do
    local room = (shown[i + 1] and shown[i + 1].at or 1) - mark.at
    texts[i] = ('<text class="pt" x="%s%%" y="11" dx="4" '
      .. 'style="text-anchor:start">%s</text>'):format(
      markup.number(mark.at * 100), escape(width.cut(mark.name,
      math.floor(room * LETTERS))))
  end
  return markup.rules("median", ax, places), table.concat(texts)
end

-- p50 and p99 of stretches of the session.
local function course(said)
  local list = {}
  for _, stretch in ipairs(said.course) do -- the last may be a few frames
    if stretch.frames >= said.course[1].frames / 2 then
      list[#list + 1] = stretch
    end
  end
  if #list < 3 then return nil end
  local budget_ns, most = said.budget_ms * 1e6, 0
  local xs, medians, slow = {}, {}, {}
  for i, stretch in ipairs(list) do
    local following = list[i + 1]
    xs[i] = (1e6 * stretch.start_ms + (following
      and 1e6 * following.start_ms or end_ns(said))) / 2
    medians[i], slow[i] = stretch.p50 * 1e6, stretch.p99 * 1e6
    most = math.max(most, slow[i])
  end
  local ax = axis_of_time(0, end_ns(said))
  local ay = scale.linear(0, math.max(most, budget_ns) * 1.08, 4)
  local rules, texts = marks_on(ax, said.marks)
  return markup.captioned("The session: p50 and p99 of its stretches",
    markup.plot { x = ax, x_unit = "ns", x_label = "time", y = ay,
      y_unit = "ns", y_label = "frame", texts = texts, layers = { rules,
        across(ax, ay, budget_ns), markup.line("line m2", ax, ay, xs,
        slow), markup.line("line m1", ax, ay, xs, medians) } },
    markup.keys { { "dot m1", "p50" }, { "dot m2", "p99" },
      { "bar dashed", "budget" } })
end

-- How many frames took how long; a bin is drawn as high as its frames are many
-- on a log scale, for the few slow ones are what matters.
local function distribution(said)
  local all = said.record and said.record.all
  if not all then return nil end
  local bars, counts, most = {}, {}, 1
  local PER = 4 -- of the recorder's bins
  local edges = {}
  for i, count in ipairs(all.counts) do
    local bin = math.floor(math.log(all.low_ns[i]) / math.log(2) * 128 / PER
      + 1e-6)
    if not counts[bin] then edges[#edges + 1] = bin end
    counts[bin] = (counts[bin] or 0) + count
    most = math.max(most, counts[bin])
  end
  local budget_ns = said.budget_ms * 1e6
  local low, high = scale.log_padded(math.min(all.min_ns, budget_ns),
    math.max(all.max_ns, budget_ns), 0.04)
  local ax = scale.log(math.max(low, 64), high)
  local ay = scale.log(0.7, most * 1.5, 5)
  for k, bin in ipairs(edges) do
    local x, y = markup.place(ax, ay, 2 ^ (bin * PER / 128), counts[bin])
    local right = markup.place(ax, ay, 2 ^ ((bin + 1) * PER / 128),
      counts[bin])
    bars[k] = ("M%d %dV%dH%dV%dZ"):format(x, markup.HIGH,
      math.min(y, markup.HIGH - 2), math.max(right, x + 2), markup.HIGH)
  end
  return markup.captioned("How long frames took", markup.plot { x = ax,
    x_unit = "ns", x_label = "frame", y = ay, y_unit = "frames",
    y_label = "frames", layers = { '<path class="area s1" d="'
      .. table.concat(bars) .. '"/>', markup.rules("estimate", ax,
      { budget_ns }) } },
    markup.keys { { "bar estimate", "budget" } } .. ("p50 %s, p99 %s, longest "
      .. "%s."):format(quantity(said.p50 * 1e6, "ns"),
      quantity(said.p99 * 1e6, "ns"), quantity(said.max * 1e6, "ns")))
end

local KINDS = { { "m1" }, { "minor", "in a collection" },
  { "major", "a collection ended in it" } }

-- The latest frames, each a dot; no slow one is left out.
local function latest(said)
  local samples = said.samples or {}
  local starts, times = samples.start_ns, samples.wall_ns
  if not (starts and times) or #times < 3 then return nil end
  local budget_ns, most = said.budget_ms * 1e6, 0
  local sets = { { {}, {} }, { {}, {} }, { {}, {} } }
  local every = math.ceil(#times / MOST)
  for i, ns in ipairs(times) do
    if i % every == 0 or ns > budget_ns then
      local ended = ((samples.gc_minor or {})[i] or 0)
        + ((samples.gc_major or {})[i] or 0)
      local set = sets[ended > 0 and 3 or (samples.gc_steps or {})[i] == 1
        and 2 or 1]
      table.insert(set[1], starts[i])
      table.insert(set[2], ns)
      most = math.max(most, ns)
    end
  end
  local ax = axis_of_time(starts[1], starts[#starts])
  local ay = scale.linear(0, math.max(most, budget_ns) * 1.06, 4)
  local rules, texts = marks_on(ax, said.marks)
  local layers, keys = { rules, across(ax, ay, budget_ns) }, {}
  for k, set in ipairs(sets) do
    if set[1][1] then
      layers[#layers + 1] = markup.dots(KINDS[k][1], ax, ay, set[1], set[2])
      keys[#keys + 1] = KINDS[k][2] and { "dot " .. KINDS[k][1], KINDS[k][2] }
    end
  end
  keys[#keys + 1] = { "bar dashed", "budget" }
  return markup.captioned(("The last %s frames"):format(
    units.thousands(#times)), markup.plot { x = ax, x_unit = "ns",
      x_label = "time", y = ay, y_unit = "ns", y_label = "frame",
      texts = texts, layers = layers }, markup.keys(keys))
end

-- The collector's part of the latest frames, where it is known; the shortest
-- are left out where there are many.
local function collector(said)
  local samples, list = said.samples or {}, {}
  for i, ns in ipairs(samples.collector_ns and samples.start_ns or {}) do
    local part_ns = samples.collector_ns[i]
    if type(part_ns) == "number" and part_ns > 0 then
      list[#list + 1] = { ns, part_ns }
    end
  end
  if #list < 3 then return nil end
  table.sort(list, function(a, b) return a[2] > b[2] end)
  local xs, ys = {}, {}
  for i = 1, math.min(#list, MOST) do xs[i], ys[i] = list[i][1], list[i][2] end
  local starts = samples.start_ns
  local ax = axis_of_time(starts[1], starts[#starts])
  local ay = scale.linear(0, ys[1] * 1.06, 4)
  local rules, texts = marks_on(ax, said.marks)
  return markup.captioned("The collector's part of them", markup.plot { x = ax,
    x_unit = "ns", x_label = "time", y = ay, y_unit = "ns",
    y_label = "collector", texts = texts, layers = { rules,
      markup.dots("m2", ax, ay, xs, ys) } })
end

-- The heap where it is smallest: what stays.
local function heap(said)
  local xs, ys, most = {}, {}, 0
  for _, stretch in ipairs(said.course) do
    if stretch.least_heap_bytes then
      xs[#xs + 1], ys[#ys + 1] = stretch.start_ms * 1e6,
        stretch.least_heap_bytes / 2 ^ 20
      most = math.max(most, ys[#ys])
    end
  end
  if #xs < 3 or most == 0 then return nil end
  local ax, ay = axis_of_time(0, end_ns(said)),
    scale.linear(0, most * 1.1, 4)
  local rules, texts = marks_on(ax, said.marks)
  return markup.captioned("The Lua heap, least of each stretch", markup.plot {
    x = ax, x_unit = "ns", x_label = "time", y = ay, y_unit = "count",
    y_label = "heap, MiB", texts = texts, layers = { rules,
      markup.line("line m3", ax, ay, xs, ys) } })
end

--- The plots of a session.
---@param said table what recorder:result() gave
---@return string markup
function frame_plots.of(said)
  local parts = {}
  for _, draw in ipairs { course, distribution, latest, collector, heap } do
    parts[#parts + 1] = draw(said)
  end
  return parts[1] and '<div class="plots">' .. table.concat(parts) .. "</div>"
    or ""
end

return frame_plots
