-- Where reports go: stdout and files, in the formats asked for.
local report = require "tare.report"
local store = require "tare.store"

local output = {}

local BY_EXTENSION = { json = "json", html = "html", md = "markdown",
  csv = "csv", xml = "junit", txt = "text" }

-- Formats that are asked for, each with its file (nil: stdout).
local function wanted(given)
  local outputs, to_stdout = {}, false
  for _, asked in ipairs(given.outputs or {}) do
    local extension = asked.file and asked.file:match("%.(%w+)$")
    local format = asked.format or BY_EXTENSION[extension]
    if not format then
      return nil, ("%s: say with --format what to write"):format(asked.file)
    end
    local known, message = report.extension(format)
    if not known then return nil, "--format: " .. message end
    outputs[#outputs + 1] = { format = format, file = asked.file }
    to_stdout = to_stdout or not asked.file
  end
  if not to_stdout and not given.quiet then
    table.insert(outputs, 1, { format = "text" })
  end
  return outputs
end

local function is_colored(given)
  if given.color ~= "auto" then return given.color == "always" end
  if os.getenv("NO_COLOR") or os.getenv("TERM") == "dumb" then return false end
  return require("luv").guess_handle(1) == "tty"
end

local function is_ascii(given)
  local locale = os.getenv("LC_ALL") or os.getenv("LC_CTYPE")
    or os.getenv("LANG") or ""
  return given.ascii or not locale:lower():find("utf%-?8")
end

local function terminal_width()
  local uv = require "luv"
  if uv.guess_handle(1) ~= "tty" then return nil end
  local tty = uv.new_tty(1, false)
  local width = tty:get_winsize()
  tty:close()
  uv.run("nowait")
  return width
end

local function options_for(given, asked)
  if asked.format ~= "text" then
    return { columns = given.columns, sort = given.sort, samples = given.raw }
  end
  return { columns = given.columns, sort = given.sort,
    explain = given.explain, color = not asked.file and is_colored(given),
    ascii = is_ascii(given),
    width = not asked.file and terminal_width() or nil }
end

local EMPTY = { schema = "tare/1", env = {}, options = {}, results = {},
  comparisons = {} }

--- Checks what the command line asks for, before anything is measured: what
--- can't render a report of nothing can't render any.
---@return table[]? outputs
---@return string? message
function output.plan(given)
  local outputs, message = wanted(given)
  if not outputs then return nil, message end
  for _, asked in ipairs(outputs) do
    local text, wrong =
      report.render(EMPTY, asked.format, options_for(given, asked))
    if not text then return nil, wrong end
  end
  return outputs
end

--- Writes a report to all that asked for it. What can't be written is said;
--- the others are written all the same.
---@return boolean ok
function output.write(outputs, made, given, complain)
  local all_ok = true
  for _, asked in ipairs(outputs) do
    local text = report.render(made, asked.format, options_for(given, asked))
    if asked.file then
      local ok, message = store.write_text(asked.file, text)
      if not ok then complain(message) end
      all_ok = all_ok and ok
    else
      io.stdout:write(text)
    end
  end
  io.stdout:flush()
  return all_ok and true or false
end

return output
