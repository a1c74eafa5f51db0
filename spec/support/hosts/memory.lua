-- Memory that is refused: each scenario runs with its k-th allocation refused,
-- for every k until a run needs none that is refused (see host.c).
--   memory.lua                       lists the scenarios
--   memory.lua SCENARIO [DENSITY]    tries one; with a density, about so many k
-- Prints what was tried, and raises an error where the host was harmed.
local host = rawget(_G, "host")
local core = require "tare.core"
local tare = require "tare"

local jit = rawget(_G, "jit")
if jit then jit.off() end -- when a trace is made is another time each time

-- How a lack of memory is told: by Lua, and by tare where it asks itself.
local TELLS = { "not enough memory", "error in error handling",
  "Out of memory" }
local MODES = { "briefly", "once", "onwards" }
local EMERGENCY = _VERSION ~= "Lua 5.1" -- Lua collects, and asks again

local function list(n, f)
  local values = {}
  for i = 1, n do values[i] = f(i) end
  return values
end
local xs = list(60, function(i) return i end)
local ys = list(60, function(i) return 3 * i + (i * 7919 % 13) / 10 end)
local launches = list(60, function(i) return i % 5 + 1 end)

local function churn() return { tostring {}, { {} } } end
local function loop(n) for _ = 1, n do churn() end end

local scenarios = {}

-- Functions of the core's mathematics: what is called, and with what.
local MATHS = {
  mean = { ys }, variance = { ys }, stddev = { ys }, median = { ys },
  mad = { ys }, quantile = { ys, 0.9 }, trimmed_mean = { ys },
  autocorrelation = { ys }, outliers = { ys }, outlier_variance = { ys },
  density = { ys }, bimodality = { ys }, sign_interval = { ys },
  normal_cdf = { 1 }, normal_quantile = { 0.9 }, t_cdf = { 1, 5 },
  t_quantile = { 0.9, 5 }, welch = { xs, ys }, tost = { xs, ys, 1 },
  mann_whitney = { xs, ys }, holm = { { 0.1, 0.5 } },
  ols = { ys, { xs } }, huber = { ys, { xs } }, theil_sen = { xs, ys },
  skew_fit = { ys, { xs } }, quantile_line = { xs, ys },
  growth = { xs, ys }, draws = { 60, { resamples = 3, groups = launches } },
  random_words = { 5, 1 },
  bootstrap = { ys, { n = xs }, { resamples = 20, groups = launches } },
  bootstrap_statistic = { ys, "stddev", { resamples = 20, block = 3 } },
}
for name, arguments in pairs(MATHS) do
  local f = core.stats[name]
  scenarios[name] = function()
    return (f(arguments[1], arguments[2], arguments[3]))
  end
end
for name in pairs(core.stats) do
  assert(scenarios[name], "no scenario for core.stats." .. name)
end

function scenarios.samples()
  local store = core.samples(8)
  for i = 1, 20 do store:push { iters = i, wall_ns = 2 * i } end
  store:push {}
  store:set(-1, "iters", 3)
  store:drop()
  return store:columns()
end

function scenarios.platform()
  core.chain_read(10)
  core.chain_steps()
  core.hash "text"
  local counters, why = core.perf()
  return counters and counters:read() or why
end

function scenarios.collector()
  core.gc_apply(core.gc_state())
  return { core.gc_settings() }
end

function scenarios.watch()
  local watch = core.gcwatch()
  watch:arm()
  loop(20)
  watch:disarm()
  return { watch:counts() }
end

-- A watch that lost its sentinel for want of memory counts again once armed.
local kept
function scenarios.rearmed()
  kept = kept or core.gcwatch()
  kept:arm()
  local minor, major = kept:counts()
  loop(20)
  collectgarbage()
  collectgarbage()
  local minor_now, major_now = kept:counts()
  if minor_now + major_now > minor + major then return true end
end

function scenarios.frames_paced()
  local recorder, why = core.frames(16, 100, nil, true)
  if not recorder then return why end
  for _ = 1, 20 do
    recorder:begin()
    loop(20)
    recorder:finish()
  end
  return recorder
end

function scenarios.batch()
  local meter = core.meter { watch = true, cpu = true, chain_steps = 10 }
  local samples = core.samples(4)
  assert(meter:time(samples, loop, 20))
  assert(meter:time_calls(samples, churn, 20))
  return samples:columns()
end

function scenarios.capped_batch()
  local meter, samples = core.meter(), core.samples(4)
  meter:limit(1e6)
  assert(meter:time(samples, loop, 20))
  return samples:columns()
end

function scenarios.paced()
  local pacer, meter = core.pacer(), core.meter()
  local samples = core.samples(4)
  assert(pacer:run(samples, meter, loop, 200))
  return { samples:columns(), pacer:pauses() }
end

function scenarios.census() return assert(core.census(churn, 5)) end

function scenarios.profile()
  return assert(core.profile(churn, 5, 5, {}))
end

-- So many coroutines at a time that the profile makes more room for them.
local alive = {}
local function nothing() end
local function in_coroutines()
  for i = 1, 20 do
    alive[i] = coroutine.create(nothing)
    coroutine.resume(alive[i])
  end
end
function scenarios.profile_of_coroutines()
  return assert(core.profile(in_coroutines, 1, 0, {}))
end

function scenarios.instructions() return assert(core.instructions(churn, 5)) end

-- Whole runs, each with what must hold of its result.
local function measured(options)
  options.quota, options.warmup = "60x", "1us"
  options.resamples, options.seed = 20, 1
  return function()
    local result = tare.measure(churn, options)
    if result.error then error(result.error, 0) end
    return result
  end
end
scenarios.measure = measured {}
scenarios.measure_stopped = measured { gc = "stopped", gc_pause = 150 }
scenarios.measure_paced = measured { gc = "paced" }
scenarios.measure_collect = measured { gc = "collect", loop = "call" }
if _VERSION >= "Lua 5.4" then
  scenarios.measure_mode = measured { gc_mode = "incremental",
    gc_step_size = 12 }
end

function scenarios.compare()
  return tare.compare({ a = churn, b = function() return { 1 } end },
    { quota = "40x", warmup = "1us", resamples = 20, seed = 1 })
end

function scenarios.session()
  local suite = tare.suite "s"
  suite:bench("a", churn)
  suite:bench("b", { params = { n = { 1, 2 } }, run = churn })
  local session = tare.session(suite, { quota = "20x", warmup = "1us",
    resamples = 20 })
  while not session:step(5) do end -- luacheck: ignore 542
  local report = session:report()
  session:close()
  return report
end

local stored = scenarios.measure()
function scenarios.render()
  local report = { schema = "tare/1", env = {}, options = {},
    results = { stored }, comparisons = {} }
  return { tare.render(report, "text"), tare.render(report, "html"),
    tare.render(report, "csv") }
end

-- A stream that could not begin leaves none, and another one can.
local streamed, has_stream
local function take() end
function scenarios.stream()
  streamed = streamed or core.frames(16, 10)
  if has_stream then streamed:stream() end -- what failed came after
  has_stream = false
  streamed:stream("csv", take)
  has_stream = true
  for _ = 1, 600 do streamed:push(1e6) end
  local is_whole, message = streamed:stream()
  has_stream = false
  if not is_whole then error(message, 0) end
  return true
end

-- In states of their own: how tare is opened at all, and what is done first.
local FRESH = { open = "spec/support/hosts/opening.lua",
  again = "spec/support/hosts/again.lua" }

-- How the host stands: what must not change.
local function standing()
  local pause, multiplier, running = core.gc_settings()
  return ("pause %s, step multiplier %s, running %s, mode %s, hook %s, "
    .. "allocator is the host's: %s"):format(pause, multiplier,
    tostring(running), tostring(core.gc_state().mode),
    tostring(debug.gethook()), tostring(host.is_mine()))
end

-- What is kept in the registry under an address, and userdata alone: what stays
-- has leaked.
local function registered()
  local all, userdata = 0, 0
  for key, value in pairs(debug.getregistry()) do
    if type(key) == "userdata" then all = all + 1 end
    if type(value) == "userdata" then userdata = userdata + 1 end
  end
  return all, userdata
end

local function tells_of_memory(message)
  for _, text in ipairs(TELLS) do
    if tostring(message):find(text, 1, true) then return true end
  end
  return false
end

local function check(holds, ...)
  if not holds then error(table.concat({ ... }, " "), 0) end
end

local tried = { attempts = 0, refused = 0, errors = 0 }
local outcome = { value = false, refused = 0 }

-- One attempt; whether anything was refused in it.
local function attempt(name, mode, k, f)
  local ok = host.attempt(mode, k, f, outcome)
  local refused, message = outcome.refused, outcome.value
  outcome.value = false
  tried.attempts, tried.refused = tried.attempts + 1, tried.refused + refused
  if not ok then
    tried.errors = tried.errors + 1
    check(tells_of_memory(message), name, mode, k, "raised", tostring(message))
    check(refused > 0, name, mode, k, "failed, and nothing was refused")
  end
  return refused > 0
end

-- The k that are tried: all, or the first ones and then ever fewer.
local function following(k, density)
  if not density then return k + 1 end
  return k + math.max(1, math.floor(k / density))
end

local function try(name, density)
  local f = scenarios[name]
  f()
  f()
  collectgarbage()
  collectgarbage()
  local before, all, refs = standing(), registered()
  for _, mode in ipairs(MODES) do
    local k = 1
    while attempt(name, mode, k, f) do
      local after = standing()
      check(after == before, name, mode, k, "left", after, "not", before)
      check(f() ~= nil, name, mode, k, "cannot be called again")
      k = following(k, density)
    end
  end
  collectgarbage()
  collectgarbage()
  local all_now, refs_now = registered()
  check(refs_now <= refs + host.dropped(), name, "left values in the registry")
  -- a finalizer that was dropped may leave several
  check(all_now <= all or host.dropped() > 0, name, "left",
    all_now - all, "values in the registry")
end

local function try_fresh(name, density)
  for _, mode in ipairs(MODES) do
    local k, refused = 1, 1
    while refused > 0 do
      local message, count, left = host.fresh(mode, k, FRESH[name])
      refused = count
      tried.attempts, tried.refused = tried.attempts + 1, tried.refused + count
      check(left == 0, name, mode, k, "left", left, "bytes")
      if message then
        tried.errors = tried.errors + 1
        check(tells_of_memory(message), name, mode, k, "raised", message)
      end
      k = following(k, density)
    end
  end
end

local name, density = arg[1], tonumber(arg[2])
if not name then
  local names = {}
  for each in pairs(FRESH) do names[#names + 1] = each end
  for each in pairs(scenarios) do names[#names + 1] = each end
  table.sort(names)
  return print(table.concat(names, "\n"))
end
if FRESH[name] then try_fresh(name, density) else try(name, density) end
print(("%s: %d attempts, %d requests refused, %d errors, "
  .. "%d finalizers dropped by Lua%s"):format(name, tried.attempts,
  tried.refused, tried.errors, host.dropped(), EMERGENCY and "" or
  " (this Lua asks once)"))
