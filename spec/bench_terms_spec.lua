local tare = require "tare"
local terms = require "tare.bench.terms"

local function cell(spec, own, params)
  spec.options = own or {}
  return { spec = spec, settings = params or {} }
end

local function nothing() end

describe("the terms of a cell", function()
  it("are the run's, under the bench's, under its own", function()
    assert.same({ a = 1, b = 2, c = 3 }, terms.options(
      cell({}, { b = 2, c = 2 }, { c = 3 }), { a = 1, b = 1, c = 1 }))
    assert.is_false(terms.options(cell({}, { jit = false }),
      { jit = true }).jit)
  end)

  it("have the loop that the bench asks for, or else the run", function()
    local run, batch = { run = nothing }, { batch = nothing }
    assert.equal("inline", terms.loop(cell(run), {}))
    assert.equal("call", terms.loop(cell(run), { loop = "call" }))
    assert.equal("call", terms.loop(cell(run, { loop = "call" }),
      { loop = "inline" }))
    assert.equal("batch", terms.loop(cell(batch), {}))
  end)

  it("have no loop of the run's that the bench can't have", function()
    assert.equal("inline", terms.loop(cell { run = nothing },
      { loop = "batch" }))
    assert.equal("batch", terms.loop(cell { batch = nothing },
      { loop = "inline" }))
  end)
end)

local OPTIONS = { quota = "20x", resamples = 100 }

local function measured(specs, more)
  local suite, options = tare.suite "s", {}
  for name, spec in pairs(specs) do suite:bench(name, spec) end
  for _, given in ipairs { OPTIONS, more } do
    for name, value in pairs(given) do options[name] = value end
  end
  local session = tare.session(suite, options)
  while not session:step(1000) do end -- luacheck: ignore 542
  local found = {}
  for _, result in ipairs(session:report().results) do
    found[result.id:match "/(.*)"] = result
  end
  return found
end

describe("a result", function()
  it("names the loop that it was measured with", function()
    local benches = { one = nothing, all = { batch = nothing },
      each = { run = nothing, before_each = nothing } }
    for asked, named in pairs {
      batch = { one = "inline", all = "batch", each = "inline" },
      call = { one = "call", all = "batch", each = "inline" },
      inline = { one = "inline", all = "batch", each = "inline" },
    } do
      for name, result in pairs(measured(benches, { loop = asked })) do
        assert.equal(named[name], result.loop, asked .. " " .. name)
        assert.is_nil(result.error)
      end
    end
    assert.equal("inline*4", measured({ one = nothing },
      { unroll = 4 }).one.loop)
    assert.equal("inline", measured({ each = benches.each },
      { unroll = 4 }).each.loop)
  end)

  it("is an error where its own loop can't be", function()
    local found = measured({ a = { run = nothing,
      params = { loop = { "batch", "call" } } } }, {})
    assert.equal("the loop kind 'batch' needs a function 'batch'",
      found["a{loop=batch}"].error)
    assert.is_nil(found["a{loop=call}"].error)
    assert.matches("'batch' loops itself", measured({ a = { batch = nothing,
      params = { loop = { "call" } } } }, {})["a{loop=call}"].error)
  end)

  it("is refused where one function is to be its own loop", function()
    assert.has_error(function() tare.measure(nothing, { loop = "batch" }) end,
      "tare.measure: loop: 'batch' needs a bench with a function 'batch': "
      .. "see tare.suite")
  end)
end)
