-- How often intervals hold the truth on made-up runs of
-- spec/lab/coverage_sim/made_machine.lua, none of which any rule was chosen on.
-- Usage: truth_sim.lua [RUNS] [PATTERN] [SEED]
local core = require "tare.core"
local estimate = require "tare.analysis.estimate"
local machine = require "spec.lab.coverage_sim.made_machine"
local ratio = require "tare.analysis.ratio"

local stats = core.stats
local RUNS, PATTERN = tonumber(arg[1]) or 200, arg[2] or "."
local SEED = tonumber(arg[3]) or 4e6
local SETTINGS = { confidence = 0.95, tolerance = 0.01 }

local function steps(from, to, n)
  local list = {}
  for i = 1, n do
    list[i] = math.max(1, math.floor(from * (to / from) ^ ((i - 1) / (n - 1))
      + 0.5))
  end
  return list
end

local function normal_launches(sd)
  return function(random) return math.exp(sd * random.normal()) end
end

-- n calls of 100 ns.
local function even(n) return 100 * n end
local LONG = steps(1e4, 8e4, 60)

local function lognormal_calls(mean, sigma)
  return function(random)
    return mean * math.exp(sigma * random.normal() - sigma * sigma / 2)
  end
end

-- Every k-th call so many times as dear; the mean is 'mean'.
local function every(k, dear, mean)
  local cheap = mean / ((k - 1 + dear) / k)
  return function(_, state)
    return state.at % k == 0 and dear * cheap or cheap
  end
end

local function share(p, dear, mean)
  local cheap = mean / (1 - p + p * dear)
  return function(random)
    return random.uniform() < p and dear * cheap or cheap
  end
end

local QUIET_BURSTS = { burst = { free_ns = 6e7, busy_ns = 6e7,
  slower = { 1.3, 1.8 }, is_seen = true } }
local SHORT_BURSTS = { burst = { free_ns = 8e6, busy_ns = 8e6,
  slower = { 1.3, 1.8 }, is_seen = true } }
local UNSEEN = { burst = { free_ns = 1.5e8, busy_ns = 1.5e8,
  slower = { 1.3, 1.8 } } }

local function loss(mean_batch_ns, share_of, lost)
  return { loss = { every_ns = mean_batch_ns / -math.log(1 - share_of),
    lost_ns = lost or 4e6, after_ns = 2e4 } }
end

local SCENARIOS = {
  -- slow functions
  { "slow, log-normal 0.5, 24 batches of 1-2", launches = 1, batches = 24,
    sizes = { 1, 2 }, call = lognormal_calls(5e6, 0.5), truth = 5e6 },
  { "slow, log-normal 1, 40 batches of 1-2, 4 launches", launches = 4,
    batches = 10, sizes = { 1, 2 }, call = lognormal_calls(5e6, 1),
    truth = 5e6 },
  { "slow, log-normal 0.2, 60 batches of 1-3, 6 launches", launches = 6,
    batches = 10, sizes = { 1, 2, 3 }, call = lognormal_calls(2e6, 0.2),
    truth = 2e6 },
  { "slow, log-normal 0.5, 200 batches of 2-4, 10 launches", launches = 10,
    batches = 20, sizes = { 2, 3, 4 }, call = lognormal_calls(1e6, 0.5),
    truth = 1e6 },
  { "slow, alike, 20 batches of 1", launches = 5, batches = 4, sizes = { 1 },
    call = lognormal_calls(3e7, 0.02), factor = normal_launches(0.01),
    truth = 3e7 },
  -- disturbed while calls differ
  { "every 3rd 10x, no disturbance", launches = 10, batches = 40,
    sizes = { 3, 4, 5, 6, 7, 8 }, call = every(3, 10, 4e5), truth = 4e5 },
  { "every 3rd 10x, third preempted, 1-3 calls", launches = 10, batches = 60,
    sizes = { 1, 2, 3 }, call = every(3, 10, 4e5), truth = 4e5,
    machine = loss(8e5, 0.33) },
  { "every 3rd 10x, 2 thirds preempted, 1-3 calls", launches = 10, batches = 60,
    sizes = { 1, 2, 3 }, call = every(3, 10, 4e5), truth = 4e5,
    machine = loss(8e5, 0.67) },
  { "every 3rd 10x, 2 thirds preempted, 2-20 calls", launches = 10,
    batches = 60, sizes = steps(2, 20, 20), call = every(3, 10, 4e5),
    truth = 4e5, machine = loss(3.2e6, 0.67) },
  { "a tenth 8x, half preempted, 2-10 calls", launches = 8, batches = 50,
    sizes = steps(2, 10, 10), call = share(0.1, 8, 3e5), truth = 3e5,
    machine = loss(1.6e6, 0.5) },
  { "log-normal 0.8, half preempted, one process", launches = 1, batches = 200,
    sizes = { 1, 2, 3, 4 }, call = lognormal_calls(1e6, 0.8), truth = 1e6,
    machine = loss(2.5e6, 0.5) },
  { "log-normal 0.5, 2 thirds preempted, against a steady one", launches = 8,
    batches = 50, sizes = { 1, 2, 3, 4 }, call = lognormal_calls(1e6, 0.5),
    against = lognormal_calls(1e6, 0.01), truth = 1e6,
    machine = loss(2.5e6, 0.67) },
  { "a quarter 6x, 2 thirds preempted, against a steady one", launches = 8,
    batches = 50, sizes = steps(1, 6, 6), call = share(0.25, 6, 8e5),
    against = lognormal_calls(8e5, 0.01), truth = 8e5,
    machine = loss(2.4e6, 0.67, 1e7) },
  { "every 3rd 10x, quiet, against a steady one", launches = 10, batches = 40,
    sizes = { 3, 4, 5, 6, 7, 8 }, call = every(3, 10, 4e5), truth = 4e5,
    against = lognormal_calls(4e5, 0.01) },
  { "log-normal 0.2, quiet, against a steady one", launches = 6, batches = 10,
    sizes = { 1, 2, 3 }, call = lognormal_calls(2e6, 0.2), truth = 2e6,
    against = lognormal_calls(2e6, 0.01) },
  { "every 3rd 10x, half preempted, processor time in ticks of 4 ms",
    launches = 10, batches = 60, sizes = { 1, 2, 3 }, call = every(3, 10, 4e5),
    truth = 4e5, machine = loss(8e5, 0.5), cpu_tick_ns = 4e6 },
  { "every 3rd 10x, half preempted, 5 % more after it", launches = 10,
    batches = 60, sizes = { 1, 2, 3 }, call = every(3, 10, 4e5), truth = 4e5,
    machine = { loss = { every_ns = 1.2e6, lost_ns = 4e6, after_ns = 6e4 } } },
  { "every 3rd 10x, crowded in bursts of 60 ms", launches = 10, batches = 60,
    sizes = { 1, 2, 3 }, call = every(3, 10, 4e5), truth = 4e5,
    machine = QUIET_BURSTS },
  { "every 3rd 10x, crowded in bursts of 8 ms", launches = 10, batches = 60,
    sizes = { 1, 2, 3 }, call = every(3, 10, 4e5), truth = 4e5,
    machine = SHORT_BURSTS },
  { "log-normal 0.8, crowded in bursts of 60 ms", launches = 10, batches = 40,
    sizes = { 1, 2, 3, 4 }, call = lognormal_calls(1e6, 0.8), truth = 1e6,
    machine = QUIET_BURSTS },
  { "alike, half preempted, 1-3 calls", launches = 10, batches = 60,
    sizes = { 1, 2, 3 }, call = lognormal_calls(1e6, 0.02), truth = 1e6,
    factor = normal_launches(0.01), machine = loss(2e6, 0.5) },
  -- crowded, calls alike
  { "alike, bursts of 60 ms, seen", launches = 10, batches = 60, sizes = LONG,
    calls = even, truth = 100, factor = normal_launches(0.007),
    machine = QUIET_BURSTS },
  { "alike, bursts of 8 ms, seen", launches = 10, batches = 60, sizes = LONG,
    calls = even, truth = 100, factor = normal_launches(0.007),
    machine = SHORT_BURSTS },
  { "alike, bursts of 150 ms, unseen", launches = 10, batches = 60,
    sizes = LONG, calls = even, truth = 100, factor = normal_launches(0.007),
    machine = UNSEEN },
  -- launches
  { "groups 3 % apart, 9:1", launches = 10, batches = 50, sizes = LONG,
    calls = even, truth = 100.3, factor = function(random)
      return (random.uniform() < 0.1 and 1.03 or 1)
        * math.exp(0.003 * random.normal())
    end },
  { "groups 3 % apart, 9:1, five", launches = 5, batches = 50, sizes = LONG,
    calls = even, truth = 100.3, factor = function(random)
      return (random.uniform() < 0.1 and 1.03 or 1)
        * math.exp(0.003 * random.normal())
    end },
  { "one of seven off by 8 %", launches = 7, batches = 60, sizes = LONG,
    calls = even, truth = 100 * (1 + 0.08 / 7),
    factor = function(random, launch)
      return (launch == 3 and 1.08 or 1) * math.exp(0.005 * random.normal())
    end },
  { "two launches, 1 %", launches = 2, batches = 60, sizes = LONG,
    calls = even, truth = 100, factor = normal_launches(0.01) },
  { "two launches, 2 %", launches = 2, batches = 60, sizes = LONG,
    calls = even, truth = 100, factor = normal_launches(0.02) },
  { "three launches, 1.5 %", launches = 3, batches = 60, sizes = LONG,
    calls = even, truth = 100, factor = normal_launches(0.015) },
  { "three launches, 3 %", launches = 3, batches = 60, sizes = LONG,
    calls = even, truth = 100, factor = normal_launches(0.03) },
  { "seven launches, 2 %", launches = 7, batches = 30, sizes = LONG,
    calls = even, truth = 100, factor = normal_launches(0.02) },
  { "nine launches, 2 %", launches = 9, batches = 30, sizes = LONG,
    calls = even, truth = 100, factor = normal_launches(0.02) },
  { "eight launches, 2 %", launches = 8, batches = 30, sizes = LONG,
    calls = even, truth = 100, factor = normal_launches(0.02) },
  -- shape of the cost
  { "the cost grows by 20 % within a launch", launches = 10, batches = 60,
    sizes = LONG, truth = 110, factor = normal_launches(0.005),
    calls = function(n, _, state)
      local total = 60 * 34000
      return 100 * n * (1 + 0.2 * math.min(1, (state.made + n / 2) / total))
    end },
  { "short batches, intercept of a third", launches = 10, batches = 60,
    sizes = steps(50, 400, 60), calls = even, truth = 100, fixed_ns = 8000,
    sd = 0.02, factor = normal_launches(0.007) },
  { "short batches, intercept of 1 %", launches = 10, batches = 60,
    sizes = steps(50, 400, 60), calls = even, truth = 100, fixed_ns = 200,
    sd = 0.02, factor = normal_launches(0.007) },
  { "short batches, intercept of 4 %, noise 3 %, one process", launches = 1,
    batches = 200, sizes = steps(50, 400, 60), calls = even, truth = 100,
    fixed_ns = 800, sd = 0.03 },
  { "intercept where all batches are alike in size", launches = 10,
    batches = 40, sizes = { 200 }, calls = even, truth = 100, fixed_ns = 1000,
    sd = 0.02 },
  { "clock of 1 us, batches of 5-40 us", launches = 10, batches = 60,
    sizes = steps(50, 400, 60), calls = even, truth = 100, tick_ns = 1000,
    factor = normal_launches(0.007) },
  { "clock of 1 us, batches of 30-240 ticks", launches = 10, batches = 60,
    sizes = steps(300, 2400, 60), calls = even, truth = 100, tick_ns = 1000,
    factor = normal_launches(0.007) },
  { "clock of 1 us, batches of 30 ticks, steady", launches = 10, batches = 60,
    sizes = { 310 }, calls = even, truth = 100, tick_ns = 1000, sd = 0.001,
    factor = normal_launches(0.002) },
  { "clock of 1 ms, batches of 1-8 ms", launches = 10, batches = 60,
    sizes = LONG, calls = even, truth = 100, tick_ns = 1e6,
    factor = normal_launches(0.007) },
  { "clock of 15.6 ms, batches of 1-8 ms", launches = 10, batches = 60,
    sizes = LONG, calls = even, truth = 100, tick_ns = 15.6e6,
    factor = normal_launches(0.007) },
  { "clock of 15.6 ms, batches of 20-160 ms", launches = 4, batches = 30,
    sizes = steps(2e5, 1.6e6, 30), calls = even, truth = 100, tick_ns = 15.6e6,
    factor = normal_launches(0.007) },
  { "heavy one-sided tail (Pareto 1.2, 3 %)", launches = 10, batches = 60,
    sizes = LONG, calls = even, truth = 100, factor = normal_launches(0.007),
    lift = function(random)
      return 1 + math.min(5, 0.01 * random.uniform() ^ (-1 / 1.2) - 0.01)
    end },
  { "heavy tail, 20 calls in a batch", launches = 10, batches = 40,
    sizes = steps(5, 40, 30), calls = even, truth = 100,
    factor = normal_launches(0.007),
    lift = function(random)
      return 1 + math.min(5, 0.01 * random.uniform() ^ (-1 / 1.2) - 0.01)
    end },
  -- rare dear calls
  { "dear calls in 1 of 40 batches, 10x of a batch", launches = 10,
    batches = 60, sizes = { 2, 3 }, call = share(1 / 100, 25, 1e6),
    truth = 1e6 },
  { "dear calls in 1 of 4 batches, 3x of a batch", launches = 10,
    batches = 60, sizes = { 2, 3 }, call = share(1 / 10, 7.5, 1e6),
    truth = 1e6 },
  { "dear calls in 1 of 10 batches, 5x of a batch", launches = 10,
    batches = 60, sizes = { 2, 3 }, call = share(1 / 25, 12.5, 1e6),
    truth = 1e6 },
  { "a call in 1000 100x, batches of 400 on average", launches = 10,
    batches = 60, sizes = steps(100, 800, 30), call = share(1e-3, 100, 2e4),
    truth = 2e4 },
  { "a call in 100 30x, batches of 400 on average", launches = 10,
    batches = 60, sizes = steps(100, 800, 30), call = share(1e-2, 30, 2e4),
    truth = 2e4 },
}

local function line(name, list, truth, refused)
  local values, halves, held, of_middle = {}, {}, 0, 0
  for i, one in ipairs(list) do values[i] = one.value end
  local middle = stats.median(values)
  for _, one in ipairs(list) do
    if one.low then
      halves[#halves + 1] = (one.high - one.low) / 2 / one.value
      if one.low <= truth and truth <= one.high then held = held + 1 end
      if one.low <= middle and middle <= one.high then
        of_middle = of_middle + 1
      end
    end
  end
  local count = math.max(1, #halves)
  print(("| %-56s | %5.1f %% | %5.1f %% | %+6.2f %% | %6.2f %% | %5.1f %% |")
    :format(name, 100 * held / count, 100 * of_middle / count,
      100 * (middle / truth - 1), halves[1] and 100 * stats.median(halves)
      or 0 / 0, 100 * refused / #list))
end

print("| scenario | holds the truth | the median of runs | bias | half-width "
  .. "| refused |\n|---|---|---|---|---|---|")
for _, s in ipairs(SCENARIOS) do
  if s[1]:find(PATTERN) then
    local times, ratios, refused, ratio_refused = {}, {}, 0, 0
    for run = 1, RUNS do
      local both = machine.lockstep(s, SEED + 7919 * run, { 1, 1 })
      local best = both[1].width and 4 or nil
      local time = estimate.per_call(both[1], "wall_ns", SETTINGS, best)
      times[run] = time
      if not time.low then refused = refused + 1 end
      if not os.getenv "NO_RATIO" then
        local compared = ratio.compare({ id = "a", samples = both[1] },
          { id = "b", samples = both[2] }, SETTINGS, best)
        ratios[run] = compared and compared.ratio or { value = 1 }
        if not ratios[run].low then ratio_refused = ratio_refused + 1 end
      end
    end
    line(s[1], times, s.truth, refused)
    if ratios[1] then line("  ratio to its equal", ratios, 1, ratio_refused) end
    io.stdout:flush()
  end
end
