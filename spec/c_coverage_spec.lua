-- How often 95 % intervals hold the truth, over many made-up data sets.
local stats = require("tare.core").stats
local made = require "spec.support.made_numbers"

local function generators()
  local uniform, normal = made.uniform(1618), made.normal(2718)
  return {
    normal = normal,
    exponential = function() return -math.log(uniform()) - 1 end,
    contaminated = function()
      return normal() * (uniform() < 0.1 and 5 or 1)
    end,
  }
end

-- Share of trials in which each estimate that 'attempt' returns holds its
-- truth, in percent.
local function coverage(trials, truths, attempt)
  local hits = {}
  for trial = 1, trials do
    for name, estimate in pairs(attempt(trial)) do
      local truth = truths[name]
      local hit = estimate.low <= truth and truth <= estimate.high
      hits[name] = (hits[name] or 0) + (hit and 100 / trials or 0)
    end
  end
  return hits
end

local function assert_between(low, high, hits)
  for name, percent in pairs(hits) do
    assert.is_true(percent >= low and percent <= high,
      ("%s: %.2f %%"):format(name, percent))
  end
end

describe("of 2,000 intervals of exchangeable data, 92 to 97 % hold the truth",
  function()
    for name in pairs(generators()) do
      it("where noise is " .. name, function()
        local noise = generators()[name]
        local x = {}
        for i = 1, 100 do x[i] = i end
        assert_between(92, 97, coverage(2000,
          { slope = 2, intercept = 5, mean = 0 }, function(trial)
            local y, e = {}, {}
            for i = 1, 100 do
              e[i] = noise()
              y[i] = 5 + 2 * i + e[i]
            end
            local options = { resamples = 400, seed = trial }
            local fit = stats.bootstrap(y, x, options)
            return {
              slope = fit.coefficients[1], intercept = fit.intercept,
              mean = stats.bootstrap_statistic(e, "mean", options),
            }
          end))
      end)
    end
  end)

describe("of data that are not exchangeable", function()
  -- Means of rows that depend on each other: plainly drawn, and as they lie.
  local function compare(make, as_they_lie)
    return coverage(500, { plain = 0, fair = 0 }, function(trial)
      local e = make()
      local fair = { resamples = 300, seed = trial }
      for k, v in pairs(as_they_lie) do fair[k] = v end
      return {
        plain = stats.bootstrap_statistic(e, "mean",
          { resamples = 300, seed = trial }),
        fair = stats.bootstrap_statistic(e, "mean", fair),
      }
    end)
  end

  it("moving blocks hold the truth more often", function()
    local normal, last = made.normal(31), 0
    local hits = compare(function()
      return made.list(200, function()
        last = 0.7 * last + normal()
        return last
      end)
    end, { block = 15 })
    assert.is_true(hits.plain < 65, hits.plain)
    assert.is_true(hits.fair > 85, hits.fair)
  end)

  it("two levels hold the truth more often", function()
    local normal, groups = made.normal(32), {}
    for i = 1, 200 do groups[i] = math.ceil(i / 10) end
    local hits = compare(function()
      local e = {}
      for launch = 1, 20 do
        local own = 2 * normal()
        for i = 1, 10 do e[10 * launch - 10 + i] = own + normal() end
      end
      return e
    end, { groups = groups })
    assert.is_true(hits.plain < 60, hits.plain)
    assert.is_true(hits.fair > 90, hits.fair)
  end)
end)
