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
    assert.equal(0.5, stats.mean { 1, 1e100, 1, -1e100 })
  end)

  it("divide by n - 1", function()
    assert.equal(2.5, stats.variance { 1, 2, 3, 4, 5 })
    assert.equal(math.sqrt(2.5), stats.stddev { 1, 2, 3, 4, 5 })
  end)

  it("have a spread where a single value is another, wherever it is", function()
    for place = 1, 3 do
      local list = { 1, 1, 1 }
      list[place] = 4
      assert.near_relative(3, stats.variance(list), 1e-14)
    end
    assert.equal(0.5, stats.variance { 1, 2 })
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

describe("trimmed_mean", function()
  it("drops as many from either end", function()
    assert.equal(3, stats.trimmed_mean({ 100, 1, 3, 2, 4, -50, 5 }, 0.15))
    local list = made.list(1001, made.normal(1))
    assert.equal(stats.mean(list), stats.trimmed_mean(list, 0))
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
    local list = {} -- of which the mean is not exactly the value
    for n = 1, 300 do
      list[n] = 0.1
      if n > 1 then assert.equal(0, stats.autocorrelation(list)) end
      assert.equal(0, stats.variance(list))
    end
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
    assert.matches("#1 .*ratios must be above 0", select(2,
      pcall(stats.sign_interval, { 1, 0 })))
  end)
end)
