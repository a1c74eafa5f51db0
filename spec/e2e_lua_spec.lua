-- The same benches under several interpreters, in lockstep.
local command = require "spec.support.command"
local kept = require "spec.support.kept"
local store = require "tare.store"

local LUA = os.getenv "TARE_LUA" or "lua5.4"
local OTHER = LUA == "luajit" and "lua5.4" or "luajit"
local suite

local function has_core(lua)
  local file = io.open(("build/%s/tare/core.so"):format(lua))
  return file ~= nil and file:close() ~= nil
end

local function is_there(lua)
  return has_core(lua) and command.shell("command -v " .. lua) == 0
end

local function root() return require "luv".cwd() end

local function refusal(...)
  local code, stdout, stderr = command.tare("run", suite, "--quota", "20ms",
    ...)
  assert.equal(1, code, stderr)
  assert.equal("", stdout)
  return stderr
end

describe("tare run --lua", function()
  before_each(function()
    suite = kept.keep(command.file([[
      local suite = require "tare".suite "s"
      suite:bench("a", function() return {} end)
      suite:bench("b", { params = { n = { 1, 2 } },
        run = function(p) return p.n end })
      return suite]], "_bench.lua"))
  end)
  after_each(kept.remove)

  it("counts a file that is broken under each as one", function()
    if not has_core(LUA) then return pending("there is no core for " .. LUA) end
    local broken = kept.keep(command.file("local x =", "_bench.lua"))
    local path = command.shell("command -v " .. LUA) == 0
      and select(2, command.shell("command -v " .. LUA)):gsub("%s+$", "")
    local code, stdout = command.tare("run", suite, broken, "--quota", "10x",
      "--lua", LUA .. "," .. path)
    assert.equal(1, code)
    assert.matches(", 1 file broken; exit code 1\n", stdout)
  end)

  it("finds modules where the variables of an interpreter's version say",
    function()
      if not has_core "lua5.4" then
        return pending "there is no core for lua5.4"
      end
      local place = command.path()
      os.execute("mkdir " .. place)
      command.write(place .. "/of_version.lua", "return 5.4")
      local file = kept.keep(command.file([[
        assert(package.cpath:find("of_version", 1, true))
        local suite = require "tare".suite "s"
        suite:bench("a" .. require "of_version", function() return {} end)
        return suite]], "_bench.lua"))
      local code, out, err = command.shell(("LUA_PATH_5_4=\"%s/?.lua;"
        .. "$LUA_PATH\" LUA_CPATH_5_4=\"/of_version/?.so;$LUA_CPATH\" %s "
        .. "lua/tare/cli/bin.lua run %s --lua lua5.4 --dry-run"):format(place,
          LUA, file))
      os.execute("rm -r " .. place)
      assert.same({ 0, "s/a5.4: ok\n", "" }, { code, out, err })
    end)

  it("measures a bench file that runs by itself under each, too", function()
    if not has_core(LUA) or not has_core(OTHER) then
      return pending("there is no core for " .. LUA .. " and " .. OTHER)
    end
    local own = [[
      local tare = require "tare"
      local suite = tare.suite "s"
      suite:bench("a", function() return {} end)
      return tare.main(suite, ...)]]
    local line = ("%s %%s --lua %s,%s --quota 20x --launches 1 -f json")
      :format(LUA, LUA, OTHER)
    local code, out, err = command.shell(line:format(kept.keep(command.file(own,
      "_bench.lua"))))
    assert.same({ 0, "" }, { code, err })
    local ids = {}
    for i, result in ipairs(assert(store.decode(out)).results) do
      ids[i] = result.id
    end
    assert.same({ ("s/a{lua=%s}"):format(LUA), ("s/a{lua=%s}"):format(OTHER) },
      ids)
    -- What no file holds can't be loaded by another.
    code, out, err = command.shell(("echo %s | %s"):format(command.quoted(own),
      line:format "-"))
    assert.same({ 1, "", "tare: --lua: interpreters need processes of their "
      .. "own\n" }, { code, out, err })
  end)

  it("measures under each, and compares with the first", function()
    if not has_core(LUA) or not has_core(OTHER) then
      return pending("there is no core for " .. LUA .. " and " .. OTHER)
    end
    local code, out, err = command.tare("run", suite, "--lua", LUA .. ","
      .. OTHER, "--quota", "100ms", "--launches", "2", "-q", "--format", "json")
    assert.equal("", err)
    assert.equal(0, code)
    local report, ids, luas, pairs_of = assert(store.decode(out)), {}, {}, {}
    for i, result in ipairs(report.results) do
      ids[i], luas[i] = result.id, result.params.lua
      assert.equal(result.params.lua, result.lua)
      assert.equal(2, result.launches)
    end
    for i, one in ipairs(report.comparisons) do
      pairs_of[i] = one.a .. " " .. one.b
    end
    local function id(inside, lua)
      return ("s/%slua=%s}"):format(inside, lua)
    end
    assert.same({ id("a{", LUA), id("a{", OTHER), id("b{n=1,", LUA),
      id("b{n=1,", OTHER), id("b{n=2,", LUA), id("b{n=2,", OTHER) }, ids)
    assert.same({ LUA, OTHER, LUA, OTHER, LUA, OTHER }, luas)
    -- On a crowded machine some may not be compared, for want of sound batches.
    local expected = { ids[2] .. " " .. ids[1], ids[4] .. " " .. ids[3],
      ids[6] .. " " .. ids[5] }
    local is_compared, those = {}, {}
    for _, pair in ipairs(pairs_of) do is_compared[pair] = true end
    for _, pair in ipairs(expected) do
      if is_compared[pair] then those[#those + 1] = pair end
    end
    assert.same(those, pairs_of)
  end)

  it("stores and names each interpreter, also when a run is resumed", function()
    if not has_core(LUA) or not has_core(OTHER) then
      return pending("there is no core for " .. LUA .. " and " .. OTHER)
    end
    local path = kept.keep(command.path ".json")
    for _, filter in ipairs { "s/b*", "s/*" } do
      local code, out, err = command.tare("run", suite, "--lua", OTHER .. ","
        .. LUA, "--quota", "10x", "--launches", "1", "--resume", path,
        "--filter", filter)
      assert.same({ 0, "" }, { code, err })
      local first, second = out:match "^(L[^\194]+) \194\183 (L[^\194]+) \194"
      assert.equal("LuaJIT", (OTHER == "luajit" and first or second):sub(1, 6))
      assert.equal("Lua 5.", (OTHER == "luajit" and second or first):sub(1, 6))
      assert.is_nil(out:find("measured elsewhere", 1, true))
    end
    local report = assert(store.read(path))
    assert.equal(2, #report.envs)
    for _, result in ipairs(report.results) do
      local env = report.envs[result.env_index]
      local is_jit = result.lua == "luajit"
      assert.same({ is_jit, is_jit }, { env.jit ~= nil,
        env.lua:find "^LuaJIT" ~= nil }, result.id)
      assert.is_table(env.clock)
    end
  end)

  it("measures with options of an interpreter", function()
    if not has_core "luajit" then
      return pending "there is no core for luajit"
    end
    local code, out, err = command.tare("run", suite, "--lua",
      "luajit,luajit -joff", "--quota", "20ms", "--launches", "1", "-q",
      "--format", "json", "--filter", "s/a", "--instructions")
    assert.same({ 0, "" }, { code, err })
    local report = assert(store.decode(out))
    assert.equal("s/a{lua=luajit -joff}", report.results[2].id)
    -- only what the compiler leaves alone has instructions to count
    assert.is_nil(report.results[1].instructions)
    assert.is_true(report.results[2].instructions.value > 0)
  end)

  it("needs no library for an interpreter but the core", function()
    local lean = kept.keep(command.file([[
      local suite = require "tare".suite "s"
      suite:bench("a", { run = function() return {} end, setup = function()
        for _, name in ipairs { "luv", "cjson", "argparse" } do
          assert(not package.loaded[name], name)
        end
      end })
      return suite]], "_bench.lua"))
    -- 5.5 as 'make versions' builds it has no luv
    local other = LUA ~= "lua5.5" and is_there "lua5.5" and "lua5.5" or LUA
    local code, out, err = command.tare("run", lean, "--lua", other, "-q",
      "--quota", "50ms", "--launches", "1", "--format", "json")
    assert.same({ 0, "" }, { code, err })
    local report = assert(store.decode(out))
    assert.is_true(#report.results[1].samples.iters >= 1)
    assert.equal(other == "lua5.5", report.env.lua:find "5%.5" ~= nil)
  end)

  it("says in a line what is wrong with an interpreter", function()
    assert.equal("tare: no-lua: can't be started: no such file or directory\n",
      refusal("--lua", LUA .. ",no-lua"))
    assert.equal("tare: --lua: names 'luajit' twice\n",
      refusal("--lua", "luajit,luajit"))
    assert.equal("tare: --lua: names no interpreter\n", refusal("--lua", ","))
    assert.equal("tare: --lua: 'lua5.4 luajit': a comma is between two "
      .. "interpreters\n", refusal("--lua", "lua5.4 luajit"))
    assert.equal("tare: --lua: names 'luajit -joff' twice\n",
      refusal("--lua", "luajit -joff,luajit -joff"))
    assert.equal("tare: /no/lua5.4: can't be started: no such file or "
      .. "directory\n", refusal("--lua", "/no/lua5.4"))
    assert.equal("tare: --lua: interpreters need processes of their "
      .. "own\n", refusal("--lua", "luajit,lua5.4", "--launches", "0"))
  end)

  it("says in a line that a program is no Lua, and passes on nothing that it "
    .. "prints", function()
    local function program(text)
      local path = kept.keep(command.file("#!/bin/sh\n" .. text))
      command.shell("chmod +x " .. path)
      return path
    end
    assert.equal("tare: true: it doesn't run Lua files (exit code 0)\n",
      refusal("--lua", "true"))
    assert.matches("^tare: cat: it doesn't run Lua files %(exit code 0%): "
      .. "%-%- The process of a launch[^\n]*\n$", refusal("--lua", "cat"))
    local path = program "echo first; echo second >&2; kill -KILL $$\n"
    assert.equal(("tare: %s: it doesn't run Lua files (signal 9): first\n")
      :format(path), refusal("--lua", path))
    path = program "echo no answer >&3; sleep 1\n"
    assert.equal(("tare: %s: its answer can't be read: no answer\n")
      :format(path), refusal("--lua", path))
  end)

  it("allows a space after a comma, and none at the end", function()
    assert.equal("tare: no-lua: can't be started: no such file or directory\n",
      refusal("--lua", LUA .. " , no-lua , "))
  end)

  it("says that a core is of other sources of tare", function()
    local path = kept.keep(command.file("#!/bin/sh\nTARE_CORE=0.0.1 exec "
      .. LUA .. ' "$@"\n'))
    command.shell("chmod +x " .. path)
    assert.equal(("tare: %s: has a core of other sources than this tare: make "
      .. "-C %s build LUA=%s\n"):format(path, root(), path),
      refusal("--lua", path))
  end)

  it("looks for a core where 'make build LUA=PATH' leaves it, which knows the "
    .. "version of any name", function()
    local folder = command.path()
    local lua = folder .. "/own-lua"
    command.shell(("mkdir %s && ln -s $(command -v %s) %s"):format(folder, LUA,
      lua))
    local built = "build/" .. lua:sub(2):gsub("/", "-")
    local code, out, err = command.shell("make -n compile LUA=" .. lua)
    assert.equal(0, code, err)
    assert.matches("link " .. built .. "/tare/core.so", out, 1, true)
    assert(io.open(out:match "%-Icsrc.- %-I(%S+)" .. "/lua.h")):close()
    command.shell(("mkdir -p %s/tare && cp build/%s/tare/core.so %s/tare")
      :format(built, LUA, built))
    for _, name in ipairs { lua, ("$(dirname %s)/../%s/own-lua"):format(lua,
      folder:match "[^/]+$") } do
      code, out, err = command.shell(("%s lua/tare/cli/bin.lua run %s -q "
        .. "--dry-run --lua %s"):format(LUA, suite, name))
      assert.same({ 0, "", "" }, { code, out, err })
    end
    code, out, err = command.shell(("LUA=%s build/bin/tare run %s --dry-run -q")
      :format(lua, suite))
    assert.same({ 0, "", "" }, { code, out, err })
    command.shell(("rm -r %s %s"):format(folder, built))
  end)

  it("says how to build the core that an interpreter lacks", function()
    local lua = kept.keep(command.file("#!/bin/sh\n"
      .. "LUA_CPATH='/nowhere/?.so' exec " .. LUA .. ' "$@"\n'))
    command.shell("chmod +x " .. lua)
    assert.equal(("tare: %s: has no core of tare: make -C %s build LUA=%s\n")
      :format(lua, root(), lua), refusal("--lua", lua))
  end)
end)
