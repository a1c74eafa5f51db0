-- tare completion: what a shell evaluates to complete tare's words.
local parser = require "tare.cli.parser"
local stdout = require "tare.cli.stdout"

local completion = {}

--- Runs the command.
---@return integer exit code
function completion.run(given, complain)
  local ok, message = stdout.write(parser.completion(given.shell))
  if ok then return 0 end
  complain(message)
  return 1
end

return completion
