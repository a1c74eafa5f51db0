-- Processes of a run that are killed: what is finished is stored, others are
-- measured, and no process or temporary file is left.
local command = require "spec.support.command"
local processes = require "spec.support.processes"
local store = require "tare.store"

local LUA = os.getenv "TARE_LUA" or "lua5.4"
local ROOT = require("luv").cwd()
local folder, mark

-- Two benches that are measured one after the other; 'slow' says when it runs,
-- and in the middle of a timed batch: after so many that, with one launch and a
-- short warm-up, it has been measured, however busy the machine is, and later
-- in it than the untimed calls last that a turn begins with.
local SUITE = [[
local suite = require "tare".suite "s"
local told, measured
local batches, began = 0, 0
suite:group("quick", function(group)
  group:bench("a", { quota = "50ms", run = function() return {} end })
end)
suite:group("slow", function(group)
  group:bench("b", { quota = "8s",
    setup = function() HERE "setup" end,
    before_batch = function() batches, began = batches + 1, os.clock() end,
    run = function()
      if not told then told = true HERE "ready" end
      if not measured and os.clock() - began > 3e-3 and batches >= 250 then
        measured = true
        HERE "measured"
        MEASURED
      end
      SLOW
    end,
    teardown = function() HERE "teardown" end })
end)
return suite]]

-- The suite in a file, with what a call of the slow bench does, and what one
-- does that is measured.
local function suite(slow, when_measured)
  local text = SUITE:gsub("HERE (%b\"\")", function(name)
    return ("io.open(%q, 'w'):close()"):format(folder .. "/"
      .. name:sub(2, -2))
  end):gsub("SLOW", slow or "return {}"):gsub("MEASURED", when_measured or "")
  local path = folder .. "/s_bench.lua"
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  return path
end

local function exists(name)
  local file = io.open(folder .. "/" .. name)
  return file ~= nil and file:close() ~= nil
end

-- Starts a run, waits until the slow bench runs, and does what 'act' says; with
-- $pid, $launch and $worker, which are of the slow bench, and a command that
-- waits until a file is there.
local function run(options, act)
  return command.shell(([[cd %s && export TMPDIR=%s/tmp %s && mkdir tmp
    await() { while [ ! -e $1 ] && kill -0 $pid; do sleep 0.02; done; }
    LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;;' LUA_CPATH='%s/%s/?.so;;' \
      %s %s/lua/tare/cli/bin.lua run s_bench.lua %s & pid=$!
    await ready
    launch=$(ps -o pid= --ppid $pid); worker=$(ps -o pid= --ppid $launch)
    %s
    wait $pid]]):format(folder, folder, mark, ROOT, ROOT, ROOT,
    os.getenv "TARE_BUILD" or "build/" .. LUA, LUA, ROOT, options, act))
end

local function ids(path)
  local list = {}
  for i, result in ipairs(assert(store.read(folder .. "/" .. path)).results) do
    list[i] = result.id
  end
  return list
end

-- Nothing but what the run was to write.
local function assert_nothing_left(...)
  assert.same({}, processes.left(mark))
  local expected = { "s_bench.lua", "tmp", ... }
  for _, name in ipairs { "setup", "ready", "measured", "teardown" } do
    if exists(name) then expected[#expected + 1] = name end
  end
  table.sort(expected)
  local _, listed = command.shell(("ls -A %s; ls -A %s/tmp"):format(folder,
    folder))
  assert.equal(table.concat(expected, "\n") .. "\n", listed)
end

describe("a run of which", function()
  if not processes.available then return pending "there is no /proc" end

  before_each(function()
    folder, mark = command.path(), processes.mark()
    os.execute("mkdir " .. folder)
  end)
  after_each(function() os.execute("rm -rf " .. folder) end)

  it("the conductor is killed leaves no process, and what is finished stored",
    function()
      for _, slow in ipairs { "return {}", "while true do end" } do
        suite(slow)
        local code = run("--order sequential --save r.json", "kill -KILL $pid")
        assert.equal(128 + 9, code)
        assert.same({ "s/quick/a" }, ids "r.json")
        assert_nothing_left "r.json"
        os.execute(("rm -rf %s/tmp %s/r.json %s/ready"):format(folder, folder,
          folder))
      end
    end)

  it("a worker is stopped drops the batch and says so", function()
    -- One call lasts until the worker has been stopped in it.
    suite(nil, ([[repeat until io.open "%s/resumed"]]):format(folder))
    local code, out, err = run("--launches 1 --no-split --warmup 100ms "
      .. "--gc natural -q --format json --filter '*b'", [[
      await measured
      kill -STOP $worker; sleep 1; echo >resumed; kill -CONT $worker]])
    local result = assert(store.decode(out)).results[1]
    assert.equal(0, code, err)
    assert.is_nil(result.error)
    assert.truthy(table.concat(result.warnings, " "):find "stood_still")
    local samples, longest = result.samples, 1
    for row, wall_ns in ipairs(samples.wall_ns) do
      if wall_ns > samples.wall_ns[longest] then longest = row end
    end
    assert.is_true(samples.wall_ns[longest] - samples.cpu_ns[longest] > 9e8)
    assert_nothing_left "resumed"
  end)

  it("processes are stopped for longer than a timeout goes on", function()
    suite()
    local code, out, err = run("--launches 1 --timeout 1s -q "
      .. "--format json --filter '*b'", [[
      kill -STOP $pid; sleep 2; kill -CONT $pid
      for seconds in 1.1 1.2; do # as a machine that stands still
        kill -STOP $pid $worker; sleep $seconds
        kill -CONT $pid; sleep 0.1; kill -CONT $worker
      done]])
    local result = assert(store.decode(out)).results[1]
    assert.equal(0, code, err)
    assert.is_nil(result.error)
    assert_nothing_left()
  end)

  it("a worker is killed measures the bench in other launches", function()
    suite()
    local code, out, err = run("--launches 3 --quota 300ms -q --format json "
      .. "--filter '*b'", "kill -KILL $worker")
    local result = assert(store.decode(out)).results[1]
    assert.equal(0, code, err)
    assert.is_nil(result.error)
    assert.equal(2, result.launches)
    assert.equal("it ended its process: signal 9",
      result.failed_launches[1].message)
    assert_nothing_left()
  end)

  it("a launch is killed starts another one for the benches that are left",
    function()
      suite()
      local code, out = run("--launches 1 --quota 300ms -q --format json "
        .. "--order sequential --seed 1", "kill -KILL $launch")
      local results = assert(store.decode(out)).results
      assert.equal(2, code)
      assert.is_nil(results[1].error)
      assert.matches("signal 9", results[2].error)
      assert_nothing_left()
    end)

  for _, signal in ipairs { "INT", "TERM", "HUP", "QUIT" } do
    it("is told to end by SIG" .. signal .. " tears down and stores", function()
      suite()
      local code, out, err = run("--order sequential --launches 1 "
        .. "--warmup 100ms --save r.json", "await measured; kill -" .. signal
        .. " $pid")
      assert.equal("", err)
      assert.equal(130, code)
      assert.matches("interrupted", out)
      assert.same({ "s/quick/a", "s/slow/b" }, ids "r.json")
      assert.is_true(exists "teardown")
      assert_nothing_left "r.json"
    end)
  end

  it("is told to end while a call hangs waits two seconds for it", function()
    suite "while true do end"
    local began = os.time()
    local code = run("--order sequential --save r.json", "kill -INT $pid")
    assert.equal(130, code)
    assert.is_true(os.time() - began >= 2)
    assert.same({ "s/quick/a" }, ids "r.json")
    assert_nothing_left "r.json"
  end)

  it("is told to end twice does not wait", function()
    suite "os.execute 'sleep 30'"
    local began = os.time()
    local code = run("--order sequential --save r.json",
      "kill -INT $pid; sleep 0.2; kill -INT $pid")
    assert.equal(130, code)
    assert.is_true(os.time() - began < 10)
    assert.same({ "s/quick/a" }, ids "r.json")
    assert_nothing_left "r.json"
  end)

  it("is told to end while a bench file loads ends", function()
    local path = suite()
    local file = assert(io.open(path, "a"))
    file:close()
    command.shell(("printf '%%s\\n' 'io.open(\"%s/ready\", \"w\"):close() "
      .. "while true do end' >%s"):format(folder, path))
    local code, _, err = run("--save r.json", "kill -INT $pid")
    assert.equal(130, code, err)
    assert_nothing_left()
  end)

  it("a call is late for its timeout is killed alone", function()
    suite "while true do end"
    local code, out = run("--timeout 300ms -q --format json", ":")
    local results = assert(store.decode(out)).results
    assert.equal(2, code)
    assert.is_nil(results[1].error)
    assert.equal("it had not returned after 0.3 s", results[2].error)
    assert_nothing_left()
  end)

  it("--dry-run is interrupted ends", function()
    suite "while true do end"
    local code, out = run("--dry-run", "kill -INT $pid; kill -INT $pid")
    assert.equal(130, code)
    assert.equal("s/quick/a: ok\n", out)
    assert_nothing_left()
  end)
end)
