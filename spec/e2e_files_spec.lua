-- Where a report can't be stored: one line says so, what was there is whole,
-- and the report is printed all the same.
local command = require "spec.support.command"
local store = require "tare.store"
local stored = require "spec.support.stored"

local LUA = os.getenv "TARE_LUA" or "lua5.4"
local TARE = LUA .. " lua/tare/cli/bin.lua "

local folder
before_each(function()
  folder = command.path()
  os.execute("mkdir " .. folder)
end)
after_each(function() os.execute("rm -rf " .. folder) end)

-- A suite of two windows of benches, the second of which begins after what
-- 'between' does.
local function suite(between)
  local path = folder .. "/s_bench.lua"
  local file = assert(io.open(path, "w"))
  file:write(([[
    local suite = require "tare".suite "s"
    suite:bench("a", function() return {} end)
    suite:bench("b", { setup = function() %s end,
      run = function() return {} end })
    return suite]]):format(between or ""))
  file:close()
  return path
end

local RUN = "run %s --order sequential --quota 300x --resamples 100 --save %s"

local function run(save, between)
  return command.shell(TARE .. RUN:format(suite(between), save))
end

local function assert_told(code, out, err, pattern)
  assert.equal(1, code, err)
  assert.matches("^tare: [^\n]+\n$", err)
  assert.matches(pattern, err)
  assert.matches("\n *a +", out)
  assert.matches("\n *b +", out)
end

describe("a folder with a name", function()
  it("has its benches of that name, and refuses one that none has", function()
    suite()
    local code, out = command.tare("list", folder .. ":b")
    assert.equal(0, code)
    assert.equal("s/b\n", out)
    for _, again in ipairs { "s_bench.lua", "" } do -- once, however named
      local _, twice = command.tare("list", folder .. "/" .. again, folder
        .. "/" .. again)
      assert.equal("s/a\ns/b\n", twice)
    end
    local refused, _, err = command.tare("list", folder .. ":c")
    assert.equal(1, refused)
    assert.matches("^tare: no bench matches 'c'[^\n]*\n$", err)
  end)

  it("is searched once where a link in it leads back to it", function()
    suite()
    os.execute(("ln -s . %s/again"):format(folder))
    local code, out, err = command.tare("list", folder)
    assert.same({ 0, "s/a\ns/b\n", "" }, { code, out, err })
  end)
end)

describe("a file with a name", function()
  local function write(name, ...)
    local file = assert(io.open(folder .. "/" .. name .. "_bench.lua", "w"))
    file:write(('local suite = require "tare".suite "%s"\n'):format(name))
    for _, bench in ipairs { ... } do
      file:write(('suite:bench("%s", function() return {} end)\n')
        :format(bench))
    end
    file:write "return suite"
    file:close()
  end

  -- What is listed of words, in which '@' stands for the folder.
  local function listed(words)
    local line = words:gsub("@", folder .. "/")
    local code, out, err = command.shell(TARE .. "list " .. line)
    assert.equal(code, err == "" and 0 or 1)
    return err == "" and out:gsub("\n", " ") or err
  end

  it("has its own benches of that name, whatever others are named with",
    function()
      write("x", "a", "b")
      write("y", "a", "b")
      local X, Y = "@x_bench.lua", "@y_bench.lua"
      for words, ids in pairs { [X .. ":a " .. Y .. ":b"] = "x/a y/b ",
        [X .. ":a " .. Y] = "x/a y/a y/b ", [X .. " " .. X .. ":a"] =
        "x/a x/b ", [X .. ":a " .. X .. ":b"] = "x/a x/b ",
        [X .. ":a --filter '*/b' " .. Y] = "y/b " } do
        assert.equal(ids, (listed(words)))
      end
      assert.equal("tare: no bench matches 'b' 'a'; there are: x/a, x/b\n",
        listed(X .. ":a --filter b"))
      local _, out = command.shell(TARE .. ("run %s/x_bench.lua:a %s/y_bench"
        .. ".lua --dry-run"):format(folder, folder))
      assert.equal("x/a: ok\ny/a: ok\ny/b: ok\n", out)
    end)

  it("is not in the command that chooses one of its benches", function()
    write("x", "a", "b")
    local file = assert(io.open(folder .. "/y_bench.lua", "w"))
    file:write('local s = require("tare").suite "y" s:bench("a", function() '
      .. 'error "boom" end) return s')
    file:close()
    for _, name in ipairs { "", "/y_bench.lua" } do
      local _, out = command.shell(TARE
        .. ("run %s:a --quota 100x --launches 1"):format(folder .. name))
      assert.truthy(out:find((" run %s --quota 100x --launches 1 --filter y/a "
        .. "--dry-run\n"):format(folder .. name), 1, true), out)
    end
  end)

  it("does not lack, against a baseline, the benches that it leaves out",
    function()
      write("x", "a", "b")
      local base = folder .. "/base.json"
      local line = TARE .. "run %s/x_bench.lua%s --quota 100x --launches 1 %s"
      local code = command.shell(line:format(folder, "", "-q --save " .. base))
      assert.equal(0, code)
      for name, is_partial in pairs { [""] = false, [":a"] = true } do
        if name == "" then write("x", "a") else write("x", "a", "b") end
        local _, out = command.shell(line:format(folder, name, "--baseline "
          .. base))
        assert.equal(not is_partial, out:find("gone", 1, true) ~= nil, out)
      end
    end)
end)

describe("a place that another run writes", function()
  for _, option in ipairs { "--save", "--resume" } do
    it("is refused at once to a run with " .. option, function()
      local path, told = folder .. "/r.json", folder .. "/told"
      local second = RUN:gsub("--save", option):format(folder
        .. "/s_bench.lua", path)
      local code, _, err = run(path,
        ("os.execute [[%s >%s 2>&1; echo $? >>%s]]"):format(TARE .. second,
          told, told))
      assert.equal(0, code, err)
      assert.matches("^tare: [^\n]*r%.json: another run is writing it\n1\n$",
        command.read(told))
      assert.equal(2, #assert(store.read(path)).results)
    end)
  end
end)

describe("a place that can't be written", function()
  -- Nothing is measured for a place that is wrong from the start.
  local function assert_refused(code, out, err, pattern)
    assert.equal(1, code, err)
    assert.equal("", out)
    assert.matches("^tare: [^\n]+\n$", err)
    assert.matches(pattern, err)
  end

  it("a device that is full: what was measured stands on stdout, however quiet",
    function()
      for _, more in ipairs { " -q", " -q -f text -o /dev/full" } do
        local code, out, err = run("/dev/full" .. more)
        assert.equal(1, code)
        assert.matches("\n *a +", out)
        assert.matches("^tare: /dev/full: cannot write: No space left", err)
      end
    end)

  it("a file that may not become so large: the figures stand on stdout",
    function()
      for _, more in ipairs { "", " -o " .. folder .. "/r.html" } do
        local code, out, err = command.shell(("ulimit -f 8; " .. TARE .. RUN
          .. " -q%s"):format(suite(), folder .. "/r.json", more))
        assert.equal(1, code, err)
        assert.matches("\n *a +", out)
        assert.matches("cannot write: file too large", err:lower())
      end
    end)

  it("a place of -o that fails at the end, and nothing else has the figures",
    function()
      os.execute("mkfifo " .. folder .. "/pipe")
      for place, pattern in pairs { ["/dev/full"] = "No space left", [folder
        .. "/pipe"] = "nobody reads it" } do
        local code, out, err = command.shell(TARE .. ("run %s -q --order "
          .. "sequential --quota 300x --resamples 100 -f json -o %s"):format(
          suite(), place))
        assert_told(code, out, err, "cannot write: " .. pattern)
      end
    end)

  it("a folder that is not there", function()
    local code, out, err = run(folder .. "/no/r.json")
    assert_refused(code, out, err, "no/r%.json: cannot write: no such file")
    code, out, err = run(folder .. "/r.json -o " .. folder .. "/no/r.html")
    assert_refused(code, out, err, "no/r%.html: cannot write: no such file")
  end)

  it("a file in the folder's place", function()
    local path = suite()
    local code, out, err = run(path .. "/r.json")
    assert_refused(code, out, err, "cannot write: not a directory")
  end)

  it("a folder", function()
    local code, out, err = run(folder)
    assert_refused(code, out, err, "is a directory")
  end)

  it("a folder that vanishes meanwhile", function()
    local gone = folder .. "/gone"
    os.execute("mkdir " .. gone)
    local code, out, err = run(gone .. "/r.json",
      ("os.execute [[rm -rf %s]]"):format(gone))
    assert.equal(1, code, err)
    assert_told(code, out, err, "cannot write: no such file")
  end)

  it("a file that somebody else has changed meanwhile is left alone",
    function()
      local save = folder .. "/r.json"
      local code, out, err = run(save,
        ("local f = io.open([[%s.new]], 'w') f:write('mine') f:close() "
          .. "os.rename([[%s.new]], [[%s]])"):format(save, save, save))
      assert_told(code, out, err, "r%.json: was changed by someone else during "
        .. "the run; what was measured is in .*/r%.lost%.json\n$")
      assert.equal("mine", command.read(save))
      local kept = assert(store.read(folder .. "/r.lost.json")).results
      assert.same({ "s/a", "s/b" }, { kept[1].id, kept[2].id })
    end)
end)

describe("a symbolic link", function()
  it("that leads elsewhere at the end of the run is told of", function()
    local link, first, other = folder .. "/l.json", folder .. "/first.json",
      folder .. "/other.json"
    os.execute(("ln -s first.json %s; echo mine >%s"):format(link, other))
    local code, out, err = run(link, ("os.execute [[ln -sf other.json %s]]")
      :format(link))
    assert_told(code, out, err, "l%.json: was changed by someone else during "
      .. "the run, and leads elsewhere; what was measured is in .*/first%.json")
    assert.equal("mine\n", command.read(other))
    assert.equal(2, #assert(store.read(first)).results)
  end)

  it("may lead to a file that is not there by many others", function()
    for i = 1, 20 do
      os.execute(("ln -s %d.json %s/%d.json"):format(i + 1, folder, i))
    end
    assert.equal(0, (run(folder .. "/1.json")))
    assert.equal(2, #assert(store.read(folder .. "/21.json")).results)
  end)

  it("that leads in a circle is refused", function()
    os.execute(("cd %s; ln -s a.json b.json; ln -s b.json a.json"):format(
      folder))
    local code, out, err = run(folder .. "/a.json")
    assert.same({ 1, "" }, { code, out })
    assert.matches("^tare: [^\n]*a%.json: cannot write: too many symbolic "
      .. "links [^\n]*\n$", err)
  end)
end)

it("another name of a file keeps what was there", function()
  local one, other = folder .. "/one.json", folder .. "/other.json"
  os.execute(("cp spec/data/tare1_first.json %s; ln %s %s"):format(one, one,
    other))
  local before = command.read(other)
  assert.equal(0, (run(one)))
  assert.equal(2, #assert(store.read(one)).results)
  assert.equal(before, command.read(other))
end)

local OLD = "spec/data/tare1_first.json"

-- In a namespace of its own: the mount goes when the command has ended.
local function on_small_disk(options, line)
  return command.shell(("unshare -m sh -c 'mount -t tmpfs -o size=64k tmpfs "
    .. "%s && { %s; mount -o remount,%s %s; %s }'"):format(folder,
    ("cp %s %s/old.json"):format(OLD, folder), options, folder,
    line))
end

local function can_mount()
  return (command.shell "unshare -m mount -t tmpfs tmpfs /mnt") == 0
end

describe("a disk", function()
  local save, bench
  before_each(function()
    save = folder .. "/old.json"
    bench = command.file([[local suite = require "tare".suite "s"
      suite:bench("a", function() return {} end)
      suite:bench("b", function() return {} end)
      return suite]], "_bench.lua")
  end)
  after_each(function() os.remove(bench) end)

  local function left_of(options, fill)
    return on_small_disk(options, ("%s; %s; code=$?; cmp %s "
      .. OLD .. " || echo NOT WHOLE; ls -A %s | wc -l; "
      .. "exit $code;"):format(fill, TARE .. RUN:format(bench, save), save,
      folder))
  end

  it("that is full keeps the old file whole", function()
    if not can_mount() then return pending("no right to mount a disk") end
    local code, out, err = left_of("rw", "cat /dev/zero >" .. folder
      .. "/fill 2>/dev/null")
    assert_told(code, out, err, "cannot write: no space left")
    assert.is_nil(out:find "NOT WHOLE")
    assert.matches("\n2\n$", out) -- the old file, and what fills the disk
  end)

  it("that is read-only keeps the old file whole", function()
    if not can_mount() then return pending("no right to mount a disk") end
    local code, out, err = left_of("ro", "true")
    assert.equal(1, code)
    assert.equal("1\n", (out:gsub("^%s+", ""))) -- nothing is measured
    assert.matches("^tare: [^\n]+cannot write: read%-only file system\n$", err)
  end)

  it("that is full takes no report of 'tare report' or 'tare merge'",
    function()
      if not can_mount() then return pending("no right to mount a disk") end
      local json = stored.file { stored.result("a", 100) }
      for _, line in ipairs { "report " .. json .. " -f html -o ",
        "merge " .. json .. " -o " } do
        local code, _, err = on_small_disk("rw", ("cat /dev/zero >%s/fill "
          .. "2>/dev/null; %s;"):format(folder, TARE .. line .. save))
        assert.equal(1, code)
        assert.matches("^tare: [^\n]+cannot write: no space left[^\n]*\n$", err)
      end
      os.remove(json)
    end)
end)

describe("a file that would be lost", function()
  local function assert_refused(line, pattern, path)
    local before = command.read(path)
    local code, out, err = command.shell("timeout -k 1 20 " .. TARE .. line)
    assert.equal(1, code, err)
    assert.equal("", out)
    assert.matches(pattern, err)
    assert.equal(before, command.read(path))
  end

  it("is a bench file, named or found in a folder", function()
    local path = suite()
    for _, what in ipairs { path, path .. ":a", folder } do
      for _, option in ipairs { "--save ", "--resume ", "-f json -o " } do
        assert_refused("run " .. what .. " --quota 10x " .. option .. path,
          "this file is read, and would be overwritten", path)
      end
    end
  end)

  it("is the report of --resume, and of -o as well", function()
    local path = stored.file { stored.result("a", 100) }
    assert_refused(("run %s --quota 10x --resume %s -f html -o %s"):format(
      suite(), path, path), "%-o writes to this file already", path)
    os.remove(path)
  end)
end)

describe("a place that never ends", function()
  local function refused(line, pattern)
    local code, _, err = command.shell("timeout -k 1 20 " .. TARE .. line)
    assert.equal(1, code, err)
    assert.matches(pattern, err)
  end

  it("is not read as a report", function()
    refused("report /dev/zero", "a line of it has more than 256 MiB")
    refused("compare /dev/zero /dev/zero", "a line of it has more than 256 MiB")
  end)

  it("is not resumed: standard output that is a pipe", function()
    os.execute("mkfifo " .. folder .. "/pipe")
    for _, path in ipairs { "/dev/stdout | cat", "/dev/null",
      folder .. "/pipe" } do
      local _, out, err = command.shell("timeout -k 1 20 " .. TARE .. "run "
        .. suite() .. " --quota 10x --resume " .. path)
      assert.equal("", out)
      assert.matches("can't be resumed: it is not a regular file", err)
    end
  end)
end)

describe("a pipe", function()
  it("that is closed early is quiet", function()
    local code, out, err = command.shell(TARE .. "run " .. suite()
      .. " --quota 100x --resamples 100 | head -1")
    assert.equal(0, code)
    assert.equal("", err)
    assert.matches("^[^\n]*\n$", out)
  end)
end)
