-- The figures of a record of frames: how long they took, how many were over the
-- budget, what a player noticed, and which policy serves best. Pure: a
-- record (see core.frames, recorder:record()) in, figures out.
local core = require "tare.core"
local numerals = require "tare.base.numerals"

local frames = {}

local PAUSE_SHARE = 0.1 -- of the budget, above the median frame: a pause
local WORST_PAUSES = 5
local Z = 1.959963984540054 -- 95 % of a normal distribution
local CONFIDENCE = 0.95
local FEWEST_BLOCKS = 8 -- for a slope, and to join blocks
local HALF_BIN = 1 / 256 -- half the width of the recorder's bins, as a share
local FEWEST_SLOW = 10 -- slowest frames, for an interval of their mean
-- Percentiles of the curve: closer together where frames are rare.
local CURVE = { 0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99,
  0.995, 0.998, 0.999, 0.9995, 0.9999, 1 }

-- Durations -----------------------------------------------------------------

-- The k-th duration in ascending order, counted from 0, exact to half a bin
-- (0.4 %); and the least and the greatest value that it may have.
local function ranked_ns(durations, k)
  local min_ns, max_ns = durations.min_ns, durations.max_ns
  if k <= 0 then return min_ns, min_ns, min_ns end
  if k >= durations.count - 1 then return max_ns, max_ns, max_ns end
  local left, bin, counts = k, 1, durations.counts
  while left >= counts[bin] do
    left = left - counts[bin]
    bin = bin + 1
  end
  local low_ns = math.max(min_ns, durations.low_ns[bin])
  local high_ns = math.min(max_ns, durations.high_ns[bin])
  return low_ns + (high_ns - low_ns) * (left + 0.5) / counts[bin], low_ns,
    high_ns
end

-- The duration below which a fraction of those counted lies (Hyndman-Fan type
-- 7); exact for 0 and 1.
local function quantile_ns(durations, q)
  local rank = q * (durations.count - 1)
  local below = math.floor(rank)
  local ns = ranked_ns(durations, below)
  if rank == below then return ns end
  return ns + (rank - below) * (ranked_ns(durations, below + 1) - ns)
end

-- The quantiles at both ends of an interval of shares, each moved outward to
-- the edge of its bin. Nil for an end that is beyond all frames: they are too
-- few to say how short, or long, others may be.
local function between_ns(durations, from, to)
  local most, low_ns, high_ns = durations.count - 1, nil, nil
  if from >= 0 then
    low_ns = select(2, ranked_ns(durations, math.floor(from * most)))
  end
  if to <= 1 then
    high_ns = select(3, ranked_ns(durations, math.ceil(to * most)))
  end
  return low_ns, high_ns
end

local function in_ms(ns) return ns and ns / 1e6 end

-- Number and mean of the longest durations: at most so many, or all above a
-- limit. Each counts as the middle of its bin, except the very longest, which
-- is known.
local function longest(durations, most, above_ns)
  local taken, sum = 1, durations.max_ns
  for bin = #durations.counts, 1, -1 do
    local middle = (durations.low_ns[bin] + durations.high_ns[bin]) / 2
    middle = math.max(durations.min_ns, math.min(durations.max_ns, middle))
    if taken >= most or middle <= above_ns then break end
    local count = durations.counts[bin]
    if bin == #durations.counts then count = count - 1 end
    count = math.min(count, most - taken)
    taken, sum = taken + count, sum + count * middle
  end
  return taken, sum / taken
end

-- Intervals -----------------------------------------------------------------

--- Share of 'count' among 'total' with its 95 % interval, by Wilson's score
--- (E. B. Wilson, "Probable inference", JASA 22, 1927).
---@param count integer
---@param total integer at least 1
---@param effect number? the factor by which the variance is larger because
---  neighbours are alike (1 by default)
---@param t number? quantile for the interval, where the effect is estimated
---@return { value: number, low: number, high: number, frames: integer,
---  effect: number }
function frames.share(count, total, effect, t)
  local z, n = t or Z, total / (effect or 1)
  local p, wider = count / total, z * z / n
  local centre = (p + wider / 2) / (1 + wider)
  local half = z / (1 + wider) * math.sqrt(p * (1 - p) / n + wider / n / 4)
  return { value = p, low = math.max(0, centre - half),
    high = math.min(1, centre + half), frames = count, effect = effect or 1 }
end

-- The degrees of freedom of a variance that is estimated from n deviations from
-- their mean: n - 1 if the deviations are normal. They are fewer if a few
-- deviations make up most of the variance, which is then hardly known.
local function freedom_of(n, squares, fourths)
  local beyond = math.max(0, fourths - squares ^ 2 / n) -- less by rounding
  return math.max(1, math.min(n - 1, 2 * squares ^ 2 / beyond))
end

-- The design effect: frames come in stretches of the same kind, so a share of
-- them varies more than a share of independent frames. The effect is the
-- variance between blocks of frames, divided by the binomial variance; at
-- least 1. Blocks may be shorter than the stretches, so pairs and fours of
-- neighbouring blocks are tried, too, and the width with the widest interval is
-- taken. Also the quantile for that interval: Student's t, since the effect is
-- estimated from few blocks.
local function design_effect(blocks, total, count_of)
  local count, effect, t = 0, 1, Z
  for _, block in ipairs(blocks) do count = count + count_of(block) end
  local p = count / total
  if p <= 0 or p >= 1 then return effect, t end
  for _, width in ipairs { 1, 2, 4 } do
    local pieces, squares, fourths = math.ceil(#blocks / width), 0, 0
    if pieces < (width > 1 and FEWEST_BLOCKS or 2) then break end
    for first = 1, #blocks, width do
      local off = 0
      for i = first, math.min(#blocks, first + width - 1) do
        off = off + count_of(blocks[i]) - p * blocks[i].frames
      end
      squares, fourths = squares + off ^ 2, fourths + off ^ 4
    end
    local found = squares * pieces / (pieces - 1) / (total * p * (1 - p))
    local reach = found > 1 and core.stats.t_quantile(0.5 + CONFIDENCE / 2,
      freedom_of(pieces, squares, fourths))
    if reach and reach * math.sqrt(found) > t * math.sqrt(effect) then
      effect, t = found, reach
    end
  end
  return effect, t
end

local function share_of(record, name)
  local total = record.all.count
  local effect, t = design_effect(record.blocks, total,
    function(block) return block[name] end)
  return frames.share(record[name], total, effect, t)
end

-- Number of frames of a block below an edge of its bins.
local function below(block, edge_ns)
  local count = 0
  for bin, n in ipairs(block.counts) do
    if block.high_ns[bin] <= edge_ns then count = count + n end
  end
  return count
end

-- The nearest edges of the blocks' bins, below and above a duration.
local function edges_around(blocks, ns)
  local under, over = 0, math.huge
  for _, block in ipairs(blocks) do
    for bin in ipairs(block.counts) do
      for _, edge in ipairs { block.low_ns[bin], block.high_ns[bin] } do
        if edge <= ns then under = math.max(under, edge) end
        if edge >= ns then over = math.min(over, edge) end
      end
    end
  end
  return under, over
end

-- Half-width of the interval of the share of frames below a quantile.
local function half_of_share(record, q)
  local blocks, total, half = record.blocks, record.all.count, 0
  for _, edge in ipairs { edges_around(blocks, quantile_ns(record.all, q)) } do
    local effect, t = design_effect(blocks, total,
      function(block) return below(block, edge) end)
    half = math.max(half, t * math.sqrt(q * (1 - q) * effect / total))
  end
  return half
end

-- Interval of a quantile: the quantiles at the ends of the interval of its
-- share
-- (R. S. Woodruff, "Confidence intervals for medians and other position
-- measures", JASA 47, 1952).
local function quantile_interval(record, q)
  local half = half_of_share(record, q)
  local low_ns, high_ns = between_ns(record.all, q - half, q + half)
  return { low = in_ms(low_ns), high = in_ms(high_ns) }
end

-- The counts of all blocks, by bin: { { low_ns, high_ns, total, by_block
-- }... }, the longest first.
local function bins_of(record)
  local bins, of_edge = {}, {}
  for i, block in ipairs(record.blocks) do
    for k, low_ns in ipairs(block.low_ns) do
      local bin = of_edge[low_ns]
      if not bin then
        bin = { low_ns = low_ns, total = 0, by_block = {},
          high_ns = math.min(block.high_ns[k], record.all.max_ns) }
        of_edge[low_ns], bins[#bins + 1] = bin, bin
      end
      bin.total, bin.by_block[i] = bin.total + block.counts[k], block.counts[k]
    end
  end
  table.sort(bins, function(a, b) return a.low_ns > b.low_ns end)
  return bins
end

-- The mean of the slowest share of the frames, without those of the blocks from
-- 'first' to 'last'. The frames of a bin, which is 9 % wide, are taken to be
-- spread over it evenly.
local function low_without(bins, first, last, frames_left, share)
  local most, taken, sum = share * frames_left, 0, 0
  for _, bin in ipairs(bins) do
    local there = bin.total
    for i = first, last do there = there - (bin.by_block[i] or 0) end
    local count = math.min(there, most - taken)
    if count > 0 then
      local part = (bin.high_ns - bin.low_ns) * count / there
      taken, sum = taken + count, sum + count * (bin.high_ns - part / 2)
    end
    if taken >= most then break end
  end
  return sum / most
end

-- Half-width of the interval of that mean, as a logarithm: pieces of 'width'
-- neighbouring blocks are left out in turn (the jackknife: B. Efron, C. Stein,
-- Annals of Statistics 9, 1981). A few pieces may hold all of the slowest
-- frames. Then the variance is hardly known, and has fewer degrees of freedom
-- (freedom_of).
local function low_reach(record, bins, share, width)
  local blocks, logs, sum = record.blocks, {}, 0
  for first = 1, #blocks, width do
    local last, left = math.min(#blocks, first + width - 1), record.all.count
    for i = first, last do left = left - blocks[i].frames end
    logs[#logs + 1] = math.log(low_without(bins, first, last, left, share))
    sum = sum + logs[#logs]
  end
  local n, squares, fourths = #logs, 0, 0
  for i = 1, n do
    local off = (logs[i] - sum / n) ^ 2
    squares, fourths = squares + off, fourths + off * off
  end
  if squares <= 0 then return 0 end
  return core.stats.t_quantile(0.5 + CONFIDENCE / 2,
    freedom_of(n, squares, fourths)) * math.sqrt((n - 1) / n * squares)
end

-- The mean of the slowest share, in milliseconds.
local function slowest_ms(all, share)
  local most = math.max(1, math.floor(share * all.count))
  local _, mean_ns = longest(all, most, -1)
  return mean_ns / 1e6
end

-- The interval of the mean of the slowest share, widened by half a bin. It is
-- the widest of the intervals from single blocks, pairs and fours of them,
-- since blocks may be shorter than the stretches in which frames are alike. How
-- many frames are the slowest share is uncertain itself, by 'half'. So the
-- interval also includes the means of the slowest share plus and minus 'half':
-- if slow frames come in few stretches, their mean may be far too low, but not
-- as far too high. Nil where there are too few blocks or slow frames.
local function low_interval(record, share, ms)
  local count, bins, most = #record.blocks, bins_of(record), 0
  if count < FEWEST_BLOCKS or share * record.all.count < FEWEST_SLOW then
    return nil
  end
  for _, width in ipairs { 1, 2, 4 } do
    if math.ceil(count / width) < FEWEST_BLOCKS then break end
    most = math.max(most, low_reach(record, bins, share, width))
  end
  local reach, half = math.exp(most), half_of_share(record, 1 - share)
  local low_ms = math.min(ms / reach,
    slowest_ms(record.all, math.min(1, share + half)))
  local high_ms = math.max(ms * reach, slowest_ms(record.all, share - half))
  return low_ms * (1 - HALF_BIN), high_ms * (1 + HALF_BIN)
end

-- That mean with its interval; also in frames per second, as players' tools do.
local function low(record, share)
  local ms = slowest_ms(record.all, share)
  local said = { ms = ms, fps = 1e3 / ms }
  said.low, said.high = low_interval(record, share, ms)
  return said
end

-- Figures -------------------------------------------------------------------

local PERCENTILES = { p50 = 0.5, p95 = 0.95, p99 = 0.99 }

local function quantiles(durations)
  local said = { max = durations.max_ns / 1e6, unit = "ms" }
  for name, q in pairs(PERCENTILES) do
    said[name] = quantile_ns(durations, q) / 1e6
  end
  return said
end

-- Frames that took clearly longer than the median frame.
local function pauses_of(record, median_ms)
  local least_ms = PAUSE_SHARE * record.budget_ns / 1e6
  local limit_ns = (median_ms + least_ms) * 1e6
  local all, count = record.all, 0
  if all.max_ns > limit_ns then
    count = longest(all, all.count, limit_ns)
  end
  local found = frames.share(count, all.count)
  found.longer_by_ms, found.worst_ms = least_ms, {}
  if count > 0 then
    local middle = 1 - (count + 1) / 2 / all.count
    found.typical_ms = quantile_ns(all, middle) / 1e6 - median_ms
  end
  for i = 1, math.min(WORST_PAUSES, count, #record.worst) do
    found.worst_ms[i] = record.worst[i].ns / 1e6 - median_ms
  end
  return found
end

-- The durations of all frames without those of some.
local function without(all, some)
  local of_bin, rest = {}, { count = all.count - some.count, low_ns = {},
    high_ns = {}, counts = {}, min_ns = all.min_ns, max_ns = all.max_ns }
  for bin, edge in ipairs(some.low_ns) do of_bin[edge] = some.counts[bin] end
  for bin, count in ipairs(all.counts) do
    count = count - (of_bin[all.low_ns[bin]] or 0)
    if count > 0 then
      local at = #rest.counts + 1
      rest.low_ns[at], rest.high_ns[at] = all.low_ns[bin], all.high_ns[bin]
      rest.counts[at] = count
    end
  end
  return rest
end

-- How much longer frames with a collection are than the median of the other
-- frames, and what share of all time that is. (The time that an automatic
-- collector takes can't be measured from outside.)
local function longer(record, with, others)
  if not with or not others or others.count <= 0 then return nil end
  local typical_ns = quantile_ns(others, 0.5)
  local least_ns, most_ns = between_ns(others, 0.5, 0.5)
  local half = Z * math.sqrt(0.25 / with.count)
  local low_ns, high_ns = between_ns(with, 0.5 - half, 0.5 + half)
  return { frames = with.count, max = with.max_ns / 1e6, share = math.max(0,
    (with.total_ns - with.count * typical_ns) / record.all.total_ns),
    longer_by_ms = { value = (quantile_ns(with, 0.5) - typical_ns) / 1e6,
      low = in_ms(low_ns and low_ns - most_ns),
      high = in_ms(high_ns and high_ns - least_ns) } }
end

-- Growth of the least heap of each block, per minute: the median of the slopes
-- between all pairs of blocks, and its interval (P. K. Sen, "Estimates of the
-- regression coefficient based on Kendall's tau", JASA 63, 1968). Nil where
-- there were too few collections, since a heap that is not collected grows
-- anyway; and where blocks began at the same time, so that too few pairs have a
-- slope.
local function growth_of(record)
  local minutes, bytes = {}, {}
  for _, block in ipairs(record.blocks) do
    if block.least_heap_bytes then
      minutes[#minutes + 1] = block.start_ns / 6e10
      bytes[#bytes + 1] = block.least_heap_bytes
    end
  end
  local collections = record.gc_minor + record.gc_major
  if #bytes < FEWEST_BLOCKS or collections < 2 * #bytes then return nil end
  local fit = core.stats.theil_sen(bytes, minutes)
  local slope = fit and fit.coefficients[1]
  if not (slope and slope.low and slope.high) then return nil end
  return { value = slope.value, low = slope.low, high = slope.high,
    unit = "bytes per minute" }
end

local function worst_of(record)
  local list = {}
  for i, worst in ipairs(record.worst) do
    list[i] = { frame = worst.frame, start_ms = worst.start_ns / 1e6,
      ms = worst.ns / 1e6, usual_ms = worst.usual_ns / 1e6,
      collector_ms = worst.collector_ns and worst.collector_ns / 1e6,
      collections = worst.collections, has_steps = worst.steps == 1,
      scope = worst.scope }
  end
  return list
end

local function marks_of(record)
  local list = {}
  for i, mark in ipairs(record.marks) do
    local following = record.marks[i + 1]
    local heap_bytes = following and following.heap_bytes or record.heap_last
    list[i] = { name = mark.name, first = mark.first, frames = mark.frames,
      start_ms = mark.start_ns / 1e6, max = mark.max_ns / 1e6,
      mean = mark.frames > 0 and mark.total_ns / mark.frames / 1e6 or nil,
      over = mark.frames > 0 and mark.over / mark.frames or nil,
      heap_growth_bytes = heap_bytes and mark.heap_bytes
        and heap_bytes - mark.heap_bytes }
  end
  return list
end

local function scopes_of(record)
  local list = {}
  for i, scope in ipairs(record.scopes) do
    local said = scope.frames and quantiles(scope.frames) or {}
    local count = scope.frames and scope.frames.count or 0
    said.name, said.calls, said.frames = scope.name, scope.calls, count
    said.budget_ms = scope.budget_ns and scope.budget_ns / 1e6
    if count > 0 then
      said.share = scope.frames.total_ns / record.all.total_ns
      said.over = scope.budget_ns and frames.share(scope.over, count) or nil
      said.grown_bytes = scope.grown_bytes / count
    end
    said.collections = scope.collections
    if scope.collector_of_ns then
      said.collector = { share = scope.collector_ns / scope.collector_of_ns,
        max = scope.collector_max_ns / 1e6 }
    end
    list[i] = said
  end
  return list
end

-- The session in stretches, for a plot.
local function course_of(record)
  local list = {}
  for i, block in ipairs(record.blocks) do
    local within = { count = block.frames, counts = block.counts,
      low_ns = block.low_ns, high_ns = block.high_ns, min_ns = block.low_ns[1],
      max_ns = block.high_ns[#block.high_ns] }
    list[i] = { start_ms = block.start_ns / 1e6, frames = block.frames,
      p50 = quantile_ns(within, 0.5) / 1e6,
      p99 = quantile_ns(within, 0.99) / 1e6, over = block.over / block.frames,
      least_heap_bytes = block.least_heap_bytes }
  end
  return list
end

--- Figures of frames.
---@param record table what a recorder knows: see recorder:record()
---@return table summary p50, p95, p99 and max in ms, with 'intervals'; 'low1'
---  and 'low01' (the slowest 1 and 0.1 %: mean ms, fps); 'over' the budget;
---  'stutters' (frames over it that took twice what those before them did);
---  'lost_ms' by them; 'best_run' of frames within the budget; 'worst' frames;
---  'pauses'; 'collector' (ms per frame, and its share of the time) if it was
---  timed; 'paced': frames in which it ran by itself, or was stopped;
---  'collections': frames in which one ended, and how much longer they are;
---  'steps': the same of frames in which one was under way; 'curve'; 'course'
---  (the session in stretches); 'marks'; 'scopes'; 'heap_bytes';
---  'samples' of the latest frames, and how many 'dropped' from them; 'record'
function frames.summary(record)
  local all = record.all
  local summary = quantiles(all)
  summary.frames, summary.budget_ms = all.count, record.budget_ns / 1e6
  summary.mean, summary.total_ms = all.total_ns / all.count / 1e6,
    all.total_ns / 1e6
  summary.intervals = {}
  for name, q in pairs(PERCENTILES) do
    summary.intervals[name] = quantile_interval(record, q)
  end
  summary.low1, summary.low01 = low(record, 0.01), low(record, 0.001)
  summary.over = share_of(record, "over")
  summary.stutters = share_of(record, "stutters")
  summary.lost_ms = record.lost_ns / 1e6
  summary.best_run = { frames = record.best_run, ms = record.best_run_ns / 1e6,
    start_ms = record.best_run_start_ns / 1e6 }
  summary.worst = worst_of(record)
  summary.curve = {}
  for i, q in ipairs(CURVE) do
    summary.curve[i] = { share = q, ms = quantile_ns(all, q) / 1e6 }
  end
  summary.pauses = pauses_of(record, summary.p50)
  if record.collector then
    summary.collector = quantiles(record.collector)
    summary.collector.share = record.collector.total_ns
      / record.collector_frame_ns
    summary.collector.mean = record.collector.total_ns
      / record.collector.count / 1e6
  end
  summary.paced = record.paced
  local others = all
  for _, some in ipairs { record.collecting or false,
    record.stepping or false } do
    others = some and without(others, some) or others
  end
  summary.collections = longer(record, record.collecting, others)
  summary.steps = longer(record, record.stepping, others)
  summary.gc_minor, summary.gc_major = record.gc_minor, record.gc_major
  if record.heap_first then
    summary.heap_bytes = { first = record.heap_first, last = record.heap_last,
      max = record.heap_max, growth = growth_of(record) }
  end
  summary.marks, summary.lost_marks = marks_of(record), record.lost_marks
  summary.scopes = scopes_of(record)
  summary.samples, summary.dropped = record.samples, record.dropped
  summary.course, summary.record = course_of(record), record
  return summary
end

-- Policies ------------------------------------------------------------------

local MOST_HEAP = 2 -- times the heap of the policy in use, at most
local FEWEST_CYCLES = 2 -- collections that must end to judge a policy
local SPARE_CYCLES = 1.5 -- safety factor of a forecast number of frames
local MORE = 5 -- times as many frames to play, where it can't tell
local CLOSE = 0.75 -- of the budget: worst frames above it may yet exceed it
local WORTH = 0.9 -- of a figure: to gain less than a tenth is not worth it
-- Worst frames that take less than FAR_SHORTER of another policy's are worth
-- SOME_MORE frames over the budget, unless these are clearly more.
local FAR_SHORTER, SOME_MORE = 0.5, 1.5

-- A number of frames, rounded up to two digits.
local function rounded(count)
  local unit = 10 ^ math.max(0, math.floor(math.log(count) / math.log(10)) - 1)
  return math.ceil(count / unit) * unit
end

local function thousands(count)
  local text = ("%.0f"):format(count)
  repeat
    local grouped, more = text:gsub("^(%d+)(%d%d%d)", "%1,%2")
    text = grouped
  until more == 0
  return text
end

-- Number of frames in which a policy should have FEWEST_CYCLES collections; nil
-- where frames make too little garbage for any.
local function frames_for_cycles(summary)
  local count = summary.frames
  if summary.cycles > 0 then
    return rounded(SPARE_CYCLES * count * FEWEST_CYCLES / summary.cycles)
  end
  local heap = summary.heap_bytes
  local grown = heap and (heap.last - heap.first) / count or 0
  if grown <= 0 then return nil end
  return rounded(SPARE_CYCLES * FEWEST_CYCLES
    * math.max(heap.first / grown, 2 * count))
end

-- The difference between two shares of frames over the budget, less one event,
-- and the half-width of its 95 % interval. Hitches come together, such as those
-- of one collection: as many of them as the design effect are one event. A
-- difference of one event counts as none (the correction for continuity:
-- D. R. Cox, "The continuity correction", Biometrika 57, 1970).
local function difference(more, less, effect_more, effect_less)
  local a, b = more.over, less.over
  local variance = a.value * (1 - a.value) * effect_more / more.frames
    + b.value * (1 - b.value) * effect_less / less.frames
  return a.value - b.value - effect_more / more.frames,
    Z * math.sqrt(variance)
end

--- Whether a policy has clearly more frames over the budget than another.
---@param more table summary
---@param less table summary
---@return boolean
function frames.is_more(more, less)
  local seen, half = difference(more, less, more.over.effect, less.over.effect)
  return seen > half
end

-- Number of frames in which a difference would be clear, if it stayed as large;
-- nil where it would not be clear even if each frame over the budget were an
-- event of its own.
local function frames_for_events(more, less)
  local seen, half = difference(more, less, 1, 1)
  if seen <= half then return nil end
  seen, half = difference(more, less, more.over.effect, less.over.effect)
  -- The half-width shrinks with the square root of the number of frames, one
  -- event with that number.
  local event = more.over.effect / more.frames
  local root = (half + math.sqrt(half * half + 4 * (seen + event) * event))
    / 2 / (seen + event)
  return rounded(SPARE_CYCLES * more.frames * root * root)
end

-- The worst frames: the mean of the slowest thousandth.
local function worst_ms(summary) return summary.low01.ms end

local function unclear(now, reason, play)
  if play then
    reason = reason .. "; play " .. thousands(play)
  end
  return { policy = now.policy, settings = now.settings, unclear = true,
    play = play, reason = "can't tell: " .. reason }
end

local function described(summary)
  return ("%d of %s frames over the budget, the worst thousandth %s ms, p99 "
    .. "%s ms"):format(summary.over.frames, thousands(summary.frames),
    numerals.fixed(worst_ms(summary), 2), numerals.fixed(summary.p99, 2))
end

-- Whether the worst frames of a policy are so much shorter than those of the
-- best one so far that it is better, with hardly more frames over the budget
-- than the policy with the fewest.
local function is_shorter(summary, best, fewest)
  local part = worst_ms(summary) / worst_ms(best)
  local over, least = summary.over.value, fewest.over.value
  return worst_ms(best) > best.budget_ms
    and (part < WORTH and WORTH * over <= least
      or part < FAR_SHORTER and over <= SOME_MORE * least
        and not frames.is_more(summary, fewest))
end

-- The policy with the smallest share of frames over the budget. Of policies
-- within a tenth of that share, the one with the shortest worst frames; if
-- these are far shorter, it may also have more frames over the budget, but not
-- clearly more. 'spare' is taken rather than 'step', unless it is clearly
-- worse.
local function best_of(summaries)
  local fewest = summaries[1]
  for _, summary in ipairs(summaries) do
    if summary.over.value < fewest.over.value then fewest = summary end
  end
  local best = fewest
  for _, summary in ipairs(summaries) do
    if is_shorter(summary, best, fewest) then best = summary end
  end
  -- A step of a fixed size is right for the frames that were played; 'spare'
  -- goes by the time that is left, and so follows longer frames and a larger
  -- heap.
  for _, summary in ipairs(summaries) do
    if best.policy == "step" and summary.policy == "spare"
      and not frames.is_more(summary, best) and WORTH * worst_ms(summary)
        <= math.max(worst_ms(best), best.budget_ms) then
      best = summary
    end
  end
  return best
end

local function decide(summaries, most_frames)
  local now = summaries[1]
  local most = now.heap_bytes and MOST_HEAP * now.heap_bytes.max or math.huge
  local fitting = {}
  for _, summary in ipairs(summaries) do
    if summary.cycles < FEWEST_CYCLES then
      local play = frames_for_cycles(summary)
      if not play then
        return unclear(now, "these frames make no garbage to collect")
      end
      return unclear(now, ("%s collection ended in %s frames of this heap "
        .. "under '%s'"):format(summary.cycles == 0 and "no" or "only one",
        thousands(summary.frames), summary.policy), play)
    elseif not summary.heap_bytes or summary.heap_bytes.max <= most then
      fitting[#fitting + 1] = summary
    end
  end
  local chosen = best_of(fitting)
  if not frames.is_more(now, chosen) then
    local counted = ("%d of %s frames are over the budget as it is, and %d of "
      .. "%s under '%s'"):format(now.over.frames, thousands(now.frames),
      chosen.over.frames, thousands(chosen.frames), chosen.policy)
    local is_close = worst_ms(now) > CLOSE * now.budget_ms
    if now.frames < most_frames and (now.over.frames > 0 or is_close) then
      return unclear(now, now.over.frames > 0 and counted or described(now),
        math.min(most_frames, MORE * now.frames))
    end
    -- Far shorter worst frames are reason enough, even if not clearly fewer
    -- frames are over the budget.
    local is_far_shorter = worst_ms(now) > now.budget_ms
      and worst_ms(chosen) < FAR_SHORTER * worst_ms(now)
    local play = not is_far_shorter and frames_for_events(now, chosen)
    if play then
      local events = now.over.frames / now.over.effect
        + chosen.over.frames / chosen.over.effect
      return unclear(now, ("%s, but in some %.0f stretches only"):format(
        counted, math.max(2, events)), play)
    end
    -- As many frames are over the budget: keep the policy in use, unless its
    -- worst frames are over the budget and those of the other clearly shorter.
    if worst_ms(now) <= now.budget_ms
      or worst_ms(chosen) >= WORTH * worst_ms(now) then
      chosen = now
    end
  end
  local reason = chosen == now
    and ("no policy is clearly better than '%s': %s"):format(now.policy,
      described(now))
    or ("%s; as it is: %s"):format(described(chosen), described(now))
  return { policy = chosen.policy, settings = chosen.settings, reason = reason }
end

--- The policies that are worth playing on: the first one, those with too few
--- collections to judge, and those that are not clearly worse than another.
---@param summaries table[]
---@return table<string, boolean> names
function frames.contenders(summaries)
  local names = {}
  for i, summary in ipairs(summaries) do
    local is_worse = false
    for _, other in ipairs(summaries) do
      is_worse = is_worse or other.cycles >= FEWEST_CYCLES
        and frames.is_more(summary, other)
    end
    names[summary.policy] = i == 1 or summary.cycles < FEWEST_CYCLES
      or not is_worse
  end
  return names
end

--- Which of the policies serves best; the first one is the one in use. They are
--- judged by the frames over the budget, then by the worst frames. A policy
--- whose heap grows too large does not keep up, and is not taken.
---@param summaries table[] each with 'policy' and 'cycles', the collections
---  that ended
---@param most_frames number from so many frames on, a difference that is not
---  clear counts as none
---@return table recommendation policy, settings?, reason; p99 (ms) and over (a
---  share) as { before, after }; 'unclear' where it can't tell, and 'play': how
---  many frames would be enough
function frames.recommend(summaries, most_frames)
  local now, decision = summaries[1], decide(summaries, most_frames)
  local chosen = now
  for _, summary in ipairs(summaries) do
    if summary.policy == decision.policy then chosen = summary end
  end
  decision.p99 = { before = now.p99, after = chosen.p99 }
  decision.over = { before = now.over.value, after = chosen.over.value }
  return decision
end

return frames
