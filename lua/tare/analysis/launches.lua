-- Several launches, each one draw of hash seed, addresses and traces: how far
-- they lie apart, beside how far the batches of one do.
local columns = require "tare.base.columns"
local core = require "tare.core"

local launches = {}

-- The samples of each launch, in the order of their numbers.
local function apart(samples)
  local parts, numbers = {}, {}
  for row, number in ipairs(samples.launch) do
    if not parts[number] then
      parts[number] = { iters = {}, wall_ns = {} }
      numbers[#numbers + 1] = number
    end
    local part = parts[number]
    part.iters[#part.iters + 1] = samples.iters[row]
    part.wall_ns[#part.wall_ns + 1] = samples.wall_ns[row]
  end
  table.sort(numbers)
  for i, number in ipairs(numbers) do numbers[i] = parts[number] end
  return numbers
end

-- Time of a call in one launch: the slope, or the mean where none can be had.
local function call_ns(part)
  local fit = core.stats.ols(part.wall_ns, { part.iters },
    { intercept = columns.varies(part.iters) })
  return fit and fit.coefficients[1]
    or columns.sum(part.wall_ns) / columns.sum(part.iters)
end

-- Standard deviation of the time of a call over batches, pooled over launches.
local function pooled_sd(parts)
  local squares, freedom = 0, 0
  for _, part in ipairs(parts) do
    local rows = #part.iters
    if rows > 1 then
      local sd = core.stats.stddev(columns.ratio(part.wall_ns, part.iters))
      squares = squares + sd * sd * (rows - 1)
      freedom = freedom + rows - 1
    end
  end
  return freedom > 0 and math.sqrt(squares / freedom) or nil
end

--- Whether samples are of more than one launch.
---@param samples table<string, number[]>
---@return boolean
function launches.several(samples)
  return samples.launch ~= nil and columns.varies(samples.launch)
end

--- Adds to a result of several launches 'between': the standard deviation of
--- the launches' estimates of a call, with these; and 'within': that of the
--- time of a call over the batches of a launch.
---@param result table
---@param samples table<string, number[]>
function launches.add(result, samples)
  if not launches.several(samples) then return end
  local parts, estimates = apart(samples), {}
  for i, part in ipairs(parts) do estimates[i] = call_ns(part) end
  result.between = { sd = core.stats.stddev(estimates), unit = "ns",
    estimates = estimates }
  result.within = { sd = pooled_sd(parts), unit = "ns" }
end

return launches
