-- How much of a call's time do its collections explain? Core_bench's plot: time
-- against batch size, the line of t ~ calls + minor + major collections, and
-- the batches in which a collection ended. Each call replaces one of 20,000
-- live objects, so that what dies has grown old and only a major collection
-- finds it: the counts explain most of what calls alone leave open.
local tare = require "tare"

local LIVE = 20000

local function replacer()
  local live, at = {}, 0
  for i = 1, LIVE do live[i] = { i, i } end
  return function()
    at = at % LIVE + 1
    live[at] = { at, at }
    return live[at]
  end
end

local suite = tare.suite "gc_regression"

suite:bench("replace", {
  args = replacer,
  run = function(replace) return replace() end,
})

return tare.main(suite, ...)
