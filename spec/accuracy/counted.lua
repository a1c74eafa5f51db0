-- What tare says of the collector against what a Lua with counters in its
-- collector counted, which runs this (make counted LUA_SRC=...): times of the
-- mutator and of the collector, paced over counted, as medians of interleaved
-- rounds; paced over counted collections; and natural batches in which the
-- counts of minor or major collections differ. Then calls that have collections
-- themselves, paced inside.
local ROUNDS, ITERS = 20, 500000
local lua = arg[-1]

print(_VERSION .. ", tables of two elements, " .. ROUNDS .. " rounds of "
  .. ITERS .. " calls")
print "\n| mode | live objects | mutator | collector | collections | natural |"
print "|---|---|---|---|---|---|"
local worst = 0
for _, mode in ipairs { "incremental", "generational" } do
  for _, live in ipairs { 100, 20000 } do
    local pipe = assert(io.popen(("%s spec/support/paced_truth.lua %s %d %d %d")
      :format(lua, mode, live, ROUNDS, ITERS)))
    local mutator, collector, ratio, batches, wrong = pipe:read("*n", "*n",
      "*n", "*n", "*n")
    pipe:close()
    print(("| %s | %d | %.3f | %.3f | %.3f | %d of %d differ |"):format(mode,
      live, mutator, collector, ratio, wrong, batches))
    worst = math.max(worst, math.abs(mutator - 1), math.abs(collector - 1))
  end
end
print(("\nlargest difference of a time: %.1f %%"):format(100 * worst))

local ROUNDS_INSIDE = 20
print(("\nPaced inside calls, %d rounds\n"):format(ROUNDS_INSIDE))
print("| mode | live objects | call | collections a call | collector "
  .. "| collections |")
print "|---|---|---|---|---|---|"
for _, mode in ipairs { "incremental", "generational" } do
  for _, live in ipairs { 100, 20000 } do
    local pipe = assert(io.popen(("%s spec/support/inside_truth.lua %s %d %d")
      :format(lua, mode, live, ROUNDS_INSIDE)))
    for line in pipe:lines() do
      print(("| %s | %d | %s |"):format(mode, live,
        (line:gsub("|", " | "))))
    end
    pipe:close()
  end
end
