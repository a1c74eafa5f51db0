-- Ratios on made-up noise: how often two equal functions are called different,
-- and how often a difference is found. Usage: ratio_sim.lua [RUNS]
-- [chosen|held] [LAUNCHES] [ROUNDS of a launch]
local core = require "tare.core"
local noise = require "spec.lab.coverage_sim.made_noise"
local ratio = require "tare.analysis.ratio"

local RUNS = tonumber(arg[1]) or 200
local LAUNCHES = tonumber(arg[3]) or 25
local SHAPE = { launches = LAUNCHES,
  batches = tonumber(arg[4])
    or LAUNCHES > 1 and math.floor(300 / LAUNCHES) or 200 }
local SETTINGS = { confidence = 0.95, tolerance = 0.01 }
local is_held = arg[2] == "held"

local function compared(scenario, seed, factor)
  local samples = noise.lockstep(scenario, SHAPE, seed,
    { noise.CALL_NS * factor, noise.CALL_NS })
  return ratio.compare({ id = "a", samples = samples[1] },
    { id = "b", samples = samples[2] }, SETTINGS, samples[1].width and 4)
end

print("| scenario | called different | beyond 1 % | half-width | no interval "
  .. "| 1 % found | 2 % found | 5 % found |\n|---|---|---|---|---|---|---|---|")
for _, scenario in ipairs(is_held and noise.held_out or noise.chosen_on) do
  local different, beyond, none, halves = 0, 0, 0, {}
  local found = { [1.01] = 0, [1.02] = 0, [1.05] = 0 }
  for run = 1, RUNS do
    local seed = (is_held and 9e5 or 3e5) + 7919 * run
    local same = compared(scenario, seed, 1)
    local one = same.ratio
    if one.low then
      halves[#halves + 1] = (one.high - one.low) / 2
      local is_off = one.low > 1 or one.high < 1
      different = different + (is_off and same.verdict ~= "same" and 1 or 0)
      beyond = beyond + ((one.low > 1.01 or one.high < 1 / 1.01) and 1 or 0)
    else
      none = none + 1
    end
    for factor in pairs(found) do
      local other = compared(scenario, seed + 31, factor).ratio
      if other.low and other.low > 1 then found[factor] = found[factor] + 1 end
    end
  end
  local function percent(count) return ("%.1f"):format(100 * count / RUNS) end
  print(("| %s | %s | %s | %.2f | %s | %s | %s | %s |"):format(scenario[1],
    percent(different), percent(beyond), halves[1]
    and 100 * core.stats.median(halves) or 0 / 0, percent(none),
    percent(found[1.01]), percent(found[1.02]), percent(found[1.05])))
end
