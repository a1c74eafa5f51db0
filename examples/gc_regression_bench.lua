-- How much of a call's time do its collections explain? Core_bench's plot: time
-- against batch size, the line of t ~ calls + minor + major collections, and
-- the batches in which a collection ended. Each call replaces one of 20,000
-- live objects, so that what dies has grown old and only a major collection
-- finds it. In generational mode the counts explain nearly all that calls alone
-- leave open; in incremental mode, where the work is spread over small steps,
-- less.
local tare = require "tare"

local LIVE = 20000

local modes -- the others have one mode alone
if _VERSION == "Lua 5.4" then modes = { "incremental", "generational" } end

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
  params = { gc_mode = modes },
  baseline = modes and "incremental",
  args = replacer,
  run = function(replace) return replace() end,
})

return tare.main(suite, ...)
