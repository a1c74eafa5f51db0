local options = require "tare.base.options"

local function resolved(given)
  return assert(options.resolve(given, "spec"))
end

local function refusal(given)
  local settings, message = options.resolve(given, "spec")
  assert.is_nil(settings)
  return message
end

describe("options", function()
  it("have defaults in base units", function()
    local settings = resolved()
    assert.same({ ns = 1e9 }, settings.quota)
    assert.equal("natural", settings.gc)
    assert.equal(0.95, settings.confidence)
    assert.same({ kind = "geometric", factor = 1.01 }, settings.schedule)
    assert.is_nil(settings.precision)
  end)

  it("read what to discard from a list or from text", function()
    assert.same({ "gc", "jit" }, resolved({ discard = "gc,jit" }).discard)
    assert.same({ "gc", "jit" }, resolved({ discard = { "gc", "jit" } })
      .discard)
    assert.same({ "jit" }, resolved({ discard = "jit" }).discard)
    assert.truthy(refusal({ discard = "gc,x" }):find("'x'", 1, true))
  end)

  it("read the same from text and from plain numbers", function()
    assert.same({ ns = 3e8 }, resolved({ quota = "300ms" }).quota)
    assert.same({ ns = 3e8 }, resolved({ quota = 0.3 }).quota)
    assert.same({ calls = 1e6 }, resolved({ quota = "1e6x" }).quota)
    assert.equal(0.01, resolved({ precision = "1%" }).precision)
    assert.equal(7, resolved({ seed = "7" }).seed)
  end)

  it("name the option that is wrong, and what would be right", function()
    assert.equal("spec: quota: 'banana' is not a duration (like 2s or 500ms) "
      .. "or a number of calls (like 1e6x)", refusal { quota = "banana" })
    assert.equal("spec: gc: 'off' is not one of natural, paced, stopped, "
      .. "collect, arms", refusal { gc = "off" })
    assert.equal("spec: nonsense: no such option", refusal { nonsense = 1 })
    assert.equal("spec: qouta: no such option; did you mean 'quota'?",
      refusal { qouta = "1s" })
    assert.equal("spec: read: no such option", refusal { read = 1 })
    assert.truthy(refusal({ confidence = 1.5 }):find("from 0.001 to 0.999999"))
    assert.truthy(refusal({ launches = -1 }):find("whole number"))
    assert.truthy(refusal({ seed = 1.5 }):find("whole number"))
  end)

  it("may be as small and as large as they say", function()
    assert.equal(0, resolved({ seed = 0 }).seed)
    assert.equal(2^53, resolved({ seed = 2^53 }).seed)
    assert.truthy(refusal({ seed = -1 }):find("whole number"))
    assert.truthy(refusal({ seed = 1e17 }):find("whole number"))
    assert.equal(0.001, resolved({ confidence = 0.001 }).confidence)
    assert.equal(0.999999, resolved({ confidence = 0.999999 }).confidence)
    assert.truthy(refusal({ confidence = 0.0009 }):find("from 0.001"))
    assert.equal(0, resolved({ launches = 0 }).launches)
  end)

  it("have names", function()
    assert.equal("spec: options have names, like quota = \"2s\"; '77s' has "
      .. "none", refusal { "77s" })
    assert.matches("has none$", refusal { [true] = 1 })
    assert.same({ nil, "no such option" }, { options.read(1, "2s") })
  end)

  it("read schedules", function()
    assert.same({ kind = "linear", steps = 5 },
      resolved({ schedule = "linear:5" }).schedule)
    assert.same({ kind = "fixed" }, resolved({ schedule = "fixed" }).schedule)
    assert.truthy(refusal({ schedule = "geometric:1" }):find("schedule"))
    for _, wrong in ipairs { "linear:x", "linear10", "geometric1.5", "fixed:",
      "linear:" } do
      assert.truthy(refusal({ schedule = wrong }):find("schedule"), wrong)
    end
  end)

  it("read regressions as data", function()
    assert.same({ { responder = "time", predictors = { "iters", "gc_major" },
      intercept = true } },
      resolved({ regress = "time:iters,gc_major" }).regress)
    assert.truthy(refusal({ regress = "time" }):find("regression"))
    assert.truthy(refusal({ regress = "time:iter" }):find(
      "no variable 'iter'; did you mean 'iters'?", 1, true))
  end)

  it("refuse a regression of a variable on itself", function()
    assert.truthy(refusal({ regress = "time:iters,time" }):find(
      "'time:iters,time': 'time' is on both sides", 1, true))
    assert.truthy(refusal({ regress = { { responder = "time",
      predictors = { "time" } } } }):find("'time' is on both sides", 1, true))
  end)

  it("take regressions as tables, if they can be made", function()
    local fit = { responder = "time", predictors = { "gc_major" },
      intercept = false }
    assert.same({ fit }, resolved({ regress = { fit } }).regress)
    fit.intercept = nil
    assert.is_true(resolved({ regress = { fit } }).regress[1].intercept)
    for _, wrong in ipairs { {}, { responder = "time" },
      { responder = "tome", predictors = { "iters" } },
      { responder = "time", predictors = {} },
      { responder = "time", predictors = { "iters", "nonsense" } } } do
      assert.truthy(refusal({ regress = { wrong } }):find(
        'a table must be like { responder = "time"', 1, true))
    end
  end)

  it("take one regression as a table, too", function()
    local found = assert(options.resolve({ regress = { responder = "time",
      predictors = { "iters" } } }, "spec"))
    assert.equal("time", found.regress[1].responder)
    local _, message = options.resolve({ regress = { responder = "time" } },
      "spec")
    assert.truthy(message:find("regress: a table must be like", 1, true))
  end)

  it("need a timeout and a memory cap above zero", function()
    for _, name in ipairs { "timeout", "memory_cap" } do
      local _, message = options.resolve({ [name] = 0 }, "spec")
      assert.equal("spec: " .. name .. ": '0' is not above zero", message)
    end
  end)

  it("have a warm-up that may be none", function()
    assert.same({ ns = 0 }, options.resolve({ warmup = "0ms" },
      "spec").warmup)
    assert.is_nil((options.resolve({ warmup = -1 }, "spec")))
  end)

  it("say of a flag what it does when it is given", function()
    for _, definition in ipairs(options) do
      if definition.default == true then
        assert.matches("^no ", definition.help)
      end
    end
  end)

  it("tell what a share looks like", function()
    assert.truthy(refusal({ precision = "narrow" }):find(
      "'narrow' is not a share from 1e-06 to 0.999999 (like 1% or 0.01)", 1,
      true))
  end)

  it("lie over the defaults they are given", function()
    local base = resolved { quota = "2s", seed = 3 }
    local settings = options.resolve({ seed = 4 }, "spec", base)
    assert.same({ ns = 2e9 }, settings.quota)
    assert.equal(4, settings.seed)
  end)
end)
