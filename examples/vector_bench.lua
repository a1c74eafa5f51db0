-- Does an element of a large collection cost more than one of a small? Its own
-- work does not: 'net' is level. But small collections die young, for next to
-- nothing, while large ones outlive the nursery of Lua 5.4's generational mode
-- and are marked, aged and swept: the time for an element bends upward with n.
-- (Core_bench's users know this as the story of the vector. With '--gc-mode
-- incremental' every element pays at once, and the line is straight.)
--
--   tare run examples/vector_bench.lua --gc-mode generational
local tare = require "tare"

-- Persistent vectors are balanced trees. (A plain array would tell another
-- story as well, that of the system's allocator: see docs/collector.md.)
local function vector(low, high)
  if low == high then return { low, low } end
  local middle = math.floor((low + high) / 2)
  return { vector(low, middle), vector(middle + 1, high) }
end

local grow = {
  vector = function(n) return vector(1, n) end,
  list = function(n)
    local rest = false
    for i = 1, n do rest = { i, rest } end
    return rest
  end,
}

local suite = tare.suite "vector"

for _, kind in ipairs { "vector", "list" } do
  suite:bench(kind, {
    params = { n = tare.geometric(64, 8192, 4) },
    args = function(p) return p.n end,
    run = grow[kind],
    throughput = { items = function(p) return p.n end },
  })
end

return tare.main(suite, ...)
