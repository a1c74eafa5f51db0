-- Frames through the C interface, by a program that is built here against the
-- amalgamation, with Lua 5.4.
local command = require "spec.support.command"

if os.getenv("TARE_LUA") == "luajit" then return end

describe("frames of a host in C", function()
  local folder, host

  local function run(what)
    return command.shell("env -u LD_PRELOAD timeout 60 " .. host .. " " .. what)
  end

  setup(function()
    folder = command.path("-frames")
    host = folder .. "/host"
    local code, _, message = command.shell(("mkdir %s && LUA_PATH='./?.lua;;' "
      .. "lua5.4 spec/support/amalgam.lua %s && ${CC:-cc} -std=c99 -Wall "
      .. "-Wextra -pedantic -Werror -g -fsanitize=address,undefined -I%s "
      .. "-I/usr/include/lua5.4 spec/support/embed_frames.c %s/tare.c -llua5.4 "
      .. "-lm -ldl -o %s"):format(folder, folder, folder, folder, host))
    assert(code == 0, message)
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
      .. "2: a scope ended that is not the last one that began\n"
      .. "2: a frame ended while a scope is open: end that first\n"
      .. "pushed: 36001 frames, 0 on the stack\n"
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
        .. "2: the stream was stopped by its writer\n"
        .. "still in use: 0 bytes\n", out)
    end)

  it("are followed by a policy of the collector, by its name", function()
    local code, out, err = run "policy"
    local wrong = "2: tare: expected a policy, got function\n"
    assert.same({ 0, "" }, { code, err })
    assert.equal("incremental: heap small, memory needed rarely; " .. wrong
      .. "step: heap small, memory needed rarely; " .. wrong
      .. "spare: heap small, memory needed rarely; " .. wrong, out)
  end)

  it("are refused with an error value where there is no memory", function()
    local code, out, err = run "refuse"
    assert.same({ 0, "refuse: some points, no leak\n", "" }, { code, out, err })
  end)
end)
