-- How the command line ends where it can't go on.
local command = require "spec.support.command"

describe("a command that can't go on", function()
  if command.lacks_shell then
    it("says why in a line", function() pending "needs a shell" end)
    return
  end

  -- What 'tare env' says that raises so, and its exit code: 10 more where the
  -- state is closed.
  local function raising(code, environment)
    local program = ([[
      package.preload["tare.cli.env"] = function()
        return { run = function() %s end }
      end
      local cli, exit = require "tare.cli", os.exit
      os.exit = function(code, closes) exit(code + (closes and 10 or 0)) end
      cli.exit(cli.main { "env" })]]):format(code)
    local ended, out, err = command.shell(("%s %s -e '%s'"):format(
      environment or "", os.getenv "TARE_LUA" or "lua5.4",
      (program:gsub("'", "'\\''"))))
    assert.equal("", out)
    return ended, err
  end

  it("says why in a line", function()
    assert.same({ 10, "" }, { raising "return 0" })
    assert.same({ 11, "tare: no such thing\n" },
      { raising "return nil, 'no such thing'" })
    assert.same({ 12, "tare: it failed\n" },
      { raising "return nil, 'it failed', 2" })
    assert.same({ 11, "tare: internal error: nil\n" }, { raising "error()" })
    assert.same({ 11, "tare: internal error: boom\n" },
      { raising "error('boom\\nand more', 0)" })
  end)

  it("says where, too, to who debugs it", function()
    local ended, err = raising("error('boom\\nand more', 0)", "TARE_DEBUG=1")
    assert.equal(11, ended)
    assert.matches("^tare: internal error: boom\ntare: and more\n"
      .. "tare: stack traceback:\n", err)
  end)

  it("names a module that is missing, or can't be loaded, and why", function()
    local ended, err = raising "require 'argparse.nothing'"
    assert.equal(11, ended)
    assert.matches("^tare: internal error: [^\n]*\n$", err)
    ended, err = raising [[error("module 'luv' not found:\n\tno file", 0)]]
    assert.equal(11, ended)
    assert.matches("^tare: the Lua module 'luv' is missing, [^\n]*\n$", err)
    ended, err = raising([[error("error loading module 'cjson' from file ]]
      .. [['/x y/cjson.so':\n\t/x y/cjson.so: failed to map segment", 0)]])
    assert.equal(11, ended)
    assert.equal("tare: the Lua module 'cjson' can't be loaded: /x y/cjson.so: "
      .. "failed to map segment\n", err)
  end)

  it("does not close the state where memory has run out: finalizers of C "
    .. "modules may crash then", function()
    assert.same({ 1, "tare: not enough memory\n" },
      { raising "error('not enough memory', 0)" })
    for _, of_luv in ipairs { "Failure to allocate buffer",
      "Problem allocating args", "Can\\'t allocate luv handle" } do
      assert.same({ 1, "tare: not enough memory\n" },
        { raising("error('" .. of_luv .. "')") })
    end
  end)
end)
