-- What does a call cost, by the way the function is found, and what does what
-- is called cost to make? (LuaJIT inlines all these calls, so there they cost
-- the same.)
local tare = require "tare"

local function step(point)
  point.x = point.x + 1
  return point.x
end

local Point = { step = step }
Point.__index = Point
local Child = setmetatable({}, { __index = Point }) -- step() is inherited
Child.__index = Child

local callable = setmetatable({}, {
  __call = function(_, point) return step(point) end,
})

local function new_counter()
  local x = 0
  return function()
    x = x + 1
    return x
  end
end

local function point() return setmetatable({ x = 0 }, Point) end
local function child() return setmetatable({ x = 0 }, Child) end

local suite = tare.suite "calls"

suite:group("call", function(group)
  group:bench("local function", { args = point, baseline = true,
    run = function(p) return step(p) end })
  group:bench("method", { args = point,
    run = function(p) return p:step() end })
  group:bench("inherited method", { args = child,
    run = function(p) return p:step() end })
  group:bench("__call", { args = point,
    run = function(p) return callable(p) end })
  group:bench("closure", { args = new_counter,
    run = function(count) return count() end })
  group:bench("pcall", { args = point,
    run = function(p) return pcall(step, p) end })
end)

suite:group("make", function(group)
  group:bench("table", { run = function() return { x = 0 } end,
    baseline = true })
  group:bench("object", { run = point })
  group:bench("closure", { run = new_counter })
  group:bench("coroutine", { args = function() return step end,
    run = coroutine.create })
end)

return tare.main(suite, ...)
