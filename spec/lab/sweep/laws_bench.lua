-- Four functions of known growth, made of one loop: with TURNS turns for each
-- n, what is equal and where is known beforehand. (What spec/lab/sweep.lua
-- measures.)
local tare = require "tare"

local function work(turns)
  local s = 0
  for i = 1, turns do s = s + i % 7 end
  return { s }
end

local suite = tare.suite "laws"
local is_jit = rawget(_G, "jit") ~= nil

suite:bench("work", {
  params = { n = tare.geometric(16, 32768, 2),
    impl = {
      -- each multiplies and divides once: what that costs moves no crossing
      constant = function(n) return work(500 * n / n) end,
      linear = function(n) return work(64 * n / 64) end,
      sorting = function(n) return work(4 * n * math.log(n)) end,
      square = function(n) return work(n * n / 64) end,
    },
    -- The two modes of a collector; LuaJIT has one, with and without it.
    gc_mode = not is_jit and { "incremental", "generational" } or nil,
    gc = is_jit and { "natural", "collect" } or nil },
  args = function(p) return p.impl, p.n end,
  run = function(impl, n) return impl(n) end,
})

return tare.main(suite, ...)
