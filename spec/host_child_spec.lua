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
end)
