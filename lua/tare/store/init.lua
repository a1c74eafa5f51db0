-- Stored reports: one valid JSON document with a line for each result,
--
--   {"schema":"tare/1","env":{},"options":{},"results":[
--   {"id":"s/a"}
--   ,{"id":"s/b"}
--   ],"comparisons":[]}
--
-- so that a result can be added without touching the others (tare.store.file),
-- and read without holding them. Any other layout of the same JSON can be read
-- as well, as a whole. lua-cjson is loaded only when something is read.
local files = require "tare.base.files"
local json = require "tare.base.json"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"
local schema = require "tare.store.schema"
local unicode = require "tare.base.unicode"

local store = {}

local MOST_TEXT = 2 ^ 20 -- bytes of a name or message that is stored or read
local MOST_LINE = 2 ^ 28 -- bytes of a line, or of a report in another layout
local PIECE = 65536 -- bytes that are read or written at once

-- The fields after the results: they are known only at the end of a run.
local OF_TAIL = { comparisons = true, sweeps = true, launches = true }

-- Writing ---------------------------------------------------------------------

-- The fields of an object without its braces, with a comma in front.
local function fields(object)
  if next(object) == nil then return "" end
  return "," .. json.encode(object):sub(2, -2)
end

--- The first line of a stored report, which opens the list of its results.
---@param report table whatever it has but results
---@return string
function store.head(report)
  local head = {}
  for name, value in pairs(report) do
    if not OF_TAIL[name] then head[name] = value end
  end
  head.results, head.schema = nil, nil
  return '{"schema":' .. json.encode(report.schema) .. fields(head)
    .. ',"results":[\n'
end

--- The last line of a stored report, which closes the list.
---@param report table
---@return string
function store.tail(report)
  local tail = { comparisons = report.comparisons or {} }
  for name in pairs(OF_TAIL) do tail[name] = tail[name] or report[name] end
  return "]" .. fields(tail) .. "}\n"
end

local shortened = unicode.shortened

-- A copy of a result in which messages of any length are short.
local function with_short_errors(result)
  local copy = lists.copy(result)
  copy.error = shortened(copy.error)
  if copy.failed_launches then
    copy.failed_launches = {}
    for i, failed in ipairs(result.failed_launches) do
      copy.failed_launches[i] = { launch = failed.launch,
        message = shortened(failed.message) }
    end
  end
  return copy
end

-- Whether a text is longer than what is read, or any in a table.
local function is_long(value)
  if type(value) == "string" then
    return #value > MOST_TEXT / 3 and #unicode.repair(value) > MOST_TEXT
  end
  if type(value) ~= "table" or type(value[1]) == "number" then return false end
  for key, item in pairs(value) do
    if is_long(key) or is_long(item) then return true end
  end
  return false
end

-- A copy of a value in which such texts are short.
local function with_short_texts(value)
  if not is_long(value) then return value end
  if type(value) == "string" then return shortened(value) end
  local copy = {}
  for key, item in pairs(value) do
    copy[with_short_texts(key)] = with_short_texts(item)
  end
  return copy
end

--- A result as a line of JSON, without its end. Errors are shortened, and
--- whatever else no reader would take.
---@param result table
---@return string? line
---@return string? message where its name is too long to be stored
function store.line(result)
  if #result.id > MOST_TEXT then
    return nil, ("%s...: its id has %.0f bytes; at most %.0f can be stored")
      :format(unicode.visible(result.id:sub(1, 40)), #result.id, MOST_TEXT)
  end
  if result.error or result.failed_launches then
    result = with_short_errors(result)
  end
  local line = json.encode(result)
  if #line <= MOST_TEXT then return line end
  return json.encode(with_short_texts(result))
end

--- A Report as text.
---@param report table
---@return string
function store.encode(report)
  local lines = {}
  for i, result in ipairs(report.results) do
    lines[i] = (i > 1 and "," or "") .. assert(store.line(result)) .. "\n"
  end
  return store.head(report) .. table.concat(lines) .. store.tail(report)
end

-- Heavy parts of a result and its passes, which tables do without.
local HEAVY = { samples = true, density = true, histogram = true,
  left_out = true }

local function light(object)
  local copy = {}
  for name, value in pairs(object) do
    if not HEAVY[name] then copy[name] = value end
  end
  return copy
end

--- A copy without samples, densities and histograms: what tables, comparisons
--- of reports and gates need. The figures that were made of them stay.
---@param result table
---@return table
function store.slim(result)
  local copy = light(result)
  if result.passes then
    copy.passes = {}
    for name, pass in pairs(result.passes) do
      local slim = light(pass)
      slim.pauses = pass.pauses and light(pass.pauses)
      copy.passes[name] = slim
    end
  end
  return copy
end

-- Reading ---------------------------------------------------------------------

local TOO_LONG = "a text of %.0f bytes; at most %.0f are read"

-- Removes null, which Lua does not have: it becomes NaN in a list and absent in
-- an object, and so does a number too large for a double. Raises if a text is
-- too long.
local function without_nulls(value, null)
  for key, item in pairs(value) do
    local kind = type(item)
    if item == null or item == 1/0 or item == -1/0 then
      value[key] = type(key) == "number" and 0/0 or nil
    elseif kind == "table" then
      without_nulls(item, null)
    elseif kind == "string" and #item > MOST_TEXT then
      error({ TOO_LONG:format(#item, MOST_TEXT) }, 0)
    end
    if type(key) == "string" and #key > MOST_TEXT then
      error({ TOO_LONG:format(#key, MOST_TEXT) }, 0)
    end
  end
  return value
end

--- Reads a value from JSON text; null is NaN in a list, absent in an object.
---@param text string
---@return any value
---@return string? message why it could not be read
function store.parse(text)
  local cjson = require "cjson"
  local reader = cjson.new() -- asks anew for the locale's decimal point
  reader.decode_invalid_numbers(false) -- no NaN, no hexadecimal
  reader.decode_max_depth(json.MAX_DEPTH)
  local ok, value = pcall(reader.decode, text)
  if not ok then
    local why = tostring(value):gsub("%c", "?")
    if why:find("T_END", 1, true) or why:find("end of string", 1, true) then
      return nil, "ends in the midst; the file is incomplete"
    elseif text:find "^%s*<[!%a]" then
      return nil, "is an HTML page, not JSON"
    end
    return nil, "not JSON: " .. why:sub(1, 150)
  end
  if type(value) ~= "table" then return value end
  local message
  ok, message = pcall(without_nulls, value, cjson.null)
  if ok then return value end
  return nil, type(message) == "table" and message[1] or tostring(message)
end

-- JSON's numbers are doubles; a parameter that was written 10 reads back as
-- the integer it was, if the interpreter has integers.
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
    elseif type(figure) == "number" and not metric.no_interval then
      result[metric.name] = { value = figure, unit = metric.unit }
    end
  end
  if type(result.r2) == "table" then result.r2 = result.r2.value end
end

-- A result with the fields that older files may lack.
local function complete(result)
  result.params = result.params or {}
  result.warnings = result.warnings or {}
  result.suite = result.suite or result.id:match("^(.-)/") or ""
  result.name = result.name or result.id:match("/(.*)$") or result.id
  whole_params(result)
  as_written(result)
  return result
end

-- The same, if the result is sound.
local function completed(result, number)
  local ok, message = schema.check_result(result, number)
  if not ok then return nil, message end
  return complete(result)
end

-- A sound report without results, completed.
local function completed_head(report)
  local results = report.results
  report.results = {}
  local ok, message = schema.check(report)
  if not ok then return nil, message end
  report.results = results
  report.env, report.options = report.env or {}, report.options or {}
  report.comparisons = report.comparisons or {}
  return report
end

-- Adds the results of a journal, which earlier versions had beside a report
-- that was not finished: the first line names the report, the others are
-- results. A report may have taken some of them in; the last may be torn.
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

-- A report in any layout: all of its text is parsed at once.
local function read_whole(text, take, journal)
  if text:find("^%s*$") then return nil, "not a tare report: it is empty" end
  local report, message = store.parse(text)
  if message then
    return nil, message .. (message:find("not JSON", 1, true)
      and "; a stored report is the JSON that --save writes" or "")
  end
  if type(report) ~= "table" then return schema.check(report) end
  if type(report.unfinished) == "string" then
    journal = journal and journal()
    if journal then add_journal(report, journal) end
    report.unfinished = nil
  end
  local results = report.results
  if type(results) ~= "table" or results[1] == nil and next(results) then
    local _, wrong = schema.check(report)
    return nil, wrong
  end
  report, message = completed_head(report)
  if not report then return nil, message end
  for i, result in ipairs(results) do
    local sound, wrong = completed(result, i)
    if not sound then return nil, wrong end
    take(sound)
  end
  return report
end

-- The lines of a text that comes in pieces, each with whether it was ended;
-- the rest of the text, when asked for. Where a line does not end, as in a
-- device, there are no more, and 'is_too_long' is set.
local function lines_of(next_piece)
  local piece, from, lines = "", 1, {}
  local function is_over(bytes)
    if bytes <= MOST_LINE then return false end
    lines.is_too_long, piece = true, nil
    return true
  end
  function lines.next()
    local parts, bytes = {}, 0
    while piece do
      bytes = bytes + #piece
      if is_over(bytes) then return end
      local to = piece:find("\n", from, true)
      parts[#parts + 1] = piece:sub(from, (to or 0) - 1)
      if to then
        from = to + 1
        return table.concat(parts), true
      end
      piece, from = next_piece(), 1
    end
    local line = table.concat(parts)
    if line ~= "" then return line, false end
  end
  function lines.rest()
    local parts, bytes = { piece and piece:sub(from) }, 0
    for more in next_piece do
      parts[#parts + 1], bytes = more, bytes + #more
      if is_over(bytes) then return "" end
    end
    piece = nil
    return table.concat(parts)
  end
  return lines
end

-- A result from its line; nil where the line is none.
local function parse_line(line)
  local result = store.parse((line:gsub("^,", "")))
  return type(result) == "table" and type(result.id) == "string" and result
end

--- The result of a line that this run has written.
---@param line string
---@return table? result nil where it has become something else
function store.result(line)
  local result = parse_line(line)
  return result and complete(result) or nil
end

-- Reads a report of lines, a result at a time. Where nothing follows a broken
-- line, a run was killed in the midst of writing it: what is before it counts.
local function read_lines(first, lines, take, journal)
  local head = store.parse(first .. "]}")
  if not head then
    return read_whole(first .. "\n" .. lines.rest(), take, journal)
  end
  local report, wrong = completed_head(head)
  if not report then return nil, wrong end
  local count = 0
  for line, is_ended in lines.next do
    if line:find("^%]") then
      local text = line .. "\n" .. lines.rest()
      local tail = store.parse((text:gsub("^%],?", "{", 1)))
      if type(tail) ~= "table" then break end
      tail.results = nil
      for name, value in pairs(tail) do report[name] = value end
      return completed_head(report)
    end
    local result = parse_line(line)
    if not result then
      local rest = lines.rest()
      if count == 0 and is_ended and rest:find("%S") then -- another layout
        return read_whole(table.concat({ first, line, rest }, "\n"), take,
          journal)
      end
      if rest:find("%S") then
        return nil, ("not a sound report: the line of result %d is broken")
          :format(count + 1)
      end
      break
    end
    local sound, message = completed(result, count + 1)
    if not sound then return nil, message end
    count = count + 1
    take(sound, line)
  end
  return report, ("its end is missing; %d result%s read"):format(count,
    count == 1 and " was" or "s were")
end

-- Calls take(result, line) for each result, the line only where each has one.
-- Returns the report without its results, and a note where its end is missing;
-- or nil and what is wrong.
local function walk(next_piece, take, journal)
  local lines = lines_of(next_piece)
  local first, is_ended = lines.next()
  local report, message
  if first and is_ended and first:find('^{.*"results":%[$') then
    report, message = read_lines(first, lines, take, journal)
  else
    local text = (first or "") .. "\n" .. lines.rest()
    if not lines.is_too_long then
      report, message = read_whole(text, take, journal)
    end
  end
  if not lines.is_too_long then return report, message end
  return nil, ("not a tare report: a line of it has more than %.0f MiB"):format(
    MOST_LINE / 2^20)
end

-- A function that gathers results, and the list of them. A second result of a
-- bench takes the place of the first: it was measured again.
local function gatherer(each)
  local results, place_of = {}, {}
  return function(result, line)
    if each then result = each(result) end
    if not result then return end
    local at = line and place_of[result.id] or #results + 1
    results[at], place_of[result.id] = result, at
  end, results
end

--- Reads a Report from text.
---@param text string
---@param journal (fun(): string?)? of a report that is not finished, written by
---  earlier versions
---@return table? report
---@return string? message one line; beside a report, that its end is missing
function store.decode(text, journal)
  local take, results = gatherer()
  local rest = text
  local report, message = walk(function()
    local piece = rest
    rest = nil
    return piece
  end, take, journal)
  if report then report.results = results end
  return report, message
end

-- Where earlier versions kept results of a report that is not finished.
local function journal_of(path)
  return (require("luv").fs_realpath(path) or path) .. ".journal"
end

--- Removes the file that a killed run of an earlier version left beside its
--- report; no other file.
---@param path string
function store.discard_journal(path)
  local file = io.open(journal_of(path), "rb")
  if not file then return end
  local is_journal = file:read(11) == '{"journal":'
  file:close()
  if is_journal then require("luv").fs_unlink(journal_of(path)) end
end

--- Walks over the results of a file without holding them: take(result) is
--- called for each.
---@param path string
---@param take fun(result: table, line: string?) the line as it is stored, where
---  it has one of its own
---@return table? report all but its results
---@return string? message one line that starts with the path; beside a report,
---  that its end is missing
function store.walk(path, take)
  local file, message = io.open(path, "rb")
  if not file then
    local near = io.open(path .. ".json", "rb")
    if near then near:close() end
    return nil, unicode.visible(message) .. (near
      and ("; did you mean '%s.json'?"):format(unicode.visible(path)) or "")
  end
  local failure
  local report
  report, message = walk(function()
    local piece
    piece, failure = file:read(PIECE) -- nil and why, for a directory
    return piece
  end, take, function() return files.read(journal_of(path)) end)
  file:close()
  if failure then report, message = nil, failure end
  if not report and path:find "%.lua$" and not failure then
    message = ("is a bench file, no stored report: 'tare run %s --save "
      .. "FILE.json' makes one"):format(unicode.visible(path))
  end
  return report, message and ("%s: %s"):format(unicode.visible(path), message)
end

--- Reads a Report from a file.
---@param path string
---@param each (fun(result: table): table?)? what is kept of each result (like
---  store.slim), or nil; all, without it
---@return table? report
---@return string? message one line that starts with the path; beside a report,
---  that its end is missing
function store.read(path, each)
  local take, results = gatherer(each)
  local report, message = store.walk(path, take)
  if report then report.results = results end
  return report, message
end

return store
