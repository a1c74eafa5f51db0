-- The collector's share of the time of paced batches.
local core = require "tare.core"
local noise = require "tare.noise"

local shares = {}

local FEWEST_ROWS = 8 -- to keep when crowded ones are left out
local COLLECTIONS = 3 -- that a share is of, at least
local FEWEST_SHARES = 5 -- for an interval

-- The paced batches that had their core, and for themselves; all where few had.
local function undisturbed_rows(paced)
  local rows, all = {}, {}
  local crowded = noise.crowded(paced) or {}
  local preempted = noise.preempted(paced) or {}
  for row = 1, #paced.iters do
    all[row] = row
    if not crowded[row] and not preempted[row] then rows[#rows + 1] = row end
  end
  return #rows >= FEWEST_ROWS and rows or all
end

-- The collector's share of the time of some batches, from the i-th to the j-th.
local function share_of_rows(paced, rows, i, j)
  local mutator_ns, collector_ns = 0, 0
  for k = i, j do
    mutator_ns = mutator_ns + paced.mutator_ns[rows[k]]
    collector_ns = collector_ns + paced.collector_ns[rows[k]]
  end
  local total = mutator_ns + collector_ns
  return total > 0 and collector_ns / total or 0
end

-- Shares of batches, or of as many neighbours as have a few collections: those
-- without one are quicker, so that a mean over them would make too little of
-- the others. Also whether that many collections are in each.
local function shares_of(paced, rows, collections)
  local each = collections / #paced.iters
  local wanted = each > 0 and math.ceil(COLLECTIONS / each) or 1
  local joined = math.max(1, math.min(wanted,
    math.floor(#rows / FEWEST_SHARES)))
  local list = {}
  for i = 1, #rows - joined + 1, joined do
    local j = i + 2 * joined > #rows + 1 and #rows or i + joined - 1
    list[#list + 1] = share_of_rows(paced, rows, i, j)
    if j == #rows then break end
  end
  return list, joined >= wanted
end

-- The mean of shares, with an interval.
local function mean(list, settings)
  if #list < 2 then return { value = list[1] or 0 } end
  local boot = core.stats.bootstrap_statistic(list, "mean", {
    resamples = settings.resamples, confidence = settings.confidence,
    seed = settings.seed })
  return { value = boot.value, low = boot.low, high = boot.high }
end

--- The collector's share of the time of paced batches: the mean; all its time
--- over all time where there are too few collections for that.
---@param paced table samples with mutator_ns and collector_ns
---@param collections number that ended in all of them
---@param settings { resamples: integer, confidence: number, seed: integer }
---@return { value: number, low: number?, high: number? } share
function shares.of(paced, collections, settings)
  local rows = undisturbed_rows(paced)
  local list, enough = shares_of(paced, rows, collections)
  local share = mean(list, settings)
  if enough then return share end
  local value = share_of_rows(paced, rows, 1, #rows)
  return { value = value, low = share.low and math.min(share.low, value),
    high = share.high and math.max(share.high, value) }
end

return shares
