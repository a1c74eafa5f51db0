-- How results stand together: in sections by suite and group, and each beside
-- the one it is measured against.
local ids = require "tare.base.ids"
local interval = require "tare.base.interval"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"

local groups = {}

local function title_of(result)
  local parts = { result.suite ~= "" and result.suite or nil }
  for _, name in ipairs(result.group or {}) do parts[#parts + 1] = name end
  return table.concat(parts, "/")
end

--- Results by suite and group, in the order in which they first appear.
---@param results table[]
---@return { title: string, results: table[] }[]
function groups.sections(results)
  local sections, by_title = {}, {}
  for _, result in ipairs(results) do
    local title = title_of(result)
    local section = by_title[title]
    if not section then
      section = { title = title, results = {} }
      by_title[title], sections[#sections + 1] = section, section
    end
    section.results[#section.results + 1] = result
  end
  return sections
end

local function without_prefix(text, prefix)
  if prefix ~= "" and text:sub(1, #prefix + 1) == prefix .. "/" then
    return text:sub(#prefix + 2)
  end
  return text
end

--- What a result is called inside its section: name and parameters.
---@param result table
---@param title string of the section
---@return string
function groups.label(result, title)
  local rest = without_prefix(result.id, title)
  if rest == result.id then
    rest = without_prefix(result.id, result.suite or "")
  end
  return rest
end

-- What can be told against each other: what the run says, else what was
-- measured at the same numbers.
local function rivals_key(result)
  if not metrics.get(result, "time") then return nil end
  if result.compared then return result.compared end
  local parts = { title_of(result) }
  local names = {}
  for name, value in pairs(result.params or {}) do
    if type(value) == "number" then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    parts[#parts + 1] = name .. "=" .. tostring(result.params[name])
  end
  return table.concat(parts, "\0")
end

-- The one marked as baseline, else the fastest.
local function reference_of(set)
  local best = set[1]
  for _, result in ipairs(set) do
    if result.baseline then return result, "baseline" end
    if result.time.value < best.time.value then best = result end
  end
  return best, "fastest"
end

local function compared(report)
  local ratios = {}
  for _, c in ipairs(report.comparisons or {}) do
    if (c.metric or "time") == "time" then
      ratios[c.a .. "\0" .. c.b] = c.ratio
    end
  end
  return ratios
end

--- For each result that has rivals (same section, same numeric parameters):
--- what it is measured against and the ratio of their times. The ratio of an
--- interleaved comparison is preferred to that of the two times.
---@param report table
---@return table<table, { result: table, kind: "baseline"|"fastest",
---  ratio: table? }>
function groups.references(report)
  local references, ratios = {}, compared(report)
  for _, set in ipairs(lists.grouped(report.results, rivals_key)) do
    local reference, kind = reference_of(set)
    for _, result in ipairs(#set > 1 and set or {}) do
      references[result] = { result = reference, kind = kind,
        ratio = result == reference and { value = 1 }
          or ratios[result.id .. "\0" .. reference.id]
          or interval.ratio(result.time, reference.time) }
    end
  end
  return references
end

local function has_number(result)
  for _, value in pairs(result.params or {}) do
    if type(value) == "number" then return true end
  end
  return false
end

--- Cells of one bench that differ only in parameters without numbers: what is
--- swept over names. (Numeric axes are the report's sweeps.)
---@param report table
---@return { name: string, title: string, results: table[] }[]
function groups.alternatives(report)
  local sets, by_bench = {}, {}
  for _, result in ipairs(report.results) do
    local bench = ids.split(result.id)
    if bench ~= result.id and not has_number(result) then
      if not by_bench[bench] then
        by_bench[bench] = { name = bench, title = title_of(result),
          results = {} }
        sets[#sets + 1] = by_bench[bench]
      end
      table.insert(by_bench[bench].results, result)
    end
  end
  return sets
end

return groups
