-- The collector's share of paced frames, beside what is known of it otherwise.
-- Three functions with live heaps of their own, in frames of about 0.2 ms: with
-- the collector as it is and paced, in turn, and stopped. The share is that of
-- the recorder; it also follows from the time of frames with the collector as
-- it is and stopped, which need fresh memory; tare.measure has it of the same
-- function. The largest heap of each, and what pacing adds to a frame.
-- Prints; judges nothing.
--   make lab NAME=frames_paced [ARGS='ROUNDS [incremental|generational]']
local core = require "tare.core"
local tare = require "tare"

local rounds = tonumber((...)) or 8
local mode = select(2, ...) or "incremental"
local FRAMES, STOPPED_FRAMES, LIVE = 2000, 500, 40000

local function tables()
  local kept = {}
  for i = 1, LIVE do kept[i] = { i } end
  local at = 0
  return function()
    for _ = 1, 1000 do
      at = at % LIVE + 1
      kept[at] = { at }
    end
    return kept[at]
  end
end

local function strings()
  local kept, at = {}, 0
  return function()
    for i = 1, 300 do
      at = at % LIVE + 1
      kept[at] = "number " .. at .. "/" .. i % 7 .. ":" .. at * i
    end
    return kept[at]
  end
end

local function entities()
  local list = {}
  for i = 1, LIVE / 10 do
    list[i] = { x = i, y = 0, tags = { "a", "b" }, path = { { i, i } } }
  end
  return function()
    for i = 1, 300 do
      local one = list[i * 13 % #list + 1]
      one.x = one.x + 0.5
      one.path = { { one.x, one.y }, { one.y, one.x } }
    end
  end
end

local function bytes(n) return ("%.1f MB"):format(n / 1e6) end

local function play(update, gc, frames)
  collectgarbage()
  if gc == "stopped" then collectgarbage "stop" end
  local recorder = tare.frames { frames = 10,
    gc = gc == "paced" and gc or "natural" }
  local scope = recorder:scope "update"
  for _ = 1, frames do
    recorder:begin()
    recorder:enter(scope)
    update()
    recorder:leave(scope)
    recorder:finish()
  end
  local result = recorder:result()
  collectgarbage "restart"
  return result
end

local function median(list) return core.stats.median(list) end

local function try(name, make)
  local update = make()
  local of = { natural = {}, paced = {}, stopped = {} }
  local heaps = { natural = 0, paced = 0 }
  local shares, untimed = {}, 0
  play(update, "natural", FRAMES)
  for _ = 1, rounds do
    for _, gc in ipairs { "natural", "paced" } do
      local result = play(update, gc, FRAMES)
      table.insert(of[gc], result.mean)
      heaps[gc] = math.max(heaps[gc], result.heap_bytes.max)
      if gc == "paced" then
        shares[#shares + 1] = 100 * result.collector.share
        untimed = untimed + result.paced.untimed
      end
    end
  end
  table.sort(shares)
  collectgarbage()
  local measured = tare.measure(update, { gc = "paced", quota = "2s" })
  for _ = 1, rounds do -- last: a heap that was so large is collected later
    table.insert(of.stopped, play(update, "stopped", STOPPED_FRAMES).mean)
  end
  local natural, paced, stopped = median(of.natural), median(of.paced),
    median(of.stopped)
  print(("%-9s frame %.3f ms, paced %.3f (%+.1f %%), stopped %.3f"):format(name,
    natural, paced, 100 * (paced / natural - 1), stopped))
  print(("  share %.1f %% (%.1f to %.1f); by stopped frames %.1f %%; measured "
    .. "%.1f %% of %.3f ms"):format(median(shares), shares[1], shares[#shares],
    100 * (1 - stopped / natural), 100 * (measured.collector
      and measured.collector.value or 0) / measured.time.value,
    measured.time.value / 1e6))
  print(("  heap at most %s, paced %s; %d frames untimed"):format(
    bytes(heaps.natural), bytes(heaps.paced), untimed))
end

if _VERSION >= "Lua 5.4" then collectgarbage(mode) end
print(("%s, %s, %d rounds of %d frames"):format(_VERSION,
  rawget(_G, "jit") and "LuaJIT" or mode, rounds, FRAMES))
try("tables", tables)
try("strings", strings)
try("entities", entities)
