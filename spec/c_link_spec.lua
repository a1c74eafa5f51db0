-- The worker's end of a link: requests, what follows them, and answers. The
-- other end is this process's, too.
local command = require "spec.support.command"
local core = require "tare.core"
local uv = require "luv"

local socketpair = rawget(uv, "socketpair")
-- Elsewhere workers are not forked, or there are no pairs of sockets.
if not (core.link and core.can_fork and socketpair) then return end

describe("a link", function()
  local link, here, there

  before_each(function()
    local ends = assert(socketpair("stream", 0, { nonblock = false },
      { nonblock = false }))
    here, there = ends[1], ends[2]
    link = core.link(there)
  end)

  after_each(function()
    if here then uv.fs_close(here) end
    uv.fs_close(there)
    here, link = nil, nil
  end)

  local function write(text)
    assert.equal(#text, uv.fs_write(here, text, -1))
  end

  local function read() return assert(uv.fs_read(here, 1e6, -1)) end
  local function close()
    uv.fs_close(here)
    here = nil
  end

  it("takes requests of a word and two numbers, each of which may be missing",
    function()
      write "time 1000 250\nwarm 7\nfinish\n\ntime 4294967296 0\n"
      for _, request in ipairs { { "time", 1000, 250 }, { "warm", 7, 0 },
        { "finish", 0, 0 }, { "", 0, 0 },
        { "time", 4294967296, 0 } } do
        assert.same(request, { link:receive() })
      end
      close()
      assert.equal(0, select("#", link:receive()))
    end)

  it("takes lines of 256 bytes and their end, which may come in pieces",
    function()
      for _, size in ipairs { 255, 256 } do
        local word = ("w"):rep(size)
        write(word .. "\nnext 1\n")
        assert.equal(word, (link:receive()))
        assert.same({ "next", 1, 0 }, { link:receive() })
      end
      for _ = 1, 60 do -- the buffer begins anew in the midst of a line
        write(("v"):rep(97) .. " 3 4\nz")
        assert.same({ ("v"):rep(97), 3, 4 }, { link:receive() })
        write " 5\n"
        assert.same({ "z", 5, 0 }, { link:receive() })
      end
    end)

  it("is at its end where a line has none within that", function()
    write(("w"):rep(257))
    assert.is_nil((link:receive()))
  end)

  it("takes as many bytes as follow a request, and then the next one",
    function()
      local text = {}
      for i = 0, 255 do text[i + 1] = string.char(i) end
      text = table.concat(text):rep(40)
      for _, size in ipairs { 0, 1, 100, 255, 256, 257, 5000, #text } do
        write(("load %d\n"):format(size) .. text:sub(1, size)
          .. "done 1 2\n")
        assert.same({ "load", size, 0 }, { link:receive() })
        assert.equal(text:sub(1, size), link:take(size))
        assert.same({ "done", 1, 2 }, { link:receive() })
      end
      write "half"
      close()
      assert.equal("", link:take(0))
      assert.equal(0, select("#", link:take(5)))
    end)

  it("sends lines, and the last row as one", function()
    local samples = core.samples(4)
    samples:push { iters = 3, wall_ns = 1500 }
    samples:push { iters = 4, wall_ns = 0.25 }
    assert.equal(0, select("#", link:send("{\"ready\":true}")))
    assert.equal('{"ready":true}\n', read())
    assert.equal(0, select("#", link:send_row(samples)))
    local row = read()
    assert.equal("\n", row:sub(-1))
    row = require("cjson").decode(row)
    assert.equal(4, row.iters)
    assert.equal(0.25, row.wall_ns)
    assert.error_matches(function() link:send_row(core.samples(2)) end,
      "it has no row")
  end)

  it("raises no signal where nobody reads", function()
    close()
    for _ = 1, 3 do link:send "anything" end
    assert.is_nil((link:receive()))
  end)

  it("forks a worker, tells who it is, and ends it where it stays", function()
    for _, way in ipairs { "exits", "stays" } do
      local pid = link:fork()
      if pid == 0 then
        if way == "stays" then
          while true do uv.sleep(1000) end
        end
        os.exit(link:receive() and 3 or 4)
      end
      assert.matches('^{"worker":' .. ("%.0f"):format(pid) .. "}", read())
      local code, signal = link:reap(pid, way == "stays" and 1 or 60000)
      assert.same(way == "stays" and { 0, 9 } or { 4, 0 }, { code, signal })
      assert.equal(0, select("#", link:reap(pid, 1))) -- it is gone
    end
  end)

  it("refuses what is no child, no time, no size and no descriptor", function()
    for _, pid in ipairs { 1, 0, -1, 2 ^ 31, 0 / 0 } do
      assert.error_matches(function() link:reap(pid, 1) end, "must be of a ch")
    end
    for _, ms in ipairs { -1, math.huge, 0 / 0 } do -- NaN would never be over
      assert.error_matches(function() link:reap(2 ^ 31 - 1, ms) end,
        "must be in")
    end
    for _, size in ipairs { -1, 1e9 + 1, 0 / 0 } do
      assert.error_matches(function() link:take(size) end, "must be in")
    end
    for _, fd in ipairs { -1, 1e6 + 1, 0 / 0 } do
      assert.error_matches(function() core.link(fd) end, "must be a descript")
    end
  end)

  it("leaves workers no free memory to join", function()
    -- LuaJIT and the sanitizers have allocators of their own.
    if rawget(_G, "jit") or (os.getenv "TARE_BUILD" or ""):find "asan"
      or uv.os_uname().sysname ~= "Linux" then
      return
    end
    local list = {}
    for i = 1, 2e5 do list[i] = {} end
    local last = list[#list] -- what lies at the end keeps the heap as large
    list = nil -- luacheck: ignore 311
    collectgarbage()
    local before = uv.resident_set_memory()
    core.join_free_memory()
    assert.is_true(uv.resident_set_memory() < before - 8e6)
    assert.same({}, last)
  end)

  it("gives files no name before they are given one", function()
    local folder = command.path()
    assert(uv.fs_mkdir(folder, 448))
    local usual = uv.fs_open(folder, 4259842, 384) -- O_TMPFILE, O_RDWR
    local fd = core.unnamed_file(folder, 416)
    assert.equal(usual == nil, fd == nil)
    assert.is_nil(core.unnamed_file(folder .. "/none", 416))
    if fd then
      uv.fs_close(usual)
      assert.equal(3, uv.fs_write(fd, "one", -1))
      assert.is_nil(uv.fs_scandir_next(uv.fs_scandir(folder)))
      assert.is_true(core.name_file(fd, folder .. "/named"))
      local named, message = core.name_file(fd, folder .. "/named")
      assert.is_nil(named)
      assert.matches("exists", message)
      uv.fs_close(fd)
      assert.equal("one", command.read(folder .. "/named"))
      assert.equal(416, uv.fs_stat(folder .. "/named").mode % 512)
    end
    uv.fs_unlink(folder .. "/named")
    uv.fs_rmdir(folder)
  end)
end)
