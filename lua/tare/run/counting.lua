-- Batches so short that few collections fall into each, none in some: only
-- there do the counts of calls and of collections tell their costs apart (the
-- regression of Core_bench: Hardin and James 2013). For the generational
-- collector, whose collections are done at once; an incremental one spreads
-- them over the calls.
local core = require "tare.core"
local schedule = require "tare.run.schedule"
local timing = require "tare.run.timing"

local counting = {}

local SHARE, MOST_NS = 0.1, 2e8 -- of the quota, and no more
local SEARCH_SHARE = 0.3 -- of that, to see how far collections lie apart
local SEARCH_NS = 5e5 -- of one batch of the search
local ENOUGH = 12 -- collections seen, to know how far
local ROWS, FEWEST_ROWS = 160, 40
local LONGEST = 1.25 -- batch, of the calls between two collections
local ROW_COST_NS = 2e4 -- what a batch costs beside its calls

local function budget_of(trial)
  return math.min(SHARE * (trial.options.quota.ns or 0), MOST_NS)
end

-- Only what allocates, under its own collector, where a batch may be long and
-- calls are short.
local function is_wanted(trial)
  local options, census = trial.options, trial.passes.census
  return options.split and (options.gc == "natural" or options.gc == "paced"
      or options.gc == "arms")
    and not trial.context.batch_ns and trial.policy.call_ns > 0
    and FEWEST_ROWS * trial.policy.call_ns < budget_of(trial)
    and census ~= nil and census.allocs > 0
    and trial.context.collector:mode(options) == "generational"
end

-- Times a batch; what it took with all beside it, or nil after an error.
local function batch(trial, samples, iters)
  local ok, spent_ns = timing.charged(trial, iters, function(n)
    return trial.fixture:time(trial.meter, samples, n)
  end)
  trial.policy:spend(spent_ns)
  return ok and spent_ns
end

-- Calls from one collection to the next, and time of a call; nil if too few
-- were seen, or an error.
local function distance(trial, budget_ns)
  local samples, spent_ns, calls, seen = core.samples(2), 0, 0, 0
  local iters = math.max(1, math.floor(SEARCH_NS
    / math.max(trial.policy.call_ns, 1)))
  iters = math.min(iters, trial.policy:batch_max())
  while seen < ENOUGH and spent_ns < budget_ns do
    local took_ns = batch(trial, samples, iters)
    if not took_ns then return nil end
    spent_ns, calls = spent_ns + took_ns, calls + iters
    seen = seen + samples:get(-1, "gc_minor") + samples:get(-1, "gc_major")
  end
  if seen < 2 then return nil end
  return calls / seen, spent_ns / calls
end

--- Sizes from one call to a little more than those between two collections,
--- shuffled: about as many batches with a collection as without.
---@param calls number between two collections
---@param call_ns number
---@param budget_ns number
---@param random fun(n: integer): integer
---@return integer[]? sizes nil where the budget is too small
function counting.sizes(calls, call_ns, budget_ns, random)
  local largest = math.max(LONGEST * calls, 2)
  local rows = math.min(ROWS,
    math.floor(budget_ns / (largest / 2 * call_ns + ROW_COST_NS)))
  if rows < FEWEST_ROWS then return nil end
  local sizes = {}
  for i = 1, rows do
    sizes[i] = math.max(1, math.floor(largest * i / rows + 0.5))
  end
  schedule.shuffle(sizes, random)
  return sizes
end

--- The pass 'counts' of a trial: batches one after the other, so that what is
--- collected in them is its own.
---@param trial table
function counting.run(trial)
  if not is_wanted(trial) then return end
  local budget_ns = budget_of(trial)
  local calls, call_ns = distance(trial, SEARCH_SHARE * budget_ns)
  local left_ns = (1 - SEARCH_SHARE) * budget_ns
  local sizes = calls and counting.sizes(
    math.min(calls, trial.policy:batch_max()), call_ns, left_ns,
    schedule.generator(trial.options.seed))
  if not sizes then return end
  local samples = core.samples(#sizes)
  for _, iters in ipairs(sizes) do
    local spent_ns = left_ns > 0 and batch(trial, samples, iters)
    if not spent_ns then break end
    left_ns = left_ns - spent_ns
  end
  if trial.error or #samples < FEWEST_ROWS then return end
  trial.passes.counts = { samples = samples:columns() }
end

return counting
