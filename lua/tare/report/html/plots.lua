-- The plots of the page: for a bench its distribution, its batches over their
-- size and over time, the collector's share, pauses and what is allocated; for
-- a sweep lines on axes, linear and logarithmic.
local columns = require "tare.report.columns"
local distribution = require "tare.report.distribution"
local figures = require "tare.report.figures"
local lists = require "tare.base.lists"
local markup = require "tare.report.html.markup"
local metrics = require "tare.base.metrics"
local regressions = require "tare.report.regressions"
local scale = require "tare.report.scale"
local sweeps = require "tare.report.sweeps"
local units = require "tare.base.units"

local escape, quantity = markup.escape, markup.quantity
local is_drawable = scale.is_drawable
local plots = {}

--- The time of a result; nil where there is none, or disturbances leave less
--- than nothing.
---@param result table
---@return { value: number, low: number?, high: number? }?
function plots.time_of(result)
  local time = metrics.get(result, "time")
  return time and time.value > 0 and time or nil
end
local time_of = plots.time_of

-- A time, with fewer digits where that of its bench can't be trusted.
local function written(ns, result)
  return markup.figure(columns.written(ns, "ns", result))
end

-- Samples --------------------------------------------------------------------

-- Rows in which the values are finite numbers and 'iters' is above 0, without
-- some.
local function rows_of(samples, values, is_out)
  local iters = samples and samples.iters
  local rows = {}
  for i = 1, iters and values and #iters or 0 do
    if is_drawable(iters[i]) and iters[i] > 0 and is_drawable(values[i])
      and not (is_out and is_out[i]) then
      rows[#rows + 1] = i
    end
  end
  return rows[1] and rows or nil
end

-- At most 'limit' of a list, evenly from the first to the last.
local function thin(list, limit)
  if #list <= limit then return list end
  if limit < 2 then return { list[1] } end
  local kept = {}
  for k = 1, limit do
    kept[k] = list[1 + math.floor((k - 1) * (#list - 1) / (limit - 1) + 0.5)]
  end
  return kept
end

local function picked(column, rows)
  local values = {}
  for k, i in ipairs(rows) do
    local v = column and column[i]
    values[k] = is_drawable(v) and v or 0
  end
  return values
end

-- How many of all values are beyond the ends of the axis, and so drawn there,
-- if they are: a sentence.
local function beyond(all, axis)
  local count = #lists.those(all, function(v)
    return v > axis.high or v < axis.low
  end)
  return count > 0 and (" %d far outside: ticks at the edge."):format(count)
    or ""
end

-- The ends of an axis of the times of calls, with room beyond where nothing is
-- beyond: what is far outside is so in all plots, and in the outliers' count.
local function padded(low, high, values, share)
  local least, most = scale.extent(values)
  local from, to = scale.padded(low, high, share)
  return math.max(0, least < low and low or from), most > high and high or to
end

-- Distribution ---------------------------------------------------------------

local FLOOR = -0.22 -- the strip of the samples, as a share of the height
local FEWEST_OF_STRIP = 24 -- of fewer the other plots show as much
local GOLDEN = 0.6180339887498949
local DENSITY_POINTS = 60
local TICKS = 3 -- of an axis, about
local FEWEST_DRAWN = 3 -- batches
local FEWEST_OF_DENSITY = 8 -- batches; of fewer it is mostly the kernel
local PERCENTILES = { { 0.05, "p5" }, { 0.5, "median" }, { 0.95, "p95" } }

-- Percentiles as rules with names, below that of the time: the first at the
-- left of its rule and the last at the right, so that they don't meet.
local function percentiles(values, ax, result)
  local sorted, places, phrases = lists.copy(values), {}, {}
  table.sort(sorted)
  for i, entry in ipairs(PERCENTILES) do
    local value = distribution.of_sorted(sorted, entry[1])
    phrases[i] = entry[2] .. " " .. written(value, result)
    places[i] = value
  end
  return markup.rules("median", ax, places), markup.named_percentiles(ax,
    places, PERCENTILES), phrases
end

-- The time of a result as a rule in its interval, on top of other layers.
local function add_time(layers, keys, time, ax)
  if not time then return end
  local has_interval = metrics.has_interval(time)
  if has_interval then
    layers[#layers + 1] = markup.band(ax, math.max(0, time.low),
      time.high)
  end
  layers[#layers + 1] = markup.rules("estimate", ax, { time.value })
  keys[#keys + 1] = { "bar estimate", has_interval
    and "time, with its interval" or "time" }
end

-- Few batches, each a dot.
local function one_by_one(result, values)
  local time, ends, heights = time_of(result), {}, {}
  for k, v in ipairs(values) do
    ends[k], heights[k] = v, 1 - (k - 0.5) / #values
  end
  ends[#ends + 1] = time and time.value
  local low, high = scale.extent(ends)
  low, high = scale.padded(low, high, 0.08)
  local ax = scale.linear(math.max(0, low), high, TICKS)
  local ay, layers, keys = scale.linear(0, 1), {}, {}
  add_time(layers, keys, time, ax)
  layers[#layers + 1] = markup.dots("s1 big", ax, ay, values, heights)
  return markup.captioned("The batches, one by one", markup.plot { x = ax,
    x_unit = "ns", x_label = "time per call", layers = layers },
    markup.keys(keys) .. " " .. distribution.account(result, {
      longer = #values, drawn = #values, beyond = 0 })
    .. ", the first at the top.")
end

--- How the times per call are distributed, of few the times themselves; nil
--- where there are no samples.
---@param result table
---@param limit integer most points to draw
---@return string? markup
function plots.distribution(result, limit)
  local values = distribution.values(result)
  if #values < FEWEST_DRAWN then return nil end
  if #values < FEWEST_OF_DENSITY then return one_by_one(result, values) end
  -- Disturbed batches don't stretch the axis, but show where it reaches them.
  local low, high = distribution.bulk((distribution.undisturbed(result)))
  local time = time_of(result)
  if time then
    low, high = math.min(low, time.value), math.max(high, time.value)
  end
  low, high = padded(low, high, values, 0.08)
  local ax = scale.linear(low, high, TICKS)
  local has_strip = limit >= FEWEST_OF_STRIP
  local ay = scale.linear(has_strip and FLOOR or 0, 1.06)
  -- No batch was quicker than the quickest: nothing is drawn below it.
  local least, most = scale.extent(values)
  local from, to = math.max(ax.low, least), math.min(ax.high, most)
  if to <= from then from, to = ax.low, ax.high end
  local xs, ys = distribution.density(thin(values, 400), from, to,
    math.min(DENSITY_POINTS, 12 + limit))
  table.insert(xs, 1, from)
  table.insert(ys, 1, 0)
  xs[#xs + 1], ys[#ys + 1] = to, 0
  local layers, keys = { markup.area(ax, ay, xs, ys) }, {}
  add_time(layers, keys, time, ax)
  local rules, texts, percents = percentiles(values, ax, result)
  layers[#layers + 1] = rules
  if time then
    texts = texts .. markup.named_time(ax, time.value, written(time.value,
      result))
  end
  local heights, inside = {}, lists.those(values, function(v)
    return v >= ax.low and v <= ax.high
  end)
  local shown = has_strip and thin(inside, limit) or {}
  table.sort(shown) -- which makes short steps
  for k = 1, #shown do heights[k] = FLOOR * (0.18 + 0.7 * (k * GOLDEN % 1)) end
  layers[#layers + 1] = markup.dots("s1 rug", ax, ay, shown, heights)
  local note = markup.keys(keys) .. " " .. table.concat(percents, ", ") .. ". "
    .. distribution.account(result, { longer = #values,
      drawn = has_strip and #shown, beyond = #values - #inside }) .. "."
  return markup.captioned("Distribution of the batches", markup.plot { x = ax,
    x_unit = "ns", x_label = "time per call", layers = layers,
    texts = texts }, note)
end

-- Time against batch size ----------------------------------------------------

-- The first fit of time on the calls and on something else, of the rows of a
-- pass.
local function find_fit(result, pass)
  for _, fit in ipairs(result.fits or {}) do
    local iters = fit.responder == "time" and (fit.coefficients or {}).iters
    if iters and is_drawable(iters.value) and fit.pass == pass
      and #(fit.predictors or {}) > 1 then return fit end
  end
end

local function intercept_of(fit)
  local e = fit.coefficients.intercept or fit.coefficients.constant
  return e and is_drawable(e.value) and e.value or 0
end

-- What the reported cost leaves of the batches, at the quarter of them that was
-- disturbed least.
local function base_of(slope, samples, times, rows)
  local rest = {}
  for k, i in ipairs(rows) do
    rest[k] = times[i] - slope * samples.iters[i]
  end
  table.sort(rest)
  return distribution.of_sorted(rest, 0.25)
end

local ALIKE = 2 -- times as many calls in the largest batch as in the least

local COLLECTIONS = { { "none", "s1" },
  { "minor", "minor", "a minor collection ended in it" },
  { "major", "major", "a major collection ended in it" } }

local function by_collection(samples, times, rows)
  local minor = picked(samples.gc_minor, rows)
  local major = picked(samples.gc_major, rows)
  local sets = { none = { {}, {} }, minor = { {}, {} }, major = { {}, {} } }
  for k, i in ipairs(rows) do
    local set = sets[major[k] > 0 and "major" or minor[k] > 0 and "minor"
      or "none"]
    table.insert(set[1], samples.iters[i])
    table.insert(set[2], times[i])
  end
  return sets
end

-- How high an axis of times of batches is: those that are far above the others
-- by the time of a call would flatten all.
local function longest_of(times, iters)
  local values, longest, _, most = {}, 0, scale.extent(iters)
  for k, ns in ipairs(times) do values[k] = ns / iters[k] end
  local _, high = distribution.bulk(values)
  for k, ns in ipairs(times) do
    if values[k] <= high or iters[k] < most / 8 then
      longest = math.max(longest, ns)
    end
  end
  return longest
end

local function line(class, slope, base, ax, ay)
  return markup.line(class, ax, ay, { ax.low, ax.high },
    { base + slope * ax.low, base + slope * ax.high })
end

--- Whether the plot of sizes has the line of the reported time: not that of
--- batches of the pass that counted collections.
---@param result table
---@return boolean
function plots.has_time(result)
  local of_pass = (result.passes or {}).counts and find_fit(result, "counts")
  return time_of(result) ~= nil and not of_pass
    and distribution.values(result)[1] ~= nil
end

--- Time of the batches over their size, with the line of the cost that is
--- reported (the figure of Core_bench's paper); nil where there are no samples.
---@param result table
---@param limit integer
---@return string? markup
function plots.sizes(result, limit)
  local counts = (result.passes or {}).counts
  local pass = counts and find_fit(result, "counts") and "counts" or nil
  local samples = pass and counts.samples or result.samples
  local times = distribution.times(result, samples)
  local rows = rows_of(samples, times, not pass and distribution.dropped(result)
    or nil)
  if not rows then return nil end
  local kept = thin(rows, limit)
  local _, most = scale.extent(picked(samples.iters, kept))
  local all, counts_of = picked(times, rows), picked(samples.iters, rows)
  local longest = longest_of(all, counts_of)
  local least = scale.extent(counts_of)
  local shortest = scale.extent(all)
  local ax = scale.linear(0, most * 1.03, TICKS)
  local ay = scale.linear(0, longest * 1.06, TICKS)
  -- Sizes that are much alike fill the plot, which then begins with them.
  if least > most / ALIKE and least < most then
    local low, high = scale.padded(least, most, 0.06)
    ax = scale.linear(low, high, TICKS)
    low, high = scale.padded(shortest, longest, 0.06)
    ay = scale.linear(math.max(0, low), high, TICKS)
  end
  local layers, keys = {}, {}
  local time = not pass and time_of(result)
  local full = find_fit(result, pass)
  if time then
    layers[1] = line("estimate", time.value,
      base_of(time.value, samples, times, kept), ax, ay)
    keys[1] = { "bar estimate", written(time.value, result)
      .. " per call, as reported" }
  end
  if full and regressions.is_positive(full.coefficients.iters) then
    layers[#layers + 1] = line("dashed", full.coefficients.iters.value,
      intercept_of(full), ax, ay)
    keys[#keys + 1] = { "bar dashed", quantity(full.coefficients.iters.value,
      "ns") .. " per call without collections (the fit below)" }
  end
  local sets = by_collection(samples, times, kept)
  for _, mark in ipairs(COLLECTIONS) do
    local set = sets[mark[1]]
    if set[1][1] then
      layers[#layers + 1] = markup.dots(mark[2], ax, ay, set[1], set[2])
      keys[#keys + 1] = mark[3] and { "dot " .. mark[2], mark[3] }
    end
  end
  return markup.captioned("Time of a batch over its size", markup.plot {
    x = ax, x_unit = "calls", x_label = "calls in the batch", y = ay,
    y_unit = "ns", y_label = "time of the batch", layers = layers },
    markup.keys(keys) .. beyond(all, ay))
end

-- Time per call over the run -------------------------------------------------

local WINDOWS = 12

-- The median of each of some windows along the run.
local function running(xs, ys)
  local mx, my = {}, {}
  local windows = math.min(WINDOWS, math.floor(#xs / 5))
  for w = 1, windows do
    local first = math.floor((w - 1) * #xs / windows) + 1
    local last = math.floor(w * #xs / windows)
    local window = {}
    for k = first, last do window[#window + 1] = ys[k] end
    table.sort(window)
    mx[w] = (xs[first] + xs[last]) / 2
    my[w] = distribution.of_sorted(window, 0.5)
  end
  return mx, my
end

-- Sets of batches that are drawn alike: by launch in turn, so that one is seen
-- to end, and those that no time is made of.
local function sets_of(result, rows, drawn)
  local launches, is_out = picked(result.samples.launch, rows), {}
  for _, row in ipairs(result.left_out or {}) do is_out[row] = true end
  local sets, several = { out = {}, m1 = {}, m2 = {} }, false
  for _, k in ipairs(drawn) do
    table.insert(sets[is_out[rows[k]] and "out" or launches[k] % 2 == 0 and "m2"
      or "m1"], k)
    several = several or launches[k] ~= launches[1]
  end
  return sets, several
end

--- The batches in the order in which they were measured, by launch; nil where
--- there are few.
---@param result table
---@param limit integer
---@return string? markup
function plots.over_time(result, limit)
  local samples, times = result.samples, distribution.times(result)
  local rows = rows_of(samples, times)
  if not rows or #rows < 5 then return nil end
  local ys, xs = {}, {}
  for k, i in ipairs(rows) do
    ys[k], xs[k] = times[i] / samples.iters[i], k
  end
  local low, high = distribution.bulk(ys)
  low, high = padded(low, high, ys, 0.05)
  local x_low, x_high = scale.padded(1, #rows, 0.02)
  local ax, ay = scale.linear(x_low, x_high, TICKS),
    scale.linear(low, high, TICKS)
  local drawn = thin(xs, limit)
  local sets, several = sets_of(result, rows, drawn)
  local left_out = #sets_of(result, rows, xs).out
  local layers = {}
  for i, class in ipairs { "out", "m1", "m2" } do
    layers[i] = markup.dots(class, ax, ay, sets[class], picked(ys,
      sets[class]))
  end
  local mx, my = running(xs, ys)
  layers[#layers + 1] = markup.line("running", ax, ay, mx, my)
  return markup.captioned("Batches in the order of measuring", markup.plot {
    x = ax, x_unit = "batches", x_label = "batch", y = ay, y_unit = "ns",
    y_label = "time per call", layers = layers },
    markup.keys { { "bar running", "running median" }, sets.out[1]
      and { "dot out", left_out .. " left out of the time" } }
    .. beyond(ys, ay) .. (several
      and " Colours alternate from process to process." or ""))
end

-- The collector --------------------------------------------------------------

-- The function's own time and the collector's, as a bar; nil where the
-- collector has no part.
local function collector_bar(result)
  local share = columns.collector_share(result)
  local net, part = metrics.get(result, "net"),
    metrics.get(result, "collector")
  if not (share and net and part) or share == 0 then return nil end
  local function key(class, name, e, own)
    return { "block " .. class, ("%s %s, %s"):format(name, columns.noise_of(
      result) and written(e.value, result)
      or markup.figure(figures.estimate(e, "ns")),
      escape(figures.percent(own))) }
  end
  return markup.captioned("The collector's share", ('<div class="share">'
    .. '<i style="width:%s%%"></i></div>'):format(markup.number(share * 100)),
    markup.keys { key("net", "the function itself", net, 1 - share),
      key("gc", "the collector", part, share) })
end

local MOST_TEXT = 4 -- pauses of one length, below which nothing is drawn
local PAUSES = { { "p50", "median" }, { "p95", "p95" }, { "p99", "p99" },
  { "max", "longest" } }

-- Bins of a histogram, joined until there are no more than have room.
local MOST_BINS = 40
local function wider_bins(edges, counts)
  while #counts > MOST_BINS and #edges == #counts + 1 do
    local wide_edges, wide_counts = { edges[1] }, {}
    for k = 1, #counts, 2 do
      wide_counts[#wide_counts + 1] = counts[k] + (counts[k + 1] or 0)
      wide_edges[#wide_edges + 1] = edges[math.min(k + 2, #counts + 1)]
    end
    edges, counts = wide_edges, wide_counts
  end
  return edges, counts
end

--- The histogram of the collector's pauses; nil where not measured.
---@param result table
---@return string? markup
function plots.pauses(result)
  local pauses = ((result.passes or {}).paced or {}).pauses
  local h = pauses and pauses.histogram
  if not (h and h.counts and h.counts[1] and h.edges_ns) then return nil end
  local edges = h.edges_ns
  local low = lists.first(edges, function(edge)
    return is_drawable(edge) and edge > 0
  end)
  local _, most = scale.extent(h.counts)
  local high = edges[#edges]
  if not low or not is_drawable(high) or (most or 0) < MOST_TEXT then
    return nil -- the figures say as much
  end
  local counts
  edges, counts = wider_bins(edges, h.counts)
  _, most = scale.extent(counts)
  local ax, ay = scale.log(low, high, 1 + TICKS),
    scale.linear(0, most * 1.06, TICKS)
  -- One outline around all bars, in steps from its left end.
  local outline, x0, y0 = { "M0 " .. markup.HIGH }, 0, markup.HIGH
  for k = 1, #edges do
    local count = is_drawable(counts[k]) and counts[k] or 0
    if is_drawable(edges[k]) and edges[k] > 0 then
      local x, y = markup.place(ax, ay, edges[k], count)
      y = count > 0 and math.min(y, markup.HIGH - 2) or markup.HIGH
      if y ~= y0 then
        outline[#outline + 1] = ("h%dv%d"):format(x - x0, y - y0)
        x0, y0 = x, y
      end
    end
  end
  local shown, named = { units.thousands(tonumber(pauses.count) or 0)
    .. " pauses" }, {}
  for _, entry in ipairs(PAUSES) do
    local at = pauses[entry[1]]
    if is_drawable(at) then
      shown[#shown + 1] = entry[2] .. " " .. quantity(at, "ns")
      if at >= low and entry[1] ~= "max" then
        named[#named + 1] = { entry[2], at }
      end
    end
  end
  local rules, texts = markup.named_rules(ax, named)
  return markup.captioned("Pauses of the collector", markup.plot { x = ax,
    x_unit = "ns", x_label = "length of the pause", y = ay, y_unit = "pauses",
    y_label = "pauses", class = " named", texts = texts, layers = {
      '<path class="area gc" d="' .. table.concat(outline) .. '"/>', rules } },
    table.concat(shown, ", "))
end

local TYPES = { "table", "string", "function", "userdata", "thread", "other" }

-- What a call allocates by type, as a line of text, nil where not measured, or
-- nothing; and whether it is of one type, so that this is the sum.
local function types_line(result)
  local census = (result.passes or {}).census
  if not (census and is_drawable(census.iters) and census.iters > 0) then
    return nil
  end
  local parts = {}
  for _, name in ipairs(TYPES) do
    local entry = (census.by_type or {})[name] or {}
    if is_drawable(entry.allocs) and is_drawable(entry.bytes)
      and entry.bytes > 0 then
      local count = entry.allocs / census.iters
      parts[#parts + 1] = ("%s in %s %s%s"):format(
        quantity(entry.bytes / census.iters, "bytes"),
        quantity(count, "allocs"), name, count == 1 and "" or "s")
    end
  end
  return parts[1] and '<p class="said">A call allocates '
    .. table.concat(parts, ", ") .. ".</p>", #parts == 1
end

-- Why nothing is drawn of the collector, where that is known.
local function without_collector(result)
  local bytes = metrics.get(result, "bytes")
  local why = columns.has_few_cycles(result)
    and "the run saw too few collections"
    or bytes and bytes.value == 0 and "a call allocates nothing"
  return why and '<p class="said">No figure of the collector: ' .. why
    .. ".</p>" or ""
end

--- All plots of a bench, and the columns whose figures they say.
---@param result table
---@param limit integer most points of a plot
---@return string markup
---@return table<string, boolean> said
function plots.bench(result, limit)
  local parts, said = {}, {}
  for _, draw in ipairs { plots.distribution, plots.sizes,
    plots.over_time } do
    parts[#parts + 1] = draw(result, limit)
  end
  said.batches = #distribution.values(result) >= FEWEST_DRAWN
  local share, pauses = collector_bar(result), plots.pauses(result)
  parts[#parts + 1] = share
  parts[#parts + 1] = pauses
  said.pause_max = pauses ~= nil
  local types, is_all = types_line(result)
  said.bytes, said.allocs = is_all, is_all
  return (parts[1] and '<div class="plots">' .. table.concat(parts) .. "</div>"
    or "") .. (types or "")
    .. ((share or pauses) and "" or without_collector(result)), said
end

-- Sweeps ---------------------------------------------------------------------

local COLOURS, LABEL_GAP, SWEEP_HEIGHT = 8, 14, 320

-- Of a name beside a line: letters that have room, and those that stay of the
-- beginning and of the end of a longer one. Names of a sweep often begin alike.
local LABEL, BEGINNING, ENDING = 20, 9, 10
local LETTER = "[%z\1-\127\192-\255][\128-\191]*"
local ELLIPSIS = "\226\128\166"

local function letters_of(label)
  local letters = {}
  for letter in label:gmatch(LETTER) do letters[#letters + 1] = letter end
  return letters
end

-- Those letters of a name that are kept, and how many places they take: what
-- is left out between them takes one.
local function joined(letters, keeps)
  local parts, last = {}, 0
  for i, letter in ipairs(letters) do
    if keeps[i] then
      parts[#parts + 1] = i > last + 1 and ELLIPSIS or nil
      parts[#parts + 1], last = letter, i
    end
  end
  parts[#parts + 1] = last < #letters and ELLIPSIS or nil
  return table.concat(parts), #parts
end

-- A name without what has no room, but with the places at which it first
-- differs from each of the others, then with as much as possible of its ends.
local function cut_around(letters, others)
  local keeps = {}
  for _, other in ipairs(others) do
    local i = 1
    while letters[i] and letters[i] == other[i] do i = i + 1 end
    keeps[math.min(i, #letters)] = true
  end
  for i = 1, #letters do
    for _, at in ipairs { i, #letters + 1 - i } do
      local had = keeps[at]
      keeps[at] = true
      if select(2, joined(letters, keeps)) > LABEL then keeps[at] = had end
    end
  end
  return (joined(letters, keeps))
end

-- The names of a sweep, of which long ones are cut in the middle, or where two
-- would be the same, around what keeps them apart.
local function short_labels(sweep)
  local all, list, seen = {}, {}, {}
  for k, series in ipairs(sweep.series) do
    local letters = letters_of(series.label)
    all[k], list[k] = letters, #letters <= LABEL and series.label
      or table.concat(letters, "", 1, BEGINNING) .. ELLIPSIS
        .. table.concat(letters, "", #letters - ENDING + 1)
    seen[list[k]] = (seen[list[k]] or 0) + 1
  end
  for k, letters in ipairs(all) do
    if seen[list[k]] > 1 and #letters > LABEL then
      local others = {}
      for other, label in ipairs(list) do
        if other ~= k and label == list[k] then
          others[#others + 1] = all[other]
        end
      end
      seen[k] = cut_around(letters, others)
    end
  end
  local longest = 0
  for k in ipairs(all) do
    list[k] = seen[k] or list[k]
    longest = math.max(longest, #letters_of(list[k]))
  end
  return list, longest
end

-- The points of a series that have a place on a logarithmic axis.
local function points_of(series)
  return lists.those(series.points, function(p) return p.value > 0 end)
end

local function class_of(k) return "m" .. (k - 1) % COLOURS + 1 end

-- Names at the ends of their lines, moved apart where they would meet.
local function direct_labels(sweep, ay, labels)
  local list = {}
  for k, series in ipairs(sweep.series) do
    local last = series.points[#series.points]
    if last and last.value > 0 then
      list[#list + 1] = { y = (1 - ay.at(last.value)) * SWEEP_HEIGHT, k = k,
        label = labels[k] }
    end
  end
  table.sort(list, function(a, b) return a.y < b.y end)
  for i = 2, #list do
    list[i].y = math.max(list[i].y, list[i - 1].y + LABEL_GAP)
  end
  local most = SWEEP_HEIGHT
  for i = #list, 1, -1 do
    list[i].y = math.min(list[i].y, most)
    most = list[i].y - LABEL_GAP
  end
  local parts = {}
  for i, one in ipairs(list) do
    parts[i] = ('<text class="end %s" x="100%%" dx="8" y="%s" dy="4">%s'
      .. "</text>"):format(class_of(one.k), markup.number(one.y),
      escape(one.label))
  end
  return table.concat(parts)
end

-- Points as they are drawn on some axes: the height at a place across, between
-- them by straight lines; both from 0 to 1.
local function drawn_at(points, ax, ay, place)
  local before
  for _, p in ipairs(points) do
    local here = { x = ax.at(p.x), y = ay.at(p.value) }
    if before and before.x <= place and place <= here.x
      and before.x < here.x then
      local share = (place - before.x) / (here.x - before.x)
      return before.y + share * (here.y - before.y)
    end
    before = here
  end
end

-- Where the drawn lines of two lists of points meet next to a place: between
-- the same points, or within an interval; nil where they don't.
local function meeting(a, b, ax, ay, place, low, high)
  local list, best = {}, nil -- places at which either has a point
  for _, points in ipairs { a, b } do
    for _, p in ipairs(points) do list[#list + 1] = ax.at(p.x) end
  end
  table.sort(list)
  for i = 2, #list do
    local x1, x2 = list[i - 1], list[i]
    local a1, b1 = drawn_at(a, ax, ay, x1), drawn_at(b, ax, ay, x1)
    local a2, b2 = drawn_at(a, ax, ay, x2), drawn_at(b, ax, ay, x2)
    if a1 and b1 and a2 and b2 and (a1 - b1) * (a2 - b2) <= 0
      and a1 - b1 ~= a2 - b2 then
      local x = x1 + (x2 - x1) * (a1 - b1) / ((a1 - b1) - (a2 - b2))
      local is_here = x1 <= place and place <= x2 or low <= x and x <= high
      if is_here and math.abs(x - place) < math.abs((best or 1/0) - place) then
        best = x
      end
    end
  end
  return best
end

-- Further from the size in the sentence than this share of the width, a ring
-- is seen to be elsewhere.
local BESIDE = 0.005

-- Crossings as rings that name their pair, where the drawn lines meet, with the
-- number that their sentence has where there are several; and whether one is
-- not at its size. The estimate is of curves, and of batches
-- measured in turn: the lines, straight between the points, may meet beside it
-- or not at all, where the ring is at the size, between the two.
local function crossings(sweep, ax, ay)
  local marks, is_beside, list = {}, false, sweeps.crossings(sweep)
  for i, c in ipairs(list) do
    local place, a, b = ax.at(c.x), points_of(c.a), points_of(c.b)
    local x = meeting(a, b, ax, ay, place, ax.at(c.low or c.x),
      ax.at(c.high or c.x)) or place
    local one, other = drawn_at(a, ax, ay, x), drawn_at(b, ax, ay, x)
    if one and other then
      is_beside = is_beside or math.abs(x - place) > BESIDE
        or math.abs(one - other) > BESIDE
      local across, down = markup.number(x * 100),
        markup.number((1 - (one + other) / 2) * 100)
      marks[#marks + 1] = ('<circle class="crossing" cx="%s%%" cy="%s%%" '
        .. 'r="5"><title>%s</title></circle>'):format(across, down,
        escape(c.text))
      marks[#marks + 1] = list[2] and ('<text class="pt ring" x="%s%%" '
        .. 'y="%s%%" dx="9" dy="-4">%d</text>'):format(across, down, i) or nil
    end
  end
  return table.concat(marks), is_beside
end

local NARROWEST_TICK = 0.09 -- of the width, between sizes that are labelled

-- The sizes that were measured as ticks, those that would meet left out.
local function measured_ticks(sweep, ax)
  ax.ticks, ax.texts = {}, {}
  local last = -1
  for _, row in ipairs(sweep.rows) do
    local at = ax.at(row.x)
    if at - last >= NARROWEST_TICK then
      ax.ticks[#ax.ticks + 1], last = row.x, at
      ax.texts[#ax.texts + 1] = escape(#units.thousands(row.x) <= 6
        and units.thousands(row.x) or units.count(row.x, 2))
    end
  end
  return ax
end

-- Series have three shapes in turn: round and square dots, which are caps of
-- lines, and diamonds, which keep their shape only outside of the canvas. The
-- place of each is a dot in the canvas, too, for the pointer.
local SHAPES = 3
local function is_diamond(k) return ((k - 1) % COLOURS + 1) % SHAPES == 0 end
local DIAMOND = '<svg class="shapes" hidden><path id="diamond" '
  .. 'd="M0-4.6L4.6 0L0 4.6L-4.6 0Z"/></svg>'

local function diamonds(sweep, ax, ay)
  local list = {}
  for k, series in ipairs(sweep.series) do
    for _, p in ipairs(is_diamond(k) and points_of(series) or {}) do
      list[#list + 1] = ('<use href="#diamond" class="%s%s" x="%s%%" y="%s%%"/>'
        ):format(class_of(k), p.is_noisy and " hollow" or "",
        markup.number(ax.at(p.x) * 100),
        markup.number((1 - ay.at(p.value)) * 100))
    end
  end
  return table.concat(list)
end

local function sweep_plot(sweep, ax, ay, class)
  local layers = {}
  for k, series in ipairs(sweep.series) do
    local own, xs, ys = class_of(k), {}, {}
    local whiskers, noisy_xs, noisy_ys = {}, {}, {}
    for i, p in ipairs(points_of(series)) do
      xs[i], ys[i] = p.x, p.value
      if p.is_noisy then
        noisy_xs[#noisy_xs + 1], noisy_ys[#noisy_ys + 1] = p.x, p.value
      end
      if p.low and p.high and p.low > 0 then
        local x, y1 = markup.place(ax, ay, p.x, p.low)
        local _, y2 = markup.place(ax, ay, p.x, p.high)
        whiskers[#whiskers + 1] = ("M%d %dV%d"):format(x, y1, y2)
      end
    end
    layers[k] = markup.line("line " .. own, ax, ay, xs, ys)
      .. ('<path class="line thin %s" d="%s"/>'):format(own,
        table.concat(whiskers))
      .. markup.dots(own .. " big", ax, ay, xs, ys)
      .. (is_diamond(k) and "" or markup.dots(own .. " hollow", ax, ay,
        noisy_xs, noisy_ys))
  end
  local labels, longest = short_labels(sweep)
  local rings, is_beside = crossings(sweep, ax, ay)
  return markup.plot { x = ax, x_unit = "count", x_label = sweep.axis, y = ay,
    y_unit = sweep.unit, y_label = "time per call", layers = layers,
    texts = diamonds(sweep, ax, ay) .. rings
      .. direct_labels(sweep, ay, labels), height = SWEEP_HEIGHT,
    right = 22 + longest * 7, class = class }, is_beside
end

--- A sweep on linear and on logarithmic axes, of which the page shows one; ""
--- where there is nothing to draw.
---@param sweep table of tare.report.sweeps
---@return string markup
function plots.sweep(sweep)
  local xs, ys, has_noisy = {}, {}, false
  for _, series in ipairs(sweep.series) do
    for _, p in ipairs(points_of(series)) do
      has_noisy = has_noisy or p.is_noisy
      xs[#xs + 1], ys[#ys + 1] = p.x, p.value
      ys[#ys + 1] = p.high and p.high > p.value and p.high or nil
    end
  end
  local x_low, x_high = scale.extent(xs)
  local y_low, y_high = scale.extent(ys)
  if not x_low then return "" end
  local linear, linear_beside = sweep_plot(sweep, scale.linear(scale.padded(
    x_low, x_high, 0.03)), scale.linear(0, y_high * 1.05), " linear")
  local ax = x_low > 0 and measured_ticks(sweep, scale.log(scale.log_padded(
    x_low, x_high, 0.03))) or scale.linear(scale.padded(x_low, x_high, 0.03))
  local log, log_beside = sweep_plot(sweep, ax, scale.log(scale.log_padded(
    y_low, y_high)), " log")
  local named, list = {}, sweeps.crossings(sweep)
  for i, c in ipairs(list) do
    named[i] = { "ring", escape((list[2] and i .. ": " or "") .. c.text) }
  end
  if sweep.series[SHAPES] then log = DIAMOND .. log end
  return log .. linear .. (named[1] and '<p class="note rings">'
    .. markup.keys(named) .. "</p>" or "") .. (has_noisy and '<p class="note">'
    .. markup.keys { { "dot hollow", "too noisy" } } .. "</p>" or "")
    .. ((log_beside or linear_beside) and '<p class="note">Rings are where '
    .. "the drawn lines meet, or between lines that do not. The sizes in the "
    .. "sentences are of curves through the points, and may lie beside.</p>"
    or "")
end

return plots
