local command = require "spec.support.command"
local snippets = require "spec.support.snippets"
local uv = require "luv"

local LUA = os.getenv("TARE_LUA") or "lua5.4"
local here = uv.cwd()
local project, programs

local function has(program)
  return (command.shell("command -v " .. program)) == 0
end

-- A shell in the project, with 'tare' on its path.
local function shell(line)
  return command.shell(("cd %s && PATH=%s:$PATH && %s"):format(project,
    programs, line))
end

local function contents(name)
  return command.read(project .. "/" .. name)
end

local write = command.write

local function install_tare()
  write(programs .. "/tare", ([[#!/bin/sh
LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;;' LUA_CPATH='%s/%s/?.so;;' \
  exec %s %s/lua/tare/cli/bin.lua "$@"
]]):format(here, here, here, os.getenv("TARE_BUILD") or "build/" .. LUA, LUA,
    here))
  command.shell("chmod +x " .. programs .. "/tare")
end

local function folder()
  return assert(uv.fs_mkdtemp(uv.os_tmpdir() .. "/tare-spec-XXXXXX"))
end

before_each(function()
  project, programs = folder(), folder()
  install_tare()
end)
after_each(function()
  command.shell(("rm -rf %s %s"):format(project, programs))
end)

describe("tare init", function()
  it("writes the workflow that the manual shows", function()
    local shown
    for _, block in ipairs(snippets.of(command.read "docs/comparing.md")) do
      if block.lang == "yaml" then shown = block.text end
    end
    assert.equal(0, (shell "tare init --ci"))
    assert.truthy(contents ".github/workflows/bench.yml":find(shown, 1, true))
  end)

  it("writes a first bench that runs, and a line of .gitignore", function()
    local code, stdout = shell "tare init"
    assert.equal(0, code)
    assert.equal("wrote bench/first_bench.lua\nwrote .gitignore\n"
      .. "now: tare run bench\n", stdout)
    assert.equal("/bench/*.json\n", contents ".gitignore")
    code, stdout = shell "tare run bench --quota 30ms"
    assert.equal(0, code)
    assert.truthy(stdout:find("concat", 1, true), stdout)
  end)

  it("never overwrites: it says so and writes nothing", function()
    shell "mkdir bench && echo mine >bench/first_bench.lua"
    local code, stdout, stderr = shell "tare init"
    assert.equal(1, code)
    assert.equal("", stdout)
    assert.equal("tare: bench/first_bench.lua: is there already; "
      .. "nothing was written\n", stderr)
    assert.equal("mine\n", contents "bench/first_bench.lua")
    assert.equal(0, (shell "test ! -e .github && test ! -e .gitignore"))
  end)

  it("adds the workflow to what is there", function()
    shell "tare init && echo mine >bench/first_bench.lua"
    local code, stdout = shell "tare init --ci"
    assert.equal(0, code)
    assert.equal("wrote .github/workflows/bench.yml\nnow: tare run bench\n",
      stdout)
    assert.equal("mine\n", contents "bench/first_bench.lua")
    local again, _, stderr = shell "tare init --ci"
    assert.equal(1, again)
    assert.matches("bench.yml: is there already; nothing was written", stderr)
  end)

  it("installs tare from a git repository where one is given", function()
    assert.equal(0, (shell "tare init --ci --from https://example.org/t.git"))
    local workflow = contents ".github/workflows/bench.yml"
    assert.truthy(workflow:find("1 'https://example.org/t.git'",
      1, true))
    assert.is_nil(workflow:find "luarocks")
    local code, _, stderr = shell "tare init --ci --from 'a b'"
    assert.equal(1, code)
    assert.matches("'a b' is not the address of a git repository", stderr)
  end)

  it("adds its line of .gitignore once, after what is there", function()
    shell "printf '*.o' >.gitignore"
    shell "tare init"
    assert.equal("*.o\n/bench/*.json\n", contents ".gitignore")
    shell "rm -r bench && tare init"
    assert.equal("*.o\n/bench/*.json\n", contents ".gitignore")
  end)

  it("writes a workflow whose gate stops what costs more", function()
    if not has "git" then return pending "there is no git" end
    assert.equal(0, (shell "tare init --ci"))
    assert.equal(0, (shell("git init -q . && git add -A && git -c user.name=a "
      .. "-c user.email=a@b commit -qm first")))
    local gate = contents ".github/workflows/bench.yml"
      :match "run: >%-(.-)\n      %- ":gsub("%s+", " ")
      :gsub("%-%-quota %d+ms", "--quota 60ms")
    local code, _, stderr = shell("BASE=HEAD; " .. gate)
    assert.equal(0, code, stderr)
    local bench = contents "bench/first_bench.lua":gsub("table%.concat%(words",
      "table.concat({ unpack(words) }")
    bench = "local unpack = table.unpack or unpack\n" .. bench
    write(project .. "/bench/first_bench.lua", bench)
    local stdout
    code, stdout, stderr = shell("BASE=HEAD; " .. gate)
    assert.equal(3, code)
    assert.truthy(stdout:find "\nFAILED join/concat: allocs rose", stdout)
    assert.matches("^tare: %d gates? failed: exit code 3\n$", stderr)
  end)
end)

describe("tare completion", function()
  local function completed(...)
    local words = { ... }
    local _, stdout, stderr = command.shell(("PATH=%s:$PATH bash -c '"
      .. "eval \"$(tare completion bash)\"; COMP_WORDS=(%s); COMP_CWORD=%d; "
      .. "_tare; echo \"${COMPREPLY[@]}\"'"):format(programs,
      table.concat(words, " "), #words - 1))
    assert.equal("", stderr)
    return stdout
  end

  it("completes commands and options in bash", function()
    if not has "bash" then return pending "there is no bash" end
    assert.equal("compare completion\n", completed("tare", "com"))
    assert.equal("--quota --quiet\n", completed("tare", "run", "--qu"))
    assert.equal("never\n", completed("tare", "run", "--color", "n"))
    local _, stdout = shell "tare completion bash | grep -c child"
    assert.equal("0\n", stdout)
  end)

  for _, name in ipairs { "zsh", "fish" } do
    it("is for " .. name .. " too", function()
      local code, stdout = shell("tare completion " .. name)
      assert.equal(0, code)
      assert.truthy(stdout:find("fail-on", 1, true))
      if not has(name) then return pending("there is no " .. name) end
      code = shell(("tare completion %s >c && %s -n c"):format(name, name))
      assert.equal(0, code)
    end)
  end

  it("refuses another shell", function()
    local code, _, stderr = shell "tare completion csh"
    assert.equal(1, code)
    assert.truthy(stderr:find("must be one of 'bash', 'zsh', 'fish'",
      1, true), stderr)
  end)
end)
