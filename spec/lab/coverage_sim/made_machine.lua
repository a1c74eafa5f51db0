-- Made-up runs whose truth is known, second kind: calls are drawn one by one
-- and the machine disturbs them in continuous time, so that a batch is the more
-- often disturbed the longer it lasts. For spec/lab/truth_sim.lua.
local noise = require "spec.lab.coverage_sim.made_noise"

local machine = {}

local BETWEEN_NS = 1e5 -- from the end of a batch to the next one
local WIDTH, READING_SD = 4, 0.003

local function shuffle(random, list)
  for i = #list, 2, -1 do
    local j = 1 + math.floor(random.uniform() * i)
    list[i], list[j] = list[j], list[i]
  end
end

-- Another thread on the same core, that comes and goes, or other programs that
-- take the core away. 'burst' is { free_ns, busy_ns, slower = {least, most},
-- is_seen }, 'loss' { every_ns, lost_ns, after_ns }.
local function new_core(random, kind)
  local core = { now = 0, kind = kind }
  local burst, loss = kind.burst, kind.loss
  if burst then
    core.is_busy = random.uniform() < burst.busy_ns
      / (burst.busy_ns + burst.free_ns)
  end
  local function draw_state()
    core.left = random.exponential(core.is_busy and burst.busy_ns
      or burst.free_ns)
    core.slower = core.is_busy and burst.slower[1]
      + random.uniform() * (burst.slower[2] - burst.slower[1]) or 1
  end
  if burst then draw_state() end
  if loss then core.until_loss = random.exponential(loss.every_ns) end

  local function pass(ns)
    core.now = core.now + ns
    if not burst then return end
    core.left = core.left - ns
    while core.left <= 0 do
      local over = -core.left
      core.is_busy = not core.is_busy
      draw_state()
      core.left = core.left - over
    end
  end
  core.pass = pass

  --- Works for so long; what it took, how often it was taken away, and how much
  --- of that it was away.
  function core.work(ns)
    local took, count, away = 0, 0, 0
    while ns > 0 do
      local speed = burst and core.slower or 1
      local piece = ns * speed
      if burst then piece = math.min(piece, core.left) end
      if loss then piece = math.min(piece, core.until_loss) end
      piece = math.max(piece, 1)
      ns, took = ns - piece / speed, took + piece
      pass(piece)
      if loss then
        core.until_loss = core.until_loss - piece
        if core.until_loss <= 0 then
          local lost = random.exponential(loss.lost_ns)
          count, away, took = count + 1, away + lost, took + lost
          pass(lost)
          ns = ns + (loss.after_ns or 0) -- caches are cold
          core.until_loss = random.exponential(loss.every_ns)
        end
      end
    end
    return took, count, away
  end

  function core.read_width()
    if not (burst and burst.is_seen) then return nil end
    return WIDTH / (core.is_busy and math.max(1.06, core.slower) or 1)
      * math.exp(READING_SD * random.normal())
  end
  return core
end

local function sink()
  local columns, n = {}, 0
  return columns, function(row)
    n = n + 1
    for name, value in pairs(row) do
      columns[name] = columns[name] or {}
      columns[name][n] = value
    end
  end
end

-- The time of some calls: one by one where there are few, else their sum by
-- its mean and deviation.
local function time_of_calls(calls, random, state)
  local sum = 0
  for _ = 1, state.iters do
    state.at = state.at + 1
    sum = sum + calls(random, state)
  end
  return sum
end

-- A time by a clock of such ticks.
local function ticked(ns, start, tick_ns)
  if not tick_ns then return ns end
  return (math.floor((start + ns) / tick_ns) - math.floor(start / tick_ns))
    * tick_ns
end

--- Samples of functions in lockstep.
---@param s table launches, batches, sizes (list of calls), call (what one
---  takes; 'against': of the other side) or calls (what n take), factor (of a
---  launch), machine, fixed_ns, tick_ns (of the clock), cpu_tick_ns, sd (of a
---  batch), lift (factor of a batch)
---@param seed integer
---@param factors number[] of each side
---@return table[]
function machine.lockstep(s, seed, factors)
  local random = noise.generator(seed)
  local core = new_core(random, s.machine or {})
  local all, add = {}, {}
  for side in ipairs(factors) do all[side], add[side] = sink() end
  for launch = 1, s.launches do
    local sizes, states = {}, {}
    for i = 1, s.batches do sizes[i] = s.sizes[(i - 1) % #s.sizes + 1] end
    shuffle(random, sizes)
    for side in ipairs(factors) do
      states[side] = { at = math.floor(1e6 * random.uniform()), made = 0,
        factor = s.factor and s.factor(random, launch) or 1 }
    end
    core.pass(2e7)
    for i, iters in ipairs(sizes) do
      for side, factor in ipairs(factors) do
        local state = states[side]
        state.iters = iters
        local ns
        if s.calls then
          ns = s.calls(iters, random, state)
        else
          local call = side == 2 and s.against or s.call
          ns = time_of_calls(call, random, state)
        end
        state.made = state.made + iters
        ns = ns * factor * state.factor
          * math.exp((s.sd or 0.005) * random.normal())
          * (s.lift and s.lift(random, state) or 1)
        local before, start = core.read_width(), core.now
        local wall, count, away = core.work(ns + (s.fixed_ns or 0))
        local after = core.read_width()
        wall = ticked(wall, start, s.tick_ns)
        local row = { iters = iters, launch = launch, start_ns = start,
          round = (launch - 1) * #sizes + i, wall_ns = wall,
          width = before and math.min(before, after) }
        if s.machine and s.machine.loss then
          row.preemptions, row.waits = count, 0
          row.cpu_ns = ticked(wall - away, core.now, s.cpu_tick_ns)
        end
        add[side](row)
        core.pass(BETWEEN_NS)
      end
    end
  end
  if s.launches == 1 then
    for side in ipairs(factors) do all[side].launch = nil end
  end
  return all
end

return machine
