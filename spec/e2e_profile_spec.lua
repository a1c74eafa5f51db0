local command = require "spec.support.command"
local cjson = require "cjson"

local FILE = [[
local tare = require "tare"
local suite = tare.suite "made"
local function make(n)
  local list = {}
  for i = 1, n do list[i] = { i } end
  return list
end
suite:bench("lists", function() return make(8) end)
suite:bench("numbers", function()
  local sum = 0
  for i = 1, 20 do sum = sum + i end
  return sum
end)
return suite
]]

local function run(path, ...)
  local code, stdout, stderr = command.tare("run", path, "--quota", "40ms",
    "--launches", "1", ...)
  assert.equal(0, code, stderr)
  return stdout
end

local function report_of(path, ...)
  local file = command.path ".json"
  run(path, "-q", "--save", file, ...)
  return cjson.decode(command.read(file)), file
end

describe("tare run --profile", function()
  local path
  setup(function() path = command.file(FILE, "_bench.lua") end)
  teardown(function() os.remove(path) end)

  it("shows the hottest lines, and where it allocates", function()
    local text = run(path, "--profile", "--filter", "lists")
    assert.matches("Profile of made/lists", text)
    assert.matches("_bench%.lua:5 .*for i = 1, n do", text)
    assert.matches("Where made/lists allocates", text)
  end)

  it("stores lines, functions and stacks whose sums are the counts", function()
    local report, file = report_of(path, "--profile")
    os.remove(file)
    for _, result in ipairs(report.results) do
      local profile = result.profile
      for _, list in ipairs { "lines", "stacks" } do
        local sums = { instructions = 0, allocs = 0, bytes = 0 }
        for _, one in ipairs(profile[list]) do
          for name in pairs(sums) do sums[name] = sums[name] + one[name] end
        end
        for name, sum in pairs(sums) do
          assert.equal(profile[name], sum, result.id .. " " .. name)
        end
        if result.instructions then
          assert.equal(result.instructions.value, sums.instructions)
          assert.equal(result.bytes.value, sums.bytes)
          assert.equal(result.allocs.value, sums.allocs)
        end
      end
    end
  end)

  it("gives the same file twice", function()
    for _, format in ipairs { "folded", "speedscope" } do
      assert.equal(run(path, "-f", format), run(path, "-f", format))
    end
  end)

  it("has nothing of the profile in what is not asked for it", function()
    local report, file = report_of(path)
    os.remove(file)
    assert.is_nil(report.results[1].profile)
  end)

  it("counts in folded stacks what --by says", function()
    local text = run(path, "-f", "folded", "--by", "allocs")
    assert.matches("made/lists;[^\n]+:5 %d+\n", text)
    assert.is_nil(text:find("made/numbers", 1, true))
  end)

  it("draws flame graphs and the source on the page", function()
    local page = run(path, "--profile", "-f", "html")
    assert.truthy(page:find('class="flame"', 1, true))
    assert.truthy(page:find('class="listing"', 1, true))
  end)

  it("compares two reports line by line", function()
    local _, old = report_of(path, "--profile")
    local other = command.file(FILE:gsub("make%(8%)", "make(4)"), "_bench.lua")
    local _, new = report_of(other, "--profile")
    local code, text, stderr = command.tare("compare", new, old)
    assert.equal(0, code, stderr)
    assert.matches("What changed in made/lists", text)
    assert.matches("_bench%.lua:5 ", text)
    local _, page = command.tare("compare", new, old, "-f", "html")
    assert.truthy(page:find("frame less", 1, true))
    for _, file in ipairs { old, new, other } do os.remove(file) end
  end)

  it("refuses a format that needs a profile where there is none", function()
    local _, file = report_of(path)
    local code, _, stderr = command.tare("report", file, "-f", "folded")
    os.remove(file)
    assert.equal(1, code)
    assert.matches("there is no profile in it", stderr)
  end)
end)
