-- The host's allocator is in place after runs of any kind.
local host = rawget(_G, "host")
local core, tare = require "tare.core", require "tare"

local function allocate() return { {}, {} } end
local function fail() error { "mine" } end

assert(host.is_mine())
for _, f in ipairs { allocate, fail } do
  core.census(f, 10)
  assert(host.is_mine(), "after a census")
  core.census(function() core.census(f, 10) end, 10)
  assert(host.is_mine(), "after a census of a census")
  local wrapped = coroutine.wrap(function() return core.census(f, 10) end)
  wrapped()
  assert(host.is_mine(), "after a census in a coroutine")
  for _, gc in ipairs { "natural", "paced", "stopped", "collect" } do
    tare.measure(f, { quota = "5ms", warmup = "1ms", gc = gc,
      resamples = 200 })
    assert(host.is_mine(), "after a run in mode " .. gc)
  end
end
