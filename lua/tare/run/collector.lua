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
  return setmetatable({ key = "", host = core.gc_state() }, Collector)
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

--- What must not alternate from batch to batch, as text: settings whose change
--- is a full collection, or drops what was compiled.
---@param options table of a cell
---@return string
function Collector.lane(options)
  local _, key = settings_of(options)
  return key .. "," .. options.gc .. "," .. tostring(options.jit)
end

--- Sets what the options ask for; it stays until restore().
---@param options table of the cell
---@return true?
---@return string? message
function Collector:apply(options)
  local settings, key = settings_of(options)
  if key == self.key or (key == NONE and self.key == "") then return true end
  self:restore()
  self.key = key
  if key == NONE then return true end
  local ok, message = core.gc_apply(settings)
  if not ok then self.key = "" end -- the next batch is refused too
  return ok, message
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
  return options.gc_mode or self.host.mode or "incremental"
end

-- Settings that a mode makes no use of, or hardly any.
local UNUSED = {
  generational = { "gc_pause", "gc_step_multiplier", "gc_step_size" },
  incremental = { "gc_minor_multiplier", "gc_major_multiplier" },
}

--- Whether a setting is asked for that is of the other mode.
---@param options table of the cell
---@return boolean
function Collector:ignores(options)
  for _, name in ipairs(UNUSED[self:mode(options)]) do
    if options[name] ~= nil then return true end
  end
  return false
end

--- Before a batch.
---@param options table of the cell
function Collector:enter(options)
  local ok, message = self:apply(options)
  if not ok then return nil, message end
  self.pause, self.multiplier, self.running = core.gc_settings()
  if options.gc == "collect" then stabilize() end
  if options.gc == "stopped" then
    stabilize()
    core.gc_run(false)
  end
  return true
end

--- After a batch: as it was before, whatever the bench has done to it.
function Collector:leave()
  core.gc_put(self.pause, self.multiplier, self.running)
end

--- After a cell, whatever its hooks have done: the mode as well, which only
--- steps of the collector tell.
---@param options table of the cell
function Collector:settle(options)
  local mode, host = self:mode(options), self.host
  if core.gc_state().mode ~= mode then core.gc_apply { mode = mode } end
  if self.key == "" then
    core.gc_put(host.pause, host.step_multiplier, host.running)
  end
  core.gc_run(host.running) -- 5.1 does not tell that it was stopped
end

--- Between the steps of a host, who may have changed settings of its own.
function Collector:refresh()
  local host = self.host
  host.pause, host.step_multiplier, host.running = core.gc_settings()
end

--- The collector as it was when the run began, or was refreshed.
function Collector:restore()
  local host = self.host
  if self.key ~= "" then
    core.gc_restore(host)
  else
    core.gc_put(host.pause, host.step_multiplier, host.running)
  end
  self.key = ""
end

return Collector
