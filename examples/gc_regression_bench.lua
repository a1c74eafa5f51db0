-- How much of a call's time do its collections explain? Core_bench's plot: time
-- against batch size, the line of t ~ calls + minor + major collections, and
-- the batches in which a collection ended. In generational mode the counts
-- explain nearly all of what calls alone leave open; in incremental mode, where
-- the work is spread over small steps, less.
local tare = require "tare"

local modes -- the others have one mode alone
if _VERSION == "Lua 5.4" then modes = { "incremental", "generational" } end

local live -- 20,000 objects that each major collection has to mark

local suite = tare.suite "gc_regression"

suite:bench("small tables", {
  params = { gc_mode = modes },
  setup = function()
    live = live or {}
    for i = 1, 20000 do live[i] = live[i] or { i } end
  end,
  run = function() return { 1, 2 } end,
})

return tare.main(suite, ...)
