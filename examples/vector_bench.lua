-- Does an element of a large collection cost more than one of a small? Its own
-- work does not: 'net' is level. But in Lua 5.4's generational mode small
-- collections die young, for nothing, while large ones outlive the nursery and
-- are marked, aged and swept: there the time for an element bends upward with
-- n. (Core_bench's users know this as the story of the vector.)
local tare = require "tare"

local grow = {
  vector = function(n)
    local t = {}
    for i = 1, n do t[i] = { i, i } end
    return t
  end,
  list = function(n)
    local rest = false
    for i = 1, n do rest = { i, rest } end
    return rest
  end,
}

local modes -- the others have one mode alone
if _VERSION == "Lua 5.4" then modes = { "incremental", "generational" } end

local suite = tare.suite "vector"

for _, kind in ipairs { "vector", "list" } do
  suite:bench(kind, {
    params = { n = tare.geometric(64, 8192, 4), gc_mode = modes },
    baseline = modes and "incremental",
    args = function(p) return p.n end,
    run = grow[kind],
    throughput = { items = function(p) return p.n end },
  })
end

return tare.main(suite, ...)
