-- How much of a call's time do its collections explain? Core_bench's plot: time
-- against batch size, the line of t ~ calls + minor + major collections, and
-- the batches in which a collection ended. tare makes it from batches so short
-- that some have no collection at all (the pass 'counts'; only the generational
-- collector does its work at once).
--
-- Both make small tables beside 20,000 that stay alive. What 'drop' makes dies
-- young, so minor collections are all there is; 'replace' puts each in the
-- place of one that has grown old, which only a major collection finds dead.
--
--   tare run examples/gc_regression_bench.lua --gc-mode generational \
--     --launches 5 --columns time,minor_time --format html -o gc.html
local tare = require "tare"

local LIVE = 20000

local function alive()
  local list = {}
  for i = 1, LIVE do list[i] = { i, i } end
  return list
end

local function replacer()
  local list, at = alive(), 0
  return function()
    at = at % LIVE + 1
    list[at] = { at, at }
    return list[at]
  end
end

local suite = tare.suite "gc_regression"

suite:bench("drop", {
  args = alive,
  run = function(list) return { list, list } end,
})

suite:bench("replace", {
  args = replacer,
  run = function(replace) return replace() end,
})

return tare.main(suite, ...)
