local sweeps = require "tare.analysis.sweeps"

local SIZES = { 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120 }

-- A series of made-up times with intervals of a share to both sides.
local function series(label, time, share, xs)
  local points = {}
  for i, x in ipairs(xs or SIZES) do
    local t = time(x)
    points[i] = { x = x, value = t, low = t * (1 - share),
      high = t * (1 + share), id = ("f{n=%d,impl=%s}"):format(x, label) }
  end
  return { label = label, points = points }
end

local function find(a, b, ratios)
  return sweeps.crossings(a, b, ratios or {})
end

local function linear(n) return 3 * n end
local function quadratic(n) return n^2 / 100 end -- meets linear at 300

describe("a crossover", function()
  it("is exact where both are straight on log axes", function()
    local found = find(series("a", quadratic, 0), series("b", linear, 0))
    assert.equal(1, #found)
    assert.same({ "a", "b" }, { found[1].a, found[1].b })
    for _, x in ipairs { found[1].x, found[1].low, found[1].high } do
      assert.near_relative(300, x, 1e-9)
    end
  end)

  it("is not made of comparisons that were too noisy for an interval",
    function()
      local xs = { 16, 64, 256 }
      local a = series("a", function(n) return n end, 0.01, xs)
      local b = series("b", function(n) return 2 * n end, 0.01, xs)
      local ratios = {}
      for i, value in ipairs { 0.5, 1.1, 0.5 } do
        ratios[a.points[i].id] = { [b.points[i].id] = { value = value,
          low = i ~= 2 and 0.48 or nil, high = i ~= 2 and 0.52 or nil } }
      end
      assert.same({}, find(a, b, ratios))
      ratios[a.points[2].id][b.points[2].id] = { value = 1.1, low = 1.05,
        high = 1.15 }
      assert.equal(2, #find(a, b, ratios))
    end)

  it("names first what is faster below, whichever comes first", function()
    local found = find(series("b", linear, 0), series("a", quadratic, 0))
    assert.same({ "a", "b" }, { found[1].a, found[1].b })
    assert.near_relative(300, found[1].x, 1e-9)
  end)

  it("has the interval that the points' intervals cut out", function()
    local found = find(series("a", quadratic, 0.1), series("b", linear, 0.1))
    -- d = log n - log 300; half a band: both shares in quadrature
    local left = math.sqrt(math.log(1.1)^2 + math.log(0.9)^2)
    assert.near_relative(300 * math.exp(-left), found[1].low, 1e-9)
    assert.near_relative(300 * math.exp(left), found[1].high, 1e-9)
  end)

  it("may span several points that can't be told apart", function()
    local found = find(series("a", quadratic, 0.5), series("b", linear, 0.5))
    assert.equal(1, #found)
    assert.is_true(found[1].low < 150 and found[1].high > 600)
  end)

  it("ends at the next point where the band of one has no end", function()
    local xs = { 100, 1000, 10000 }
    local a, b = series("a", quadratic, 0.01, xs),
      series("b", linear, 0.01, xs)
    for at, ratio in ipairs { { value = 1 / 3, low = 0, high = 0.34 },
      { value = 10 / 3, low = 3.3, high = math.huge } } do
      local found = find(a, b, { [a.points[at].id] = {
        [b.points[at].id] = ratio } })
      assert.equal(1, #found)
      assert.near_relative(at == 1 and 1000 or 100,
        at == 1 and found[1].high or found[1].low, 1e-9)
      assert.near_relative(300, found[1].x, 0.2)
    end
  end)

  it("is not claimed where one side is never clear", function()
    local xs = { 10, 100, 310 }
    assert.same({}, find(series("a", quadratic, 0.1, xs),
      series("b", linear, 0.1, xs)))
  end)

  it("is not claimed between equals, however they wobble", function()
    local flip = 1
    local function wobbly(n) flip = -flip return n * (1 + 0.01 * flip) end
    assert.same({}, find(series("a", wobbly, 0.05), series("b", wobbly, 0.05)))
  end)

  it("can happen twice, in ascending order", function()
    local function humped(n)
      return linear(n) * math.exp(1 - math.log(n / 200)^2)
    end
    local found = find(series("a", humped, 0.01), series("b", linear, 0.01))
    assert.equal(2, #found)
    assert.same({ "a", "b", "b", "a" },
      { found[1].a, found[1].b, found[2].a, found[2].b })
    assert.is_true(found[1].low <= 200 / math.exp(1)
      and found[1].high >= 200 / math.exp(1))
    assert.is_true(found[2].low <= 200 * math.exp(1)
      and found[2].high >= 200 * math.exp(1))
  end)

  it("uses what was measured side by side, either way round", function()
    local a, b = series("a", quadratic, 0.5), series("b", linear, 0.5)
    local direct, reverse = {}, {}
    for i, n in ipairs(SIZES) do
      local ratio = quadratic(n) / linear(n)
      direct[i] = { a = a.points[i].id, b = b.points[i].id, metric = "time",
        ratio = { value = ratio, low = ratio / 1.02, high = ratio * 1.03 } }
      reverse[i] = { a = b.points[i].id, b = a.points[i].id, ratio = {
        value = 1 / ratio, low = 1 / ratio / 1.03, high = 1 / ratio * 1.02 } }
    end
    for _, comparisons in ipairs { direct, reverse } do
      local found = find(a, b, sweeps.ratios(comparisons))
      assert.near_relative(300 / 1.03, found[1].low, 1e-9)
      assert.near_relative(300 * 1.02, found[1].high, 1e-9)
    end
    for _, one in ipairs(direct) do one.metric = "cycles" end
    assert.same({}, sweeps.ratios(direct))
  end)

  it("passes over points without an interval, and what can't be on log axes",
    function()
      local a, b = series("a", quadratic, 0), series("b", linear, 0)
      -- Refused times, as of a crowded core, may be anything.
      a.points[4].value, a.points[4].low, a.points[4].high = 1e6, nil, nil
      b.points[9].value, b.points[9].low, b.points[9].high = 1e9, nil, nil
      b.points[1].value, b.points[2].low = 0, -1
      table.remove(b.points, 3)
      local found = find(a, b)
      assert.equal(1, #found)
      assert.near_relative(300, found[1].x, 1e-9)
      for _, point in ipairs(a.points) do point.low, point.high = nil, nil end
      assert.same({}, find(a, b))
    end)
end)

-- Seeded normal numbers, the same on every Lua (Park & Miller, 1988).
local function normals(seed)
  local state = seed
  local function uniform()
    state = state * 16807 % 2147483647
    return state / 2147483647
  end
  return function()
    return math.sqrt(-2 * math.log(uniform()))
      * math.cos(2 * math.pi * uniform())
  end
end

describe("the interval of a crossover", function()
  -- Share of trials whose interval holds the truth, sizes by a factor.
  local function coverage(slow, fast, truth, factor)
    local normal, sizes, hits, trials = normals(7), {}, 0, 1000
    for i = 0, 7 do sizes[i + 1] = 10 * factor^i end
    local function noisy(time)
      return series("", function(n)
        return time(n) * math.exp(0.02 * normal())
      end, 1.96 * 0.02, sizes)
    end
    for _ = 1, trials do
      local found = find(noisy(slow), noisy(fast))
      if #found == 1 and found[1].low <= truth and truth <= found[1].high then
        hits = hits + 1
      end
    end
    return hits / trials
  end

  it("holds the truth in at least 95 % of trials on straight lines", function()
    assert.is_true(coverage(quadratic, linear, 300, 2) > 0.95)
    assert.is_true(coverage(function(n) return n^2 / 320 * 3 end, linear,
      320, 2) > 0.94) -- at a point
  end)

  it("holds it where a curve lies between the points", function()
    local function offset(n) return 500 + n end -- meets 3n at 250
    assert.is_true(coverage(linear, offset, 250, 2) > 0.95)
    assert.is_true(coverage(linear, offset, 250, 4) > 0.95)
    assert.is_true(coverage(linear, offset, 250, 10) > 0.95)
    local function sorted(n) return n * math.log(n) end
    local function level() return 170 * math.log(170) end
    assert.is_true(coverage(sorted, level, 170, 3) > 0.95)
  end)
end)
