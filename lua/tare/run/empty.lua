-- The empty loop: what a call costs before it does anything.
local lists = require "tare.base.lists"
local Trial = require "tare.run.trial"
local unpack = require("tare.base.compat").unpack

local empty = {}

-- Of the smallest quota of those that it serves; more of a small one, up to
-- what a loop takes to show its cost.
local QUOTA_SHARE, MOST_SHARE, ENOUGH_NS = 0.05, 0.2, 5e6

local function nothing() end

-- It makes no garbage: full collections before its batches, which take far
-- longer than these, are of no use.
local IDLE = { collect = "natural", stopped = "natural" }

local function cell_of(kind, arguments, options)
  return { id = "(empty loop)", name = "(empty loop)", params = {}, values = {},
    settings = { loop = kind, split = false, jit = options.jit,
      unroll = options.unroll, gc = IDLE[options.gc] or options.gc },
    spec = { run = nothing, options = {},
      args = function() return unpack(arguments, 1, arguments.n) end } }
end

local function share_of(unit, amount)
  local share = amount * QUOTA_SHARE
  if unit == "ns" then
    share = math.max(share, math.min(amount * MOST_SHARE, ENOUGH_NS))
  end
  return math.max(1, share)
end

-- A share of the smallest of quotas.
local function quota_of(trials)
  local quota = {}
  for _, trial in ipairs(trials) do
    for unit, amount in pairs(trial.options.quota) do
      quota[unit] = math.min(quota[unit] or math.huge, share_of(unit, amount))
    end
  end
  return quota
end

local function trial_for(trials, own, context)
  local first, settings = trials[1], {}
  local fixture = first.fixture
  for name, value in pairs(own) do settings[name] = value end
  settings.quota, settings.precision = quota_of(trials), nil
  return Trial.new(cell_of(fixture.kind, fixture.arguments, first.options),
    settings, context)
end

-- What an empty loop will take comes out of the quotas of those it serves.
local function charge(trials, empty_trial)
  local ns = empty_trial.options.quota.ns
  for _, trial in ipairs(ns and trials or {}) do
    trial.policy:spend(ns / #trials)
  end
end

-- What trials have in common that share an empty loop; nil for those without.
local function key_of(trial)
  local fixture = trial.fixture
  if trial.stage ~= "planned" then return nil end
  if fixture.kind == "batch" or fixture.per_call then return nil end
  return table.concat({ fixture.kind, fixture.arguments.n,
    fixture.unroll, tostring(trial.options.jit) }, " ")
end

--- Empty loops for trials that are ready; trial.empty is set to theirs. One
--- serves all that are alike.
---@param trials table[]
---@param settings table resolved options
---@param context table of Runner.context()
---@return table[] empties trials, not begun yet
function empty.loops(trials, settings, context)
  if context.is_manual then return {} end
  local made = {}
  for i, served in ipairs(lists.grouped(trials, key_of)) do
    made[i] = trial_for(served, settings, context)
    for _, trial in ipairs(served) do trial.empty = made[i] end
    charge(served, made[i])
  end
  return made
end

return empty
