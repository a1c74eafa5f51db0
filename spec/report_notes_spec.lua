local fixtures = require "spec.support.fixtures"
local notes = require "tare.report.notes"

describe("notes", function()
  it("give each warning once, with its benches and advice", function()
    local results = {}
    for i = 1, 6 do
      results[i] = { id = "b" .. i, warnings = { "drift" } }
    end
    results[1].warnings[2] = "from_the_future"
    local list = notes.warnings { results = results }
    assert.equal(2, #list)
    assert.equal("speed drifted", list[1].title)
    assert.equal("b1, b2, b3, b4 and 2 more", list[1].benches)
    assert.is_string(list[1].advice)
    assert.equal("from the future", list[2].title)
    assert.equal("b1", list[2].benches)
  end)

  it("give the errors", function()
    assert.same({ { bench = "broken/raises",
      message = "broken_bench.lua:7: attempt to index a nil value" } },
      notes.errors(fixtures.report()))
  end)

  it("describe the machine, as far as it is known", function()
    assert.same({ "tare 0.1.0", "Lua 5.4.4", "generational collector",
      "Example 9 @ 3 GHz, 4 cores", "Linux 6.1" },
      notes.machine(fixtures.report().env))
    assert.same({ "X" }, notes.machine { cpu = "X", lua = {}, cores = "4" })
    assert.same({}, notes.machine(nil))
  end)

  it("sum up", function()
    assert.equal("21 benches, 1 failed, 1 gate not passed.",
      notes.summary(fixtures.report(), { {} }))
    assert.equal("1 bench.", notes.summary { results = { { id = "a" } } })
  end)
end)
