-- Makes tables of a Report: a section's results as columns of cells, sorted,
-- without the columns that say nothing.
local cells = require "tare.report.cells"
local columns = require "tare.report.columns"
local escape = require "tare.report.escape"
local groups = require "tare.report.groups"

local tabulate = {}

local function confidence_text(report)
  local share = tonumber((report.options or {}).confidence)
  if not (share and share > 0 and share < 1) then share = 0.95 end
  return ("%g%%"):format(share * 100)
end

-- "-time" -> key function, true
local function sorting(name)
  if not name or name == "none" then return nil end
  local sign, key = name:match("^(%-?)(.*)$")
  local key_of, message = columns.sorter(key)
  if not key_of then return nil, message end
  return key_of, sign == "-"
end

--- What the tables of a Report share; nil and a message where options.columns
--- or options.sort name what there is not.
---@param report table
---@param options { columns: string|string[]|nil, sort: string?,
---  ascii: boolean? }
---@return table? context
---@return string? message
function tabulate.context(report, options)
  local chosen, message = columns.chosen(options.columns)
  if not chosen then return nil, message end
  local key_of, descending = sorting(options.sort)
  if type(descending) == "string" then return nil, descending end
  return { chosen = chosen, explicit = options.columns ~= nil,
    key_of = key_of, descending = descending, ascii = options.ascii,
    confidence = confidence_text(report),
    references = groups.references(report) }
end

-- Results by their key; those without one last; equal ones as they came.
local function sorted(results, context)
  if not context.key_of then return results end
  local entries = {}
  for i, result in ipairs(results) do
    entries[i] = { result = result, key = context.key_of(result), index = i }
  end
  table.sort(entries, function(a, b)
    if a.key == b.key then return a.index < b.index end
    if a.key == nil or b.key == nil then return b.key == nil end
    if context.descending then return a.key > b.key end
    return a.key < b.key
  end)
  local list = {}
  for i, entry in ipairs(entries) do list[i] = entry.result end
  return list
end

local function has_baseline(results, references)
  for _, result in ipairs(results) do
    local reference = references[result]
    if reference and reference.kind == "baseline" then return true end
  end
  return false
end

local function name_column(results, title)
  local names = {}
  for i, result in ipairs(results) do
    names[i] = escape.visible(groups.label(result, title))
    if result.error then names[i] = { names[i], "bad" } end
  end
  return { key = "name", title = "name", align = "left", cells = names }
end

-- A bench that raised says so where its first figure would stand.
local function mark_failures(column, results)
  for i, result in ipairs(results) do
    if result.error and column.cells[i] == "-" then
      column.cells[i] = { "failed", "bad" }
    end
  end
end

--- The columns of a section, name first. Those that say nothing are left out,
--- unless they were asked for.
---@param section { title: string, results: table[] }
---@param context table of tabulate.context
---@return { key: string, title: string, align: string, cells: table }[]
function tabulate.section(section, context)
  local results = sorted(section.results, context)
  context.any_baseline = has_baseline(results, context.references)
  local list = { name_column(results, section.title) }
  for _, column in ipairs(context.chosen) do
    local made = cells.make(column, results, context)
    if context.explicit or not made.dull then list[#list + 1] = made end
  end
  if #list == 1 and not context.explicit then
    list[2] = cells.make(context.chosen[1], results, context)
  end
  if list[2] then mark_failures(list[2], results) end
  return list
end

return tabulate
