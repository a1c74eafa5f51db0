-- Reads the results of sweeps: a series over one numeric axis for each
-- combination of the other parameters, its growth law, and where one series
-- overtakes another. Pure: results in, plain data out.
local core = require "tare.core"
local ids = require "tare.base.ids"
local interval = require "tare.base.interval"
local lists = require "tare.base.lists"
local ratio = require "tare.analysis.ratio"
local unpack = require("tare.base.compat").unpack

local sweeps = {}

local FEWEST_POINTS = 3 -- of an axis that is worth a plot
local MOST_PAIRED = 32 -- series: of more, pairs are not compared by rounds
local CONFIDENCE = 0.95 -- by default

-- GROWTH LAWS

-- Costs that differ by less than a quarter over a decade of sizes are level for
-- every practical purpose: the drift of a machine makes such slopes.
local LEVEL_COSTS, LEVEL_SIZES = math.log(1.25), math.log(10)

-- The logarithms of sizes and costs; nil if any of these is not above 0.
local function logarithms(points)
  local xs, ts = {}, {}
  for i, point in ipairs(points) do
    if point.x <= 0 or point.value <= 0 then return nil end
    xs[i], ts[i] = math.log(point.x), math.log(point.value)
  end
  return xs, ts
end

local function range_of(list)
  local low, high = math.huge, -math.huge
  for _, x in ipairs(list) do
    low, high = math.min(low, x), math.max(high, x)
  end
  return high - low
end

-- A level series: "1", with the growing laws that can't be ruled out, and the
-- slope of the logarithms as exponent (Theil and Sen's, with its interval).
local function level_law(xs, ts, found, confidence)
  local also = {}
  for _, name in ipairs { found.law, unpack(found.also) } do
    if name ~= "1" then also[#also + 1] = name end
  end
  local slope = core.stats.theil_sen(ts, xs, { confidence = confidence })
    .coefficients[1]
  return { name = "1", also = also,
    exponent = { value = slope.value, low = slope.low, high = slope.high } }
end

--- The growth law of a series, or nil where its points allow none.
---@param points { x: number, value: number }[]
---@param confidence number? of the exponent's interval, and of the laws that
---  can't be excluded; 0.95 by default
---@return { name: string, exponent: table?, also: string[], coefficients:
---  { constant: number, factor: number }? }? law 'coefficients' of cost =
---  constant + factor * law(n), in the unit of the points
function sweeps.law(points, confidence)
  confidence = confidence or CONFIDENCE
  local xs, ts = logarithms(points)
  if not xs or #xs == 0 then return nil end
  local sizes, costs = {}, {}
  for i, point in ipairs(points) do
    sizes[i], costs[i] = point.x, point.value
  end
  local found = core.stats.growth(sizes, costs, confidence)
  if not (found and found.law) then return nil end -- too few points
  if range_of(xs) >= LEVEL_SIZES and range_of(ts) <= LEVEL_COSTS then
    return level_law(xs, ts, found, confidence)
  end
  return { name = found.law, exponent = found.exponent, also = found.also,
    coefficients = found.coefficients }
end

-- WHERE ONE SERIES OVERTAKES ANOTHER. Both are known at some points, with
-- intervals; the logarithm d of their ratio has a band over log x. A crossing
-- is reported only between two points at which the band leaves zero on opposite
-- sides. Between neighbours, d is the parabola that bends as the points around
-- do, and the band is wider by as much as that differs from a straight line.
-- x is where d is zero; its interval is what the band's edges cut out of zero
-- (inversion of a pointwise band, as in Fieller, 1954: conservative between
-- the points, where two errors partly cancel).

--- The ratios of a Report's comparisons. They were measured side by side, so
--- their intervals are narrower than those of a ratio of two times.
---@param comparisons table[]
---@return table<string, table<string, table>> ratios by the ids of a and b
function sweeps.ratios(comparisons)
  local ratios = {}
  for _, one in ipairs(comparisons) do
    if (one.metric or "time") == "time" and one.ratio then
      ratios[one.a] = ratios[one.a] or {}
      ratios[one.a][one.b] = one.ratio
    end
  end
  return ratios
end

local function band_of_ratio(found, sign)
  local d = math.log(found.value)
  local below = d - math.log(found.low)
  local above = math.log(found.high) - d
  if sign < 0 then below, above = above, below end
  return sign * d, below, above
end

-- d of two points, and how far its band reaches below and above. Nil where the
-- two were compared and it was too noisy to say anything; also where they were
-- not compared, and one of them has no interval.
local function band(a, b, ratios, paired)
  local direct = (ratios[a.id] or {})[b.id]
  local reverse = (ratios[b.id] or {})[a.id]
  local found = direct or reverse or paired and paired(a.id, b.id)
    or a.low and a.high and b.low and b.high and interval.ratio(a, b)
  if not (found and found.low and found.high) then return nil end
  return band_of_ratio(found, not direct and reverse and -1 or 1)
end

local function is_usable(point)
  return point.x > 0 and point.value > 0 and (point.low or 1) > 0
end

-- Nodes of the band over log x, where both series have a point.
local function nodes_of(a, b, ratios, paired)
  local at, nodes = {}, {}
  for _, point in ipairs(b.points) do at[point.x] = point end
  for _, point in ipairs(a.points) do
    local other = at[point.x]
    if other and is_usable(point) and is_usable(other) then
      local d, below, above = band(point, other, ratios, paired)
      nodes[#nodes + 1] = d and { x = math.log(point.x), d = d,
        low = d - below, high = d + above } or nil
    end
  end
  return nodes
end

-- Second divided difference of d around node i, by the width of a segment
-- squared; nil at the ends.
local function bend(nodes, i, width)
  local p, q, r = nodes[i - 1], nodes[i], nodes[i + 1]
  if not p or not r then return nil end
  local before = (q.d - p.d) / (q.x - p.x)
  local after = (r.d - q.d) / (r.x - q.x)
  return (after - before) / (r.x - p.x) * width^2
end

-- How d bends from node i to i + 1: the mean over the triples that contain both
-- nodes, and the largest size.
local function bends(nodes, i)
  local width = nodes[i + 1].x - nodes[i].x
  local first, second = bend(nodes, i, width), bend(nodes, i + 1, width)
  first, second = first or second or 0, second or first or 0
  return (first + second) / 2, math.max(math.abs(first), math.abs(second))
end

-- Log x in segment i where the curve from y to z, of opposite signs, is zero:
-- y + (z - y) s + bump s (1 - s), s from 0 to 1, by bisection. Where one end is
-- infinite, log x of the other end.
local function root(nodes, i, y, z, bump)
  local left, right = 0, 1
  if math.abs(y) == math.huge then return nodes[i + 1].x end
  if math.abs(z) == math.huge then return nodes[i].x end
  for _ = 1, 60 do
    local s = (left + right) / 2
    local value = y + (z - y) * s + bump * s * (1 - s)
    if (value < 0) == (y < 0) then left = s else right = s end
  end
  return nodes[i].x + left * (nodes[i + 1].x - nodes[i].x)
end

-- The middle one of the zeros of d from node i to j (their number is odd).
local function middle_root(nodes, i, j)
  local roots = {}
  for k = i, j - 1 do
    local y, z = nodes[k].d, nodes[k + 1].d
    if (y < 0) ~= (z < 0) then
      roots[#roots + 1] = root(nodes, k, y, z, -bends(nodes, k))
    end
  end
  return roots[math.floor(#roots / 2) + 1]
end

-- Where an edge of the band crosses zero in segment i; 'outward' is 1 for the
-- upper edge and -1 for the lower.
local function edge_root(nodes, i, outward)
  local edge = outward > 0 and "high" or "low"
  local mean, size = bends(nodes, i)
  return root(nodes, i, nodes[i][edge], nodes[i + 1][edge],
    outward * size - mean)
end

-- The crossing between node i, where the band is clear of zero on one side,
-- and j, the next where it is clear on the other. 'sign' is 1 where d rises.
local function crossing(nodes, i, j, sign)
  return {
    x = math.exp(middle_root(nodes, i, j)),
    low = math.exp(edge_root(nodes, i, sign)),
    high = math.exp(edge_root(nodes, j - 1, -sign)),
  }
end

local function side(node)
  return node.low > 0 and 1 or node.high < 0 and -1 or 0
end

--- Crossings of two series, in ascending order: below x, the one named 'a'
--- takes less time; above, 'b' does.
---@param first { label: string, points: table[] }
---@param second { label: string, points: table[] }
---@param ratios table of sweeps.ratios
---@param paired (fun(a: string, b: string): table?)? the ratio of two ids that
---  no comparison has, from the rounds that both took part in
---@return { a: string, b: string, x: number, low: number, high: number }[]
function sweeps.crossings(first, second, ratios, paired)
  local nodes, found, last = nodes_of(first, second, ratios, paired), {}, nil
  for j, node in ipairs(nodes) do
    local here = side(node)
    if here ~= 0 then
      if last and side(nodes[last]) ~= here then
        local one = crossing(nodes, last, j, here)
        one.a = here > 0 and first.label or second.label
        one.b = here > 0 and second.label or first.label
        found[#found + 1] = one
      end
      last = j
    end
  end
  return found
end

-- SERIES

-- An ordered map: add(key) gives the entry, and makes it at the first call.
local function ordered(make)
  local list, index = {}, {}
  local function add(key)
    if not index[key] then
      index[key] = make(key)
      list[#list + 1] = index[key]
    end
    return index[key]
  end
  return add, list
end

local function by_bench(results)
  local bench, benches = ordered(function(key)
    return { name = key, results = {} }
  end)
  for _, result in ipairs(results) do
    local name, texts = ids.split(result.id) -- "vec/fill", { "n=100", ... }
    if #texts > 0 then
      table.insert(bench(name).results, { result = result, texts = texts })
    end
  end
  return benches
end

local function is_axis(bench, name)
  local distinct, seen = 0, {}
  for _, entry in ipairs(bench.results) do
    local x = (entry.result.params or {})[name]
    if type(x) ~= "number" then return false end
    if not seen[x] then distinct, seen[x] = distinct + 1, true end
  end
  return distinct >= FEWEST_POINTS
end

local function numeric_axes(bench)
  local names = {}
  for i, text in ipairs(bench.results[1].texts) do names[i] = ids.name(text) end
  return lists.those(names, function(name) return is_axis(bench, name) end)
end

local function is_finite(x)
  return type(x) == "number" and x == x and math.abs(x) < 1/0
end

local function point_of(result, axis)
  local estimate = result.time
  if result.error or type(estimate) ~= "table"
    or not is_finite(estimate.value) then return nil end
  return { x = result.params[axis], value = estimate.value,
    low = estimate.low, high = estimate.high, id = result.id }
end

local function all_series(bench, axis)
  local add, list = ordered(function(label)
    return { label = label, points = {} }
  end)
  for _, entry in ipairs(bench.results) do
    local texts = lists.those(entry.texts, function(text)
      return ids.name(text) ~= axis
    end)
    local point = point_of(entry.result, axis)
    local series = add(texts[1] and table.concat(texts, ",")
      or bench.name:match("[^/]*$"))
    series.texts = texts -- of the parameters beside the axis
    series.points[#series.points + 1] = point
  end
  for _, series in ipairs(list) do
    table.sort(series.points, function(a, b) return a.x < b.x end)
  end
  return lists.those(list, function(series) return #series.points > 1 end)
end

-- Whether two series are the same but for one parameter.
local function are_neighbours(a, b)
  local differing = 0
  for i = 1, math.max(#a.texts, #b.texts) do
    if a.texts[i] ~= b.texts[i] then differing = differing + 1 end
  end
  return differing == 1
end

-- A function that gives the ratio of two results that were measured in turn, by
-- their ids.
local function pairing(bench, options)
  local by_id = {}
  for _, entry in ipairs(bench.results) do
    local samples = entry.result.samples
    if samples and samples.round and samples.iters and samples.wall_ns then
      by_id[entry.result.id] = entry.result
    end
  end
  local settings = { tolerance = 0,
    confidence = options.confidence or CONFIDENCE }
  return function(first, second)
    local a, b = by_id[first], by_id[second]
    if not (a and b and a.compared and a.compared == b.compared) then
      return nil
    end
    local clock = options.clock_of and options.clock_of(a)
    local found = ratio.compare(a, b, settings, clock and clock.best_width)
    return found and found.ratio
  end
end

local function all_crossovers(list, ratios, paired)
  local found = {}
  for i = 1, #list do
    for j = i + 1, #list do
      local a, b = list[i], list[j]
      if are_neighbours(a, b) then
        lists.append(found, sweeps.crossings(a, b, ratios, paired))
      end
    end
  end
  return found
end

local function read_sweep(bench, axis, options)
  local list = all_series(bench, axis)
  if #list == 0 then return nil end
  local ratios = sweeps.ratios(options.comparisons or {})
  local crossovers = all_crossovers(list, ratios,
    #list <= MOST_PAIRED and pairing(bench, options) or nil)
  for _, series in ipairs(list) do
    series.texts = nil
    series.law = sweeps.law(series.points, options.confidence)
  end
  return { bench = bench.name, axis = axis, metric = "time", series = list,
    crossovers = crossovers }
end

--- Reads every sweep in the results: for each bench and each numeric axis with
--- at least three values, the series over it. Results with an error have no
--- point; a series needs two points, a law as many as stats.growth does.
---
--- In a crossover, series 'a' takes less time below x and 'b' above, with the
--- interval from 'low' to 'high'; only series that differ in one parameter are
--- compared.
---@param results table[] of a Report, or of several
---@param options { comparisons: table[]?, confidence: number?, clock_of:
---  (fun(result: table): { best_width: number? }?)? }? comparisons of the same
---  Report; the clock of a result's machine
---@return table[] sweeps { {bench, axis, metric, series, crossovers}... }
function sweeps.read(results, options)
  local found = {}
  options = options or {}
  for _, bench in ipairs(by_bench(results)) do
    for _, axis in ipairs(numeric_axes(bench)) do
      found[#found + 1] = read_sweep(bench, axis, options)
    end
  end
  return found
end

--- The same for results that come bench by bench: only those of one bench are
--- kept at a time.
---@param options table? as above; comparisons may be added meanwhile
---@return fun(result: table?) add nil after the last one
---@return table[] sweeps so far
function sweeps.of_stream(options)
  local found, waiting, bench = {}, {}, nil
  return function(result)
    local name = result and ids.split(result.id)
    if name ~= bench then
      lists.append(found, sweeps.read(waiting, options))
      waiting, bench = {}, name
    end
    waiting[#waiting + 1] = result
  end, found
end

return sweeps
