local command = require "spec.support.command"
local data = require "spec.support.mistakes"

local LUA = os.getenv "TARE_LUA" or "lua5.4"
local MOST_NOISE = 1e6 -- bytes of a bench that prints

describe("a mistake is answered with what was wrong and what is right:",
  function()
    local folder

    setup(function()
      folder = command.path()
      os.execute(("mkdir %s %s/folder %s/broken %s/none "
        .. "%s/odd"):format(folder, folder, folder, folder, folder))
      for name, text in pairs(data.files) do
        local file = assert(io.open(folder .. "/" .. name, "wb"))
        file:write(text)
        file:close()
      end
    end)
    teardown(function() os.execute("rm -rf " .. folder) end)

    -- '@' is the folder.
    local function placed(text)
      return (text:gsub("@", function() return folder end))
    end

    for _, mistake in ipairs(data.mistakes) do
      it("tare " .. mistake.line, function()
        local code, stdout, stderr = command.shell(("timeout 60 %s "
          .. "lua/tare/cli/bin.lua %s"):format(LUA, placed(mistake.line)))
        local answer = stderr .. stdout
        assert.equal(mistake.code, code, answer)
        for _, text in ipairs(mistake.says) do
          assert.truthy(answer:find(placed(text), 1, true), placed(text)
            .. "\nis not in\n" .. answer)
        end
        for _, ours in ipairs { "traceback", "internal error", "lua/tare/" } do
          assert.is_nil(answer:find(ours, 1, true), answer)
        end
        assert.is_true(#answer < MOST_NOISE)
        assert.is_nil(stdout:find("noise", 1, true)) -- of benches that print
        if mistake.code == 1 then
          assert.matches("^tare: [^\n]+\n$", stderr)
          assert.equal(mistake.measures or false, stdout ~= "")
        end
      end)
    end

    it("no answer is given to fewer than 80 mistakes", function()
      assert.is_true(#data.mistakes >= 80)
    end)
  end)
