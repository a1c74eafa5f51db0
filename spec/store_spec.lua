local command = require "spec.support.command"
local fixtures = require "spec.support.fixtures"
local place = require "tare.store.place"
local Scratch = require "tare.store.scratch"
local store = require "tare.store"
local uv = require "luv"

local folder
local function path(name) return folder .. "/" .. name end

local function read(name) return command.read(path(name)) end

local function entries() return command.entries(folder) end

before_each(function()
  folder = assert(uv.fs_mkdtemp(uv.os_tmpdir() .. "/tare-XXXXXX"))
end)
after_each(function()
  for _, name in ipairs(entries()) do os.remove(path(name)) end
  uv.fs_rmdir(folder)
end)

describe("stored reports", function()
  it("come back as they were", function()
    local report = fixtures.report()
    assert.is_true(place.write(path("r.json"), store.encode(report)))
    assert.same(report, assert(store.read(path("r.json"))))
  end)

  it("keep absent samples as NaN, and lose absent figures", function()
    local report = assert(store.decode(
      [[{"schema":"tare/1","results":[{"id":"a/b","r2":null,"time":
      {"value":1,"low":1e999},"samples":{"x":[1,null,1e999]}}]}]]))
    local result = report.results[1]
    assert.is_nil(result.r2)
    assert.is_nil(result.time.low)
    local x = result.samples.x
    assert.same({ 1, true, true }, { x[1], x[2] ~= x[2], x[3] ~= x[3] })
  end)

  it("of an older tare/1 are completed", function()
    local report = assert(store.decode(
      '{"schema":"tare/1","results":[{"id":"strings/concat"}]}'))
    assert.same({ schema = "tare/1", env = {}, options = {}, comparisons = {},
      results = { { id = "strings/concat", suite = "strings", name = "concat",
        params = {}, warnings = {} } } }, report)
  end)

  it("read whole parameters back as whole numbers", function()
    local report = assert(store.decode('{"schema":"tare/1","results":'
      .. '[{"id":"a","params":{"n":10,"m":7,"x":0.5}}]}'))
    local params = report.results[1].params
    assert.equal("10 7 0.5", params.n .. " " .. params.m .. " " .. params.x)
  end)

  it("that are broken are refused in one line", function()
    local whole = store.encode(fixtures.report())
    for _, text in ipairs { "", " \n", "{", "nonsense", "[]", "5", "null",
      "[NaN]", "{\"schema\":\"tare/1\",\"results\":0x10}", "\255\254{\0",
      ("["):rep(1e5), ('{"a":'):rep(1e5), "{}", '{"schema":"tare/9"}',
      '{"schema":"tare/1","results":[{"id":"\\ud800"}]}',
      whole:gsub("\n,", "\n,x", 1), whole:sub(2) } do
      local report, message = store.decode(text)
      assert.is_nil(report)
      assert.matches("^[^%c]+$", message)
      assert.is_true(#message < 200)
    end
    for _, number in ipairs { "NaN", "0x10", "Infinity" } do
      local value, message = store.parse('{"a":' .. number .. "}")
      assert.is_nil(value, number)
      assert.is_string(message)
    end
  end)

  it("cut at any place have the results of all whole lines", function()
    local whole = store.encode { schema = "tare/1", options = { seed = 1 },
      results = { { id = "a/b", suite = "a", time = { value = 1.5 } },
        { id = "a/c", samples = { iters = { 1, 2 } } }, { id = "a/d" } },
      comparisons = { { a = "a/b", b = "a/c", ratio = { value = 2 },
        verdict = "slower" } } }
    local head, ends = whole:find "\n", {}
    for at in whole:gmatch "}()\n,?[{%]]" do ends[#ends + 1] = at - 1 end
    for length = 0, #whole - 1 do
      local report, note = store.decode(whole:sub(1, length))
      if length < head then
        assert.is_nil(report)
      else
        local lines, is_whole = 0, length >= #whole - 1
        for _, at in ipairs(ends) do
          if at <= length then lines = lines + 1 end
        end
        assert.equal(lines, #report.results, length)
        assert.equal(1, report.options.seed)
        if is_whole then
          assert.is_nil(note)
        else
          assert.matches("^its end is missing; %d results? w", note)
        end
      end
    end
  end)

  it("may be laid out otherwise, or have an empty line at their end",
    function()
      local report = fixtures.report()
      local whole = store.encode(report)
      for _, text in ipairs { whole .. "\n \n", (whole:gsub("\n", "")),
        (whole:gsub("\n", "\n\n")), (whole:gsub("\n,", ",\n")),
        (whole:gsub('"id"', '\n"id"')) } do
        local again, note = store.decode(text)
        assert.is_nil(note)
        assert.same(report, again)
      end
    end)

  it("have no text beyond a limit, which the message names", function()
    local long = ("x"):rep(2^20 + 1)
    for _, text in ipairs {
      '{"schema":"tare/1","results":[{"id":"' .. long .. '"}]}',
      '{"schema":"tare/1","results":[{"id":"a","' .. long .. '":1}]}' } do
      assert.same({ nil, "a text of 1048577 bytes; at most 1048576 are read" },
        { store.decode(text) })
    end
    assert.same({ nil, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...: its id "
      .. "has 1048577 bytes; at most 1048576 can be stored" },
      { store.line { id = long } })
  end)

  it("have the beginning of a long error, and its length", function()
    local message = ("\195\164"):rep(2^21)
    local line = store.line { id = "a", error = message, failed_launches = {
      { launch = 1, message = message } } }
    assert.is_true(#line < 10000)
    local result = store.parse(line)
    assert.equal(("\195\164"):rep(2048) .. "... (4194304 bytes, shortened)",
      result.error)
    assert.equal(result.error, result.failed_launches[1].message)
  end)

  it("have no text that no reader would take, wherever it is", function()
    local long, bytes = ("x"):rep(2^21), ("\255"):rep(2^19)
    local report = { schema = "tare/1", results = {
      { id = "a", loop = long, params = { text = bytes },
        throughput = { [long] = 1, items = 2 }, samples = { iters = { 1 } },
        profile = { calls = 1, instructions = 1, allocs = 1, bytes = 1,
          lines = {}, sources = { { source = "a.lua", from = 1,
            text = { "short", long } } } } },
      { id = "b" } } }
    local again = assert(store.decode(store.encode(report)))
    local a = again.results[1]
    assert.same({ "a", "b" }, { a.id, again.results[2].id })
    local short = "x%.%.%. %(2097152 bytes, shortened%)$"
    assert.matches(short, a.loop)
    assert.matches(short, a.profile.sources[1].text[2])
    assert.equal("short", a.profile.sources[1].text[1])
    assert.matches("%(524288 bytes, shortened%)$", a.params.text)
    assert.equal(2, a.throughput.items)
    assert.equal(long, report.results[1].loop) -- what was given stays
  end)

  it("keep extreme numbers and any bytes in texts", function()
    local values = { 1e308, -1e308, 5e-324, 2^53 + 2 }
    local report = assert(store.decode(store.encode { schema = "tare/1",
      results = { { id = "a/\0\1\r\n\255", launch_values = values,
        between = { estimates = { 0/0, 1/0, 1 } } } } }))
    local result = report.results[1]
    assert.equal("a/\0\1\r\n\239\191\189", result.id)
    assert.same(values, result.launch_values)
    local estimates = result.between.estimates
    assert.is_true(estimates[1] ~= estimates[1]
      and estimates[2] ~= estimates[2])
  end)

  it("can be read without what is heavy, or in part", function()
    local report = fixtures.report()
    assert(place.write(path("r.json"), store.encode(report)))
    local slim = assert(store.read(path("r.json"), store.slim))
    assert.equal(#report.results, #slim.results)
    for i, result in ipairs(slim.results) do
      assert.is_nil(result.samples)
      assert.is_nil(result.density)
      for _, pass in pairs(result.passes or {}) do
        assert.is_nil(pass.samples)
        assert.is_nil(pass.pauses and pass.pauses.histogram)
      end
      assert.same(report.results[i].time, result.time)
      assert.same(report.results[i].params, result.params)
    end
    local one = assert(store.read(path("r.json"), function(result)
      return result.id == report.results[2].id and result or nil
    end))
    assert.same({ report.results[2] }, one.results)
  end)

  it("bear journals that are torn at any place, or hostile", function()
    local text = '{"schema":"tare/1","unfinished":"a","results":[{"id":"x"}]}'
    local whole = '{"journal":"a"}\n{"id":"y"}\n{"id":"x"}\n{"id":"y"}\n'
    for length = 0, #whole do
      local report = assert(store.decode(text, function()
        return whole:sub(1, length)
      end))
      local lines = length > 26 and 2 or 1 -- as soon as the line is ended
      assert.equal(lines, #report.results, "cut after " .. length)
      assert.is_nil(report.unfinished)
    end
    for _, line in ipairs { "7", "[]", "null", '{"id":7}', '{"id":[]}', "{" } do
      local report, message = store.decode(text, function()
        return '{"journal":"a"}\n' .. line .. "\n"
      end)
      assert.is_true(report ~= nil or message:find "%.id must be" ~= nil)
    end
  end)

  it("are refused for what is unsound in their head, tail or a line",
    function()
      for text, wrong in pairs {
        ['{"schema":"tare/9","results":[\n]}\n'] = "newer format 'tare/9'",
        ['{"schema":"tare/1","env":7,"results":[\n]}'] = "env must be an obj",
        ['{"schema":"tare/1","env":7,"results":[]}'] = "env must be an obj",
        ['{"schema":"tare/1","results":[\n],"comparisons":7}'] =
          "comparisons must be a list",
        ['{"schema":"tare/1","results":[\n{"id":"a"}\n,{"id":"b","r2":""}\n]}']
          = "results%[2%]%.r2 must be an object",
        ['{"schema":"tare/1","results":[\n{"id":"a"}\n,{"id"}\n,{"id":"c"}\n]}']
          = "the line of result 2 is broken",
      } do
        local report, message = store.decode(text)
        assert.is_nil(report)
        assert.matches(wrong, message)
      end
    end)

  it("that are empty are said to be so", function()
    assert.same({ nil, "not a tare report: it is empty" },
      { store.decode " \n" })
  end)

  it("are parsed to a value, or nil and why", function()
    assert.same({ { 1, false } }, { store.parse "[1,false]" })
    assert.equal(7, (store.parse "7"))
    local value, message = store.parse "{]"
    assert.is_nil(value)
    assert.matches("^not JSON: ", message)
  end)

  it("name the file that can't be read", function()
    local report, message = store.read(path("absent.json"))
    assert.is_nil(report)
    assert.matches("absent%.json: No such file or directory$", message)
    assert.matches(command.lacks_shell and "denied" or "directory",
      select(2, store.read(folder)))
    place.write(path("bad.json"), "{]")
    assert.matches("bad%.json: not JSON",
      select(2, store.read(path("bad.json"))))
  end)

  it("are suggested where only '.json' is missing", function()
    place.write(path("before.json"), store.encode(fixtures.report()))
    local report, message = store.read(path("before"))
    assert.is_nil(report)
    assert.equal(("%s: No such file or directory; did you mean '%s.json'?")
      :format(path("before"), path("before")), message)
  end)
end)

describe("writing a file", function()
  it("replaces what was there and leaves nothing beside it", function()
    place.write(path("x.csv"), ("long"):rep(1e5))
    assert.is_true(place.write(path("x.csv"), "short"))
    assert.equal("short", read("x.csv"))
    assert.same({ "x.csv" }, entries())
  end)

  it("keeps the file's permissions and follows its link", function()
    if command.lacks_shell then return pending "has no links" end
    place.write(path("real"), "a")
    uv.fs_chmod(path("real"), 384) -- 0600
    uv.fs_symlink(path("real"), path("link"))
    assert.is_true(place.write(path("link"), "b"))
    assert.equal("b", read("real"))
    assert.equal("link", uv.fs_lstat(path("link")).type)
    assert.equal(384, uv.fs_stat(path("real")).mode % 512)
  end)

  it("leaves the old file alone where it fails", function()
    local ok, message = place.write(path("no/such/place"), "x")
    assert.is_nil(ok)
    assert.matches("place: cannot write: no such file or directory$", message)
    assert.matches("is a directory$", select(2, place.write(folder, "x")))
  end)

  it("is refused at once where it can't be", function()
    if command.lacks_shell then return pending "Windows says it otherwise" end
    local function refusal(name)
      local kind, message = place.check(name)
      assert.is_nil(kind)
      return message
    end
    assert.equal("the name of the file is empty", refusal "")
    assert.equal(folder .. ": is a directory", refusal(folder))
    assert.matches("cannot write: name too long$",
      refusal(path(("x"):rep(300))))
    assert.matches("cannot write: no such file or directory$",
      refusal(path "no/r.json"))
    place.write(path "f", "")
    assert.matches("cannot write: not a directory$", refusal(path "f/r.json"))
    assert.matches("cannot write: a NUL in its name$", refusal(path "a\0b"))
    local kind, target = place.check(path "r.json")
    assert.same({ "file", path "r.json" }, { kind, target })
    assert.equal("stream", (place.check "/dev/stdout"))
  end)

  it("is replaced below /dev, too, where it is a file", function()
    if not uv.fs_stat "/dev/shm" then return pending "there is no /dev/shm" end
    local name = ("/dev/shm/tare-spec-%d.json"):format(uv.os_getpid())
    assert.is_true(place.write(name, "one"))
    assert.is_true(place.write(name, "two"))
    local text = command.read(name)
    os.remove(name)
    assert.equal("two", text)
  end)

  it("is made where links lead to no file yet", function()
    if command.lacks_shell then return pending "needs links" end
    assert(uv.fs_symlink("none", path "b"))
    assert(uv.fs_symlink(path "b", path "a"))
    assert.same({ "file", path "none" }, { place.check(path "a") })
    assert.is_true(place.write(path "a", "x"))
    assert.equal("x", read "none")
    assert.equal("link", uv.fs_lstat(path "a").type)
    assert(uv.fs_symlink("round", path "round"))
    assert.is_nil((place.check(path "round")))
  end)

  it("is no socket", function()
    if command.lacks_shell then return pending "needs a socket" end
    local socket = uv.new_pipe(false)
    socket:bind(path "s")
    local kind, message = place.check(path "s")
    socket:close()
    uv.run "nowait"
    assert.same({ nil, path "s" .. ": cannot write: it is a socket" },
      { kind, message })
  end)

  it("refuses a pipe that nobody reads", function()
    if command.lacks_shell then return pending "needs a shell" end
    os.execute("mkfifo " .. path "pipe")
    assert.same({ nil, path "pipe" .. ": cannot write: nobody reads it" },
      { place.write(path "pipe", "x") })
  end)

  it("goes on where the system took only a part", function()
    local fs_write = uv.fs_write
    uv.fs_write = function(fd, text, offset) -- luacheck: ignore 122
      return fs_write(fd, text:sub(1, 7), offset)
    end
    local ok = place.write(path "parts", ("0123456789"):rep(9))
    uv.fs_write = fs_write -- luacheck: ignore 122
    assert.is_true(ok)
    assert.equal(("0123456789"):rep(9), read "parts")
  end)

  it("takes a name that is as long as names may be", function()
    local name = path(("x"):rep(255))
    assert.is_true(place.write(name, "x"))
    assert.equal("x", read(("x"):rep(255)))
  end)

  it("writes through to a device instead of replacing it", function()
    assert.is_true(place.write("/dev/null", "x"))
    assert.same({ nil, "/dev/full: cannot write: No space left on device" },
      { place.write("/dev/full", "x") })
    assert.equal("char", uv.fs_stat("/dev/null").type)
  end)
end)

describe("a temporary folder", function()
  local tmp
  before_each(function()
    tmp = uv.os_getenv "TMPDIR"
    uv.os_setenv("TMPDIR", folder)
  end)
  after_each(function()
    if tmp then uv.os_setenv("TMPDIR", tmp) else uv.os_unsetenv "TMPDIR" end
  end)

  -- What the system does where a run is killed: its locks are released.
  local function kill(scratch) uv.fs_close(scratch.lock) end

  it("goes with all that is in it", function()
    local scratch = assert(Scratch.new "tare-x")
    assert.matches("^tare%-x%-%w+$", scratch.path:match "[^/]+$")
    assert(uv.fs_mkdir(scratch.path .. "/tree", 448))
    command.write(scratch.path .. "/tree/f", "x")
    scratch:remove()
    assert.same({}, entries())
  end)

  it("that a killed run left goes when another one is made, of its kind",
    function()
      if command.lacks_shell then return pending "no locks tell it" end
      local left, other = assert(Scratch.new "tare-x"), assert(Scratch.new "y")
      kill(left)
      kill(other)
      local held = assert(Scratch.new "tare-x")
      local last = assert(Scratch.new "tare-x")
      local function is_there(one) return uv.fs_stat(one.path) ~= nil end
      assert.same({ false, true, true, true }, { is_there(left),
        is_there(other), is_there(held), is_there(last) })
      held:remove()
      last:remove()
      assert(Scratch.new "y"):remove()
      assert.same({}, entries())
    end)

  it("of which a kill left a part goes as well", function()
    if command.lacks_shell then return pending "no locks tell it" end
    local unlink = uv.fs_unlink
    for most = 0, 2 do
      local left, count = assert(Scratch.new "tare-x"), 0
      for _, name in ipairs { "a", "z" } do
        command.write(left.path .. "/" .. name, "x")
      end
      uv.fs_unlink = function(name) -- luacheck: ignore 122
        count = count + 1
        if count > most then error "killed" end
        return unlink(name)
      end
      assert.is_false((pcall(left.remove, left)))
      uv.fs_unlink = unlink -- luacheck: ignore 122
      kill(left)
      assert(Scratch.new "tare-x"):remove()
      assert.same({}, entries())
    end
  end)
end)
