-- Which rows of the samples count. A row is left out for what was read before
-- and after it, never for being slow, so that quick rows are not favoured:
--   preempted  the system gave the core to another process during the batch
--              (rows of few calls stay, with the time that they ran);
--   still      the batch stood still, and few others did: the process or the
--              machine was stopped, or the clock was set;
--   crowded    another hardware thread worked on the same core: the core got
--              less done at once (`width`) than this machine can; or a host
--              had given the core to others for a good part of the time around
--              the batch (`stolen`), in pieces too short for the system to see.
-- The one place where samples are cleaned; every estimate starts here.
local columns = require "tare.base.sample_columns"
local core = require "tare.core"
local lists = require "tare.base.lists"
local rest = require "tare.base.rest"

local rows = {}

local PART = 50 -- rows after which the analysis may rest
-- A neighbour takes 3 to 45 % of the width (docs/cycles.md). One reading is
-- good to 0.3 %, on some machines to 1 %, and neighbours come and go during
-- batches. So a row is free if its own reading and the two next to it are above
-- FREE_WIDTH of the best width, and the median of those within AROUND rows is
-- above FREE_MIDDLE of it. What a function leaves in the caches takes up to 1 %
-- on a free core, too.
local FREE_WIDTH, FREE_MIDDLE, AROUND = 0.95, 0.975, 7
-- A host takes the core for some microseconds, a thousand to ten thousand times
-- a second. The low quarter of the batches has few of these pieces, until they
-- are a fifth of the time: then batches of all kinds are a fifth to a third
-- longer, at the same width. One reading is 0.1 ms long, so many readings
-- around a row are needed.
local MOST_STOLEN, AROUND_STOLEN, FEWEST_READINGS = 0.2, 15, 10
-- A reading that lost more than this met another process, not a host's pieces,
-- so it counts as this much.
local MOST_OF_READING = 0.5
-- Time without the core below this share of a batch is measuring error, or a
-- system's thread of some microseconds. On some machines every fourth batch of
-- 2 ms has one. It moves a batch by less than batches differ.
local LOST = 0.005
--- A batch of fewer calls than this is no mean of many: it may be long because
--- a single call was.
rows.FEW_CALLS = 300
-- The columns that have a batch's time, beside its processor time.
local CLOCKS = { "time_ns", "wall_ns", "cycles" }
-- The processor's time is used if it agrees with the plain clock to AGREES, in
-- the median of at least FEWEST_KEPT rows that kept the core. To read it takes
-- a microsecond, which shows in short rows. There it need only NEARLY agree, if
-- it is off by at most AGREES of the time that preempted rows ran.
local AGREES, NEARLY, FEWEST_KEPT = 0.01, 0.1, 6
-- A row that stood still for STOOD_STILL of its time was stopped, if at most
-- RARELY of the rows did so (of few rows two, but less than half): where a
-- bench waits, more do.
local STOOD_STILL, RARELY = 0.1, 0.1
--- Rows that are enough to trust an interval, to look for noise in them
--- (tare.analysis.noise), and to be left by --discard. Where there are few
--- rows, an interval is trusted if a quarter of them are clean, and three at
--- least.
rows.FEWEST = 10
-- Launches that are enough, where there are several. One is too few, since it
-- does not show how far launches differ. So is less than a share of them: where
-- nearly all were crowded, a few seem free by chance. Requiring a fifth
-- of them with four rows each was too strict (docs/accuracy.md): on a machine
-- that was crowded for three quarters of the time, most times were refused
-- although they were right to 2 %.
local FEWEST_LAUNCHES, SHARE_OF_LAUNCHES = 2, 0.1
-- A launch says little by itself if fewer rows than this count, and less than
-- half of its rows.
local FEWEST_OF_LAUNCH = 4

local is_number = columns.is_number

--- The least width of a core that nobody shares.
---@param best_width number? of the machine
---@return number? width nil where the best is not known
function rows.free_width(best_width)
  return best_width and FREE_WIDTH * best_width
end

-- Whether row a was measured before row b.
local function is_before(launch, start, a, b)
  if launch[a] ~= launch[b] and launch[a] and launch[b] then
    return launch[a] < launch[b]
  elseif start[a] ~= start[b] and start[a] and start[b] then
    return start[a] < start[b]
  end
  return a < b
end

-- Puts a list of rows in the order in which they were measured, launch by
-- launch. Mostly they are in order already, and a look is cheaper than a sort.
local function in_order(samples, list)
  local launch, start = samples.launch or {}, samples.start_ns or {}
  for i = 2, #list do
    if is_before(launch, start, list[i], list[i - 1]) then
      table.sort(list, function(a, b) return is_before(launch, start, a, b) end)
      break
    end
  end
  return list
end

--- All rows in the order in which they were measured.
---@param samples table columns
---@return integer[]
function rows.all(samples)
  local list = {}
  for row = 1, #samples.iters do list[row] = row end
  return in_order(samples, list)
end

--- The launch of a row.
---@param samples table columns
---@param row integer
---@return integer
function rows.launch(samples, row)
  return samples.launch and samples.launch[row] or 1
end

--- The draw of a row: its launch; or the number of its draw, where one process
--- drew compiled code several times.
---@param samples table columns
---@param row integer
---@return integer
function rows.draw(samples, row)
  return samples.draw and samples.draw[row] or rows.launch(samples, row)
end

--- Whether rows are of more than one launch.
---@param samples table columns
---@return boolean
function rows.has_launches(samples)
  return samples.launch ~= nil and columns.varies(samples.launch)
end

-- The rows that were preempted though they could have gone on (rows of a bench
-- that waits for something don't count), and the rows that stood still; nil
-- where this is not known.
---@return table? preempted set of rows
---@return number? share of them
---@return table? is_still set of rows
---@return integer? count of these
local function disturbed_rows(samples)
  local count = #samples.iters
  for _, name in ipairs { "preemptions", "waits", "cpu_ns" } do
    if not columns.complete(samples[name], count) then return nil end
  end
  local preempted, found, still = {}, 0, {}
  for row = 1, count do
    local wall_ns, waits = samples.wall_ns[row], samples.waits[row]
    local lost_ns = wall_ns - samples.cpu_ns[row]
    if samples.preemptions[row] > 0 and waits == 0 then
      if lost_ns > LOST * wall_ns then
        preempted[row], found = true, found + 1
      end
    elseif lost_ns > STOOD_STILL * wall_ns then
      still[#still + 1] = row
    end
  end
  if #still > math.max(2, RARELY * count) or #still * 2 >= count then
    still = {}
  end
  local is_still = {}
  for _, row in ipairs(still) do is_still[row] = true end
  return preempted, found / math.max(1, count), is_still, #still
end

-- Where a batch has few calls, and these differ, batches with dear calls are
-- longer and so are preempted more often: without them, the time would be too
-- low. So such rows stay, without the time that they did not run, if the
-- processor's time is good enough. Paced rows are timed in pieces whose
-- processor time is not known.
---@return table? samples those with the time that their batches ran; nil where
---  the rows have to go
local function as_run(samples, preempted)
  local count, apart, off_ns, ran_ns = #samples.iters, {}, {}, {}
  if samples.mutator_ns
    or columns.sum(samples.iters) >= rows.FEW_CALLS * count then
    return nil
  end
  for row = 1, count do
    local cpu_ns, wall_ns = samples.cpu_ns[row], samples.wall_ns[row]
    if preempted[row] then
      ran_ns[#ran_ns + 1] = cpu_ns
    elseif samples.waits[row] == 0 and wall_ns > 0 then
      apart[#apart + 1] = math.abs(1 - cpu_ns / wall_ns)
      off_ns[#off_ns + 1] = math.abs(wall_ns - cpu_ns)
    end
  end
  if #apart < FEWEST_KEPT then return nil end
  local off = core.stats.median(apart)
  if off > AGREES and (off > NEARLY or core.stats.median(off_ns)
    > AGREES * core.stats.mean(ran_ns)) then
    return nil
  end
  local made = lists.copy(samples)
  for _, name in ipairs(CLOCKS) do
    local column = {}
    for row, value in ipairs(samples[name] or {}) do
      column[row] = preempted[row]
        and value * samples.cpu_ns[row] / samples.wall_ns[row] or value
    end
    made[name] = samples[name] and column
  end
  return made
end

-- The best width of these rows, where that of the machine is unknown: the ninth
-- decile, since single readings may be too high.
local function own_best(samples)
  local known = lists.those(samples.width or {}, is_number)
  return #known > 0 and core.stats.quantile(known, 0.9) or nil
end

-- The share of the time around all[i] that was stolen, by readings of the same
-- launch; nil where there are too few.
local function stolen_around(samples, all, i)
  local stolen, launch = samples.stolen, samples.launch
  local sum, count = 0, 0
  for at = i - AROUND_STOLEN, i + AROUND_STOLEN do
    local row = all[at]
    if row and is_number(stolen[row])
      and (not launch or launch[row] == launch[all[i]]) then
      sum, count = sum + math.min(MOST_OF_READING, stolen[row]), count + 1
    end
  end
  return count >= FEWEST_READINGS and sum / count or nil
end

-- Two sets: 'marked', the rows that were crowded or near to crowded ones; and
-- whether a row was crowded itself, for the rows whose width was read. Nil
-- where no width was read. 'all': the rows in the order of measuring.
local function crowded_rows(samples, all, best_width)
  local own = own_best(samples)
  if not own then return nil end
  local best = best_width or own
  local marked, is_crowded = {}, {}
  local width, launch = samples.width, samples.launch
  for i, row in ipairs(all) do
    if i % PART == 0 then rest.here() end
    local around, is_marked = {}, false
    for distance = -AROUND, AROUND do
      local other = all[i + distance]
      local reading = other and width[other]
      if reading and reading == reading
        and (not launch or launch[other] == launch[row]) then
        around[#around + 1] = reading
        is_marked = is_marked or (distance >= -1 and distance <= 1
          and reading < FREE_WIDTH * best)
      end
    end
    local stolen = samples.stolen and stolen_around(samples, all, i)
    local is_stolen = stolen ~= nil and stolen > MOST_STOLEN
    marked[row] = is_marked or is_stolen or (around[1] ~= nil
      and core.stats.median(around) < FREE_MIDDLE * best)
    if is_number(width[row]) then
      is_crowded[row] = is_stolen or width[row] < FREE_WIDTH * best
    end
  end
  return marked, is_crowded
end

local function unmarked(list, marked)
  local kept = {}
  for _, row in ipairs(list) do
    if not marked[row] then kept[#kept + 1] = row end
  end
  return kept
end

-- The share of true values among those that are known.
local function share_of(is_so)
  local known, found = 0, 0
  for _, yes in pairs(is_so) do
    known, found = known + 1, found + (yes and 1 or 0)
  end
  return known > 0 and found / known or 0
end

-- The share of the time that others had: other processes, during batches that
-- waited for nothing; and the host. The share of batches that were crowded is
-- added to it. Also the same for each draw. Nil where the processor's time is
-- not known.
local function disturbed_shares(samples, is_crowded)
  for _, name in ipairs { "waits", "cpu_ns" } do
    if not columns.complete(samples[name], #samples.iters) then return nil end
  end
  local function sums()
    return { lost_ns = 0, all_ns = 0, stolen = 0, read = 0, is_crowded = {} }
  end
  local whole, draws = sums(), {}
  for row = 1, #samples.iters do
    local draw = rows.draw(samples, row)
    draws[draw] = draws[draw] or sums()
    local wall_ns = samples.wall_ns[row]
    local stolen = samples.stolen and samples.stolen[row]
    for _, of in ipairs { whole, draws[draw] } do
      if samples.waits[row] == 0 then
        of.lost_ns = of.lost_ns + math.max(0, wall_ns - samples.cpu_ns[row])
        of.all_ns = of.all_ns + wall_ns
      end
      if is_number(stolen) then
        of.stolen, of.read = of.stolen + stolen, of.read + 1
      end
      of.is_crowded[row] = is_crowded[row]
    end
  end
  local function share(of)
    return math.min(1, of.lost_ns / math.max(1, of.all_ns)
      + of.stolen / math.max(1, of.read) + share_of(of.is_crowded))
  end
  local by_draw = {}
  for draw, of in pairs(draws) do by_draw[draw] = share(of) end
  return share(whole), by_draw
end

--- Whether a launch says something by itself.
---@param clean integer rows that count
---@param all integer rows
---@return boolean
function rows.is_telling(clean, all)
  return clean >= math.min(FEWEST_OF_LAUNCH, all / 2)
end

-- Numbers of rows by launch, and how many launches these are.
local function counts_of(samples, list)
  local counts, launches = {}, 0
  for _, row in ipairs(list) do
    local launch = rows.launch(samples, row)
    launches = launches + (counts[launch] and 0 or 1)
    counts[launch] = (counts[launch] or 0) + 1
  end
  return counts, launches
end

-- The number of launches that say enough by themselves: they need no
-- replacement.
local function good_launches(samples, all, kept)
  local clean, good = counts_of(samples, kept), 0
  for launch, count in pairs((counts_of(samples, all))) do
    good = good + (rows.is_telling(clean[launch] or 0, count) and 1 or 0)
  end
  return good
end

local function are_enough(samples, list, all)
  local _, launches = counts_of(samples, all)
  local _, clean = counts_of(samples, list)
  return #list >= math.min(rows.FEWEST, math.max(#all / 4, math.min(3, #all)))
    and clean >= math.min(launches,
      math.max(FEWEST_LAUNCHES, SHARE_OF_LAUNCHES * launches))
end

-- The rows with the most width, if too few are free.
local function widest(samples, all)
  local list = {}
  for i, row in ipairs(all) do list[i] = row end
  table.sort(list, function(a, b)
    local of_a, of_b = samples.width[a], samples.width[b]
    of_a, of_b = is_number(of_a) and of_a or 0, is_number(of_b) and of_b or 0
    if of_a ~= of_b then return of_a > of_b end
    return a < b
  end)
  for i = #list, math.max(rows.FEWEST, math.ceil(#all / 4)) + 1, -1 do
    list[i] = nil
  end
  return in_order(samples, list)
end

--- The rows that count.
---@param samples table columns of equal length
---@param best_width number? of the machine; of these rows unless known
---@return { list: integer[], preempted: number?, stood_still: integer?,
---  crowded: number?, disturbed: number, disturbed_draws: table<integer,
---  number>?, launches: integer, trusted: boolean, samples: table } clean
---  'list': the rows in the order of measuring; 'samples': their times, which
---  for preempted batches of few calls are the time that they ran. 'preempted'
---  and 'crowded': shares of all rows, and 'stood_still' their number; nil
---  where not known. 'disturbed': the share of the time that others had;
---  'disturbed_draws': the same for each draw, nil where not known. 'launches':
---  the number of those that need no replacement. 'trusted': false where too
---  few rows had the core for themselves, or only those of one launch of
---  several; then the list has the rows that had most of the core
function rows.clean(samples, best_width)
  local all = rows.all(samples)
  local lost, preempted, is_still, stood_still = disturbed_rows(samples)
  local narrow, is_crowded = crowded_rows(samples, all, best_width)
  local disturbed, by_draw = disturbed_shares(samples, is_crowded or {})
  local list, kept, trusted, timed = all, all, true, nil
  if lost then
    timed = preempted > 0 and as_run(samples, lost)
    if timed then lost = {} end
    for row in pairs(is_still) do lost[row] = true end
    kept = unmarked(all, lost)
    trusted = are_enough(samples, kept, all)
    if trusted then list = kept end
  end
  if narrow then
    kept = unmarked(list, narrow)
    if are_enough(samples, kept, all) then
      list = kept
    else
      list, trusted = widest(samples, list), false
    end
  end
  return { list = list, preempted = preempted, stood_still = stood_still,
    crowded = narrow and share_of(is_crowded),
    launches = good_launches(samples, all, kept),
    disturbed = disturbed or 1 - #list / math.max(1, #samples.iters),
    disturbed_draws = by_draw, trusted = trusted, samples = timed or samples }
end

--- The samples without batches in which a collection ended ("gc") or a trace
--- was made ("jit"), as Keirin does (R. Bowyer's library for Clojure). They
--- stay as they are where too few batches would be left.
---@param samples table columns
---@param kinds string[]?
---@return table samples
---@return integer dropped rows that are left out, or would have been
---@return { gc: integer?, jit: integer? }? causes number of rows for each
---  cause; a row may have both
function rows.discard(samples, kinds)
  local causes = {}
  for _, kind in ipairs(kinds or {}) do causes[kind] = 0 end
  if not next(causes) then return samples, 0 end
  local kept = columns.filter(samples, function(row)
    local is_kept = true
    for kind, count in pairs(causes) do
      if columns.events(samples, row, kind) > 0 then
        causes[kind], is_kept = count + 1, false
      end
    end
    return is_kept
  end)
  local dropped = #samples.iters - #kept.iters
  if dropped == 0 or #kept.iters < rows.FEWEST then
    return samples, dropped, causes
  end
  return kept, dropped, causes
end

--- The samples of some rows alone.
---@param samples table columns
---@param list integer[]
---@return table samples
function rows.only(samples, list)
  local keep = {}
  for _, row in ipairs(list) do keep[row] = true end
  return columns.filter(samples, function(row) return keep[row] end)
end

return rows
