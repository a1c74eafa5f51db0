-- The host's allocator is in place after runs of any kind.
local host = rawget(_G, "host")
local core, tare = require "tare.core", require "tare"
local gc_option = require "tare.base.gc_option"

local function allocate() return { {}, {} } end
local function fail() error { "mine" } end
local function stop()
  collectgarbage "stop"
  return {}
end
local function collect()
  collectgarbage()
  collectgarbage "step"
  return {}
end

assert(host.is_mine())
for _, f in ipairs { allocate, fail, stop, collect } do
  core.census(f, 10)
  assert(host.is_mine(), "after a census")
  core.census(function() core.census(f, 10) end, 10)
  assert(host.is_mine(), "after a census of a census")
  local wrapped = coroutine.wrap(function() return core.census(f, 10) end)
  wrapped()
  assert(host.is_mine(), "after a census in a coroutine")
  for _, gc in ipairs(gc_option.names) do
    tare.measure(f, { quota = "5ms", warmup = "1ms", gc = gc,
      resamples = 200 })
    assert(host.is_mine(), "after a run in mode " .. gc)
  end
end

-- An allocator that somebody else put over the census stays, and works on.
core.census(function() host.wrap() end, 1)
local kept = {}
for i = 1, 1000 do kept[i] = { i } end
assert(#kept == 1000 and host.unwrap(), "the other allocator is gone")
assert(core.census(allocate, 10).allocs >= 30, "a census over that")
