-- How often the interval of one process holds what a quarter of all batches is
-- below, and how wide it is, where there are few batches; and how often two
-- such runs of one function are called different. Usage: few_batches_sim.lua
-- [RUNS]
local core = require "tare.core"
local estimate = require "tare.analysis.estimate"
local interval = require "tare.base.interval"
local made = require "spec.support.made"

local stats = core.stats
local RUNS = tonumber(arg[1]) or 400
local CONFIDENCES = { 0.9, 0.95, 0.99 }
local random = made.generator(7)

local NOISE = {
  { "normal", function() return math.max(0.05, 1 + 0.2 * random.normal()) end },
  { "log-normal", function() return math.exp(0.3 * random.normal()) end },
  { "one side of a normal", function()
    return 1 + 0.2 * math.abs(random.normal())
  end },
  { "exponential, on top", function()
    -- half the sum of two squares of normal deviates
    return 1 + 0.1 * (random.normal() ^ 2 + random.normal() ^ 2)
  end },
}
local SIZES = {
  { "one size", function() return 1000 end },
  { "two sizes", function(i) return 1000 + i % 2 * 1000 end },
}

local function samples_of(batches, iters_of, noise)
  local samples = { iters = {}, wall_ns = {} }
  for i = 1, batches do
    samples.iters[i] = iters_of(i)
    samples.wall_ns[i] = samples.iters[i] * 100 * noise()
  end
  return samples
end

local function truth_of(noise)
  local list = {}
  for i = 1, 2e5 do list[i] = 100 * noise() end
  return stats.quantile(list, 0.25)
end

local function row_of(noise, truth, iters_of, batches, confidence)
  local held, different, halves, last = 0, 0, {}, nil
  for i = 1, RUNS do
    local found = estimate.per_call(samples_of(batches, iters_of, noise),
      "wall_ns", { confidence = confidence })
    if found.low <= truth and truth <= found.high then held = held + 1 end
    halves[i] = (found.high - found.low) / 2 / found.value
    local ratio = last and interval.ratio(found, last)
    if ratio and (ratio.low > 1 or ratio.high < 1) then
      different = different + 1
    end
    last = found
  end
  return ("%5.1f %% ±%3.0f %% (%.1f %% different)"):format(100 * held / RUNS,
    100 * stats.median(halves), 100 * different / (RUNS - 1))
end

for _, kind in ipairs(NOISE) do
  local truth = truth_of(kind[2])
  for _, sizes in ipairs(SIZES) do
    for _, batches in ipairs { 3, 4, 5, 6, 8, 10, 12, 16, 24 } do
      local cells = {}
      for i, confidence in ipairs(CONFIDENCES) do
        cells[i] = row_of(kind[2], truth, sizes[2], batches, confidence)
      end
      print(("%-21s %-9s %2d  %s"):format(kind[1], sizes[1], batches,
        table.concat(cells, "  ")))
    end
  end
end
