-- How should a table be filled with n values, and does the answer depend on n?
local tare = require "tare"

local move = table.move -- since 5.3, and in LuaJIT
local new_ok, new_table = pcall(require, "table.new") -- LuaJIT

-- A function that makes a table with room for n values.
local function room_for(n)
  if new_ok then return function() return new_table(n, 0) end end
  local load = loadstring or load -- luacheck: compat
  return load("return {" .. ("nil,"):rep(n) .. "}")
end

local fill = {
  insert = function(source)
    local t = {}
    for i = 1, #source do table.insert(t, source[i]) end
    return t
  end,
  length = function(source)
    local t = {}
    for i = 1, #source do t[#t + 1] = source[i] end
    return t
  end,
  index = function(source)
    local t = {}
    for i = 1, #source do t[i] = source[i] end
    return t
  end,
  preallocated = function(source, make)
    local t = make()
    for i = 1, #source do t[i] = source[i] end
    return t
  end,
  move = move and function(source) return move(source, 1, #source, 1, {}) end,
}

local suite = tare.suite "sweep"

suite:bench("fill", {
  params = { n = tare.geometric(16, 4096, 4), impl = fill },
  baseline = "insert",
  args = function(p) return p.impl, tare.range(1, p.n), room_for(p.n) end,
  run = function(by, source, make) return by(source, make) end,
  throughput = { items = function(p) return p.n end },
})

return tare.main(suite, ...)
