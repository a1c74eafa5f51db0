-- Reports in files: read with their schema checked, written all or not at
-- all. The libraries are loaded only when a file is asked for.
local atomic = require "tare.store.atomic"
local json = require "tare.store.json"
local metrics = require "tare.base.metrics"
local schema = require "tare.store.schema"

local store = {}

--- A Report as JSON text.
---@param report table
---@return string
function store.encode(report) return json.encode(report) .. "\n" end

-- Takes out what JSON has and Lua has not: null is NaN in a list and absent
-- in an object; a number too large for a double is as good as null.
local function without_nulls(value, null)
  for key, item in pairs(value) do
    if item == null or item == 1/0 or item == -1/0 then
      value[key] = type(key) == "number" and 0/0 or nil
    elseif type(item) == "table" then
      without_nulls(item, null)
    end
  end
  return value
end

-- JSON's numbers are doubles; a parameter that was written 10 reads back as
-- the integer it was, where the interpreter tells them apart.
local function whole_params(result)
  for name, value in pairs(result.params) do
    if type(value) == "number" and value % 1 == 0
      and math.abs(value) < 2^53 then
      result.params[name] = math.floor(value)
    end
  end
end

-- Figures as tare writes them: an estimate is a table that has a value, and r2
-- is a number.
local function as_written(result)
  for _, metric in ipairs(metrics.all()) do
    local figure = result[metric.name]
    if type(figure) == "table" and figure.value == nil then
      result[metric.name] = nil
    elseif type(figure) == "number" and not metric.plain then
      result[metric.name] = { value = figure, unit = metric.unit }
    end
  end
  if type(result.r2) == "table" then result.r2 = result.r2.value end
end

-- Fields that older files may lack.
local function completed(report)
  report.env, report.options = report.env or {}, report.options or {}
  report.comparisons = report.comparisons or {}
  for _, result in ipairs(report.results) do
    result.params = result.params or {}
    result.warnings = result.warnings or {}
    result.suite = result.suite or result.id:match("^(.-)/") or ""
    result.name = result.name or result.id:match("/(.*)$") or result.id
    whole_params(result)
    as_written(result)
  end
  return report
end

--- Reads a value from JSON text; null is NaN in a list, absent in an object.
---@param text string
---@return any value
---@return string? message why it could not be read
function store.parse(text)
  local cjson = require "cjson"
  local reader = cjson.new()
  reader.decode_invalid_numbers(false) -- no NaN, no hexadecimal
  reader.decode_max_depth(json.MAX_DEPTH)
  local ok, value = pcall(reader.decode, text)
  if not ok then
    return nil, "not JSON: " .. tostring(value):gsub("%c", "?")
  end
  if type(value) ~= "table" then return value end
  return without_nulls(value, cjson.null)
end

-- Adds the results of a journal (tare.store.journal), if it is that of this
-- report. A report may have taken some of them in already; the last line may
-- be unfinished.
local function add_journal(report, journal)
  local head = store.parse(journal:match "^[^\n]*")
  if type(head) ~= "table" or head.journal ~= report.unfinished
    or type(report.results) ~= "table" then return end
  local seen, results = {}, report.results
  for _, result in ipairs(results) do
    if type(result) == "table" then seen[result.id or 0] = true end
  end
  local lines = journal:match "\n(.*)$" or "" -- none of a torn head
  for line in lines:gmatch "([^\n]*)\n" do
    local result = store.parse(line)
    local id = type(result) == "table" and result.id
    if id and not seen[id] then
      seen[id], results[#results + 1] = true, result
    end
  end
end

--- Reads a Report from JSON text.
---@param text string
---@param journal string|(fun(): string?)|nil what stands beside a report that
---  is not finished
---@return table? report
---@return string? message one line
function store.decode(text, journal)
  if text:find("^%s*$") then return nil, "not a tare report: it is empty" end
  local value, message = store.parse(text)
  if message then return nil, message end
  if type(value) == "table" and type(value.unfinished) == "string" then
    if type(journal) == "function" then journal = journal() end
    if journal then add_journal(value, journal) end
    value.unfinished = nil
  end
  local ok, wrong = schema.check(value)
  if not ok then return nil, wrong end
  return completed(value)
end

local function contents(path)
  local file, message = io.open(path, "rb")
  if not file then return nil, message end
  local text, failure = file:read("*a") -- nil for a directory
  file:close()
  if not text then return nil, ("%s: %s"):format(path, failure) end
  return text
end

--- Reads a Report from a file.
---@param path string
---@return table? report
---@return string? message one line that starts with the path
function store.read(path)
  local text, message = contents(path)
  if not text then return nil, message end
  local report, wrong = store.decode(text, function()
    return contents(require("tare.store.journal").path(path))
  end)
  if not report then return nil, ("%s: %s"):format(path, wrong) end
  return report
end

--- See tare.store.atomic.
store.write_text = atomic.write

--- See tare.store.atomic.
store.check_place = atomic.check_place

--- Writes a Report to a file; see store.write_text.
---@param path string
---@param report table
---@return boolean? ok
---@return string? message one line
function store.write(path, report)
  return store.write_text(path, store.encode(report))
end

return store
