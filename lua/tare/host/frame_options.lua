-- What tare.frames can be told.
local nearest = require "tare.base.nearest"

local frame_options = {}

local DEFAULTS = { budget_ms = 1000 / 60, frames = 1000 }
local FEWEST_FRAMES, MOST_FRAMES = 2, 1e6

local function is_positive(value)
  return type(value) == "number" and value > 0 and value < 1/0
end

local function is_table(value) return type(value) == "table" end

local COLLECTOR = { pause = true, step_multiplier = true, step_size = true }

local function is_collector(value)
  if not is_table(value) then return false end
  for name, number in pairs(value) do
    if not COLLECTOR[name] or not is_positive(number) then return false end
  end
  return true
end

local function is_count(value)
  return is_positive(value) and value <= MOST_FRAMES
end

local POSITIVE = { is = is_positive, words = "a positive number" }
local TABLE = { is = is_table, words = "a table" }

-- The last two are for a clock and a collector that are made up.
local KNOWN = {
  budget_ms = POSITIVE, step_kb = POSITIVE,
  incremental = { is = is_collector, words = "a table of pause, "
    .. "step_multiplier and step_size, each a positive number" },
  frames = { is = is_count, words = "a positive number of at most 1e6" },
  collector = TABLE,
  meter = { is = function() return true end },
}

--- Options over their defaults: budget_ms (16.67), frames (1000: under each
--- policy; a recorder keeps as many, and of more, every other one), incremental
--- (settings: pause, step_multiplier, step_size), step_kb.
---@param given table?
---@return table? options
---@return string? message what is wrong with them
function frame_options.read(given)
  if given ~= nil and type(given) ~= "table" then
    return nil, "expected a function or options, got " .. type(given)
  end
  local options = {}
  for name, value in pairs(DEFAULTS) do options[name] = value end
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
  options.frames = math.floor(math.max(FEWEST_FRAMES, options.frames))
  return options
end

return frame_options
