local Fixture = require "tare.bench.fixture"

local function cell(spec, values)
  spec.options = {}
  return { spec = spec, values = values or {} }
end

local function prepared(spec, kind, values)
  local fixture = Fixture.new(cell(spec, values), kind or "inline")
  assert(fixture:prepare())
  return fixture
end

-- Runs a batch as a meter would.
local function batch(fixture, iters)
  return fixture:around(iters, function(n)
    fixture.body(n)
    return true
  end)
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
    assert.same({ whole.body, 1, 16 }, whole:apply(probe, 16))
    local each = prepared { run = run, before_each = run }
    assert.same({ each.body, 1, 16 }, each:apply(probe, 16))
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

  it("says what a hook raised, whatever it raised", function()
    local fixture = Fixture.new(cell { run = print,
      setup = function() error(setmetatable({}, { __tostring = function()
        return "told" end })) end }, "inline")
    local ok, message = fixture:prepare()
    assert.is_nil(ok)
    assert.equal("told", message)
    fixture = Fixture.new(cell { run = print,
      setup = function() error(setmetatable({}, { __tostring = error })) end },
      "inline")
    ok, message = fixture:prepare()
    assert.is_nil(ok)
    assert.equal("(an error that is a table)", message)
  end)

  it("tears down once, and only what was set up", function()
    local count = 0
    local spec = { run = print, teardown = function() count = count + 1 end }
    local fixture = Fixture.new(cell(spec), "inline")
    fixture:teardown()
    assert.equal(0, count)
    fixture:prepare()
    fixture:teardown()
    fixture:teardown()
    assert.equal(1, count)
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

  it("gives a batch function its number of calls and parameters", function()
    local got
    local fixture = prepared({ batch = function(...) got = { ... } end,
      params = {} }, "batch", { n = 1 })
    fixture.body(12)
    assert.same({ 12, { n = 1 } }, got)
  end)
end)
