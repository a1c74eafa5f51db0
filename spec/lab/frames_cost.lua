-- What a recorder costs per frame: with it, with three scopes, and without.
-- Bursts of frames whose work is a loop over numbers, in turn without a
-- recorder, with one, with three scopes, and with live figures; the shortest
-- burst of each. And the bytes that the heap grew by, the collector stopped.
-- (From C: `embed_frames cost`.) Prints; judges nothing.
--   make lab NAME=frames_cost [ARGS=BURSTS]
local core = require "tare.core"
local tare = require "tare"

local BURSTS, FRAMES = tonumber((...)) or 400, 2000

local recorder = tare.frames { scopes = { a = 1, b = 1, c = 1 } }
local a, b, c = recorder:scope "a", recorder:scope "b", recorder:scope "c"
local numbers, live = {}, {}
for i = 1, 20 do numbers[i] = i end
recorder:live(live)

local sum = 0
local function update()
  for i = 1, #numbers do sum = sum + numbers[i] end
end

local KINDS = {
  { "without", function()
    for _ = 1, FRAMES do update() end
  end },
  { "two readings of the clock", function()
    local now_ns = core.now_ns
    for _ = 1, FRAMES do
      now_ns()
      update()
      now_ns()
    end
  end },
  { "with", function()
    for _ = 1, FRAMES do
      recorder:begin()
      update()
      recorder:finish()
    end
  end },
  { "with three scopes", function()
    for _ = 1, FRAMES do
      recorder:begin()
      recorder:enter(a)
      update()
      recorder:leave(a)
      recorder:enter(b)
      recorder:leave(b)
      recorder:enter(c)
      recorder:leave(c)
      recorder:finish()
    end
  end },
  { "live, once a frame", function()
    for _ = 1, FRAMES do
      update()
      recorder:live(live)
    end
  end },
}

local shortest_ns, grown = {}, {}
for _ = 1, BURSTS do
  for k, kind in ipairs(KINDS) do
    collectgarbage()
    collectgarbage "stop"
    local kb, began_ns = collectgarbage "count", core.now_ns()
    kind[2]()
    local ns = core.now_ns() - began_ns
    grown[k] = (collectgarbage "count" - kb) * 1024
    collectgarbage "restart"
    shortest_ns[k] = math.min(shortest_ns[k] or ns, ns)
  end
end
for k, kind in ipairs(KINDS) do
  print(("%-26s %5.0f ns a frame, %+5.0f ns; in the last %d frames the heap "
    .. "grew by %d bytes"):format(kind[1], shortest_ns[k] / FRAMES,
    (shortest_ns[k] - shortest_ns[1]) / FRAMES, FRAMES, grown[k]))
end
return sum
