-- The formats a Report can be rendered to. Each is a module of its own with
-- render(report, options) -> text, loaded when it is asked for.
local report = {}

local FORMATS = {
  text = { module = "tare.report.text", extension = "txt" },
  markdown = { module = "tare.report.markdown", extension = "md" },
  csv = { module = "tare.report.csv", extension = "csv" },
  json = { module = "tare.report.json", extension = "json" },
  html = { module = "tare.report.html", extension = "html" },
  junit = { module = "tare.report.junit", extension = "xml" },
  gbench = { module = "tare.report.gbench", extension = "json" },
  pyperf = { module = "tare.report.pyperf", extension = "json" },
  bmf = { module = "tare.report.bmf", extension = "json" },
  action = { module = "tare.report.action", extension = "json" },
}

--- The names of all formats, sorted.
---@return string[]
function report.formats()
  local names = {}
  for name in pairs(FORMATS) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function unknown(format)
  return nil, ("no format '%s'; there are: %s"):format(tostring(format),
    table.concat(report.formats(), ", "))
end

--- What a file of a format ends with, without the dot.
---@param format string
---@return string? extension
---@return string? message
function report.extension(format)
  if not FORMATS[format] then return unknown(format) end
  return FORMATS[format].extension
end

--- Whether there are the columns and the order that options ask for: to be
--- asked before anything is measured.
---@param options { columns: string|string[]|nil, sort: string? }
---@return boolean? ok
---@return string? message
function report.check(options)
  local tabulate = require "tare.report.tabulate"
  local context, message = tabulate.context({ results = {} }, options)
  return context and true, message
end

-- Options of renderers, with the types that they may have.
local OPTIONS = { columns = "string table", sort = "string", width = "number",
  color = "boolean", ascii = "boolean", explain = "boolean",
  samples = "boolean", plots = "boolean", failures = "table", notes = "table",
  title = "string", open = "boolean", points = "number" }

--- Why these are no options of a renderer; nil where they are.
---@param options table
---@return string? message
function report.wrong_option(options)
  for name, value in pairs(options) do
    local expected = OPTIONS[name]
    if not expected then
      return ("unknown option '%s'"):format(tostring(name))
    elseif not expected:find(type(value), 1, true) then
      return ("option '%s' must be a %s, got %s"):format(name,
        expected:gsub(" ", " or a "), tostring(value))
    elseif expected == "number" and not (value >= 1 and value < 1/0) then
      return ("option '%s' must be 1 or more, got %s"):format(name,
        tostring(value))
    end
  end
end

-- Whether a value looks like a result, as far as all renderers need it to.
local function is_result(value)
  return type(value) == "table" and type(value.id) == "string"
    and type(value.warnings or {}) == "table"
end

--- Why this is no Report; nil where it may be one.
---@param data any
---@return string? message
function report.refusal(data)
  if type(data) ~= "table" then
    return "expected a report, got " .. type(data)
  elseif type(data.results) ~= "table" then
    return "expected a report, got a table without 'results'"
  end
  for i, result in ipairs(data.results) do
    if not is_result(result) then
      return ("expected a report, but results[%d] is no result"):format(i)
    end
  end
end

--- Renders a Report. Options, each read by the formats that can follow it:
--- 'columns' ("a,b,+c"), 'sort' ("time", "-time"), 'width' (of the terminal),
--- 'color', 'ascii', 'explain', 'samples' (raw rows too), 'failures' (of
--- tare.judge.gate), 'notes' (lines to add).
---@param data table the Report
---@param format string
---@param options table?
---@return string? text
---@return string? message why there is none, in one line
function report.render(data, format, options)
  if not FORMATS[format] then return unknown(format) end
  return require(FORMATS[format].module).render(data, options or {})
end

return report
