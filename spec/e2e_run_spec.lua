local command = require "spec.support.command"

local TWO = [[
local tare = require "tare"
local suite = tare.suite "two"
suite:bench("table", function() return {} end)
suite:bench("sum", { run = function(n) local s = 0
  for i = 1, n do s = s + i end return s end,
  args = function() return 10 end })
return tare.main(suite, ...)
]]

local function bench_file(text) return command.file(text, "_bench.lua") end

local function lines(text)
  local list = {}
  for line in text:gmatch("[^\n]+") do list[#list + 1] = line end
  return list
end

-- The one line of stderr of a refusal.
local function refusal(expected_code, ...)
  local code, _, stderr = command.tare(...)
  assert.equal(expected_code, code, stderr)
  local said = lines(stderr)
  assert.equal(1, #said, stderr)
  assert.is_nil(stderr:find("traceback"))
  return said[1]
end

describe("tare run", function()
  local path
  setup(function() path = bench_file(TWO) end)
  teardown(function() os.remove(path) end)

  it("is not needed by a file that ends with tare.main", function()
    local file = bench_file((TWO:gsub("args =", "quota = '20ms', args =")
      :gsub("function%(%) return {} end",
        "{ quota = '20ms', run = function() return {} end }")))
    local code, stdout, stderr = command.shell(("%s %s"):format(
      os.getenv("TARE_LUA") or "lua5.4", file))
    os.remove(file)
    assert.equal(0, code, stderr)
    assert.truthy(stdout:find("2 benches", 1, true))
  end)

  it("measures the benches of a file and exits with 0", function()
    local json = command.path ".json"
    local code, stdout, stderr = command.tare("run", path, "--quota", "30ms",
      "--format", "json", "-o", json)
    assert.equal("", stderr)
    assert.equal(0, code)
    assert.truthy(stdout:find("table", 1, true))
    local report = require("cjson").decode(command.read(json))
    os.remove(json)
    assert.equal("tare/1", report.schema)
    assert.equal(2, #report.results)
    for _, result in ipairs(report.results) do
      assert.is_true(result.time.low <= result.time.value)
      assert.is_true(result.time.value <= result.time.high)
      assert.equal(#result.samples.iters, #result.samples.wall_ns)
    end
  end)

  it("prints no table where the results go elsewhere, if asked", function()
    local save = command.path ".json"
    local _, stdout = command.tare("run", path, "--quota", "10ms", "-q")
    assert.truthy(stdout:find("2 benches.", 1, true))
    local code
    code, stdout = command.tare("run", path, "--quota", "10ms", "-q",
      "--save", save)
    os.remove(save)
    assert.same({ 0, "" }, { code, stdout })
  end)

  it("lists ids without running anything", function()
    local code, stdout = command.tare("list", path)
    assert.equal(0, code)
    assert.same({ "two/table", "two/sum" }, lines(stdout))
  end)

  it("measures only what is chosen", function()
    local _, stdout = command.tare("list", path, "--filter", "*/s*")
    assert.same({ "two/sum" }, lines(stdout))
    assert.truthy(refusal(1, "list", path, "--filter", "x"):find("no bench"))
  end)

  it("lets a bench file run itself", function()
    local lua = os.getenv("TARE_LUA") or "lua5.4"
    local code, stdout, stderr = command.shell(lua .. " " .. path
      .. " --quota 20ms")
    assert.equal("", stderr)
    assert.equal(0, code)
    assert.truthy(stdout:find("sum", 1, true))
  end)

  it("goes on after a bench that raises, and exits with 2", function()
    local failing = bench_file([[
      local suite = require "tare".suite "s"
      suite:bench("bad", function() error "broken" end)
      suite:bench("good", function() return {} end)
      return suite]])
    local json = command.path ".json"
    local code = command.tare("run", failing, "--quota", "20ms", "--save",
      json)
    local report = require("cjson").decode(command.read(json))
    os.remove(json)
    os.remove(failing)
    assert.equal(2, code)
    assert.truthy(report.results[1].error:find("_bench.lua:2: broken"))
    assert.is_number(report.results[2].time.value)
  end)

  describe("refuses with one line", function()
    it("a missing file", function()
      assert.equal("tare: no_such.lua: no such file or folder",
        refusal(1, "run", "no_such.lua"))
    end)

    it("a syntax error, with file and line", function()
      local file = bench_file("local x =\nlocal y")
      local said = refusal(1, "run", file)
      os.remove(file)
      assert.truthy(said:find(file .. ":2:", 1, true), said)
    end)

    it("a file that returns no suite", function()
      local file = bench_file("return 1")
      local said = refusal(1, "run", file)
      os.remove(file)
      assert.truthy(said:find("returns no suite", 1, true))
    end)

    it("a file that raises while it is loaded", function()
      local file = bench_file("error('oh no')")
      local said = refusal(1, "run", file)
      os.remove(file)
      assert.truthy(said:find(file .. ":1: oh no", 1, true))
    end)

    it("a bench file that requires what is not there", function()
      local file = bench_file('require "no.such.module"')
      assert.truthy(refusal(1, "run", file):find(
        "module 'no.such.module' not found (looked for", 1, true))
      os.remove(file)
    end)

    it("an unknown option", function()
      assert.truthy(refusal(1, "run", path, "--nonsense"):find("--nonsense",
        1, true))
    end)

    it("a quota that is none", function()
      assert.equal("tare: --quota: 'banana' is not a duration (like 2s or "
        .. "500ms) or a number of calls (like 1e6x)",
        refusal(1, "run", path, "--quota", "banana"))
    end)

    it("a format that is none", function()
      assert.truthy(refusal(1, "run", path, "--format", "pdf"):find("pdf"))
    end)

    it("no command at all", function()
      assert.truthy(refusal(1):find("command"))
    end)
  end)
end)
