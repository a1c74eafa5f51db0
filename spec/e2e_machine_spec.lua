local command = require "spec.support.command"
local cjson = require "cjson"

local lua = os.getenv "TARE_LUA" or "lua5.4"
local has_valgrind = command.shell "command -v valgrind" == 0

local FILE = [[
local tare = require "tare"
local suite = tare.suite "made"
local text = ("word "):rep(40)
suite:bench("sum", function()
  local sum = 0
  for i = 1, WORK do sum = sum + i end
  return sum
end)
suite:bench("words", function()
  local counts = {}
  for word in text:gmatch "%a+" do counts[word] = #word end
  return counts
end)
local list = {}
for i = 1, 50 do list[i] = "item" end
suite:bench("concat", function() return table.concat(list, text) end)
return suite
]]

-- With an environment of another length for each 'number'.
local function run(number, path, ...)
  local words = {}
  for i, word in ipairs { ... } do words[i] = command.quoted(word) end
  return command.shell(("MADE_LONGER=%s %s lua/tare/cli/bin.lua run %s "
    .. "--quota 5ms --launches 1 --no-split --progress never "
    .. "%s"):format(("x"):rep(number * 700), lua, path,
    table.concat(words, " ")))
end

describe("tare run --machine-instructions", function()
  local path, file = nil, command.path ".json"
  local function write(work)
    command.write(path, (FILE:gsub("WORK", work)))
  end
  setup(function() path = command.file("", "_bench.lua") end)
  before_each(function() write(100) end)
  teardown(function()
    os.remove(path)
    os.remove(file)
  end)

  local function counts(number, ...)
    local code, _, stderr = run(number, path, "-q", "--save", file,
      "--machine-instructions", ...)
    assert.equal(0, code, stderr)
    local found = {}
    for _, result in ipairs(cjson.decode(command.read(file)).results) do
      found[result.name] = result.machine_instructions.value
    end
    return found
  end

  it("counts the same in each run, whatever the environment", function()
    if not has_valgrind then pending "valgrind is not installed" end
    -- where LuaJIT's compiled code lies differs, and some instructions with it
    assert.near_relative(counts(1, "--filter", "words").words,
      counts(5, "--filter", "words").words, 2e-3)
  end)

  it("counts what C functions do", function()
    if not has_valgrind then pending "valgrind is not installed" end
    local found = counts(1, "--filter", "concat")
    assert.is_true(found.concat > 500) -- some for each item at least
    local _, stdout = command.tare("report", file)
    assert.matches("of the processor", stdout)
    local _, columns = command.tare("report", file, "--columns",
      "machine_instr")
    assert.matches("machine_instr", columns)
  end)

  it("is measured for a gate, which sees one more in a hundred", function()
    if not has_valgrind then pending "valgrind is not installed" end
    local gate = { "--filter", "sum", "-q", "--baseline", file, "--fail-on",
      "machine_instructions>0.5%" }
    write(1000)
    counts(1, "--filter", "sum")
    local unpack = table.unpack or unpack -- luacheck: std max
    local code, _, stderr = run(2, path, unpack(gate))
    assert.equal(0, code, stderr)
    write(1010)
    code, _, stderr = run(3, path, unpack(gate))
    assert.equal(3, code, stderr)
    assert.matches("machine_instructions", stderr)
  end)

  it("says in a line where valgrind is not installed", function()
    local code, stdout, stderr = command.shell(("PATH=/nowhere $(command -v %s)"
      .. " lua/tare/cli/bin.lua run %s --machine-instructions"):format(lua,
      path))
    assert.equal(1, code)
    assert.equal("", stdout)
    assert.matches("^tare: %-%-machine%-instructions: valgrind is not "
      .. "installed\n$", stderr)
  end)

  it("needs processes of its own", function()
    local code, _, stderr = run(1, path, "--machine-instructions",
      "--launches", "0")
    assert.equal(1, code)
    assert.matches("machine%-instructions: .*%-%-launches 0", stderr)
  end)

  it("reports what a bench fails with there alone, beside its figures",
    function()
      if not has_valgrind then pending "valgrind is not installed" end
      local other = command.file([[
        local tare = require "tare"
        local suite = tare.suite "made"
        suite:bench("there", function()
          if (os.getenv "LD_PRELOAD" or ""):find "fixed_seed" then
            error "only there"
          end
          return 1
        end)
        return suite]], "_bench.lua")
      local code, _, stderr = run(1, other, "-q", "--save", file,
        "--machine-instructions")
      os.remove(other)
      assert.equal(0, code)
      assert.matches("made/there: no instructions of the processor: .*only "
        .. "there", stderr)
      local result = cjson.decode(command.read(file)).results[1]
      assert.is_truthy(result.time)
      assert.is_nil(result.machine_instructions)
    end)
end)
