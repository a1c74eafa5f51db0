-- The game of spec/lab/love.sh: 60 frames a second, in turn with the recorder
-- and a session open for twenty seconds, and without for ten.
local tare = require "tare"

local FRAME_S, PART_S, STEP_MS = 1 / 60, 10, 2
local MOST = 2 ^ 18 -- frames of each kind: more than two hours

-- What the lab notes has its final size from the start: the heap that it looks
-- at is the game's.
local ffi = require "ffi"
local duration_s = 300
local noted_s = { with = ffi.new("double[?]", MOST),
  without = ffi.new("double[?]", MOST) }
local counts = { with = 0, without = 0 }
local particles, recorder, session, scopes = {}, nil, nil, {}
local began_s, due_s, heaps, sessions, wants_quit = 0, 0, {}, 0, nil
local flushed_kb = {}
local last_s

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

local function is_with(now_s)
  return math.floor((now_s - began_s) / PART_S) % 3 < 2
end

local with = true

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

local function quantile(list, q)
  return list[math.max(1, math.ceil(q * #list))] * 1e3
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
  for _, name in ipairs { "without", "with" } do
    local list = {}
    for i = 1, counts[name] do list[i] = noted_s[name][i - 1] end
    table.sort(list)
    if #list == 0 then list[1] = 0/0 end -- too short a session
    print(("%-8s %6d frames: p50 %.2f p95 %.2f p99 %.2f longest %.2f ms")
      :format(name, #list, quantile(list, 0.5), quantile(list, 0.95),
      quantile(list, 0.99), quantile(list, 1)))
  end
  print(("%d sessions; heap after full collections, first and last minute: "
    .. "%.0f and %.0f kB; without compiled code %.0f and %.0f kB"):format(
    sessions, heaps[1], heaps[#heaps], flushed_kb[1] or 0, flushed_kb[2]))
  print(tare.render(recorder, "text"))
  love.event.quit()
end

function love.update(dt)
  local now_s = love.timer.getTime()
  with = is_with(now_s)
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
  now_s = love.timer.getTime()
  due_s = math.max(due_s + FRAME_S, now_s)
  if last_s then
    local kind = with and "with" or "without"
    noted_s[kind][counts[kind]] = now_s - last_s
    counts[kind] = counts[kind] + 1
  end
  last_s = now_s
  if now_s - began_s > duration_s then finish() end
end
