local command = require "spec.support.command"
local stored = require "spec.support.stored"
local cjson = require "cjson"

local SUITE = [[
local suite = require "tare".suite "s"
suite:bench("lean", function() return {} end)
suite:bench("fat", function() return { {}, %s } end)
return suite]]

local lines = stored.lines
local paths, lean, fat, baseline

local function keep(path)
  paths[#paths + 1] = path
  return path
end

local function run(file, ...)
  return command.tare("run", file, "--quota", "20ms", ...)
end

describe("tare run with a baseline", function()
  setup(function()
    paths = {}
    lean = keep(command.file(SUITE:format "", "_bench.lua"))
    fat = keep(command.file(SUITE:format "{}", "_bench.lua"))
    baseline = keep(command.path ".json")
    local code, _, stderr = run(lean, "--save", baseline)
    assert.equal(0, code, stderr)
  end)
  teardown(function() for _, path in ipairs(paths) do os.remove(path) end end)

  it("says how each bench compares", function()
    local code, stdout, stderr = run(lean, "--baseline", baseline)
    assert.equal("", stderr)
    assert.equal(0, code)
    assert.truthy(stdout:find(baseline .. " (2", 1, true), stdout)
  end)

  it("lets gates pass where nothing has changed", function()
    local code, _, stderr = run(lean, "--baseline", baseline, "--fail-on",
      "allocs>0,bytes>0")
    assert.equal("", stderr)
    assert.equal(0, code)
  end)

  it("exits with 3 where a gate fails, and says bench and metric", function()
    local xml = keep(command.path ".xml")
    local code, stdout, stderr = run(fat, "--baseline", baseline,
      "--fail-on", "allocs>0", "-o", xml)
    local count = rawget(_G, "jit") and 2 or 3 -- LuaJIT: {{}, {}} is two
    local sentence = ("s/fat: allocs rose from %d to %d per call (gate "
      .. "allocs>0)")
      :format(count, count + 1)
    assert.equal(3, code)
    assert.equal("tare: 1 gate failed: exit code 3\n", stderr)
    assert.truthy(stdout:find("FAILED " .. sentence, 1, true), stdout)
    assert.truthy(stdout:find("the bench file has changed: s/lean, s/fat",
      1, true), stdout)
    assert.truthy(command.read(xml):find(
      '<failure message="s/fat: allocs rose from', 1, true))
  end)

  it("has a time that was off measured again, in other processes", function()
    local odd, loads = keep(command.path "_bench.lua"), keep(command.path())
    local base, save = keep(command.path ".json"), keep(command.path ".json")
    -- Slow in the first so many processes that load it.
    local function slow_in(count)
      os.remove(loads)
      local file = io.open(odd, "w")
      file:write((([[
        local loads = io.open("LOADS", "a+")
        local turns = #loads:read("*a") < COUNT and 3000 or 100
        loads:write "x"
        loads:close()
        local suite = require "tare".suite "s"
        suite:bench("x", function()
          local s = 0
          for i = 1, turns do s = s + i % 7 end
          return s
        end)
        return suite]]):gsub("%u%u+", { LOADS = loads, COUNT = count })))
      file:close()
    end
    local function measured(words)
      local code, _, stderr = command.shell(("%s lua/tare/cli/bin.lua run %s "
        .. "--quota 300ms --launches 3 %s"):format(
        os.getenv "TARE_LUA" or "lua5.4", odd, words))
      return code, stderr
    end
    local gated = ("-q --baseline %s --fail-on 'median>400%%' --force "
      .. "--save %s")
      :format(base, save)
    slow_in(0)
    measured("--save " .. base)
    slow_in(3)
    local code, stderr = measured(gated)
    assert.equal(0, code, stderr)
    assert.matches("^tare: note: s/x: median .*: passed\n$", stderr)
    assert.equal(6, #command.read(loads))
    local report = cjson.decode(command.read(save))
    assert.equal(1, #report.results[1].measured_again)
    slow_in(3)
    code, stderr = measured(gated .. " --confirm 0")
    assert.equal(3, code, stderr)
  end)

  it("counts instructions for a gate on them, however slow it is", function()
    local code, _, stderr = run(lean, "--baseline", baseline, "--fail-on",
      "instructions>0.5%,allocs>0")
    assert.equal(0, code, stderr)
  end)

  it("needs a baseline to hold gates against", function()
    local code, _, stderr = run(lean, "--fail-on", "allocs>0")
    assert.equal(1, code)
    assert.truthy(stderr:find("^tare: %-%-fail%-on: needs %-%-baseline"))
  end)

  it("refuses a metric that is none", function()
    local code, _, stderr = run(lean, "--baseline", baseline, "--fail-on",
      "nonsense>5%")
    assert.equal(1, code)
    assert.truthy(stderr:find("no metric 'nonsense'", 1, true), stderr)
  end)

  it("refuses rules that can't be held anywhere", function()
    local other = keep(stored.file { stored.result("else", 100) })
    local code, _, stderr = run(lean, "--baseline", other, "--fail-on",
      "allocs>0")
    assert.equal(1, code)
    assert.equal(("tare: no gate could be checked: not in %s (s/lean, s/fat)\n")
      :format(other), stderr)
  end)

  it("stores what was measured, not what it was compared with", function()
    local save = keep(command.path ".json")
    run(lean, "--baseline", baseline, "--save", save)
    assert.same({}, cjson.decode(command.read(save)).comparisons)
  end)

  for name, text in pairs(stored.BROKEN) do
    it("that is " .. name .. " is refused before anything runs", function()
      local path = keep(command.file(text, ".json"))
      local save = keep(command.file("precious", ".json"))
      local code, stdout, stderr = run(lean, "--baseline", path, "--save",
        save)
      assert.equal(1, code)
      assert.equal("", stdout)
      assert.equal(1, #lines(stderr), stderr)
      assert.is_nil(stderr:gsub("\n$", ""):find("%c"), stderr)
      assert.truthy(stderr:find("tare: --baseline: " .. path, 1, true), stderr)
      assert.equal("precious", command.read(save))
      assert.equal(text, command.read(path))
    end)
  end
end)
