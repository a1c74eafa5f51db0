-- A sweep from end to end, on a clock that moves only when a call says so.
local core = require "tare.core"
local measure = require "tare.run.measure"
local options = require "tare.base.options"
local Runner = require "tare.run.runner"
local Suite = require "tare.bench.suite"
local sweep = require "tare.sweep"

local QUOTA_NS = 1e8

-- Made functions: ns of a call over n.
local made = {
  constant = function() return 1e5 end,
  linear = function(n) return 1000 * n end, -- meets constant at 100
  sorting = function(n) return 150 * n * math.log(n) end,
  pairs = function(n) return n * n / 8 + 1000 end,
}

local LAWS = { constant = "1", linear = "n", sorting = "n log n",
  pairs = "n^2" }

-- Each call is off by up to a twentieth, and the machine slows down by a
-- twentieth over the run, by a fixed sequence.
local function new_noise(meter)
  local state = 1
  return function()
    state = state * 16807 % 2147483647
    return (0.95 + 0.1 * state / 2147483647) * (1 + 0.05 * meter:now() / 1e10)
  end
end

local function run()
  local meter = core.meter { manual_tick_ns = 1, watch = true }
  local noise, suite = new_noise(meter), Suite.new "made"
  local params = { n = sweep.geometric(4, 8192), impl = made }
  if _VERSION == "Lua 5.4" then
    params.gc_mode = { "incremental", "generational" }
  else
    params.gc_pause = { 100, 200 }
  end
  suite:bench("f", { params = params, baseline = "linear",
    run = function(p) meter:advance(p.impl(p.n) * noise()) end })
  local settings = options.resolve({ quota = QUOTA_NS / 1e9,
    confidence = 0.99 }, "spec")
  local cells, context = assert(suite:cells()), Runner.context(meter)
  context.events:close() -- when the JIT compiles is another time each time
  context.events = { count = function() return 0 end, close = function() end,
    follow = function() end, shares = function() return false end }
  local trials = Runner.new(cells, settings, context):run()
  return measure.report(trials, settings), meter:now(), #cells
end

describe("a sweep of 4 implementations, 12 sizes and 2 collectors", function()
  local report, spent_ns, cells = run()
  local read = report.sweeps[1]

  it("measures each of its 96 cells once", function()
    assert.equal(96, cells)
    local seen = {}
    for _, result in ipairs(report.results) do
      assert.is_nil(result.error)
      assert.is_nil(seen[result.id])
      seen[result.id] = true
    end
    assert.equal(96, #report.results)
  end)

  it("ends within its total quota", function()
    assert.is_true(spent_ns <= cells * QUOTA_NS * 1.1, spent_ns)
  end)

  it("finds the law of every series", function()
    assert.equal(8, #read.series)
    for _, series in ipairs(read.series) do
      assert.equal(12, #series.points)
      assert.equal(LAWS[series.label:match("impl=(%a+)")], series.law.name)
    end
  end)

  it("finds the crossovers within their intervals", function()
    local truth = { ["linear constant"] = 100, ["pairs constant"] = 889.9,
      ["sorting linear"] = math.exp(1000 / 150) }
    local checked = 0
    for _, one in ipairs(read.crossovers) do
      local pair = one.a:match("impl=(%a+)") .. " " .. one.b:match("impl=(%a+)")
      local x = truth[pair]
      if x then
        checked = checked + 1
        assert.is_true(one.low <= x and x <= one.high, pair)
        assert.is_true(one.high / one.low < 2, pair)
      end
    end
    assert.equal(6, checked)
  end)

  it("compares the implementations in every cell of the others", function()
    assert.equal(12 * 2 * 3, #report.comparisons)
    for _, one in ipairs(report.comparisons) do
      assert.truthy(one.b:find("impl=linear", 1, true))
    end
  end)
end)
