-- Batch times adjusted as if every batch had its fair share of collections.
-- Some batches have three collections and some four, or one in twenty has one;
-- some fall into the pause of an incremental collector and some into its work.
-- That is part of a call's cost and not noise, but a quantile would ignore it
-- and it widens the interval of a mean. So the cost of a collection is
-- estimated from the batches, subtracted from the batches that had one, and
-- added to all batches in proportion to their calls. The number of collections
-- is exact and taken over all rows.
--
-- (Known as control variates: Lavenberg and Welch, 'A perspective on the use of
-- control variables to increase the efficiency of Monte Carlo simulations',
-- Management Science 27, 1981.)
local columns = require "tare.base.sample_columns"
local core = require "tare.core"
local interval = require "tare.base.interval"
local lists = require "tare.base.lists"
local rest = require "tare.base.rest"
local rows = require "tare.analysis.rows"

local levelled = {}

-- Golden-section search (Kiefer 1953): 30 steps narrow the range to a
-- millionth.
local STEPS, GOLDEN = 30, (math.sqrt(5) - 1) / 2
-- Upper bound of the search for the cost of one collection: this quantile of
-- (batch time / collections) over the batches that have any.
local MOST = 0.9
-- Number of blocks of neighbouring batches whose separate estimates give the
-- standard error, and how many of these blocks must have a collection.
local BLOCKS, FEWEST_BLOCKS = 5, 3
local ROWS_A_PREDICTOR = 5
local RATE_BLOCKS = 8 -- of neighbouring rows, whose rates give a rate's error
-- Above this variance inflation factor, growth is no predictor: calls and
-- collections explain it to within a tenth, so it adds nothing to them.
local COLLINEAR_VIF = 100
-- Share of the batches in which an incremental collector rests, at least.
local RESTS = 0.25
-- Standard deviation of the count of events between two moments that are
-- independent of the events, since the count is an integer.
local ROUNDING_SD = math.sqrt(1 / 6)

local function has_some(samples, kind)
  return columns.complete(samples[kind], #samples.iters)
    and columns.sum(samples[kind]) > 0
end

-- The sum of absolute residuals of the best line through the origin, after
-- 'cost' is subtracted for each collection. It is convex in 'cost', since this
-- is a median regression on two columns (Koenker and Bassett 1978).
local function loss(iters, values, counts, cost)
  rest.here()
  local others, sum = {}, 0
  for i = 1, #values do others[i] = values[i] - cost * counts[i] end
  local slope = core.stats.quantile_line(iters, others, 0.5, true)
  for i = 1, #others do sum = sum + math.abs(others[i] - slope * iters[i]) end
  return sum
end

-- The cost of one collection, by median regression on calls and counts.
local function cost_of_one(iters, values, counts)
  local each = {}
  for i, count in ipairs(counts) do
    if count > 0 then each[#each + 1] = values[i] / count end
  end
  if #each == 0 then return 0 end
  local low, high = 0, core.stats.quantile(each, MOST)
  local left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
  local at_left = loss(iters, values, counts, left)
  local at_right = loss(iters, values, counts, right)
  for _ = 1, STEPS do
    if at_left < at_right then
      high, right, at_right = right, left, at_left
      left = high - GOLDEN * (high - low)
      at_left = loss(iters, values, counts, left)
    else
      low, left, at_left = left, right, at_right
      right = low + GOLDEN * (high - low)
      at_right = loss(iters, values, counts, right)
    end
  end
  return (low + high) / 2
end

-- Standard error of the cost of one collection: from blocks of neighbouring
-- batches. If too few blocks have collections, the standard deviation of a
-- single cost is taken to be as large as the cost.
local function error_of_one(iters, values, counts, cost)
  local order, costs = {}, {}
  for i in ipairs(values) do order[i] = i end
  for _, block in ipairs(lists.blocks(order, BLOCKS)) do
    local x, y, k, total = {}, {}, {}, 0
    for j, i in ipairs(block) do
      x[j], y[j], k[j] = iters[i], values[i], counts[i]
      total = total + counts[i]
    end
    if total > 0 then costs[#costs + 1] = cost_of_one(x, y, k) end
  end
  if #costs < FEWEST_BLOCKS then
    return cost / math.sqrt(math.max(1, columns.sum(counts)))
  end
  return core.stats.stddev(costs) / math.sqrt(#costs)
end

-- Collections per call, and the standard error of this rate. A run begins and
-- ends somewhere between two collections. Where others allocate in the same
-- process (a host, functions that are compared), it is also chance whether a
-- collection comes in these calls or in those of others; how the rates of
-- blocks of neighbouring rows differ shows that. A launch has a process to
-- itself.
local function rate_of(samples, kind)
  local calls, counts = columns.sum(samples.iters), samples[kind]
  local error_of_rate = ROUNDING_SD / calls
  if not rows.has_launches(samples) then
    local rates = {}
    for i, block in ipairs(lists.blocks(rows.all(samples), RATE_BLOCKS)) do
      local found, of = 0, 0
      for _, row in ipairs(block) do
        found, of = found + counts[row], of + samples.iters[row]
      end
      rates[i] = found / of
    end
    if #rates > 1 then
      error_of_rate = math.max(error_of_rate,
        core.stats.stddev(rates) / math.sqrt(#rates))
    end
  end
  return columns.sum(counts) / calls, error_of_rate
end

-- For collections that run in one piece, within one batch: minor ones, and
-- major ones of generational mode.
local function level_atomic(made, column, list, whole)
  local error_of_call = 0
  for _, kind in ipairs { "gc_minor", "gc_major" } do
    if columns.complete(made[kind], #made.iters) then
      local iters, values, counts = {}, {}, {}
      for i, row in ipairs(list) do
        iters[i], values[i] = made.iters[row], made[column][row]
        counts[i] = made[kind][row]
      end
      local rate, error_of_rate = rate_of(whole, kind)
      local cost = cost_of_one(iters, values, counts)
      -- The error of a typical batch grows with its distance from the mean
      -- rate.
      local away = rate - core.stats.median(columns.ratio(counts, iters))
      error_of_call = interval.quadrature(error_of_call, cost * error_of_rate,
        away * error_of_one(iters, values, counts, cost))
      local level = lists.copy(made[column])
      for i, row in ipairs(list) do
        level[row] = values[i] - cost * (counts[i] - rate * iters[i])
      end
      made[column], made[kind] = level, nil
    end
  end
  return error_of_call
end

-- The fit of times on predictors. The last of three predictors, growth, is
-- removed if the others explain it: if each collection runs within one batch,
-- growth is a fixed amount per call less a fixed amount per collection, and any
-- cost of growth would fit.
local function separable(values, predictors)
  if #predictors > 2 then
    local fit = core.stats.ols(values, predictors, { intercept = false })
    if not fit or fit.vif[#predictors] > COLLINEAR_VIF then
      table.remove(predictors)
    end
    rest.here()
  end
  return core.stats.huber(values, predictors, { intercept = false })
end

-- About what a whole collection takes: the mean time per call less the time
-- while the collector rests, divided by the collections per call.
local function collection_cost(values, iters, rate)
  local rests = core.stats.quantile_line(iters, values, RESTS, true)
  return math.max(0, columns.sum(values) / columns.sum(iters) - rests) / rate
end

-- For an incremental collector, whose collections are spread over batches. The
-- growth of the heap distinguishes batches in the pause from batches with work
-- of the collector. Growth and the number of collections that ended in a batch
-- explain three quarters of the variance or more in LuaJIT.
local function level_gradual(made, column, list, whole)
  local values, predictors, names = {}, { {} }, {}
  for i, row in ipairs(list) do
    values[i], predictors[1][i] = made[column][row], made.iters[row]
  end
  for _, name in ipairs { "gc_major", "growth_bytes" } do
    if columns.complete(whole[name], #whole.iters) then
      local counts = {}
      for i, row in ipairs(list) do counts[i] = made[name][row] end
      if columns.varies(counts) then
        names[#names + 1], predictors[#predictors + 1] = name, counts
      end
    end
  end
  -- If no collection ended in these rows, the heap grows in proportion to the
  -- calls, and the cost of growth can't be separated from theirs.
  if names[1] ~= "gc_major"
    or #list < ROWS_A_PREDICTOR * #predictors then return 0 end
  rest.here()
  local fit = separable(values, predictors)
  rest.here()
  if not fit then return 0 end
  local level, error_of_call = lists.copy(made[column]), 0
  for k, name in ipairs(names) do
    if k == #predictors then break end
    local rate, error_of_rate = rate_of(whole, name)
    local cost = fit.coefficients[k + 1].value
    if name == "gc_major" then
      error_of_call = math.max(cost,
        collection_cost(values, predictors[1], rate))
        * error_of_rate
    end
    for i, row in ipairs(list) do
      level[row] = level[row]
        - cost * (predictors[k + 1][i] - rate * predictors[1][i])
    end
  end
  made[column] = level
  return error_of_call
end

-- FAIRNESS. Where others allocate in the same process, calls do more or less of
-- the collector's work than their own garbage makes: whoever allocates while a
-- collection is under way pays for it, and the steps of a session are planned
-- around collections. The bytes freed during the calls show how much work they
-- did. In the long run, calls free what they allocate and do not keep. So the
-- part of a call's time beyond its time while the collector rests is multiplied
-- by the bytes allocated and not kept, divided by the bytes freed.
-- CALM: a row freed nothing if its growth differs by at most this share from
-- the growth without a collector. MOST_CALM: the least share of such rows.
local CALM, MOST_CALM = 0.01, 0.25
local MOST_UNFAIR = 2 -- the factor, and its inverse, at most
local UNSURE = 0.25 -- of the correction: freed bytes don't show marking
local CORRECTED = 0.5 -- of the rate's error: what the correction leaves of it

-- By how much the heap has grown from the first rows to the last: bytes that
-- calls keep are never freed.
local function kept_bytes(whole)
  local blocks, heaps = lists.blocks(rows.all(whole), RATE_BLOCKS), {}
  if not columns.complete(whole.heap_bytes, #whole.iters) or #blocks < 2 then
    return 0
  end
  for i, block in ipairs { blocks[1], blocks[#blocks] } do
    heaps[i] = 0
    for _, row in ipairs(block) do
      heaps[i] = heaps[i] + whole.heap_bytes[row] / #block
    end
  end
  return (heaps[2] - heaps[1]) * #blocks / (#blocks - 1)
end

-- The factor, and the time of a call while the collector rests; nil where not
-- known.
local function fairness(samples, column, list, whole)
  if rows.has_launches(whole)
    or not columns.complete(whole.growth_bytes, #whole.iters) then
    return nil
  end
  local grown = columns.ratio(whole.growth_bytes, whole.iters)
  local bytes = core.stats.quantile(grown, 1 - MOST_CALM / 2)
  local calm = 0
  for _, each in ipairs(grown) do
    if math.abs(each - bytes) <= CALM * bytes then calm = calm + 1 end
  end
  local calls = columns.sum(whole.iters)
  local freed = bytes - columns.sum(whole.growth_bytes) / calls
  local unkept = bytes - math.max(0, kept_bytes(whole)) / calls
  if unkept <= 0 or freed <= 0 or calm < MOST_CALM * #grown then return nil end
  local iters, values = {}, {}
  for _, row in ipairs(list) do
    if math.abs(samples.growth_bytes[row] / samples.iters[row] - bytes)
      <= CALM * bytes then
      iters[#iters + 1] = samples.iters[row]
      values[#iters] = samples[column][row]
    end
  end
  if #iters < ROWS_A_PREDICTOR then return nil end
  local rests = core.stats.quantile_line(iters, values, 0.5, true)
  return math.max(1 / MOST_UNFAIR, math.min(MOST_UNFAIR, unkept / freed)), rests
end

-- Corrects a levelled column; returns the standard error of what is left.
local function make_fair(made, column, list, factor, rests, error_of_call)
  local level, calls, beyond = lists.copy(made[column]), 0, 0
  for _, row in ipairs(list) do
    local rest_ns = rests * made.iters[row]
    calls, beyond = calls + made.iters[row], beyond + level[row] - rest_ns
    level[row] = rest_ns + factor * (level[row] - rest_ns)
  end
  made[column] = level
  return interval.quadrature(CORRECTED * factor * error_of_call,
    UNSURE * math.abs(factor - 1) * math.max(0, beyond) / calls)
end

--- Samples with one column levelled. If collections run in one piece, the
--- result has no counts of them: their cost is already in the column.
---@param samples table columns
---@param column string
---@param list integer[] rows to level: the others are not changed
---@param whole table? all samples, if 'samples' is a part of them
---@return table samples the same table if there are no collections
---@return number error_of_call standard error of the collections' cost per call
function levelled.samples(samples, column, list, whole)
  local is_atomic = has_some(samples, "gc_minor")
  if not is_atomic and not has_some(samples, "gc_major") then
    return samples, 0
  end
  whole = whole or samples
  local made = lists.copy(samples)
  local factor, rests = fairness(samples, column, list, whole)
  local error_of_call = (is_atomic and level_atomic or level_gradual)(made,
    column, list, whole)
  if factor then
    error_of_call = make_fair(made, column, list, factor, rests, error_of_call)
  end
  return made, error_of_call
end

return levelled
