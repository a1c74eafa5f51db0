local stats = require("tare.core").stats
local criterion = require "spec.support.criterion"
local made = require "spec.support.made_numbers"
local nist = require "spec.data.nist_univariate"

-- Decimal digits that agree with a certified value.
local function digits(certified, value)
  if value == certified then return 15 end
  local error = math.abs(value - certified) / math.abs(certified)
  return math.min(15, -math.log(error) / math.log(10))
end

local function reached(set)
  return digits(set.mean, stats.mean(set.data)),
    digits(set.stddev, stats.stddev(set.data)),
    digits(set.autocorrelation, stats.autocorrelation(set.data))
end

-- What the quantile is by its definition, on a sorted copy.
local function quantile_twin(list, p)
  local sorted = {}
  for i, x in ipairs(list) do sorted[i] = x end
  table.sort(sorted)
  local position = p * (#sorted - 1)
  local below = math.floor(position)
  local left, right = sorted[below + 1], sorted[below + 2]
  return right and left + (position - below) * (right - left) or left
end

local awkward = {
  one = { 7 },
  two = { 2, 1 },
  constant = { 3, 3, 3, 3, 3, 3 },
  ties = { 2, 1, 2, 3, 2, 1, 2, 2, 3, 1, 2 },
  zeros = { 0, 0, 0, 1, 0, -0.0 },
  rising = { 1, 2, 3, 4, 5, 6, 7, 8, 9 },
  falling = { 9, 8, 7, 6, 5, 4, 3, 2 },
  random = made.list(1001, made.normal(1)),
  many = made.list(5000, made.uniform(2)),
}

describe("NIST's certified values", function()
  for _, name in ipairs { "Lew", "Lottery", "Mavro", "Michelso", "PiDigits",
    "NumAcc1", "NumAcc2" } do
    it("are reached to 13 digits on " .. name, function()
      local mean, stddev, autocorrelation = reached(nist[name])
      assert.is_true(mean >= 13)
      assert.is_true(stddev >= 13)
      assert.is_true(autocorrelation >= 13)
    end)
  end

  -- Their digits are lost where the decimals become doubles, before any sum.
  for name, least in pairs { NumAcc3 = 9, NumAcc4 = 8 } do
    local mean, stddev, autocorrelation = reached(nist[name])
    it(("are reached on %s to %.1f (mean), %.1f (sd) and %.1f digits")
      :format(name, mean, stddev, autocorrelation), function()
      assert.is_true(mean >= 15)
      assert.is_true(stddev >= least)
      assert.is_true(autocorrelation >= least)
    end)
  end
end)

describe("mean, variance and stddev", function()
  it("add up without losing what is small", function()
    assert.equal(0.5, stats.mean { 1e100, 1, -1e100, 1 })
  end)

  it("divide by n - 1", function()
    assert.equal(2.5, stats.variance { 1, 2, 3, 4, 5 })
    assert.equal(math.sqrt(2.5), stats.stddev { 1, 2, 3, 4, 5 })
  end)

  it("do not change when a constant is added", function()
    local list = {}
    for i = 1, 1000 do list[i] = 1e9 + i % 2 end
    assert.near_relative(0.25 * 1000 / 999, stats.variance(list), 1e-14)
  end)

  it("call the spread of one value, and of equal ones, 0", function()
    assert.equal(0, stats.stddev { 5 })
    assert.equal(0, stats.stddev { 0.1, 0.1, 0.1 })
  end)

  for _, run in criterion.runs(pending) do
    it("equal criterion's for " .. run.name, function()
      local expected = run.expected
      local list = run.per_iteration
      assert.near_relative(expected.mean.point, stats.mean(list), 1e-12)
      assert.near_relative(expected.stddev.point, stats.stddev(list), 1e-12)
    end)
  end
end)

describe("quantile and median", function()
  it("agree with sorting, whatever the order and the ties", function()
    for _, list in pairs(awkward) do
      for i = 0, 20 do
        assert.equal(quantile_twin(list, i / 20), stats.quantile(list, i / 20))
      end
      assert.equal(quantile_twin(list, 0.5), stats.median(list))
    end
  end)

  it("interpolate between neighbours (type 7)", function()
    assert.equal(1.75, stats.quantile({ 4, 1, 3, 2 }, 0.25))
    assert.equal(2.5, stats.median { 4, 1, 3, 2 })
  end)

  it("leave the list as it was", function()
    local list = { 3, 1, 2 }
    stats.median(list)
    assert.same({ 3, 1, 2 }, list)
  end)

  it("take infinite values by their rank", function()
    local huge = math.huge
    assert.equal(2, stats.median { huge, 1, 2 })
    assert.equal(huge, stats.median { 1, 2, huge, huge })
    assert.equal(-huge, stats.quantile({ -huge, 1, 2, 3 }, 0.1))
    assert.equal(1, stats.quantile({ -huge, 1, 2, 3, huge }, 0.25))
  end)
end)

describe("mad", function()
  it("is the median distance from the median, scaled and raw", function()
    local scaled, raw = stats.mad { 1, 1, 2, 2, 4, 6, 9 }
    assert.equal(1, raw)
    assert.near_relative(1.482602218505602, scaled, 1e-15)
  end)

  it("estimates the standard deviation of normal data", function()
    local list = made.list(20001, made.normal(3))
    assert.near_relative(1, stats.mad(list), 0.02)
  end)

  it("is 0 where most values are equal", function()
    assert.equal(0, stats.mad { 5 })
    assert.equal(0, stats.mad { 1, 1, 1, 9 })
  end)
end)

describe("trimmed_mean", function()
  it("drops as many from either end", function()
    assert.equal(3, stats.trimmed_mean({ 100, 1, 3, 2, 4, -50, 5 }, 0.15))
    assert.equal(stats.mean(awkward.random),
      stats.trimmed_mean(awkward.random, 0))
  end)

  it("drops a tenth unless told otherwise", function()
    local list = { 1e9, -1e9 }
    for i = 1, 8 do list[#list + 1] = i end
    assert.equal(4.5, stats.trimmed_mean(list))
  end)

  it("ends up at the median", function()
    assert.equal(2, stats.trimmed_mean({ 9, 2, 1 }, 0.49))
    assert.equal(7, stats.trimmed_mean({ 7 }, 0.4))
  end)
end)

describe("autocorrelation", function()
  it("is high in a drift and low in an alternation", function()
    local drift, alternation = {}, {}
    for i = 1, 100 do drift[i], alternation[i] = i, i % 2 end
    assert.near_relative(0.97, stats.autocorrelation(drift), 1e-12)
    assert.is_true(stats.autocorrelation(alternation) < -0.98)
    assert.is_true(stats.autocorrelation(alternation, 2) > 0.97)
  end)

  it("is 0 where nothing varies", function()
    assert.equal(0, stats.autocorrelation { 4, 4, 4 })
  end)

  it("refuses a lag that leaves no pair", function()
    assert.has_error(function() stats.autocorrelation { 1 } end)
    assert.has_error(function() stats.autocorrelation({ 1, 2 }, 2) end)
    assert.has_error(function() stats.autocorrelation({ 1, 2, 3 }, 1.5) end)
  end)
end)

describe("every statistic", function()
  local nan = 0 / 0
  local each = { "mean", "variance", "stddev", "median", "mad", "trimmed_mean",
    "outliers", "density", "sign_interval" }

  local function message(name, list)
    return select(2, pcall(stats[name], list))
  end

  it("refuses what is no number and says where it stands", function()
    for _, name in ipairs(each) do
      assert.matches("must not be empty", message(name, {}))
      assert.matches("value 2 is NaN", message(name, { 1, nan }))
      assert.matches("value 1 is string", message(name, { "1" }))
      assert.matches("table expected", message(name, 1))
    end
  end)

  it("refuses values whose square is infinite unless it is over ranks",
    function()
      for _, name in ipairs(each) do
        assert.equal(name == "median", pcall(stats[name], { 1, math.huge }))
        assert.equal(name == "median", pcall(stats[name], { 1, 1e200 }))
      end
      assert.matches("value 2 is infinite", message("mean", { 1, math.huge }))
      assert.matches("value 2 is too large", message("mean", { 1, 1e200 }))
    end)

  it("refuses shares out of range", function()
    assert.has_error(function() stats.quantile({ 1 }, 1.1) end)
    assert.has_error(function() stats.quantile({ 1 }, nan) end)
    assert.has_error(function() stats.trimmed_mean({ 1 }, 0.5) end)
    assert.has_error(function() stats.sign_interval({ 1 }, 1) end)
  end)
end)
