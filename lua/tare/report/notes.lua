-- What stands below the tables: warnings, failures and gates as sentences.
local escape = require "tare.report.escape"
local lists = require "tare.base.lists"
local units = require "tare.base.units"
local warnings = require "tare.base.warnings"

local notes = {}

local FEW = 4 -- benches that a warning names before it counts the others

--- The Report's warnings, each once with the benches that it concerns.
---@param report table
---@return { title: string, advice: string?, benches: string, count: integer }[]
function notes.warnings(report)
  local list, by_code = {}, {}
  for _, result in ipairs(report.results) do
    for _, code in ipairs(result.warnings or {}) do
      if not by_code[code] then
        by_code[code] = { code = code, ids = {} }
        list[#list + 1] = by_code[code]
      end
      table.insert(by_code[code].ids, result.id)
    end
  end
  for i, entry in ipairs(list) do
    local known = warnings.explain(entry.code)
    list[i] = { title = escape.visible(known.title), advice = known.advice,
      benches = escape.visible(lists.named(entry.ids, FEW)),
      count = #entry.ids }
  end
  return list
end

--- The benches that raised, with what they said.
---@param report table
---@return { bench: string, message: string }[]
function notes.errors(report)
  local list = {}
  for _, result in ipairs(report.results) do
    if result.error then
      list[#list + 1] = { bench = escape.visible(result.id),
        message = escape.visible(result.error) }
    end
  end
  return list
end

local function text(value)
  return type(value) == "string" and escape.visible(value) or nil
end

--- Machine and interpreter in a few phrases.
---@param env table?
---@return string[]
function notes.machine(env)
  env = type(env) == "table" and env or {}
  local collector = type(env.collector) == "table" and env.collector or {}
  local mode = text(collector.mode)
  local cores = type(env.cores) == "number"
    and units.number(env.cores, 1) .. " cores"
  local cpu = text(env.cpu)
  local list = {}
  for _, phrase in ipairs { text(env.tare) or false, text(env.lua) or false,
    mode and mode .. " collector" or false,
    cpu and cores and cpu .. ", " .. cores or cpu or false,
    text(env.os) or false } do
    if phrase then list[#list + 1] = phrase end
  end
  return list
end

local function counted(count, one, many)
  return ("%d %s"):format(count, count == 1 and one or many)
end

--- One line that sums up: "21 benches, 1 failed, 2 gates met."
---@param report table
---@param failures table[]? of tare.judge.gate
---@return string
function notes.summary(report, failures)
  local failed = #notes.errors(report)
  local parts = { counted(#report.results, "bench", "benches") }
  if failed > 0 then parts[#parts + 1] = failed .. " failed" end
  if failures and #failures > 0 then
    parts[#parts + 1] = counted(#failures, "gate", "gates") .. " not passed"
  end
  return table.concat(parts, ", ") .. "."
end

return notes
