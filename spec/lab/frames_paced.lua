-- The collector's share of paced frames, beside what is known of it otherwise.
-- Three functions with live heaps of their own, in frames of about 0.2 ms: with
-- the collector as it is, paced, and stopped, in turn. The share is reported by
-- the recorder; it also follows from the time of frames with the collector as it
-- is and stopped (which then need fresh memory); and tare.measure reports it of
-- the same function. The largest heap of each, and what pacing adds to a frame.
-- By CPU time. Prints; judges nothing.
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
  end
end

local function strings()
  local kept, at = {}, 0
  return function()
    for i = 1, 300 do
      at = at % LIVE + 1
      kept[at] = "number " .. at .. "/" .. i % 7 .. ":" .. at * i
    end
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
    gc = gc == "paced" and gc or "natural",
    meter = core.meter { by_cpu = true } }
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
    for gc, times in pairs(of) do
      local result = play(update, gc,
        gc == "stopped" and STOPPED_FRAMES or FRAMES)
      times[#times + 1] = result.mean
      if heaps[gc] then
        heaps[gc] = math.max(heaps[gc], result.heap_bytes.max)
      end
      if gc == "paced" then
        shares[#shares + 1] = 100 * result.collector.share
        untimed = untimed + result.paced.untimed
      end
    end
  end
  table.sort(shares)
  local natural, paced, stopped = median(of.natural), median(of.paced),
    median(of.stopped)
  collectgarbage()
  local measured = tare.measure(update, { gc = "paced", quota = "2s" })
  print(("%-9s frame %.3f ms, paced %.3f (%+.1f %%), stopped %.3f"):format(name,
    natural, paced, 100 * (paced / natural - 1), stopped))
  print(("  share %.1f %% (%.1f to %.1f); by stopped frames %.1f %%; measured "
    .. "%.1f %%"):format(median(shares), shares[1], shares[#shares],
    100 * (1 - stopped / natural),
    100 * measured.collector.value / measured.time.value))
  print(("  heap at most %s, paced %s; %d frames untimed"):format(
    bytes(heaps.natural), bytes(heaps.paced), untimed))
end

if _VERSION >= "Lua 5.4" then collectgarbage(mode) end
print(("%s, %s, %d rounds of %d frames"):format(_VERSION,
  rawget(_G, "jit") and "LuaJIT" or mode, rounds, FRAMES))
for name, make in pairs { tables = tables, strings = strings,
  entities = entities } do
  try(name, make)
end
