-- The C interface, by programs that are built here against the amalgamation,
-- with Lua 5.4. That is the same whatever interpreter runs the specs.
local command = require "spec.support.command"
local footprint = require "spec.support.footprint"

if os.getenv("TARE_LUA") == "luajit" then return end

local FLAGS = "-std=c99 -Wall -Wextra -pedantic -Werror -g"
local LIBRARIES = "-lm -ldl -lpthread"
local LUA_5_4 = { headers = "lua5.4", library = "lua5.4" }
local LUAJIT = { headers = "luajit-2.1", library = "luajit-5.1" }

describe("a host in C", function()
  local folder
  local library = {} -- objects that are compiled, by how

  local function compile(line, flags, lua)
    local code, _, message = command.shell(("${CC:-cc} %s %s "
      .. "-Ibuild/amalgam -I/usr/include/%s %s"):format(FLAGS, flags,
      lua.headers, line))
    assert(code == 0, message)
  end

  -- The library is compiled once for all programs with the same flags.
  local function build(source, name, flags, lua)
    lua = lua or LUA_5_4
    local how = lua.headers .. " " .. flags
    if not library[how] then
      local object = ("%s/tare-%s.o"):format(folder, name)
      compile("-c build/amalgam/tare.c -o " .. object, flags, lua)
      library[how] = object
    end
    local program = folder .. "/" .. name
    compile(("%s %s -l%s %s -o %s"):format(source,
      library[how], lua.library, LIBRARIES, program), flags, lua)
    return program
  end

  local function run(line)
    return command.shell("env -u LD_PRELOAD timeout 60 " .. line)
  end

  setup(function()
    folder = command.path("-embed")
    local code, _, message = command.shell("${MAKE:-make} -s "
      .. "build/amalgam/tare.c && mkdir " .. folder)
    assert(code == 0, message)
  end)

  teardown(function() command.shell("rm -r " .. folder) end)

  it("measures in its own loop, with its own memory, clock and output",
    function()
      local host = build("examples/embed/host.c", "host",
        "-fsanitize=address,undefined")
      local code, out, err = run(host .. " examples/embed/bench.lua")
      assert.equal(0, code)
      assert.matches("\n  columns ", out)
      assert.matches("still in use: 0 %+ 0 bytes", out)
      assert.matches("measuring: ", err)
      assert.is_nil(err:find("ERROR", 1, true))
    end)

  it("gets errors as values", function()
    local host = build("examples/embed/host.c", "host", "")
    local path = command.file("return 1", ".lua")
    local code, out, err = run(host .. " " .. path)
    os.remove(path)
    assert.equal(1, code)
    assert.equal(
      "error: tare: bench.lua: returns no suite (end it with 'return suite')\n",
      err)
    assert.matches("still in use: 0 %+ 0 bytes", out)
  end)

  it("closes states in the middle of sessions, opens the core before its host, "
    .. "and refuses memory anywhere",
    function()
      local checks = build("spec/support/embed_checks.c", "checks",
        "-fsanitize=address,undefined")
      local code, out, err = run(checks .. " close")
      assert.same({ 0, "close: 25 of 25 clean\n", "" }, { code, out, err })
      code, out, err = run(checks .. " early")
      assert.same({ 0, "early: 0 + 0 bytes in use\n", "" }, { code, out, err })
      code, out, err = run(checks .. " refuse 1 499")
      assert.equal("", err)
      assert.equal(0, code)
      assert.matches("points up to %d+, 0 leaks, 0 without a message", out)
    end)

  it("may refuse memory under LuaJIT too, its compiler off", function()
    if not io.open("/usr/include/luajit-2.1/lua.h") then
      return pending "there is no LuaJIT to link with"
    end
    local checks = build("spec/support/embed_checks.c", "luajit",
      "-fsanitize=address,undefined", LUAJIT)
    local code, out, err = run(checks .. " refuse 1 499")
    assert.equal("", err)
    assert.equal(0, code)
    assert.matches("points up to %d+, 0 leaks, 0 without a message", out)
  end)

  it("has no recorder where tare could not open for want of memory", function()
    local checks = build("spec/support/embed_checks.c", "unopened",
      "-fsanitize=address,undefined")
    local code, out, err = run(checks .. " unopened 997")
    assert.equal("", err)
    assert.equal(0, code)
    assert.matches("points up to %d+, 0 leaks, 0 recorders", out)
  end)

  it("finds nothing allocated in its Lua heap inside a timed batch", function()
    local checks = build("spec/support/embed_checks.c", "batch",
      "-fsanitize=address,undefined")
    local code, out, err = run(checks .. " batch")
    assert.equal("", err)
    assert.equal(0, code, out)
    assert.matches("^batch: 0 allocations in %d+ timed batches of 7 kinds", out)
  end)

  it("pays no more memory than the manual says", function()
    local kinds = { ["lua5.4"] = LUA_5_4, luajit = LUAJIT }
    for name, lua in pairs(kinds) do
      if io.open(("/usr/include/%s/lua.h"):format(lua.headers)) then
        local checks = build("spec/support/embed_checks.c", "idle-" .. name,
          "-O2", lua)
        local code, out = run(checks .. " idle")
        assert.equal(0, code)
        local opened, idle, most, reported, closed = out:match("^idle: tare "
          .. "(%d+) kB, a session (%d+) kB, running (%d+) kB, reported (%d+) "
          .. "kB, closed (%d+) kB\n$")
        for label, kb in pairs { ["`tare_open`"] = opened,
          ["a session of two benches, idle"] = idle,
          ["the session while it runs, at most"] = most,
          ["the session after its report"] = reported,
          ["after `tare_session_close`"] = closed } do
          assert.is_true(tonumber(kb) <= footprint.most_kb(label, name),
            ("%s, %s: %s kB"):format(name, label, kb))
        end
      end
    end
  end)

  it("gets a message for whatever it gets wrong, and nothing else", function()
    local misuse = build("spec/support/embed_misuse.c", "misuse",
      "-fsanitize=address,undefined")
    local code, out, err = run(misuse)
    assert.same({ 0, "" }, { code, err })
    local unopened = "2, 1 on the stack: tare: not open in this state: "
      .. "see tare_open\n"
    local none = "2, 1 on the stack: tare: expected a session, got "
    local closed = "2, 1 on the stack: tare: the session is closed\n"
    assert.equal("unopened: " .. unopened .. "unopened\nstep: " .. unopened
      .. "report: " .. unopened .. "cancel: " .. unopened
      .. "launches: 2, 1 on the stack: tare: launches: only 'tare run' and "
      .. "tare.main have child processes\n"
      .. "nil\nstep: " .. none .. "nil\nreport: " .. none .. "nil\ncancel: "
      .. none .. "nil\ntable\nstep: " .. none .. "table\nreport: " .. none
      .. "table\ncancel: " .. none .. "table\nstrange: " .. none
      .. ("kind "):rep(20) .. "of its own\nclosed\nstep: " .. closed
      .. "report: " .. closed .. "cancel: " .. closed, out)
  end)

  it("is told which of Lua's libraries are missing, though globals are strict",
    function()
      local misuse = build("spec/support/embed_misuse.c", "libraries",
        "-fsanitize=address,undefined")
      local code, out, err = run(misuse .. " libraries")
      local rest = ": open Lua's base, coroutine, math, string and table "
        .. "libraries before tare_open\n"
      assert.same({ 0, "" }, { code, err })
      assert.equal("coroutine: 2, 1 on the stack: tare: this state has no "
        .. "coroutine" .. rest .. "_G: 2, 1 on the stack: tare: this state "
        .. "has no _G" .. rest .. "io: 0, 1 on the stack: works\n"
        .. "all: 2, 1 on the stack: tare: this state has no _G, assert, "
        .. "collectgarbage, coroutine, error, getmetatable, ipairs, load, "
        .. "math, next, pairs, pcall, rawget, setmetatable, select, string, "
        .. "table, tonumber, tostring, type" .. rest,
        out)
    end)

  it("measures and profiles with next to nothing of debug, and without io, os "
    .. "and package", function()
    local misuse = build("spec/support/embed_misuse.c", "bare",
      "-fsanitize=address,undefined")
    local code, out, err = run(misuse .. " bare")
    assert.same({ 0, "" }, { code, err })
    assert.matches("^0\n", out)
    assert.matches("string%.rep", out)
  end)

  it("may have a clock of whole milliseconds, but none that stands still",
    function()
      local clocks = build("spec/support/embed_misuse.c", "clocks", "-O2")
      local code, out, err = run(clocks .. " clocks")
      assert.same({ 0, "" }, { code, err })
      assert.matches("^still: 2, 1 on the stack: tare: the clock stands still: "
        .. "no step of a session would end\ncoarse: 1\n", out)
      local report = require("cjson").decode(out:match("{.*}"))
      local time = {}
      for _, result in ipairs(report.results) do
        time[result.name] = result.time.value
      end
      assert.is_true(time.table > 5 * time.nothing)
      assert.is_true(time.table > 200 and time.table < 2e5)
    end)

  it("measures in two threads at once", function()
    local checks = build("spec/support/embed_checks.c", "threads",
      "-fsanitize=thread")
    local code, out, err = run(checks .. " threads")
    assert.same({ 0, "threads: 2 of 2 measured\n", "" }, { code, out, err })
  end)
end)
