local compare = require "tare.judge.compare"
local verdicts = require "tare.cli.verdicts"

-- The exit code of a verdict, and what was said.
local function told(more, shown)
  local said, verdict = {}, { failures = {}, checked = 1, not_judged = {},
    lost = {} }
  for name, value in pairs(more) do verdict[name] = value end
  local code = verdicts.code(verdict)
  verdict.exit_code = verdict.exit_code or code
  verdicts.tell(verdict, function(text) said[#said + 1] = text end, shown)
  return { code, said }
end

describe("gates, at the end of a run,", function()
  local met = { { message = "x" } }

  it("pass, or fail", function()
    assert.same({ 0, {} }, told {})
    assert.same({ 0, {} }, told { not_judged = { "time has no interval" } })
    local sum = "1 gate failed: exit code 3"
    assert.same({ 3, { "x", sum } }, told { failures = met })
    assert.same({ 3, { sum } }, told({ failures = met }, "elsewhere"))
    assert.same({ 3, {} }, told({ failures = met }, "terminal"))
    -- a bench failed, too
    assert.same({ "x", "1 gate failed: exit code 2" },
      told({ failures = met, exit_code = 2 })[2])
  end)

  it("do not pass where a count could not be held for a bench", function()
    assert.same({ 1, { "lost" } }, told { lost = { "lost" } })
    assert.same({ 3, { "x", "lost", "1 gate failed: exit code 3" } },
      told { failures = met, lost = { "lost" } })
  end)

  it("do not pass where none could be held, and say so once", function()
    assert.same({ 1, { "no gate could be checked: why" } }, told { checked = 0,
      not_judged = { "why" }, lost = { "lost" } })
    assert.same({ 1, { "no gate could be checked: why; and why else" } },
      told { checked = 0, not_judged = { "not checked: why",
        "not checked: and why else" } })
    assert.same({ 1, { "no gate could be checked: there is no bench" } },
      told { checked = 0 })
  end)
end)

describe("reports that can't be compared", function()
  it("say why, benches that differ in the same in one line", function()
    local function report(gc)
      local results = {}
      for i = 1, 9 do
        results[i] = { id = "s/" .. i, gc = gc, loop = i == 9 and gc or "call",
          time = { value = 1, low = 1, high = 1 } }
      end
      return { results = results }
    end
    local said, names = {}, { "a.json", "b.json" }
    verdicts.refuse(compare.reports(report "paced", report "natural",
      { names = names }), names, function(text) said[#said + 1] = text end)
    assert.same({ "s/1, s/2, s/3 and 6 more: gc is 'paced' in a.json and "
      .. "'natural' in b.json; times can't be compared",
      "s/9: loop is 'paced' in a.json and 'natural' in b.json; they can't be "
      .. "compared" }, { said[1], said[2] })
  end)
end)
