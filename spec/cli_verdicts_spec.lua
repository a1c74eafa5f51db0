local verdicts = require "tare.cli.verdicts"

-- The exit code of a verdict, and what was said.
local function told(more)
  local verdict, said = { failures = {}, checked = 1, unheld = {}, lost = {} },
    {}
  for name, value in pairs(more) do verdict[name] = value end
  local code = verdicts.tell(verdict, function(text) said[#said + 1] = text end)
  return { code, said }
end

describe("gates, at the end of a run,", function()
  local met = { { message = "x" } }

  it("pass, or were met", function()
    assert.same({ 0, {} }, told {})
    assert.same({ 0, {} }, told { unheld = { "time has no interval" } })
    assert.same({ 3, { "x" } }, told { failures = met })
  end)

  it("do not pass where a count could not be held for a bench", function()
    assert.same({ 1, { "lost" } }, told { lost = { "lost" } })
    assert.same({ 3, { "x", "lost" } }, told { failures = met,
      lost = { "lost" } })
  end)

  it("do not pass where none could be held, and say so once", function()
    assert.same({ 1, { "no gate could be held: why" } }, told { checked = 0,
      unheld = { "why" }, lost = { "lost" } })
    assert.same({ 1, { "no gate could be held: there is no bench" } },
      told { checked = 0 })
  end)
end)
