-- What gates on time say of stored reports of pairs_bench.lua, each a run of
-- the same code: alarms, and how often 10 % more time is found (the times of
-- the later run are made longer for that). Each run is held against those that
-- came some runs before it, until there are so many evaluations.
-- Usage: gates.lua EVALUATIONS REPORT.json...
local analysis = require "tare.analysis"
local gate = require "tare.judge.gate"
local options = require "tare.base.options"
local store = require "tare.store"

local RULE = assert(gate.parse "time>5%")
local CLOCKS = { "time_ns", "wall_ns", "cycles", "cpu_ns" }
local SETTINGS = assert(options.resolve({}, "lab"))
local STEP = 3 -- runs from one that is held against another to the next

-- The report analysed anew, with times longer by a factor.
local function analysed(report, factor)
  local made = {}
  for name, value in pairs(report) do made[name] = value end
  made.results = {}
  for i, result in ipairs(report.results) do
    local longer = {}
    for name, value in pairs(result) do longer[name] = value end
    longer.samples, longer.passes = {}, nil
    for name, column in pairs(result.samples) do
      longer.samples[name] = column
    end
    for _, name in ipairs(CLOCKS) do
      local column = {}
      for row, value in ipairs(result.samples[name] or {}) do
        column[row] = value * factor
      end
      longer.samples[name] = result.samples[name] and column
    end
    made.results[i] = analysis.analyse(longer, SETTINGS, report.env.clock)
  end
  return made
end

local most = tonumber(arg[1])
local plain, longer = {}, {}
for i = 2, #arg do
  local report = store.read(arg[i])
  if report and #report.results > 0 then
    plain[#plain + 1] = analysed(report, 1)
    longer[#longer + 1] = analysed(report, 1.1)
  end
end

local evaluations, alarms, judged, found, of = 0, 0, 0, 0, 0
local by_id = {}
for apart = STEP, #plain - 1, STEP do
  for i = 1, #plain - apart do
    if evaluations < most then
      evaluations = evaluations + 1
      local said = gate.evaluate(plain[i + apart], plain[i], RULE)
      judged = judged + said.checked
      if #said.failures > 0 then alarms = alarms + 1 end
      for _, failure in ipairs(said.failures) do
        by_id[failure.id] = (by_id[failure.id] or 0) + 1
      end
      said = gate.evaluate(longer[i + apart], plain[i], RULE)
      found, of = found + #said.failures, of + said.checked
    end
  end
end
print(("%d runs, %d evaluations: %d alarms, of %d benches judged; 10 %% more "
  .. "time found in %.1f %% of %d"):format(#plain, evaluations, alarms, judged,
  100 * found / math.max(1, of), of))
for id, count in pairs(by_id) do print(("  %s: %d"):format(id, count)) end
