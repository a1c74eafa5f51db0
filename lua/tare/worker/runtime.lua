-- The runtime under a batch: the settings of the collector and of LuaJIT's
-- compiler, set before it and restored after it. What is costly to change (a
-- mode, since a new one runs a full collection) stays until another cell needs
-- another one, or until restore(). Where the compiler is switched for a cell,
-- its code is dropped once for that cell, and not for each batch.
local compat = require "tare.base.compat"
local core = require "tare.core"
local gc_modes = require "tare.base.gc_modes"
local gc_option = require "tare.base.gc_option"

local Runtime = {}
Runtime.__index = Runtime

local NAMES = { "gc_mode", "gc_pause", "gc_step_multiplier", "gc_step_size",
  "gc_minor_multiplier", "gc_major_multiplier" }
local READABLE = { gc_pause = true, gc_step_multiplier = true } -- at any time
local MOST_FULL_COLLECTIONS = 10

-- Hosts may have removed 'debug', or parts of it.
local debug = rawget(_G, "debug")
local get_hook = type(debug) == "table" and debug.sethook and debug.gethook

-- A cell's options for the collector, as a table and as text.
local function collector_of(options)
  local wanted, parts = {}, {}
  for i, name in ipairs(NAMES) do
    wanted[name:sub(4)] = options[name]
    parts[i] = tostring(options[name])
  end
  return wanted, table.concat(parts, ",")
end

local NONE = select(2, collector_of {})

--- Remembers the present settings of collector and compiler: the host's.
---@return table runtime
function Runtime.new()
  local jit = compat.jit()
  return setmetatable({ key = NONE, host = core.gc_state(), jit = jit,
    host_jit = jit and jit.status() or false }, Runtime)
end

-- Whether options set the mode, or a number that is set by entering a mode.
-- Only steps of the collector show in which mode it is.
local function enters_mode(options)
  for _, name in ipairs(NAMES) do
    if options[name] ~= nil and not READABLE[name] then return true end
  end
  return false
end

--- The settings that must not alternate from batch to batch in one process, as
--- text.
---@param options table of a cell
---@return string
function Runtime.key_of(options)
  local _, key = collector_of(options)
  return key .. "," .. options.gc .. "," .. tostring(options.jit)
end

--- The collector's mode under such options.
---@param options table of a cell
---@return string mode of tare.base.gc_modes
function Runtime:mode(options)
  return options.gc_mode or self.host.mode or "incremental"
end

--- Whether the options have a setting of another mode.
---@param options table of a cell
---@return boolean
function Runtime:ignores(options)
  for _, name in ipairs(gc_modes.of(self:mode(options)).unused) do
    if options[name] ~= nil then return true end
  end
  return false
end

-- Applies the collector's settings, unless they are set already.
function Runtime:_apply(options)
  local wanted, key = collector_of(options)
  if key == self.key then return true end
  self:restore()
  if key == NONE then return true end
  local ok, message = core.gc_apply(wanted)
  if not ok then return nil, message end -- the next batch is refused too
  self.key, self.mode_set, self.enters = key, wanted.mode, enters_mode(options)
  return true
end

-- Sets whether LuaJIT compiles. A change flushes all traces, so that neither
-- setting uses traces of the other.
function Runtime:_switch_compiler(wanted)
  if wanted == nil then wanted = self.host_jit end
  if not self.jit then
    if not wanted then return true end
    return nil, "jit: this Lua has no compiler that could be on"
  end
  local before = self.last_jit
  if before == nil then before = self.host_jit end
  if wanted ~= before then self.jit.flush() end
  self.last_jit = wanted
  if wanted ~= self.host_jit then self.jit[wanted and "on" or "off"]() end
  return true
end

-- Full collections until the heap stops shrinking; MOST_FULL_COLLECTIONS at
-- most.
local function stabilize()
  local before = math.huge
  for _ = 1, MOST_FULL_COLLECTIONS do
    collectgarbage()
    local now = collectgarbage("count")
    if now >= before then return end
    before = now
  end
end

--- Before a batch.
---@param options table of the cell
---@return true?
---@return string? message
function Runtime:enter(options)
  local ok, message = self:_apply(options)
  if ok then ok, message = self:_switch_compiler(options.jit) end
  if not ok then return nil, message end
  -- A hook that was set from Lua, by a debugger or a coverage tool, is kept in
  -- a table of Lua's. A bench that sets a hook overwrites it there.
  if get_hook then self.hook, self.mask, self.count = get_hook() end
  self.pause, self.multiplier, self.running = core.gc_settings()
  local way = gc_option.of(options.gc)
  if way.collects then stabilize() end
  if way.stops then core.gc_run(false) end
  return true
end

--- After a batch: restores the settings, whatever the bench has changed.
---@param options table of the cell
function Runtime:leave(options)
  core.gc_put(self.pause, self.multiplier, self.running)
  if gc_option.of(options.gc).stops then -- gc_put does not restart it on 5.1
    core.gc_run(self.host.running)
  end
  if get_hook and get_hook() ~= self.hook then
    pcall(debug.sethook, self.hook, self.mask, self.count)
  end
  if self.jit and self.last_jit ~= self.host_jit then
    self.jit[self.host_jit and "on" or "off"]()
  end
end

--- After a cell: restores the settings in force, whatever its hooks have
--- changed, and the mode as well, which takes steps of the collector to find.
function Runtime:after_cell()
  local host = self.host
  local mode = self.mode_set or host.mode
  if core.gc_state().mode ~= mode then core.gc_apply { mode = mode } end
  if self.key == NONE then
    core.gc_put(host.pause, host.step_multiplier, host.running)
  end
  core.gc_run(host.running) -- gc_put can't restart it on 5.1
end

--- Announces the cells that will be measured. If one of them sets a mode,
--- refresh() finds the host's mode.
---@param list table[] cells
function Runtime:expect(list)
  for _, cell in ipairs(list) do
    self.finds_mode = self.finds_mode or enters_mode(cell.options)
  end
end

--- To be called between the steps of a host, which may have changed its
--- settings. The host's mode is found only if a cell sets a mode: it takes some
--- steps of the collector, which are collections in generational mode.
---@return boolean running whether the host's collector runs; always true on
---  5.1, which can't report it
function Runtime:refresh()
  local host = self.host
  host.pause, host.step_multiplier, host.running = core.gc_settings()
  if self.finds_mode then host.mode = core.gc_state().mode or host.mode end
  return host.running
end

--- Restores the collector as the host had it, or as refresh() found it. The
--- mode is restored only if a cell had set it, since the host may have changed
--- it.
function Runtime:restore()
  local host = self.host
  if self.enters then
    core.gc_restore(host)
  else
    core.gc_put(host.pause, host.step_multiplier, host.running)
  end
  self.key, self.mode_set, self.enters = NONE, nil, nil
end

return Runtime
