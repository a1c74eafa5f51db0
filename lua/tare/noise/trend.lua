-- Whether values that follow each other drift.
local core = require "tare.core"

local trend = {}

local MAX_BLOCKS, ROWS_A_BLOCK, MIN_BLOCKS = 12, 3, 8

--- Change from first to last value by the median of pairwise slopes (Sen
--- 1968), and how many standard deviations rises outnumber falls by
--- (Mann 1945): beyond 2.58 it is chance in one of a hundred.
---@param values number[] at least two
---@return number change negative where they fall
---@return number z
function trend.of(values)
  local n, rises, slopes = #values, 0, {}
  for i = 1, n - 1 do
    for j = i + 1, n do
      local step = values[j] - values[i]
      rises = rises + (step > 0 and 1 or step < 0 and -1 or 0)
      slopes[#slopes + 1] = step / (j - i)
    end
  end
  local sd = math.sqrt(n * (n - 1) * (2 * n + 5) / 18)
  return core.stats.median(slopes) * (n - 1), rises / sd
end

--- Medians of up to twelve blocks of neighbours: what is alike over a short
--- time then counts once. nil where there are too few values.
---@param values number[]
---@return number[]?
function trend.blocks(values)
  local count = math.min(MAX_BLOCKS, math.floor(#values / ROWS_A_BLOCK))
  if count < MIN_BLOCKS then return nil end
  local medians = {}
  for b = 1, count do
    local block = {}
    for i = math.floor((b - 1) * #values / count) + 1,
      math.floor(b * #values / count) do
      block[#block + 1] = values[i]
    end
    medians[b] = core.stats.median(block)
  end
  return medians
end

return trend
