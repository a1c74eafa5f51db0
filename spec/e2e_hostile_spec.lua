-- Benches that misbehave: the report is whole, and the others are measured. How
-- processes end: e2e_launch_spec, e2e_kills_spec.
local clock = require "tare.env.clock"
local command = require "spec.support.command"
local kinds = require "spec.support.hostile"
local lists = require "tare.base.lists"
local processes = require "spec.support.processes"
local store = require "tare.store"
local unpack = require("tare.base.compat").unpack
local uv = require "luv"

local environment = "" -- in front of the command

-- The interpreter of the benches, where it is not that of the command: one that
-- has no luv to run the command with, like the 5.5 of 'make versions'. There a
-- kind of bench that asks for luv ends in an error before it does harm.
local WORKERS = os.getenv "TARE_WORKERS"
local under = WORKERS and { "--lua", WORKERS } or {}
local has_luv = not WORKERS
  or command.shell(WORKERS .. " -e 'require \"luv\"'") == 0
local in_5_5 = (WORKERS or os.getenv "TARE_LUA" or ""):find "5%.5" ~= nil

-- Runs a bench of this text between two good ones; its result, the run's exit
-- code and its stderr.
local function among_good(text, ...)
  local path = command.file(([[
    local tare = require "tare"
    local suite = tare.suite "s"
    suite:bench("before", function() return {} end)
    suite:bench("hostile", %s)
    suite:bench("after", function() return ("x"):rep(3) end)
    return suite]]):format(text), "_bench.lua")
  local words = { ... }
  for _, word in ipairs(under) do words[#words + 1] = word end
  for i, word in ipairs(words) do words[i] = command.quoted(word) end
  local code, out, err = command.shell(("%s%s lua/tare/cli/bin.lua run %s -q "
    .. "--format json --resamples 100 --quota 300x --seed 3 %s"):format(
    environment, os.getenv "TARE_LUA" or "lua5.4", path,
    table.concat(words, " ")))
  os.remove(path)
  local report, message = store.decode(out)
  assert.is_not_nil(report, tostring(message) .. "\n" .. err)
  assert.equal(3, #report.results)
  assert.equal(in_5_5, report.env.lua:find "5%.5" ~= nil)
  for _, i in ipairs { 1, 3 } do
    assert.is_nil(report.results[i].error)
    assert.is_not_nil(report.results[i].time)
  end
  return report.results[2], code, err
end

local function fails_with(pattern, text, ...)
  local result, code = among_good(text, ...)
  assert.matches(pattern, result.error)
  assert.equal(2, code)
end

local function survives(text, ...)
  local result, code = among_good(text, ...)
  assert.is_nil(result.error)
  assert.equal(0, code)
  return result
end

describe("a report is whole, though a bench", function()
  it("prints megabytes, of which 64 KiB go to stderr", function()
    local _, code, err = among_good(
      'function() print(("x"):rep(5000)) io.stderr:write("y\\n") end')
    assert.equal(0, code)
    assert.is_true(#err > 6e4 and #err < 7e4)
    assert.matches("y\ntare: note: the time of s/hostile includes its "
      .. "printing; of each bench at most 64 KiB are passed on; dropped: %S+ "
      .. "[KM]iB of s/hostile\n$", err)
  end)

  it("is beside code that prints while it is loaded", function()
    local _, _, err = among_good('(function() print("loaded") '
      .. 'return function() end end)()')
    assert.matches("^loaded\n", err)
    assert.is_nil(err:find("note", 1, true))
  end)

  it("prints a little, and is killed", function()
    local result, code, err = among_good(
      'function() print("before") os.execute("kill -9 $PPID") end')
    assert.matches("signal 9", result.error)
    assert.equal(2, code)
    assert.matches("before\n", err)
  end)

  it("prints in the process of the command", function()
    if WORKERS then return pending "the workers are of another Lua" end
    local _, code, err = among_good('function() print("a", nil) '
      .. 'io.write("b\\n") io.stdout:write("c\\n") end', "--launches", "0")
    assert.equal(0, code)
    assert.matches("\na\tnil\nb\nc\na\tnil\n", err)
  end)

  it("changes the folder", function()
    if not has_luv then return pending "the benches have no luv" end
    local saved = command.file("", ".json")
    survives('function() require("luv").chdir("/") end', "--save", saved)
    assert.is_not_nil(store.read(saved))
    os.remove(saved)
  end)

  it("removes the folder it is in, and closes what is open", function()
    if not has_luv then return pending "the benches have no luv" end
    survives [[function() local uv = require("luv")
      local folder = uv.fs_mkdtemp("/tmp/tare-spec-XXXXXX")
      uv.chdir(folder) uv.fs_rmdir(folder) end]]
    survives "function() io.stdout:close() io.stderr:close() end"
    survives "{ setup = function() io.stdin:close() end, run = function() end }"
    fails_with("it ended its process: exit code 0",
      'function() require("luv").fs_close(3) end')
  end)

  it("has its numbers with a decimal comma", function()
    local folder = command.path()
    if command.shell(("mkdir %s && localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8")
      :format(folder, folder)) > 1 then
      return pending "there is no localedef, or no source of a locale"
    end
    environment = "LOCPATH=" .. folder .. " "
    local result, code, err = among_good [[function()
      assert(os.setlocale "de_DE.UTF-8")
      local text = tostring(0.5) -- LuaJIT has a point in every locale
      assert(text == "0,5" or jit, text)
    end]]
    environment = ""
    command.shell("rm -rf " .. folder)
    assert.is_nil(result.error)
    assert.equal(0, code, err)
    assert.is_true(result.time.value > 0)
  end)

  it("starts processes, and leaves one behind", function()
    if not processes.available then return pending "there is no /proc" end
    local mark = processes.mark()
    environment = mark .. " "
    survives [[{ quota = "9x", run = function()
      local pipe = io.popen "echo 1" pipe:read("*a") pipe:close()
      os.execute "sleep 60 &"
    end }]]
    environment = ""
    assert.same({}, processes.left(mark))
  end)

  it("ends, while a process that it has started holds its link", function()
    if not (has_luv and processes.available) then
      return pending "the benches have no luv, or there is no /proc"
    end
    local mark = processes.mark()
    environment = mark .. " "
    fails_with("it ended its process: signal 9", [[function()
      local uv = require "luv"
      uv.spawn("sleep", { args = { "60" }, stdio = { nil, nil, nil, 3 } })
      uv.kill(uv.os_getpid(), "sigkill") end]], "--timeout", "20s")
    environment = ""
    assert.same({}, processes.left(mark))
  end)

  it("ends, while a copy of it goes on in its place", function()
    if not rawget(_G, "jit") or WORKERS then return end -- it needs the ffi
    fails_with("it ended its process: signal 9", [[{ run = function() end,
      setup = function()
        local ffi = require "ffi"
        ffi.cdef "int fork(void); int raise(int);"
        if ffi.C.fork() > 0 then ffi.C.raise(9) end
      end }]])
  end)

  it("reads from a terminal that is not there", function()
    survives "function() assert(io.read() == nil) end"
  end)

  it("runs an event loop, with a timer that raises", function()
    if not has_luv then return pending "the benches have no luv" end
    survives [[function() local uv = require "luv"
      uv.new_timer():start(0, 0, function() end) uv.run() end]]
    local result = among_good [[function() local uv = require "luv"
      uv.new_timer():start(0, 0, function() error "late" end) uv.run() end]]
    assert.is_truthy(result.error)
  end)

  it("sets globals", function()
    survives "function() mine = (mine or 0) + 1 end"
  end)

  it("replaces print", function() survives "function() print = nil end" end)

  it("takes away what tare itself calls", function()
    survives "function() pairs, ipairs, type = nil, nil, nil end"
    survives [[function()
      for name in pairs(table) do table[name] = nil end
      string.format, math.floor, math.max, pcall = nil, nil, nil, nil end]]
    fails_with("no pairs", [[function()
      if not pairs then error("no pairs", 0) end pairs = nil end]])
  end)

  it("replaces it by what does something else", function()
    survives [[function()
      ipairs = function() return function() end end
      pairs, tostring, error = ipairs, function() return 1 end, function() end
      type = function() return "x" end end]]
  end)

  it("takes the methods of strings away", function()
    survives 'function() debug.setmetatable("", nil) end'
    survives 'function() local s = debug.getmetatable("") s.__index = nil end'
  end)

  it("makes strangers of globals", function()
    survives [[function() setmetatable(_G, { __index = function(_, name)
      error("no global " .. tostring(name), 2) end }) end]]
  end)

  it("exits", function()
    fails_with("it called os%.exit%(3%)", "function() os.exit(3) end")
    fails_with("it called os%.exit", [[{ run = function() end,
      teardown = function() os.exit(true, true) end }]])
  end)

  it("raises what is no string", function()
    fails_with("^.an error that is a table.$", "function() error({}) end")
    fails_with(in_5_5 and "no error object" or "nil",
      "function() error(nil) end")
    fails_with("an error that is a table", [[function() error(setmetatable({},
      { __tostring = function() error("again") end })) end]])
  end)

  it("yields across the batch", function()
    local message = "it yields %(coroutine%.yield%) where nothing can resume "
      .. "it: make the coroutine in the bench %(coroutine%.wrap%), and resume "
      .. "it there; or measure it with 'yields = true', in a coroutine of the "
      .. "host$"
    fails_with(message, "function() coroutine.yield(1) end")
    fails_with(message, "{ loop = 'call', run = function() "
      .. "coroutine.yield(1) end }")
    fails_with("in setup: .*" .. message, "{ setup = function() "
      .. "coroutine.yield(1) end, run = function() end }")
    survives [[function() local next_one = coroutine.wrap(function()
      coroutine.yield(1) end) next_one() next_one() end]]
  end)

  it("overflows the stacks", function()
    fails_with("stack overflow", [[(function() local function f(n)
      return 1 + f(n + 1) end return function() f(1) end end)()]])
    fails_with("stack overflow", [[function() local t = setmetatable({}, {})
      getmetatable(t).__index = function(t, k) return t[k .. "x"] end
      return t.x end]])
    if rawget(_G, "jit") then return end -- LuaJIT itself crashes on this one
    fails_with("overflow", [[function() local function f(s)
      return (s:gsub(".", f)) end return f("x") end]])
  end)

  it("deletes upvalues, its own and the loop's", function()
    fails_with("nil value", [[(function() local up = {} return function()
      debug.setupvalue(debug.getinfo(1, "f").func, 1, nil)
      return up.x end end)()]])
    fails_with("nil value", [[function()
      local loop = debug.getinfo(2, "f").func
      for i = 1, 3 do debug.setupvalue(loop, i, nil) end end]])
  end)

  it("calls tare inside tare", function()
    survives([[{ quota = "30x", run = function() return require("tare").measure(
      function() return {} end, { quota = "20x", resamples = 10 }) end }]])
  end)

  it("stops the collector", function()
    survives 'function() collectgarbage("stop") return {} end'
  end)

  it("leaves a hook that raises", function()
    fails_with("hooked", [[function() debug.sethook(function()
      error("hooked", 0) end, "c") end]])
  end)

  it("leaves a hook that raises in its setup, where nothing catches it",
    function()
      for _, event in ipairs { "c", "l" } do
        fails_with("it ended its process: exit code 1", ([[{
          setup = function() debug.sethook(function() error("hooked", 0) end,
            %q) end,
          run = function() local x = tostring(1) return x end }]])
          :format(event))
      end
    end)

  it("raises what never becomes a string", function()
    fails_with("it had not returned after 0.3 s", [[{ timeout = "300ms",
      run = function() error(setmetatable({}, { __tostring = function()
        while true do end end })) end }]])
  end)

  it("raises four million bytes", function()
    local result, code, err = among_good(
      "function() error(('x'):rep(4e6), 0) end")
    assert.equal(2, code, err)
    assert.matches("x%.%.%. %(4000000 bytes, shortened%)$", result.error)
    assert.is_true(#result.error < 5000)
  end)

  it("stops its own process", function()
    fails_with("it had not returned after 0.3 s", [[{ timeout = "300ms",
      run = function() os.execute "kill -STOP $PPID" end }]])
  end)

  it("stops the process that started its own, for good", function()
    if not has_luv then return pending "the benches have no luv" end
    survives [[function() local uv = require "luv"
      uv.kill(uv.os_getppid(), "sigstop") end]]
  end)

  it("ends the process that started its own, and so the others' workers",
    function()
      local message = "it ended its process and the one that started it "
        .. "%(signal 9%)"
      local kill = "function() os.execute 'kill -9 $(ps -o ppid= $PPID); "
        .. "sleep 9' end"
      fails_with(message, kill)
      fails_with(message, "{ run = function() end, setup = " .. kill .. " }")
      fails_with(message, "{ run = function() end, teardown = " .. kill .. " }",
        "--launches", "2")
    end)

  it("kills its process group, in which no other bench is", function()
    fails_with("it ended its process: signal 9",
      "function() os.execute 'kill -9 0' end")
  end)

  it("holds the process that started its own, as a debugger does", function()
    if not rawget(_G, "jit") or WORKERS then return end -- it needs the ffi
    survives [[{ run = function() end, setup = function()
      local ffi, ATTACH = require "ffi", 16
      ffi.cdef "int getppid(); long ptrace(long, long, void *, void *);"
      ffi.C.ptrace(ATTACH, ffi.C.getppid(), nil, nil) end }]]
  end)

  it("stops the process that started its own from forking", function()
    if not has_luv then return pending "the benches have no luv" end
    if command.shell "prlimit --version >/dev/null" > 0 then
      return pending "there is no prlimit"
    end
    survives [[{ run = function() end, teardown = function()
      os.execute(("prlimit --nofile=0:0 --pid=%d"):format(
        require("luv").os_getppid())) end }]]
  end)

  it("allocates without end under a stopped collector", function()
    local result, code = among_good(
      "function() local t = {} while true do t[#t + 1] = {} end end",
      "--gc", "stopped", "--memory-cap", "32MiB")
    assert.matches("memory cap of 32.* MiB", result.error)
    assert.equal(2, code)
    assert.equal("memory_cap", result.warnings[1])
  end)

  it("allocates more in a batch than the cap under a stopped collector",
    function()
      local result = survives("function() return ('x'):rep(1e6) .. 'y' end",
        "--gc", "stopped", "--memory-cap", "8MiB")
      for _, growth in ipairs(result.samples.growth_bytes) do
        assert.is_true(growth < 8 * 2^20)
      end
    end)
end)

describe("a bench file", function()
  local KINDS = { 'require"luv".chdir("/")', "string.gsub = nil",
    "string.find = nil", "table.insert = nil", 'getmetatable("").__index = nil',
    "setmetatable(_G, { __index = function() error() end, "
      .. "__newindex = function() error() end })",
    'package.path = ""', 'package.loaded["tare"] = {}', "require = nil",
    "os.exit(3)", 'os.execute "kill -9 $PPID"', 'error "broken"',
    'debug.sethook(function() error "hook" end, "", 1)',
    'require "tare".suite = nil', 'collectgarbage "stop"', "io.stdout:close()",
    'os.setlocale "C.UTF-8"', "for name in pairs(_G) do _G[name] = nil end",
    "if newproxy then getmetatable(newproxy(true)).__gc = os.exit else "
      .. "setmetatable({}, { __gc = os.exit }) end" }
  local TEXT = "local suite = require 'tare'.suite '%s' suite:bench('x', "
    .. "function() return ('x'):gsub('x', 'y') end) %s return suite"

  it("harms no other file, whatever it does when it is loaded", function()
    for _, harm in ipairs(KINDS) do
      local files = {}
      for i, text in ipairs { "", harm, "" } do
        files[i] = command.file(TEXT:format("s" .. i, text), "_bench.lua")
      end
      for _, more in ipairs { "-q -f json --quota 9x --launches 1",
        "--dry-run" } do
        local _, out, err = command.shell(("%s lua/tare/cli/bin.lua run %s %s")
          :format(os.getenv "TARE_LUA" or "lua5.4", table.concat(files, " "),
          more))
        assert.is_true(not err:find "traceback" or harm:find "hook" ~= nil, err)
        local ids = {}
        for id in out:gmatch(more == "--dry-run" and "(s%d/x): ok"
          or '"id":"(s%d/x)"') do ids[id] = true end
        assert.is_true(ids["s1/x"] and ids["s3/x"], harm .. "\n" .. err)
        assert.is_true(ids["s2/x"] or err:find(files[2], 1, true) ~= nil, err)
      end
      for _, path in ipairs(files) do os.remove(path) end
    end
  end)

  it("that is broken changes nothing of how the others are checked", function()
    local files = { command.file("error 'broken'", "_bench.lua") }
    for i = 2, 3 do
      files[i] = command.file(TEXT:format("s", ""), "_bench.lua")
    end
    local code, _, err = command.tare("list", unpack(files))
    assert.equal(1, code)
    assert.matches("^tare: [^\n]*broken\ntare: [^\n]*: 's/x' is in [^\n]* "
      .. "too; each suite needs a name of its own\n$", err)
    code, _, err = command.tare("list", files[1], files[2], "--filter", "none")
    assert.equal(1, code)
    assert.matches("^tare: [^\n]*broken\n$", err)
    code, _, err = command.tare("list", files[1], files[2], "--param", "n=1")
    assert.equal(1, code)
    assert.matches("^tare: [^\n]*broken\ntare: %-%-param: no chosen bench has "
      .. "a parameter 'n'\n$", err)
    for _, path in ipairs(files) do os.remove(path) end
  end)
end)

describe("a run ends as it should, and stores the others, though a bench",
  function()
    -- Runs a file with three benches, of which this one is in the middle; its
    -- results, the exit code and stderr.
    local function run(head, baseline, text, ...)
      local path = command.file(([[
        local suite = require "tare".suite "s"
        %s
        local function work() -- without a collector, whose part would vary
          local sum = 0
          for i = 1, 100 do sum = sum + i %% 7 end
          return sum
        end
        suite:bench("before", { baseline = %s, run = work })
        suite:bench("hostile", %s)
        suite:bench("after", work)
        return suite]]):format(head, baseline, text), "_bench.lua")
      local saved = command.path ".json"
      local words = { "run", path, "-q", "--save", saved, "--resamples", "50",
        "--seed", "3", ... }
      lists.append(words, under)
      local code, _, err = command.tare(unpack(words))
      os.remove(path)
      local report, message = store.read(saved)
      os.remove(saved)
      assert(report, tostring(message) .. "\n" .. err)
      assert.is_nil(message, err)
      assert.equal(3, #report.results)
      for _, i in ipairs { 1, 3 } do
        assert.is_nil(report.results[i].error)
        assert.is_not_nil(report.results[i].time)
      end
      return report, code, err
    end

    -- A bench that changes its rows.
    local function changing(how)
      return ([[{ run = work, setup = function()
        local fixture = require "tare.bench.fixture"
        local time = fixture.time
        fixture.time = function(self, meter, samples, n)
          local ok, message = time(self, meter, samples, n)
          if ok then %s end
          return ok, message
        end end }]]):format(how)
    end

    it("has cycles of no time", function()
      local report, code = run("", "false",
        changing 'samples:set(-1, "cycle_ns", 0)', "--quota", "150ms")
      assert.equal(2, code)
      assert.matches("an answer that can't be one", report.results[2].error)
    end)

    it("has cycles that are next to none", function()
      local report, code, err = run("", "true",
        changing 'samples:set(-1, "cycles", 5e-324)', "--quota", "40ms")
      assert.equal(2, code, err)
      assert.matches("an answer that can't be one", report.results[2].error)
      assert.equal(1, #report.comparisons)
      assert.equal("s/after", report.comparisons[1].a)
    end)

    it("has what no report can have", function()
      local report, code = run([[
        local cells = require "tare.worker.cells"
        local plain = cells.plain
        cells.plain = function(cell, settings)
          local data = plain(cell, settings)
          if cell.name == "hostile" then data.params = { x = { 0/0 } } end
          return data
        end]], "false", "function() end", "--quota", "60x")
      assert.equal(2, code)
      assert.matches("^its result can't be stored: ", report.results[2].error)
    end)

    it("makes up the clock of the machine, which later runs would have",
      function()
        if not require("tare.core").chain_steps() then
          return pending "cycles are not read here"
        end
        local folder = command.path()
        command.shell(("mkdir -p %s/tare"):format(folder))
        local before = os.getenv "XDG_STATE_HOME"
        uv.os_setenv("XDG_STATE_HOME", folder)
        local ok, message = pcall(run, "", "false", changing [[
          samples:set(-1, "cycle_ns", 0.06) samples:set(-1, "width", 60)]],
          "--quota", "150ms")
        if before then
          uv.os_setenv("XDG_STATE_HOME", before)
        else
          uv.os_unsetenv "XDG_STATE_HOME"
        end
        assert(ok, message)
        local known = clock.load { path = folder .. "/tare/machine.json" }
        command.shell("rm -r " .. folder)
        assert.equal("remembered", known.from)
        assert.is_true(known.best_width < 20)
        assert.is_true(known.reference_ns > 0.1)
      end)
  end)

describe("benches of many hostile kinds", function()
  local PART = 30 -- kinds in a run

  -- A run of some of the kinds, each between two good benches; what it stored.
  local function stored(first)
    local parts, names = { 'local suite = require "tare".suite "s"' }, {}
    for i = first, math.min(first + PART - 1, #kinds) do
      names[#names + 1] = kinds[i][1]
      parts[#parts + 1] = ([[
        suite:bench("good %d", function() return {} end)
        suite:bench(%q, %s)]]):format(i, kinds[i][1], kinds[i][2])
    end
    parts[#parts + 1] = "return suite"
    local path = command.file(table.concat(parts, "\n"), "_bench.lua")
    local saved = command.path ".json"
    local _, _, err = command.tare("run", path, "-q", "--save", saved,
      "--resamples", "50", "--quota", "60x", "--launches", "1", "--timeout",
      "3s", "--order", "sequential", under[1], under[2])
    os.remove(path)
    local report, message = store.read(saved)
    os.remove(saved)
    assert(report, tostring(message) .. "\n" .. err)
    local found = {}
    for _, result in ipairs(report.results) do found[result.name] = result end
    return found, names, err
  end

  for first = 1, #kinds, PART do
    it(("leave the others measured and stored: %d to %d"):format(first,
      math.min(first + PART - 1, #kinds)), function()
      local found, names, err = stored(first)
      for i, name in ipairs(names) do
        local good = found[("good %d"):format(first + i - 1)]
        assert(good and not good.error and good.time, ("beside '%s': %s\n%s")
          :format(name, good and tostring(good.error) or "it is missing", err))
        assert(found[name], name .. " is missing\n" .. err)
        assert(found[name].error or found[name].time, name)
      end
    end)
  end
end)
