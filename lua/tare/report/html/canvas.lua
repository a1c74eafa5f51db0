-- Shapes on the canvas of a plot, 1000 by 1000 and stretched to its frame;
-- strokes keep their width. Colours and widths come with the class.
local canvas = {}

local SIDE = 1000

--- A place on the canvas: x to the right, y downwards.
---@param x number value on the axis ax
---@param y number value on the axis ay
---@return integer, integer
function canvas.place(ax, ay, x, y)
  local function round(share)
    share = math.max(-1, math.min(2, share))
    return math.floor(share * SIDE + 0.5)
  end
  return round(ax.at(x)), round(1 - ay.at(y))
end

local function steps(ax, ay, xs, ys, form)
  local list = {}
  for i = 1, #xs do
    list[i] = form:format(canvas.place(ax, ay, xs[i], ys[i]))
  end
  return list
end

--- Points as round or square dots, by the line caps of the class.
---@param class string
---@param xs number[]
---@param ys number[]
---@return string markup
function canvas.dots(class, ax, ay, xs, ys)
  if #xs == 0 then return "" end
  return ('<path class="dots %s" d="%s"/>'):format(class,
    table.concat(steps(ax, ay, xs, ys, "M%d %dh0")))
end

--- A line through points.
---@return string markup
function canvas.line(class, ax, ay, xs, ys)
  if #xs == 0 then return "" end
  return ('<path class="line %s" d="M%s"/>'):format(class,
    table.concat(steps(ax, ay, xs, ys, "%d %d"), "L"))
end

--- A filled shape through points, closed at its start.
---@return string markup
function canvas.area(class, ax, ay, xs, ys)
  if #xs == 0 then return "" end
  return ('<path class="area %s" d="M%sZ"/>'):format(class,
    table.concat(steps(ax, ay, xs, ys, "%d %d"), "L"))
end

--- A band between two values of x, from top to bottom.
---@return string markup
function canvas.column(class, ax, low, high)
  local from, to = math.max(0, ax.at(low)), math.min(1, ax.at(high))
  return ('<rect class="%s" x="%.1f" y="0" width="%.1f" height="1000"/>')
    :format(class, from * SIDE, math.max(0, to - from) * SIDE)
end

--- A line from top to bottom at x.
---@return string markup
function canvas.rule(class, ax, x)
  return ('<path class="line %s" d="M%d 0v1000"/>'):format(class,
    math.floor(ax.at(x) * SIDE + 0.5))
end

return canvas
