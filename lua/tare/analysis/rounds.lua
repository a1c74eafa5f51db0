-- Batches of two benches paired by the rounds they had them in.
local lists = require "tare.base.lists"
local noise = require "tare.noise"

local rounds = {}

local FEWEST = 6 -- to go by when disturbed ones are left out

local function by_round(samples)
  local batches = {}
  local preempted = noise.preempted(samples) or {}
  for row = 1, #samples.iters do
    local round = (samples.round or {})[row]
    if round and round == round and samples.wall_ns[row] > 0 then
      batches[round] = { ns = samples.wall_ns[row], calls = samples.iters[row],
        preempted = preempted[row],
        launch = samples.launch and samples.launch[row] or 1 }
    end
  end
  return batches
end

-- When the batches of a launch began, first and last; nil where not recorded.
local function bounds(samples, launch)
  local first, last
  for row, start_ns in ipairs(samples.start_ns or {}) do
    if not samples.launch or samples.launch[row] == launch then
      first = math.min(first or start_ns, start_ns)
      last = math.max(last or start_ns, start_ns)
    end
  end
  return first, last
end

--- Whether two were measured in turn, and not one after the other: their
--- batches, of the first launch that both have, cover the same time.
---@param a table samples
---@param b table samples
---@return boolean
function rounds.in_turn(a, b)
  local launch = a.launch and a.launch[1] or 1
  local a_first, a_last = bounds(a, launch)
  local b_first, b_last = bounds(b, launch)
  if not (a_first and b_first) then return true end
  if #a.iters < 2 or #b.iters < 2 then return true end
  return a_first <= b_last and b_first <= a_last
end

-- The rounds in which neither lost its core, if these are most.
local function undisturbed(list)
  local kept = {}
  for _, round in ipairs(list) do
    if not (round.a.preempted or round.b.preempted) then
      kept[#kept + 1] = round
    end
  end
  return #kept >= math.max(FEWEST, #list / 2) and kept or list
end

--- The rounds that both took part in, in their order.
---@param a table samples
---@param b table samples
---@return { a: table, b: table, ratio: number, launch: integer }[] rounds with
---  { ns, calls } of each; none where they were not measured in turn
function rounds.paired(a, b)
  if not rounds.in_turn(a, b) then return {} end
  local of_a, of_b, list = by_round(a), by_round(b), {}
  for _, round in ipairs(a.round or {}) do
    local in_a, in_b = of_a[round], of_b[round]
    if in_a and in_b then
      list[#list + 1] = { a = in_a, b = in_b, launch = in_a.launch,
        ratio = in_a.ns / in_a.calls / (in_b.ns / in_b.calls) }
    end
  end
  return undisturbed(list)
end

--- The ratios of some rounds.
---@param list table[] of rounds.paired
---@return number[]
function rounds.ratios(list)
  local ratios = {}
  for i, round in ipairs(list) do ratios[i] = round.ratio end
  return ratios
end

--- Rounds launch by launch.
---@param list table[] of rounds.paired
---@return table[][]
function rounds.by_launch(list)
  return lists.grouped(list, function(round) return round.launch end)
end

return rounds
