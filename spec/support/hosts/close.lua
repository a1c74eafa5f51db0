-- Closes the state at the moment that is named by the argument (see host.c);
-- without one, lists the moments.
local host = rawget(_G, "host")
local moments = {}

local function allocate()
  local kept = {}
  for i = 1, 100 do kept[i % 10 + 1] = { i, tostring(i) } end
  return kept
end

local function core() return require "tare.core" end

-- A function that closes on its n-th call, having allocated until then.
local function closing(n)
  return function()
    n = n - 1
    if n <= 0 then host.close() end
    return allocate()
  end
end

local function closing_loop(n)
  local close = closing(n)
  return function(calls) for _ = 1, calls do close() end end
end

function moments.loaded() core() end

function moments.armed()
  local watch = core().gcwatch()
  watch:arm()
  for _ = 1, 1000 do allocate() end
  host.close()
end

function moments.armed_and_left()
  core().gcwatch():arm()
  allocate()
end

function moments.armed_and_dropped()
  for _ = 1, 5 do core().gcwatch():arm() end
  for _ = 1, 3 do collectgarbage() end
  core().gcwatch():arm()
  host.close()
end

function moments.disarmed()
  local watch = core().gcwatch()
  watch:arm()
  for _ = 1, 1000 do allocate() end
  watch:disarm()
  host.close()
end

function moments.in_a_coroutine()
  local watch = core().gcwatch()
  watch:arm()
  coroutine.wrap(function()
    for _ = 1, 1000 do allocate() end
    host.close()
  end)()
end

function moments.in_a_batch()
  local meter, samples = core().meter { watch = true }, core().samples(10)
  meter:time(samples, closing_loop(500), 1000)
end

function moments.in_a_called_batch()
  local meter, samples = core().meter { watch = true }, core().samples(10)
  meter:time_calls(samples, closing(500), 1000)
end

function moments.in_a_paced_batch()
  local pacer, meter = core().pacer(), core().meter()
  pacer:run(core().samples(10), meter, closing_loop(5000), 10000)
end

function moments.after_a_paced_batch()
  local pacer, meter = core().pacer(), core().meter()
  local function loop(n) for _ = 1, n do allocate() end end
  assert(pacer:run(core().samples(10), meter, loop, 1000))
end

function moments.in_a_census() core().census(closing(50), 100) end

function moments.in_a_census_of_a_census()
  local close = closing(50)
  core().census(function() core().census(close, 10) end, 10)
end

function moments.in_a_counted_call()
  if rawget(_G, "jit") then require("jit").off() end
  core().instructions(closing(50), 100)
end

local function in_coroutines(f)
  return function()
    for _ = 1, 20 do coroutine.wrap(f)() end
  end
end

function moments.in_a_profile()
  if rawget(_G, "jit") then require("jit").off() end
  core().profile(in_coroutines(closing(50)), 100, 0, {})
end

function moments.after_a_profile()
  if rawget(_G, "jit") then require("jit").off() end
  assert(core().profile(in_coroutines(allocate), 10, 10, {}))
  host.close()
end

function moments.after_a_failed_census()
  core().census(function() error(allocate()) end, 10)
  host.close()
end

function moments.in_a_bench()
  require("tare").measure(closing(2000), { quota = "1s" })
end

function moments.in_a_paced_bench()
  require("tare").measure(closing(20000), { quota = "2s", gc = "paced" })
end

function moments.in_a_hook_of_a_bench()
  local tare = require "tare"
  local suite = tare.suite "hooks"
  suite:bench("closing", { run = allocate, before_batch = closing(5) })
  tare.session(suite):step(100)
end

function moments.between_two_steps()
  local tare = require "tare"
  local suite = tare.suite "steps"
  suite:bench("allocating", allocate)
  local session = tare.session(suite)
  for _ = 1, 5 do session:step(2) end
  host.close()
end

-- A recorder with all that it keeps outside of the heap: 'use' closes, or not.
local function recorded(use)
  local tare = require "tare"
  if rawget(_G, "jit") then require("jit").off() end
  local recorder = tare.frames { scopes = { ai = 2, draw = 4 }, frames = 100 }
  recorder:stream("csv", function() allocate() end)
  local ai, extra = recorder:scope "ai", recorder:scope "extra"
  for i = 1, 300 do
    recorder:begin()
    recorder:enter(ai)
    allocate()
    recorder:enter(extra)
    if i == 250 then use(recorder) end
    recorder:leave(extra)
    recorder:leave(ai)
    recorder:mark("frame " .. i)
    recorder:finish()
    if i == 100 then recorder:profile(3) end
  end
  assert(recorder:profile())
  return recorder
end

function moments.after_frames() recorded(allocate):record() end

function moments.in_a_frame() recorded(host.close) end

function moments.in_a_profile_of_frames()
  local recorder = recorded(allocate)
  recorder:profile(4)
  recorder:begin()
  allocate()
  host.close()
end

function moments.after_closed_frames()
  local recorder = recorded(allocate)
  recorder:profile(4)
  recorder:begin()
  recorder:__gc()
  host.close()
end

function moments.in_a_paced_frame()
  local recorder = require("tare").frames { gc = "paced" }
  for _ = 1, recorder and 50 or 0 do
    recorder:begin()
    allocate()
    recorder:finish()
  end
  if recorder then recorder:begin() end
  host.close()
end

function moments.in_the_hosts_finalizer()
  local watch = core().gcwatch()
  watch:arm()
  local function finalizer() allocate() end
  if rawget(_G, "newproxy") then
    getmetatable(newproxy(true)).__gc = finalizer -- luacheck: ignore 113
  else
    setmetatable({}, { __gc = finalizer })
  end
  for _ = 1, 1000 do allocate() end
  host.close()
end

local moment = arg[1]
if moment then return moments[moment]() end
local names = {}
for name in pairs(moments) do names[#names + 1] = name end
table.sort(names)
print(table.concat(names, "\n"))
