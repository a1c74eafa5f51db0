-- Batch sizes. A line through time against size needs sizes that differ; an
-- ascending order would confound size with time, so they are shuffled.
local plan = require "tare.analysis.plan"

local batch_sizes = {}

local MOST_ROWS = 1000
-- With fewer rows than this, two sizes are best. A short launch has fewer rows,
-- down to plan.LEAST_ROWS, rather than batches that are shorter than they
-- should be: in such batches, most of what is timed would be the cost of a
-- change of turn.
local FEWEST_ROWS = 24
-- A batch is never shorter than this share of the length that it should have:
-- there are fewer batches instead.
local SHORTEST_SHARE = 0.25
local SPAN = 4 -- largest size by smallest, where the largest is limited
local TICKS_A_BATCH = 30 -- least length of a batch, in ticks of the clock
-- The largest size is at most WIDEST times the smallest, or if that is more,
-- the size of row MANY_ROWS. A line needs no more, and where the system takes
-- the core away every few milliseconds, hardly any long batch is undisturbed.
local WIDEST, MANY_ROWS = 20, 100

local function sum_cost(sizes, budget)
  local calls = 0
  for _, size in ipairs(sizes) do calls = calls + size end
  return calls * budget.call_ns + #sizes * budget.row_cost_ns, calls
end

-- How many rows there are at least, if calls are quick.
local function fewest_rows(budget)
  local function that_fit(batch_ns)
    return math.floor(budget.budget_ns / (batch_ns + budget.row_cost_ns))
  end
  local most = math.max(1, that_fit(SHORTEST_SHARE * budget.min_batch_ns))
  return math.min(most, math.max(plan.LEAST_ROWS,
    math.min(FEWEST_ROWS, that_fit(budget.min_batch_ns))))
end

-- The size of the smaller rows, if half of 'rows' rows have that size, and the
-- other half 'ratio' times as many calls.
local function size_of_few(ratio, rows, budget)
  local calls = math.min(budget.budget_calls / rows,
    (budget.budget_ns / rows - budget.row_cost_ns) / budget.call_ns)
  local most = (budget.batch_max or math.huge) / ratio
  return math.max(1, math.floor(math.min(2 * calls / (1 + ratio), most)))
end

-- A few rows of two sizes, one twice the other, or of one size if the schedule
-- is fixed. If calls are slow, as many rows as the budget holds.
local function few_rows(kind, budget)
  local ratio, rows = kind == "fixed" and 1 or 2, fewest_rows(budget)
  local sizes, size = {}, size_of_few(ratio, rows, budget)
  if size == 1 then
    local calls = math.floor(math.min(budget.budget_calls,
      budget.budget_ns / (budget.call_ns + budget.row_cost_ns)))
    if calls < 6 then ratio = 1 end
    rows = math.max(1, math.floor(2 * calls / (1 + ratio)))
  end
  for i = 1, rows do sizes[i] = i % 2 == 1 and size or ratio * size end
  return sizes
end

local GROW = {
  geometric = function(base, factor)
    return function(k) return base * factor ^ (k - 1) end
  end,
  linear = function(base, steps)
    return function(k) return base * ((k - 1) % steps + 1) end
  end,
  fixed = function(base)
    return function() return base end
  end,
}

-- At most 'limit' growing sizes, until the budget is spent. Where a size would
-- be above 'most', they begin again with the smallest.
local function grow(size_of, limit, budget, most)
  local sizes, spent_ns, calls, from = {}, 0, 0, 0
  for k = 1, limit do
    local size = math.floor(size_of(k - from) + 0.5)
    if size > most then
      from = k - 1
      size = math.floor(size_of(1) + 0.5)
    end
    spent_ns = spent_ns + size * budget.call_ns + budget.row_cost_ns
    calls = calls + size
    if spent_ns > budget.budget_ns or calls > budget.budget_calls then break end
    sizes[k] = size
  end
  return sizes
end

local function largest(sizes)
  local most = 1
  for i = 1, #sizes do most = math.max(most, sizes[i]) end
  return most
end

-- Where the number of rows has reached its cap 'most', makes batches longer
-- with the rest of the budget.
local function stretch(sizes, budget, most)
  local cost_ns, calls = sum_cost(sizes, budget)
  local factor = math.min(
    (budget.budget_ns - #sizes * budget.row_cost_ns) / (calls * budget.call_ns),
    budget.budget_calls / calls,
    budget.batch_max and budget.batch_max / largest(sizes) or math.huge)
  if #sizes < most or factor <= 1 or cost_ns == 0 then return sizes end
  for i, size in ipairs(sizes) do sizes[i] = math.floor(size * factor) end
  return sizes
end

local function distinct(sizes)
  for i = 2, #sizes do if sizes[i] ~= sizes[1] then return true end end
  return false
end

-- Growing sizes, which begin again with the smallest after the largest. If they
-- grow so fast that fewer than 'fewest' fit, the largest is left out, again and
-- again, until enough fit, or until they would no longer differ.
local function grown(size_of, limit, fewest, budget)
  local sizes = grow(size_of, limit, budget, math.min(
    budget.batch_max or math.huge,
    math.max(WIDEST * size_of(1), size_of(MANY_ROWS))))
  while #sizes < fewest do
    local lower = grow(size_of, limit, budget, largest(sizes) - 1)
    if not distinct(lower) then break end
    sizes = lower
  end
  return sizes
end

-- Calls of the shortest batch: enough for the least length of a batch, unless
-- 'fewest' of them exceed the budget, or the cap on sizes leaves no room for
-- larger batches.
local function shortest(kind, fewest, budget)
  local span = kind == "fixed" and 1 or SPAN
  return math.floor(math.max(1, math.min(
    math.ceil(budget.min_batch_ns / budget.call_ns),
    (budget.batch_max or math.huge) / span,
    budget.budget_ns / budget.call_ns / fewest,
    budget.budget_calls / fewest)))
end

--- Sizes of the batches that a budget holds, not shuffled yet.
---@param kind { kind: string, factor: number?, steps: integer? }
---@param budget table call_ns, budget_ns, budget_calls, min_batch_ns,
---  row_cost_ns (of a batch, besides its calls), batch_max calls?, most_rows?
---@return integer[] sizes at least one
function batch_sizes.of(kind, budget)
  if budget.call_ns <= 0 then return { 1 } end -- the clock stands still
  local fewest = fewest_rows(budget)
  local base = shortest(kind.kind, fewest, budget)
  local most = math.min(MOST_ROWS, budget.most_rows or MOST_ROWS)
  local size_of = GROW[kind.kind](base, kind.factor or kind.steps)
  local sizes = grown(size_of, most, fewest, budget)
  if #sizes < fewest
    or (kind.kind ~= "fixed" and base == 1 and not distinct(sizes)) then
    return few_rows(kind.kind, budget)
  end
  return stretch(sizes, budget, most)
end

--- The least length of a batch, if calls are short enough.
---@param limits table see tare.conductor.story
---@return number ns
function batch_sizes.min_ns(limits)
  return math.min(math.max(limits.min_batch_ns,
    TICKS_A_BATCH * limits.resolution_ns),
    (limits.batch_ns or math.huge) / SPAN)
end

--- The fewest calls of a batch, however small its budget: with fewer, most of
--- what is timed would be the cost of the batch itself.
---@param call_ns number
---@param min_batch_ns number that a batch should take
---@return integer
function batch_sizes.fewest_calls(call_ns, min_batch_ns)
  if call_ns <= 0 then return 1 end
  return math.max(1, math.floor(SHORTEST_SHARE * min_batch_ns / call_ns))
end

--- Shuffles in place (Fisher-Yates).
---@param list any[]
---@param random fun(n: integer): integer uniform in 1..n
function batch_sizes.shuffle(list, random)
  for i = #list, 2, -1 do
    local j = random(i)
    list[i], list[j] = list[j], list[i]
  end
end

--- The sizes twice: for a rehearsal, then for the batches that are kept.
---@param sizes integer[]
---@return integer[]
function batch_sizes.doubled(sizes)
  local both = {}
  for i, size in ipairs(sizes) do
    both[i], both[#sizes + i] = size, size
  end
  return both
end

return batch_sizes
