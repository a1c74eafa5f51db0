-- The rows of a result's samples as the diagnosis looks at them.
local columns = require "tare.base.columns"
local core = require "tare.core"

local rows = {}

local LOST = 0.002 -- of a batch, from which on its time is not its own
local FEWEST_KEPT = 20 -- rows, when disturbed ones are left out
local LEAST_KEPT = 0.1 -- of them, likewise

-- A row was crowded where the core got this much less done at once than in
-- the best tenth of the rows.
local CROWDED = 0.92

local function median(list) return core.stats.median(list) end

-- Whether row a was measured before row b.
local function is_before(launch, start, a, b)
  if launch[a] ~= launch[b] and launch[a] and launch[b] then
    return launch[a] < launch[b]
  elseif start[a] ~= start[b] and start[a] and start[b] then
    return start[a] < start[b]
  end
  return a < b
end

--- Puts rows in the order in which they were measured, launch by launch: they
--- mostly are already, and a look is cheaper than a sort.
---@param samples table columns
---@param list integer[] rows; changed
---@return integer[] list
function rows.in_order(samples, list)
  local launch, start = samples.launch or {}, samples.start_ns or {}
  for i = 2, #list do
    if is_before(launch, start, list[i], list[i - 1]) then
      table.sort(list, function(a, b) return is_before(launch, start, a, b) end)
      break
    end
  end
  return list
end

-- Rows that have a time, in the order in which they were measured.
local function time_order(samples, column)
  local order = {}
  for i = 1, #samples.iters do
    if column[i] > 0 and samples.iters[i] > 0 then order[#order + 1] = i end
  end
  return rows.in_order(samples, order)
end

-- Cost a call and cost of a batch of no calls, in turns: the one from the
-- larger half of the batches, the other from the smaller. By medians, so that
-- single slow batches have no say.
local function line(iters, column, order)
  local sizes, slope, fixed = {}, 0, 0
  for i, row in ipairs(order) do sizes[i] = iters[row] end
  local middle = median(sizes)
  for _ = 1, 5 do
    local costs, rests = {}, {}
    for _, row in ipairs(order) do
      if iters[row] >= middle then
        costs[#costs + 1] = (column[row] - fixed) / iters[row]
      end
    end
    slope = median(costs)
    for _, row in ipairs(order) do
      if iters[row] <= middle then
        rests[#rests + 1] = column[row] - slope * iters[row]
      end
    end
    fixed = math.max(0, median(rests))
  end
  return slope, fixed
end

--- Each row's time as a multiple of what its number of calls lets expect, in
--- the order of measuring: 1 where all is quiet. Rows without time are left
--- out; a clock too coarse for the batches leaves none.
---@param samples table columns; iters and wall_ns are needed
---@return number[] relative
---@return integer[] order the row of each
function rows.relative(samples)
  local iters, column = samples.iters, samples.wall_ns
  local order, relative = time_order(samples, column), {}
  if #order == 0 then return relative, order end
  local slope, fixed = line(iters, column, order)
  for i, row in ipairs(order) do
    relative[i] = column[row] / (fixed + slope * iters[row])
  end
  return relative, order
end

--- Median of each launch's values, by its number.
---@param relative number[] of rows.relative
---@param order integer[] likewise
---@param launch number[] the column
---@return table<number, number>
function rows.launch_medians(relative, order, launch)
  local medians = {}
  for i, row in ipairs(order) do
    local number = launch[row]
    medians[number] = medians[number] or {}
    table.insert(medians[number], relative[i])
  end
  for number, values in pairs(medians) do medians[number] = median(values) end
  return medians
end

--- Which rows were measured while another hardware thread was busy on the
--- same core (see tare_chain_reading). It is read beside the batches, so to
--- leave such rows out does not favour quick ones.
---@param samples table columns
---@return boolean[]? crowded by row; nil where 'width' was not read
---@return number? share of the rows
function rows.crowded(samples)
  local known = {}
  for _, width in ipairs(samples.width or known) do
    if width == width then known[#known + 1] = width end
  end
  if #known == 0 then return nil end
  local limit = CROWDED * core.stats.quantile(known, 0.9)
  local crowded, count = {}, 0
  for i, width in ipairs(samples.width) do
    crowded[i] = width < limit
    if crowded[i] then count = count + 1 end
  end
  return crowded, count / #known
end

--- Which rows the system took the core away from, though they could have gone
--- on: for another process, not for something that the bench waits for. That
--- time is no part of a call.
---@param samples table columns
---@return boolean[]? preempted by row; nil where that was not counted
---@return number? share of the rows
function rows.preempted(samples)
  local count = #samples.iters
  for _, name in ipairs { "preemptions", "waits", "cpu_ns" } do
    if not columns.complete(samples[name], count) then return nil end
  end
  local preempted, found = {}, 0
  for i = 1, count do
    local lost_ns = samples.wall_ns[i] - samples.cpu_ns[i]
    preempted[i] = samples.preemptions[i] > 0 and samples.waits[i] == 0
      and lost_ns > LOST * samples.wall_ns[i]
    if preempted[i] then found = found + 1 end
  end
  return preempted, found / math.max(1, count)
end

-- Of some rows those that are not marked, if they are enough to go by.
local function unmarked(list, marked)
  local kept = {}
  for _, row in ipairs(list) do
    if not marked[row] then kept[#kept + 1] = row end
  end
  local are_enough = #kept >= math.max(FEWEST_KEPT, LEAST_KEPT * #list)
  return are_enough and kept or list
end

--- The rows in which the thread had its core, and had it for itself, in the
--- order in which they were measured. Neither is told by how long a batch took,
--- so that nothing is flattered.
---@param samples table columns
---@return integer[] list all rows where too few would be left
function rows.undisturbed(samples)
  local list = {}
  for row = 1, #samples.iters do list[row] = row end
  list = unmarked(list, rows.preempted(samples) or {})
  list = unmarked(list, rows.crowded(samples) or {})
  return rows.in_order(samples, list)
end

return rows
