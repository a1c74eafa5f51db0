local agree = require "tare.run.agree"
local Fixture = require "tare.bench.fixture"
local options = require "tare.base.options"
local Runner = require "tare.run.runner"
local Suite = require "tare.bench.suite"

local function fixture(spec)
  local made = Fixture.new({ spec = spec, values = {} },
    spec.batch and "batch" or "inline")
  assert(made:prepare())
  return made
end

local function returning(...)
  local list, n = { ... }, select("#", ...)
  return fixture { run = function() return (table.unpack or unpack)(list, 1, n) -- luacheck: ignore
  end }
end

-- What is said of the second, after the first.
local function verdict(a, b)
  local group = {}
  assert(agree.check(group, "first", a))
  local _, message = agree.check(group, "second", b)
  return message
end

describe("agreement of implementations", function()
  it("is equality of all results, tables by what is in them", function()
    local nan = 0 / 0
    for _, pair in ipairs { { 1, 1 }, { "x", "x" }, { nan, nan }, { {}, {} },
      { { 1, { a = true } }, { 1, { a = true } } } } do
      assert.is_nil(verdict(returning(pair[1]), returning(pair[2])))
      assert.is_nil(verdict(returning(nil, pair[1]), returning(nil, pair[2])))
    end
  end)

  it("says where results differ", function()
    local function says(expected, a, b)
      assert.equal(expected, verdict(a, b))
    end
    says("does not agree with first: the result is 1 there, and 2 here",
      returning(1), returning(2))
    says("does not agree with first: result 2 is nil there, and \"x\" here",
      returning(1), returning(1, "x"))
    says("does not agree with first: the result[\"a\"][2] is 5 there, "
      .. "and nil here", returning { a = { 4, 5 } }, returning { a = { 4 } })
    says("does not agree with first: the result[\"b\"] is nil there, "
      .. "and 1 here", returning {}, returning { b = 1 })
    says("does not agree with first: the result is a table there, "
      .. "and 1 here", returning {}, returning(1))
  end)

  it("bears circles of other lengths", function()
    local one, two = {}, {}
    one.me, two.me = one, { me = two }
    assert.is_nil(agree.difference(one, two))
    two.me.x = 1
    assert.equal('the result["me"]["x"] is nil there, and 1 here',
      agree.difference(one, two))
  end)

  it("bears tables as deep as they like", function()
    local function deep(last)
      local t = { last }
      for _ = 1, 200000 do t = { t } end
      return t
    end
    assert.is_nil(verdict(returning(deep(1)), returning(deep(1))))
    assert.equal("the result" .. ("[1]"):rep(10)
      .. "... is 1 there, and 2 here", agree.difference(deep(1), deep(2)))
  end)

  it("says where long texts differ", function()
    local text = ("x"):rep(1000)
    assert.equal("the result differs from byte 1001 on: \""
      .. ("x"):rep(59) .. "...",
      agree.difference(text .. "a" .. text, text .. "b"))
  end)

  it("bears circles, and functions, of which only the kind can agree",
    function()
      local function circle()
        local t = { f = function() end }
        t.me = t
        return t
      end
      assert.is_nil(verdict(returning(circle()), returning(circle())))
    end)

  it("holds what was returned then, whatever becomes of it", function()
    local shared = { 1 }
    local group = {}
    assert(agree.check(group, "first", returning(shared)))
    shared[1] = 2
    local _, message = agree.check(group, "second", returning(shared))
    assert.is_not_nil(message)
  end)

  it("looks at inputs of a call, and at batches", function()
    local function sorted(sort)
      return fixture { before_each = function() return { 3, 1, 2 } end,
        run = function(t) sort(t) return t end }
    end
    assert.is_nil(verdict(sorted(table.sort), sorted(function(t)
      t[1], t[2], t[3] = 1, 2, 3
    end)))
    assert.is_not_nil(verdict(sorted(table.sort), sorted(function() end)))
    assert.is_nil(verdict(fixture { batch = function(n) return n end },
      returning(1)))
  end)

  it("fails the bench that differs, before it is measured", function()
    local suite = Suite.new "s"
    suite:bench("a", { agree = true, run = function() return 1 end })
    suite:bench("b", { agree = true, run = function() return 2 end })
    suite:bench("c", { agree = true, run = function() return 1 end })
    local settings = assert(options.resolve({ quota = "40x" }, "spec"))
    local trials = Runner.new(suite:cells(), settings):run()
    assert.is_nil(trials[1].error)
    assert.matches("^does not agree with s/a", trials[2].error)
    assert.is_nil(trials[3].error)
  end)
end)
