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

-- Runs an installed command from elsewhere, with no paths set.
local function run_installed(program)
  local path = command.file(BENCH, "_bench.lua")
  local code, stdout, stderr = command.shell(("cd /tmp && env -u LUA_PATH "
    .. "-u LUA_CPATH %s run %s --quota 20ms"):format(program, path))
  os.remove(path)
  assert.equal("", stderr)
  assert.equal(0, code)
  assert.truthy(stdout:find("1 bench", 1, true))
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
    run_installed(tree .. "/bin/tare")
    assert.equal(0, (command.shell(("sh .ci/install.sh uninstall %s %s")
      :format(lua, tree))))
    local _, left = command.shell("find " .. tree .. " -type f")
    assert.equal("", left)
  end)

  it("runs from a tree of LuaRocks", function()
    if not has("luarocks") then return pending("luarocks is not here") end
    -- a copy: LuaRocks builds beside the sources
    local copy = command.path()
    command.shell(("mkdir %s && cp -R csrc lua rockspec Makefile .ci %s")
      :format(copy, copy))
    local code, _, stderr = command.shell(("cd %s && env -u LD_PRELOAD "
      .. "luarocks --lua-version %s make --deps-mode none --tree %s "
      .. "rockspec/tare-scm-1.rockspec"):format(copy, VERSION, tree))
    command.shell("rm -rf " .. copy)
    assert.equal(0, code, stderr)
    run_installed(tree .. "/bin/tare")
  end)
end)
