-- What rows of frames say: how long they took, how many were over the budget,
-- the pauses among them. Pure: numbers in, figures out.
local core = require "tare.core"
local sum = require("tare.base.columns").sum

local frames = {}

local PAUSE_SHARE = 0.1 -- of the budget, above the median frame: a pause
local WORST = 5
local Z = 1.959963984540054 -- 95 % of a normal distribution

--- Share of 'count' among 'total' with its 95 % interval, by Wilson's score
--- (E. B. Wilson, "Probable inference", JASA 22, 1927).
---@param count integer
---@param total integer at least 1
---@return { value: number, low: number, high: number, frames: integer }
function frames.share(count, total)
  local p, spread = count / total, Z * Z / total
  local centre = (p + spread / 2) / (1 + spread)
  local half = Z / (1 + spread)
    * math.sqrt(p * (1 - p) / total + spread / total / 4)
  return { value = p, low = math.max(0, centre - half),
    high = math.min(1, centre + half), frames = count }
end

local function quantiles(list_ns)
  local function at(q) return core.stats.quantile(list_ns, q) / 1e6 end
  return { p50 = at(0.5), p95 = at(0.95), p99 = at(0.99), max = at(1),
    unit = "ms" }
end

-- Frames that took clearly longer than the one in the middle.
local function pauses_of(wall_ns, median_ms, budget_ms)
  local least_ms, excess = PAUSE_SHARE * budget_ms, {}
  for i = 1, #wall_ns do
    local ms = wall_ns[i] / 1e6 - median_ms
    if ms > least_ms then excess[#excess + 1] = ms end
  end
  table.sort(excess, function(a, b) return a > b end)
  local found = frames.share(#excess, #wall_ns)
  found.longer_by_ms = least_ms
  found.typical_ms = excess[1] and core.stats.median(excess)
  found.worst_ms = {}
  for i = 1, math.min(WORST, #excess) do found.worst_ms[i] = excess[i] end
  return found
end

-- What an automatic collector takes can't be timed from outside. What can be
-- seen: how much longer the frames in which a collection ended are than the one
-- in the middle of the others, and what share of all time that is.
local function collections_of(columns)
  local with, without = {}, {}
  local minor, major = columns.gc_minor or {}, columns.gc_major or {}
  for i, ns in ipairs(columns.wall_ns) do
    local list = (minor[i] or 0) + (major[i] or 0) > 0 and with or without
    list[#list + 1] = ns
  end
  if #with == 0 or #without == 0 then return nil end
  local typical_ns = core.stats.median(without)
  local middle = core.stats.sign_interval(with)
  local function longer_ms(ns) return ns and (ns - typical_ns) / 1e6 end
  return { frames = #with, share = math.max(0,
    (sum(with) - #with * typical_ns) / sum(columns.wall_ns)),
    longer_by_ms = { value = longer_ms(middle.value),
      low = longer_ms(middle.low), high = longer_ms(middle.high) } }
end

--- Figures of frames.
---@param columns table wall_ns, and where known collector_ns, gc_minor,
---  gc_major, heap_bytes: a number a frame each
---@param budget_ms number
---@return table summary p50, p95, p99 and max in ms; 'over' the budget;
---  'pauses'; 'collector' (ms a frame, and its share of all time) where it was
---  timed; 'collections': frames in which one ended, and how much longer they
---  are
function frames.summary(columns, budget_ms)
  local wall_ns, over = columns.wall_ns, 0
  for i = 1, #wall_ns do
    if wall_ns[i] > budget_ms * 1e6 then over = over + 1 end
  end
  local summary = quantiles(wall_ns)
  summary.frames = #wall_ns
  summary.over = frames.share(over, #wall_ns)
  summary.pauses = pauses_of(wall_ns, summary.p50, budget_ms)
  if columns.collector_ns then
    summary.collector = quantiles(columns.collector_ns)
    summary.collector.share = sum(columns.collector_ns) / sum(wall_ns)
  end
  summary.collections = collections_of(columns)
  for _, name in ipairs { "gc_minor", "gc_major" } do
    if columns[name] then summary[name] = sum(columns[name]) end
  end
  local heap = columns.heap_bytes
  if heap then summary.heap_bytes = { first = heap[1], last = heap[#heap],
    max = core.stats.quantile(heap, 1) } end
  return summary
end

-- Whether a policy is to be preferred: fewer frames over the budget, if that
-- is certain; else the lower p99.
local function better(a, b)
  if a.over.high < b.over.low then return true end
  if b.over.high < a.over.low then return false end
  return a.p99 < b.p99
end

local MOST_HEAP = 2 -- times that of the automatic collector
local WORTH = 0.9 -- of p99: what is gained by less is not worth a change

--- Which of the policies serves best; the first one is what there is now. A
--- policy whose heap grows too large does not keep up, and is not taken.
---@param summaries table[] each with 'policy'
---@return { policy: string, settings: table?, reason: string, p99: table,
---  over: table } recommendation; p99 (ms) and over (a share) as { before =,
---  after = }
function frames.recommend(summaries)
  local now, best = summaries[1], summaries[1]
  local most = now.heap_bytes and MOST_HEAP * now.heap_bytes.max or math.huge
  for _, summary in ipairs(summaries) do
    local fits = not summary.heap_bytes or summary.heap_bytes.max <= most
    if fits and better(summary, best) then best = summary end
  end
  if best.p99 > WORTH * now.p99 and best.over.high >= now.over.low then
    best = now
  end
  local reason = best == now
    and ("no policy is clearly better than '%s' (p99 %.2f ms)"):format(
      now.policy, now.p99)
    or ("p99 is %.2f instead of %.2f ms, and %.2f %% instead of %.2f %% of the "
      .. "frames are over the budget"):format(best.p99, now.p99,
      100 * best.over.value, 100 * now.over.value)
  return { policy = best.policy, settings = best.settings, reason = reason,
    p99 = { before = now.p99, after = best.p99 },
    over = { before = now.over.value, after = best.over.value } }
end

return frames
