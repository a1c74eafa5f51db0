-- When a game collects its garbage: by itself, or a piece each frame. A policy
-- has begin(), after(left_ns) at the end of each frame, and finish().
local policies = {}

local IS_54 = _VERSION == "Lua 5.4"
local STEP_SIZE = 13 -- 2^13 bytes
-- How much a step of some kilobytes does. 5.4 counts 16 bytes as one, and with
-- its usual 100 would be done with the heap in one or two of them.
local STEP_MULTIPLIER = IS_54 and 4 or 200
local MARGIN_NS = 5e5 -- of the frame that collecting leaves alone
local REST = 1.5 -- heap at which 'spare' begins again, of what stayed alive
local FULL = 2 -- heap from which it does a step, time or not

-- Mode, pause and multiplier as they are. A step size can be set (5.4), but
-- not asked for: what is put back is Lua's default.
local function read_state()
  local state = { step_size = IS_54 and STEP_SIZE or nil }
  if IS_54 then
    state.mode = collectgarbage("incremental")
    if state.mode == "generational" then collectgarbage("generational") end
  end
  state.pause = collectgarbage("setpause", 200)
  collectgarbage("setpause", state.pause)
  state.step_multiplier = collectgarbage("setstepmul", 200)
  collectgarbage("setstepmul", state.step_multiplier)
  return state
end

local function apply(settings)
  if IS_54 and settings.mode == "incremental" then
    collectgarbage("incremental", 0, 0, settings.step_size or 0)
  elseif IS_54 and settings.mode == "generational" then
    collectgarbage("generational")
  end
  if settings.pause then collectgarbage("setpause", settings.pause) end
  if settings.step_multiplier then
    collectgarbage("setstepmul", settings.step_multiplier)
  end
end

local function restore(state)
  if IS_54 and state.mode == "generational" then
    collectgarbage("incremental", 0, 0, state.step_size)
  end
  apply(state)
end

--- The collector of this Lua.
policies.collector = {
  stop = function() collectgarbage("stop") end,
  restart = function() collectgarbage("restart") end,
  full = function() collectgarbage() end,
  heap_kb = function() return collectgarbage("count") end,
  -- Most Luas start again after a step.
  step = function(kb)
    local ended = collectgarbage("step", kb)
    collectgarbage("stop")
    return ended
  end,
  state = read_state, apply = apply, restore = restore,
}

local function nothing() end

-- Lua's own, however the host has set them: steps are small.
local function incremental_settings()
  return { mode = "incremental", step_size = IS_54 and STEP_SIZE or nil,
    pause = 200, step_multiplier = IS_54 and 100 or 200 }
end

-- The automatic collector, under settings.
local function automatic(name, settings, gc)
  return { name = name, settings = settings, after = nothing,
    begin = function() if settings then gc.apply(settings) end end,
    finish = nothing }
end

-- Stopped, with a step of so many kilobytes each frame.
local function stepped(kb, gc)
  local settings = incremental_settings()
  settings.step_multiplier, settings.step_kb = STEP_MULTIPLIER, kb
  return { name = "step", settings = settings,
    begin = function()
      gc.apply(settings)
      gc.stop()
    end,
    after = function() gc.step(kb) end, finish = gc.restart }
end

-- Stopped, collecting in what is left of each frame, until a cycle is done.
local function spare(gc, meter)
  local alive_kb, resting
  return { name = "spare", settings = {},
    begin = function()
      gc.apply(incremental_settings())
      gc.stop()
      alive_kb, resting = gc.heap_kb(), true
    end,
    after = function(left_ns)
      local heap_kb = gc.heap_kb()
      if resting and heap_kb < REST * alive_kb then return end
      resting = false
      local began = meter:now()
      local must = heap_kb > FULL * alive_kb
      while must or meter:now() - began < left_ns - MARGIN_NS do
        must = false
        if gc.step(0) then
          alive_kb, resting = gc.heap_kb(), true
          return
        end
      end
    end,
    finish = gc.restart }
end

--- The policies that are compared, what there is now first.
---@param given table incremental (settings), step_kb
---@param gc table a collector
---@param meter table
---@return table[]
function policies.all(given, gc, meter)
  local list = { automatic("automatic", nil, gc) }
  local settings = incremental_settings()
  for name, value in pairs(given.incremental or {}) do
    settings[name] = value
  end
  list[#list + 1] = automatic("incremental", settings, gc)
  if IS_54 then
    list[#list + 1] = automatic("generational", { mode = "generational" }, gc)
  end
  list[#list + 1] = stepped(given.step_kb, gc)
  list[#list + 1] = spare(gc, meter)
  return list
end

return policies
