-- Where reports go: stdout and files, in the formats asked for.
local files = require "tare.cli.files"
local paths = require "tare.base.paths"
local place = require "tare.store.place"
local report = require "tare.report"
local stdout = require "tare.cli.stdout"
local terminal = require "tare.cli.terminal"

local output = {}

-- An output with its format, or nil and what is wrong.
local function read_output(asked, command)
  local format = asked.format or report.format_of(asked.file)
  if not format then
    return nil, report.extension(asked.file)
      and ("-o %s: takes a file; the format is --format %s"):format(asked.file,
        asked.file)
      or ("%s: its ending says no format; give --format as well"):format(
        asked.file)
  end
  local known, message = report.extension(format)
  if not known then return nil, "--format: " .. message end
  if report.properties(format).only_frames and command ~= "frames" then
    return nil, ("--format: '%s' shows frames: 'tare frames CAPTURE.json'")
      :format(format)
  end
  return { format = format, file = asked.file }
end

-- The formats that are asked for; text to stdout if nothing else goes there.
local function wanted(given)
  local outputs, to_stdout = {}, false
  for i, asked in ipairs(given.outputs or {}) do
    local read, message = read_output(asked, given.command)
    if not read then return nil, message end
    outputs[i], to_stdout = read, to_stdout or not read.file
  end
  local goes_elsewhere = given.outputs or given.save or given.resume
    or given.fail_on
  if not to_stdout and not (given.quiet and goes_elsewhere) then
    outputs[#outputs + 1] = { format = "text" }
  end
  return outputs
end

-- What a path leads to, however it is written: device and inode of a file that
-- is there, the path itself of one that is not.
local function identity(path)
  local ok, uv = pcall(require, "luv")
  local stat = ok and uv.fs_stat(path)
  if stat then -- %s has 14 digits where all numbers are floats
    return ("%.0f:%.0f"):format(stat.dev, stat.ino), stat.type
  end
  local folder, name = path:match("^(.*)/([^/]*)$")
  local real = ok and uv.fs_realpath(folder == nil and "." or folder == ""
    and "/" or folder)
  return real and paths.forward(real) .. "/" .. (name or path) or path
end

local END_BYTES = 65536 -- at each end of a stored report: one says what it is

local function is_report(file, head)
  local function says(text) return text:find '"schema"%s*:%s*"tare/%d' end
  if says(head) then return true end
  file:seek("set", math.max(0, file:seek "end" - END_BYTES))
  return says(file:read "*a" or "") ~= nil
end

-- What a file is that was hardly meant to be written over: in place of a report
-- that --save wrote, anything else; of one that -o wrote, Lua code. Nil where
-- there is none, or an empty one.
local function precious(path, flag)
  local file, what = io.open(path, "rb"), nil
  local head = file and file:read(END_BYTES)
  if head and flag == "--save" and not is_report(file, head) then
    what = "no stored report"
  elseif head and path:find "%.lua$" and not head:find "^%s*{" then
    what = "Lua code"
  end
  if file then file:close() end
  return what
end

-- Why files can't go where they are to go: over what is read, over what was
-- hardly meant, twice into one, or where nothing can be written. 'found': the
-- bench files of the folders that were given.
local function refusal(outputs, given, found)
  local read, written = {}, {} -- by file: what reads it, and what writes
  local function reads(path, what)
    if not path then return end
    local file, kind = identity(path)
    if kind ~= "directory" and kind ~= "char" then read[file] = what end
  end
  for _, path in ipairs(given.files or {}) do reads(path, "read") end
  for _, path in ipairs(found or {}) do reads(path, "read") end
  for _, suite in ipairs(given.suites or {}) do reads(suite.file, "read") end
  reads(given.file, "read")
  reads(given.baseline, "the baseline")
  local places, on_stdout = {}, nil
  for _, asked in ipairs(outputs) do
    places[#places + 1] = asked.file and { "-o", asked.file } or nil
    if not asked.file and on_stdout then
      return ("--format %s: stdout takes --format %s already; -o after a "
        .. "format says which file it goes to"):format(asked.format, on_stdout)
    end
    on_stdout = not asked.file and asked.format or on_stdout
  end
  for _, entry in ipairs { { "--save", given.save },
    { "--resume", given.resume } } do
    local flag, path = entry[1], entry[2]
    local other = path and report.format_of(path)
    if other and other ~= "json" then
      return ("%s %s: stores JSON; for %s: -o %s"):format(flag, path, other,
        path)
    end
    places[#places + 1] = path and entry or nil
  end
  for _, entry in ipairs(places) do
    local flag, path = entry[1], entry[2]
    local file, kind = identity(path)
    local special = kind == "char" or kind == "fifo"
    if read[file] then
      return ("%s %s: this file is %s, and would be overwritten"):format(flag,
        path, read[file])
    elseif written[file] and not special then
      return ("%s %s: %s writes to this file already"):format(flag, path,
        written[file])
    end
    written[file] = flag
    local ok, message = place.check(path)
    if not ok then return message end
    local other = ok == "file" and precious(path, flag)
    if other then
      return ("%s %s: this file is %s, and would be overwritten"):format(flag,
        path, other)
    end
    if flag == "--resume" and ok == "stream" then -- reading it may never end
      return ("--resume %s: can't be resumed: it is not a regular file")
        :format(path)
    end
  end
end

--- The command that was given, for the one to give next; nil where it can't be
--- given again.
---@param given table of the parser
---@return { program: string[], words: string[], files: table<string, string>,
---  on_windows: boolean }? command 'files': of each word that is one, without
---  the name by which it chooses benches
function output.command(given)
  if given.watch or not given.arguments then return nil end
  local of_word = {}
  for _, word in ipairs(given.files or {}) do
    of_word[word] = files.split_name(word)
  end
  return { program = given.program or { "tare" }, words = given.arguments,
    files = of_word, on_windows = paths.is_windows }
end

-- How a report looks where it goes.
local function options_for(given, asked, verdict)
  local expressions = given.expression or {}
  local options = { expression = not expressions[2] and expressions[1] or nil,
    columns = given.columns, sort = given.sort,
    by = given.by, samples = given.raw, explain = given.explain,
    plot = given.plot,
    failures = verdict.failures, checked = verdict.checked,
    unchecked = verdict.unchecked, exit_code = verdict.exit_code,
    broken = verdict.broken,
    notes = verdict.notes, against = verdict.against,
    interrupted = verdict.interrupted, gates = verdict.gates,
    command = output.command(given) }
  if report.properties(asked.format).is_fitted then
    local size = not asked.file and terminal.size() or nil
    options.ascii = given.ascii or terminal.is_ascii(os.getenv)
    options.color = not asked.file
      and terminal.is_colored(given.color, size ~= nil
      and terminal.takes_escapes(), os.getenv)
    options.width = given.width
      or not asked.file and terminal.width(size, os.getenv) or nil
  end
  return options
end

--- The formats that are asked for, each with its file (nil: stdout), checked
--- before anything is measured: formats, places of files, columns and order.
---@param given table of the parser
---@param found string[]? bench files that are read
---@return { format: string, file: string? }[]? outputs
---@return string? message
function output.asked_for(given, found)
  local outputs, message = wanted(given)
  if not outputs then return nil, message end
  message = refusal(outputs, given, found)
  if message then return nil, message end
  local ok, wrong = report.check { columns = given.columns, sort = given.sort }
  if not ok then
    return nil, (wrong:find("^can't sort") and "--sort: " or "--columns: ")
      .. wrong
  end
  return outputs
end

--- A file that gets the whole report, which a run can be continued from.
---@param outputs table[] of output.asked_for
---@return string? path
function output.stored(outputs)
  for _, asked in ipairs(outputs) do
    if asked.file and report.properties(asked.format).is_whole then
      return asked.file
    end
  end
end

local function write_one(asked, made, given, verdict)
  local text, message = report.render(made, asked.format,
    options_for(given, asked, verdict))
  if not text then return false, message end
  if not asked.file then return stdout.write(text) end
  return place.write(asked.file, text)
end

--- Writes a report to all that asked for it; files first, for who reads stdout
--- may leave. What can't be written is reported; the others are written all the
--- same. What was measured and could not be written where it was asked for goes
--- to stdout, even with --quiet.
---@param outputs table[] of output.asked_for
---@param made table Report
---@param given table of the parser
---@param complain fun(message: string)
---@param verdict { failures: table[]?, checked: integer?, notes: string[]?,
---  against: table?, interrupted: table? }? options of the renderers
---@param stored boolean? of a run: false if its report could not be stored, as
---  was asked for; nil where the report is there already
---@return boolean ok
function output.write(outputs, made, given, complain, verdict, stored)
  local all_ok, is_shown = true, false
  for _, to_files in ipairs { true, false } do
    for _, asked in ipairs(outputs) do
      if (asked.file ~= nil) == to_files then
        local ok, message = write_one(asked, made, given, verdict or {})
        if not ok then complain(message) end
        all_ok = all_ok and ok and true or false
        is_shown = is_shown or not to_files
      end
    end
  end
  if stored ~= nil and not (stored and all_ok) and not is_shown then
    write_one({ format = "text" }, made, given, verdict or {})
  end
  return all_ok
end

--- Where gates that failed are shown for people, so that stderr need not repeat
--- them; nil where they are not.
---@param outputs table[] of output.asked_for
---@param size integer? of stdout's terminal; asked for where absent
---@return "terminal"|"elsewhere"|nil
function output.shows_failures(outputs, size)
  for _, asked in ipairs(outputs) do
    if not asked.file and report.properties(asked.format).is_prose then
      return (size or terminal.size()) and "terminal" or "elsewhere"
    end
  end
end

return output
