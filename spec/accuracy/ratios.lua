-- Comparisons in one run: how often two identical closures are called
-- different, what the interval of their ratio covers, and how often a function
-- made 3 % slower is called slower.
--   ratios.lua [COMPARISONS = 200] [SLOWER = 100]
local tare = require "tare"

local comparisons = tonumber(arg[1]) or 200
local slowed = tonumber(arg[2]) or 100

-- A closure of its own each time: 'turns' of a loop, and one table.
local function work(turns)
  return function()
    local s = 0
    for i = 1, turns do s = s + i % 7 end
    return { s }
  end
end

local function compared(a, b, quota)
  local found = tare.compare({ a = a, b = b },
    { quota = quota, split = false, instructions = false })
  return found.comparisons[1]
end

local function median(list)
  table.sort(list)
  return list[math.ceil(#list / 2)]
end

local function same_closures()
  local different, beyond, covered, widths = 0, 0, 0, {}
  for _ = 1, comparisons do
    local found = compared(work(200), work(200), "1s")
    local ratio = found.ratio
    if found.verdict == "faster" or found.verdict == "slower" then
      different = different + 1
    end
    if math.abs(math.log(ratio.value)) > 0.01 then beyond = beyond + 1 end
    if ratio.low <= 1 and ratio.high >= 1 then covered = covered + 1 end
    widths[#widths + 1] = (ratio.high - ratio.low) / 2
  end
  print(("A/A: %d comparisons at 1 s: %d called different (%.1f %%), %d "
    .. "beyond 1 %%"):format(comparisons, different,
    100 * different / comparisons, beyond))
  print(("ratios: the 95 %% interval holds 1 in %.1f %%, median half-width "
    .. "%.2f %%"):format(100 * covered / comparisons, 100 * median(widths)))
end

local function slower_by_three_percent()
  local called, ratios = 0, {}
  for i = 1, slowed do
    local found = compared(work(206), work(200), "2s")
    if found.verdict == "slower" then called = called + 1 end
    ratios[i] = found.ratio.value
  end
  print(("power: 3 %% more turns called slower in %d of %d at 2 s, median "
    .. "ratio %.4f"):format(called, slowed, median(ratios)))
end

if comparisons > 0 then same_closures() end
if slowed > 0 then slower_by_three_percent() end
