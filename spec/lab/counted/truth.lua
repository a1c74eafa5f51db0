-- What a call costs by the counts of the interpreter that ran it, from the log
-- of spy.lua. The function's part comes from the batches that the report is
-- from, those that had the core for themselves (tare.analysis.rows). The
-- collector's follows from how many times the function's time it took over
-- whole collections in the natural batches next to paced ones: neighbours slow
-- both down, so all of these count. Not those further away, unless these are
-- few: as a heap ages, its free memory gets scattered, and both parts get
-- dearer from cycle to cycle, the function's more (small tables beside 200,000:
-- from 80 to 400 ns per call in ten cycles).
local columns = require "tare.base.sample_columns"
local core = require "tare.core"
local rows = require "tare.analysis.rows"

local truth = {}

-- The function's part, as what is reported has it: the line below which a
-- quarter of the batches lies; the mean, where the collector works in steps,
-- whose cycles are joined to spans, and where calls have so many collections
-- inside that each differs from the next, but not so many that they are alike.
local QUARTER, INSIDE, ALIKE = 0.25, 0.1, 4
local FEWEST = 8 -- collections next to paced batches, to rely on these alone

local FIELDS = { "iters", "cpu_ns", "cycle_ns", "width", "preemptions",
  "counted_ns", "steps", "minors", "majors", "head_iters",
  "head_mutator_ns", "head_counted_ns", "tail_iters", "tail_mutator_ns",
  "tail_counted_ns" }

--- The log as columns: 'op', 'launch', and those of spy.lua, with 'mutator' and
--- 'counted', and those of its 'head' and 'tail', in cycles; and the pauses, as
--- numbers of them by their nanoseconds.
---@param path string
---@return table samples
---@return table[] pauses natural and paced
function truth.read(path)
  local samples, pauses = { op = {}, launch = {}, ended = {}, mutator = {},
    counted = {} }, { {}, {} }
  for _, name in ipairs(FIELDS) do samples[name] = {} end
  local launches, count = {}, 0
  for line in io.lines(path) do
    local process, op, rest = line:match "^(%S+) (%S+) (.*)"
    if op == "pauses" then
      local kind, list = rest:match "^(%d) (.*)"
      for place, number in list:gmatch "(%S+) (%S+)" do
        local of_kind, at = pauses[tonumber(kind)], tonumber(place)
        of_kind[at] = (of_kind[at] or 0) + tonumber(number)
      end
    else
      if not launches[process] then
        count = count + 1
        launches[process] = count
      end
      local row, i = #samples.op + 1, 0
      samples.op[row], samples.launch[row] = op, launches[process]
      for word in rest:gmatch "%S+" do
        i = i + 1
        samples[FIELDS[i]][row] = tonumber(word)
      end
      samples.ended[row] = samples.minors[row] + samples.majors[row]
      samples.counted[row] = samples.counted_ns[row] / samples.cycle_ns[row]
      samples.mutator[row] = samples.cpu_ns[row] / samples.cycle_ns[row]
        - samples.counted[row]
      for _, name in ipairs { "head_mutator", "head_counted", "tail_mutator",
        "tail_counted" } do
        samples[name] = samples[name] or {}
        samples[name][row] = samples[name .. "_ns"][row]
          / samples.cycle_ns[row]
      end
    end
  end
  return samples, pauses
end

local NAMES = { "iters", "mutator", "counted", "ended" }

local function new_sums()
  local sums = {}
  for _, name in ipairs(NAMES) do sums[name] = 0 end
  return sums
end

local function add(to, sums)
  for _, name in ipairs(NAMES) do to[name] = to[name] + sums[name] end
end

-- A row, and the parts of it at whole collections: what comes before the end of
-- the first, between that and the end of the last, and after it.
local function sums_of(samples, row)
  local sums = {}
  for _, name in ipairs(NAMES) do sums[name] = samples[name][row] end
  return sums
end
local function cut(samples, row)
  local all, between = sums_of(samples, row), {}
  local function part(name, ended)
    return { iters = samples[name .. "_iters"][row],
      mutator = samples[name .. "_mutator"][row],
      counted = samples[name .. "_counted"][row], ended = ended }
  end
  local head, tail = part("head", 1), part("tail", 0)
  for _, name in ipairs(NAMES) do
    between[name] = all[name] - head[name] - tail[name]
  end
  return head, between, tail
end

-- Sums over rows of the operations 'ops', from the end of a collection to that
-- of another in each launch; and the list of those pieces. Where 'by_stretch',
-- a piece does not go on beyond rows of other operations, which may have begun
-- or ended a collection.
local function whole_sums(samples, ops, by_stretch)
  local total, list, open, launch = new_sums(), {}, nil, nil
  local function close(piece)
    add(total, piece)
    list[#list + 1] = piece
  end
  for row = 1, #samples.op do
    if ops[samples.op[row]] then
      if launch ~= samples.launch[row] then
        launch, open = samples.launch[row], nil
      end
      if samples.ended[row] > 0 then
        local head, between, tail = cut(samples, row)
        if open then
          add(open, head)
          close(open)
        end
        if between.ended > 0 then close(between) end
        open = tail
      elseif open then
        add(open, sums_of(samples, row))
      end
    elseif by_stretch then
      open = nil
    end
  end
  return total, list
end

-- Relative standard error of the collector's share, from how GROUPS of
-- neighbouring pieces differ (a ratio of sums: Cochran, 'Sampling techniques').
local GROUPS = 16
local function error_of(list, total)
  local groups, each = {}, math.ceil(#list / GROUPS)
  for i, piece in ipairs(list) do
    local at = math.floor((i - 1) / each) + 1
    groups[at] = groups[at] or new_sums()
    add(groups[at], piece)
  end
  local whole = total.counted + total.mutator
  local share, squares = total.counted / whole, 0
  for _, group in ipairs(groups) do
    squares = squares
      + (group.counted - share * (group.counted + group.mutator)) ^ 2
  end
  local count = #groups
  if count < 2 then return 0 / 0 end
  return math.sqrt(count / (count - 1) * squares) / total.counted
end

-- The function's mean time per call in the batches next to paced ones. They are
-- as long as those: a batch of a millisecond finds the caches as other
-- processes left them, and takes up to twice as long per call beside 200,000
-- tables on a crowded core.
local function long_mean(samples)
  local cycles, calls = 0, 0
  for row, op in ipairs(samples.op) do
    if op == "true" then
      cycles = cycles + samples.mutator[row]
      calls = calls + samples.iters[row]
    end
  end
  return cycles / calls
end

-- Collections per call, of rows that are of one operation.
local function rate_of(samples, op)
  local ended, iters = 0, 0
  for row, its in ipairs(samples.op) do
    if its == op then
      ended, iters = ended + samples.ended[row], iters + samples.iters[row]
    end
  end
  return ended / iters
end

--- What a call costs, in cycles of the core.
---@param samples table of read()
---@param best_width number? of the machine
---@param is_incremental boolean
---@param is_paced boolean? whether the time that is reported is that of paced
---  batches
---@return table { net, collector, share, error = relative standard error of the
---  share, by how the collections differ, own_share = the share in the batches
---  of the report alone, without those of spy.lua, rate = collections per call,
---  seen = collections, pace = collections per call in paced over natural
---  batches } NaN where no whole collection was counted
function truth.of(samples, best_width, is_incremental, is_paced)
  local timed = columns.filter(samples, function(row)
    return samples.op[row] == "time"
  end)
  local clean = rows.clean({ iters = timed.iters, launch = timed.launch,
    width = timed.width }, best_width)
  local calls, cycles, ended = {}, {}, 0
  for i, row in ipairs(clean.list) do
    calls[i], cycles[i] = timed.iters[row], timed.mutator[row]
    ended = ended + timed.ended[row]
  end
  local natural, list = whole_sums(samples, { ["true"] = true }, true)
  if natural.ended < FEWEST then
    natural, list = whole_sums(samples, { time = true, untimed = true,
      ["true"] = true })
  end
  local paced = whole_sums(samples, { paced = true }, true)
  local all = columns.sum(calls)
  local is_mean = is_incremental
    or ended >= INSIDE * all and ended < ALIKE * all
  local net = is_paced and long_mean(samples) or not is_mean
    and core.stats.quantile_line(calls, cycles, QUARTER, true)
    or columns.sum(cycles) / all
  local collector = net * natural.counted / natural.mutator
  local own = whole_sums(samples, { time = true, untimed = true }, true)
  local rate = natural.ended / natural.iters
  local pace = paced.ended / paced.iters / rate
  -- Where the steps come inside calls, a collection's place in a row isn't
  -- known, but a row has many.
  local inside = rate_of(samples, "inside")
  if inside == inside then pace = inside / rate_of(samples, "true") end
  return { net = net, collector = collector,
    share = collector / (net + collector), error = error_of(list, natural),
    own_share = own.counted / (own.counted + own.mutator),
    rate = rate, seen = natural.ended, pace = pace }
end

--- A quantile of pauses, in nanoseconds.
---@param pauses table of read()
---@param share number
---@return number
function truth.pause(pauses, share)
  local lengths, number = {}, 0
  for at, count in pairs(pauses) do
    lengths[#lengths + 1] = at
    number = number + count
  end
  table.sort(lengths)
  local below = 0
  for _, at in ipairs(lengths) do
    below = below + pauses[at]
    if below >= share * number then return at end
  end
  return 0 / 0
end

return truth
