local command = require "spec.support.command"
local stored = require "spec.support.stored"
local cjson = require "cjson"
local unpack = table.unpack or unpack

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
    assert.truthy(stdout:find("in " .. baseline, 1, true), stdout)
  end)

  it("lets gates pass where nothing has changed", function()
    local code, _, stderr = run(lean, "--baseline", baseline, "--fail-on",
      "allocs>0,bytes>0")
    assert.equal("", stderr)
    assert.equal(0, code)
  end)

  it("exits with 3 where a gate is met, and says bench and metric", function()
    local xml = keep(command.path ".xml")
    local code, stdout, stderr = run(fat, "--baseline", baseline,
      "--fail-on", "allocs>0", "-o", xml)
    local count = rawget(_G, "jit") and 2 or 3 -- LuaJIT: {{}, {}} is two
    local sentence = ("s/fat: allocs rose from %d to %d a call; allocs>0")
      :format(count, count + 1)
    assert.equal(3, code)
    assert.equal("tare: " .. sentence .. "\n", stderr)
    assert.truthy(stdout:find("gate: " .. sentence, 1, true), stdout)
    assert.truthy(stdout:find("the source has changed: s/lean, s/fat", 1,
      true), stdout)
    assert.truthy(command.read(xml):find(
      '<failure message="s/fat: allocs rose from', 1, true))
  end)

  it("has a time that was off in one process measured in others", function()
    local odd, jobs = keep(command.path "_bench.lua"), keep(command.path())
    local function takes(turns, in_children)
      local file = io.open(odd, "w")
      file:write((([[
        local child = table.concat(arg, " "):match "%-%-child (%S+)"
        if child then
          local job, copy = io.open(child .. ".job"), io.open("JOBS", "w")
          copy:write((job:read "*a"))
          copy:close()
        end
        local turns = child and CHILD or FIRST
        local suite = require "tare".suite "s"
        suite:bench("x", function()
          local s = 0
          for i = 1, turns do s = s + i % 7 end
          return s
        end)
        return suite]]):gsub("%u+", { FIRST = turns, CHILD = in_children,
          JOBS = jobs })))
      file:close()
    end
    local base, save = keep(command.path ".json"), keep(command.path ".json")
    local gated = { "--baseline", base, "--fail-on", "time>400%", "--force" }
    takes(100, 100)
    run(odd, "--save", base)
    takes(2000, 100)
    local code, _, stderr = run(odd, "--save", save, unpack(gated))
    assert.equal(0, code, stderr)
    assert.truthy(stderr:find("^tare: note: s/x: time .*: passed\n$"), stderr)
    local report = cjson.decode(command.read(save))
    assert.equal(1, #report.results[1].measured_again)
    assert.equal(report.options.seed + 1, cjson.decode(command.read(jobs)).seed)
    gated[#gated + 1] = "--confirm"
    gated[#gated + 1] = "0"
    code, _, stderr = run(odd, unpack(gated))
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
    assert.equal("tare: no gate could be held: not in the baseline "
      .. "(s/lean, s/fat)\n", stderr)
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
