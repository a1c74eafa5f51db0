-- Frames through the C interface, by a program that is built here against the
-- amalgamation, with Lua 5.4.
local cjson = require "cjson"
local command = require "spec.support.command"

if os.getenv("TARE_LUA") == "luajit" then return end

describe("frames of a host in C", function()
  local folder, host

  local function run(what)
    return command.shell("env -u LD_PRELOAD timeout 60 " .. host .. " " .. what)
  end

  local SANITIZERS = "-g -fsanitize=address,undefined"

  local function compile(line)
    local code, _, message = command.shell(("%s %s -Ibuild/amalgam "
      .. "-I/usr/include/lua5.4"):format(line, SANITIZERS))
    assert(code == 0, message)
    assert.equal("", message) -- no warning either
  end

  setup(function()
    folder = command.path("-frames")
    host = folder .. "/host"
    local code, _, message = command.shell("${MAKE:-make} -s "
      .. "build/amalgam/tare.c && mkdir " .. folder)
    assert(code == 0, message)
    local c = "${CC:-cc} -std=c99 -Wall -Wextra -pedantic "
    compile(("%s -c build/amalgam/tare.c -o %s/tare.o"):format(c, folder))
    compile(("%s spec/support/embed_frames.c %s/tare.o -llua5.4 -lm -ldl -o %s")
      :format(c, folder, host))
  end)

  teardown(function() command.shell("rm -r " .. folder) end)

  it("are recorded without an allocation, none of them lost", function()
    local code, out, err = run "record"
    assert.same({ 0, "" }, { code, err })
    assert.equal("allocations: 0\n"
      .. "live: 36000 frames, 36 over, p50 8.0, max 100\n"
      .. "36000 frames, 36 over, max 100, 36 stutters, best run 999; "
      .. "ai: 36 over, worst in ai; level 1: 6 over\n"
      .. "2: a frame ended that had not begun\n"
      .. "2: a scope ended that is not the last one that began: 'ai', but "
      .. "'update' is open\n"
      .. "-1: a scope's budget must be a number of at least 0\n"
      .. "2: a frame ended while a scope is open: end that first\n"
      .. "2: a scope ended that had not begun\n"
      .. "0: \n" -- the message is of a frame that is over
      .. "2: a pushed frame is longer than 31 years: was a difference of times "
      .. "negative?\n"
      .. "collector: at most 2.0 ms\n"
      .. "scope ai: budget nil\n"
      .. "pushed: 36002 frames, 0 on the stack\n"
      .. "2: 64 marks are kept at most: this one is in streams only\n"
      .. "0: \n"
      .. "still in use: 0 bytes\n", out)
  end)

  it("are written in each format, and streamed for as long as they come",
    function()
      local code, out, err = run "write"
      assert.same({ 0, "" }, { code, err })
      assert.equal("tare: there is no frame yet\n"
        .. "2: the format of a stream must be 'csv' or 'perfetto'\n"
        .. "2: there is no stream to end\n"
        .. "2: there is a stream: end it first\n"
        .. "streamed: 100000 frames, small parts, ended, 0 allocations\n"
        .. "json: written\nhtml: written\ntext: written\n"
        .. "markdown: written\ncsv: written\nperfetto: written\n"
        .. "in a frame: the stream was stopped by its writer\n"
        .. "2: the stream was stopped by its writer\n"
        .. "still in use: 0 bytes\n", out)
    end)

  it("are refused what they don't take, with a message, and so are sessions "
    .. "and policies", function()
      local code, out, err = run "misuse"
      local null = "there is no recorder: it is NULL\n"
      local closed = "the recorder is closed\n"
      assert.same({ 0, "" }, { code, err })
      local before, report, after = out:match(
        "^(.-stepped: 1\n)(.-)(closed: 0\n.*)$")
      assert.equal("scope -1, " .. null .. "mark 2, " .. null
        .. ("2: " .. null):rep(2) .. "0 frames, p50 -\n"
        .. ("2: " .. null):rep(3) .. "written: 2\n"
        .. "scope -1, a scope needs a name\n"
        .. "mark 2, a mark needs a name\n"
        .. "2: there is no such scope\n"
        .. "2: a scope ended that had not begun\n"
        .. "2 frames, p50 known\n"
        .. "2: a stream needs a function to write with\n"
        .. "2: the format of a stream must be 'csv' or 'perfetto'\n"
        .. "2: there is no stream to end\n"
        .. "written: 0\n"
        .. "scope -1, " .. closed .. "mark 2, " .. closed
        .. ("2: " .. closed):rep(2) .. "0 frames, p50 -\n"
        .. ("2: " .. closed):rep(3) .. "written: 2\ntare: " .. closed
        .. "no writer: 2 tare: no function to write with\n"
        .. "frames as a session: 2 tare: expected a session, got a recorder of "
        .. "frames\n"
        .. "frames as a policy: 2 tare: expected a policy, got a recorder of "
        .. "frames\n"
        .. "no source: 2 tare: a session needs a source\n"
        .. "no suite: 2 tare: a: returns no suite (end it with 'return "
        .. "suite')\n"
        .. "a table: 2 tare: a: (an error that is a table: code = 3)\n"
        .. "no settings: 2 tare: the settings must be a table, got nil\n"
        .. "nothing: 2 tare: expected a session, got nil\n"
        .. "policy as a session: 2 tare: expected a session, got a policy\n"
        .. "policy closed as a session: 2 tare: expected a session, got a "
        .. "policy\n"
        .. "policy closed: 0\nagain: 0\nafter: 0\n"
        .. "session as a policy: 2 tare: expected a policy, got a session\n"
        .. "session closed as a policy: 2 tare: expected a policy, got a "
        .. "session\n"
        .. "stepped: 1\n", before)
      assert.matches("FAILED words/raises: %(an error that is a table: "
        .. "code = 3%)\nFAILED words/yields: it yields %(coroutine.yield%)",
        report)
      assert.is_nil(report:find("--", 1, true)) -- no option of the command
      assert.equal("closed: 0\nclosed: 0\n"
        .. "a closed one: 2 tare: the session is closed\n"
        .. "still in use: 0 bytes\n", after)
    end)

  it("are followed by a policy of the collector, by its name", function()
    local code, out, err = run "policy"
    local wrong = "2: tare: expected a policy, got function\n"
    assert.same({ 0, "" }, { code, err })
    assert.equal("incremental: heap small, memory needed rarely; " .. wrong
      .. "step: heap small, memory needed rarely; " .. wrong
      .. "spare: heap small, memory needed rarely; " .. wrong, out)
  end)

  it("are paced: the collector's part is that of the scope with the garbage, "
    .. "the heap stays small, and what has no end does no harm", function()
      local code, out, err = run "paced"
      assert.same({ 0, "" }, { code, err })
      assert.equal("heap small, memory needed rarely\n"
        .. "live: a share, p99 of tens of ms\n"
        .. "makes: collected, computes: 0 ms; 1 frame untimed\n"
        .. "running: 1\n"
        .. "still in use: 0 bytes\n", out)
    end)

  it("are written by the example in C++17, beside a session and a policy",
    function()
      local game, out = folder .. "/game", folder .. "/out"
      compile(("${CXX:-c++} -std=c++17 -Wall -Wextra -Wpedantic -Wshadow "
        .. "-Wconversion examples/embed/game.cpp %s/tare.o -llua5.4 -lm -ldl "
        .. "-o %s"):format(folder, game))
      local function play(where)
        return command.shell("env -u LD_PRELOAD timeout 60 " .. game .. " "
          .. where)
      end
      local code, _, err = play(out)
      assert.same({ 1, "error: can't write " .. out .. "/trace.json\n" },
        { code, err })
      assert(command.shell("mkdir " .. out) == 0)
      local said
      code, said, err = play(out)
      assert.same({ 0, "" }, { code, err })
      assert.matches("\n  concat ", said)
      assert.matches("\nframe 2000: p50 [%d.]+, p99 [%d.]+, longest ", said)
      local files = { json = "frames.json", csv = "frames.csv",
        html = "frames.html", trace = "trace.json" }
      for name, file in pairs(files) do
        local handle = assert(io.open(out .. "/" .. file, "rb"))
        files[name] = handle:read "*a"
        handle:close()
      end
      local frames = cjson.decode(files.json)
      assert.equal(2000, frames.all.count)
      assert.equal("measure", frames.scopes[4].name)
      assert.is_true(frames.collector.count > 100) -- of tare_frame_finish
      local _, traced = files.trace:gsub('"name":"frame"', "")
      assert.equal(2000, traced)
      local _, rows = files.csv:gsub("\nframe,", "")
      assert.equal(1000, rows)
      assert.matches("^<!DOCTYPE html>", files.html)
    end)

  it("are refused with an error value where there is no memory", function()
    local code, out, err = run "refuse"
    assert.same({ 0, "refuse: some points, no leak\n", "" }, { code, out, err })
  end)
end)
