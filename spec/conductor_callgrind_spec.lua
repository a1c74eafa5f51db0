-- Instructions of the processor per call, from what a made valgrind counts: it
-- writes a total for each batch, in the order in which batches are asked for,
-- and runs the program.
local callgrind = require "tare.conductor.callgrind"
local command = require "spec.support.command"
local Conductor = require "tare.conductor"
local core = require "tare.core"
local kept = require "spec.support.kept"
local Launch = require "tare.conductor.launch"
local options = require "tare.base.options"
local story = require "tare.conductor.story"
local uv = require "luv"

local VALGRIND = [[#!/bin/sh
env >%s
for word; do
  case $word in --callgrind-out-file=*) out=${word#*=} ;; esac
done
number=0
for total in %s; do
  number=$((number + 1))
  printf 'events: Ir\ntotals: %%s\n' $total >$out.$number
done
while [ "${1#-}" != "$1" ]; do shift; done
exec "$@"
]]

local BENCH = [[
local suite = require "tare".suite "s"
suite:bench("a", %s)
return suite]]

local START = 70000 -- instructions of a batch beside its calls

-- Totals of batches of 1, 2, 4... calls up to 'most' of so many instructions
-- each, and then of three pairs of half as many calls and of all, which differ
-- by these further instructions.
local function totals(per_call, most, more)
  local list, iters = {}, 1
  while iters <= most do
    list[#list + 1] = START + iters * per_call
    iters = 2 * iters
  end
  for _, further in ipairs(more) do
    list[#list + 1] = START + most / 2 * per_call
    list[#list + 1] = START + most * per_call + further
  end
  for i, total in ipairs(list) do list[i] = ("%d"):format(total) end
  return list
end

describe("instructions of the processor", function()
  if command.lacks_shell then
    it("are counted by valgrind", function() pending "needs a shell" end)
    return
  end

  local folder, log, path, tmp
  before_each(function()
    path, tmp = uv.os_getenv "PATH", uv.os_getenv "TMPDIR"
    folder = uv.fs_mkdtemp(command.path "XXXXXX")
    uv.fs_mkdir(folder .. "/tmp", 448)
    log = folder .. "/log"
    uv.os_setenv("PATH", folder .. ":" .. path)
    uv.os_setenv("TMPDIR", folder .. "/tmp")
  end)
  after_each(function()
    uv.os_setenv("PATH", path)
    if tmp then uv.os_setenv("TMPDIR", tmp) else uv.os_unsetenv "TMPDIR" end
    os.remove(folder .. "/valgrind")
    os.remove(folder .. "/log")
    uv.fs_rmdir(folder .. "/tmp")
    assert(uv.fs_rmdir(folder)) -- nothing is left in it
    kept.remove()
  end)

  -- Of a bench where valgrind counts such totals; nil if none, what was noted,
  -- and why it failed.
  local function counted(list, spec, variant)
    local valgrind = folder .. "/valgrind"
    command.write(valgrind, VALGRIND:format(log, table.concat(list, " ")))
    uv.fs_chmod(valgrind, 448)
    local file = kept.keep(command.file(BENCH:format(spec
      or "function() return 1 end"), "_bench.lua"))
    local job = { files = { file },
      settings = assert(options.resolve({ quota = "5ms" }, "spec")) }
    local conductor = Conductor.new(job, { signals = { count = 0 },
      start = Launch.start, story = story.run, variants = { variant or {} },
      resolution_ns = core.clock_resolution(),
      analysis = { free_width = function() return nil end },
      count_machine = callgrind.count })
    local record
    conductor:measure(assert(conductor:cells()), function(some)
      record = some[1]
    end)
    local found = record.machine_instructions
    return found and found.value, conductor.notes[1], record.error
  end

  it("are the median of what n more calls took in three pairs of batches",
    function()
      assert.equal(1000, (counted(totals(1000, 4096, { 0, 0, 0 }))))
      assert.equal(1003, (counted(totals(1000, 4096, { 2048 * 3, 2048 * 900,
        -2048 * 50 }))))
    end)

  it("are of a second call alone where one has enough", function()
    assert.equal(4900000, (counted { "5000000", "4900000" }))
    assert.equal(4000000, (counted { "4000000", "4000000" }))
  end)

  it("are of few calls where each has an input of its own", function()
    assert.equal(100, (counted(totals(100, 2048, { 0, 0, 0 }),
      "{ run = function(x) return x end, inputs = function(i) return i end }")))
  end)

  it("are of few calls where they leave much", function()
    -- 2^20 bytes each: twice 32 of them are more than a batch may leave. 5.2
    -- leaves the buffer as well, in which it makes such a string.
    local most = _VERSION == "Lua 5.2" and 16 or 32
    assert.equal(100, (counted(totals(100, most, { 0, 0, 0 }), [[(function()
      local kept, n = {}, 0
      return function()
        n = n + 1
        kept[n] = ("x"):rep(2 ^ 20 + n)
      end
    end)()]])))
  end)

  it("are not counted of a bench that fails", function()
    local value, note, message = counted({ "5000000", "4900000" },
      "function() error('no', 0) end")
    assert.same({ nil, nil, "no" }, { value, note, message })
    assert.is_nil(io.open(log))
  end)

  it("remove the folder that a killed run left of its own", function()
    local left = folder .. "/tmp/tare-callgrind-left00"
    uv.fs_mkdir(left, 448)
    for _, name in ipairs { "lock", "log", "out.1" } do
      command.write(left .. "/" .. name, "")
    end
    assert.equal(4900000, (counted { "5000000", "4900000" }))
    assert.is_nil(uv.fs_stat(left))
  end)

  it("are missing, with a reason, where valgrind wrote none", function()
    local value, note = counted {}
    assert.is_nil(value)
    assert.equal("s/a: no instructions of the processor: callgrind wrote no "
      .. "count", note)
    value, note = counted { "5000000" }
    assert.is_nil(value)
    assert.matches("callgrind wrote no count", note)
  end)

  it("are counted in tare's environment, with what fixes chance before all",
    function()
      assert.equal(1000, (counted(totals(1000, 4096, { 0, 0, 0 }))))
      local seen = "\n" .. command.read(log)
      -- of the shell; and what each launch has its own of
      local others = { PWD = true, OLDPWD = true, SHLVL = true, _ = true,
        LD_PRELOAD = true, TARE_SHIFT = true }
      local compared = 0
      for name, value in pairs(uv.os_environ()) do
        if not others[name] and not name:find "^LUA_" then
          compared = compared + 1
          assert.truthy(seen:find(("\n%s=%s\n"):format(name, value), 1, true),
            name)
        end
      end
      assert.is_true(compared > 2)
      local library = seen:match "\nLD_PRELOAD=([^\n]*)"
      assert.equal(Launch.find("tare.fixed_seed", package.cpath), library)
      assert.matches("\nTARE_FIXED=x+\n", seen)
    end)

  it("are counted on a stack that begins where it did, however large the "
    .. "environment", function()
    -- Bytes of the environment, with a pointer and an end for each variable.
    local function bytes_with(name, value)
      uv.os_setenv(name, value)
      assert.equal(1000, (counted(totals(1000, 4096, { 0, 0, 0 }))))
      uv.os_unsetenv(name)
      local _, count = command.read(log):gsub("[^\n]+", "")
      return #command.read(log) + 8 * count
    end
    local bytes = bytes_with("TARE_SPEC", "a")
    for _, value in ipairs { "ab", ("a"):rep(77), ("a"):rep(1000) } do
      assert.equal(0, (bytes_with("TARE_SPEC", value) - bytes) % 32768)
    end
    assert.equal(0, (bytes_with("T", "a") - bytes) % 32768)
  end)

  it("are counted with the modules of the variant", function()
    local before = package.path
    package.path = uv.cwd() .. "/mods/?.lua;" .. before
    local ok, value = pcall(counted, totals(1000, 4096, { 0, 0, 0 }), nil,
      { checkout = { of = uv.cwd(), path = "/elsewhere" } })
    package.path = before
    assert(ok, value)
    assert.equal(1000, value)
    local seen = command.read(log)
    assert.matches(";/elsewhere/mods/?.lua;", seen, 1, true)
    assert.is_nil(seen:find(uv.cwd() .. "/mods", 1, true))
  end)

  it("leave nothing behind where tare fails, and its message is as it was",
    function()
      local ok, message = pcall(callgrind.count, nil, { settings = {} },
        { options = {} }, {})
      assert.is_false(ok)
      assert.matches("^[^:]*callgrind.lua:%d+: attempt to index", message)
    end)
end)

describe("the process in which instructions are counted", function()
  it("draws the same each time, and is served by the system otherwise",
    function()
      local build = os.getenv "TARE_BUILD" or "build/lua5.4"
      local library = build .. "/tare/fixed_seed.so"
      local file = io.open(library)
      if not file then return end -- it is of Linux
      file:close()
      local code, out, err = command.shell(("LD_PRELOAD=$PWD/%s %s -e '%s'")
        :format(library, os.getenv "TARE_LUA" or "lua5.4", [[
          local uv = require "luv"
          print(uv.random(3):byte(1, -1))
          local before = os.time()
          print(os.time() - before, uv.fs_stat "." .type)]]))
      assert.equal("1\t1\t1\n1\tdirectory\n", out, err)
      assert.equal(0, code)
    end)
end)
