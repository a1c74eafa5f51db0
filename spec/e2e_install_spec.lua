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
