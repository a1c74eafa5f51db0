local Fixture = require "tare.bench.fixture"

local function cell(spec, kind, values)
  return { spec = spec, values = values or {}, options = {},
    loop = kind or "inline" }
end

local function prepared(spec, kind, values)
  local fixture = Fixture.new(cell(spec, kind, values))
  assert(fixture:prepare())
  return fixture
end

-- Runs a batch, by no clock; what each call was given, in order.
local function batch(fixture, iters)
  assert(fixture:before(iters))
  fixture:repeater()(iters)
  assert(fixture:after(iters))
end

-- A function that notes what it is called with, under a name.
local function noting(log, name, result)
  return function(...)
    log[#log + 1] = { name, ... }
    return result
  end
end

describe("a fixture", function()
  it("passes what 'args' returns, or the parameters", function()
    local got
    batch(prepared { run = function(...) got = { ... } end,
      args = function() return 1, 2 end }, 1)
    assert.same({ 1, 2 }, got)
    local values = { n = 3 }
    batch(prepared({ run = function(...) got = { ... } end, params = {} },
      "inline", values), 1)
    assert.equal(values, got[1])
    batch(prepared { run = function(...) got = { ... } end }, 1)
    assert.same({}, got)
  end)

  it("applies a probe to the calls, or to a whole batch once", function()
    local function probe(f, iters, ...) return { f, iters, ... } end
    local function run() end
    assert.same({ run, 16, 1, 2 }, prepared { run = run,
      args = function() return 1, 2 end }:apply(probe, 16))
    local whole = prepared({ batch = run }, "batch")
    assert.same({ run, 1, 16 }, whole:apply(probe, 16))
    local each = prepared { run = run, before_each = run }
    local got = each:apply(probe, 16)
    assert.same({ 1, 16 }, { got[2], got[3] })
    assert.are_not.equal(run, got[1])
  end)

  it("lets a probe call the function itself, with its arguments", function()
    local fixture = prepared { run = function(a) return a end,
      args = function() return 7 end }
    local seen = {}
    fixture:apply(function(f, iters, ...)
      seen = { f(...), iters, select("#", ...) }
    end, 5)
    assert.same({ 7, 5, 1 }, seen)
  end)

  it("runs its hooks in order around a batch", function()
    local log = {}
    local function note(name)
      return function() log[#log + 1] = name end
    end
    local fixture = prepared { run = note "run", setup = note "setup",
      before_batch = note "before_batch", after_batch = note "after_batch",
      before_each = note "before_each", after_each = note "after_each",
      teardown = note "teardown" }
    batch(fixture, 2)
    fixture:teardown()
    assert.same({ "setup", "before_batch", "before_each", "before_each", "run",
      "run", "after_each", "after_each", "after_batch", "teardown" }, log)
  end)

  it("gives each call an input of its own, in parts of a batch too", function()
    local made, used, released = 0, {}, {}
    local fixture = prepared {
      before_each = function() made = made + 1 return made end,
      run = function(input) used[#used + 1] = input return -input end,
      after_each = function(result) released[#released + 1] = result end }
    assert(fixture:before(5))
    local repeats = fixture:repeater()
    repeats(2)
    repeats(3)
    assert(fixture:after(5))
    assert.same({ 1, 2, 3, 4, 5 }, used)
    assert.same({ -1, -2, -3, -4, -5 }, released)
  end)

  it("lets go of inputs and results after their batch", function()
    local weak = setmetatable({}, { __mode = "k" })
    local fixture = prepared {
      before_each = function() local t = {} weak[t] = true return t end,
      run = function(t) return t end }
    batch(fixture, 10)
    collectgarbage()
    assert.is_nil(next(weak))
  end)

  it("says what a hook raised, whatever it raised", function()
    local function raised(value)
      local fixture = Fixture.new(cell { run = print,
        setup = function() error(value) end })
      local ok, message = fixture:prepare()
      assert.is_nil(ok)
      return (message:gsub("^in setup: ", ""))
    end
    assert.equal("told", raised(setmetatable({}, { __tostring = function()
      return "told" end })))
    assert.equal("(an error that is a table)",
      raised(setmetatable({}, { __tostring = error })))
    assert.equal("(an error that is a table: code = 3, why = 'gone')",
      raised { code = 3, why = "gone", {} })
    assert.equal(_VERSION >= "Lua 5.5" and "<no error object>"
      or "(an error that is nil)", raised(nil))
    assert.equal("(an error that is a function)", raised(print))
  end)

  it("says what any of its functions raised", function()
    local function bad() error("mine", 0) end
    for _, name in ipairs { "setup", "args" } do
      local fixture = Fixture.new(cell { run = print, [name] = bad })
      assert.same({ nil, "in " .. name .. ": mine" }, { fixture:prepare() })
    end
    for _, name in ipairs { "before_batch", "before_each" } do
      local fixture = prepared { run = function() end, [name] = bad }
      assert.same({ nil, "in " .. name .. ": mine" }, { fixture:before(1) })
    end
    for _, name in ipairs { "after_batch", "after_each" } do
      local fixture = prepared { run = function() end, [name] = bad }
      assert(fixture:before(1))
      fixture:repeater()(1)
      assert.same({ nil, "in " .. name .. ": mine" }, { fixture:after(1) })
    end
    local fixture = prepared { run = bad, teardown = bad }
    assert.same({ nil, "mine" }, { fixture:call() })
    assert.same({ nil, "in teardown: mine" }, { fixture:teardown() })
  end)

  it("says that there are more arguments than a loop can have", function()
    local function noop() end
    local function with(count, before_batch)
      local fixture = Fixture.new(cell { run = noop,
        before_batch = before_batch,
        args = function() return (table.unpack or unpack)({}, 1, count) end })
      return fixture, fixture:prepare()
    end
    local most = 0
    for count = 1, 250 do
      local _, ok, message = with(count)
      if ok then
        most = count
      else
        message = message:gsub("has more than", "too many")
        assert.matches("^in args: .*too many", message)
      end
    end
    assert.is_true(most >= 50 and most < 250)
    local fixture, ok = with(most, function() return {} end)
    assert.is_true(ok)
    local message = select(2, fixture:before(1))
    assert.matches("^in args: ", message)
  end)

  it("tears down once, and only what was set up", function()
    local count = 0
    local fixture = Fixture.new(cell { run = print,
      teardown = function() count = count + 1 end })
    fixture:teardown()
    assert.equal(0, count)
    fixture:prepare()
    fixture:teardown()
    fixture:teardown()
    assert.equal(1, count)
  end)

  it("gives a batch function its number of calls and parameters", function()
    local log = {}
    batch(prepared({ batch = noting(log, "batch"), params = {} }, "batch",
      { n = 1 }), 12)
    assert.same({ { "batch", 12, { n = 1 } } }, log)
  end)

  it("can't have a loop that was refused", function()
    local refused = cell { run = print, setup = error }
    refused.refusal = "no such loop"
    assert.same({ nil, "no such loop" }, { Fixture.new(refused):prepare() })
  end)

  it("calls once and hands all results over, their number too", function()
    local function results() return 1, nil, nil end
    local function call(fixture)
      assert(fixture:before(1))
      local got = assert(fixture:call())
      assert(fixture:after(1))
      return got
    end
    assert.same({ 1, nil, nil, n = 3 }, call(prepared { run = results }))
    assert.equal(3, call(prepared({ batch = results }, "batch")).n)
    assert.same({ 6, n = 1 }, call(prepared { args = function() return 3 end,
      before_each = function() return 2 end,
      run = function(a, b) return a * b end }))
  end)

  it("knows what a call processes, by numbers or functions", function()
    assert.same({ bytes = 3, items = 10 }, prepared({ run = print,
      throughput = { bytes = 3, items = function(p) return 2 * p.n end } },
      "inline", { n = 5 }):throughput())
    assert.is_falsy(prepared { run = print }:throughput())
    assert.same({ nil, "in throughput: mine" }, { prepared { run = print,
      throughput = { items = function() error("mine", 0) end } }:throughput() })
    for _, amount in ipairs { -1, 0 / 0, math.huge } do
      for _, given in ipairs { amount, function() return amount end } do
        assert.matches("^in throughput: 'bytes' must be a number from 0 on, "
          .. "got %S+$", select(2, prepared { run = print,
            throughput = { bytes = given } }:throughput()))
      end
    end
  end)
end)

describe("a copy of what is measured", function()
  it("does the same, be it called once or as a batch", function()
    local calls = 0
    local function count(n) calls = calls + (type(n) == "number" and n or 1) end
    for field, spec in pairs { run = { run = count },
      batch = { batch = count } } do
      local fixture = prepared(spec, field == "batch" and "batch" or nil)
      calls = 0
      assert.equal(rawget(_G, "jit") ~= nil, fixture:copy())
      assert.equal(rawget(_G, "jit") == nil, count == fixture[field])
      batch(fixture, 5)
      assert.equal(5, calls, field)
    end
  end)
end)

describe("a table that before_batch returns", function()
  it("is handed to each call of the batch, before other arguments", function()
    for _, kind in ipairs { "inline", "call" } do
      local log, values, made = {}, { n = 1 }, 0
      local fixture = prepared({ params = {}, run = noting(log, "run"),
        before_batch = function(n)
          made = made + 1
          return { n, made }
        end }, kind, values)
      batch(fixture, 2)
      batch(fixture, 1)
      assert.same({ { "run", { 2, 1 }, values }, { "run", { 2, 1 }, values },
        { "run", { 1, 2 }, values } }, log)
      assert.same({ { 1, 2 }, values }, { log[3][2], log[3][3] })
      assert(fixture:before(1))
      fixture:call()
      assert.same({ "run", { 1, 3 }, values }, log[4])
    end
  end)

  it("comes after what setup returned, and reaches probes", function()
    local log = {}
    local fixture = prepared { setup = function() return "state" end,
      before_batch = function(state, n) return { state .. n } end,
      args = function() return "argument" end, run = noting(log, "run") }
    batch(fixture, 1)
    assert.same({ { "run", "state", { "state1" }, "argument" } }, log)
    assert(fixture:before(1))
    fixture:apply(function(f, _, ...) f(...) end, 1)
    assert.same(log[1], log[2])
  end)

  it("nothing else is: what it returns by chance changes no arguments",
    function()
      local log = {}
      batch(prepared { before_batch = function() return 0 end,
        run = noting(log, "run") }, 1)
      assert.same({ { "run" } }, log)
    end)
end)

describe("inputs", function()
  local function drawn(seed, iters, is_warming)
    local log = {}
    local fixture = Fixture.new { spec = { run = noting(log, "run"),
      params = {}, inputs = function(random, p) return random(1, p.most) end },
      values = { most = 1e6 }, options = { seed = seed }, loop = "inline" }
    assert(fixture:prepare())
    fixture.is_warming = is_warming
    batch(fixture, iters)
    local list = {}
    for i, one in ipairs(log) do list[i] = one[2] end
    return list
  end

  it("are one for each call, the same for a seed", function()
    local list = drawn(1, 20)
    assert.equal(20, #list)
    assert.same(list, drawn(1, 20))
    assert.not_same(list, drawn(2, 20))
    for _, x in ipairs(list) do
      assert.is_true(x >= 1 and x <= 1e6 and x % 1 == 0)
    end
  end)

  it("are others in the warm-up", function()
    local warm, seen, both = drawn(1, 200, true), {}, 0
    for _, x in ipairs(drawn(1, 200)) do seen[x] = true end
    for _, x in ipairs(warm) do both = both + (seen[x] and 1 or 0) end
    assert.is_true(both < 5)
  end)
end)

describe("what the groups of a bench share", function()
  local Suite = require "tare.bench.suite"
  local options = require "tare.base.options"

  local function cells_of(fill)
    local suite = Suite.new "s"
    fill(suite)
    return suite:cells(options.resolve({}, "spec"))
  end

  it("is made once, when a bench is set up, and comes first", function()
    local made, log = 0, {}
    local cells = cells_of(function(suite)
      suite:group("g", function(group)
        group:setup(function() made = made + 1 return "shared" end)
        group:bench("a", noting(log, "a"))
        group:bench("b", { run = noting(log, "b"),
          setup = function(shared) return shared .. " and own" end })
      end)
      suite:bench("c", noting(log, "c"))
    end)
    assert.equal(0, made)
    for _, one in ipairs(cells) do
      local fixture = Fixture.new(one)
      assert(fixture:prepare())
      batch(fixture, 1)
    end
    assert.equal(1, made)
    assert.same({ { "a", "shared" }, { "b", "shared and own" }, { "c" } }, log)
  end)

  it("is passed from outer groups to inner ones", function()
    local log = {}
    local cells = cells_of(function(suite)
      suite:setup(function() return 1 end)
      suite:group("g", function(group)
        group:setup(function(outer) return outer + 1 end)
        group:bench("a", noting(log, "a"))
      end)
    end)
    local fixture = Fixture.new(cells[1])
    assert(fixture:prepare())
    batch(fixture, 1)
    assert.same({ { "a", 2 } }, log)
  end)

  it("fails the benches with the group's name", function()
    local cells = cells_of(function(suite)
      suite:setup(function() error("no data", 0) end)
      suite:bench("a", print)
    end)
    assert.same({ nil, "in the setup of s: no data" },
      { Fixture.new(cells[1]):prepare() })
  end)
end)

describe("what setup returns", function()
  local STATE = { "state" }

  local function with_state(more)
    local spec = { setup = function() return STATE end }
    for name, value in pairs(more) do spec[name] = value end
    return spec
  end

  it("is passed first to each hook, parameters last", function()
    local log, values = {}, { n = 1 }
    local fixture = prepared(with_state { run = function() end, params = {},
      before_batch = noting(log, "before_batch"),
      after_batch = noting(log, "after_batch"),
      before_each = noting(log, "before_each"),
      after_each = noting(log, "after_each"),
      teardown = noting(log, "teardown") }, "inline", values)
    batch(fixture, 1)
    fixture:teardown()
    local given = {}
    for _, one in ipairs(log) do
      assert.equal(STATE, one[2], one[1])
      given[one[1]] = one
    end
    assert.same({ "before_batch", STATE, 1, values }, given.before_batch)
    assert.same({ "after_batch", STATE, 1, values }, given.after_batch)
    assert.same({ "before_each", STATE, values }, given.before_each)
    -- between them the result of the call, which here is none
    assert.equal(values, given.after_each[4])
    assert.same({ "teardown", STATE, values }, given.teardown)
  end)

  it("is passed first to run, before arguments or parameters", function()
    for _, kind in ipairs { "inline", "call" } do
      local log, values = {}, { n = 1 }
      local run = noting(log, "run")
      batch(prepared(with_state { run = run }, kind), 1)
      batch(prepared(with_state { run = run, params = {} }, kind, values), 1)
      batch(prepared(with_state { run = run,
        args = function(state, p) return state[1], p.n end }, kind, values), 1)
      assert.same({ { "run", STATE }, { "run", STATE, values },
        { "run", STATE, "state", 1 } }, log)
      prepared(with_state { run = run, params = {} }, kind, values):call()
      assert.same({ "run", STATE, values }, log[4])
    end
  end)

  it("is passed before the input of each call", function()
    local log, values = {}, { n = 1 }
    local fixture = prepared(with_state { run = noting(log, "run"),
      params = {}, before_each = function() return "input" end }, "inline",
      values)
    batch(fixture, 1)
    assert(fixture:before(1))
    fixture:call()
    for _, one in ipairs(log) do
      assert.same({ "run", STATE, "input", values }, one)
    end
    assert.equal(2, #log)
  end)

  it("is passed to a batch function before the number of calls", function()
    local log, values = {}, { n = 1 }
    batch(prepared(with_state { batch = noting(log, "batch"), params = {} },
      "batch", values), 12)
    assert.same({ { "batch", STATE, 12, values } }, log)
  end)

  it("may be false, and is nothing where it is nil", function()
    local log = {}
    batch(prepared { setup = function() return false end,
      run = noting(log, "run") }, 1)
    batch(prepared { setup = function() end, run = noting(log, "run") }, 1)
    assert.same({ { "run", false }, { "run" } }, log)
  end)
end)
