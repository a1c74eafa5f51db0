-- Batches joined into spans that hold whole collections. A collection that most
-- batches lack is part of what a call costs all the same, but a quantile over
-- batches would pass over it; over spans that each hold some, it doesn't. The
-- price: a span has the mean of what disturbed its batches, so those that
-- shared their core are left out before. In the same way batches are joined, in
-- some of which a coarse clock stood still, until it has moved in each span.
local columns = require "tare.base.columns"

local spans = {}

local KINDS = { "gc_minor", "gc_major" }
local PLENTY = 3 -- collections a batch, from which on each batch has its share
local SPANS = 16 -- at least, where there are collections enough for that
local FEWEST = 4 -- collections a span, or steps of the clock
local STEPS = 30 -- of the clock, in a span

-- How many collections of a kind a span holds at least; nil where batches can
-- stay as they are.
local function least_of(counts, rows)
  local total = 0
  for _, row in ipairs(rows) do total = total + counts[row] end
  if total < FEWEST or total >= PLENTY * #rows then return nil end
  return math.max(FEWEST, math.floor(total / SPANS))
end

-- How long a span is at least, where the clock stood still in some batch; the
-- shortest of the others tells its step. Nil where it moved in all, or in none.
local function least_value(values, rows)
  local total, step, is_coarse = 0, math.huge, false
  for _, row in ipairs(rows) do
    local value = values[row]
    total, is_coarse = total + value, is_coarse or value <= 0
    if value > 0 then step = math.min(step, value) end
  end
  if not is_coarse or total <= 0 then return nil end
  return math.max(FEWEST * step, math.min(STEPS * step, total / SPANS))
end

-- What spans are to hold at least: collections of each kind, and time.
local function wanted(samples, column, rows)
  local least = { value = least_value(samples[column], rows) }
  for _, kind in ipairs(KINDS) do
    if columns.complete(samples[kind], #samples.iters) then
      least[kind] = least_of(samples[kind], rows)
    end
  end
  return next(least) and least
end

--- Whether there are collections that many batches lack, be they ever so few.
---@param samples table columns of equal length
---@return boolean
function spans.rare(samples)
  local rows = #samples.iters
  for _, kind in ipairs(KINDS) do
    if columns.complete(samples[kind], rows) then
      local total = columns.sum(samples[kind])
      if total > 0 and total < PLENTY * rows then return true end
    end
  end
  return false
end

--- Each batch as a unit of its own.
---@param samples table columns of equal length
---@param column string
---@param rows integer[] in the order in which they were measured
---@return table[] units { iters, value, wall_ns, launch } each
function spans.batches(samples, column, rows)
  local list = {}
  for i, row in ipairs(rows) do
    list[i] = { iters = samples.iters[row], value = samples[column][row],
      wall_ns = samples.wall_ns[row],
      launch = samples.launch and samples.launch[row] or 1 }
  end
  return list
end

local function holds(span, least)
  for kind, count in pairs(least) do
    if (span[kind] or 0) < count then return false end
  end
  return true
end

local function add(span, unit, samples, row)
  for _, name in ipairs { "iters", "value", "wall_ns" } do
    span[name] = (span[name] or 0) + unit[name]
  end
  span.launch = unit.launch
  for _, kind in ipairs(KINDS) do
    span[kind] = (span[kind] or 0) + (samples[kind] and samples[kind][row] or 0)
  end
end

-- What is left after the last whole span of a launch joins that span, or is the
-- only one that the launch has.
local function close(list, open)
  local last = list[#list]
  if not open.launch then return end
  if not last or last.launch ~= open.launch then
    list[#list + 1] = open
    return
  end
  for _, name in ipairs { "iters", "value", "wall_ns" } do
    last[name] = last[name] + open[name]
  end
end

--- Batches, or spans of them: { iters, value, wall_ns, launch } each. What is
--- left after the last whole span of a launch joins that span.
---@param samples table columns of equal length
---@param column string whose values are summed up
---@param rows integer[] in the order in which they were measured
---@return table[] units
---@return boolean joined whether they are spans, each a mean already: their
---  median is as undisturbed as they can be
function spans.of(samples, column, rows)
  local units = spans.batches(samples, column, rows)
  local least = wanted(samples, column, rows)
  if not least then return units, false end
  local list, open = {}, {}
  for i, unit in ipairs(units) do
    if open.launch and open.launch ~= unit.launch then
      close(list, open)
      open = {}
    end
    add(open, unit, samples, rows[i])
    if holds(open, least) then
      list[#list + 1], open = open, {}
    end
  end
  close(list, open)
  return list, true
end

return spans
