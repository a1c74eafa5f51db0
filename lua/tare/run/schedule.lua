-- Batch sizes. A line through time against size needs sizes that differ; an
-- ascending order would confound size with time, so plans are shuffled.
local schedule = {}

local MOST_ROWS = 1000
local FEWEST_ROWS = 24 -- below, rows of two sizes serve best
local SPAN = 4 -- of sizes, where the largest is limited
local DISCARDED = 10 -- draws: small seeds begin alike
local ROW_COST_NS = 1e4 -- what a row costs beside its calls

local function sum_cost(sizes, call_ns)
  local calls = 0
  for _, size in ipairs(sizes) do calls = calls + size end
  return calls * call_ns + #sizes * ROW_COST_NS, calls
end

-- The most calls of a row where there are only as many rows as have to be, half
-- of them of so many calls and the others of a 'ratio' of that.
local function size_of_few(ratio, budget)
  local calls = math.min(budget.budget_calls / FEWEST_ROWS,
    (budget.budget_ns / FEWEST_ROWS - ROW_COST_NS) / budget.call_ns)
  local most = (budget.batch_max or math.huge) / ratio
  return math.max(1, math.floor(math.min(2 * calls / (1 + ratio), most)))
end

-- A few rows of two sizes, of which one is twice the other, or of one size
-- where it is fixed; of slow calls as many rows as the budget holds.
local function few_rows(kind, budget)
  local ratio, rows, sizes = kind == "fixed" and 1 or 2, FEWEST_ROWS, {}
  local size = size_of_few(ratio, budget)
  if size == 1 then
    local calls = math.floor(math.min(budget.budget_calls,
      budget.budget_ns / (budget.call_ns + ROW_COST_NS)))
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

-- At most 'limit' sizes, which grow until the budget is spent; where one would
-- be above 'most', they begin again.
local function grow(size_of, limit, budget, most)
  local sizes, spent_ns, calls, from = {}, 0, 0, 0
  for k = 1, limit do
    local size = math.floor(size_of(k - from) + 0.5)
    if size > most then
      from = k - 1
      size = math.floor(size_of(1) + 0.5)
    end
    spent_ns = spent_ns + size * budget.call_ns + ROW_COST_NS
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

-- The plan's rows are capped; what is left of the budget makes batches longer.
local function stretch(sizes, budget, most)
  local cost_ns, calls = sum_cost(sizes, budget.call_ns)
  local factor = math.min(
    (budget.budget_ns - #sizes * ROW_COST_NS) / (calls * budget.call_ns),
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

-- Sizes that grow; where they grow so fast that too few fit, they begin again
-- before the largest, as long as they differ.
local function grown(size_of, limit, budget)
  local sizes = grow(size_of, limit, budget, budget.batch_max or math.huge)
  while #sizes < FEWEST_ROWS do
    local lower = grow(size_of, limit, budget, largest(sizes) - 1)
    if not distinct(lower) then break end
    sizes = lower
  end
  return sizes
end

-- Calls of the shortest batch: enough for the clock, if as many rows as have to
-- be fit the budget, and if larger batches may be.
local function shortest(kind, budget)
  local span = kind == "fixed" and 1 or SPAN
  return math.floor(math.max(1, math.min(
    math.ceil(budget.min_batch_ns / budget.call_ns),
    (budget.batch_max or math.huge) / span,
    budget.budget_ns / budget.call_ns / FEWEST_ROWS,
    budget.budget_calls / FEWEST_ROWS)))
end

--- Sizes of the batches that a budget holds, not shuffled yet.
---@param kind { kind: string, factor: number?, steps: integer? }
---@param budget table call_ns, budget_ns, budget_calls, min_batch_ns,
---  batch_max calls?, most_rows?
---@return integer[] sizes at least one
function schedule.plan(kind, budget)
  if budget.call_ns <= 0 then return { 1 } end -- the clock stands still
  local base = shortest(kind.kind, budget)
  local most = math.min(MOST_ROWS, budget.most_rows or MOST_ROWS)
  local size_of = GROW[kind.kind](base, kind.factor or kind.steps)
  local sizes = grown(size_of, most, budget)
  if #sizes < FEWEST_ROWS
    or (kind.kind ~= "fixed" and base == 1 and not distinct(sizes)) then
    return few_rows(kind.kind, budget)
  end
  return stretch(sizes, budget, most)
end

--- Shuffles in place (Fisher-Yates).
---@param list any[]
---@param random fun(n: integer): integer uniform in 1..n
function schedule.shuffle(list, random)
  for i = #list, 2, -1 do
    local j = random(i)
    list[i], list[j] = list[j], list[i]
  end
end

--- A generator of its own (Park and Miller 1988, "minimal standard"), so that
--- the host's math.random is left alone; the same everywhere.
---@param seed integer
---@return fun(n: integer): integer uniform in 1..n
function schedule.generator(seed)
  local state = seed % 2147483646 + 1
  local function draw(n)
    state = state * 16807 % 2147483647
    return math.floor((state - 1) / 2147483646 * n) + 1
  end
  for _ = 1, DISCARDED do draw(1) end
  return draw
end

--- The sizes twice: for a rehearsal, and for what is kept.
---@param sizes integer[]
---@return integer[]
function schedule.doubled(sizes)
  local both = {}
  for i, size in ipairs(sizes) do
    both[i], both[#sizes + i] = size, size
  end
  return both
end

return schedule
