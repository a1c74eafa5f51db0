local fixtures = require "spec.support.fixtures"
local gate = require "tare.judge.gate"

local RULES = assert(gate.parse "time>5%,allocs>0")

local function result(id, ns, allocs, more)
  local made = { id = id, compared = "s",
    time = fixtures.estimate(ns, 0.01, "ns"), allocs = { value = allocs } }
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

local function held(results)
  return gate.evaluate({ env = {}, results = results }, { env = {},
    results = { result("s/a", 100, 1), result("s/b", 100, 1) } }, RULES)
end

-- A run whose benches take so long, and what is left of its failures after
-- launches in which they take so long.
local function weighed(run, ...)
  local failures, notes = held(run).failures, {}
  for _, launch in ipairs { ... } do
    local found
    failures, found = gate.weigh(failures, held(launch), run, launch)
    for _, note in ipairs(found) do notes[#notes + 1] = note end
  end
  return gate.with_agreement(failures), notes
end

describe("a gate that fails", function()
  it("has the bench measured again, beside what it is compared with",
    function()
      local base = result("s/b", 100, 1, { baseline = true })
      local run = { result("s/a", 150, 1), base, result("s/c", 100, 1) }
      assert.same({ ["s/a"] = true, ["s/b"] = true },
        gate.to_confirm(held(run).failures, run))
    end)

  it("has nothing measured again for a count", function()
    local run = { result("s/a", 100, 2) }
    local failures = held(run).failures
    assert.equal(1, #failures)
    assert.is_nil(gate.to_confirm(failures, run))
  end)

  it("stands where all launches agree, and says how many", function()
    local run = { result("s/a", 150, 1) }
    local failures, notes = weighed(run, { result("s/a", 140, 1) },
      { result("s/a", 160, 1) })
    assert.same({}, notes)
    assert.equal("s/a: time rose from 100 ns to 150 ns per call, 1.50 times "
      .. "as slow (1.48 to 1.52); it allocates as much as "
      .. "before; even the low end is over 105 ns, 5% more than before (gate "
      .. "time>5%); "
      .. "measured again twice, it exceeded the limit both times",
      failures[1].message)
  end)

  it("passes where one launch does not, and says so", function()
    local failures, notes = weighed({ result("s/a", 150, 1) },
      { result("s/a", 140, 1) }, { result("s/a", 101, 1) })
    assert.same({}, failures)
    assert.equal("s/a: time rose from 100 ns to 150 ns per call, 1.50 times "
      .. "as slow (1.48 to 1.52); it allocates as much as "
      .. "before; even the low end is over 105 ns, 5% more than before (gate "
      .. "time>5%); "
      .. "but measured again in a fresh process it was 0.42% "
      .. "less to 2.4% more time: passed", notes[1])
  end)

  it("that has no change to tell says how much it was", function()
    local function with_collector(ns)
      return { result("s/a", 100, 1,
        { collector = fixtures.estimate(ns, 0.01, "ns") }) }
    end
    local rules = assert(gate.parse "collector>1ns")
    local function holding(ns)
      return gate.evaluate({ env = {}, results = with_collector(ns) },
        { env = {}, results = with_collector(0) }, rules)
    end
    local failures, notes = gate.weigh(holding(5).failures, holding(0.5),
      with_collector(5), with_collector(0.5))
    assert.same({}, failures)
    assert.matches("in a fresh process it was 500 ps: passed$", notes[1])
  end)

  it("could not be decided where a launch does not clear it for certain",
    function()
    local run = { result("s/a", 150, 1) }
    local again = { result("s/a", 104, 1,
      { time = fixtures.estimate(104, 0.05, "ns") }) }
    local failures, notes, undecided = gate.weigh(held(run).failures,
      held(again), run, again)
    assert.same({}, failures)
    assert.matches("it was 1.3%% less to 9.3%% more time: this could not be "
      .. "decided, so it does not fail$", notes[1])
    assert.equal("time>5%", undecided[1].rule)
    assert.matches("^s/a: 1.50 times as slow %(1.48 to 1.52%), measured again "
      .. "1.3%% less to 9.3%% more time$", undecided[1].text)
    assert.is_true(undecided[1].alone > 20 and undecided[1].both > 20)
    assert.same({}, (select(3, gate.weigh(held(run).failures,
      held { result("s/a", 101, 1) }, run, { result("s/a", 101, 1) }))))
  end)

  it("stands for the benches and the counts that no launch lets pass",
    function()
      local failures = weighed({ result("s/a", 150, 2), result("s/b", 150, 1) },
        { result("s/a", 100, 1), result("s/b", 150, 1) })
      assert.same({ "s/a allocs", "s/b time" }, {
        failures[1].id .. " " .. failures[1].metric,
        failures[2].id .. " " .. failures[2].metric })
    end)

  it("stands where the launch says nothing", function()
    local run = { result("s/a", 150, 1) }
    local failures = weighed(run, { result("s/a", 100, 1, { error = "x" }) },
      { result("s/a", 100, 1, { time = { value = 100 } }) }, {})
    assert.equal(1, #failures)
    assert.truthy(failures[1].message:find(" %(gate time>5%%%)$"))
  end)

  it("leaves in the result what was measured, and what it met", function()
    local run = { result("s/a", 150, 1), result("s/b", 100, 1) }
    weighed(run, { result("s/a", 140, 1) }, { result("s/a", 101, 1) })
    local again = run[1].measured_again
    assert.same({ { "time>5%" } }, { again[1].met, again[2].met })
    assert.same(fixtures.estimate(101, 0.01, "ns"), again[2].time)
    assert.is_nil(run[2].measured_again)
  end)
end)
