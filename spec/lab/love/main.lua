-- The game of spec/lab/love.sh: 60 frames a second, with the recorder and a
-- session open for five seconds and without for five, in turn; which of both
-- is first changes from pair to pair, so that both meet the same noise.
local core = require "tare.core"
local tare = require "tare"

local FRAME_S, BLOCK_S, STEP_MS = 1 / 60, 5, 2
local MOST = 2 ^ 18 -- frames of each kind: more than two hours

-- What the lab notes has its final size from the start: the heap that it looks
-- at is the game's.
local ffi = require "ffi"
local duration_s = 300
local noted_s = { with = ffi.new("double[?]", MOST),
  without = ffi.new("double[?]", MOST) }
local cpu_s = { with = ffi.new("double[?]", MOST),
  without = ffi.new("double[?]", MOST) }
local pairs_of = { with = ffi.new("int[?]", MOST),
  without = ffi.new("int[?]", MOST) }
local counts = { with = 0, without = 0 }
local particles, recorder, session, scopes = {}, nil, nil, {}
local began_s, due_s, heaps, sessions, wants_quit = 0, 0, {}, 0, nil
local flushed_kb = {}
local last_s
local meter = core.meter { by_cpu = true }
local last_cpu_ns = 0

local function suite()
  local made = tare.suite "game"
  local text = ("x"):rep(40)
  made:bench("upper", function() return text:upper() end)
  made:bench("pairs", function()
    local list = {}
    for i = 1, 20 do list[i] = { i } end
    return list
  end)
  return made
end

function love.load(arguments)
  for _, word in ipairs(arguments) do
    duration_s = tonumber(word) or duration_s
    if word == "quit" then wants_quit = 0.5 end
  end
  for i = 1, 400 do particles[i] = { x = i, y = i * 7 % 360, v = i % 7 } end
  recorder = tare.frames { frames = 600 }
  for _, name in ipairs { "update", "tare", "draw" } do
    scopes[name] = recorder:scope(name)
  end
  session = tare.session(suite(), { quota = "1s" })
  began_s = love.timer.getTime()
  due_s, last_s = began_s + FRAME_S, began_s
end

-- Blocks are with, without, without, with, and so on.
local function block_at(now_s)
  local block = math.floor((now_s - began_s) / BLOCK_S)
  return math.floor(block / 2) + 1, (block + 1) % 4 < 2
end

local pair, with = 1, true

-- The game's own work: 400 particles, and some garbage.
local function move(dt)
  for i = 1, #particles do
    local p = particles[i]
    particles[i] = { x = (p.x + p.v * dt) % 640, y = p.y, v = p.v }
  end
end

local function step_session()
  local done = session:step(STEP_MS)
  if not done then return end
  session:report()
  session:close()
  sessions = sessions + 1
  session = tare.session(suite(), { quota = "1s" })
end

-- Frames of a kind, the longest first: their milliseconds, and their pairs.
local function longest_first(kind)
  local list = {}
  for i = 1, counts[kind] do
    list[i] = { ms = noted_s[kind][i - 1] * 1e3, pair = pairs_of[kind][i - 1] }
  end
  table.sort(list, function(a, b) return a.ms > b.ms end)
  return list
end

-- The duration that a share of the frames is beyond, each frame counting as
-- often as its pair of blocks.
local function beyond(list, share, weights)
  local all, seen = 0, 0
  for i = 1, #list do all = all + weights[list[i].pair] end
  for i = 1, #list do
    seen = seen + weights[list[i].pair]
    if seen > share * all then return list[i].ms end
  end
  return 0/0 -- too short a session
end

-- By how much the slowest hundredth begins later with than without: its 95 %
-- interval, by pairs of blocks drawn again.
local function difference(lists)
  math.randomseed(22)
  local found = {}
  for draw = 1, 1000 do
    local weights = {}
    for i = 1, pair do weights[i] = 0 end
    for _ = 1, pair do
      local i = math.random(pair)
      weights[i] = weights[i] + 1
    end
    found[draw] = beyond(lists.with, 0.01, weights)
      - beyond(lists.without, 0.01, weights)
  end
  table.sort(found)
  return found[25], found[976]
end

-- The heap after full collections, with and without compiled code.
local function heap_kb(is_flushed)
  if is_flushed then jit.flush() end
  collectgarbage()
  collectgarbage()
  return collectgarbage "count"
end

local function finish()
  heaps[#heaps + 1] = heap_kb()
  flushed_kb[2] = heap_kb(true)
  local once = {}
  for i = 1, pair do once[i] = 1 end
  local low, high = difference { with = longest_first "with",
    without = longest_first "without" }
  for _, name in ipairs { "without", "with" } do
    local list = longest_first(name)
    print(("%-8s %6d frames: p50 %.2f p95 %.2f p99 %.2f longest %.2f ms")
      :format(name, #list, beyond(list, 0.5, once), beyond(list, 0.05, once),
      beyond(list, 0.01, once), beyond(list, 0, once)))
    for i = 1, #list do
      list[i] = { ms = cpu_s[name][i - 1] * 1e3, pair = list[i].pair }
    end
    table.sort(list, function(a, b) return a.ms > b.ms end)
    print(("  by CPU time        p50 %.2f p95 %.2f p99 %.2f longest %.2f ms")
      :format(beyond(list, 0.5, once), beyond(list, 0.05, once),
      beyond(list, 0.01, once), beyond(list, 0, once)))
  end
  print(("p99 with, less that without: %.3f to %.3f ms (95 %%, by %d pairs)")
    :format(low, high, pair))
  print(("%d sessions; heap after full collections, first and last minute: "
    .. "%.0f and %.0f kB; without compiled code %.0f and %.0f kB"):format(
    sessions, heaps[1], heaps[#heaps], flushed_kb[1] or 0, flushed_kb[2]))
  print(tare.render(recorder, "text"))
  love.event.quit()
end

function love.update(dt)
  local now_s = love.timer.getTime()
  pair, with = block_at(now_s)
  if with then
    recorder:begin()
    recorder:enter(scopes.update)
  end
  move(dt)
  if with then
    recorder:leave(scopes.update)
    recorder:enter(scopes.tare)
    step_session()
    recorder:leave(scopes.tare)
  end
  if wants_quit and now_s - began_s > wants_quit then
    return love.event.quit()
  end
  if (now_s - began_s) / 60 > #heaps + 0.9 then
    heaps[#heaps + 1] = heap_kb()
    flushed_kb[1] = flushed_kb[1] or heap_kb(true)
    last_s = nil -- that frame is the lab's own
  end
end

function love.draw()
  if with then recorder:enter(scopes.draw) end
  for _, p in ipairs(particles) do love.graphics.circle("fill", p.x, p.y, 2) end
  if with then
    recorder:leave(scopes.draw)
    recorder:finish()
  end
  local now_s = love.timer.getTime()
  if now_s < due_s then love.timer.sleep(due_s - now_s) end
  local cpu_ns = meter:now()
  now_s = love.timer.getTime()
  due_s = math.max(due_s + FRAME_S, now_s)
  if last_s then
    local kind = with and "with" or "without"
    noted_s[kind][counts[kind]] = now_s - last_s
    cpu_s[kind][counts[kind]] = (cpu_ns - last_cpu_ns) / 1e9
    pairs_of[kind][counts[kind]] = pair
    counts[kind] = counts[kind] + 1
  end
  last_s, last_cpu_ns = now_s, cpu_ns
  if now_s - began_s > duration_s then finish() end
end
