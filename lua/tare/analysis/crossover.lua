-- Where one series overtakes another. Both are known at some points, with
-- intervals; the logarithm d of their ratio has a band over log x. A crossing
-- is reported only between two points at which the band leaves zero on opposite
-- sides. Between neighbours, d is the parabola that bends as the points around
-- do, and the band is wider by as much as that differs from a straight line.
-- x is where d is zero; its interval is what the band's edges cut out of zero
-- (inversion of a pointwise band, as in Fieller, 1954: conservative between
-- the points, where two errors partly cancel).
local interval = require "tare.base.interval"

local crossover = {}

--- Ratios measured side by side are tighter than those of two intervals.
---@param comparisons table[] of a Report
---@param metric string
---@return table<string, table<string, table>> ratios by the ids of a and b
function crossover.index(comparisons, metric)
  local ratios = {}
  for _, one in ipairs(comparisons) do
    if (one.metric or "time") == metric and one.ratio then
      ratios[one.a] = ratios[one.a] or {}
      ratios[one.a][one.b] = one.ratio
    end
  end
  return ratios
end

local function band_of_ratio(ratio, sign)
  local d = math.log(ratio.value)
  local below = d - math.log(ratio.low or ratio.value)
  local above = math.log(ratio.high or ratio.value) - d
  if sign < 0 then below, above = above, below end
  return sign * d, below, above
end

-- From the intervals of both points: the distances add in quadrature
-- (Zou & Donner, 2008, 'Construction of confidence limits...').
local function band_of_points(a, b)
  local function log_ratio(x, y) return math.log((x or y) / y) end
  local below = interval.quadrature(log_ratio(a.low, a.value),
    log_ratio(b.high, b.value))
  local above = interval.quadrature(log_ratio(a.high, a.value),
    log_ratio(b.low, b.value))
  return math.log(a.value / b.value), below, above
end

local function band(a, b, ratios, paired)
  local direct = (ratios[a.id] or {})[b.id]
  local reverse = (ratios[b.id] or {})[a.id]
  if direct then return band_of_ratio(direct, 1) end
  if reverse then return band_of_ratio(reverse, -1) end
  local beside = paired and paired(a.id, b.id)
  if beside then return band_of_ratio(beside, 1) end
  return band_of_points(a, b)
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
      nodes[#nodes + 1] = { x = math.log(point.x), d = d, low = d - below,
        high = d + above }
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

-- How d bends from node i to i + 1: the mean over the triples with both nodes,
-- and the largest size of these.
local function bends(nodes, i)
  local width = nodes[i + 1].x - nodes[i].x
  local first, second = bend(nodes, i, width), bend(nodes, i + 1, width)
  first, second = first or second or 0, second or first or 0
  return (first + second) / 2, math.max(math.abs(first), math.abs(second))
end

-- Log x in segment i where the curve from y to z, of opposite signs, is zero:
-- y + (z - y) s + bump s (1 - s), s from 0 to 1, by bisection; where one end
-- is not known, the other.
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
---@param ratios table see crossover.index
---@param paired (fun(a: string, b: string): table?)? the ratio of two ids that
---  no comparison has, from the rounds that both took part in
---@return { a: string, b: string, x: number, low: number, high: number }[]
function crossover.find(first, second, ratios, paired)
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

return crossover
