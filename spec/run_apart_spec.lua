-- Benches whose compiled code would hang on each other's, on LuaJIT.
if not rawget(_G, "jit") then
  return -- stock Lua compiles no traces: there is nothing to be shared
end

local tare = require "tare"

-- A function of its own for each spec, with a loop in it.
local function new_function()
  return assert(loadstring [[return function()
    local list = {}
    for i = 1, 50 do list[i] = i end
    return list
  end]])()
end

local QUICK = { quota = "20000x", split = false, instructions = false,
  resamples = 100 }

local function warned(result)
  for _, code in ipairs(result.warnings) do
    if code == "shared_traces" then return true end
  end
  return false
end

describe("benches of the same function", function()
  before_each(function() jit.flush() end)

  it("are measured without a warning, for each has a copy", function()
    local run = new_function()
    for _ = 1, 3 do assert.is_false(warned(tare.measure(run, QUICK))) end
  end)

  it("say so where the shared code is called by them", function()
    local shared = new_function()
    tare.measure(function() return shared() end, QUICK)
    local found = tare.measure(function() return #shared() end, QUICK)
    assert.is_true(warned(found))
  end)
end)
