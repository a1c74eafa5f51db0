-- Mutator and collector apart: what of a call's time is its own, and what is
-- the collector's.
local columns = require "tare.base.columns"
local core = require "tare.core"

local split = {}

local function scaled(estimate, share)
  return { value = estimate.value * share.value, unit = estimate.unit,
    low = estimate.low and share.low and estimate.low * share.low,
    high = estimate.high and share.high and estimate.high * share.high }
end

-- Share of the collector in each paced batch.
local function shares_of_paced(paced)
  local shares = {}
  for row = 1, #paced.iters do
    local total = paced.mutator_ns[row] + paced.collector_ns[row]
    shares[row] = total > 0 and paced.collector_ns[row] / total or 0
  end
  return shares
end

-- Time a call of the batches that began between two times.
local function call_ns_between(timed, from_ns, to_ns)
  local ns, calls = 0, 0
  for row, start_ns in ipairs(timed.start_ns) do
    if start_ns > from_ns and start_ns < to_ns then
      ns, calls = ns + timed.wall_ns[row], calls + timed.iters[row]
    end
  end
  return calls > 0 and ns / calls or nil
end

-- The two arms: what each batch with the collector stopped saves against those
-- before and after it in which it ran.
local function shares_of_arms(stopped, timed)
  local shares, start_ns = {}, stopped.start_ns
  for row = 1, #stopped.iters do
    local natural = call_ns_between(timed, start_ns[row - 1] or 0,
      start_ns[row + 1] or math.huge)
    if natural and natural > 0 then
      shares[#shares + 1] = 1 - stopped.wall_ns[row] / stopped.iters[row]
        / natural
    end
  end
  return shares
end

-- A statistic of shares ("mean", "median"), with an interval.
local function summary(shares, statistic, settings)
  if #shares < 2 then return { value = shares[1] or 0 } end
  local boot = core.stats.bootstrap_statistic(shares, statistic, {
    resamples = settings.resamples, confidence = settings.confidence,
    seed = settings.seed })
  return { value = boot.value, low = boot.low, high = boot.high }
end

local function complement(share)
  return { value = 1 - share.value, low = 1 - (share.high or share.value),
    high = 1 - (share.low or share.value) }
end

local function complete(paced)
  return paced and columns.complete(paced.mutator_ns, #paced.iters)
    and columns.complete(paced.collector_ns, #paced.iters)
end

--- Adds net, collector and collector_share to a result: from the paced rounds,
--- from two arms, or from the census, which knows of calls that allocate
--- nothing.
---@param result table
---@param samples table timed samples (paced ones, in mode 'paced')
---@param settings table
function split.add(result, samples, settings)
  if not result.time then return end
  local passes = result.passes or {}
  local paced = passes.paced and passes.paced.samples
    or result.gc == "paced" and samples
  local share
  if complete(paced) then
    share = summary(shares_of_paced(paced), "mean", settings)
  elseif passes.stopped then
    share = summary(shares_of_arms(passes.stopped.samples, samples), "median",
      settings)
  elseif passes.census and passes.census.allocs == 0 then
    share = { value = 0, low = 0, high = 0 }
  else
    return
  end
  result.collector_share = share
  result.collector = scaled(result.time, share)
  result.net = scaled(result.time, complement(share))
end

return split
