-- Makes up results in the shape that renderers read, from a seed, the same on
-- every platform. spec/support/fixtures.lua puts them together to Reports.
local made = {}

-- Park and Miller's minimal standard generator (1988): exact in doubles.
local function generator(seed)
  local state = seed
  local function uniform()
    state = state * 16807 % 2147483647
    return state / 2147483647
  end
  local function normal() -- Box and Muller (1958)
    return math.sqrt(-2 * math.log(uniform())) *
      math.cos(2 * math.pi * uniform())
  end
  return { uniform = uniform, normal = normal }
end
made.generator = generator

-- value with an interval of 'share' on either side
local function estimate(value, share, unit)
  return { value = value, low = value * (1 - share),
    high = value * (1 + share), unit = unit }
end
made.estimate = estimate

local function shuffled(list, random)
  for i = #list, 2, -1 do
    local j = 1 + math.floor(random.uniform() * i)
    list[i], list[j] = list[j], list[i]
  end
  return list
end

local function batch_sizes(spec, random)
  local sizes, size = {}, 1
  for i = 1, spec.rows do
    sizes[i] = math.ceil(size)
    size = math.max(size * spec.growth, size + 1)
  end
  return shuffled(sizes, random)
end

-- One batch: its time, and the collections that ended in it.
local function batch(spec, iters, debt, random)
  local share = 1 + spec.noise * random.normal()
  local late = random.uniform() < spec.tail
  if late then share = share + 0.4 * random.uniform() end
  local wall = spec.overhead_ns + spec.ns * iters * share
  debt = debt + iters * spec.bytes
  local minor = math.floor(debt / 2e5)
  local major = random.uniform() < minor / 12 and 1 or 0
  wall = wall + minor * 9e3 + major * 7e4
  return wall, minor, major, debt - minor * 2e5
end

local function samples(spec, random)
  local s = { iters = batch_sizes(spec, random), wall_ns = {}, cpu_ns = {},
    gc_minor = {}, gc_major = {}, start_ns = {}, round = {}, launch = {} }
  local now, debt = 0, 0
  for i, iters in ipairs(s.iters) do
    local wall, minor, major, rest = batch(spec, iters, debt, random)
    debt = rest
    s.wall_ns[i], s.cpu_ns[i] = wall, wall * 0.998
    s.gc_minor[i], s.gc_major[i] = minor, major
    s.start_ns[i], s.round[i] = now, i
    s.launch[i] = 1 + math.floor((i - 1) * spec.launches / spec.rows)
    now = now + wall * 1.2 + 2e4
  end
  return s
end

-- Ordinary least squares of ys on xs with an intercept.
local function line(xs, ys)
  local n, sx, sy, sxx, sxy, syy = #xs, 0, 0, 0, 0, 0
  for i = 1, n do
    sx, sy = sx + xs[i], sy + ys[i]
    sxx, sxy, syy = sxx + xs[i] ^ 2, sxy + xs[i] * ys[i], syy + ys[i] ^ 2
  end
  local vx, vy, cov = sxx - sx * sx / n, syy - sy * sy / n, sxy - sx * sy / n
  local slope = cov / vx
  return slope, (sy - slope * sx) / n, cov * cov / (vx * vy)
end

-- A Gaussian kernel density on 'points' places.
local function density(values, points)
  local low, high, mean, var = math.huge, -math.huge, 0, 0
  for _, v in ipairs(values) do
    low, high, mean = math.min(low, v), math.max(high, v), mean + v / #values
  end
  for _, v in ipairs(values) do var = var + (v - mean) ^ 2 / #values end
  local h = 1.06 * math.sqrt(var) * (#values) ^ -0.2
  low, high = low - 3 * h, high + 3 * h
  local d = { x = {}, y = {} }
  for k = 1, points do
    local x, sum = low + (high - low) * (k - 1) / (points - 1), 0
    for _, v in ipairs(values) do
      sum = sum + math.exp(-((x - v) / h) ^ 2 / 2)
    end
    d.x[k], d.y[k] = x, sum / (#values * h * 2.50662827463)
  end
  return d, mean, math.sqrt(var)
end

local function per_call(s)
  local list = {}
  for i, iters in ipairs(s.iters) do list[i] = s.wall_ns[i] / iters end
  return list
end

local function median(values)
  local sorted = {}
  for i, v in ipairs(values) do sorted[i] = v end
  table.sort(sorted)
  return sorted[math.ceil(#sorted / 2)], sorted[1]
end

local DEFAULTS = { ns = 100, overhead_ns = 60, noise = 0.01, tail = 0.05,
  bytes = 0, rows = 80, growth = 1.1, launches = 1, points = 64, seed = 7 }

--- A result called suite/name with samples made from 'spec' (ns a call,
--- bytes a call, noise, rows, launches, seed), and 'more' fields on top.
function made.result(suite, name, spec, more)
  spec = setmetatable(spec or {}, { __index = DEFAULTS })
  local s = samples(spec, generator(spec.seed))
  local slope, intercept, r2 = line(s.iters, s.wall_ns)
  local each = per_call(s)
  local shape, mean, sd = density(each, spec.points)
  local mid, least = median(each)
  local result = { id = suite .. "/" .. name, suite = suite, name = name,
    params = {}, loop = "inline", gc = "natural", gc_mode = "generational",
    launches = spec.launches, rounds = spec.rows, heap_bytes = 524288,
    warmup = { calls = 1000, ns = 5e8 },
    time = estimate(slope, 0.01, "ns"), overhead = intercept,
    mean = estimate(mean, 0.01, "ns"), median = estimate(mid, 0.01, "ns"),
    mad = sd / 2, stddev = sd, min = least, r2 = r2, density = shape,
    outliers = { low_severe = 0, low_mild = 1, high_mild = 3, high_severe = 2,
      variance = 0.21 },
    warnings = {}, samples = s,
    fits = { { responder = "time", predictors = { "iters" }, intercept = true,
      coefficients = { iters = estimate(slope, 0.01),
        intercept = estimate(intercept, 0.2) }, r2 = r2, adjusted_r2 = r2,
      vif = {} } } }
  for key, value in pairs(more or {}) do result[key] = value end
  return result
end

return made
