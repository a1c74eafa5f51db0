-- Made-up runs whose truth is known: samples of batches as tare records them,
-- with noise of many kinds. For spec/lab/coverage_sim.lua.
local noise = {}

local CALL_NS = 100
local GROWTH = 1.02 -- of batch sizes, geometric, shuffled as tare does
local MEAN_CALLS = 20000 -- of a batch, about

-- Park and Miller's generator, the same on every Lua.
local function generator(seed)
  local state = seed % 2147483646 + 1
  local random = {}
  function random.uniform()
    state = state * 16807 % 2147483647
    return state / 2147483647
  end
  function random.normal()
    return math.sqrt(-2 * math.log(random.uniform()))
      * math.cos(2 * math.pi * random.uniform())
  end
  function random.exponential(mean)
    return -mean * math.log(random.uniform())
  end
  for _ = 1, 10 do random.uniform() end
  return random
end
noise.generator = generator

-- Each scenario: how a launch draws its factor, and how its batches are
-- disturbed. 'batch' gets the state of the launch and gives a factor; what it
-- sets in 'row' is recorded.
local function normal_launches(sd)
  return function(random) return math.exp(sd * random.normal()) end
end

local function lognormal(sd)
  return function(random) return math.exp(sd * random.normal()) end
end

-- A quick state and a slow one, each for a while.
local function two_speeds(ratio, quick_ns, slow_ns, width)
  return function(random, state, row)
    if not state.left_ns or state.left_ns <= 0 then
      if state.is_slow == nil then
        state.is_slow = random.uniform() < slow_ns / (quick_ns + slow_ns)
      else
        state.is_slow = not state.is_slow
      end
      state.left_ns = random.exponential(state.is_slow and slow_ns or quick_ns)
    end
    state.left_ns = state.left_ns - row.plain_ns
    row.width = width and (state.is_slow and width or 4)
      * math.exp(0.01 * random.normal())
    return (state.is_slow and ratio or 1) * math.exp(0.01 * random.normal())
  end
end

local function autoregressive(rho, sd)
  return function(random, state)
    state.level = rho * (state.level or sd * random.normal())
      + math.sqrt(1 - rho * rho) * sd * random.normal()
    return math.exp(state.level + 0.005 * random.normal())
  end
end

local function one_sided(share, mean)
  return function(random)
    local factor = math.exp(0.005 * random.normal())
    if random.uniform() < share then
      factor = factor + random.exponential(mean)
    end
    return factor
  end
end

local function heavy(sd)
  return function(random) -- Student's t with two degrees of freedom
    local x = random.normal() / math.sqrt(random.exponential(1))
    return math.exp(math.max(-0.5, math.min(3, sd * x)))
  end
end

-- A collection in so many batches, which takes as long as 'cost' of them.
local function collections(every, cost, kind)
  return function(random, _, row, own)
    own.heap = (own.heap or random.uniform())
      + row.iters / MEAN_CALLS / every
    local seen = math.floor(own.heap)
    own.heap = own.heap - seen
    row[kind] = seen
    row.extra_ns = seen * cost * MEAN_CALLS * CALL_NS
      * math.exp(0.1 * random.normal())
    return math.exp(0.01 * random.normal())
  end
end

local function grouped(shares, factors, sd)
  return function(random)
    local u, sum = random.uniform(), 0
    for i, share in ipairs(shares) do
      sum = sum + share
      if u < sum or i == #shares then
        return factors[i] * math.exp(sd * random.normal())
      end
    end
  end
end

local function skewed_launches(mean)
  return function(random) return 1 + random.exponential(mean) end
end

-- A level that jumps at random times.
local function jumps(sd, every)
  return function(random, state)
    if not state.level or random.uniform() < 1 / every then
      state.level = sd * random.normal()
    end
    return math.exp(state.level + 0.01 * random.normal())
  end
end

local function interrupted(random)
  local factor = math.exp(0.003 * random.normal())
  return random.uniform() < 0.05 and factor * (1 + random.uniform() * 3)
    or factor
end

local A, L = normal_launches, lognormal

--- Scenarios that methods were chosen on.
noise.chosen_on = {
  { "log-normal 1 %, launches 0.5 %", A(0.005), L(0.01) },
  { "log-normal 5 %, launches 1 %", A(0.01), L(0.05) },
  { "launches 2 % apart", A(0.02), L(0.01) },
  { "launches 5 % apart", A(0.05), L(0.01) },
  { "one-sided: a fifth, +20 %", A(0.01), one_sided(0.2, 0.2) },
  { "two speeds 1.3x, 10 ms", A(0.01), two_speeds(1.3, 2e7, 1e7) },
  { "two speeds 1.3x, 5 s", A(0.01), two_speeds(1.3, 2e10, 5e9) },
  { "AR(1) 0.95, 2 %", A(0.01), autoregressive(0.95, 0.02) },
  { "a collection in 40 batches", A(0.01), collections(40, 5, "gc_major") },
  { "a collection in 4 batches", A(0.01), collections(4, 1, "gc_minor") },
  { "groups 1 and 1.5x, 80:20", grouped({ 0.8, 0.2 }, { 1, 1.5 }, 0.005),
    L(0.01) },
  { "groups 1 and 1.08x, 50:50", grouped({ 0.5, 0.5 }, { 1, 1.08 }, 0.005),
    L(0.01) },
  { "100 us a batch beside", A(0.005), L(0.01), fixed_ns = 1e5 },
  { "30 us a batch beside", A(0.01), L(0.015), fixed_ns = 3e4 },
  { "10 us a batch beside", A(0.005), L(0.01), fixed_ns = 1e4 },
  { "100 us beside, a collection in 20", A(0.005),
    collections(20, 2, "gc_major"), fixed_ns = 1e5 },
  { "30 us beside, a collection in 10", A(0.005),
    collections(10, 1, "gc_minor"), fixed_ns = 3e4 },
  { "crowded, 60 % of the time", A(0.01), two_speeds(1.5, 4e7, 6e7, 3.2) },
}

--- Scenarios that the choice has not seen.
noise.held_out = {
  { "log-normal 2 %, launches 0.2 %", A(0.002), L(0.02) },
  { "launches 1 % apart", A(0.01), L(0.003) },
  { "launches 3 % apart", A(0.03), L(0.02) },
  { "skewed launches, +2 %", skewed_launches(0.02), L(0.01) },
  { "heavy tails (t, 2), 2 %", A(0.01), heavy(0.02) },
  { "interrupts: a twentieth, up to 4x", A(0.01), interrupted },
  { "two speeds 1.15x, 100 ms", A(0.01), two_speeds(1.15, 3e8, 1e8) },
  { "a level that jumps, 3 %", A(0.01), jumps(0.03, 25) },
  { "AR(1) 0.8, 4 %", A(0.005), autoregressive(0.8, 0.04) },
  { "a collection in 15 batches", A(0.01), collections(15, 2, "gc_major") },
  { "three groups 1, 1.03, 1.2x",
    grouped({ 0.6, 0.25, 0.15 }, { 1, 1.03, 1.2 }, 0.004), L(0.01) },
  { "groups 1 and 1.3x, 90:10", grouped({ 0.9, 0.1 }, { 1, 1.3 }, 0.01),
    L(0.02) },
  { "50 us a batch beside", A(0.01), L(0.02), fixed_ns = 5e4 },
  { "crowded, half of the time, 1 s", A(0.01),
    two_speeds(1.6, 1e9, 1e9, 3) },
}

local function sizes_of(random, count, first)
  local sizes = {}
  for i = 1, count do
    sizes[i] = math.floor(first * GROWTH ^ ((i - 1) % 70))
  end
  for i = count, 2, -1 do
    local j = 1 + math.floor(random.uniform() * i)
    sizes[i], sizes[j] = sizes[j], sizes[i]
  end
  return sizes
end

-- Columns of samples that rows are added to.
local function sink()
  local columns, n = { iters = {}, wall_ns = {}, start_ns = {}, launch = {},
    round = {} }, 0
  return columns, function(row)
    n = n + 1
    for _, name in ipairs { "iters", "wall_ns", "start_ns", "launch", "round",
      "width", "gc_minor", "gc_major" } do
      if row[name] then
        columns[name] = columns[name] or {}
        columns[name][n] = row[name]
      end
    end
  end
end

--- The samples of functions that are measured in lockstep: the machine's state
--- is the same for all and goes on from launch to launch, processes draw their
--- own.
---@param scenario table
---@param shape { launches: integer, batches: integer, calls: integer? }
---  batches in each launch, of so many calls at least
---@param seed integer
---@param costs number[] what a call of each function costs but for all noise
---@return table[] samples columns of each
function noise.lockstep(scenario, shape, seed, costs)
  local random = generator(seed)
  local draw, disturb = scenario[2], scenario[3]
  local now, state, all, add, own = 0, {}, {}, {}, {}
  for side in ipairs(costs) do
    all[side], add[side] = sink()
    own[side] = {}
  end
  for launch = 1, shape.launches do
    local factor, sizes = {}, sizes_of(random, shape.batches,
      shape.calls or 10000)
    for side in ipairs(costs) do factor[side] = draw(random) end
    now = now + 2e7
    for i, iters in ipairs(sizes) do
      for side, call_ns in ipairs(costs) do
        local row = { iters = iters, launch = launch, start_ns = now,
          round = (launch - 1) * #sizes + i,
          plain_ns = iters * call_ns * factor[side] }
        row.wall_ns = row.plain_ns * disturb(random, state, row, own[side])
          + (row.extra_ns or 0) + (scenario.fixed_ns or 0)
        add[side](row)
        now = now + row.wall_ns + 2e4
      end
    end
  end
  return all
end

noise.CALL_NS = CALL_NS

--- The samples of a run of one function, which costs noise.CALL_NS.
---@return table samples columns
function noise.run(scenario, shape, seed)
  return noise.lockstep(scenario, shape, seed, { CALL_NS })[1]
end

return noise
