-- The units from which a slope is estimated: the batches of each launch, or
-- spans of neighbouring batches where many batches lack a collection or a tick
-- of the clock. A quantile of batches would ignore what few of them have.
local columns = require "tare.base.sample_columns"
local lists = require "tare.base.lists"
local pass_names = require "tare.base.passes"
local rows = require "tare.analysis.rows"

local spans = {}

-- With so many collections per batch or more, batches are units by themselves.
local PLENTY = pass_names.PLENTY_OF_COLLECTIONS
-- There are SPANS spans, if each then has at least LEAST_COLLECTIONS
-- collections or, with a coarse clock, as many ticks. MOST_STEPS ticks are
-- always enough.
local SPANS, LEAST_COLLECTIONS, MOST_STEPS = 16, 4, 30
local ROUNDING = 1e-6 -- of a whole number of ticks

local KINDS = { "gc_minor", "gc_major" }

-- The least number of collections of a kind in a span; nil where batches can
-- stay as they are. Counted over all rows: the rows that are left may have none
-- by chance.
local function least_collections(counts)
  local total = columns.sum(counts)
  if total < LEAST_COLLECTIONS or total >= PLENTY * #counts then return nil end
  return math.max(LEAST_COLLECTIONS, math.floor(total / SPANS))
end

--- The tick of a clock that is too coarse for these batches: it stood still in
--- some, and the shortest other one is taken for a tick; or all are a whole
--- number of ticks, and of fewer than MOST_STEPS in the mean.
---@param values number[] times of batches
---@return number? tick nil if the clock is no such one, or stood still in all
function spans.tick_of(values)
  local sorted, tick, last = lists.copy(values), math.huge, 0
  table.sort(sorted)
  for _, value in ipairs(sorted) do
    if value > last then
      if sorted[1] <= 0 then return value end
      tick, last = math.min(tick, value - last), value
    end
  end
  return columns.sum(sorted) < MOST_STEPS * tick * #sorted
    and not lists.first(sorted, function(value) -- between two ticks
      return math.abs(value / tick % 1 - 0.5) < 0.5 - ROUNDING
    end) and tick or nil
end

-- The least length of a span where the clock is coarse, else nil.
local function least_value(values, list)
  local some = {}
  for i, row in ipairs(list) do some[i] = values[row] end
  local tick = spans.tick_of(some)
  return tick and math.max(LEAST_COLLECTIONS * tick,
    math.min(MOST_STEPS * tick, columns.sum(some) / SPANS))
end

-- What spans have at least: collections of each kind, and time; nil where
-- batches are units of their own.
local function least_of(samples, times, list)
  local least = { value = least_value(times, list) }
  for _, kind in ipairs(KINDS) do
    if columns.complete(samples[kind], #samples.iters) then
      least[kind] = least_collections(samples[kind])
    end
  end
  return next(least) and least or nil
end

local function unit_of(samples, column, row)
  local unit = { iters = samples.iters[row], value = samples[column][row],
    batches = 1 }
  for _, kind in ipairs(KINDS) do
    unit[kind] = samples[kind] and samples[kind][row] or 0
  end
  return unit
end

local function join(span, unit)
  for name, amount in pairs(unit) do span[name] = (span[name] or 0) + amount end
end

local function has(span, least)
  for name, amount in pairs(least) do
    if (span[name] or 0) < amount then return false end
  end
  return true
end

-- Neighbouring units joined into spans. What is left after the last whole span
-- joins it, or is the only span.
local function joined(units, least)
  local whole, open = {}, nil
  for _, unit in ipairs(units) do
    open = open or {}
    join(open, unit)
    if has(open, least) then
      whole[#whole + 1], open = open, nil
    end
  end
  if open and #whole > 0 then
    join(whole[#whole], open)
  elseif open then
    whole[1] = open
  end
  return whole
end

--- The units of each launch; of one process in which compiled code was drawn
--- several times, of each draw.
---@param samples table columns
---@param column string
---@param list integer[] the rows
---@param times number[] the column as it was measured, if it is levelled
---@return table[] launches units and batches: lists of { iters, value,
---  batches }; is_joined; draw
---@return boolean is_joined whether units are spans
---@return boolean is_coarse whether the clock is (spans.tick_of)
function spans.of_launches(samples, column, list, times)
  local least = least_of(samples, times, list)
  local launches = lists.grouped(list, function(row)
    return rows.draw(samples, row)
  end)
  for i, members in ipairs(launches) do
    local units = {}
    for j, row in ipairs(members) do
      units[j] = unit_of(samples, column, row)
    end
    launches[i] = { batches = units, is_joined = least ~= nil,
      units = least and joined(units, least) or units,
      draw = rows.draw(samples, members[1]) }
  end
  return launches, least ~= nil, least ~= nil and least.value ~= nil
end

--- Whether there are collections, however few, that many batches lack.
---@param samples table columns
---@return boolean
function spans.has_rare_collections(samples)
  local count = #samples.iters
  for _, kind in ipairs(KINDS) do
    if columns.complete(samples[kind], count) then
      local total = columns.sum(samples[kind])
      if total > 0 and total < PLENTY * count then return true end
    end
  end
  return false
end

return spans
