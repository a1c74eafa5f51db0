-- Not all files are run by every Lua: the command line and many specs need luv.
-- All must be chunks of each, so that they can be run there once luv is: 5.5
-- has constant variables of loops, 5.1 no goto.
local command = require "spec.support.command"

describe("every file of tare's", function()
  it("is a chunk of this Lua", function()
    if command.lacks_shell then return pending "needs a shell" end
    local wrong, count = {}, 0
    for path in io.popen("find lua spec examples -name '*.lua'"):lines() do
      local chunk, message = loadfile(path)
      count = count + 1
      if not chunk then wrong[#wrong + 1] = message end
    end
    assert.same({}, wrong)
    assert.is_true(count > 100)
  end)
end)
