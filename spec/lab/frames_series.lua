-- What the recorder says of twelve series of frames whose truth is known.
-- Counts and the longest exactly, percentiles and lows beside those of all the
-- frames; then 10^7 frames in memory that must not grow; then, for series that
-- are drawn at random, in how many of some runs intervals hold what is true of
-- the process (95 % are meant to). Prints; judges nothing.
--   make lab NAME=frames_series [ARGS="RUNS FRAMES SEED"]
local core = require "tare.core"
local tare = require "tare"

local RUNS, FRAMES = tonumber((...)) or 200, tonumber((select(2, ...))) or 36000
local MANY, MS = 1e7, 1e6
local BUDGET_MS = 16.67

local seed = tonumber((select(3, ...))) or 1
local function random()
  seed = (seed * 16807) % 2147483647
  return seed / 2147483647
end

-- Calm and busy stretches of some 40 frames.
local function stretches()
  local is_busy = false
  return function()
    if random() < 0.025 then is_busy = random() < 0.1 end
    return is_busy and 12.5 + 10 * random() or 8 + 4 * random()
  end
end

local function exponential() return 5 - 2 * math.log(1 - random()) end

-- A scene that gets heavier and lighter over some 50 frames: the logarithm of
-- the duration is an autoregression of the first order.
local AGAIN, WIDTH, TYPICAL = 0.98, 0.35, 8
local function scenes()
  local normal
  local function next_normal()
    return math.sqrt(-2 * math.log(1 - random()))
      * math.cos(2 * math.pi * random())
  end
  return function()
    normal = normal and AGAIN * normal
      + math.sqrt(1 - AGAIN ^ 2) * next_normal() or next_normal()
    return TYPICAL * math.exp(WIDTH * normal)
  end
end

-- Work that comes round every 137th frame, beside others of half a millisecond.
local EVERY, PERIODIC, OTHERS = 137, 20, 0.5
local function in_turn()
  local i = math.floor(EVERY * random())
  return function()
    i = i + 1
    return OTHERS + random() / 10 + (i % EVERY == 0 and PERIODIC or 0)
  end
end

-- Hitches of 100 ms that come by chance.
local function hitches()
  return function()
    return random() < 0.001 and 100 or 8 + random()
  end
end

local function heavy_tail() return 4 / (1 - random()) ^ 0.4 end

local SERIES = {
  { "100 ms every 1,000th", function(i)
    return i % 1000 == 0 and 100 or 8 + i % 13 / 10
  end },
  { "25 ms every 50th", function(i) return i % 50 == 0 and 25 or 10 end },
  { "8 and 25 in turn", function(i) return i % 2 == 0 and 8 or 25 end },
  { "drift", function(i) return 8 + i / 3000 end },
  { "bimodal", function()
    return (random() < 0.3 and 14 or 6) * (0.95 + random() / 10)
  end },
  { "exponential", exponential },
  { "stretches", stretches() },
  { "steps of levels", function(i) return 6 + math.floor(i / 6000) * 2 end },
  { "constant", function() return 16 end },
  { "heavy tail", heavy_tail },
  { "scenes", scenes() },
  { "20 ms every 137th", in_turn() },
}

print(("%-22s %7s %7s %8s %8s %8s %8s"):format("series", "over", "longest",
  "p50", "p95", "p99", "1 % low"))
for _, series in ipairs(SERIES) do
  local recorder, list, over = tare.frames { budget_ms = BUDGET_MS }, {}, 0
  for i = 1, FRAMES do
    local ms = series[2](i)
    list[i] = ms
    if ms * MS > BUDGET_MS * 1e6 then over = over + 1 end
    recorder:push(ms * MS)
  end
  local said = recorder:result()
  local sorted, sum = {}, 0
  for i, ms in ipairs(list) do sorted[i] = ms end
  table.sort(sorted, function(a, b) return a > b end)
  local most = math.max(1, math.floor(0.01 * FRAMES))
  for i = 1, most do sum = sum + sorted[i] end
  local function off(value, truth)
    return ("%+.2f %%"):format(100 * (value / truth - 1))
  end
  print(("%-22s %7s %7s %8s %8s %8s %8s"):format(series[1],
    said.over.frames == over and "exact" or "WRONG",
    math.abs(said.max - sorted[1]) < 1e-9 * sorted[1] and "exact" or "WRONG",
    off(said.p50, core.stats.quantile(list, 0.5)),
    off(said.p95, core.stats.quantile(list, 0.95)),
    off(said.p99, core.stats.quantile(list, 0.99)),
    off(said.low1.ms, sum / most)))
end

-- 10^7 frames.
local function resident_kb()
  local file = io.open "/proc/self/statm"
  local pages = file and file:read "*l":match "%d+ (%d+)"
  if file then file:close() end
  return pages and pages * 4 or 0
end
local recorder, over, longest = tare.frames {}, 0, 0
local heap_kb, all_kb
for i = 1, MANY do
  local ns = exponential() * MS
  if ns > 1000 / 60 * MS then over = over + 1 end
  if ns > longest then longest = ns end
  recorder:push(ns)
  if i == 10000 then
    collectgarbage()
    collectgarbage()
    heap_kb, all_kb = collectgarbage "count", resident_kb()
  end
end
collectgarbage()
collectgarbage()
heap_kb, all_kb = collectgarbage "count" - heap_kb, resident_kb() - all_kb
local said = recorder:result()
print(("10^7 frames: count %s, over %s, longest %s; p50 %+.2f %%, p99 "
  .. "%+.2f %%, 0.1 %% low %.2f ms; heap %+.1f kB, process %+d kB"):format(
  said.frames == MANY and "exact" or "WRONG",
  said.over.frames == over and "exact" or "WRONG",
  math.abs(said.max * MS - longest) < 1 and "exact" or "WRONG",
  100 * (said.p50 / (5 - 2 * math.log(0.5)) - 1),
  100 * (said.p99 / (5 - 2 * math.log(0.01)) - 1), said.low01.ms, heap_kb,
  all_kb))

-- Intervals. The truth of the process: over, p50, p95, p99, and the mean of the
-- slowest 1 %. That of the stretches from how they are drawn: a tenth of the
-- frames is uniform on 12.5 to 22.5, the others on 8 to 12.
local function conditional(q_of, from)
  local sum, N = 0, 20000
  for i = 1, N do sum = sum + q_of(from + (1 - from) * (i - 0.5) / N) end
  return sum / N
end
local function of_stretches(q)
  return q < 0.9 and 8 + 4 * q / 0.9 or 12.5 + 10 * (q - 0.9) / 0.1
end
local function of_exponential(q) return 5 - 2 * math.log(1 - q) end
local function of_bimodal(q)
  local function uniform(at, share) return at * (0.95 + share / 10) end
  return q < 0.7 and uniform(6, q / 0.7) or uniform(14, (q - 0.7) / 0.3)
end
-- The normal distribution: the share up to a value, and the value of a share.
local function share_up_to(z) -- by Simpson's rule
  local sum, N = 0, 2000
  for i = 0, N do
    local weight = (i == 0 or i == N) and 1 or i % 2 == 1 and 4 or 2
    local at = z * i / N
    sum = sum + weight * math.exp(-at * at / 2)
  end
  return 0.5 + sum * z / N / 3 / math.sqrt(2 * math.pi)
end
local normals = {}
for i = 0, 12000 do normals[i] = share_up_to((i - 6000) / 1000) end
local function of_scenes(q)
  local low, high = 0, 12000
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    if normals[middle] < q then low = middle else high = middle end
  end
  local part = (q - normals[low]) / (normals[high] - normals[low])
  return TYPICAL * math.exp(WIDTH * (low + part - 6000) / 1000)
end
local function of_in_turn(q)
  local others = 1 - 1 / EVERY
  return q < others and OTHERS + q / others / 10
    or OTHERS + PERIODIC + (q - others) * EVERY / 10
end
local function of_hitches(q)
  return q < 0.999 and 8 + q / 0.999 or 100
end
local function of_heavy_tail(q) return 4 / (1 - q) ^ 0.4 end
for _, process in ipairs {
  { "100 ms by chance", hitches, of_hitches, 0.001 },
  { "heavy tail", function() return heavy_tail end, of_heavy_tail,
    (4 / BUDGET_MS) ^ 2.5 },
  { "scenes", scenes, of_scenes,
    1 - share_up_to(math.log(BUDGET_MS / TYPICAL) / WIDTH) },
  { "20 ms every 137th", in_turn, of_in_turn, 1 / EVERY },
  { "exponential", function() return exponential end, of_exponential,
    math.exp(-(BUDGET_MS - 5) / 2) },
  { "bimodal", function() return SERIES[5][2] end, of_bimodal, 0 },
  { "stretches", stretches, of_stretches, 0.1 * (22.5 - BUDGET_MS) / 10 } } do
  local held, quantile = {}, process[3]
  local truth = { p50 = quantile(0.5), p95 = quantile(0.95),
    p99 = quantile(0.99), over = process[4],
    low1 = conditional(quantile, 0.99) }
  for _ = 1, RUNS do
    local next_ms = process[2]()
    local one = tare.frames { budget_ms = BUDGET_MS }
    for i = 1, FRAMES / 4 do one:push(next_ms(i) * MS) end
    local found = one:result()
    for name, value in pairs(truth) do
      local interval = found.intervals[name] or found[name]
      if (interval.low or 0) <= value and value <= (interval.high or 1/0) then
        held[name] = (held[name] or 0) + 1
      end
    end
  end
  local texts = {}
  for _, name in ipairs { "over", "p50", "p95", "p99", "low1" } do
    texts[#texts + 1] = ("%s %.1f %%"):format(name,
      100 * (held[name] or 0) / RUNS)
  end
  print(("intervals hold, of %d runs of %d frames, %s: %s"):format(RUNS,
    FRAMES / 4, process[1], table.concat(texts, ", ")))
end
