-- The options of tare.frames.
local gc_modes = require "tare.base.gc_modes"
local nearest = require "tare.base.nearest"

local frame_options = {}

local BUDGET_MS = 1000 / 60
local FEWEST_FRAMES, MOST_FRAMES = 2, 1e6

local function is_positive(value)
  return type(value) == "number" and value > 0 and value < 1/0
end

local MOST_MS = 1e12 -- 32 years: what the core takes

local function is_budget(value)
  return is_positive(value) and value <= MOST_MS
end

local function is_table(value) return type(value) == "table" end

local MOST_SET = 1000 -- as in tare.base.options: Lua keeps a byte
local COLLECTOR = { pause = true, step_multiplier = true, step_size = true }

local function is_collector(value)
  if not is_table(value) then return false end
  for name, number in pairs(value) do
    if not COLLECTOR[name] or not is_positive(number)
      or number > MOST_SET then
      return false
    end
  end
  return true
end

local COLLECTOR_WORDS = "a table of pause, step_multiplier and step_size, "
  .. "each a positive number of at most 1000"

local MOST_SCOPES = 32

local function is_scopes(value)
  if not is_table(value) then return false end
  local count = 0
  for name, budget_ms in pairs(value) do
    count = count + 1
    if type(name) ~= "string" or not is_budget(budget_ms) then
      return false
    end
  end
  return count <= MOST_SCOPES
end

local function is_count(value)
  return is_positive(value) and value <= MOST_FRAMES
end

local GC = { natural = true, paced = true }

local TABLE = { is = is_table, words = "a table" }

-- The last two are for another clock (core.meter), and a collector that is made
-- up.
local KNOWN = {
  budget_ms = { is = is_budget, words = "a positive number of at most 1e12" },
  step_kb = { is = is_positive, words = "a positive number" },
  incremental = { is = is_collector, words = COLLECTOR_WORDS },
  frames = { is = is_count, words = "a positive number of at most 1e6" },
  collector = TABLE,
  gc = { is = function(value) return GC[value] ~= nil end,
    words = "'natural' or 'paced'" },
  scopes = { is = is_scopes, words = "a table of at most 32 names and their "
    .. "budgets, positive numbers of at most 1e12 milliseconds" },
  meter = { is = function(value) return type(value) == "userdata" end,
    words = "a meter" },
}

--- Options over their defaults: budget_ms (16.67), frames (under each policy:
--- as many as it takes to tell; a recorder keeps as many of the latest one by
--- one: 1000), incremental (settings: pause, step_multiplier, step_size),
--- step_kb, scopes (names and their budgets in milliseconds), gc ("paced": a
--- recorder has the collector's steps run where scopes and frames end, timed).
---@param given table?
---@return table? options
---@return string? message what is wrong with them
function frame_options.read(given)
  if given ~= nil and type(given) ~= "table" then
    return nil, "expected a function or options, got " .. type(given)
  end
  local options = { budget_ms = BUDGET_MS }
  for name, value in pairs(given or {}) do
    local known = KNOWN[name]
    if not known then
      return nil, ("no such option: '%s'%s"):format(tostring(name),
        nearest.hint(name, KNOWN))
    elseif not known.is(value) then
      return nil, ("'%s' must be %s, got %s"):format(name, known.words,
        tostring(value))
    end
    options[name] = value
  end
  options.frames = options.frames
    and math.floor(math.max(FEWEST_FRAMES, options.frames))
  return options
end

--- What is wrong with the settings of a policy, if anything.
---@param given any pause, step_multiplier, step_size, step_kb; mode, as in
---  those that were recommended
---@return string? message
function frame_options.wrong_settings(given)
  if given == nil then return nil end
  local numbers = {}
  for name, value in pairs(is_table(given) and given or { given }) do
    local is_mode = name == "mode" and gc_modes.has(value)
    local is_own = name == "step_kb" and is_positive(value)
    if not is_mode and not is_own then numbers[name] = value end
  end
  if not is_collector(numbers) then
    return "the settings must be "
      .. COLLECTOR_WORDS:gsub("pause", "step_kb, %0")
  end
end

return frame_options
