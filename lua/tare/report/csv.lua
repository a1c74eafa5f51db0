-- Comma-separated values (RFC 4180): a row a bench, or, with options.samples,
-- a row a batch. Numbers in full, in base units.
local escape = require "tare.report.escape"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"
local pass_names = require "tare.base.passes"
local regressions = require "tare.report.regressions"
local unpack = require("tare.base.compat").unpack

local csv = {}

local function line(fields, count)
  local texts = {}
  for i = 1, count do texts[i] = escape.csv(fields[i]) end
  return table.concat(texts, ",") .. "\r\n"
end

local function params_text(params)
  local parts = {}
  for name, value in pairs(params or {}) do
    parts[#parts + 1] = name .. "=" .. tostring(value)
  end
  table.sort(parts)
  return table.concat(parts, ";")
end

-- Columns of the summary: a title and what is below it, by default the field of
-- that name.
local SUMMARY = { { "id" }, { "suite" },
  { "group", function(r) return table.concat(r.group or {}, "/") end },
  { "name" }, { "params", function(r) return params_text(r.params) end },
  { "loop" }, { "gc" }, { "gc_mode" }, { "launches" }, { "time_from" },
  { "rows", function(r) return r.samples and #(r.samples.iters or {}) end },
}

for _, metric in ipairs(metrics.all()) do
  local title = metric.name .. "_" .. metric.unit
  if metric.name == metric.unit then title = metric.name end
  local parts = (metric.exact or metric.no_interval) and { "value" }
    or { "value", "low", "high" }
  for _, part in ipairs(parts) do
    local suffix = part == "value" and "" or "_" .. part
    SUMMARY[#SUMMARY + 1] = { title .. suffix, function(result)
      local figure = metrics.get(result, metric.name)
      return figure and figure[part]
    end }
  end
end
for _, more in ipairs {
  { "r2", function(r) return (metrics.get(r, "r2") or {}).value end },
  { "outlier_variance", function(r)
    local variance = (r.outliers or {}).variance
    return type(variance) == "table" and variance.fraction or variance
  end },
  { "warnings", function(r) return table.concat(r.warnings or {}, ";") end },
  { "error" },
} do SUMMARY[#SUMMARY + 1] = more end

-- A row for each bench; the regressions that were asked for are its last
-- columns.
local function summary(report)
  local names, fits_of = regressions.fields(report)
  local titles, first = {}, #SUMMARY
  for i, column in ipairs(SUMMARY) do titles[i] = column[1] end
  for i, name in ipairs(names) do titles[first + i] = name end
  local out = { line(titles, #titles) }
  for _, result in ipairs(report.results) do
    local fields = {}
    for i, column in ipairs(SUMMARY) do
      local title, value_of = column[1], column[2]
      if value_of then fields[i] = value_of(result)
      else fields[i] = result[title] end
    end
    for i, value in pairs(fits_of(result)) do fields[first + i] = value end
    out[#out + 1] = line(fields, #titles)
  end
  return table.concat(out)
end

-- Every table of samples: result, name of the pass, columns.
local function each_pass(report, visit)
  for _, result in ipairs(report.results) do
    if result.samples then visit(result, "timed", result.samples) end
    for _, name in ipairs(pass_names.between) do
      local pass = (result.passes or {})[name]
      if pass and pass.samples then visit(result, name, pass.samples) end
    end
  end
end

local FIRST = { iters = 1, wall_ns = 2 }

local function sample_columns(report)
  local seen = {}
  each_pass(report, function(_, _, samples)
    for name in pairs(samples) do seen[name] = true end
  end)
  local names = lists.keys(seen)
  table.sort(names, function(a, b)
    local first_a, first_b = FIRST[a] or 3, FIRST[b] or 3
    if first_a ~= first_b then return first_a < first_b end
    return a < b
  end)
  return names
end

local function raw(report)
  local names = sample_columns(report)
  local out = { line({ "id", "pass", "row", unpack(names) },
    3 + #names) }
  each_pass(report, function(result, pass, samples)
    local _, any = next(samples)
    for row = 1, #(any or {}) do
      local fields = { result.id, pass, row }
      for i, name in ipairs(names) do
        fields[3 + i] = samples[name] and samples[name][row]
      end
      out[#out + 1] = line(fields, 3 + #names)
    end
  end)
  return table.concat(out)
end

--- With options.samples the rows are batches: id, pass, row and every column
--- that was measured. Text that a spreadsheet would compute is disarmed.
---@param options { samples: boolean? }?
---@return string
function csv.render(report, options)
  return options and options.samples and raw(report) or summary(report)
end

return csv
