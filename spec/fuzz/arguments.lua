-- The command line: words by lines. All that can be read without a file is
-- read; what is wrong is told in a line, and nothing raises.
local cells = require "tare.worker.cells"
local output = require "tare.cli.output"
local parser = require "tare.cli.parser"
local settings = require "tare.cli.settings"
local shards = require "tare.store.shards"
local sweep = require "tare.sweep"
local verdicts = require "tare.cli.verdicts"

local COMMANDS = { "run", "list", "compare", "report", "merge", "env" }

-- All commands and their options take longer to set up than to read words with:
-- once is enough, a parser keeps nothing of what it has read.
local function set_up_once()
  for i = 1, math.huge do
    local name, new = debug.getupvalue(parser.parse, i)
    assert(name, "cli/parser.lua has no new_parser")
    if name == "new_parser" then
      local made = new()
      return debug.setupvalue(parser.parse, i, function() return made end)
    end
  end
end
set_up_once()

-- '--help' and '--version' print and leave.
local left
os.exit = function() left = true error "exit" end -- luacheck: ignore 122
print = function() end -- luacheck: ignore 121
io.stdout:setvbuf "full"
io.stdout:close()
io.stdout = { write = function() end } -- luacheck: ignore 122

local function is_line(message)
  assert(type(message) == "string", "no message")
end

local function read_all(given)
  local read, message = settings.read(given)
  if not read then is_line(message) end
  local outputs
  outputs, message = output.asked_for(given)
  if not outputs then is_line(message) end
  local rules
  rules, message = verdicts.rules(given)
  if rules == nil then is_line(message) end
  for _, text in ipairs(given.param or {}) do sweep.parse_override(text) end
  local takes
  takes, message = cells.filter(given.filter, given.match)
  if not takes then is_line(message) end
  if takes then pcall(takes, "s/a{n=1}") end -- a pattern may be too complex
  if given.shard then shards.parse(given.shard) end
end

return function(data)
  local words = { COMMANDS[(data:byte() or 0) % #COMMANDS + 1] }
  for word in data:sub(2):gmatch("[^\n%z]+") do words[#words + 1] = word end
  left = false
  local ok, given, message = pcall(parser.parse, words)
  if left then return end
  assert(ok, given)
  if not given then return is_line(message) end
  read_all(given)
end
