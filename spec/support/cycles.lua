-- The experiment of docs/cycles.md: batches of four benches in alternation
-- for some seconds, and how well nanoseconds, core cycles, and core cycles of
-- uncrowded batches repeat. From the top folder:
--   LUA_PATH='lua/?.lua;;' LUA_CPATH='build/lua5.4/?.so;;' \
--     lua5.4 spec/support/cycles.lua [seconds]
local core = require "tare.core"
local rows = require "tare.noise.rows"

local SECONDS = tonumber((arg or {})[1]) or 240
local BATCH_NS = 3e5
local stats = core.stats

local BENCHES = {
  { "arithmetic", function(n)
    local x = 0.5
    for _ = 1, n do x = x * 1.0000001 + 0.3 end
    return x
  end },
  { "tables", function(n)
    local t
    for i = 1, n do t = { i, i } end
    return t
  end },
  { "strings", function(n)
    local s
    for i = 1, n do s = ("k" .. i):upper() end
    return s
  end },
  { "calls", function(n)
    local floor, sum = math.floor, 0
    for i = 1, n do sum = sum + floor(i / 3) + #tostring(i % 7) end
    return sum
  end },
}

local function calls_of_a_batch(f)
  local n, ns = 64, 0
  while ns < BATCH_NS do
    n = n * 2
    f(n)
    local start = core.now_ns()
    f(n)
    ns = core.now_ns() - start
  end
  return n
end

local function measure(seconds)
  local meter = core.meter { chain_steps = core.chain_steps() }
  local stores, counts = {}, {}
  for i, bench in ipairs(BENCHES) do
    stores[i] = core.samples(math.max(1000, seconds * 2000))
    counts[i] = calls_of_a_batch(bench[2])
  end
  local finish = core.now_ns() + seconds * 1e9
  while core.now_ns() < finish do
    for i, bench in ipairs(BENCHES) do
      meter:time(stores[i], bench[2], counts[i])
    end
  end
  return stores, counts
end

-- Medians of the values of each stretch of so many seconds.
local function stretches(values, start_ns, seconds)
  local of, medians = {}, {}
  for i, value in pairs(values) do
    local place = math.floor((start_ns[i] - start_ns[1]) / (seconds * 1e9))
    of[place] = of[place] or {}
    table.insert(of[place], value)
  end
  for _, list in pairs(of) do
    if #list >= 20 * seconds then medians[#medians + 1] = stats.median(list) end
  end
  return medians
end

local function percent_spread(list)
  return 100 * stats.stddev(list) / stats.mean(list)
end

local function line(name, column, start_ns)
  local all = {}
  for _, value in pairs(column) do all[#all + 1] = value end
  local middle = stats.median(all)
  local short, long = stretches(column, start_ns, 1),
    stretches(column, start_ns, 10)
  return ("  %-28s %6.2f %7.3f %9.2f %9.2f %9.2f"):format(name,
    100 * stats.mad(all) / middle, stats.quantile(all, 0.99) / middle,
    percent_spread(short), percent_spread(long),
    100 * (stats.quantile(long, 1) / stats.quantile(long, 0) - 1))
end

local function uncrowded(values, crowded)
  local kept = {}
  for i, value in ipairs(values) do
    if not crowded[i] then kept[i] = value end
  end
  return kept
end

local stores, counts = measure(SECONDS)
print(("%s, %d s: median batch; robust CV %%, p99 / median, CV %% of medians "
  .. "of 1 s and of 10 s, range %% of those"):format(
  rawget(_G, "jit") and jit.version or _VERSION, SECONDS))
for i, bench in ipairs(BENCHES) do
  local s = stores[i]:columns()
  local crowded, share = rows.crowded(s)
  print(("%s: %d calls, %.0f us, %d batches, %.1f %% crowded"):format(bench[1],
    counts[i], stats.median(s.wall_ns) / 1e3, #s.wall_ns, 100 * share))
  print(line("nanoseconds", s.wall_ns, s.start_ns))
  print(line("cycles", s.cycles, s.start_ns))
  print(line("nanoseconds, uncrowded", uncrowded(s.wall_ns, crowded),
    s.start_ns))
  print(line("cycles, uncrowded", uncrowded(s.cycles, crowded), s.start_ns))
end
