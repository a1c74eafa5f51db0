-- Where reports go: stdout and files, in the formats asked for.
local report = require "tare.report"
local stdout = require "tare.cli.stdout"
local store = require "tare.store"
local terminal = require "tare.cli.terminal"

local output = {}

local BY_EXTENSION = { json = "json", html = "html", md = "markdown",
  csv = "csv", xml = "junit", txt = "text" }

-- An output with its format, or nil and what is wrong.
local function read_output(asked)
  local extension = asked.file and asked.file:match("%.(%w+)$")
  local format = asked.format or BY_EXTENSION[extension]
  if not format then
    return nil, ("%s: say with --format what to write"):format(asked.file)
  end
  local known, message = report.extension(format)
  if not known then return nil, "--format: " .. message end
  return { format = format, file = asked.file }
end

-- Whether what is measured is told without a table on stdout.
local function goes_elsewhere(given)
  return given.outputs or given.save or given.resume or given.fail_on
end

-- The formats that are asked for; text to stdout if nothing else goes there.
local function wanted(given)
  local outputs, to_stdout = {}, false
  for i, asked in ipairs(given.outputs or {}) do
    local read, message = read_output(asked)
    if not read then return nil, message end
    outputs[i], to_stdout = read, to_stdout or not read.file
  end
  if not to_stdout and not (given.quiet and goes_elsewhere(given)) then
    outputs[#outputs + 1] = { format = "text" }
  end
  return outputs
end

local function options_for(given, asked, verdict)
  local options = { columns = given.columns, sort = given.sort,
    samples = given.raw, failures = verdict.failures, notes = verdict.notes }
  if asked.format == "text" then
    local told = not asked.file and terminal.columns(1) or nil
    options.explain = given.explain
    options.ascii = given.ascii or terminal.is_ascii(os.getenv)
    options.color = not asked.file
      and terminal.is_colored(given.color, told ~= nil, os.getenv)
    options.width = not asked.file and terminal.width(told, os.getenv) or nil
  end
  return options
end

--- The formats that are asked for, each with its file (nil: stdout), checked
--- before anything is measured, as are places of files, columns and order.
---@param given table of the parser
---@return { format: string, file: string? }[]? outputs
---@return string? message
function output.plan(given)
  local outputs, message = wanted(given)
  if not outputs then return nil, message end
  for _, asked in ipairs(outputs) do
    local ok = true
    if asked.file then ok, message = store.check_place(asked.file) end
    if not ok then return nil, message end
  end
  local ok, wrong = report.check { columns = given.columns, sort = given.sort }
  if not ok then return nil, wrong end
  return outputs
end

local function write_one(asked, made, given, verdict)
  local text, message = report.render(made, asked.format,
    options_for(given, asked, verdict))
  if not text then return false, message end
  if not asked.file then return stdout.write(text) end
  return store.write_text(asked.file, text)
end

--- Writes a report to all that asked for it; files first, for who reads stdout
--- may leave. What can't be written is said; the others are written all the
--- same. What was measured and is not where it was to be stands on stdout, be
--- that ever so quiet.
---@param outputs table[] of output.plan
---@param made table Report
---@param given table of the parser
---@param complain fun(message: string)
---@param verdict { failures: table[]?, notes: string[]? }? to tell as well
---@param stored boolean? whether what was measured is stored, if it was
---@return boolean ok
function output.write(outputs, made, given, complain, verdict, stored)
  local all_ok, is_told = true, false
  for _, to_files in ipairs { true, false } do
    for _, asked in ipairs(outputs) do
      if (asked.file ~= nil) == to_files then
        local ok, message = write_one(asked, made, given, verdict or {})
        if not ok then complain(message) end
        all_ok = all_ok and ok and true or false
        is_told = is_told or not to_files
      end
    end
  end
  if stored ~= nil and not (stored and all_ok) and not is_told then
    write_one({ format = "text" }, made, given, verdict or {})
  end
  return all_ok
end

return output
