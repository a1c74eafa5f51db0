-- What the host of examples/embed measures: two ways to move its particles.
local tare = ...

local COUNT = 500

local function objects()
  local list = {}
  for i = 1, COUNT do list[i] = { x = i, y = -i, vx = 0.5, vy = 0.25 } end
  return list
end

local function columns()
  local all = { x = {}, y = {}, vx = {}, vy = {} }
  for i = 1, COUNT do
    all.x[i], all.y[i], all.vx[i], all.vy[i] = i, -i, 0.5, 0.25
  end
  return all
end

local suite = tare.suite "particles"

suite:bench("objects", {
  baseline = true,
  args = objects,
  run = function(list)
    for i = 1, #list do
      local p = list[i]
      p.x, p.y = p.x + p.vx, p.y + p.vy
    end
  end,
})

suite:bench("columns", {
  args = columns,
  run = function(all)
    local x, y, vx, vy = all.x, all.y, all.vx, all.vy
    for i = 1, #x do
      x[i], y[i] = x[i] + vx[i], y[i] + vy[i]
    end
  end,
})

return suite, { quota = "300ms" }
