-- How often intervals hold on made-up noise, and how wide they are: method by
-- scenario. Usage: coverage_sim.lua [RUNS] [chosen|held] [SHAPE]
local core = require "tare.core"
local estimate = require "tare.analysis.estimate"
local lists = require "tare.base.lists"
local noise = require "spec.lab.coverage_sim.made_noise"

local stats = core.stats
local RUNS = tonumber(arg[1]) or 200
local WHICH = arg[2] or "chosen"
local CONFIDENCE = 0.95
local UPPER = (1 + CONFIDENCE) / 2
local SETTINGS = { confidence = CONFIDENCE }

local SHAPES = {
  launches = { launches = 25, batches = 24 },
  ten = { launches = 10, batches = 60 },
  five = { launches = 5, batches = 60 },
  two = { launches = 2, batches = 60 },
  one = { launches = 1, batches = 300 },
  few = { launches = 1, batches = 8, calls = 1e6 },
  slow = { launches = 10, batches = 20, calls = 1e5, in_a_call = 5e4 },
}

--------------------------------------------------------- over launches only --

local function student(values, prior, weight)
  local n, mean = #values, stats.mean(values)
  local squares = weight * (prior * mean) ^ 2
  for _, value in ipairs(values) do squares = squares + (value - mean) ^ 2 end
  local df = n - 1 + weight
  local half = stats.t_quantile(UPPER, df) * math.sqrt(squares / df / n)
  return mean, half
end

-- Yuen's: the trimmed mean, its error from the winsorized variance.
local function trimmed(values, share, prior)
  local n, sorted = #values, {}
  for i, value in ipairs(values) do sorted[i] = value end
  table.sort(sorted)
  local cut = math.floor(share * n)
  local kept, pulled = {}, {}
  for i = 1, n do
    if i > cut and i <= n - cut then kept[#kept + 1] = sorted[i] end
    pulled[i] = sorted[math.max(cut + 1, math.min(n - cut, i))]
  end
  local mean, h = stats.mean(kept), n - 2 * cut
  local squares, middle = (prior * mean) ^ 2 * (h - 1) / (n - 1),
    stats.mean(pulled)
  for _, value in ipairs(pulled) do squares = squares + (value - middle) ^ 2 end
  local sd = math.sqrt(squares / n)
  return mean, stats.t_quantile(UPPER, math.max(1, h)) * sd * math.sqrt(n) / h
end

local function hodges_lehmann(values)
  local walsh = {}
  for i = 1, #values do
    for j = i, #values do walsh[#walsh + 1] = (values[i] + values[j]) / 2 end
  end
  return stats.median(walsh)
end

-- Huber's location with its usual error, and the prior.
local function huber(values, k, prior)
  local middle = stats.median(values)
  local _, raw = stats.mad(values)
  local n = #values
  local scale = math.sqrt(((1.4826 * raw) ^ 2 * (n - 1)
    + (prior * middle) ^ 2) / n)
  for _ = 1, 20 do
    local sum, weights = 0, 0
    for _, value in ipairs(values) do
      local w = math.min(1, k * scale / math.max(1e-300,
        math.abs(value - middle)))
      sum, weights = sum + w * value, weights + w
    end
    middle = sum / weights
  end
  local squares, inside = 0, 0
  for _, value in ipairs(values) do
    local r = math.max(-k, math.min(k, (value - middle) / scale))
    squares = squares + r * r
    if math.abs(value - middle) <= k * scale then inside = inside + 1 end
  end
  squares = (squares + (prior * middle / scale) ^ 2) / n
  local half = stats.t_quantile(UPPER, math.max(1, inside))
    * scale * math.sqrt(squares) / (inside / n) / math.sqrt(n)
  return middle, half
end

local OVER_LAUNCHES = {
  { "t", function(v) return student(v, 0.01, 0) end },
  { "t, prior 1 %", function(v) return student(v, 0.01, 1) end },
  { "t, prior .5 %", function(v) return student(v, 0.005, 1) end },
  { "trimmed 20 %", function(v) return trimmed(v, 0.2, 0.01) end },
  { "Huber 1.5", function(v) return huber(v, 1.5, 0.01) end },
  { "HL, t", function(v)
    local _, half = student(v, 0.01, 1)
    return hodges_lehmann(v), half
  end },
}

------------------------------------------------------------------ from rows --

-- As tare once did it: a quartile slope of all batches; of eight blocks, with
-- 1 % for what a process can't show, or of launches by least squares.
local function all_batches(samples)
  local x, y = samples.iters, samples.wall_ns
  local slope = stats.quantile_line(x, y, 0.25, true)
  local rows = {}
  for i = 1, #x do rows[i] = i end
  local by_launch = lists.grouped(rows, function(row)
    return samples.launch[row]
  end)
  local function slope_of(list, how)
    local a, b = {}, {}
    for i, row in ipairs(list) do a[i], b[i] = x[row], y[row] end
    return how(a, b)
  end
  if #by_launch >= 4 then
    local slopes = {}
    for i, list in ipairs(by_launch) do
      slopes[i] = slope_of(list, function(a, b)
        return stats.ols(b, { a }, { intercept = true }).coefficients[1]
      end)
    end
    return slope, stats.stddev(slopes) / math.sqrt(#slopes)
      * stats.t_quantile(UPPER, #slopes - 1)
  end
  local slopes = {}
  for i, list in ipairs(lists.blocks(rows, math.max(2, math.min(8,
    math.floor(#rows / 4))))) do
    slopes[i] = slope_of(list, function(a, b)
      return (stats.quantile_line(a, b, 0.25, true))
    end)
  end
  local seen = stats.stddev(slopes) / math.sqrt(#slopes)
    * stats.t_quantile(UPPER, #slopes - 1)
  local unseen = 1.96 * 0.01 * slope / math.sqrt(#by_launch)
  return slope, math.sqrt(seen ^ 2 + unseen ^ 2)
end

-- Every method's { value, low, high } for one run.
local function all_methods(samples, has_launches)
  local found, names = {}, {}
  local function add(name, value, low, high)
    names[#names + 1] = name
    found[name] = { value = value, low = low, high = high }
  end
  local value, half = all_batches(samples)
  add("all batches", value, value - half, value + half)
  local time = estimate.per_call(samples, "wall_ns", SETTINGS,
    samples.width and 4 or nil)
  add("tare", time.value, time.low, time.high)
  if has_launches then
    for _, method in ipairs(OVER_LAUNCHES) do
      if #time.launch_values > 1 then
        value, half = method[2](time.launch_values)
        add(method[1], value, value - half, value + half)
      else
        add(method[1], time.value) -- all others were crowded
      end
    end
  end
  return found, names
end

local function simulate(scenario, shape, seed0)
  local runs, names = {}, nil
  for run = 1, RUNS do
    local samples = noise.run(scenario, shape, seed0 + 7919 * run)
    for row, iters in ipairs(samples.iters) do
      samples.iters[row] = iters / (shape.in_a_call or 1)
    end
    runs[run], names = all_methods(samples, shape.launches > 1)
  end
  local out = {}
  for _, name in ipairs(names) do
    local values, halves, held, refused = {}, {}, 0, 0
    for i, found in ipairs(runs) do values[i] = found[name].value end
    local middle = stats.median(values)
    for _, found in ipairs(runs) do
      local one = found[name]
      if not one.low then
        refused = refused + 1
      else
        halves[#halves + 1] = (one.high - one.low) / 2 / one.value
        if one.low <= middle and middle <= one.high then held = held + 1 end
      end
    end
    out[name] = { coverage = held / math.max(1, RUNS - refused),
      half = halves[1] and stats.median(halves) or 0 / 0,
      worst = halves[1] and stats.quantile(halves, 0.95) or 0 / 0,
      bias = middle / noise.CALL_NS / (shape.in_a_call or 1) - 1,
      refused = refused / RUNS }
  end
  return out, names
end

local shapes = arg[3] and { arg[3] } or { "launches", "five", "two", "one",
  "few" }
for _, shape_name in ipairs(shapes) do
  local shape = SHAPES[shape_name]
  print(("## %s: %d launches of %d batches, %d runs"):format(shape_name,
    shape.launches, shape.batches, RUNS))
  local is_held = WHICH == "held"
  for i, scenario in ipairs(is_held and noise.held_out or noise.chosen_on) do
    local out, names = simulate(scenario, shape, is_held and 5e5 or 1000 * i)
    if i == 1 then print("| scenario | " .. table.concat(names, " | ")
      .. " |\n|---" .. ("|---"):rep(#names) .. "|") end
    local cells = {}
    for j, name in ipairs(names) do
      local o = out[name]
      cells[j] = ("%.0f, %.1f"):format(100 * o.coverage, 100 * o.half)
      if o.refused > 0 then
        cells[j] = cells[j] .. (" (%.0f refused)"):format(100 * o.refused)
      end
      if os.getenv "BIAS" then
        cells[j] = cells[j] .. (" b%.1f w%.1f"):format(100 * o.bias,
          100 * o.worst)
      end
    end
    print("| " .. scenario[1] .. " | " .. table.concat(cells, " | ") .. " |")
  end
end
