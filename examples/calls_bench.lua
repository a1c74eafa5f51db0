-- What does a call cost, by the way the function is found, and what does a
-- closure cost to make?
local tare = require "tare"

local suite = tare.suite "calls"

local Point = {}
Point.__index = Point
function Point:first() return self[1] end

local Child = setmetatable({}, { __index = Point }) -- first() is inherited
Child.__index = Child

local function first(point) return point[1] end
local function counter(point)
  local count = point[1]
  return function() count = count + 1 return count end
end

local callable = setmetatable({}, { __call = function(_, p) return p[1] end })
local point = setmetatable({ 1, 2 }, Point)
local child = setmetatable({ 1, 2 }, Child)
local function the_point() return point end

suite:group("call", function(group)
  group:bench("local function", { args = the_point, baseline = true,
    run = function(p) return first(p) end })
  group:bench("method", { args = the_point,
    run = function(p) return p:first() end })
  group:bench("inherited method", { args = function() return child end,
    run = function(p) return p:first() end })
  group:bench("__call", { args = the_point,
    run = function(p) return callable(p) end })
  group:bench("closure", { args = function() return counter(point) end,
    run = function(count) return count() end })
  group:bench("pcall", { args = the_point,
    run = function(p) return pcall(first, p) end })
end)

suite:group("make", function(group)
  group:bench("table", { run = function() return { 1, 2 } end,
    baseline = true })
  group:bench("object", {
    run = function() return setmetatable({ 1, 2 }, Point) end })
  group:bench("closure", { args = the_point, run = counter })
  group:bench("coroutine", { args = function() return first end,
    run = coroutine.create })
end)

return tare.main(suite, ...)
