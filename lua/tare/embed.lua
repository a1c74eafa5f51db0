-- What the C interface (csrc/embed) asks of Lua: sessions from chunks that the
-- host loaded, and reports as text.
local benchfile = require "tare.bench.file"
local report = require "tare.report"
local Session = require "tare.session"
local Frames = require "tare.frames"

local embed = {}

--- A session over what a chunk returns: a suite or a list of suites, and
--- options after it.
---@param chunk function called with the module 'tare'
---@param tare table
---@param name string of the chunk, for messages
---@return table session
function embed.session(chunk, tare, name)
  local suites, given = benchfile.suites_of(chunk, tare)
  if not suites then error(("tare: %s: %s"):format(name, given), 0) end
  if given ~= nil and type(given) ~= "table" then
    error("tare: the options after the suite must be a table, got "
      .. type(given), 0)
  end
  local settings, message = Session.settings(given, "tare")
  if not settings then error(message, 0) end
  local cells
  cells, message = Session.cells(suites, settings, "tare")
  if not cells then error(message, 0) end
  for _, cell in ipairs(cells) do
    if cell.options.yields then
      error(("tare: %s: yields: a session that is stepped from C has no "
        .. "coroutine to yield to: step it in one of Lua's"):format(cell.id), 0)
    end
  end
  return Session.new(cells, settings)
end

--- A session's report in a format.
---@param session table
---@param format string
---@return string
function embed.text(session, format)
  local ok, found = pcall(session.report, session)
  if not ok then error(found, 0) end
  local text, message = report.render(found, format, {})
  if not text then error("tare: " .. message, 0) end
  return text
end

--- What a recorder knows, in a format.
---@param record table of recorder:record()
---@param format string
---@return string
function embed.frames(record, format)
  local said = Frames.result_of(record)
  if not said then error("tare: there is no frame yet", 0) end
  local text, message = report.render(said, format, {})
  if not text then error("tare: " .. message, 0) end
  return text
end

return embed
