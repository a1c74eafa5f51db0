-- customSmallerIsBetter of github-action-benchmark: a list of entries, one
-- for each figure that a smaller number makes better.
local escape = require "tare.report.escape"
local json = require "tare.base.json"
local metrics = require "tare.base.metrics"

local action = {}

-- Name of the metric, what follows the bench's name, unit.
local FIGURES = {
  { "time", "", "ns/call" },
  { "bytes", " (bytes)", "bytes/call" },
  { "allocs", " (allocs)", "allocs/call" },
  { "instructions", " (instructions)", "instructions/call" },
}

-- "± 1.5": the action reads one number after the sign.
local function range(figure)
  if not metrics.has_interval(figure) then return nil end
  local half = math.max(figure.high - figure.value, figure.value - figure.low)
  return "\194\177 " .. json.number(half)
end

local function extra(result)
  local parts = {}
  for _, key in ipairs { "loop", "gc", "gc_mode" } do
    if result[key] then
      parts[#parts + 1] = key .. ": " .. escape.visible(result[key])
    end
  end
  local r2 = metrics.get(result, "r2")
  if r2 then parts[#parts + 1] = "R2: " .. json.number(r2.value) end
  return table.concat(parts, "\n")
end

---@return string
function action.render(report)
  local entries = {}
  for _, result in ipairs(report.results) do
    for _, figure in ipairs(result.error and {} or FIGURES) do
      local e = metrics.get(result, figure[1])
      if e then
        entries[#entries + 1] = { name = escape.visible(result.id)
          .. figure[2], unit = figure[3], value = e.value,
          range = range(e), extra = extra(result) }
      end
    end
  end
  return json.encode(entries) .. "\n"
end

return action
