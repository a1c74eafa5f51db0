-- From the core's work alone to a walk through memory in which each step waits
-- for the one before.
local tare = require "tare"
local suite = tare.suite "clock"

-- A circle through 1..count, in a random order (Sattolo's shuffle).
local function circle(count)
  local order, following, state = {}, {}, 1
  for i = 1, count do order[i] = i end
  for i = count, 2, -1 do
    state = state * 16807 % 2147483647
    local j = state % (i - 1) + 1
    order[i], order[j] = order[j], order[i]
  end
  for i = 1, count do following[order[i]] = order[i % count + 1] end
  return following
end

local function walk(count)
  return { setup = function() return { at = 1, following = circle(count) } end,
    run = function(place)
      local at, following = place.at, place.following
      for _ = 1, 100 do at = following[at] end
      place.at = at
    end }
end

suite:bench("additions", function()
  local sum = 0
  for i = 1, 100 do sum = sum + i end
  return sum
end)
suite:bench("walk, 1,000 places", walk(1000))
suite:bench("walk, 100,000 places", walk(100000))
suite:bench("walk, 8,000,000 places", walk(8000000))
return tare.main(suite, ...)
