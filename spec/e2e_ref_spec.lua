local command = require "spec.support.command"
local cjson = require "cjson"
local uv = require "luv"

local LUA = os.getenv("TARE_LUA") or "lua5.4"
local here = uv.cwd()
local repository

local function shell(line)
  local code, stdout, stderr = command.shell(("cd %s && %s"):format(
    repository, line))
  return code, stdout, stderr
end

local function write(name, text)
  local file = assert(io.open(repository .. "/" .. name, "w"))
  file:write(text)
  file:close()
end

-- tare, from within the repository.
local function tare(arguments)
  return shell(("export READY=$PWD/ready "
    .. "LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;./?.lua;;' "
    .. "LUA_CPATH='%s/%s/?.so;;'; %s %s/lua/tare/cli/bin.lua %s"):format(here,
      here, here, os.getenv("TARE_BUILD") or "build/" .. LUA, LUA, here,
      arguments))
end

local function left_behind()
  local _, stdout = shell "git worktree list"
  return select(2, stdout:gsub("\n", "")) - 1
end

describe("tare compare --ref", function()
  if command.shell "git --version" ~= 0 then
    return pending "there is no git"
  end

  before_each(function()
    repository = assert(uv.fs_mkdtemp(uv.os_tmpdir() .. "/tare-spec-XXXXXX"))
    write("lib.lua", "return { f = function() return {} end }\n")
    write("x_bench.lua", [[
      local suite = require "tare".suite "s"
      suite:bench("f", require "lib".f)
      return suite]])
    shell("git init -q . && git add -A && git -c user.name=a "
      .. "-c user.email=a@b commit -qm first")
  end)
  after_each(function() command.shell("rm -rf " .. repository) end)

  it("tells the ratio to the revision, in pairs of launches", function()
    write("lib.lua", "return { f = function() return { {}, {}, {}, {} } end }")
    local code, stdout, stderr = tare(
      "compare --ref HEAD x_bench.lua --quota 1s --format json")
    assert.equal("", stderr)
    assert.equal(0, code)
    local report = cjson.decode(stdout)
    local found, shown = report.comparisons[1], report.results[1]
    assert.equal(10, shown.launches)
    assert.equal(10, shown.samples.launch[#shown.samples.launch])
    assert.equal(1e9, report.options.quota.ns)
    assert.equal("s/f", found.a)
    assert.equal("HEAD", found.other)
    assert.equal(10, found.rounds)
    assert.equal("slower", found.verdict)
    assert.is_true(found.ratio.low > 1)
    assert.equal(0, left_behind())
  end)

  it("shows its progress on a terminal, by launches of both sides", function()
    if command.shell "script --version" ~= 0 then
      return pending "there is no script(1), for a terminal"
    end
    write("go.sh", ("LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;./?.lua;;' "
      .. "LUA_CPATH='%s/%s/?.so;;' %s %s/lua/tare/cli/bin.lua compare "
      .. "--ref HEAD x_bench.lua --quota 900ms --launches 2 >out\n"):format(
      here, here, here, os.getenv "TARE_BUILD" or "build/" .. LUA, LUA, here))
    local _, shown = shell "script -qec 'COLUMNS=80 sh go.sh' /dev/null"
    assert.matches("  0%%, 0 of 4  launches of the working tree", shown)
    assert.matches("%d+%%, %d of 4, [%d.]+ m?s left  launches of HEAD", shown)
  end)

  it("holds gates against the revision", function()
    write("lib.lua", "return { f = function() return { {} } end }")
    local code, _, stderr = tare("compare --ref HEAD x_bench.lua --quota 60ms "
      .. "--launches 3 --fail-on 'allocs>0'")
    assert.equal(3, code)
    assert.truthy(stderr:find("^tare: s/f: allocs rose from 1 to %d a call"),
      stderr)
    code, _, stderr = tare("compare --ref HEAD x_bench.lua --quota 60ms "
      .. "--launches 3 --fail-on 'allocs>5'")
    assert.equal("", stderr)
    assert.equal(0, code)
  end)

  it("leaves out a bench file that the revision lacks, and says so", function()
    write("new_bench.lua", "error 'not to be run'")
    local code, stdout, stderr = tare(
      "compare --ref HEAD new_bench.lua --fail-on 'allocs>0'")
    assert.equal(0, code)
    assert.equal("", stdout)
    assert.truthy(stderr:find("not in HEAD, so not compared: new_bench.lua", 1,
      true))
    assert.equal(0, left_behind())
  end)

  it("refuses what it can't measure, and leaves nothing behind", function()
    local refusals = {
      { "compare --ref none x_bench.lua", "'none' is not a revision of" },
      { "compare --ref HEAD no_bench.lua", "no such file" },
      { "compare --ref HEAD /dev/null", "is not in the repository" },
      { "compare --ref=--help x_bench.lua", "is not a revision" },
    }
    for _, refusal in ipairs(refusals) do
      local code, stdout, stderr = tare(refusal[1] .. " --quota 20ms")
      assert.equal(1, code, refusal[1])
      assert.equal("", stdout)
      assert.equal(1, select(2, stderr:gsub("\n", "")), stderr)
      assert.truthy(stderr:find(refusal[2], 1, true), stderr)
      assert.equal(0, left_behind())
    end
  end)

  it("tells what a side can't be loaded for", function()
    write("lib.lua", "error 'broken'")
    local code, stdout, stderr = tare(
      "compare --ref HEAD x_bench.lua --quota 20ms")
    assert.equal(1, code)
    assert.equal("", stdout)
    assert.equal("tare: the working tree: x_bench.lua: ./lib.lua:1: broken\n",
      stderr)
    assert.equal(0, left_behind())
  end)

  it("goes without a trace when it is interrupted", function()
    write("lib.lua", [[return { f = function()
      local f = io.open(os.getenv "READY", "w") f:close()
    end }]])
    local ready = repository .. "/ready"
    local code, _, stderr = tare(("compare --ref HEAD x_bench.lua --quota 60s "
      .. "& pid=$!; while [ ! -e %s ] && kill -0 $pid; do sleep "
      .. "0.02; done; kill -TERM $pid; wait $pid"):format(ready))
    assert.equal(130, code, stderr)
    assert.equal(0, left_behind())
  end)

  it("goes without a trace when Ctrl-C is pressed twice", function()
    write("lib.lua", [[return { f = function()
      local f = io.open(os.getenv "READY", "w") f:close()
    end }]])
    local ready = repository .. "/ready"
    local code, _, stderr = tare(("compare --ref HEAD x_bench.lua --quota 60s "
      .. "& pid=$!; while [ ! -e %s ] && kill -0 $pid; do sleep "
      .. "0.02; done; kill -TERM $pid; sleep 0.06; kill -TERM $pid; "
      .. "wait $pid"):format(ready))
    assert.truthy(code == 130 or code == 128 + 15, stderr) -- all was done
    assert.equal(0, left_behind())
  end)
end)
