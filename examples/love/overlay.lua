-- What the recorder of frames knows, drawn in the game. The figures are asked
-- for in each frame, which costs some microseconds and no garbage; their text
-- is made anew four times a second.
local overlay = {}

local CELL, LINE = 8, 14 -- pixels of a character: LOEVE's font has no columns
local EVERY_S = 0.25

local now, made, next_s = {}, nil, 0

--- Text in columns, to be drawn within a width and a height: smaller, where it
--- would not fit.
---@param text string ASCII
---@return fun(x: number, y: number, width: number, height: number)
function overlay.text(text)
  local font = love.graphics.getFont()
  local object = love.graphics.newText(font)
  local columns, lines = 1, 0
  for line in text:gmatch "([^\n]*)\n" do
    for i = 1, #line do
      local letter = line:sub(i, i)
      if letter ~= " " then
        object:add(letter, (i - 0.5) * CELL - font:getWidth(letter) / 2,
          lines * LINE)
      end
    end
    columns, lines = math.max(columns, #line), lines + 1
  end
  return function(x, y, width, height)
    local scale = math.min(1, width / (columns * CELL), height / (lines * LINE))
    love.graphics.draw(object, x, y, 0, scale, scale)
  end
end

--- Draws the figures of a recorder: three lines.
---@param recorder userdata
---@param x number
---@param y number
function overlay.draw(recorder, x, y)
  recorder:live(now)
  if now.frames == 0 then return end
  local s = love.timer.getTime()
  if not made or s >= next_s then
    made, next_s = ("frame  p50 %.2f ms   p99 %.2f ms   longest %.2f ms\n"
      .. "slowest 1 %%  %.2f ms (%.0f fps)   0.1 %%  %.2f ms (%.0f fps)\n"
      .. "%d frames, %d over the budget, %d stutters   Lua heap %.1f MiB")
      :format(now.p50, now.p99, now.max, now.low1, 1000 / now.low1, now.low01,
      1000 / now.low01, now.frames, now.over, now.stutters,
      now.heap_bytes / 2 ^ 20), s + EVERY_S
  end
  love.graphics.print(made, x, y)
end

return overlay
