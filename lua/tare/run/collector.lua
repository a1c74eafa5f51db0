-- What the collector is told before a batch and after it. Settings are applied
-- when they change and put back when the run is closed.
local core = require "tare.core"

local Collector = {}
Collector.__index = Collector

local SETTINGS = { "gc_mode", "gc_pause", "gc_step_multiplier", "gc_step_size",
  "gc_minor_multiplier", "gc_major_multiplier" }
local MOST_FULL_COLLECTIONS = 10

--- Remembers how the collector is now.
---@return table collector
function Collector.new()
  return setmetatable({ key = "", host = core.gc_state and core.gc_state() },
    Collector)
end

local function settings_of(options)
  local settings, parts = {}, {}
  for i, name in ipairs(SETTINGS) do
    settings[name:sub(4)] = options[name]
    parts[i] = tostring(options[name])
  end
  return settings, table.concat(parts, ",")
end

local NONE = select(2, settings_of {})

function Collector:_apply(options)
  local settings, key = settings_of(options)
  if key == self.key or (key == NONE and self.key == "") then return end
  self:restore()
  if key ~= NONE and core.gc_apply then core.gc_apply(settings) end
  self.key = key
end

-- Full collections until the heap stops shrinking.
local function stabilize()
  local before = math.huge
  for _ = 1, MOST_FULL_COLLECTIONS do
    collectgarbage()
    local now = collectgarbage("count")
    if now >= before then return end
    before = now
  end
end

--- The collector's mode under such options.
---@return "incremental"|"generational"
function Collector:mode(options)
  return options.gc_mode or self.host and self.host.mode or "incremental"
end

--- Before a batch.
---@param options table of the cell
function Collector:enter(options)
  self:_apply(options)
  if options.gc == "collect" then stabilize() end
  if options.gc == "stopped" then
    stabilize()
    collectgarbage("stop")
  end
end

--- After a batch.
function Collector.leave(_, options)
  if options.gc == "stopped" then collectgarbage("restart") end
end

--- The collector as it was when the run began.
function Collector:restore()
  if self.host and self.key ~= "" then core.gc_restore(self.host) end
  self.key = ""
end

return Collector
