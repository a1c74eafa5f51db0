local command = require "spec.support.command"
local clock = require "tare.env.clock"

local path

local CPU = "processor\t: 0\nmodel name\t: Quick 9000 \"X\"\n"

-- Reads the machine's files as given, and all others as they are.
local function machine(host, cpu)
  return function(name)
    if name == "/proc/cpuinfo" then return cpu or CPU end
    if name == "/proc/sys/kernel/hostname" then return host .. "\n" end
    local handle = io.open(name, "rb")
    local text = handle and handle:read("*a")
    if handle then handle:close() end
    return text
  end
end

local function load(host, uv)
  return clock.load { read = machine(host or "home"), path = path, uv = uv }
end

local function write(text)
  local handle = assert(io.open(path, "wb"))
  handle:write(text)
  handle:close()
end

-- Readings of a clock, with one in sixteen a freak.
local function observe(one, cycle_ns, width, count)
  for i = 1, count or 64 do
    local is_freak = i % 16 == 7
    one:observe(is_freak and cycle_ns / 3 or cycle_ns, is_freak and 9 or width)
  end
end

describe("the machine's clock", function()
  before_each(function() path = os.tmpname() end)
  after_each(function() os.remove(path) end)

  it("is none before anything was seen", function()
    local one = load()
    assert.equal("none", one.from)
    assert.is_nil(one.reference_ns)
    assert.is_nil(one:fields().seen_ghz)
  end)

  it("is what it usually was before it was first asked for, and the width the "
    .. "best", function()
    local one = load()
    observe(one, 0.35, 4, 16)
    observe(one, 0.4, 3.5, 64)
    observe(one, 0.42, 3, 16)
    assert.equal(0.4, one:fields().reference_ns)
    assert.equal("this run", one.from)
    assert.near(1 / 0.4, one.reference_ghz, 1e-12)
    assert.equal(4, one.best_width)
    assert.near(1 / 0.42, one:fields().seen_ghz.low, 1e-12)
    assert.near(1 / 0.35, one:fields().seen_ghz.high, 1e-12)
    observe(one, 0.5, 3, 640) -- of a run it is one and the same
    assert.equal(0.4, one:fields().reference_ns)
    one:save()
    assert.near(0.4, load().reference_ns, 1e-6)
  end)

  it("is remembered by later runs, which may be slower, or quicker for a while",
    function()
      local one = load()
      observe(one, 0.35, 4)
      assert.is_true(one:save())
      for _, cycle_ns in ipairs { 0.5, 0.33, 0.35 } do
        local other = load()
        assert.equal("remembered", other.from)
        observe(other, cycle_ns, 3, 640)
        observe(other, 0.2, 3, 320)
        assert.near(0.35, other.reference_ns, 1e-6)
        assert.near(4, other.best_width, 1e-6)
        assert.is_false(other:save())
      end
      assert.near(0.35, load().reference_ns, 1e-6)
    end)

  it("is that of a whole run that was a tenth quicker, from the next one on",
    function()
      local one = load()
      observe(one, 0.35, 4)
      one:save()
      local other = load()
      observe(other, 0.31, 4, 160)
      assert.near(0.35, other:fields().reference_ns, 1e-6)
      assert.is_true(other:save())
      assert.near(0.31, load().reference_ns, 1e-6)
    end)

  it("has a width that does not creep by what readings differ by", function()
    local one = load()
    observe(one, 0.35, 4)
    one:save()
    local other = load()
    for i = 1, 100 do observe(other, 0.35, 4 * (1 + i % 5 / 1500), 16) end
    assert.near(4, other.best_width, 1e-6)
  end)

  it("follows no few quick readings", function()
    local one = load()
    observe(one, 0.35, 4)
    for _ = 1, 5 do one:observe(0.1, 12) end
    observe(one, 0.35, 4)
    one:observe(0 / 0, 4)
    one:observe(-1, 1 / 0)
    assert.equal(0.35, one:fields().reference_ns)
    assert.equal(4, one.best_width)
  end)

  it("of a run with few readings is not remembered", function()
    local one = load()
    observe(one, 0.35, 4, 5)
    assert.is_false(one:save())
    assert.equal(0.35, one.reference_ns)
    assert.equal("this run", one.from)
    assert.equal("none", load().from)
  end)

  it("is each machine's own, in one file", function()
    local here, there = load("here"), load("there")
    observe(here, 0.35, 4)
    observe(there, 0.25, 6)
    here:save()
    there:save()
    assert.near(0.35, load("here").reference_ns, 1e-6)
    assert.near(0.25, load("there").reference_ns, 1e-6)
    assert.equal("none", load("elsewhere").from)
  end)

  it("is the first one that is remembered, where two runs end at the same time",
    function()
    local one, other = load(), load()
    observe(one, 0.3, 3)
    observe(other, 0.35, 4)
    one:save()
    other:save()
    assert.near(0.3, load().reference_ns, 1e-6)
    assert.near(4, load().best_width, 1e-6)
  end)

  it("is forgotten when that is asked for, and only this machine's", function()
    for _, host in ipairs { "home", "there" } do
      local one = load(host)
      observe(one, 0.35, 4)
      one:save()
    end
    local options = { read = machine "home", path = path }
    assert.is_true(clock.reset(options))
    assert.equal("none", load().from)
    assert.equal("remembered", load("there").from)
    assert.is_false(clock.reset(options))
  end)

  it("can't be forgotten where its file can't be written", function()
    local one, rename = load(), os.rename
    observe(one, 0.35, 4)
    one:save()
    rawset(os, "rename", function(_, to)
      return nil, to .. ": Read-only file system", 30
    end)
    local ok, message = clock.reset { read = machine "home", path = path }
    rawset(os, "rename", rename)
    assert.is_nil(ok)
    assert.equal(path .. ": cannot write: Read-only file system", message)
    if command.lacks_shell then return end -- Windows moves no file over another
    assert.equal("remembered", load().from)
  end)

  it("can't be forgotten where the disk is full, and nothing is left over",
    function()
      local FULL = "No space left on device"
      for _, stage in ipairs { "open", "write", "close" } do
        local one, open, removed = load(), io.open, nil
        observe(one, 0.35, 4)
        one:save()
        local remove = os.remove
        rawset(os, "remove", function(name) removed = name end)
        rawset(io, "open", function(name)
          if stage == "open" then return nil, name .. ": " .. FULL, 28 end
          return { write = function(self)
            if stage == "write" then return nil, FULL, 28 end
            return self
          end, close = function()
            if stage == "close" then return nil, FULL, 28 end
            return true
          end }
        end)
        local ok, message = clock.reset { path = path, read = function(name)
          if name ~= path then return machine "home"(name) end
          local handle = assert(open(name, "rb"))
          local text = handle:read "*a"
          handle:close()
          return text
        end }
        rawset(io, "open", open)
        rawset(os, "remove", remove)
        assert.is_nil(ok)
        assert.equal(path .. ": cannot write: " .. FULL, message)
        assert.equal(stage ~= "open", removed ~= nil)
        assert.equal("remembered", load().from)
      end
    end)

  it("is none of a file that is broken, or tells nonsense", function()
    local one = load()
    observe(one, 0.35, 4)
    one:save()
    local handle = assert(io.open(path, "rb"))
    local text = handle:read("*a")
    handle:close()
    for _, bad in ipairs { "", "{", text:sub(1, 30), "\0\1\2",
      (text:gsub("350000", "0")), (text:gsub("350000", "-5")),
      (text:gsub("4000000", "x")) } do
      write(bad)
      local found = load()
      assert.equal("none", found.from)
      observe(found, 0.35, 4)
      assert.is_true(found:save())
      assert.equal("remembered", load().from)
    end
  end)

  it("is of the run where nothing can be written", function()
    os.remove(path)
    path = path .. "/no/such/folder/machine.json"
    local one = load()
    observe(one, 0.35, 4)
    assert.is_false(one:save())
    assert.equal("this run", one.from)
    assert.equal("none", load().from)
  end)

  it("leaves alone a folder that lies where its file should", function()
    if command.lacks_shell then return end
    os.remove(path)
    command.shell("mkdir " .. path)
    local one = load()
    observe(one, 0.35, 4)
    assert.is_false(one:save())
    assert.equal(0, (command.shell("test -d " .. path)))
  end)

  it("makes its folder with luv", function()
    local made = {}
    os.remove(path)
    local folder = path
    path = folder .. "/state/tare/machine.json"
    local one = load(nil, { fs_mkdir = function(name)
      made[#made + 1] = name
    end })
    observe(one, 0.35, 4)
    one:save()
    assert.equal(folder .. "/state/tare", made[#made])
    path = folder
  end)

  it("bears a locale that writes numbers with a comma", function()
    local before = os.setlocale(nil, "numeric")
    local has_comma = os.setlocale("de_DE.UTF-8", "numeric")
      or os.setlocale("C", "numeric")
    assert.is_string(has_comma)
    local one = load()
    observe(one, 0.35, 4)
    one:save()
    local found = load()
    os.setlocale(before, "numeric")
    assert.near(0.35, found.reference_ns, 1e-6)
    assert.equal("remembered", load().from)
  end)

  it("is not what a bench alone has seen, which may have made it up", function()
    local function rows(cycle_ns, width)
      local samples = { cycle_ns = {}, width = {} }
      for i = 1, 640 do
        samples.cycle_ns[i], samples.width[i] = cycle_ns, width
      end
      return samples
    end
    local seen = { 0.35, 4 } -- by this process
    local function next_run()
      return clock.load { read = machine "home", path = path,
        look = function() return seen[1], seen[2] end }
    end
    local first = next_run()
    first:observe_samples(rows(0.06, 60))
    assert.is_nil(first:fields().reference_ns)
    observe(first, 0.35, 4)
    assert.equal(0.35, first:fields().reference_ns)
    assert.is_true(first:save())
    for _, lie in ipairs { { 0.06, 60 }, { 0.35, 5 }, { 0.3, 4 } } do
      local one = next_run()
      one:observe_samples(rows(lie[1], lie[2]))
      one:observe_samples(rows(0.35, 4))
      assert.equal(4, one.best_width)
      assert.near(1 / 0.35, one:fields().seen_ghz.high, 1e-6)
      assert.is_false(one:save())
    end
    seen = { 0.3, 5 } -- what this process sees as well counts
    local one = next_run()
    one:observe_samples(rows(0.3, 5))
    assert.equal(5, one.best_width)
    assert.is_true(one:save())
    assert.near(0.3, load().reference_ns, 1e-6)
    assert.near(5, load().best_width, 1e-6)
    seen = {} -- nothing is known of this core
    one = next_run()
    one:observe_samples(rows(0.2, 9))
    assert.is_false(one:save())
  end)

  it("takes the readings of samples", function()
    local one, samples = load(), { cycle_ns = {}, width = {} }
    for i = 1, 40 do samples.cycle_ns[i], samples.width[i] = 0.35, 4 end
    one:observe_samples(samples)
    one:observe_samples(nil)
    one:observe_samples { iters = { 1 } }
    assert.equal(0.35, one:fields().reference_ns)
  end)
end)
