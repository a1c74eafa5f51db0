local core = require "tare.core"
local options = require "tare.base.options"
local Pacing = require "tare.run.pacing"
local Runner = require "tare.run.runner"
local Suite = require "tare.bench.suite"
local timing = require "tare.run.timing"
local Trial = require "tare.run.trial"

local CAP = 2 ^ 16

-- A trial whose batches raise, as they do where memory or time is out.
local function failing(mode)
  local cells = Suite.new("s"):bench("b", function() end):cells()
  local settings = assert(options.resolve({ gc = mode, memory_cap = CAP },
    "spec"))
  local context = Runner.context(core.meter { manual_tick_ns = 1 })
  local trial = Trial.new(cells[1], settings, context)
  assert(trial.fixture:prepare())
  trial.fixture.time = function() error("no memory", 0) end
  return trial
end

describe("the memory cap of a batch that raises", function()
  after_each(function() collectgarbage "restart" end)

  local function is_gone(trial)
    assert.equal("no memory", trial.error)
    local big
    local ok, message = trial.meter:time(core.samples(2), function()
      big = ("x"):rep(2 * CAP)
    end, 1)
    assert.is_true(ok, message)
    assert.equal(2 * CAP, #big)
  end

  it("is gone with a stopped collector", function()
    local trial = failing "stopped"
    assert.is_false(timing.batch(trial, 1))
    is_gone(trial)
  end)

  it("is gone in an arm", function()
    local trial = failing "arms"
    trial.passes.census = { bytes = 160, allocs = 16, iters = 16 }
    trial.policy.call_ns = 1000
    Pacing.new(trial, 1e7):batch(trial)
    is_gone(trial)
  end)
end)
