-- A game that measures itself in real frames: tare gets two milliseconds of
-- each, and records what the game takes. Then the report is drawn.
--
--   LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH='build/luajit/?.so;;' \
--     love examples/love [screenshot] [quit-early] [stay] [capture]
--
-- It quits after five seconds of the report. 'screenshot' writes tare.png into
-- LOEVE's folder and quits; 'quit-early' quits with the session still open;
-- 'stay' does not quit; 'capture' writes frames.json, frames.html and a trace
-- for ui.perfetto.dev into that folder at the end.
local tare = require "tare"
local overlay = require "overlay"

local BUDGET_MS, COUNT = 2, 400
local SHOWN_FRAMES = 10 -- of the report, before the screenshot
local SHOWN_S = 5

local particles, session, recorder, report, progress, shown = {}, nil, nil, nil,
  0, 0
local update, draw, trace
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
  recorder = tare.frames { frames = 600, scopes = { update = 1, draw = 4 } }
  update, draw = recorder:scope "update", recorder:scope "draw"
  if wants.capture then
    trace = assert(love.filesystem.newFile("trace.json", "w"))
    recorder:stream("perfetto", function(text) return trace:write(text) end)
  end
  recorder:mark "measuring"
end

-- What one frame takes: from here to the end of love.draw.
function love.update(dt)
  recorder:begin()
  recorder:enter(update)
  move(particles, dt * 60)
  recorder:leave(update)
  if report then
    shown_s = shown_s + dt
    if shown_s > SHOWN_S and not wants.stay then love.event.quit() end
    return
  end
  local done
  done, progress = session:step(BUDGET_MS)
  if wants["quit-early"] and progress > 0.3 then return love.event.quit() end
  if not done then return end
  report = overlay.text(tare.render(session:report(), "text",
    { width = 90, ascii = true }))
  session:close()
  recorder:mark "report"
end

local function save(image)
  image:encode("png", "tare.png")
  love.event.quit()
end

function love.draw()
  recorder:enter(draw)
  love.graphics.setColor(0.35, 0.65, 0.9)
  for _, p in ipairs(particles) do love.graphics.circle("fill", p.x, p.y, 2) end
  love.graphics.setColor(0, 0, 0, 0.7)
  love.graphics.rectangle("fill", 10, 10, 880, 400)
  love.graphics.setColor(1, 1, 1)
  overlay.draw(recorder, 20, 16)
  if report then
    report(20, 68, 860, 336)
    shown = shown + 1
  else
    love.graphics.print(("measuring: %3.0f %%"):format(100 * progress), 20, 68)
  end
  recorder:leave(draw)
  recorder:finish()
  if wants.screenshot and shown == SHOWN_FRAMES then
    love.graphics.captureScreenshot(save)
  end
end

function love.quit()
  if not wants.capture then return end
  recorder:stream()
  trace:close()
  for _, format in ipairs { "json", "html" } do
    love.filesystem.write("frames." .. format, tare.render(recorder, format))
  end
end
