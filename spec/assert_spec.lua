require "tare.assert"
local claims = require "tare.claims"
local Direct = require "tare.conductor.direct"

local kept -- so that nothing is optimised away
local function one_table() kept = {} end
local function two_tables()
  kept = {}
  kept = { kept }
end

-- What a claim that fails says.
local function refusal(claim, ...)
  local ok, message = pcall(claim, ...)
  assert.is_false(ok)
  return tostring(message)
end

describe("assert.allocates_at_most", function()
  it("passes at the limit and hands the census back", function()
    local census = assert.allocates_at_most(one_table,
      { allocs = 1, calls = 4 })
    assert.equal(4, census.allocs)
    assert.equal(4, census.iters)
  end)

  it("fails one table above it, and says what was counted", function()
    local message = refusal(assert.allocates_at_most, two_tables,
      { allocs = 1 })
    assert.truthy(message:find("^Allocates too much: a call makes %d "
      .. "allocations %(limit 1%), over 16 calls: "), message)
  end)

  it("has limits in bytes", function()
    local bytes = assert.allocates_at_most(one_table, { allocs = 1 }).bytes / 16
    assert.allocates_at_most(one_table, { bytes = bytes })
    assert.truthy(refusal(assert.allocates_at_most, one_table,
      { bytes = bytes - 1 }):find(("limit %d"):format(bytes - 1), 1, true))
  end)

  it("can be negated", function()
    assert.not_allocates_at_most(two_tables, { allocs = 1 })
    assert.truthy(refusal(assert.not_allocates_at_most, one_table,
      { allocs = 1 }):find("no more than the limit", 1, true))
  end)

  it("counts nothing that a compiler makes of it meanwhile", function()
    -- Each call has a loop of its own, which LuaJIT compiles the first time.
    local loops, called, others = {}, 0, nil
    for i = 1, 200 do
      loops[i] = assert((loadstring or load)(
        "local n = 0 for i = 1, 200 do n = n + i end return n"))
    end
    local census = assert.allocates_at_most(function()
      called = called + 1
      loops[called]()
      kept, others = {}, {}
      return others
    end, { allocs = 2, warmup = 2 })
    assert.equal(2 * 16, census.allocs)
  end)

  it("counts what only some of the calls allocate, though those before "
    .. "them did not", function()
    local EVERY = 32
    local called, in_all = 0, 0
    local function now_and_then()
      called = called + 1
      if called % EVERY == 0 then kept = {} end
    end
    for _ = 1, 2 do -- sixteen with it, and sixteen without
      local made = assert.allocates_at_most(now_and_then,
        { allocs = 1, warmup = 20 * EVERY }).allocs
      local ended = math.floor(called / EVERY)
      assert.equal(ended - math.floor((called - 16) / EVERY), made)
      in_all = in_all + made
      for _ = called + 1, (ended + 1) * EVERY + 16 do now_and_then() end
    end
    assert.equal(1, in_all)
  end)

  it("leaves the collector running, or stopped", function()
    local core = require "tare.core"
    for _, running in ipairs { false, true } do
      core.gc_run(running)
      local _, _, before = core.gc_settings() -- 5.1 can't tell
      assert.allocates_at_most(one_table, { allocs = 1 })
      local _, _, after = core.gc_settings()
      assert.equal(before, after)
    end
    core.gc_run(true)
  end)

  it("leaves it stopped where it fails, and names lines", function()
    local core = require "tare.core"
    collectgarbage "stop"
    local _, _, before = core.gc_settings() -- 5.1 can't tell
    local said = refusal(assert.allocates_at_most, one_table, { allocs = 0 })
    local _, _, after = core.gc_settings()
    core.gc_run(true)
    assert.matches("; by line: ", said)
    assert.equal(before, after)
  end)

  it("passes on the function's own error", function()
    assert.truthy(refusal(assert.allocates_at_most, function()
      error("of its own")
    end, { allocs = 1 }):find("of its own", 1, true))
  end)

  it("refuses what it can't read, at the caller's line", function()
    local ok, message = pcall(function()
      assert.allocates_at_most(one_table, { alocs = 1 })
    end)
    assert.is_false(ok)
    assert.truthy(message:find(
      "^%.?/?spec/assert_spec.lua:%d+: tare.assert: allocates_at_most: "
      .. "no such option: 'alocs'; did you mean 'allocs'%?$"), message)
    assert.truthy(refusal(assert.allocates_at_most, one_table, {})
      :find("needs a limit", 1, true))
    for assertion, limit in pairs { executes_at_most = "allocs",
      allocates_at_most = "instructions" } do
      assert.truthy(refusal(assert[assertion], one_table,
        { allocs = limit == "allocs" and 0 or 9, [limit] = 0 })
        :find("no such option: '" .. limit .. "'", 1, true), assertion)
    end
    assert.truthy(refusal(assert.allocates_at_most, 3, {})
      :find("expected a function, got number", 1, true))
    local callable = setmetatable({}, { __call = one_table })
    assert.truthy(refusal(assert.allocates_at_most, callable, { allocs = 9 })
      :find("expected a function, got table", 1, true))
  end)
end)

describe("options of assertions", function()
  it("are whole numbers of calls, amounts, and five sizes or more", function()
    local function takes(assertion, ...)
      local ok, message = pcall(assertion, ...)
      local is_refused = not ok
        and tostring(message):find("not a value of", 1, true) ~= nil
      return not is_refused
    end
    local function adds() return 1 + 1 end
    for _, value in ipairs { 0, 1.5, -1, "x", {}, 1/0, 0/0, true } do
      assert.is_false(takes(assert.allocates_nothing, adds, { calls = value }),
        tostring(value))
    end
    assert.is_true(takes(assert.allocates_nothing, adds, { calls = 1 }))
    for _, value in ipairs { -1, "x", 1/0 } do
      assert.is_false(takes(assert.allocates_at_most, adds, { allocs = value }))
    end
    assert.is_true(takes(assert.allocates_at_most, adds, { allocs = 0.5 }))
    for _, value in ipairs { { 2, 4, 8, 16 }, { 1, 2, 4, 8, 16 },
      { 2, 4, 8, 16, 2.5 }, { 2, 4, 8, 16, "x" }, { 2, 4, 8, 16, 16 }, 5 } do
      assert.is_false(takes(assert.grows_at_most, adds, "n",
        { sizes = value, metric = "allocs" }))
    end
    assert.is_true(takes(assert.grows_at_most, adds, "n",
      { sizes = { 2, 4, 8, 16, 32 }, metric = "allocs" }))
    for _, value in ipairs { 0, -1, "x" } do
      assert.is_false(takes(assert.is_faster_than, adds, adds,
        { times = value }))
    end
  end)
end)

describe("assert.allocates_nothing", function()
  it("holds for what does not allocate", function()
    local census = assert.allocates_nothing(function() return 1 + 1 end)
    assert.equal(0, census.allocs)
  end)

  it("names the lines that do, the most first", function()
    local made
    local function allocating()
      made = { 1 }
      made = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }
      return made
    end
    local line = debug.getinfo(allocating, "S").linedefined
    local message = refusal(assert.allocates_nothing, allocating)
    assert.truthy(message:find(("by line: assert_spec.lua:%d ("):format(
      line + 2), 1, true), message)
    assert.truthy(message:find(("assert_spec.lua:%d ("):format(line + 1), 1,
      true), message)
  end)

  it("refuses limits: it has its own", function()
    assert.truthy(refusal(assert.allocates_nothing, one_table, { bytes = 1 })
      :find("no such option: 'bytes'", 1, true))
  end)
end)

describe("failed counts", function()
  it("name the lines with most of them", function()
    local function work()
      local sum = 0
      for i = 1, 100 do
        sum = sum + i * i
      end
      return { sum }
    end
    local line = debug.getinfo(work, "S").linedefined
    assert.truthy(refusal(assert.executes_at_most, work, 1):find(
      ("by line: assert_spec.lua:%d ("):format(line + 3), 1, true))
    assert.truthy(refusal(assert.allocates_at_most, work, { bytes = 1 }):find(
      ("by line: assert_spec.lua:%d ("):format(line + 5), 1, true))
  end)
end)

describe("assert.executes_at_most", function()
  it("counts exactly, with LuaJIT's compiler off meanwhile", function()
    local counts = assert.executes_at_most(one_table, 1000)
    assert.executes_at_most(one_table, counts.instructions)
    local message = refusal(assert.executes_at_most, one_table,
      { instructions = counts.instructions - 1 })
    assert.truthy(message:find(("a call executes %d instructions (limit %d)")
      :format(counts.instructions, counts.instructions - 1), 1, true), message)
    local jit = rawget(_G, "jit")
    if jit and jit.status() then
      assert.truthy(message:find("with the JIT compiler off", 1, true))
    end
  end)

  it("can be negated", function()
    assert.not_executes_at_most(two_tables, 1)
  end)
end)

-- Answers of rounds, one after the other, with no clock between them.
local function rounds(answers)
  local asked = 0
  return function()
    asked = asked + 1
    return answers[asked], "said", asked
  end
end

describe("a claim about time", function()
  it("holds as soon as it is sure", function()
    local holds, said, figures = claims.in_rounds("3s", 2, rounds { true })
    assert.is_true(holds)
    assert.equal(1, figures)
    assert.truthy(said:find("^said %(round 1, "))
  end)

  it("is dropped after two rounds in a row against it", function()
    assert.is_false((claims.in_rounds("3s", 2, rounds { false, false })))
    assert.is_true((claims.in_rounds("3s", 2, rounds { false, true })))
  end)

  it("is not sure when the budget is spent", function()
    assert.is_nil((claims.in_rounds("1ms", 2, rounds { false })))
  end)

  local function spin(n)
    local sum = 0
    for i = 1, n do sum = sum + i % 7 end
    return sum
  end

  it("is not refused where it is true, however busy the machine", function()
    assert.is_faster_than(function() return spin(50) end,
      function() return spin(500) end, { budget = "200ms" })
  end)

  -- What a measurement found, made up: a ratio with its interval.
  local function with_ratio(low, value, high, claim)
    local cells = Direct.report
    Direct.report = function()
      return { results = { { time = { value = 100 * value } },
          { time = { value = 100 } } },
        comparisons = { { ratio = { value = value, low = low,
          high = high } } } }
    end
    local ok, message = pcall(claim)
    Direct.report = cells
    return ok, tostring(message)
  end

  it("is refused where the interval of the ratio is beyond the margin",
    function()
      local function claim()
        assert.is_faster_than(spin, spin, { budget = "1ms" })
      end
      local function twice() -- against it must speak two rounds
        assert.is_faster_than(spin, spin, { budget = "1s" })
      end
      assert.is_true((with_ratio(0.9, 1, 1.04, claim)))
      assert.is_true((with_ratio(1.01, 1.1, 1.2, claim))) -- not sure
      assert.is_true((with_ratio(nil, 3, nil, claim)))
      assert.is_true((with_ratio(1.06, 1.1, 1.2, claim))) -- one round only
      local ok, message = with_ratio(2.9, 3, 3.1, twice)
      assert.is_false(ok)
      assert.truthy(message:find("Not as fast as the other, within 5%%: it "
        .. "took 3.000 %[2.900, 3.100%] of the other's time: 300.0 ns against "
        .. "100.0 ns a call %(round 2, "), message)
    end)

  it("may be of so many times the speed, and be negated", function()
    local function times(n)
      return function()
        assert.is_faster_than(spin, spin, { times = n, budget = "1s" })
      end
    end
    local function negated() assert.is_not_faster_than(spin, spin) end
    assert.is_true((with_ratio(0.32, 0.33, 0.34, times(3))))
    assert.is_false((with_ratio(0.36, 0.37, 0.38, times(3))))
    assert.is_true((with_ratio(1.06, 1.1, 1.2, negated)))
    assert.is_true((with_ratio(0.8, 1, 1.2, negated))) -- not sure
    assert.is_false((with_ratio(0.8, 0.85, 0.9, negated)))
  end)
end)

local function points(cost)
  local list = {}
  for i = 4, 12 do list[#list + 1] = { x = 2^i, value = cost(2^i) } end
  return list
end

describe("assert.grows_at_most", function()
  it("holds a law that is as steep as the one found, or steeper", function()
    local linear = points(function(n) return 3 * n + 20 end)
    for _, name in ipairs { "n", "n log n", "n^2", "n^3" } do
      assert.is_true((claims.judge(linear, name, 0.05)), name)
    end
    for _, name in ipairs { "1", "log n" } do
      assert.is_false((claims.judge(linear, name, 0.05)), name)
    end
  end)

  it("holds a law that is less steep than the one found, if that may be it",
    function()
      local nearly = points(function(n) return n * (10 + math.log(n)) end)
      local holds, found = claims.judge(nearly, "n", 0.01)
      assert.is_true(holds)
      assert.equal("n log n", found.name)
      assert.is_false((claims.judge(nearly, "log n", 0.01)))
    end)

  it("is not sure within the slack", function()
    local steeper = points(function(n) return n * math.log(n) end)
    assert.is_nil((claims.judge(steeper, "n", 0.3)))
    assert.is_false((claims.judge(steeper, "n", 0.05)))
    local far_steeper = points(function(n) return n^2.6 end)
    assert.is_nil((claims.judge(far_steeper, "n^2", 0.7)))
    assert.is_false((claims.judge(far_steeper, "n^2", 0.5)))
  end)

  it("is exact over counts", function()
    local function quadratic(n)
      local sum = 0
      for i = 1, n do
        for j = 1, n do sum = sum + i * j end
      end
      return sum
    end
    local given = { metric = "instructions", sizes = { 4, 8, 16, 32, 64, 128 } }
    assert.grows_at_most(quadratic, "n^2", given)
    local message = refusal(assert.grows_at_most, quadratic, "n log n", given)
    assert.truthy(message:find("^Grows faster than n log n: the growth of its "
      .. "instructions is n%^2 %(exponent "), message)
    local tables = assert.grows_at_most(function(n)
      kept = {}
      for i = 1, n do kept[i] = {} end
    end, "n", { metric = "allocs", sizes = { 8, 16, 32, 64, 128 } })
    assert.equal(8, tables[1].x)
  end)

  it("knows counts of zero: constant where all are, and else not", function()
    local given = { metric = "allocs", sizes = { 16, 32, 64, 128, 256 } }
    local function beyond_16(n)
      for i = 17, n do kept = { i } end
    end
    local function nothing(n) return n end
    -- 0, 16, 48, 112, 240 are too few for a law, but grow
    assert.truthy(refusal(assert.grows_at_most, beyond_16, "1", given)
      :find("^Grows faster than 1: "))
    for n = 9, 11 do table.insert(given.sizes, 2^n) end
    assert.truthy(refusal(assert.grows_at_most, beyond_16, "log n", given)
      :find("^Grows faster than log n: "))
    assert.grows_at_most(nothing, "1", given)
    assert.truthy(refusal(assert.not_grows_at_most, nothing, "n", given)
      :find("^Grows no faster than n: "))
  end)

  it("chooses sizes that end with a long call", function()
    local sizes = claims.sizes(function() end)
    assert.equal(8, #sizes)
    assert.equal(2^20, sizes[8])
  end)

  it("times what it is not told to count", function()
    local sizes, called = { 50, 100, 200, 400, 800 }, {}
    local cells = Direct.report
    Direct.report = function(asked) -- of a clock on which n takes n us
      local results = {}
      for i, cell in ipairs(asked) do
        local n = cell.params.n
        assert.equal(n, cell.spec.args(cell.params))
        cell.spec.run(n)
        results[i] = { params = { n = n }, time = { value = 1e3 * n } }
      end
      return { results = results }
    end
    local function linear(n) called[#called + 1] = n end
    local ok, message = pcall(function()
      assert.not_grows_at_most(linear, "1", { sizes = sizes, budget = "1s" })
      assert.grows_at_most(linear, "n", { sizes = sizes, budget = "1s" })
    end)
    Direct.report = cells
    assert(ok, message)
    for i, n in ipairs(sizes) do assert.equal(n, called[i]) end
  end)

  it("names the laws", function()
    assert.truthy(refusal(assert.grows_at_most, print, "n!")
      :find("'n!' is not one of 1, log n, n, n log n, n^2, n^3", 1, true))
  end)
end)
