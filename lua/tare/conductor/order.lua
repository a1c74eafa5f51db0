-- The order of a measurement: which benches are measured in turn, how long a
-- turn is, how long the untimed calls before a batch take, which benches have a
-- batch in a round, and which bench is first in a lap and in a launch. 'play'
-- in tare.conductor.rounds follows this order. Only the sizes of batches are
-- shuffled (tare.conductor.sizes).
local lists = require "tare.base.lists"

local order = {}

--- TURNS. Where benches take turns, a turn is several batches in a row, if
--- calls are short: after a change of turn it takes a while until the caches
--- are as if the bench had the core to itself. The batches of a turn take this
--- long, or less in a launch of few rounds. In one process a turn is one batch.
order.TURN_NS = 8e6

--- How long the untimed calls before a batch take: see UNTIMED CALLS in
--- tare.conductor.rounds. There are none in a host's loop.
order.UNTIMED_NS = 3e5

local FEWEST_TURNS = 4 -- of a bench in a launch

local MANY = 32 -- most implementations that are compared without a baseline

--- Groups of cells that are measured in turn: those that are compared.
---@param cells table[]
---@param settings table resolved options of the run
---@param key_of (fun(options: table): string)? the settings that benches in one
---  group must have in common, as text; given in one process, where a change of
---  settings disturbs the next batch
---@return table[][] groups
function order.groups(cells, settings, key_of)
  return lists.grouped(cells, function(cell)
    if settings.order == "sequential" then return cell end
    if not key_of then return cell.compared end
    return cell.compared .. "\0" .. key_of(cell.options)
  end)
end

-- Whether benches are compared: one is the baseline, or their results are to
-- agree, or they are implementations of the same bench.
local function are_compared(group)
  if lists.first(group, function(cell)
    return cell.baseline or cell.options.agree
  end) then
    return true
  end
  return #group <= MANY and not lists.first(group, function(cell)
    return cell.name ~= group[1].name
  end)
end

--- Splits each group whose benches are not compared into groups of one bench.
--- In each launch these are measured one after the other, so that no bench has
--- to refill caches that another one has used.
---@param groups table[][]
---@return table[][]
function order.split(groups)
  local all = {}
  for _, group in ipairs(groups) do
    lists.append(all, are_compared(group) and { group }
      or lists.blocks(group, #group))
  end
  return all
end

--- The place in the list of the bench whose turn it is. Odd laps go from the
--- first bench to the last, even laps go back, so that no bench is always
--- first. The same holds for launches, whose first bench is forked and warmed
--- up first: on one machine, equal functions that allocate took 0.3 to 2 %
--- longer on LuaJIT in that bench's worker.
---@param turn integer from 1
---@param count integer of benches
---@param number integer of the lap, in which each has a turn, or of the launch,
---  from 1
---@return integer place
function order.place(turn, count, number)
  return number % 2 == 1 and turn or count + 1 - turn
end

--- How many batches in a row a turn has.
---@param batch_ns number what one takes on average
---@param planned integer batches of a launch
---@return integer
function order.batches_a_turn(batch_ns, planned)
  return math.floor(math.max(1, math.min(order.TURN_NS / batch_ns + 0.5,
    planned / FEWEST_TURNS)))
end

--- Whether a bench has a batch in a round. A bench with fewer batches than
--- others has them in rounds that are spread evenly. Every bench with more
--- batches has one in these rounds, too, so benches have rounds in common.
---@param share number of the rounds in which it has a batch, as a share of all
---@param round integer
---@return boolean
function order.takes_part(share, round)
  -- The round's radical inverse (van der Corput 1935) is spread evenly over
  -- [0, 1). Its base is odd, since laps alternate in direction: with an even
  -- one, all rounds of a bench could be in laps of the same direction.
  local inverse, part = 0, 1 / 3
  while round > 0 do
    inverse = inverse + round % 3 * part
    round, part = math.floor(round / 3), part / 3
  end
  return inverse < share
end

return order
