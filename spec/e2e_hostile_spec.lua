-- Benches that misbehave in the process of the run: the report is whole, and
-- the others are measured. What only a child survives: e2e_launch_spec.
local command = require "spec.support.command"
local store = require "tare.store"

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
  local code, out, err = command.tare("run", path, "-q", "--format", "json",
    "--resamples", "100", "--quota", "300x", "--seed", "3", ...)
  os.remove(path)
  local report, message = store.decode(out)
  assert.is_not_nil(report, tostring(message) .. "\n" .. err)
  assert.equal(3, #report.results)
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
  it("prints megabytes", function()
    local _, code, err = among_good(
      'function() print(("x"):rep(50000)) io.write("y") end')
    assert.equal(0, code)
    assert.is_true(#err > 1e6)
  end)

  it("changes the folder", function()
    local saved = command.file("", ".json")
    survives('function() require("luv").chdir("/") end', "--save", saved)
    assert.is_not_nil(store.read(saved))
    os.remove(saved)
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
    fails_with("nil", "function() error(nil) end")
    fails_with("an error that is a table", [[function() error(setmetatable({},
      { __tostring = function() error("again") end })) end]])
  end)

  it("yields across the batch", function()
    fails_with("yield", "function() coroutine.yield(1) end")
    fails_with("yield", "{ loop = 'call', run = function() "
      .. "coroutine.yield(1) end }")
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
