-- The examples load everywhere and do what they say, once each; measuring them
-- is what 'make demo' is for.
local benchfile = require "tare.bench.file"

local unpack = table.unpack or unpack

local function examples()
  local list = {}
  for path in io.popen("ls examples/*_bench.lua"):lines() do
    list[#list + 1] = path
  end
  return list
end

local function run_once(cell)
  local spec, arguments = cell.spec, { n = 1, cell.values }
  if spec.setup then spec.setup(cell.values) end
  if spec.args then arguments = { spec.args(cell.values) } end
  local result = spec.run(unpack(arguments, 1, arguments.n or #arguments))
  if spec.teardown then spec.teardown(cell.values) end
  return result
end

local function cells_of(name)
  local suites = assert(benchfile.load("examples/" .. name .. "_bench.lua"))
  return assert(suites[1]:cells {})
end

describe("the examples", function()
  for _, path in ipairs(examples()) do
    it(path .. " returns a suite whose cells all run", function()
      for _, cell in ipairs(assert(benchfile.load(path))[1]:cells {}) do
        assert.is_not_nil(run_once(cell), cell.id)
      end
    end)
  end

  local function results_of(name)
    local results = {}
    for _, cell in ipairs(cells_of(name)) do
      results[cell.id] = run_once(cell)
    end
    return results
  end

  it("build the same string in every way", function()
    for id, text in pairs(results_of "strings") do
      assert.equal(8 * id:match("n=(%d+)"), #text)
      assert.equal(results_of("strings")[id:gsub("impl=.*", "impl=join}")],
        text)
    end
  end)

  it("fill the same table in every way", function()
    for id, list in pairs(results_of "sweep") do
      assert.equal(tonumber(id:match("n=(%d+)")), #list)
      assert.equal(#list, list[#list])
    end
  end)

  it("find the same with patterns and with LPeg", function()
    local found = results_of "patterns"
    for id, answer in pairs(found) do
      assert.same(found[id:gsub("impl=.*", "impl=lpeg}")], answer)
    end
  end)

  it("read the same from JSON with either library", function()
    local found = results_of "json"
    for id, value in pairs(found) do
      local other = id:gsub("/dkjson", "/cjson")
      if type(value) == "table" then assert.same(found[other], value) end
    end
  end)
end)
