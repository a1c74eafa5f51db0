-- The collector's part: splits a call's time into the function's own (net) and
-- the collector's, and computes the cost of a collection and the bytes that
-- stay.
--
-- A few calls pay for a whole collection, in one piece or in steps. So the mean
-- cost per call needs whole collections: consecutive paced rows are cut where
-- collections end in them, and joined into spans from the end of one to the end
-- of another. If a run has too few, the result has the warning 'few_cycles' and
-- how long the run must be.
local columns = require "tare.base.sample_columns"
local core = require "tare.core"
local estimate = require "tare.analysis.estimate"
local fits = require "tare.analysis.fits"
local gc_option = require "tare.base.gc_option"
local headline = require "tare.analysis.headline"
local interval = require "tare.base.interval"
local lists = require "tare.base.lists"
local pass_names = require "tare.base.passes"
local plan = require "tare.analysis.plan"
local rest = require "tare.base.rest"
local rows = require "tare.analysis.rows"

local collector = {}

local PLENTY = pass_names.PLENTY_OF_COLLECTIONS
-- FEWEST: whole collections that paced rows need for any figure. ENOUGH:
-- collections that timed rows need for their time to be trusted, and that a
-- launch needs on average in all of its rows. A launch begins with the pause
-- after a full collection and ends in the midst of another: if it has hardly a
-- collection, it consists of little but that pause.
local FEWEST, ENOUGH = 4, 10
local SPANS = 16 -- number of joined spans that give the interval
-- Collections that a longer run must have, if this one was too short. Only half
-- of the run is paced, and the first and last collection there are incomplete.
local NEEDED = 24
-- VAGUE: a run saw too few collections, whatever their number, if the
-- half-width of the share's interval exceeds this share of the call's time.
-- WANTED: the half-width that a longer run must reach.
local VAGUE, WANTED = 0.15, 0.1
local MOST_LONGER = 10 -- times this run, at most: more would be a guess
local OF_RUN = 0.6 -- share of a run that its timed and paced rows take
-- Share of a call's time below which the collector's part is negligible.
local NEGLIGIBLE = 0.02

-- Error of pacing itself: relative standard deviation of the collector's time
-- compared with an interpreter that times its collector ('make counted').
local PACING_SD = 0.025
-- LuaJIT's steps are as short as what measures them, half a microsecond.
local COMPILED_PACING_SD = 0.06
-- The same for steps inside calls: a function that is slowed down by a hook
-- finds less in the caches, and so does its collector.
local INSIDE_SD = 0.06
local LEAST_NS = 1e-3 -- per call; below it the clock stood still
-- Paced rows show the collector's cost in natural rows only if both have about
-- as many collections per call. OFF_PACE: the largest factor between these two
-- rates; a smaller one is added to the interval. BY_CHANCE: standard errors up
-- to which a factor is chance.
local OFF_PACE, BY_CHANCE = 1.25, 2
-- MIDST: collections per call from which on they run inside calls. NEIGHBOURS:
-- timed rows on either side of a span with steps inside calls, with which the
-- span is compared.
local MIDST, NEIGHBOURS = 0.1, 8
-- Where compiled code lets no steps run inside calls, there are two estimates
-- of the collector's share. The second contradicts the first if it is below
-- this part of it.
local CONTRADICTS = 0.8

local is_number = columns.is_number

local function number(column, row)
  local value = column and column[row]
  return is_number(value) and value or 0
end

local function collections_in(samples, row)
  return number(samples.gc_minor, row) + number(samples.gc_major, row)
end

local function collections_of(samples)
  return columns.sum(samples.gc_minor) + columns.sum(samples.gc_major)
end

local function launches_of(samples)
  local most = 1
  for row = 1, #samples.iters do
    most = math.max(most, rows.launch(samples, row))
  end
  return most
end

------------------------------------------------------------- whole collections

-- Stretches: lists of consecutive rows of one launch. A row of the samples in
-- 'others' that began between two rows separates them.
local function stretches_of(samples, others)
  local list, last, begun = {}, nil, {}
  for _, other in ipairs(others) do
    for row = 1, #other.iters do
      local launch = rows.launch(other, row)
      begun[launch] = begun[launch] or {}
      table.insert(begun[launch], number(other.start_ns, row))
    end
  end
  for _, times in pairs(begun) do
    rest.here()
    table.sort(times)
  end
  local function has_between(launch, from, to)
    local times = begun[launch] or {}
    local low, high = 1, #times + 1
    while low < high do -- the first that began after 'from'
      local middle = math.floor((low + high) / 2)
      if times[middle] > from then high = middle else low = middle + 1 end
    end
    return times[low] ~= nil and times[low] < to
  end
  for _, row in ipairs(rows.all(samples)) do
    local launch = rows.launch(samples, row)
    local start = number(samples.start_ns, row)
    if not last or launch ~= last.launch
      or has_between(launch, last.start, start) then
      list[#list + 1] = { launch = launch }
    end
    table.insert(list[#list], row)
    last = { launch = launch, start = start }
  end
  return list
end

-- The fields of a span that are sums of its rows, by column. A span also has
-- 'timed_ns', the time that its calls take in timed rows (set_timed_ns).
local COLUMNS = { iters = "iters", mutator = "mutator_ns",
  collector = "collector_ns", minor = "minor_ns", minors = "gc_minor",
  majors = "gc_major" }

local function add_to(span, sums)
  span.start = span.start or sums.start
  for name in pairs(COLUMNS) do span[name] = span[name] + sums[name] end
  span.collections = span.minors + span.majors
end

-- The fields of a span for a single row; with a prefix, for the part of the row
-- whose columns begin with that prefix.
local function sums_of(samples, row, prefix)
  local sums = { start = number(samples.start_ns, row) }
  for name, column in pairs(COLUMNS) do
    sums[name] = number(samples[(prefix or "") .. column], row)
  end
  return sums
end

-- Splits a row at the ends of the collections in it: the part before the first
-- end, the part between the first and the last, and the part after the last.
-- Rows with steps inside calls, and rows of older reports, can't be split: the
-- first part is the whole row. (Those with steps inside calls are not to be
-- split: a row's first collection takes longer, since other processes have used
-- the caches before it. A split would leave it out, and natural rows have it.)
local function cut(samples, row)
  local whole = sums_of(samples, row)
  if not is_number((samples.head_iters or {})[row]) then return whole end
  local head, tail = sums_of(samples, row, "head_"),
    sums_of(samples, row, "tail_")
  head.minors = head.minor > 0 and math.min(1, whole.minors) or 0
  head.majors = math.min(1 - head.minors, whole.majors)
  local between = { start = whole.start }
  for name in pairs(COLUMNS) do
    between[name] = whole[name] - head[name] - tail[name]
  end
  return head, between, tail
end

local function new_span(launch, sums)
  local span = { launch = launch, collections = 0, timed_ns = 0 }
  for name in pairs(COLUMNS) do span[name] = 0 end
  if sums then add_to(span, sums) end
  return span
end

-- Spans of whole collections. In each stretch, what is before the first end of
-- a collection and after the last is left out. If rows that can't be split have
-- PLENTY of collections, each row is a span.
local function whole_collections(samples, others)
  local list = {}
  local is_dense = not is_number((samples.head_iters or {})[1])
    and collections_of(samples) >= PLENTY * #samples.iters
  for _, stretch in ipairs(stretches_of(samples, others)) do
    rest.here()
    local open = is_dense and new_span(stretch.launch) or nil
    for _, row in ipairs(stretch) do
      if is_dense or collections_in(samples, row) > 0 then
        local head, between, tail = cut(samples, row)
        if open then
          add_to(open, head)
          list[#list + 1] = open
        end
        if between and between.minors + between.majors > 0 then
          list[#list + 1] = new_span(stretch.launch, between)
        end
        open = new_span(stretch.launch, tail)
      elseif open then
        add_to(open, sums_of(samples, row))
      end
    end
  end
  return list
end

local function total_of(list, name)
  local total = 0
  for _, span in ipairs(list) do total = total + span[name] end
  return total
end

-- Joins neighbouring spans into about 'count' longer ones, or one per launch.
local function joined(list, count, is_launch)
  local all, open = {}, nil
  local each = math.ceil(#list / count)
  for _, span in ipairs(list) do
    if not open or (is_launch and span.launch ~= open.launch)
      or (not is_launch and open.count >= each) then
      open = new_span(span.launch)
      open.count = 0
      all[#all + 1] = open
    end
    open.count = open.count + 1
    for name in pairs(COLUMNS) do open[name] = open[name] + span[name] end
    open.timed_ns = open.timed_ns + span.timed_ns
  end
  return all
end

-- Relative half-width of the interval of a ratio: the collector's time over
-- another sum of the spans ('bottom'). It comes from the residuals of the spans
-- or of the launches, whichever is wider (Cochran, 'Sampling techniques', 6.3),
-- the error of pacing itself (PACING_SD unless given), and off_pace. Nil if the
-- spans are too few, or the clock stood still in all collections.
local function relative_half(run, list, bottom, pacing_sd)
  local upper = (1 + run.settings.confidence) / 2
  local collector_ns = total_of(list, "collector")
  if collector_ns <= 0 then return nil end
  local function half_of(units)
    local count = #units
    if count < 2 then return nil end
    local ratio = collector_ns / total_of(units, bottom)
    local squares = 0
    for _, unit in ipairs(units) do
      squares = squares + (unit.collector - ratio * unit[bottom]) ^ 2
    end
    local sd = math.sqrt(count / (count - 1) * squares) / collector_ns
    return sd * core.stats.t_quantile(upper, count - 1)
  end
  local launches = joined(list, 1, true)
  local half = half_of(joined(list, SPANS))
  if #launches >= 4 then
    half = math.max(half or 0, half_of(launches))
  end
  return half and interval.quadrature(half, run.off_pace,
    (pacing_sd or PACING_SD) * core.stats.normal_quantile(upper))
end

------------------------------------------------------------------------- parts

local function relative(found)
  if not found or not found.low then return nil end
  return (found.high - found.low) / 2 / found.value
end

-- An estimate of nanoseconds that is not negative.
local function of_ns(value, half)
  return { value = value, unit = "ns", low = half and math.max(0, value - half),
    high = half and value + half }
end

-- Sets net, collector and the collector's share from the collector's time.
-- 'own' is the half-width of the share, if it has one of its own: neighbours on
-- the core slow down both parts, so the share may be known where the time is
-- not.
local function set(result, collector_ns, collector_half, net_half, own)
  local time = result.time
  collector_ns = math.max(0, math.min(collector_ns, time.value))
  local share = collector_ns / time.value
  result.net = of_ns(time.value - collector_ns, net_half)
  result.collector = of_ns(collector_ns, collector_half)
  own = own or collector_half and collector_half / time.value
  result.collector_share = { value = share,
    low = own and math.max(0, share - own),
    high = own and math.min(1, share + own) }
end

-- Sets the same figures from the collector's share of the time. 'half':
-- relative half-width of the share.
local function set_by_share(result, share, half)
  local time = result.time
  local whole = relative(time)
  set(result, share * time.value,
    whole and half and share * time.value * interval.quadrature(whole, half),
    whole and half and time.value * interval.quadrature(whole * (1 - share),
      half * share), half and half * share)
end

-- What the distance between two collections follows from (plan.calls_between):
-- the live heap as a full collection left it, since the first calls may have
-- built most of it; else as the first batch found it.
local function heap_of(result)
  local full = (result.passes.census or {}).full_collection
  return { heap_bytes = (full or result).heap_bytes, gc_mode = result.gc_mode,
    gc_pause = result.gc_pause,
    gc_minor_multiplier = result.gc_minor_multiplier }
end

-- Too few collections: sets how long the run must be and removes the intervals.
-- 'calls' and 'ns' are sums over all rows; 'seen' is the number of collections
-- in them. If there were none, the time from one to the next is derived from
-- the heap, assuming that the collector takes as long as the calls. 'half': the
-- half-width of the share's interval, if it is known; it shrinks with the
-- square root of the run's time. 'more': how many times as many calls without a
-- collection would show that the collector's part is negligible.
local function refuse(result, seen, calls, ns, half, more)
  local collection_ns = ns / math.max(seen, 1)
  local needed = math.max(NEEDED, ENOUGH * launches_of(result.samples))
  if seen == 0 then
    local census = result.passes.census
    local each = census and census.bytes / census.iters or 0
    local between = each > 0
      and plan.calls_between(each, heap_of(result)) or 0
    collection_ns = 2 * math.max(ns, between / calls * ns)
    if more then
      collection_ns = math.min(collection_ns, 2 * more * ns / needed)
    end
  end
  -- Few collections say little about the time from one to the next.
  local unsure = 1 + 1 / math.sqrt(math.max(seen, 1))
  local longer = math.min(MOST_LONGER, ((half or 0) / WANTED) ^ 2)
  result.cycles_needed_ns = math.max(needed * collection_ns * unsure,
    ns * math.max(2, longer)) / OF_RUN
  headline.refuse(result)
  table.insert(result.warnings, "few_cycles")
end

local function least(a, b)
  return a > 0 and b and math.min(a, b) or b or a
end

-- Sets the collector's part if even its upper bound is negligible. The bound is
-- the time of a full collection, as often as one may come: once in
-- plan.calls_between calls, or as often as was seen, if that is more often; but
-- no more often than if each launch had one that has not ended besides those
-- seen. In a host's process it is once in plan.calls_between calls: what was
-- seen says nothing there, since others pay for collections that these calls
-- have made due.
--
-- The bytes per call are the least of three figures, each of more calls than
-- the one before, which is left out if it is zero, for few calls may lack what
-- one in many allocates: of the census; of the long census, since most calls
-- reuse existing strings and a short census may count too many allocations; and
-- the growth of the heap in rows without any collection ('grown').
--
-- Else returns false, and how many times as many calls would be enough, if they
-- saw no more collections.
local function is_negligible(result, seen, calls, grown)
  local census, long = result.passes.census, result.passes.long_census
  local full = census and census.full_collection
  if not full or full.heap_bytes <= 0 then return false end
  local each = least(census.bytes / census.iters,
    long and long.bytes / long.iters)
  each = least(each, grown)
  local by_bytes = full.ns / plan.calls_between(each, heap_of(result))
  local most = full.ns * (seen + launches_of(result.samples)) / calls
  if result.in_process and each > 0 then
    most = by_bytes
  elseif grown or each > 0 then
    most = math.min(most, math.max(by_bytes, full.ns * seen / calls))
  end
  if most > NEGLIGIBLE * result.time.value then
    return false, most / (NEGLIGIBLE * result.time.value)
  end
  -- A time without an interval may be many times too long. As many calls again,
  -- less disturbed, would do.
  local time_half = relative(result.time)
  if most > 0 and not time_half then return false, 1 end
  set(result, most / 2, most / 2, time_half
    and interval.quadrature(most, time_half * result.time.value))
  return true
end

-- The function's time per call in paced rows; it contains no collection.
local function mutator_of(paced, settings, best_width)
  local plain = {}
  for name, column in pairs(paced) do
    if name ~= "gc_minor" and name ~= "gc_major" then plain[name] = column end
  end
  return estimate.per_call(plain, "mutator_ns", settings, best_width)
end

-- Paced rows with steps between calls. A step that would run inside a call runs
-- after it, when the call's objects are garbage, and so costs too little.
-- 'late' is the share of calls that this concerns: for these, the collector's
-- part is the time per call minus the function's time.
local function between_calls(run, pacing_sd)
  local result, list, paced = run.result, run.spans, run.between
  local mutator, time = run.mutator, result.time
  local mutator_ns, collector_ns = total_of(list, "mutator"),
    total_of(list, "collector")
  local share = collector_ns / (mutator_ns + collector_ns)
  local half = relative_half(run, list, "iters", pacing_sd)
  -- The error of the share is less than that of the collector's part.
  half = half and half * (1 - share)
  local late = math.min(1, collections_of(paced) / columns.sum(paced.iters))
  if late < 0.01 or not mutator or time.value < LEAST_NS then
    return set_by_share(result, share, half)
  end
  local others = math.max(0, 1 - mutator.value / time.value)
  -- Late steps are too cheap and fresh memory makes the function too dear, so
  -- the true share is no less than that of the paced rows.
  if late >= MIDST and others < CONTRADICTS * share then
    table.insert(result.warnings, "inside_unknown")
    return
  end
  local blend = (1 - late) * share + late * others
  -- The others' share may be anything where the time has no interval.
  local of_others = relative(time) and relative(mutator)
    and interval.quadrature(relative(time), relative(mutator)) or 1
  set_by_share(result, blend, half and (1 - late) * half
    + late * of_others / math.max(blend, 1e-9))
end

-- The mean time of a call in rows (or the mean of another column), and the
-- relative standard error of this mean from how the rows differ.
local function mean_of(samples, list, column)
  local times_ns = samples[column or "time_ns"]
  local calls, ns, squares = 0, 0, 0
  for _, row in ipairs(list) do
    calls, ns = calls + samples.iters[row], ns + times_ns[row]
  end
  for _, row in ipairs(list) do
    squares = squares + (times_ns[row] - ns / calls * samples.iters[row]) ^ 2
  end
  return ns / calls, math.sqrt(#list / math.max(1, #list - 1) * squares) / ns
end

-- Replaces the time by the mean where rows of a few calls have a few
-- collections each. Some of these rows have more collections than others, so a
-- quantile of the rows includes fewer collections per call than there are.
local function take_mean(run)
  local clean, settings = run.clean, lists.copy(run.settings)
  if #clean.list < FEWEST or run.timed_seen >= ENOUGH * #clean.list then
    return
  end
  settings.estimator = "mean"
  local found = estimate.per_call(run.timed, "time_ns", settings,
    run.best_width, clean)
  headline.replace(run.result, found.value, relative(found))
end

-- Sets the time that the calls of each span take in the timed rows before and
-- after it ('timed_ns'), without the time for which they were preempted.
local function set_timed_ns(list, timed)
  local all, launch, at = rows.all(timed), nil, 1
  for _, span in ipairs(list) do
    if span.launch ~= launch then launch, at = span.launch, 1 end
    while all[at] and (rows.launch(timed, all[at]) < launch
      or rows.launch(timed, all[at]) == launch
      and number(timed.start_ns, all[at]) < span.start) do
      at = at + 1
    end
    local ns, calls = 0, 0
    for i = at - NEIGHBOURS, at + NEIGHBOURS - 1 do
      local row = all[i]
      if row and rows.launch(timed, row) == launch then
        local ran = number(timed.preemptions, row) > 0
          and number(timed.waits, row) == 0 and timed.cpu_ns
          and timed.cpu_ns[row] / timed.wall_ns[row] or 1
        ns = ns + timed.time_ns[row] * ran
        calls = calls + timed.iters[row]
      end
    end
    span.timed_ns = calls > 0 and span.iters * ns / calls or 0
  end
end

-- Rows with steps inside calls give the collector's time per call. Its share is
-- taken of the time of a call in the timed rows next to them, since neighbours
-- on the core slow down both. The reported time is that of undisturbed rows:
-- compared with it, the neighbours' part would count as the collector's. How
-- much timed rows differ is added to the interval, since the residuals don't
-- show it: many spans have the same timed rows next to them.
local function inside_calls(run)
  local result, list, timed = run.result, run.spans_inside, run.timed
  take_mean(run)
  rest.here()
  set_timed_ns(list, timed)
  rest.here()
  local half = relative_half(run, list, "timed_ns", INSIDE_SD)
  local _, sd = mean_of(timed, rows.all(timed))
  local count = #timed.iters
  half = half and count > 1 and interval.quadrature(half, sd
    * core.stats.t_quantile((1 + run.settings.confidence) / 2, count - 1))
    or nil
  set_by_share(result, math.min(1, total_of(list, "collector")
    / total_of(list, "timed_ns")), half)
end

-- The way 'arms': the collector's part is the time per call that is saved if
-- the collector is stopped; CPU time, if it is known. Batches with the
-- collector are longer and so preempted more often, which elapsed time would
-- count as the collector's part. A coarse CPU clock may stand still; then
-- elapsed time is used.
local function by_arms(result, stopped, settings, best_width)
  local whole, column = result.cpu_time, "cpu_ns"
  if not whole or whole.value < LEAST_NS
    or not columns.complete(stopped.cpu_ns, #stopped.iters) then
    whole, column = result.time, "time_ns"
  end
  local mutator = estimate.per_call(stopped, column, settings, best_width)
  if not mutator or whole.value < LEAST_NS then return end
  local left = mutator.value / whole.value
  local half = relative(whole) and relative(mutator) -- of the share
    and left * interval.quadrature(relative(whole), relative(mutator))
  local time_ns, of_time = result.time.value, relative(result.time)
  local share = math.max(0, 1 - left)
  set(result, share * time_ns, half and of_time
    and time_ns * interval.quadrature(share * of_time, half),
    half and of_time and time_ns * interval.quadrature(
      (1 - share) * of_time, half), half)
end

-- The number of collections in the rows that the time of a call is from;
-- infinite where collections were not counted.
local function collections_of_time(timed, list)
  if not columns.complete(timed.gc_major, #timed.iters) then
    return math.huge
  end
  local seen = 0
  for _, row in ipairs(list) do seen = seen + collections_in(timed, row) end
  return seen
end

-- Where paced rows can't give the collector's part: sets it to the time per
-- call minus the function's time.
local function by_difference(result, mutator)
  local time_ns, mutator_ns = result.time.value, mutator.value
  local half = relative(mutator) and relative(mutator) * mutator_ns
  local whole = relative(result.time)
  set(result, time_ns - mutator_ns,
    half and whole and interval.quadrature(whole * time_ns, half), half)
end

-- Whether launches saw so few collections that it is a matter of chance how
-- many their timed rows have.
local function are_short(timed, seen)
  return seen < ENOUGH * launches_of(timed)
end

-- What by_pacing and its steps use: the timed and paced rows of a run, their
-- spans, and the collections seen in them.
local function pacing_of(result, view, settings, paced)
  local timed, best_width = view.samples, view.best_width
  local between, inside = columns.parted(paced, "mutator_ns")
  local mutator = mutator_of(between, settings, best_width)
  rest.here()
  local spans = whole_collections(between, { timed, inside })
  local spans_inside = #inside.iters > 0
    and whole_collections(inside, { timed, between }) or {}
  rest.here()
  local clean = rows.clean(timed, best_width)
  rest.here()
  local calls = columns.sum(timed.iters) + columns.sum(paced.iters)
  local seen = collections_of(paced) + collections_of(timed)
  local is_midst = seen / calls >= MIDST
  local timed_seen = collections_of_time(timed, clean.list)
  return { result = result, settings = settings, best_width = best_width,
    timed = timed, between = between, inside = inside, mutator = mutator,
    clean = clean, spans = spans, spans_inside = spans_inside, calls = calls,
    seen = seen,
    ns = columns.sum(timed.time_ns) + columns.sum(paced.wall_ns),
    timed_seen = timed_seen, has_few = timed_seen < ENOUGH
      or timed_seen < math.huge and are_short(timed, seen),
    is_midst = is_midst, is_inside = is_midst
      and total_of(spans_inside, "collections") >= FEWEST }
end

local function refuse_all(run, half, more)
  local clean = run.clean
  -- If there are few collections, the low side of the batches shows only the
  -- part of a cycle in which the collector rests. So the mean is reported, or
  -- that of paced rows, where these have whole ones (take_paced_time).
  if run.seen > 0 and run.has_few and #clean.list > 0
    and not run.result.time_pass then
    headline.replace(run.result, (mean_of(clean.samples, clean.list)))
  end
  refuse(run.result, run.seen, run.calls, run.ns, half, more)
end

-- Removes the collector's figures if its share has no interval or a vague one.
local function refuse_vague(run)
  local result = run.result
  local share = result.collector_share
  if not share then return end
  local half = share.low
    and math.max(share.value - share.low, share.high - share.value)
  if half and half <= VAGUE then return end
  result.net, result.collector, result.collector_share = nil, nil, nil
  refuse_all(run, half)
end

-- How far paced rows clearly have more or fewer collections of a kind than as
-- many natural calls: the logarithm of the factor between them, of the kind
-- where it is the largest. 0 where a factor may be chance, which is judged as
-- if collections were independent of one another (BY_CHANCE). A launch may be
-- shorter than a cycle: where natural rows have few collections of a kind, each
-- launch is taken to have missed one. 0, too, in a host's process, where others
-- pay for some collections; and where collections run inside calls but only
-- steps after calls were timed, which by_pacing judges.
local function off_pace(run)
  local timed, paced = run.timed, run.is_inside and run.inside or run.between
  if run.result.in_process or run.is_midst and not run.is_inside
    or #paced.iters == 0
    or not columns.complete(timed.gc_major, #timed.iters) then
    return 0
  end
  local largest = 0
  local naturals_a_paced = columns.sum(timed.iters) / columns.sum(paced.iters)
  for _, kind in ipairs { "gc_minor", "gc_major" } do
    local naturals, seen = columns.sum(timed[kind]), columns.sum(paced[kind])
    local is_any = naturals + seen > 0
    local missed = naturals < ENOUGH and launches_of(timed) or 0
    local sign = seen * naturals_a_paced < naturals and -1 or 1
    if sign < 0 then seen = seen + missed else naturals = naturals + missed end
    seen, naturals = math.max(1, seen), math.max(1, naturals)
    local off = sign * math.log(seen * naturals_a_paced / naturals)
    if is_any and off > BY_CHANCE * math.sqrt(1 / seen + 1 / naturals) then
      largest = math.max(largest, off)
    end
  end
  return largest
end

-- By how much the heap grew per call in rows that saw no collection, or shrank:
-- while a collection that has not ended sweeps, it frees as much as calls
-- allocate. Nil where it is not known.
local function growth_in(timed, seen)
  if seen > 0 or not columns.complete(timed.growth_bytes, #timed.iters) then
    return nil
  end
  local bytes = 0
  for _, grown in ipairs(timed.growth_bytes) do
    bytes = bytes + math.abs(grown)
  end
  return bytes / columns.sum(timed.iters)
end

-- Paced rows have too few whole collections. Either the collector's part is
-- negligible, or timed rows have enough collections to take the difference, or
-- the part is unknown.
local function without_collections(run)
  local result, timed, mutator = run.result, run.timed, run.mutator
  local is_nothing, more = is_negligible(result, run.seen, run.calls,
    growth_in(timed, run.seen))
  if is_nothing then return end
  if not run.has_few and run.timed_seen < math.huge and mutator
    and relative(result.time) and relative(mutator) then
    return by_difference(result, mutator)
  end
  refuse_all(run, nil, more)
end

-- Replaces the time by that of paced rows, where natural rows have too few
-- collections (has_few); false where paced rows are too few, too. There is no
-- interval where the timed rows can't be trusted, for what disturbed these
-- disturbed the paced rows, too. 'time_pass' is set, because ratios of rounds
-- are ratios of timed rows. The time is the mean and not the low side: the
-- function's own time rises and falls during each collection, as its memory is
-- fresh or used again.
local function take_paced_time(run, pacing_sd)
  local mutator, spans = run.mutator, run.spans
  local clean = rows.clean(run.between, run.best_width)
  if not mutator or mutator.value < LEAST_NS or #clean.list < 2 then
    return false
  end
  local mean, sd = mean_of(clean.samples, clean.list, "mutator_ns")
  local of_mean = sd * core.stats.t_quantile(
    (1 + run.settings.confidence) / 2, #clean.list - 1)
  local factor = (total_of(spans, "mutator") + total_of(spans, "collector"))
    / total_of(spans, "mutator")
  local half = relative_half(run, spans, "iters", pacing_sd)
  run.result.time_pass = "paced"
  headline.replace(run.result, mean * factor, run.clean.trusted and half
    and relative(mutator) and interval.quadrature(relative(mutator), of_mean,
      half * (1 - 1 / factor)))
  return true
end

-- What timed rows alone say of the collector's part. True if they settle it: it
-- is zero; or negligible, and set to its bound; or they saw so few collections
-- that they have more or less of it than calls pay for, and the time is
-- refused. False if they saw enough collections.
--
-- 'nothing': counted calls allocate nothing. Then the part is zero, unless
-- other calls do: rows saw collections, or the heap has grown in them. If that
-- is not negligible, nothing is said of the collector. But it is zero all the
-- same in a host's process, which may have no time for paced batches, and where
-- the time has no collections in it, since the heap is collected before each
-- batch, or batches with collections were to be left out ('are_part' is false).
local function is_settled(result, timed, nothing)
  local calls, ns = columns.sum(timed.iters), columns.sum(timed.time_ns)
  local seen = collections_of_time(timed, rows.all(timed))
  local grown = growth_in(timed, seen)
  local are_part = gc_option.of(result.gc).second and not result.in_process
    and not (result.discarded_by or {}).gc
  if nothing and not (are_part and (seen > 0 and seen < math.huge
    or (grown or 0) > 0)) then
    set_by_share(result, 0, 0)
    return true
  end
  if not are_part or not result.passes.census or calls == 0
    or not are_short(timed, seen) then
    return false
  end
  local is_nothing, more = is_negligible(result, seen, calls, grown)
  if not is_nothing and not nothing then
    refuse(result, seen, calls, ns, nil, more)
  end
  return true
end

-- Whether batches with collections were left out of the time.
local function is_without_collections(result)
  return result.discarded ~= nil and (result.discarded_by.gc or 0) > 0
end

-- Whether counted calls allocate nothing: the few of the census, and the many
-- of the long one.
local function allocates_nothing(passes)
  local census, long = passes.census, passes.long_census
  return census ~= nil and census.bytes == 0 and not (long and long.bytes > 0)
end

-- Sets the parts from paced rows, by how many collections these rows have and
-- whether the collections run inside calls. 'nothing': as in is_settled.
local function by_pacing(result, view, settings, paced, nothing)
  local run = pacing_of(result, view, settings, paced)
  run.off_pace = off_pace(run)
  local is_off_pace = run.off_pace > math.log(OFF_PACE)
  local is_compiled = run.timed.jit_events ~= nil
  if run.seen == 0 and nothing then -- paced rows show no more than others
    is_settled(result, run.timed, nothing)
  elseif is_without_collections(result) then
    if run.mutator then by_difference(result, run.mutator) end
  elseif run.is_inside and run.has_few then
    refuse_all(run)
  elseif run.is_inside and is_off_pace then
    take_mean(run)
    table.insert(result.warnings, "off_pace")
  elseif run.is_inside then
    inside_calls(run)
    refuse_vague(run)
  elseif run.is_midst and not is_compiled then -- steps after calls cost less
    refuse_all(run)
  elseif total_of(run.spans, "collections") < FEWEST then
    without_collections(run)
  elseif is_off_pace then
    table.insert(result.warnings, "off_pace")
    if run.has_few then refuse_all(run) end
  else
    local pacing_sd = is_compiled and COMPILED_PACING_SD or nil
    if run.has_few and not take_paced_time(run, pacing_sd) then
      return refuse_all(run)
    end
    rest.here()
    between_calls(run, pacing_sd)
    refuse_vague(run)
  end
end

------------------------------------------------------------------- collections

local FEWEST_OF_KIND = 3 -- collections, to speak of what one costs

-- The figure of a slope of times against counts; nil where it is no cost.
local function cost_of(slope)
  return slope and slope.value > 0 and { value = slope.value, unit = "ns",
    low = slope.low and math.max(0, slope.low), high = slope.high } or nil
end

-- Time of one collection: the slope of times against counts, through the
-- origin. Each is of a span, and these are of launches.
local function time_of_one(times_ns, counts, launches, settings)
  if columns.sum(counts) < FEWEST_OF_KIND then return nil end
  rest.here()
  local fit = fits.fit({ time_ns = times_ns, iters = counts,
    launch = launches }, { responder = "time", predictors = { "iters" },
    intercept = false }, settings)
  return cost_of(fit and fit.coefficients.iters)
end

local TIMES = { gc_minor = "minor_time", gc_major = "major_time" }

-- The time of one minor and one major collection, and the bytes promoted by
-- minor ones: from paced rows (those with steps inside calls, if there are
-- any), else from the regression on counts.
local function add_collections(result, view, settings)
  local paced = view.passes.paced and view.passes.paced.samples
  if paced and columns.complete(paced.gc_major, #paced.iters)
    and columns.complete(paced.collector_ns, #paced.iters) then
    local between, inside = columns.parted(paced, "mutator_ns")
    local telling = #inside.iters > 0 and inside or between
    local other = telling == inside and between or inside
    local minors, majors, minor_ns, major_ns, launches = {}, {}, {}, {}, {}
    local whole = whole_collections(telling, { view.samples, other })
    for i, span in ipairs(whole) do
      minors[i], majors[i], minor_ns[i] = span.minors, span.majors, span.minor
      major_ns[i] = span.collector - span.minor
      launches[i] = span.launch
    end
    result.minor_time = time_of_one(minor_ns, minors, launches, settings)
    result.major_time = time_of_one(major_ns, majors, launches, settings)
    local nursery = columns.sum(telling.nursery_bytes)
    if nursery > 0 and result.bytes then
      local share = columns.sum(telling.promoted_bytes) / nursery
      result.promoted = { value = math.max(0, share) * result.bytes.value,
        unit = "bytes" }
    end
  end
  for _, fit in ipairs(result.fits or {}) do
    for predictor, name in pairs(TIMES) do
      local is_telling = fit.pass == "counts" and not fit.collinear
      result[name] = result[name]
        or is_telling and cost_of(fit.coefficients[predictor]) or nil
    end
  end
end

------------------------------------------------------------------------- bytes

local DIFFERENT = 0.01 -- relative difference from which on both are reported

-- Allocations of the long census, if they differ from the census; bytes
-- retained per call; and the time of a full collection.
local function add_bytes(result)
  local passes = result.passes
  local census, long, full = passes.census, passes.long_census, passes.full
  for name, unit in pairs { bytes = "bytes", allocs = "allocs" } do
    local exact = result[name]
    local value = long and long[name] / long.iters
    if exact and value and math.abs(value - exact.value)
      > DIFFERENT * math.max(value, exact.value) then
      result["long_" .. name] = { value = value, unit = unit }
    end
  end
  full = full or census and census.full_collection
  local kept = full and full.retained
  if kept and kept.iters and kept.iters > 0 then
    local each = (kept.bytes or 0) / kept.iters
    result.retained = { value = each >= pass_names.LEAST_RETAINED and each or 0,
      unit = "bytes" }
  end
  if full then result.full_time = { value = full.ns, unit = "ns" } end
end

--- Adds to a result net, collector and collector_share; minor_time,
--- major_time, promoted; retained, full_time, long_bytes and long_allocs, each
--- if it is known. May replace 'time' (headline.replace); 'time_pass' is set
--- where it is that of paced rows. With too few whole collections: the warning
--- 'few_cycles', and 'cycles_needed_ns', how long the run must be.
---@param result table with time, cpu_time, bytes, fits, passes as measured
---@param view { samples: table, passes: table, best_width: number? } at the
---  reference clock
---@param settings table
function collector.add(result, view, settings)
  local time, passes = result.time, view.passes
  local paced = passes.paced and passes.paced.samples
    or view.samples.collector_ns and view.samples -- of an older report
  if time and time.value > 0 then
    local nothing = allocates_nothing(passes)
    if lists.has(result.warnings, "collector_stopped") then
      -- the host collects when it likes, and nobody knows for whose garbage
      if nothing then set_by_share(result, 0, 0) end
    elseif paced and columns.complete(paced.collector_ns, #paced.iters) then
      by_pacing(result, view, settings, paced, nothing)
    elseif not is_settled(result, view.samples, nothing) and passes.stopped then
      by_arms(result, passes.stopped.samples, settings, view.best_width)
    end
  end
  rest.here()
  add_collections(result, view, settings)
  add_bytes(result)
end

return collector
