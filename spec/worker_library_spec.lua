-- The library that tare's own modules keep, whatever benches do to theirs.
local command = require "spec.support.command"

describe("tare's modules in a process of benches", function()
  if command.lacks_shell then
    it("have a library of their own", function() pending "needs a shell" end)
    return
  end

  -- What a program prints in whose folder 'tare' and another module are; it has
  -- the worker's library as 'library'.
  local function printed(program)
    local folder = command.path()
    os.execute("mkdir -p " .. folder .. "/tare")
    for name, text in pairs { ["tare/init"] = "return _G",
      ["tare/one"] = "return string", other = "return _G" } do
      command.write(("%s/%s.lua"):format(folder, name), text)
    end
    command.write(folder .. "/run.lua", ([[
      local library = require "tare.worker.library"
      package.loaded.tare = nil
      library.keep(%q)
      %s]]):format(folder, program))
    local code, out, err = command.shell(("%s %s/run.lua"):format(
      os.getenv "TARE_LUA" or "lua5.4", folder))
    os.execute("rm -rf " .. folder)
    assert.equal(0, code, err)
    return out
  end

  it("have a library of their own, from the folder that tare is in", function()
    assert.equal("false\tfalse\ttrue\n", printed [[
      string.rep = nil
      print(require "tare" == _G, require "tare.one" == string,
        require "tare.one".rep ~= nil)]])
  end)

  it("are the only ones: others are looked for where Lua does", function()
    assert.equal("false\n", printed [[print((pcall(require, "other")))]])
    assert.equal("false\n", printed [[print((pcall(require, "tarex")))]])
    assert.equal("false\n", printed [[print((pcall(require, "tare.none")))]])
  end)

  it("have the methods of strings that they need, though a bench removed them",
    function()
      assert.equal("aa\n", printed [[
        string.rep = nil
        library.mend_strings()
        print(("a"):rep(2))]])
      assert.equal("aa\n", printed [[
        local methods = getmetatable "" -- or all of them
        methods.__index = nil
        library.mend_strings()
        print(("a"):rep(2))]])
    end)

  it("leave the methods of strings that a bench has changed", function()
    assert.equal("own\n", printed [[
      string.rep = function() return "own" end
      library.mend_strings()
      print(("a"):rep(2))]])
  end)
end)

describe("a core", function()
  local library = require "tare.worker.library"

  it("may serve where another of the same sources does, as far as both know",
    function()
      local own = { version = "1.0", sources = "12" }
      local unknown = { version = "1.0" }
      for _, case in ipairs { { own, own, true }, { own, unknown, true },
        { unknown, own, true }, { unknown, unknown, true },
        { own, { version = "1.0", sources = "13" }, false },
        { own, { version = "1.1", sources = "12" }, false },
        { unknown, { version = "1.1" }, false } } do
        assert.equal(case[3], library.is_like(case[1],
          library.sources_of(case[2])))
      end
    end)
end)
