-- Programs for specs of the profile, each a text: what their calls allocate is
-- known by line. A comment "--> N" says that a call makes N blocks there, and
-- "--> any" that it makes some, "--> maybe" that some versions of Lua do.
local load_text = require("tare.base.compat").load_text

local profiled = {}

profiled.TEXTS = {
  ["a table"] = [[
    return function()
      local t = {} --> 1
      return #t
    end]],
  ["tables in a loop"] = [[
    return function()
      local list
      for i = 1, 5 do
        list = { list } --> any
      end
      return list
    end]],
  ["a function that makes tables"] = [[
    local function make()
      return { 1 } --> any
    end
    return function()
      local a = make()
      local b = make()
      return a, b
    end]],
  ["closures"] = [[
    return function()
      local n = 0
      local function add() n = n + 1 end --> any
      add()
      add()
      return n
    end]],
  ["strings"] = [[
    local n = 0
    return function()
      n = n + 1
      local text = "number " .. n --> any
      return #text
    end]],
  ["a C function that allocates"] = [[
    local n = 0
    return function()
      n = n + 1
      local text = string.rep("x", 60 + n) --> any
      local size = #text
      return size
    end]],
  ["a tail call"] = [[
    local function last(n)
      return { n } --> any
    end
    return function()
      return last(3)
    end]],
  ["tail calls in turn"] = [[
    local step
    step = function(n, t)
      if n == 0 then return t end
      return step(n - 1, { n }) --> any
    end
    return function() return step(9) end]],
  ["a tail call of a C function"] = [[
    local n = 0
    return function()
      n = n + 1
      return string.rep("y", 60 + n) --> any
    end]],
  ["variable arguments"] = [[
    local function pack(...)
      local t = { ... } --> any
      return t
    end
    return function() return pack(1, 2, 3, pack(4)) end]],
  ["recursion"] = [[
    local function tree(depth)
      if depth == 0 then return nil end
      local left, right = tree(depth - 1), tree(depth - 1)
      return { left, right } --> any
    end
    return function() return tree(4) end]],
  ["a caught error"] = [[
    local function fail()
      error({}) --> any
    end
    return function()
      local ok = pcall(fail) --> maybe
      local t = {} --> 1
      return ok, t
    end]],
  ["an error caught far out"] = [[
    local function deep(n)
      if n == 0 then error("x", 0) end --> maybe
      deep(n - 1) --> maybe
      return n
    end
    return function()
      local ok = pcall(deep, 10) --> maybe
      local t = {} --> 1
      return ok, t
    end]],
  ["a handler of errors"] = [[
    local function handler()
      return {} --> 1
    end
    return function()
      local _, t = xpcall(function() error("y", 0) end, handler) --> maybe
      return t
    end]],
  ["__index and __call"] = [[
    local meta = {
      __index = function()
        return {} --> 1
      end,
      __call = function()
        return {} --> 1
      end }
    local object = setmetatable({}, meta)
    return function()
      local a = object.a
      local b = object()
      return a, b
    end]],
  ["__concat and __add"] = [[
    local meta = {}
    meta.__add = function()
      return {} --> 1
    end
    meta.__concat = function()
      return {} --> 1
    end
    local object = setmetatable({}, meta)
    return function()
      local a = object + 1
      local b = object .. "x"
      return a, b
    end]],
  ["a sort with a function"] = [[
    local function before(a, b) return a < b and { a } ~= nil end --> any
    return function()
      local list = { 3, 1, 2, 5, 4 } --> any
      table.sort(list, before)
      return list
    end]],
  ["gsub with a function"] = [[
    local found
    local function keep(letter)
      found = { letter } --> any
    end
    return function()
      string.gsub("a b c", "%a", keep) --> maybe
      return found
    end]],
  ["a coroutine"] = [[
    local function body(n)
      local t = { n } --> any
      coroutine.yield(t) --> maybe
      local u = { n } --> any
      return u
    end
    return function()
      local co = coroutine.create(body) --> any
      coroutine.resume(co, 1) --> maybe
      coroutine.resume(co) --> maybe
    end]],
  ["an iterator that yields"] = [[
    local function each()
      for i = 1, 3 do
        coroutine.yield({ i }) --> any
      end
    end
    return function()
      local last
      for t in coroutine.wrap(each) do --> any
        last = t
      end
      return last
    end]],
  ["a coroutine that dies"] = [[
    local function body()
      error({}) --> any
    end
    return function()
      local co = coroutine.create(body) --> any
      coroutine.resume(co) --> maybe
      local t = {} --> 1
      return t
    end]],
  ["a chunk that is loaded"] = [[
    local load = loadstring or load
    return function()
      local chunk = load("local t = {}\nreturn t", "=made") --> any
      local t = chunk()
      return t
    end]],
  ["finalizers"] = [[
    local function released() return {} end --> maybe
    local proxy = newproxy and newproxy(true)
    if proxy then getmetatable(proxy).__gc = released end
    return function()
      local object
      if proxy then
        object = newproxy(proxy) --> maybe
      else
        object = setmetatable({}, { __gc = released }) --> maybe
      end
      return object ~= nil
    end]],
  ["a finalizer that runs"] = [[
    local kept
    local proxy = newproxy and newproxy(true)
    local meta = proxy and getmetatable(proxy) or {}
    function meta.__gc() kept = {} end
    return function()
      if proxy then
        newproxy(proxy) --> maybe
      else
        setmetatable({}, meta) --> maybe
      end
      collectgarbage() --> any
      return kept
    end]],
  ["a method"] = [[
    local class = {}
    class.__index = class
    function class.new()
      return setmetatable({}, class) --> any
    end
    function class:get() return self end
    return function()
      local one = class.new()
      return one:get()
    end]],
}

--- The names of all programs, sorted.
---@return string[]
function profiled.names()
  local names = {}
  for name in pairs(profiled.TEXTS) do names[#names + 1] = name end
  table.sort(names)
  return names
end

--- The function of a program, from a chunk that is named "made program".
---@param name string
---@return function
function profiled.program(name)
  return assert(load_text(profiled.TEXTS[name], "=made program"))()
end

--- The lines of a program that make blocks, and how many: a number or "any".
---@param name string
---@return table<integer, number|string> lines a number, "any" or "maybe"
function profiled.expected(name)
  local lines, number = {}, 0
  for line in (profiled.TEXTS[name] .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    local count = line:match("%-%-> (%w+)")
    lines[number] = count and (tonumber(count) or count) or nil
  end
  return lines
end

return profiled
