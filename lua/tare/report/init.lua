-- Reports in every format: which there are, and how one is rendered.
local benches = require "tare.report.benches"
local columns = require "tare.report.columns"
local document = require "tare.report.document"
local escape = require "tare.report.escape"
local core = require "tare.core"
local frames = require "tare.report.frames"
local json = require "tare.base.json"
local nearest = require "tare.base.nearest"

local report = {}

local function as_json(data) return json.encode(data) .. "\n" end

-- Each has the ending of its files, and a module with render(report, options),
-- or 'render' itself; one that renders frames alone has neither.
--   samples  whether it shows what only samples say: "shown" (by default: all
--            are read for it), "never", or "asked": the options decide
--   frames   whether it renders frames, too: by its module, or by this function
--   needs    the option of a measurement without which it has nothing to show
--   only_frames  it shows frames, and nothing else
--   is_prose     it is for people, and says all that went wrong
--   is_fitted    it is made for the terminal that it goes to: width, colours
--   is_whole     it is all of a report, which a run can be continued from
local FORMATS = {
  text = { extension = "txt", module = "tare.report.text", samples = "asked",
    frames = true, is_prose = true, is_fitted = true },
  markdown = { extension = "md", module = "tare.report.markdown",
    samples = "asked", frames = true, is_prose = true },
  html = { extension = "html", module = "tare.report.html", frames = true },
  json = { extension = "json", render = as_json, frames = as_json,
    is_whole = true },
  csv = { extension = "csv", module = "tare.report.csv",
    frames = function(record) return core.frames_trace("csv", record) end },
  junit = { extension = "xml", module = "tare.report.junit" },
  gbench = { extension = "json", module = "tare.report.gbench" },
  pyperf = { extension = "json", module = "tare.report.pyperf" },
  bmf = { extension = "json", module = "tare.report.bmf",
    samples = "never" },
  action = { extension = "json", module = "tare.report.action",
    samples = "never" },
  folded = { extension = "folded", module = "tare.report.folded",
    needs = "profile", samples = "never" },
  speedscope = { extension = "json", module = "tare.report.speedscope",
    needs = "profile", samples = "never" },
  perfetto = { extension = "json", only_frames = true, samples = "never",
    frames = function(record)
      return core.frames_trace("perfetto", record)
    end },
}

-- The format of a file's name, where its ending says it.
local BY_EXTENSION = { json = "json", html = "html", htm = "html",
  md = "markdown", csv = "csv", xml = "junit", txt = "text",
  folded = "folded" }

-- Names of formats, sorted: all, or those that have a property.
local function names_of(property)
  local names = {}
  for name, format in pairs(FORMATS) do
    if not property or format[property] then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

--- The names of all formats, sorted.
---@return string[]
function report.formats() return names_of() end

-- 'property': of the formats that are meant, all unless given.
local function unknown(format, property)
  local close = nearest.name(format, FORMATS)
  if tostring(format):find(",", 1, true) then
    return nil, ("no format '%s'; each needs a --format of its own, with its "
      .. "-o FILE"):format(escape.visible(format))
  end
  return nil, ("no format '%s'%s"):format(escape.visible(format), close
    and ("; did you mean '%s'?"):format(close)
    or "; there are: " .. table.concat(names_of(property), ", "))
end

--- What a file of a format ends with, without the dot.
---@param format string
---@return string? extension
---@return string? message
function report.extension(format)
  if not FORMATS[format] then return unknown(format) end
  return FORMATS[format].extension
end

--- What a format is like: see FORMATS.
---@param format string one that there is
---@return table properties
function report.properties(format) return FORMATS[format] end

--- The format that a file's name asks for; nil where its ending says nothing.
---@param path string
---@return string?
function report.format_of(path)
  return BY_EXTENSION[(path:match("%.(%w+)$") or ""):lower()]
end

--- Whether there are the columns and the order that options ask for: to be
--- asked before anything is measured. See document.check.
report.check = document.check

-- Options of renderers, with the types that they may have.
local OPTIONS = { columns = "string table", sort = "string", width = "number",
  color = "boolean", ascii = "boolean", explain = "boolean",
  samples = "boolean", plot = "boolean", plots = "boolean",
  failures = "table", checked = "number", unchecked = "number",
  exit_code = "number",
  notes = "table", against = "table", interrupted = "table",
  title = "string", open = "boolean", expression = "string",
  broken = "number",
  points = "number", by = "string", command = "table", gates = "table" }

-- Of numbers; 1 for the others.
local LEAST = { checked = 0, unchecked = 0, exit_code = 0, broken = 0 }

--- Why these are no options of a renderer; nil where they are.
---@return string? message
function report.wrong_option(options)
  for name, value in pairs(options) do
    local expected = OPTIONS[name]
    local least = LEAST[name] or 1
    if not expected then
      return ("unknown option '%s'%s"):format(tostring(name),
        nearest.hint(name, OPTIONS))
    elseif not expected:find(type(value), 1, true) then
      return ("option '%s' must be a %s, got %s"):format(name,
        expected:gsub(" ", " or a "), tostring(value))
    elseif expected == "number" and not (value >= least and value < 1/0) then
      return ("option '%s' must be %d or more, got %s"):format(name, least,
        tostring(value))
    end
  end
end

-- Whether a value looks like a result, as far as all renderers need it to.
local function is_result(value)
  return type(value) == "table" and type(value.id) == "string"
    and type(value.warnings or {}) == "table"
end

-- A single result, a comparison without its results, or a profile, as a Report.
local function as_report(data)
  if type(data) ~= "table" or data.results ~= nil or frames.is(data) then
    return data
  end
  if type(data.lines) == "table" and type(data.stacks) == "table" then
    return { results = { { id = tostring(data.id or "profile"), warnings = {},
      profile = data } } }
  end
  if is_result(data) then return { results = { data } } end
  if type(data.a) == "string" and type(data.b) == "string"
    and type(data.ratio) == "table" then
    return { comparisons = { data }, results = {} }
  end
  return data
end

--- Why this is no Report, result or comparison; nil where it may be one.
---@return string? message
function report.refusal(data)
  data = as_report(data)
  if type(data) ~= "table" then
    return "expected a report, got " .. type(data)
  elseif frames.is(data) then
    return nil
  elseif type(data.results) ~= "table" then
    return "expected a report, got a table without 'results'"
  end
  for i, result in ipairs(data.results) do
    if not is_result(result) then
      return ("expected a report, but results[%d] is no result"):format(i)
    end
  end
end

--- Renders a Report, a single result, a comparison, a profile or frames.
--- Options, each read by the formats that can follow it:
---   columns, sort   "a,b,+c"; "time", "-time"
---   title           of the page
---   width           of the terminal, in characters
---   color, ascii    whether there are colours; whether only ASCII
---   explain         say what each column means
---   plot            plots of sweeps and comparisons, with the laws that fit
---   plots           the plots alone
---   samples         raw rows, too
---   points          of a plot of HTML, at most
---   open            whether each bench of HTML is unfolded from the start
---   by              what folded stacks count
---   expression      the one that was measured, if no file was
---   failures        gates that failed (tare.judge.gate)
---   checked, unchecked  how often a gate was, or could not be
---   gates           each rule, and what became of it (tare.cli.verdicts)
---   notes           lines to add
---   against         { results, report, name, new_name?, partial? }: the report
---                   that changes are against ('partial': it may have more
---                   benches on purpose); of frames: { summary, compared,
---                   name, new_name }
---   interrupted     { file }: where what was measured is kept
---   broken          bench files that could not be loaded
---   command         { program, words, files, on_windows }: what was given,
---                   for the command to give next
---   exit_code       that the command ends with, for the closing line
---@param format string
---@param options table?
---@return string? text
---@return string? message why there is none, in one line
function report.render(data, format, options)
  if not FORMATS[format] then
    return unknown(format, frames.is(data) and "frames" or nil)
  end
  if frames.is(data) then
    local print_of = FORMATS[format].frames
    if not print_of then
      return nil, ("frames can't be rendered as '%s'; there are: %s"):format(
        format, table.concat(names_of("frames"), ", "))
    elseif print_of ~= true then
      return print_of(data.record)
    end
  elseif FORMATS[format].only_frames then
    return nil, ("'%s' is a format of frames"):format(format)
  end
  data = as_report(data)
  local render = FORMATS[format].render
    or require(FORMATS[format].module).render
  return render(data, options or {})
end

--- Whether a format shows what only samples say. If not, results may come
--- without them (slim in tare.store).
---@param format string
---@param options { columns: string|string[]|nil, plot: boolean? }
---@param count integer of results: a single one is shown with its distribution
---@return boolean
function report.needs_samples(format, options, count)
  local samples = FORMATS[format].samples or "shown"
  if samples == "asked" then
    if options.plot or count == 1 then return true end
    for _, chosen in ipairs(columns.chosen(options.columns) or {}) do
      if chosen.column.of_samples then return true end
    end
    return false
  end
  return samples == "shown"
end

--- A result in one line: what tostring(result) gives.
---@return string
function report.line(result) return benches.line(result) end

return report
