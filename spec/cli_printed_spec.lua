-- What the processes of a run print, as far as one process can show it.
local Printed = require "tare.cli.printed"
local uv = require "luv"

local MOST = 65536 -- bytes of a bench that are passed on

-- Something that is printed to, and the texts that it passes on.
local function made()
  local texts = {}
  local printed = Printed.new(function(text) texts[#texts + 1] = text end)
  return printed, texts, printed:open()
end

-- A bench has its turn, in which it prints these texts.
local function turn(printed, fd, id, ...)
  printed.id = id
  for _, text in ipairs { ... } do uv.fs_write(fd, text) end
  printed:take()
end

describe("what is printed", function()
  if package.config:sub(1, 1) == "\\" then
    return pending "goes to stderr as it comes"
  end

  after_each(function() uv.run "nowait" end) -- what was closed is let go of

  it("is passed on bench by bench, as it is", function()
    local printed, texts, fd = made()
    turn(printed, fd, "a", "one\n", "two, no end of a line")
    turn(printed, fd, "b")
    turn(printed, fd, "b", "three\n")
    printed:shut()
    assert.same({ "one\ntwo, no end of a line", "three\n" }, texts)
    assert.equal("note: the times of a, b include their printing",
      printed:note(true))
    assert.is_nil(printed:note(false))
  end)

  it("is kept back until it is known what prints it, and is dropped then, or "
    .. "not", function()
    local printed, texts, fd = made()
    printed:hold()
    turn(printed, fd, nil, "no Lua\n")
    uv.fs_write(fd, "usage: ...\n")
    assert.equal("no Lua\nusage: ...\n", printed:drop())
    printed:hold()
    uv.fs_write(fd, "a Lua\n")
    printed:pass_on_again()
    printed:take()
    printed:shut()
    assert.same({ "a Lua\n" }, texts)
  end)

  it("has no note where nobody prints", function()
    local printed, texts, fd = made()
    turn(printed, fd, "a")
    printed:shut()
    assert.same({}, texts)
    assert.is_nil(printed:note(true))
  end)

  it("while files are loaded is in nobody's time", function()
    local printed, texts, fd = made()
    turn(printed, fd, nil, "loaded\n")
    turn(printed, fd, nil, ("x"):rep(MOST))
    printed:shut()
    assert.equal("loaded\n", texts[1])
    assert.equal("note: of each bench at most 64 KiB are passed on; dropped: 7 "
      .. "B of what bench files print", printed:note(true))
  end)

  it("is cut at the end of a line, and what follows is dropped", function()
    local printed, texts, fd = made()
    turn(printed, fd, "a", "whole\n", ("x"):rep(MOST - 10), "\nin half\n")
    turn(printed, fd, "a", "dropped\n")
    turn(printed, fd, "b", "kept\n")
    printed:shut()
    assert.same({ "whole\n" .. ("x"):rep(MOST - 10) .. "\n", "kept\n" }, texts)
    assert.matches("times of a, b include their printing; of each bench at "
      .. "most 64 KiB are passed on; dropped: 16 B of a$", printed:note(true))
    assert.equal("note: of each bench at most 64 KiB are passed on; dropped: "
      .. "16 B of a", printed:note(false))
  end)

  it("is passed on whole up to 64 KiB", function()
    local printed, texts, fd = made()
    turn(printed, fd, "a", "x\n", ("x"):rep(MOST - 2))
    printed:shut()
    assert.equal(MOST, #texts[1])
    assert.is_nil(printed:note(false))
  end)

  it("without end is not kept meanwhile", function()
    local printed, texts, fd = made()
    printed.id = "a"
    for _ = 1, 3 do
      uv.fs_write(fd, ("x"):rep(2 * MOST))
      repeat uv.run "once" until uv.fs_fstat(fd).size == 0
    end
    printed:take()
    printed:shut()
    assert.equal(1, #texts)
    assert.matches("dropped: 320 KiB of a$", printed:note(false))
  end)

  it("without end fills no disk where it is kept back either", function()
    local printed, texts, fd = made()
    printed:hold()
    for _ = 1, 3 do
      uv.fs_write(fd, "begins\n" .. ("x"):rep(2 * MOST))
      repeat uv.run "once" until uv.fs_fstat(fd).size <= MOST + 1
    end
    printed:pass_on_again()
    printed:take()
    printed:shut()
    assert.same({ "begins\n" }, texts)
    assert.matches("dropped: ", printed:note(false))
  end)

  it("by all processes of a run is in one place until the last has ended",
    function()
      local printed, texts, fd = made()
      assert.equal(fd, printed:open())
      printed:shut()
      turn(printed, fd, "a", "x\n")
      assert.same({ "x\n" }, texts)
      printed:shut()
      assert.is_nil(uv.fs_fstat(fd))
      local again = printed:open()
      turn(printed, again, "a", "y\n")
      printed:shut()
      assert.same({ "x\n", "y\n" }, texts)
      assert.equal("note: the time of a includes its printing",
        printed:note(true))
    end)
end)
