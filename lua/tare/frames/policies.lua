-- When a game collects its garbage: by itself, or a piece at the end of each
-- frame. A policy is begun where it is made, and gives the collector back as it
-- was found by close().
local compat = require "tare.base.compat"
local core = require "tare.core"
local lists = require "tare.base.lists"

local policies = {}

local HAS_MODES = compat.HAS_GC_MODES
local STEP_SIZE = 13 -- 2^13 bytes
-- How much a step does for each byte, in percent.
local STEP_MULTIPLIER = compat.FINE_STEPS or 200
local AUTOMATIC_MULTIPLIER = compat.FINE_STEPS and 2 * compat.FINE_STEPS or 200
-- The kilobytes of one step. From 5.4 on it is the smallest that there is: a
-- larger one would also do what fell due while the collector was stopped.
local PIECE_KB = HAS_MODES and 2 ^ STEP_SIZE / 1024 or 16
local REST = 1.5 -- heap at which a cycle begins, of what stayed alive
local FULL = 2 -- heap from which it is in a hurry
local RATE = 0.6 -- kilobytes collected for each that is allocated
local HURRY = 4 -- by how much a step is larger then
local LEAVES = 0.1 -- of what is left of a frame
local MOST_DURING = 8 -- part of the heap that is alive after a cycle, at least
local FORGETS = 0.9 -- how much of a large step is expected of the next
local SMOOTH = 0.1 -- weight of the last frame in what a frame allocates

--- The collector of this Lua.
policies.collector = {
  stop = function() collectgarbage("stop") end,
  -- One that a host has stopped stays so: LuaJIT's runs again after it.
  full = function()
    local _, _, is_running = core.gc_settings()
    collectgarbage()
    core.gc_run(is_running)
  end,
  heap_kb = function() return collectgarbage("count") end,
  -- A piece; true if it ended a cycle. Most Luas start again after it.
  step = function()
    local ended = collectgarbage("step", HAS_MODES and 0 or PIECE_KB)
    collectgarbage("stop")
    return ended
  end,
  state = core.gc_state, apply = core.gc_apply, restore = core.gc_restore,
}

local Policy = { kind = "a policy" } -- for the messages of the C interface
Policy.__index = Policy

-- A cycle has ended. What was allocated during it is still there: as far as is
-- known, none of that is alive.
function Policy:_rest()
  local heap_kb = self.gc.heap_kb()
  self.alive_kb = math.max(heap_kb - self.during_kb, heap_kb / MOST_DURING)
  self.during_kb, self.resting = 0, true
end

-- Pieces of a cycle until so many are done, or none fits before the deadline.
-- Returns when that was.
function Policy:_collect(pieces, deadline_ns)
  local gc, meter = self.gc, self.meter
  local now_ns, done = meter:now(), 0
  self.piece_ns = self.piece_ns * FORGETS
  while done < pieces or now_ns + self.piece_ns < deadline_ns do
    local ended, before_ns = gc.step(), now_ns
    done, now_ns = done + 1, meter:now()
    self.piece_ns = math.max(self.piece_ns, now_ns - before_ns)
    if ended then
      self:_rest()
      break
    end
  end
  return now_ns
end

-- The end of a frame, of whose budget so much is left ('spare' needs it).
function Policy:after(left_ms)
  -- It runs by itself, or is another policy's.
  if not self.alive_kb or self.gc.newest ~= self then return end
  local heap_kb = self.gc.heap_kb()
  local grown_kb = math.max(heap_kb - self.last_kb, 0)
  self.frame_kb = self.frame_kb + SMOOTH * (grown_kb - self.frame_kb)
  self.during_kb = self.resting and 0 or self.during_kb + grown_kb
  self.resting = self.resting and heap_kb < REST * self.alive_kb
  if not self.resting then
    local pieces = (self.settings.step_kb or RATE * self.frame_kb) / PIECE_KB
    local in_hurry = heap_kb > FULL * self.alive_kb
    if in_hurry then pieces = HURRY * pieces end
    local began_ns = self.meter:now()
    local due_ns = began_ns + (left_ms or 0) * 1e6
    local until_ns = began_ns + (1 - LEAVES) * (left_ms or 0) * 1e6
    if self.name == "step" then
      self:_collect(math.max(pieces, 1), 0)
    else
      local ended_ns = self:_collect(in_hurry and pieces or 0, until_ns)
      if ended_ns > math.max(due_ns, began_ns) then
        self.overruns = self.overruns + 1
        self.overrun_ms = self.overrun_ms
          + (ended_ns - math.max(due_ns, began_ns)) / 1e6
      end
    end
  end
  self.last_kb = self.gc.heap_kb()
end

--- Gives the collector back as it was found; while it is that of a policy which
--- began later, that one does, in place of this. Again does no harm.
function Policy:close()
  if not self.found then return end
  local gc, above = self.gc, self.gc.newest
  if above == self then
    gc.restore(self.found)
    gc.newest = self.below
  else
    while above.below ~= self do above = above.below end
    above.found, above.below = self.found, self.below
  end
  self.found, self.alive_kb, self.below = nil, nil, nil
end

local STEPPED = { mode = "incremental", pause = 100 * REST,
  step_multiplier = STEP_MULTIPLIER,
  step_size = HAS_MODES and STEP_SIZE or nil }

-- What each sets; 'automatic' leaves all as it is.
local SETTINGS = {
  automatic = {},
  incremental = { mode = "incremental", pause = 200,
    step_multiplier = AUTOMATIC_MULTIPLIER,
    step_size = HAS_MODES and STEP_SIZE or nil },
  generational = { mode = "generational" },
  step = STEPPED,
  spare = STEPPED,
}

--- The names, what there is now first.
---@type string[]
policies.names = { "automatic", "incremental", "step", "spare" }
if HAS_MODES then table.insert(policies.names, 3, "generational") end

--- Begins a policy.
---@param name string one of policies.names
---@param given table? settings over its own: pause, step_multiplier, step_size;
---  step_kb (of 'step': what each step is for; else what frames allocate)
---@param gc table? a collector
---@param meter userdata?
---@return table policy
function policies.new(name, given, gc, meter)
  local settings = lists.copy(SETTINGS[name])
  for key, value in pairs(given or {}) do settings[key] = value end
  local sets = lists.copy(settings) -- of the collector
  sets.step_kb = nil
  -- A host may have stopped it.
  if name == "incremental" or name == "generational" then
    sets.running = true
  end
  gc = gc or policies.collector
  local found, below = gc.state(), gc.newest
  local stops = name == "step" or name == "spare"
  -- 5.1 can't tell that the policy below has stopped it.
  if below and below.stopped then found.running = false end
  local self = setmetatable({ name = name, settings = settings, gc = gc,
    meter = meter or core.meter(), found = found, overruns = 0,
    overrun_ms = 0, below = below,
    stopped = stops or not sets.running and below and below.stopped }, Policy)
  if next(sets) then gc.apply(sets) end
  gc.newest = self
  if stops then
    gc.stop()
    self.alive_kb, self.resting = gc.heap_kb(), true
    self.last_kb, self.frame_kb, self.piece_ns = self.alive_kb, 0, 0
    self.during_kb = 0
  end
  return self
end

return policies
