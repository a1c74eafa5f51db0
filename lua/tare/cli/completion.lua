-- tare completion: what a shell evaluates to complete tare's words.
local EXIT = require "tare.cli.exit"
local parser = require "tare.cli.parser"
local stdout = require "tare.cli.stdout"

local completion = {}

--- Runs the command; what it returns is read in tare.cli.
function completion.run(given)
  local ok, message = stdout.write(parser.completion(given.shell))
  return ok and EXIT.done, message
end

return completion
