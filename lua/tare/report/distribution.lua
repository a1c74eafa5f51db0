-- How the times per call of a result's batches are distributed: their values,
-- quantiles with intervals, histogram and density.
local columns = require "tare.base.sample_columns"
local core = require "tare.core"
local figures = require "tare.report.figures"
local interval = require "tare.base.interval"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"

local distribution = {}

-- Small batches carry mostly the cost of starting them; only those of at
-- least this share of the largest are counted.
local LARGE = 1 / 8

local FEWEST = 5 -- batches that make a distribution

local FEWEST_OF_SPREAD = 8 -- batches whose spread has an interval

--- What each batch took, by the clock that the result's time is of: the
--- reference clock where cycles were counted (as tare.analysis.reference has
--- it), else the plain one.
---@param samples table? columns of a pass; by default the timed batches
---@return number[]
function distribution.times(result, samples)
  samples = samples or result.samples or {}
  local wall_ns, cycle_ns = samples.wall_ns or {}, samples.cycle_ns
  local period, list = metrics.reference_ns(result), {}
  if not (cycle_ns and period) then return wall_ns end
  for i = 1, #wall_ns do
    list[i] = wall_ns[i] * period / (cycle_ns[i] or 0/0)
  end
  return list
end

--- The rows that --discard dropped: no figure and no plot is of them.
---@return table<integer, boolean>
function distribution.dropped(result)
  local is_out, samples = {}, result.samples or {}
  if not result.discarded then return is_out end
  for row = 1, #(samples.iters or {}) do
    for kind in pairs(result.discarded_by or {}) do
      is_out[row] = is_out[row] or columns.events(samples, row, kind) > 0
    end
  end
  return is_out
end

-- Time per call, in ns, of each batch that was not dropped and has at least
-- this share of the calls of the largest one. Also the launch of each.
local function per_call(result, least, is_out)
  local samples, list, launches = result.samples or {}, {}, {}
  local launch = samples.draw or samples.launch or {}
  is_out = is_out or distribution.dropped(result)
  local iters, wall_ns = samples.iters or {}, distribution.times(result)
  local largest = 0
  for i = 1, #iters do
    if iters[i] > largest and iters[i] < 1/0 then largest = iters[i] end
  end
  for i = 1, #iters do
    local value = (wall_ns[i] or 0/0) / iters[i]
    if iters[i] >= largest * least and value >= 0 and value < 1e100
      and not is_out[i] then
      local at = #list + 1
      list[at], launches[at] = value, launch[i] or 1
    end
  end
  return list, launches
end

--- Time per call of each large batch, in ns; none where there are no samples.
---@return number[]
function distribution.values(result) return (per_call(result, LARGE)) end

--- The same of those batches only that the time is of: what disturbed the
--- others would stretch a plot of them. Of all, where too few are left.
---@return number[]
---@return boolean is_part whether some are left out
function distribution.undisturbed(result)
  local is_out, all = {}, distribution.values(result)
  for _, row in ipairs(result.left_out or {}) do is_out[row] = true end
  local list = per_call(result, LARGE, is_out)
  if #list == #all or #list < FEWEST then return all, false end
  return list, true
end

--- The one account of a result's batches: "873 batches, 550 of them
--- undisturbed, which make the time; 600 of the 700 longer ones are drawn, 40
--- are far outside"; "20 batches" where that is all; "60 batches that --discard
--- kept" where it dropped others.
---@param shown { longer: integer, drawn: integer|false, beyond: integer } how
---  many of them are long enough for a time of their own, and of these are
---  drawn, if they are one by one, and are outside of the plot
---@return string
function distribution.account(result, shown)
  local dropped = tonumber(result.discarded)
  local measured = #((result.samples or {}).iters or {}) - (dropped or 0)
  local clean = tonumber(result.clean_batches)
  local text = ("%d batches%s"):format(measured, dropped
    and " that --discard kept" or "")
  if clean and clean >= 0 and clean < measured then
    text = ("%s, %d of them undisturbed, which make the time"):format(text,
      clean)
  end
  if not shown.drawn then
    return shown.beyond == 0 and text
      or ("%s; %d far outside"):format(text, shown.beyond)
  end
  if shown.drawn >= measured then return text end
  text = ("%s; %sthe %d%s %s drawn"):format(text, shown.drawn < shown.longer
    and shown.drawn .. " of " or "", shown.longer, shown.longer < measured
    and " longer ones" or "", shown.drawn == 1 and "is" or "are")
  if shown.beyond == 0 then return text end
  return ("%s, %d %s far outside"):format(text, shown.beyond,
    shown.beyond == 1 and "is" or "are")
end

--- The value below which a fraction 'q' of an ascending list is
--- (Hyndman-Fan type 7).
---@param sorted number[] not empty
---@param q number in [0, 1]
---@return number
function distribution.of_sorted(sorted, q)
  local pos = q * (#sorted - 1)
  local below = math.floor(pos)
  local a, b = sorted[below + 1], sorted[math.min(below + 2, #sorted)]
  return a + (pos - below) * (b - a)
end
local of_sorted = distribution.of_sorted

local function sorted_copy(values)
  local sorted = lists.copy(values)
  table.sort(sorted)
  return sorted
end

-- The ranks, among n ascending values, between which their distribution's
-- quantile is: so many values are below it as a binomial distribution says, of
-- whatever kind theirs is (Hahn and Meeker, Statistical Intervals, 1991, 5.2).
-- Nil where the values don't reach so far; of the maximum none ever do.
local function ranks_of_quantile(n, q, confidence)
  if not (q > 0 and q < 1) then return nil end
  local beyond, low = (1 - confidence) / 2, 0
  local log_share, below = n * math.log(1 - q), 0 -- of no value, then of more
  for count = 0, n - 1 do
    below = below + math.exp(log_share)
    if below <= beyond then low = count + 1 end
    if below >= 1 - beyond then
      if low == 0 then return nil end
      return low, count + 1
    end
    log_share = log_share + math.log((n - count) / (count + 1) * q / (1 - q))
  end
end

--- A quantile of the times per call of large batches, with the interval that
--- order statistics give it, where there are enough of these for one. Where
--- launches differ, it is wider, or there is none if they differ too much.
---@param q number
---@param confidence number
---@return { value: number, low: number?, high: number? }?
function distribution.quantile(result, q, confidence)
  local values, launches = per_call(result, LARGE)
  if #values == 0 then return nil end
  local sorted = sorted_copy(values)
  local e = { value = of_sorted(sorted, q) }
  local low, high = ranks_of_quantile(#sorted, q, confidence)
  local half = interval.half_of_share(values, launches, e.value, confidence)
    or 0
  if low and half < math.min(q, 1 - q) then
    e.low = math.min(sorted[low], of_sorted(sorted, q - half))
    e.high = math.max(sorted[high], of_sorted(sorted, q + half))
  end
  return e
end

--- The mean of all batches with Student's interval, by how batches differ or,
--- if that is wider, launches; on the logarithmic scale, so that no end is
--- negative however far out single batches are; none where it is endless.
---@param e { value: number }
---@param confidence number
---@return { value: number, low: number?, high: number? }
function distribution.mean(result, e, confidence)
  local sd = metrics.get(result, "stddev")
  local values, launches = per_call(result, 0)
  local count = #values
  if not sd or count < 2 or e.value <= 0 then return e end
  local half = math.max(core.stats.t_quantile((1 + confidence) / 2, count - 1)
    * sd.value / math.sqrt(count),
    interval.half_of_mean(values, launches, confidence) or 0)
  local factor = math.exp(half / e.value)
  if factor == math.huge then return e end
  return { value = e.value, low = e.value / factor, high = e.value * factor }
end

--- The deviation of all batches with the interval that its scatter gives: the
--- variance of its logarithm is about (kurtosis - 1) / 4n (delta method), so no
--- end is negative, and few far outliers make it wide. Or, if that is wider, by
--- how the variances of launches differ. As distribution.mean.
function distribution.sd(result, e, confidence)
  local values, launches = per_call(result, 0)
  local n, mean, second, fourth, squares = #values, 0, 0, 0, {}
  if n < FEWEST_OF_SPREAD then return e end
  for _, v in ipairs(values) do mean = mean + v / n end
  for i, v in ipairs(values) do
    squares[i] = (v - mean) ^ 2
    second = second + squares[i] / n
    fourth = fourth + squares[i] ^ 2 / n
  end
  if second <= 0 then return e end
  local factor = math.exp(math.max(
    core.stats.normal_quantile((1 + confidence) / 2)
      * math.sqrt(math.max(0, fourth / second ^ 2 - 1) / (4 * n)),
    (interval.half_of_mean(squares, launches, confidence) or 0) / 2 / second))
  return { value = e.value, low = e.value / factor, high = e.value * factor }
end

--- Ends that show the bulk of the values: as far as the data go, but no
--- further than three interquartile ranges beyond the quartiles.
---@param values number[] finite, at least one
---@return number low
---@return number high
function distribution.bulk(values)
  local sorted = sorted_copy(values)
  local q1, q3 = of_sorted(sorted, 0.25), of_sorted(sorted, 0.75)
  local low, high, room = sorted[1], sorted[#sorted], 3 * (q3 - q1)
  if room == 0 then return low, high end
  return math.max(low, q1 - room), math.min(high, q3 + room)
end

--- Counts of the times per call of undisturbed batches, in bins of equal width
--- over the bulk of them. What is far outside is in no bin: a lump at the end
--- would look like a mode. The result's time is always between the ends.
---@param bins integer
---@return integer[]? counts nil where there are too few samples
---@return number? low lower end of the first bin, in ns
---@return number? high upper end of the last bin, in ns
function distribution.histogram(result, bins)
  local values = distribution.undisturbed(result)
  if #values < FEWEST then return nil end
  local low, high = distribution.bulk(values)
  if low >= high then return nil end
  -- The time is in sight, though the batches carry what it is without: the
  -- cost of their start, or disturbances.
  local time = metrics.get(result, "time")
  if time and time.value > 0 and time.value < 1e100 then
    low, high = math.min(low, time.value), math.max(high, time.value)
  end
  local counts = {}
  for bin = 1, bins do counts[bin] = 0 end
  for _, value in ipairs(values) do
    if value >= low and value <= high then
      local bin = math.min(bins, math.floor((value - low) / (high - low)
        * bins) + 1)
      counts[bin] = counts[bin] + 1
    end
  end
  return counts, low, high
end

local BLOCKS = { "\226\150\129", "\226\150\130", "\226\150\131",
  "\226\150\132", "\226\150\133", "\226\150\134", "\226\150\135",
  "\226\150\136" }
local SHADES = { ".", ":", "-", "=", "+", "*", "#", "@" }
local BINS = 8

--- A histogram in one line, between its two ends: "1.11 us ▁▃█▂ 1.19 us".
---@param ascii boolean?
---@param joint string? before the second end
---@return string?
function distribution.spark(result, ascii, joint)
  local counts, low, high = distribution.histogram(result, BINS)
  if not counts then return nil end
  local top, levels, out = 0, ascii and SHADES or BLOCKS, {}
  for i = 1, #counts do top = math.max(top, counts[i]) end
  for i, count in ipairs(counts) do
    out[i] = count > 0 and levels[math.ceil(count / top * #levels)] or " "
  end
  local first, last = figures.ends(low, high, "ns")
  return ("%s %s %s%s"):format(first, table.concat(out), joint or "", last)
end

--- A Gaussian kernel density of the values over an interval, as a shape of
--- height 1; Silverman's rule of thumb with the smaller of both spreads
--- (Density Estimation, 1986, equation 3.31).
---@param values number[]
---@param low number
---@param high number
---@param points integer
---@return number[] xs
---@return number[] ys
function distribution.density(values, low, high, points)
  local sorted, mean, squares = sorted_copy(values), 0, 0
  for _, v in ipairs(values) do mean = mean + v / #values end
  for _, v in ipairs(values) do squares = squares + (v - mean) ^ 2 end
  local spread = (of_sorted(sorted, 0.75) - of_sorted(sorted, 0.25)) / 1.34
  if spread == 0 then spread = math.sqrt(squares / #values) end
  local width = math.max(0.9 * spread * (#values) ^ -0.2,
    (high - low) / points)
  local xs, ys, peak = {}, {}, 0
  for k = 0, points do
    local x, y = low + (high - low) * k / points, 0
    for _, v in ipairs(values) do
      y = y + math.exp(-((x - v) / width) ^ 2 / 2)
    end
    xs[k + 1], ys[k + 1], peak = x, y, math.max(peak, y)
  end
  for k = 1, #ys do ys[k] = peak > 0 and ys[k] / peak or 0 end
  return xs, ys
end

return distribution
