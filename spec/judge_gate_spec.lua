local fixtures = require "spec.support.fixtures"
local gate = require "tare.judge.gate"

local SAME_COUNTS = "; it executes and allocates as much as before"
local TIME_GATE = "; even the low end is over 105 ns, 5% more than before "
  .. "(gate time>5%)"
local ALLOCS_GATE = " (gate allocs>0)"
local BYTES_GATE = " (gate bytes>0)"

local function bench(more)
  local result = { id = "a/b", time = fixtures.estimate(100, 0.01, "ns"),
    allocs = { value = 2 }, bytes = { value = 96 },
    instructions = { value = 1000 } }
  for key, value in pairs(more or {}) do result[key] = value end
  return result
end

local function report(...) return { env = {}, results = { ... } } end

local function hold(rules, new, old, options)
  return gate.evaluate(report(new), report(old or bench()),
    assert(gate.parse(rules)), options)
end

local function messages(...)
  local list = {}
  for i, failure in ipairs(hold(...).failures) do list[i] = failure.message end
  return list
end

describe("a gate", function()
  it("does not fail for a ratio that is too noisy, within what noise can do",
    function()
      local function failures(low, high)
        local old, new = fixtures.report(), fixtures.report()
        old.results, new.results = { old.results[1] }, { new.results[1] }
        local was = old.results[1].time.value
        new.results[1].time = { value = was * 2.5, low = was * low,
          high = was * high }
        old.results[1].time.low, old.results[1].time.high = was * 0.9999,
          was * 1.0001
        local found = gate.evaluate(new, old, gate.parse "time>5%")
        return #found.failures, found.rules[1].unclear
      end
      assert.same({ 0, 1 }, { failures(1.27, 4.64) })
      assert.same({ 1, 0 }, { failures(1.9, 3.3) })
      assert.same({ 1, 0 }, { failures(2.1, 9) })
    end)

  it("on a share fails where there was nothing before", function()
    local function collector(ns)
      return bench { collector = fixtures.estimate(ns, 0.1, "ns") }
    end
    local found = hold("collector>10%", collector(50), collector(0))
    assert.matches("^a/b: collector rose from 0 ns to 50.0 ns per call",
      found.failures[1].message)
    assert.same({}, hold("collector>10%", collector(0),
      collector(0)).failures)
  end)

  it("lets a report pass against itself", function()
    local data = fixtures.report()
    local verdict = gate.evaluate(data, data,
      gate.parse("time>5%,net>5%,allocs>0,bytes>0,instructions>0.5%"))
    assert.same({}, verdict.failures)
    assert.is_true(verdict.checked > 0)
  end)

  it("has times below a nanosecond in nanoseconds, as tables have", function()
    local found = messages("time>5%", bench { time = fixtures.estimate(126,
      0.01) }, bench { time = fixtures.estimate(0.6, 0.01) })
    assert.truthy(found[1]:find("from 0.600 ns to 126 ns per call", 1, true),
      found[1])
    assert.truthy(found[1]:find("; even the low end is over 0.630 ns, 5% "
      .. "more than before (gate", 1, true),
      found[1])
  end)

  it("on time fails when the estimate is beyond and surely slower", function()
    local function of(value, error)
      return messages("time>5%", bench { time = fixtures.estimate(value,
        error) })
    end
    assert.same({ "a/b: time rose from 100 ns to 120 ns per call, 1.20 "
      .. "times as slow (1.18 to 1.22)" .. SAME_COUNTS .. TIME_GATE },
      of(120, 0.01))
    assert.same({ "a/b: time rose from 100 ns to 106 ns per call, 1.06 "
      .. "times as slow (1.02 to 1.10)" .. SAME_COUNTS .. "; over 105 ns, 5% "
      .. "more than before (gate time>5%)" }, of(106, 0.04))
    assert.same({}, of(104, 0.01))
    assert.same({}, of(106, 0.07))
    assert.same({}, of(120, 0.2))
  end)

  it("on time lets pass what may be beyond, and can't decide it", function()
    for value, error in pairs { [104] = 0.02, [106] = 0.07, [120] = 0.2 } do
      assert.equal(1, hold("time>5%", bench { time = fixtures.estimate(value,
        error) }).rules[1].unclear)
    end
  end)

  it("leaves an interval out of its reason that has an open end", function()
    assert.same({ "a/b: time rose from 100 ns to 150 ns per call, 1.50 "
      .. "times as slow" .. SAME_COUNTS .. TIME_GATE },
      messages("time>5%",
      bench { time = { value = 150, low = 140, high = 160 } },
      bench { time = { value = 100, low = 0, high = 101 } }))
  end)

  it("on time says what else a call does more of, as a cause", function()
    assert.matches("; it executes 7 Lua instructions more and allocates 64 B "
      .. "less" .. TIME_GATE,
      messages("time>5%", bench {
        time = fixtures.estimate(120, 0.01), instructions = { value = 1007 },
        bytes = { value = 32 } })[1], 1, true)
    assert.matches("1.20 times as slow (1.18 to 1.22); even the low",
      messages("time>5%", bench {
      time = fixtures.estimate(120, 0.01), instructions = false,
      bytes = false, allocs = false })[1], 1, true)
    assert.matches("; it allocates 64 B more and makes 1 allocation more; ",
      messages("time>5%", bench { time = fixtures.estimate(120, 0.01),
        bytes = { value = 160 }, allocs = { value = 3 } })[1], 1, true)
  end)

  it("says in words what it allows", function()
    local rules = hold("time>5%,allocs>0,bytes>1KiB,time>10ns", bench()).rules
    assert.equal("at most 5% more time than before", rules[1].meaning)
    assert.equal("no more allocs than before", rules[2].meaning)
    assert.equal("at most 1KiB more bytes than before", rules[3].meaning)
    assert.equal("at most 10ns more time than before", rules[4].meaning)
  end)

  it("names what it can't decide, and what is known of that", function()
    local rule = hold("time>5%", bench { time = fixtures.estimate(101,
      0.2) }).rules[1]
    assert.equal(1, #rule.undecided)
    assert.equal("a/b: 19% less to 21% more time", rule.undecided[1].text)
  end)

  it("says how much more has to be measured to decide it", function()
    local old = bench()
    local function asked(rule, value, low, high, baseline, options)
      return hold(rule, bench { time = { value = value, low = low,
        high = high } }, baseline or old, options).rules[1].undecided[1]
    end
    -- Measured so many times as long, intervals are narrower by the root.
    local function decides(rule, one, value, low, high, baseline, is_both)
      local by = math.sqrt(is_both and one.both or one.alone)
      local function narrowed(time, share)
        return { value = time.value,
          low = time.value * (time.low / time.value) ^ (1 / share),
          high = time.value * (time.high / time.value) ^ (1 / share) }
      end
      local verdict = hold(rule, bench { time = narrowed({ value = value,
        low = low, high = high }, by) }, bench {
        time = narrowed(baseline.time, is_both and by or 1) })
      return verdict.rules[1].unclear == 0
    end
    for _, rule in ipairs { "time>5%", "time>5ns" } do
      for _, value in ipairs { 102, 108 } do
        local low, high = value / 1.1, value * 1.1
        local one = asked(rule, value, low, high)
        assert.is_true(one.both > 1.5 and one.both < 25, tostring(one.both))
        assert.is_true(decides(rule, one, value, low, high, old, true))
        assert.is_true(decides(rule, one, value, low, high, old))
        -- but not for a baseline which is itself no more precise
        local wide = bench { time = fixtures.estimate(100, 0.1) }
        one = asked(rule, value, low, high, wide)
        assert.equal(1/0, one.alone)
        assert.is_true(decides(rule, one, value, low, high, wide, true))
      end
    end
    -- at the limit itself no run is long enough
    assert.is_true(asked("time>5ns", 105, 95, 115).both > 1e9)
    -- in lockstep both are measured
    local lockstep = { comparisons = { { a = "a/b", ratio = { value = 1.02,
      low = 0.98, high = 1.07 } } } }
    local one = asked("time>5%", 102, 100, 104, nil, lockstep)
    assert.equal(one.both, one.alone)
    assert.near(1.3 * (math.log(1.07 / 1.02) / math.log(1.05 / 1.02)) ^ 2,
      one.both, 1e-9)
  end)

  it("is unclear where what passed may all the same be beyond it", function()
    for _, rule in ipairs { "time>5%", "time>5ns" } do
      for error, count in pairs { [0.01] = 0, [0.2] = 1 } do
        local verdict = hold(rule, bench { time = fixtures.estimate(101,
          error) })
        assert.equal(count, verdict.rules[1].unclear)
        assert.equal(1, verdict.rules[1].checked)
        assert.same({}, verdict.failures)
      end
    end
  end)

  it("counts for each rule how many benches it could be checked of", function()
    assert.same({
      { metric = "time", text = "time>5%", checked = 1, unclear = 0,
        unchecked = 0, undecided = {},
        meaning = "at most 5% more time than before" },
      { metric = "allocs", text = "allocs>0", checked = 0, unclear = 0,
        unchecked = 1, undecided = {},
        meaning = "no more allocs than before" } },
      hold("time>5%,allocs>0", bench(), bench { allocs = false }).rules)
    local verdict = gate.evaluate(report(bench { id = "x" }), report(bench()),
      gate.parse("time>5%"))
    assert.equal(1, verdict.rules[1].unchecked)
  end)

  it("says what gives a figure that is absent", function()
    local function note(...) return hold(...).notes[1] end
    assert.equal("not checked: no machine_instructions measured (a/b); add "
      .. "--machine-instructions", note("machine_instructions>0", bench()))
    assert.equal("not checked: no allocs in the baseline (a/b); measure the "
      .. "baseline again", note("allocs>0", bench(), bench { allocs = false }))
    assert.equal("not checked: it failed in the baseline (a/b); measure the "
      .. "baseline again", note("allocs>0", bench(), bench { error = "no" }))
  end)

  it("on an amount of time takes the difference", function()
    local slower = bench { time = fixtures.estimate(120, 0.01) }
    assert.matches("; even the low end is over 110 ns, 10ns more",
      messages("time>10ns", slower)[1])
    assert.matches("; over 119 ns, 19ns more", messages("time>19ns", slower)[1])
    assert.same({}, messages("time>21ns", slower))
    assert.same({}, messages("time>10ns", bench {
      time = fixtures.estimate(120, 0.2) }))
  end)

  it("on time prefers cycles, and says so", function()
    local function counted(ns, cycles)
      return bench { time = fixtures.estimate(ns, 0.01),
        cycles = fixtures.estimate(cycles, 0.01), cycles_from = "chain" }
    end
    assert.same({}, messages("time>5%", counted(150, 300),
      counted(100, 300)))
    assert.matches("^a/b: time %(in core cycles%) rose .*, 1%.33 times as ",
      messages("time>5%", counted(100, 400), counted(100, 300))[1])
  end)

  -- A result of a run whose reference clock was so fast.
  local function at(ghz, cycles, net)
    local function e(in_cycles)
      return fixtures.estimate(in_cycles / ghz, 0.01, "ns")
    end
    return bench { time = e(cycles), time_from = "cycles",
      cycles = fixtures.estimate(cycles, 0.01), cycles_from = "chain",
      net = e(net), collector = e(cycles - net), median = e(cycles),
      wall = e(cycles) }
  end

  it("compares nanoseconds at the same clock, where the reference of one "
    .. "report is not that of the other", function()
    local rules = "time>5%,net>5%,collector>5%,median>5%,time>10ns"
    local function failing(new, old)
      local found = {}
      for i, failure in ipairs(hold(rules, new, old).failures) do
        found[i] = failure.rule
      end
      return table.concat(found, ",")
    end
    -- 20 % more cycles, at a clock that is 32 % quicker, and the other way
    assert.equal(rules, failing(at(2.97, 360, 240), at(2.25, 300, 200)))
    assert.equal(rules, failing(at(2.25, 360, 240), at(2.97, 300, 200)))
    assert.equal("", failing(at(2.25, 300, 200), at(2.97, 300, 200)))
    assert.equal("", failing(at(2.97, 300, 200), at(2.25, 300, 200)))
  end)

  it("tells both figures at that clock", function()
    local new, old = at(3, 360, 240), at(2, 300, 200)
    assert.matches("^a/b: net rose from 66%.7 ns to 80%.0 ns per call, 1%.20 "
      .. "times as slow", messages("net>5%", new, old)[1])
    assert.matches("^a/b: time rose from 100 ns to 120 ns per call, 1%.20 "
      .. "times as slow", messages("time>5%", new, old)[1])
  end)

  it("takes times of the plain clock as they are", function()
    local new, old = at(3, 360, 240), at(2, 300, 200)
    assert.same({}, messages("wall>5%", new, old))
    new.time_from = "wall"
    assert.same({}, messages("net>5%", new, old))
  end)

  it("takes exact counts for equal within a billionth of them, of 1 at least",
    function()
      for _, value in ipairs { 0, 0.01, 0.5, 1, 3, 96, 1e6, 1e12 } do
        local unit = 1e-9 * math.max(1, value)
        for part, failures in pairs { [0.5] = 0, [2] = 1, [-2] = 0 } do
          for _, rule in ipairs { "bytes>0", "bytes>0%" } do
            assert.equal(failures, #messages(rule,
              bench { bytes = { value = value + part * unit } },
              bench { bytes = { value = value } }), value)
          end
        end
      end
    end)

  it("on exact figures fails at the least difference", function()
    assert.same({ "a/b: allocs rose from 2 to 3 per call" .. ALLOCS_GATE },
      messages("allocs>0", bench { allocs = { value = 3 } }))
    assert.same({}, messages("allocs>1", bench { allocs = { value = 3 } }))
    assert.same({}, messages("allocs>0", bench { allocs = { value = 1 } }))
    assert.same({}, messages("allocs>0",
      bench { allocs = { value = 2 + 1e-12 } }))
    assert.same({ "a/b: bytes rose from 96 B to 152 B"
      .. " per call" .. BYTES_GATE },
      messages("bytes>0", bench { bytes = { value = 152 } }))
  end)

  it("tells bytes as tables do, with digits that tell them apart", function()
    assert.same({ "a/b: bytes rose from 2.109 KiB to 2.110 KiB"
      .. " per call" .. BYTES_GATE }, messages("bytes>0",
      bench { bytes = { value = 2161 } }, bench { bytes = { value = 2160 } }))
  end)

  it("tells other counts in full, whatever their size", function()
    assert.same({ "a/b: allocs rose from 2 to 20,001 per call" .. ALLOCS_GATE,
      "a/b: bytes rose from 96 B to 1.57 MiB per call" .. BYTES_GATE },
      messages("allocs>0,bytes>0", bench { allocs = { value = 20001 },
        bytes = { value = 1644344 } }))
    assert.same({ "a/b: allocs rose from 2 to 2.0625"
      .. " per call" .. ALLOCS_GATE },
      messages("allocs>0", bench { allocs = { value = 2.0625 } }))
  end)

  it("tells how many times more a time is that is far beyond", function()
    assert.same({ "a/b: time rose from 100 ns to 2.84 ms per call, "
      .. "28,400 times as slow (28,000 to 28,800)" .. SAME_COUNTS
      .. TIME_GATE },
      messages("time>5%", bench { time = fixtures.estimate(2835138, 0.01) }))
  end)

  it("on a share of an exact figure", function()
    assert.same({}, messages("instructions>0.5%",
      bench { instructions = { value = 1005 } }))
    assert.equal(1, #messages("instructions>0.5%",
      bench { instructions = { value = 1006 } }))
    assert.equal(1, #messages("allocs>10%", bench(),
      bench { allocs = { value = 0 } }))
  end)

  it("on allocations wants them counted over as many calls", function()
    local function counted(calls, allocs)
      return bench { allocs = { value = allocs },
        passes = { census = { iters = calls } } }
    end
    local verdict = hold("allocs>0", counted(16, 2.5), counted(1, 2))
    assert.same({ "not checked: allocs were counted over 16 calls, and over 1 "
      .. "in the baseline (a/b); a longer --quota may allow as many" },
      verdict.notes)
    assert.same({}, verdict.failures)
    assert.same({ "a gate on counts could not be checked: allocs were counted "
      .. "over 16 calls, and over 1 in the baseline (a/b); a longer --quota "
      .. "may allow as many" }, verdict.lost)
    assert.matches("over 1 call, and over 16", hold("allocs>0", counted(1, 2),
      counted(16, 2)).notes[1])
    assert.equal(1, #messages("allocs>0", counted(16, 2.5), counted(16, 2)))
  end)

  it("tells a count that one of two reports lacks from a time", function()
    local without = bench { instructions = false }
    without.instructions = nil
    local function lost(...)
      return #hold("instructions>0,time>5%,allocs>0", ...).lost
    end
    assert.equal(0, lost(bench()))
    assert.equal(1, lost(without))
    assert.equal(1, lost(bench(), without))
    assert.equal(0, lost(without, without))
    assert.equal(0, lost(bench { time = { value = 100 } }))
  end)

  it("names bench, metric and rule with each failure", function()
    local failure = hold("time>5%,allocs>0",
      bench { allocs = { value = 3 } }).failures[1]
    assert.same({ "a/b", "allocs", "allocs>0" },
      { failure.id, failure.metric, failure.rule })
  end)

  it("says what it could not look at, and why", function()
    local rules = gate.parse("time>5%,allocs>0")
    local without = bench()
    without.allocs = nil
    local other = bench()
    other.id = "c/d"
    local verdict = gate.evaluate(report(without, other), report(bench()),
      rules)
    assert.same({ "not checked: no allocs measured (a/b)",
      "not checked: not in the baseline (c/d)" }, verdict.notes)
    assert.same({ 1, 3 }, { verdict.checked, verdict.unchecked })
  end)

  it("gathers benches with the same reason", function()
    local results = {}
    for i = 1, 10 do results[i] = { id = "x" .. i } end
    local verdict = gate.evaluate({ results = results }, report(),
      gate.parse("time>5%"))
    assert.same({ "not checked: not in the baseline (x1, x2, x3 and 7 more)" },
      verdict.notes)
  end)

  it("judges no time without an interval, and no bench that failed", function()
    local remedy = "; give a longer --quota, or a quieter machine"
    assert.same({ "not checked: too few undisturbed batches for time in this "
      .. "run (a/b)" .. remedy },
      hold("time>5%", bench { time = { value = 500 } }).notes)
    assert.same({ "not checked: too few undisturbed batches for time in the "
      .. "baseline (a/b); measure the baseline again with a longer --quota, or "
      .. "on a quieter machine" },
      hold("time>5%", bench(), bench { time = { value = 500 } }).notes)
    assert.same({ "not checked: too few undisturbed batches for time in this "
      .. "run and the baseline (a/b)" .. remedy }, hold("time>5%",
      bench { time = { value = 5 } }, bench { time = { value = 500 } }).notes)
    assert.same({ "not checked: the bench failed (a/b)" },
      hold("time>5%", bench { error = "x" }).notes)
    assert.same({ "not checked: it failed in the baseline (a/b); "
      .. "measure the baseline again" },
      hold("time>5%", bench(), bench { error = "x" }).notes)
  end)

  it("on another machine judges counts, not times, unless forced", function()
    local new = { env = { cpu = "X" }, results = { bench {
      time = fixtures.estimate(200, 0.01), allocs = { value = 3 } } } }
    local old = { env = { cpu = "Y" }, results = { bench() } }
    local rules = gate.parse("time>5%,allocs>0")
    local verdict = gate.evaluate(new, old, rules)
    assert.equal(1, #verdict.failures)
    assert.equal("allocs", verdict.failures[1].metric)
    assert.matches("^not checked: cpu is 'X' in this run and 'Y' in the "
      .. "baseline; times can't be compared", verdict.notes[1])
    assert.equal(2, #gate.evaluate(new, old, rules, { force = true })
      .failures)
  end)

  it("says once why times of benches can't be compared", function()
    local new, old = { results = {} }, { results = {} }
    for i, id in ipairs { "a/b", "a/c" } do
      for gc, made in pairs { natural = new, stopped = old } do
        made.results[i] = bench { time = fixtures.estimate(200, 0.01),
          gc = gc }
        made.results[i].id = id
      end
    end
    assert.same({ "not checked: gc is 'natural' in this run and 'stopped' in "
      .. "the baseline; times can't be compared (a/b, a/c)" },
      gate.evaluate(new, old, gate.parse "time>5%").notes)
  end)

  it("sends no control character of an id on", function()
    local new, old = bench { allocs = { value = 3 } }, bench()
    new.id, old.id = fixtures.HOSTILE, fixtures.HOSTILE
    assert.is_nil(messages("allocs>0", new, old)[1]:find("%c"))
  end)

  it("on time goes by the lockstep's ratio, where there was one", function()
    local function held(rules, ratio, new)
      return gate.evaluate(report(new or bench { time = fixtures.estimate(300,
        0.5) }), report(bench()), assert(gate.parse(rules)), {
          names = { "the working tree", "main" }, comparisons = {
            { a = "a/b", b = "a/b{ref=main}", ratio = ratio } } })
    end
    local slower = { value = 1.2, low = 1.1, high = 1.3 }
    assert.equal("a/b: time rose from 100 ns to 300 ns per call against "
      .. "main, 1.20 times as slow (1.10 to 1.30) round by round"
      .. SAME_COUNTS
      .. TIME_GATE,
      held("time>5%", slower).failures[1].message)
    assert.matches("from 100 ns to 120 ns .* as slow %(1.10 to 1.30%);",
      held("time>5%", slower, bench { time = fixtures.estimate(120, 0.5) })
        .failures[1].message)
    -- The times of all batches may say the opposite.
    local function though(rules)
      return held(rules, slower, bench { time = fixtures.estimate(99, 0.5) })
        .failures[1].message:gsub(SAME_COUNTS, "", 1)
    end
    local is_slower = "a/b: time is 1.20 times as slow (1.10 to 1.30) round by "
      .. "round against main, though it was 100 ns and is 99.0 ns per call; "
    assert.equal(is_slower .. "even the low end is over 5% more than before "
      .. "(gate time>5%)", (though "time>5%"))
    assert.equal(is_slower .. "over 15ns more than before (gate time>15ns)",
      (though "time>15ns"))
    assert.equal(1, #held("time>9ns", slower).failures)
    assert.same({}, held("time>21ns,time>21%", slower).failures)
    assert.same({}, held("time>11ns,time>11%", { value = 1.2, low = 0.99,
      high = 1.3 }).failures)
    assert.same({ "not checked: too few undisturbed batches to compare time "
      .. "with main (a/b); give a longer --quota, or a quieter machine" },
      held("time>5%", { value = 3 }).notes)
    assert.equal("a/b: allocs rose from 2 to 3 per call against main"
      .. ALLOCS_GATE,
      held("allocs>0", slower, bench { allocs = { value = 3 } }).failures[1]
        .message)
    assert.same({ "not checked: no collector measured (a/b)" },
      held("collector>5%", slower).notes)
  end)
end)
