-- A game that measures itself in real frames: tare gets two milliseconds of
-- each, and records what the update takes. Then the report is drawn.
--
--   LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH='build/luajit/?.so;;' \
--     love examples/love [screenshot] [quit-early] [stay]
--
-- It quits after five seconds of the report. 'screenshot' writes tare.png into
-- LOEVE's folder and quits; 'quit-early' quits with the session still open;
-- 'stay' does not quit.
local tare = require "tare"

local BUDGET_MS, COUNT = 2, 400
local SHOWN_FRAMES = 10 -- of the report, before the screenshot
local SHOWN_S = 5

local particles, session, recorder, report, progress, shown = {}, nil, nil, nil,
  0, 0
local shown_s = 0
local wants = {}

local function spawn(i)
  return { x = (i * 37) % 900, y = (i * 91) % 420, vx = i % 7 - 3, vy = i % 5 }
end

-- What is measured: the game's own update, and a way that makes garbage.
local function move(list, dt)
  for i = 1, #list do
    local p = list[i]
    p.x, p.y = (p.x + p.vx * dt) % 900, (p.y + p.vy * dt) % 420
  end
end

local function copied(list, dt)
  local moved = {}
  for i = 1, #list do
    local p = list[i]
    moved[i] = { x = p.x + p.vx * dt, y = p.y + p.vy * dt, vx = p.vx,
      vy = p.vy }
  end
  return moved
end

local function new_suite()
  local suite = tare.suite "update"
  local function args() return particles, 1 / 60 end
  suite:bench("in place", { args = args, run = move, baseline = true })
  suite:bench("copied", { args = args, run = copied })
  return suite
end

function love.load(arguments)
  for _, word in ipairs(arguments) do wants[word] = true end
  for i = 1, COUNT do particles[i] = spawn(i) end
  session = tare.session(new_suite(), { quota = "300ms" })
  recorder = tare.frames { frames = 600 }
end

function love.update(dt)
  recorder:begin()
  move(particles, dt * 60)
  recorder:finish()
  if report then
    shown_s = shown_s + dt
    if shown_s > SHOWN_S and not wants.stay then love.event.quit() end
    return
  end
  local done
  done, progress = session:step(BUDGET_MS)
  if wants["quit-early"] and progress > 0.3 then return love.event.quit() end
  if not done then return end
  report = tare.render(session:report(), "text",
    { width = 100, ascii = true })
  session:close()
end

local function frames_line()
  local frames = recorder:result()
  if not frames then return "" end
  return ("update: p50 %.3f ms, p99 %.3f ms, longest %.3f ms over %d frames")
    :format(frames.p50, frames.p99, frames.max, frames.frames)
end

local function save(image)
  image:encode("png", "tare.png")
  love.event.quit()
end

function love.draw()
  love.graphics.setColor(0.35, 0.65, 0.9)
  for _, p in ipairs(particles) do love.graphics.circle("fill", p.x, p.y, 2) end
  love.graphics.setColor(0, 0, 0, 0.7)
  love.graphics.rectangle("fill", 10, 10, 880, 400)
  love.graphics.setColor(1, 1, 1)
  love.graphics.print(frames_line(), 20, 20)
  if not report then
    return love.graphics.print(("measuring: %3.0f %%"):format(100 * progress),
      20, 40)
  end
  love.graphics.printf(report, 20, 50, 860)
  shown = shown + 1
  if wants.screenshot and shown == SHOWN_FRAMES then
    love.graphics.captureScreenshot(save)
  end
end
