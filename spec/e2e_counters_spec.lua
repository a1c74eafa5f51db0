-- Hardware counters, of a processor that is made up: machines that run specs
-- have none, as a rule (spec/support/made_counters.c).
local command = require "spec.support.command"
local cjson = require "cjson"

local lua = os.getenv "TARE_LUA" or "lua5.4"
local EACCES = 13

local FILE = [[
local tare = require "tare"
local suite = tare.suite "made"
suite:bench("sum", function()
  local sum = 0
  for i = 1, 100 do sum = sum + i end
  return sum
end)
return suite
]]

describe("hardware counters", function()
  local path, library, stored
  setup(function()
    path, library = command.file(FILE, "_bench.lua"), command.path ".so"
    stored = command.path ".json"
    local code, _, message = command.shell("env -u LD_PRELOAD ${CC:-cc} -O1 "
      .. "-shared -fPIC -o " .. library .. " spec/support/made_counters.c -ldl")
    assert.equal(0, code, message)
  end)
  teardown(function()
    for _, name in ipairs { path, library, stored } do os.remove(name) end
  end)

  local function tare(settings, words)
    return command.shell(("LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}%s %s %s "
      .. "lua/tare/cli/bin.lua %s"):format(library, settings, lua, words))
  end
  local function run(settings, words)
    local code, stdout, stderr = tare(settings, "run " .. path
      .. " --quota 20ms --launches 2 --progress never --save " .. stored
      .. " " .. (words or ""))
    assert.equal(0, code, stderr)
    return cjson.decode(command.read(stored)), stdout
  end

  it("are read around the clock of each timed batch", function()
    local report = run ""
    local result = report.results[1]
    local samples, of_counters, of_clock = result.samples, 0, 0
    for i in ipairs(samples.iters) do
      local ns = samples.hw_cycles[i] / 3 -- though others had them, too
      assert.is_true(ns > 0 and ns < samples.cpu_ns[i] + 100)
      of_counters, of_clock = of_counters + ns, of_clock + samples.cpu_ns[i]
      assert.near(2.5, samples.hw_instructions[i] / samples.hw_cycles[i], 0.01)
    end
    assert.is_true(of_counters > 0.5 * of_clock)
    assert.is_nil(samples.cache_misses)
    assert.is_nil(result.cache_misses)
    assert.near(2.5, result.ipc.value, 0.01)
    assert.is_true(result.branch_misses.value > 0)
    assert.same({ "branch_misses", "context_switches", "cycles",
      "instructions", "page_faults" }, report.env.counters)
  end)

  it("are in the report, and in columns", function()
    local _, stdout = run ""
    assert.matches("2%.50? instructions per cycle", stdout)
    assert.matches("branch misses", stdout)
    _, stdout = run("", "--columns ipc,branch_misses,cache_misses")
    assert.matches("ipc +branch_misses +cache_misses", stdout)
    assert.matches("sum [^%s]* *2%.50? ", stdout)
    assert.matches("cache_misses: not counted", stdout)
  end)

  it("are closed, each of them: a process may open them again and again",
    function()
      local code, _, message = command.shell(("ulimit -n 64; LD_PRELOAD="
        .. "${LD_PRELOAD:+$LD_PRELOAD:}%s %s -e '%s'"):format(library, lua, [[
          local core = require "tare.core"
          for i = 1, 100 do
            local counters, found = assert(core.perf()), 0
            for _ in pairs(counters:read()) do found = found + 1 end
            assert(found == 5, found)
            counters:close() counters:close()
            assert(not counters:read())
          end]]))
      assert.equal(0, code, message)
    end)

  it("are absent with the kernel's reason", function()
    local report, stdout = run("MADE_ERRNO=" .. EACCES, "--columns ,ipc")
    assert.is_nil(report.results[1].ipc)
    assert.is_nil(report.results[1].samples.hw_cycles)
    assert.matches("perf_event_paranoid", report.env.counters)
    assert.matches("ipc: not counted: .*perf_event_paranoid",
      (stdout:gsub("%s+", " ")))
    local code, about = tare("MADE_ERRNO=" .. EACCES, "env")
    assert.equal(0, code)
    assert.matches("counters +the kernel does not let this user count", about)
    assert.matches("counters +branch_misses", (select(2, tare("", "env"))))
  end)
end)
