-- How long a report of 1,000 benches takes to render, and what twice as many
-- take: the cost is to be in proportion.
local fixtures = require "spec.support.fixtures"
local report = require "tare.report"

local BENCHES, TRIES = 1000, 5
local FORMATS = { "text", "markdown", "csv", "json", "junit", "gbench",
  "pyperf", "bmf", "action", "html" }

-- Seconds of the quickest of some tries.
local function seconds(data, format)
  local best = 1/0
  for _ = 1, TRIES do
    collectgarbage()
    local start = os.clock()
    assert(report.render(data, format))
    best = math.min(best, os.clock() - start)
  end
  return best
end

local once, twice = fixtures.many(BENCHES), fixtures.many(2 * BENCHES)
for _, format in ipairs(FORMATS) do
  local s = seconds(once, format)
  print(("render %-8s %d benches %7.3f s, twice as many %4.2fx"):format(format,
    BENCHES, s, seconds(twice, format) / s))
end
