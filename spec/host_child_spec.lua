local child = require "tare.host.child"

describe("a child process", function()
  it("tells its exit code and what it printed", function()
    local done = child.run { file = "sh",
      args = { "-c", "echo out; echo err >&2; exit 7" } }
    assert.same({ code = 7, signal = 0, out = "out\n", err = "err\n" }, done)
  end)

  it("runs in the folder asked for", function()
    local done = child.run({ file = "pwd", args = {} }, { cwd = "/" })
    assert.equal("/\n", done.out)
  end)

  it("is refused by name where there is none", function()
    local done, message = child.run { file = "no-such-program", args = {} }
    assert.is_nil(done)
    assert.truthy(message:find("no-such-program", 1, true))
  end)

  it("is terminated when it should stop", function()
    local done = child.run({ file = "sh",
      args = { "-c", "echo ready; exec sleep 60" } },
      { should_stop = function() return true end })
    assert.equal(15, done.signal)
  end)

  it("is this very tare, wherever it is started", function()
    local command = assert(child.tare { "--version" })
    local done = child.run(command, { cwd = "/" })
    assert.equal("", done.err)
    assert.equal("tare " .. require("tare.core").version .. "\n", done.out)
  end)

  it("may print more than a pipe holds", function()
    local done = child.run { file = "sh",
      args = { "-c", "head -c 3000000 /dev/zero" } }
    assert.equal(3000000, #done.out)
  end)

  it("may have its output elsewhere", function()
    local done = child.run({ file = "echo", args = { "text" } },
      { stdout = "nowhere" })
    assert.same({ "", 0 }, { done.out, done.code })
  end)

  it("is not waited for beyond its end, whoever holds its pipes", function()
    local done = child.run { file = "sh",
      args = { "-c", "echo out; sleep 5 & exit 3" } }
    assert.same({ "out\n", 3 }, { done.out, done.code })
  end)

  it("is this very program, with the options of its interpreter", function()
    local command = child.script({ "more" },
      { [-3] = "lua", [-2] = "-l", [-1] = "x", [0] = "a.lua", "arguments" })
    assert.same({ "-l", "x", "a.lua", "more" }, command.args)
    assert.is_nil((child.script({}, {})))
  end)

  it("says in words how it ended", function()
    assert.equal("exit code 3", child.ending { code = 3, signal = 0 })
    assert.equal("signal 9", child.ending { code = 0, signal = 9 })
  end)
end)
