local command = require "spec.support.command"

local BENCH = [[
local suite = require "tare".suite "s"
suite:bench("a", function() return {} end)
return suite
]]

local VERSION = _VERSION:match("%d+%.%d+")

local function has(program)
  return (command.shell("command -v " .. program)) == 0
end

-- Runs the command installed in a tree from there, with no paths set.
local function run_installed(tree)
  local path = command.file(BENCH, "_bench.lua")
  local code, stdout, stderr = command.shell(("cd %s && env -u LUA_PATH "
    .. "-u LUA_CPATH bin/tare run %s --quota 20ms"):format(tree, path))
  os.remove(path)
  assert.equal("", stderr)
  assert.equal(0, code)
  assert.matches("^s/", stdout)
end

describe("an installed tare", function()
  local tree

  before_each(function()
    tree = command.path()
  end)

  after_each(function() command.shell("rm -rf " .. tree) end)

  it("runs from a prefix, and goes when it is uninstalled", function()
    local lua = os.getenv("TARE_LUA") or "lua5.4"
    local build = os.getenv("TARE_BUILD") or "build/" .. lua
    assert.equal(0, (command.shell(("sh .ci/install.sh install %s %s %s")
      :format(lua, tree, build))))
    run_installed(tree)
    assert.equal(0, (command.shell(("sh .ci/install.sh uninstall %s %s")
      :format(lua, tree))))
    assert.equal(0, (command.shell("test ! -e " .. tree)))
    command.shell(("mkdir -p %s/bin && touch %s/mine"):format(tree, tree))
    for _, action in ipairs { "install", "install", "uninstall" } do
      command.shell(("sh .ci/install.sh %s %s %s %s"):format(action, lua, tree,
        build))
    end
    local _, left = command.shell("cd " .. tree .. " && find . | sort")
    assert.equal(".\n./bin\n./mine\n", left)
  end)

  it("compares the interpreters that it was installed for, from any folder",
    function()
      local own = os.getenv "TARE_LUA" or "lua5.4"
      -- LuaJIT can load the core of 5.1, so they don't miss one another's.
      local other = (own == "luajit" or own == "lua5.1") and "lua5.4"
        or "luajit"
      if not io.open("build/" .. other .. "/tare/core.so") then
        return pending("there is no core for " .. other)
      end
      local path = command.file(BENCH, "_bench.lua")
      local function make(action, lua)
        local code, out, err = command.shell(("make -s %s LUA=%s PREFIX=%s")
          :format(action, lua, tree))
        assert.equal(0, code, err)
        return out
      end
      local function run()
        return command.shell(("cd / && env -u LUA_PATH -u LUA_CPATH "
          .. "%s/bin/tare run %s --lua %s,%s --dry-run"):format(tree, path, own,
          other))
      end
      make("install", own)
      assert.same({ 1, "", ("tare: %s: has no core of tare: in the sources "
        .. "of tare, make install LUA=%s PREFIX=%s\n"):format(other, other,
        tree) }, { run() })
      local both = { 0, ("s/a{lua=%s}: ok\ns/a{lua=%s}: ok\n"):format(own,
        other), "" }
      make("install", other)
      assert.same(both, { run() })
      make("install", own)
      assert.same(both, { run() })
      local function runs_on()
        return command.read(tree .. "/bin/tare"):match 'exec "[^"]*/([^/"]+)"'
      end
      assert.equal(own, runs_on())
      make("uninstall", other)
      assert.equal(own, runs_on())
      make("install", other)
      assert.equal(other, runs_on())
      assert.matches("no command is left, but cores for " .. own .. ": 'make "
        .. "install", make("uninstall", other), 1, true)
      make("uninstall", own)
      assert.equal(0, (command.shell("test ! -e " .. tree)))
      os.remove(path)
    end)

  it("runs from a tree of LuaRocks, made from the unpacked archive", function()
    if not has("luarocks") then return pending("luarocks is not here") end
    local version = require "tare.core".version
    local folder = command.path()
    local archive = ("build/tare-%s.tar.gz"):format(version)
    assert.equal(0, (command.shell(("mkdir %s && make -s dist && "
      .. "tar -xzf %s -C %s"):format(folder, archive, folder))))
    local code, _, stderr = command.shell(("cd %s/tare-%s && env -u LD_PRELOAD "
      .. "luarocks --lua-version %s make --deps-mode none --tree %s "
      .. "rockspec/tare-%s-1.rockspec"):format(folder, version, VERSION, tree,
        version))
    command.shell("rm -rf " .. folder)
    assert.equal(0, code, stderr)
    run_installed(tree)
  end)
end)

describe("the version", function()
  local version = command.read "csrc/tare.h":match 'TARE_VERSION "([^"]*)"'

  it("is a semantic one", function()
    assert.truthy(version:find "^%d+%.%d+%.%d+$", version)
  end)

  it("stands in the header, and all else follows", function()
    assert.equal("tare " .. version, require "tare"._VERSION)
    assert.equal(version, require "tare.core".version)
    local _, stdout = command.tare "--version"
    assert.equal("tare " .. version .. "\n", stdout)
    assert.equal(0, (command.shell "make -s dist"))
    local rockspec = command.read(("build/tare-%s-1.rockspec"):format(version))
    assert.truthy(rockspec:find(('\nversion = "%s-1"\n'):format(version), 1,
      true))
    assert.truthy(rockspec:find(('  url = "tare-%s.tar.gz",\n'):format(version),
      1, true))
  end)
end)
