-- --dry-run: calls each bench once, with its hooks, and measures nothing.
local Fixture = require "tare.bench.fixture"
local stdout = require "tare.cli.stdout"
local terms = require "tare.bench.terms"
local unicode = require "tare.base.unicode"

local dry = {}

-- What went wrong, or nil. Teardown runs whatever happened.
local function try(cell, settings)
  local fixture = Fixture.new(cell, terms.loop(cell, settings))
  local ok, message = fixture:prepare()
  if ok then
    ok, message = fixture:around(1, function(n)
      return pcall(fixture:repeater(), n)
    end)
  end
  local torn_down, why = fixture:teardown()
  return not ok and message or not torn_down and why or nil
end

--- Calls each cell once.
---@param planned { cells: table[], settings: table }
---@param given table of the parser
---@return boolean ok whether all went well
function dry.run(planned, given)
  local all_ok = true
  for _, cell in ipairs(planned.cells) do
    local message = try(cell, planned.settings)
    all_ok = all_ok and not message
    if not given.quiet then
      stdout.write(("%s: %s\n"):format(unicode.visible(cell.id),
        message and "failed: " .. unicode.visible(message) or "ok"))
    end
  end
  return all_ok
end

return dry
