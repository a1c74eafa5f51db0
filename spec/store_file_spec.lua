-- A stored report that grows: what is in it at any moment, whatever happens to
-- its place meanwhile.
local command = require "spec.support.command"
local File = require "tare.store.file"
local fixtures = require "spec.support.fixtures"
local place = require "tare.store.place"
local store = require "tare.store"
local uv = require "luv"

local LUA = os.getenv "TARE_LUA" or "lua5.4"

local function head(more)
  local made = { schema = "tare/1", env = { cpu = '"results":[' },
    options = { seed = 1 } }
  for name, value in pairs(more or {}) do made[name] = value end
  return made
end

local function with(results, more)
  local report = head(more)
  report.results, report.comparisons = results, report.comparisons or {}
  return report
end

local function named(id, more)
  local result = { id = id, suite = "s", name = id, params = {},
    warnings = {} }
  for name, value in pairs(more or {}) do result[name] = value end
  return result
end

local folder, path, results

local function entries() return command.entries(folder) end

local function ids(list)
  local found = {}
  for i, result in ipairs(list) do found[i] = result.id end
  return found
end

local function each_id(file, places)
  local found = {}
  for result in file:each(places) do found[#found + 1] = result.id end
  return found
end

-- A run that goes on from a stored report, and keeps these of its results.
local function keeping(keep)
  return function() return { keep = keep } end
end

local keeping_all = keeping(function() return true end)

local function read() return assert(store.read(path)) end

local function assert_refused(pattern, ...)
  local file, message = File.create(...)
  assert.is_nil(file)
  assert.matches(pattern, message)
  assert.is_nil(message:find "%c")
end

before_each(function()
  folder = command.path()
  assert(uv.fs_mkdir(folder, 448))
  path, results = folder .. "/r.json", fixtures.report().results
end)
after_each(function() os.execute("rm -rf " .. folder) end)

describe("a growing report", function()
  it("is a whole one after each result", function()
    local file, expected = assert(File.create(path, head())), {}
    assert.same(with {}, read())
    for i, result in ipairs(results) do
      assert.is_true(file:add(result))
      expected[i] = result
      assert.same(with(expected), read())
      assert.is_table(require "cjson".decode(command.read(path)))
    end
    assert.same({ "r.json" }, entries())
    file:abandon()
    assert.same(with(expected), read())
  end)

  it("has a result a line, and the end in one line", function()
    local file = assert(File.create(path, head { env = {} }))
    file:add(named "a")
    file:add(named "b")
    assert.is_true(file:finish { comparisons = {} })
    assert.equal('{"schema":"tare/1","env":{},"options":{"seed":1},"results":['
      .. '\n{"error":null,"id":"a","name":"a","params":{},"suite":"s",'
      .. '"warnings":[]}\n,{"error":null,"id":"b","name":"b","params":{},'
      .. '"suite":"s","warnings":[]}\n],"comparisons":[]}\n',
      command.read(path))
  end)

  it("is written without a name, and with one where that can't be had",
    function()
      local core, names = require "tare.core", nil
      local unnamed = core.unnamed_file
      for _, open in ipairs { unnamed, function() end } do
        core.unnamed_file = open
        local file = assert(File.create(path, head(), keeping(function()
          names = #entries()
          return true
        end)))
        assert(file:add(named(#ids(read().results) .. "x")))
        assert(file:finish {})
        core.unnamed_file = unnamed
      end
      assert.equal(2, names) -- the second time
      assert.same(with { named "0x", named "1x" }, read())
      assert.same({ "r.json" }, entries())
    end)

  it("gives its results back, in any order", function()
    local file = assert(File.create(path, head()))
    for _, result in ipairs(results) do file:add(result) end
    local found = {}
    for result in file:each() do found[#found + 1] = result end
    assert.same(results, found)
    file:abandon()
    file = assert(File.create(path, head()))
    for _, id in ipairs { "c", "y", "x", "a", "b" } do file:add(named(id)) end
    assert.same({ "y", "x", "a", "b", "c" },
      each_id(file, { a = 1, b = 2, c = 3 }))
    assert.same({ "c", "y", "x", "a", "b" }, each_id(file))
    file:abandon()
  end)

  it("has the end, the order and the head that it is finished with", function()
    local file = assert(File.create(path, head()))
    for _, id in ipairs { "c", "a", "b" } do file:add(named(id)) end
    local comparisons = { { a = "a", b = "b", ratio = { value = 2 },
      verdict = "slower" } }
    local sweeps = { { axis = "n", series = {} } }
    assert.is_true(file:finish({ comparisons = comparisons, sweeps = sweeps,
      env = { cpu = "X" } }, { a = 1, b = 2, c = 3 }))
    assert.equal('{"schema":"tare/1","env":{"cpu":"X"},"options":{"seed":1},'
      .. '"results":[', command.read(path):match "^[^\n]*")
    assert.same(with({ named "a", named "b", named "c" }, { env = { cpu = "X" },
      comparisons = comparisons, sweeps = sweeps }), read())
    assert.same({ "r.json" }, entries())
  end)

  it("has the last of two results of a bench", function()
    local file = assert(File.create(path, head()))
    file:add(named "a")
    file:add(named "b")
    file:add(named("a", { gc = "paced" }))
    assert.same(with { named("a", { gc = "paced" }), named "b" }, read())
    file:finish {}
    local _, lines = command.read(path):gsub("\n", "")
    assert.equal(4, lines)
    assert.same(with { named("a", { gc = "paced" }), named "b" }, read())
  end)

  it("is added to: a new file takes its place only before the first result, "
    .. "or where it is gone", function()
    -- Which file is there after each result, counted from the first.
    local function files_of(resumed, before_third)
      local file, seen, numbers = assert(File.create(path, head(), resumed)),
        {}, {}
      for i, id in ipairs { "a", "b", "c", "d" } do
        if i == 3 then before_third() end
        assert.is_true(file:add(named(id)))
        local number = tostring(uv.fs_stat(path).ino)
        if seen[#seen] ~= number then seen[#seen + 1] = number end
        numbers[i] = #seen
      end
      file:abandon()
      assert.same({ "a", "b", "c", "d" }, ids(read().results))
      return table.concat(numbers, " ")
    end
    local function nothing() end
    local function remove() assert(os.remove(path)) end
    for _, there in ipairs { "none", "older", "resumed" } do
      for _, case in ipairs { { nothing, "1 1 1 1" }, { remove, "1 1 2 2" } } do
        if there == "none" then
          os.remove(path)
        else
          assert(place.write(path, store.encode(with { named "a" })))
        end
        assert.equal(case[2], files_of(there == "resumed" and keeping_all
          or nil, case[1]))
      end
    end
  end)

  it("that is cut anywhere in its last line has those before", function()
    local file = assert(File.create(path, head()))
    local before
    for _, id in ipairs { "a", "b" } do
      before = command.read(path)
      file:add(named(id))
    end
    file:abandon()
    local whole = command.read(path)
    local from = #before - #"]}\n"
    for written = 1, #whole - from do -- the write's first bytes over the end
      local cut = from + written
      local torn = whole:sub(1, cut) .. before:sub(cut + 1)
      local report = assert(store.decode(torn))
      assert.same(written >= #whole - from - 4 and { "a", "b" } or { "a" },
        ids(report.results), torn)
    end
  end)

  it("takes what is there until it has a result", function()
    command.shell("echo precious >" .. path)
    local file = assert(File.create(path, head()))
    assert.equal("precious\n", command.read(path))
    file:abandon()
    assert.equal("precious\n", command.read(path))
    file = assert(File.create(path, head()))
    assert.is_true(file:add(named "a"))
    assert.same(with { named "a" }, read())
    file:abandon()
  end)

  it("leaves nothing where there was nothing, and no result came", function()
    assert(File.create(path, head())):abandon()
    assert.same({}, entries())
  end)

  it("keeps permissions, and the link that leads to it", function()
    command.shell(("touch %s/real; chmod 640 %s/real; ln -s real %s"):format(
      folder, folder, path))
    local file = assert(File.create(path, head()))
    file:add(named "a")
    file:finish {}
    assert.equal("link", uv.fs_lstat(path).type)
    assert.equal(416, uv.fs_stat(path).mode % 512) -- 0640
    assert.same(with { named "a" }, read())
  end)

  it("without a place is kept all the same", function()
    local file = assert(File.create(nil, head()))
    for _, result in ipairs(results) do assert.is_true(file:add(result)) end
    local found = {}
    for result in file:each() do found[#found + 1] = result end
    assert.same(results, found)
    assert.is_true(file:finish {})
  end)
end)

describe("a growing report that goes on from a stored one", function()
  local function taking(wanted)
    return keeping(function(result) return wanted[result.id] end)
  end

  it("reads it once no other run can write it", function()
    assert(place.write(path, store.encode(with { named "a" })))
    local file = assert(File.create(path, head(), function()
      assert_refused("another run is writing it$", path, head())
      return { head = head { started = "then" }, keep = function()
        return true
      end }
    end))
    file:add(named "b")
    assert.same(with({ named "a", named "b" }, { started = "then" }), read())
    file:abandon()
    assert_refused("^it can't be$", path, head(), function()
      return nil, "it can't be"
    end)
    assert.same({ "a", "b" }, ids(read().results))
  end)

  it("is refused where it is changed between its two readings", function()
    assert(place.write(path, store.encode(with { named "a", named "b" })))
    uv.sleep(20) -- the clock of files is coarse
    local theirs = command.read(path):gsub('"b"', '"x"', 1)
    assert_refused("r%.json: was changed by someone else while it was read$",
      path, head(), function()
        command.write(path, theirs)
        return { keep = function(result) return result.id ~= "x" end }
      end)
    assert.equal(theirs, command.read(path))
    assert.same({ "r.json" }, entries())
  end)

  it("has what is kept of it in front", function()
    assert(place.write(path, store.encode(with { named "a", named "b",
      named "c" })))
    local file = assert(File.create(path, head(), taking { a = true,
      c = true }))
    assert.same(with { named "a", named "c" }, read())
    file:add(named "d")
    assert.same({ "a", "c", "d" }, each_id(file))
    assert.same(with { named "a", named "c", named "d" }, read())
    file:finish {}
    assert.same(with { named "a", named "c", named "d" }, read())
  end)

  it("takes any layout, a torn one and one with a journal", function()
    local whole = store.encode(with { named "a", named "b" })
    for text, expected in pairs { [whole:gsub("\n", "")] = { "a", "b", "x" },
      [whole:sub(1, -25)] = { "a", "x" }, [whole:sub(1, -22)] = { "a", "b",
        "x" }, ['{"schema":"tare/1","unfinished":"1","results":[{"id":"a"}]}']
        = { "a", "j", "x" } } do
      assert(place.write(path, text))
      assert(place.write(path .. ".journal", '{"journal":"1"}\n'
        .. '{"id":"j"}\n{"id":"to'))
      local file = assert(File.create(path, head(), keeping_all))
      file:add(named "x")
      file:finish {}
      assert.same(expected, ids(read().results))
      assert.same({ "r.json" }, entries())
    end
  end)

  it("refuses what is no report, and leaves it", function()
    assert(place.write(path, "mine"))
    assert_refused("r%.json: not JSON", path, head(), keeping_all)
    assert.equal("mine", command.read(path))
    assert.same({ "r.json" }, entries())
  end)
end)

describe("the place of a growing report", function()
  it("is refused at once where it can't be written", function()
    assert_refused("is a directory$", folder, head())
    assert_refused("no such file or directory$", folder .. "/no/r.json",
      head())
    assert_refused("name too long$", folder .. "/" .. ("x"):rep(256), head())
    assert_refused("is empty$", "", head())
  end)

  it("is locked against another run", function()
    local file = assert(File.create(path, head()))
    assert_refused("r%.json: another run is writing it$", path, head())
    file:add(named "a")
    assert_refused("r%.json: another run is writing it$", path, head())
    file:finish {}
    file = assert(File.create(path, head(), keeping_all))
    assert_refused("r%.json: another run is writing it$", path, head())
    file:abandon()
    assert(File.create(path, head())):abandon()
  end)

  it("is locked by a process as long as that lives", function()
    local script = command.file(([[
      local file = assert(require "tare.store.file".create(%q,
        { schema = "tare/1" }))
      file:add { id = "a" }
      io.stdout:write "ready\n"
      io.stdout:flush()
      io.read()]]):format(path), ".lua")
    local other = io.popen(LUA .. " " .. script .. " >" .. folder .. "/out",
      "w")
    while not (io.open(folder .. "/out") or io.stdin):read(0) do uv.sleep(5) end
    assert_refused("another run is writing it$", path, head())
    other:write "\n"
    other:close()
    os.remove(script)
    local file = assert(File.create(path, head(), keeping_all))
    assert.same({ "a" }, each_id(file))
    file:abandon()
  end)

  it("is freed of what a killed run left beside it, of nothing else",
    function()
      local left, others = folder .. "/.tare-1-1.tmp", folder .. "/.tare-1.tmp"
      local being_written = folder .. "/.tare-1-2.tmp"
      for _, name in ipairs { left, others, being_written } do
        command.shell("touch -d '1 hour ago' " .. name)
      end
      local fd = uv.fs_open(being_written, "r+", 0)
      require "tare.core".lock_file(fd)
      assert(place.write(path, store.encode(with {})))
      uv.fs_close(fd)
      assert.same({ ".tare-1-2.tmp", ".tare-1.tmp", "r.json" }, entries())
    end)

  it("that another file has taken is left alone: it goes beside", function()
    local file = assert(File.create(path, head()))
    file:add(named "a")
    assert(place.write(path, "theirs"))
    local ok, message = file:add(named "b")
    assert.is_nil(ok)
    assert.equal(("%s: was changed by someone else during the run; what was "
      .. "measured is in %s/r.lost.json"):format(path, folder), message)
    assert.is_true(file:add(named "c"))
    assert.same({ "a", "b", "c" }, each_id(file))
    assert.is_true(file:finish {})
    assert.equal("theirs", command.read(path))
    assert.same({ "a", "b", "c" },
      ids(store.read(folder .. "/r.lost.json").results))
    assert.equal(folder .. "/r.lost.json", file.path)
  end)

  it("that a file of the same length has taken is left alone, too", function()
    local file = assert(File.create(path, head()))
    file:add(named "a")
    local theirs = command.read(path):gsub('"a"', '"x"')
    assert(place.write(path, theirs))
    assert.is_nil(file:add(named "b"))
    assert.equal(theirs, command.read(path))
    file:finish {}
  end)

  it("that another file has taken at the end is left alone, too", function()
    assert(place.write(folder .. "/r.lost.json", "older"))
    local file = assert(File.create(path, head()))
    file:add(named "a")
    assert(place.write(path, "theirs"))
    local ok, message = file:finish { comparisons = {} }
    assert.is_nil(ok)
    assert.matches("what was measured is in .*/r%.lost%-2%.json$", message)
    assert.equal("theirs", command.read(path))
    assert.same({ "a" }, ids(store.read(folder .. "/r.lost-2.json").results))
  end)

  it("that somebody writes to loses nothing that they wrote", function()
    local file = assert(File.create(path, head()))
    file:add(named "a")
    command.shell("echo theirs >>" .. path)
    assert.is_nil(file:add(named "b"))
    assert.same({ "a", "b" }, each_id(file))
    assert.matches("theirs\n$", command.read(path))
    file:finish {}
    os.remove(path)
    file = assert(File.create(path, head()))
    file:add(named "a")
    command.shell("echo theirs >" .. path)
    assert.is_nil(file:add(named "b"))
    assert.same({ "b" }, each_id(file)) -- theirs is where 'a' was
    assert.equal("theirs\n", command.read(path))
    file:finish {}
  end)

  it("that somebody writes to without another length is found at the end",
    function()
      local file = assert(File.create(path, head()))
      for _, id in ipairs { "a", "b", "c" } do file:add(named(id)) end
      local theirs = command.read(path):gsub('"b"', '"x"', 1)
      command.write(path, theirs) -- in place
      assert.same({ "a", "c" }, each_id(file))
      assert.is_true(file:add(named "d"))
      local ok, message = file:finish { comparisons = {} }
      assert.is_nil(ok)
      assert.equal(("%s: was changed by someone else during the run; what was "
        .. "measured is in %s/r.lost.json, but for 1 that it wrote over")
        :format(path, folder), message)
      assert.same({ "a", "c", "d" },
        ids(store.read(folder .. "/r.lost.json").results))
      assert.same({ "a", "x", "c", "d" }, ids(read().results))
    end)

  it("that is empty again is taken again", function()
    local file = assert(File.create(path, head()))
    file:add(named "a")
    os.remove(path)
    assert.is_true(file:add(named "b"))
    assert.same({ "a", "b" }, ids(read().results))
    os.remove(path)
    assert.is_true(file:finish {})
    assert.same({ "a", "b" }, ids(read().results))
  end)

  it("that has gone with its folder loses no result", function()
    local file = assert(File.create(path, head()))
    file:add(named "a")
    os.execute("rm -r " .. folder)
    for _, id in ipairs { "b", "c" } do
      local ok, message = file:add(named(id))
      assert.is_nil(ok)
      assert.equal(path .. ": cannot write: no such file or directory", message)
    end
    assert.same({ "a", "b", "c" }, each_id(file))
    assert(uv.fs_mkdir(folder, 448))
    assert.is_true(file:add(named "d"))
    assert.same({ "a", "b", "c", "d" }, ids(read().results))
    file:abandon()
  end)
end)

describe("a stream", function()
  it("gets the whole report at the end", function()
    local script = command.file([[
      local file = assert(require "tare.store.file".create("/dev/stdout",
        { schema = "tare/1" }))
      file:add { id = "b" }
      file:add { id = "a" }
      assert(file:finish({}, { a = 1, b = 2 }))]], ".lua")
    for _, line in ipairs { "%s %s", "%s %s | cat", "%s %s >" .. path
      .. "; cat " .. path } do
      local code, out, err = command.shell(line:format(LUA, script))
      assert.equal(0, code, err)
      assert.same({ "a", "b" }, ids(assert(store.decode(out)).results))
    end
    os.remove(script)
  end)

  it("that is full says so at the end", function()
    local file = assert(File.create("/dev/full", head()))
    assert.is_true(file:add(named "a"))
    local ok, message = file:finish {}
    assert.is_nil(ok)
    assert.equal("/dev/full: cannot write: No space left on device", message)
  end)

  it("says why it could not be written, however long it is", function()
    for _, bytes in ipairs { 10, 2^17 } do
      local file = assert(File.create(nil, head()))
      for _, id in ipairs { "a", "b" } do
        assert.is_true(file:add(named(id, { source = ("x"):rep(bytes) })))
      end
      local positions, message = file:write(function()
        return nil, "ENOSPC: no space left on device"
      end)
      assert.is_nil(positions)
      assert.equal("ENOSPC: no space left on device", message)
      file:abandon()
    end
  end)

  it("that nobody reads is refused, and so is one to go on from", function()
    os.execute("mkfifo " .. path)
    assert_refused("r%.json: cannot write: nobody reads it$", path, head())
    assert_refused("can't be resumed: it is not a regular file$", "/dev/null",
      head(), keeping_all)
    assert.is_true(assert(File.create("/dev/null", head())):finish {})
  end)

  it("that is a pipe with a reader gets it", function()
    local line = ("mkfifo %s; cat %s >%s.out & %s -e '%s'; wait"):format(path,
      path, path, LUA, ([[
        local uv, file = require "luv"
        repeat
          uv.sleep(5)
          file = require "tare.store.file".create("%s", { schema = "tare/1" })
        until file
        file:add { id = "a" }
        assert(file:finish {})]]):format(path):gsub("\n", " "))
    local code, _, err = command.shell(line)
    assert.equal(0, code, err)
    assert.same({ "a" }, ids(assert(store.read(path .. ".out")).results))
  end)
end)

local function can_mount()
  return (command.shell "unshare -m mount -t tmpfs tmpfs /mnt") == 0
end

describe("a disk that is full", function()
  it("costs no result, and none is lost when there is room again", function()
    if not can_mount() then return pending("no right to mount a disk") end
    local script = command.file(([[
      local File, store = require "tare.store.file", require "tare.store"
      local path, fill = "%s", "%s/fill"
      local file = assert(File.create(path, { schema = "tare/1" }))
      local function add(id) return file:add { id = id } end
      assert(add "a")
      os.execute("cat /dev/zero >" .. fill .. " 2>/dev/null")
      local long, failed, message = ("x"):rep(20000), 0
      for i = 1, 3 do
        local ok, why = add(i .. long)
        if not ok then failed, message = failed + 1, why end
      end
      assert(failed > 0)
      assert(message == path .. ": cannot write: no space left on device",
        message)
      assert(#store.read(path).results == 4 - failed)
      local ids = {}
      for result in file:each() do ids[#ids + 1] = #result.id end
      assert(#ids == 4)
      assert(not add("y" .. long))
      os.remove(fill)
      assert(add "z")
      assert(#store.read(path).results == 6)
      assert(file:finish {})
      assert(#store.read(path).results == 6)
      os.execute("ls -A %s | wc -l")]]):format(path, folder, folder), ".lua")
    local code, out, err = command.shell(("unshare -m sh -c 'mount -t tmpfs "
      .. "-o size=256k tmpfs %s && %s %s'"):format(folder, LUA, script))
    os.remove(script)
    assert.equal("", err)
    assert.equal(0, code)
    assert.matches("^%s*1\n$", out)
  end)
end)
