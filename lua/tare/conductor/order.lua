-- The order of a measurement: which benches are measured in turn, how long a
-- turn is, which of them have a batch in a round, and who is first in a lap and
-- in a launch. What follows it is 'play' of tare.conductor.rounds. (Sizes of
-- batches are shuffled: tare.conductor.sizes.)
local lists = require "tare.base.lists"

local order = {}

--- TURNS. Among others the turn of a bench is several batches that follow each
--- other, if calls are short: it takes a while until the caches are as they are
--- where it has the core alone. So much time they take.
order.TURN_NS = 8e6

--- How long the calls before a batch take that are not timed, where no host's
--- loop waits: see UNTIMED CALLS in tare.conductor.rounds.
order.UNTIMED_NS = 3e5

local FEWEST_TURNS = 4 -- of a launch

local MANY = 32 -- most implementations of a bench without a baseline

--- Groups of cells that are measured in turn: those that are compared.
---@param cells table[]
---@param settings table resolved options of the run
---@param key_of (fun(options: table): string)? in one process, where a change
---  of settings disturbs the next batch: of the settings that benches in turn
---  must have in common
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

--- Splits groups of benches that nobody compares into single ones: in each
--- launch one is measured after the other, so that none has to get back what
--- others took from the caches.
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

--- The place in the list of who has the turn: odd times from the first to the
--- last, even times back, so that no bench is always first. The same for
--- launches (which begin with the bench that was forked first): on one machine
--- equal functions of LuaJIT that allocate took 0.3 to 2 % longer in the worker
--- that was forked and warmed up first.
---@param turn integer from 1
---@param count integer of benches
---@param number integer of the lap, in which each has a turn, or of the launch,
---  from 1
---@return integer place
function order.place(turn, count, number)
  return number % 2 == 1 and turn or count + 1 - turn
end

--- How many batches a turn has, of those that follow each other.
---@param batch_ns number what one takes on average
---@param planned integer batches of a launch
---@return integer
function order.batches_a_turn(batch_ns, planned)
  return math.floor(math.max(1, math.min(order.TURN_NS / batch_ns + 0.5,
    planned / FEWEST_TURNS)))
end

--- Whether a bench has a batch in a round. One with fewer batches than others
--- has them in rounds that are spread evenly, in which every bench with more
--- batches has one, too, so that they have rounds in common.
---@param share number of the rounds, in which it has a batch
---@param round integer
---@return boolean
function order.takes_part(share, round)
  -- The round's radical inverse (van der Corput 1935) is spread evenly over
  -- [0, 1); in base 3, so that as many of these rounds are in laps that go
  -- forward as in those that go back, however many batches a turn has: the base
  -- must be odd, for laps alternate.
  local inverse, part = 0, 1 / 3
  while round > 0 do
    inverse = inverse + round % 3 * part
    round, part = math.floor(round / 3), part / 3
  end
  return inverse < share
end

return order
