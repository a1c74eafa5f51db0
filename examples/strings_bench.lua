-- Which way of building a string from n pieces is worth its garbage?
local tare = require "tare"

local ways = {}

-- Copies all there is for each piece.
function ways.concat(pieces)
  local s = ""
  for i = 1, #pieces do s = s .. pieces[i] end
  return s
end

-- What the manual advises: collect, then join once.
function ways.join(pieces)
  local buffer = {}
  for i = 1, #pieces do buffer[i] = pieces[i] end
  return table.concat(buffer)
end

-- The same buffer for every string.
local kept = {}
function ways.join_reused(pieces)
  local count = #pieces
  for i = 1, count do kept[i] = pieces[i] end
  return table.concat(kept, "", 1, count)
end

-- Joins pieces of like length only, as a tower of Hanoi ('Programming in Lua',
-- first edition, 11.6).
function ways.tower(pieces)
  local stack, top = {}, 0
  for i = 1, #pieces do
    local s = pieces[i]
    while top > 0 and #stack[top] <= #s do
      s, top = stack[top] .. s, top - 1
    end
    top = top + 1
    stack[top] = s
  end
  return table.concat(stack, "", 1, top)
end

-- Lets the library fill its own buffer.
function ways.gsub(pieces)
  local i = 0
  return (("."):rep(#pieces):gsub(".", function()
    i = i + 1
    return pieces[i]
  end))
end

local function pieces_of(p)
  local pieces = {}
  for i = 1, p.n do pieces[i] = "piece " .. i % 10 .. "\n" end
  return pieces
end

local suite = tare.suite "strings"

suite:bench("build", {
  params = { n = tare.geometric(10, 1000, 10), impl = ways },
  baseline = "concat",
  args = function(p) return p.impl, pieces_of(p) end,
  run = function(build, pieces) return build(pieces) end,
  throughput = { items = function(p) return p.n end },
})

return tare.main(suite, ...)
