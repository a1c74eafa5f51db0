-- What a state of its own does under refused memory (memory.lua): what fails
-- for want of it is tried again, and then is whole.
if rawget(_G, "jit") then require("jit").off() end -- see memory.lua

local function again(f, ...)
  local ok, result
  for _ = 1, 3 do
    ok, result = pcall(f, ...)
    if ok then return result end
  end
  error(result, 0)
end

local core = again(function()
  package.loaded["tare.core"] = nil -- else 5.1 takes it for a loop
  return require "tare.core"
end)

-- Settings are made whole or not at all.
local pause, multiplier, running = core.gc_settings()
if not pcall(core.gc_apply, { pause = pause + 100, running = false,
    step_multiplier = multiplier + 100, mode = "incremental" }) then
  local p, m, r = core.gc_settings()
  assert(p == pause and m == multiplier and r == running, "set by half")
end
core.gc_put(pause, multiplier, running)
core.gc_run(true) -- 5.1 can't say whether it runs

local watch = again(core.gcwatch)
assert(watch.__gc, "a watch has no finalizer")

again(watch.arm, watch)
again(function()
  local minor, major = watch:counts()
  collectgarbage()
  collectgarbage()
  local minor_now, major_now = watch:counts()
  assert(minor_now + major_now > minor + major + 1, "a watch counts only once")
end)
