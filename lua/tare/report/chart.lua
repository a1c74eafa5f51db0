-- Plots made of characters, for a terminal: sweeps as lines on axes, the times
-- of benches that were compared as boxes.
local distribution = require "tare.report.distribution"
local figures = require "tare.report.figures"
local groups = require "tare.report.groups"
local numerals = require "tare.base.numerals"
local scale = require "tare.report.scale"
local width = require "tare.report.width"

local chart = {}

local WIDEST, UNLIMITED = 64, 100 -- columns of a plot; of a pipe
local ROWS = 14
local NARROWEST_LABEL = 8

local MARKS = { "\226\151\143", "\226\151\139", "\226\150\178", "\226\150\179",
  "\226\150\160", "\226\150\161", "\226\151\134", "\226\151\135" }
local LETTERS = { "o", "x", "+", "*", "#", "%", "@", "&" }

local function mark(i, ascii)
  local marks = ascii and LETTERS or MARKS
  return marks[(i - 1) % #marks + 1]
end

local function blank(size)
  local row = {}
  for i = 1, size do row[i] = " " end
  return row
end

-- Column (from 1) of a place between 0 and 1.
local function place(at, size)
  return math.floor(math.max(0, math.min(1, at)) * (size - 1) + 0.5) + 1
end

-- Labels below an axis, each centred under its place; one that would touch the
-- one before it is left out.
local function axis_line(axis, texts, size)
  local line, used = "", 0
  for i, tick in ipairs(axis.ticks) do
    local own = width.of(texts[i])
    local start = place(axis.at(tick), size) - 1 - math.floor(own / 2)
    start = math.max(0, math.min(size - own, start))
    if used == 0 or start > used then
      line = width.pad(line, start) .. texts[i]
      used = start + own
    end
  end
  return line
end

-- "10.0 us" -> "10 us"
local function tidy(s)
  return (s:gsub("(%.%d-)0+(%D)", "%1%2"):gsub("%.(%D)", "%1"))
end

local function tick_texts(axis, unit)
  local texts = {}
  for i, tick in ipairs(axis.ticks) do
    texts[i] = unit and tidy(figures.quantity(tick, unit))
      or numerals.format("%.6g", tick)
  end
  return texts
end

-- Dots along the straight line between two points, where nothing is yet.
local function connect(grid, a, b, dot)
  local steps = math.max(math.abs(b.column - a.column), math.abs(b.row - a.row))
  for step = 1, steps - 1 do
    local row = math.floor(a.row + (b.row - a.row) * step / steps + 0.5)
    local column = math.floor(a.column + (b.column - a.column) * step / steps
      + 0.5)
    if grid[row][column] == " " then grid[row][column] = dot end
  end
end

-- A mark at its place, or beside those that are there already.
local function put(row, column, size, sign)
  for _, aside in ipairs { 0, 1, -1, 2, -2 } do
    local at = column + aside
    if at >= 1 and at <= size and not row.marked[at] then
      row[at], row.marked[at] = sign, true
      return
    end
  end
end

local MOST_JOINED = 3 -- series that are joined by dots

local function sweep_lines(sweep, options)
  -- SCALES, and the room that labels and names leave
  local xs, ys = {}, {}
  for _, series in ipairs(sweep.series) do
    for _, point in ipairs(series.points) do
      xs[#xs + 1], ys[#ys + 1] = point.x, point.value
    end
  end
  local ax, ay = scale.suited(xs), scale.suited(ys, 4)
  if not ax then return {} end
  local labels, room = tick_texts(ay, sweep.unit), 0
  for _, label in ipairs(labels) do room = math.max(room, width.of(label)) end
  -- Each series has its name beside its last point, where there is room.
  local names, names_room = {}, 0
  for k, series in ipairs(sweep.series) do
    names[k] = options.plain(series.label)
    names_room = math.max(names_room, width.of(names[k]) + 1)
  end
  local free = (options.width or UNLIMITED) - room - 3
  if names_room > free / 4 then names_room = 0 end
  local size = math.max(10, math.min(WIDEST, free - names_room))
  -- THE GRID: points, and dots that join those of a series
  local grid, dot = {}, options.ascii and "." or "\194\183"
  for row = 1, ROWS do
    grid[row] = blank(size)
    grid[row].marked = {}
  end
  local placed = {}
  for k, series in ipairs(sweep.series) do
    placed[k] = {}
    for i, p in ipairs(series.points) do
      placed[k][i] = { column = place(ax.at(p.x), size),
        row = ROWS + 1 - place(ay.at(p.value), ROWS) }
    end
  end
  for _, points in ipairs(#placed <= MOST_JOINED and placed or {}) do
    for i = 2, #points do connect(grid, points[i - 1], points[i], dot) end
  end
  for k, points in ipairs(placed) do
    for _, p in ipairs(points) do
      put(grid[p.row], p.column, size, mark(k, options.ascii))
    end
  end
  -- LINES of the grid, between the labels and the names
  local at_row = {}
  for i, tick in ipairs(ay.ticks) do
    at_row[ROWS + 1 - place(ay.at(tick), ROWS)] = labels[i]
  end
  local lines = { ("time per call%s over %s%s"):format(
    ay.kind == "log" and " (log)" or "", options.plain(sweep.axis),
    ax.kind == "log" and " (log)" or "") }
  local edge = options.ascii and "|" or "\226\148\130"
  local ends = {}
  for k, points in ipairs(names_room > 0 and placed or {}) do
    local last = points[#points]
    if last then
      ends[last.row] = (ends[last.row] and ends[last.row] .. ", " or " ")
        .. names[k]
    end
  end
  for row = 1, ROWS do
    local line = width.pad(at_row[row] or "", room, "right") .. " "
      .. edge .. table.concat(grid[row])
    lines[#lines + 1] = width.cut(line .. (ends[row] or ""),
      options.width or UNLIMITED, options.ellipsis)
  end
  -- THE AXIS below, and which mark is of which series
  local corner, level = options.ascii and "+" or "\226\148\148",
    options.ascii and "-" or "\226\148\128"
  lines[#lines + 1] = (" "):rep(room + 1) .. corner .. level:rep(size)
  lines[#lines + 1] = (" "):rep(room + 2)
    .. axis_line(ax, tick_texts(ax), size)
  local keys = {}
  for k, series in ipairs(sweep.series) do
    keys[k] = mark(k, options.ascii) .. " " .. options.plain(series.label)
  end
  for _, line in ipairs(width.wrap(table.concat(keys, "  "), options.width)) do
    lines[#lines + 1] = line
  end
  return lines
end

local GLYPHS = {
  box = { whisker = "\226\148\128", left = "\226\148\156",
    right = "\226\148\164", body = "\226\150\146", middle = "\226\148\131" },
  ascii = { whisker = "-", left = "|", right = "|", body = "=",
    middle = "#" } }

local MOST_BOXES = 16

-- Quartiles and ends of the times per call.
local function box_of(result)
  local values = distribution.values(result)
  if #values < 5 then return nil end
  local low, high = distribution.bulk(values)
  table.sort(values)
  return { low = low, high = high, q1 = distribution.of_sorted(values, 0.25),
    middle = distribution.of_sorted(values, 0.5),
    q3 = distribution.of_sorted(values, 0.75) }
end

local function box_lines(section, options)
  local rows, ends, room = {}, {}, 0
  for _, result in ipairs(section.results or {}) do
    local box = not result.error and box_of(result)
    if box then
      local label = options.plain(groups.label(result, section.title))
      rows[#rows + 1] = { label = label, box = box }
      ends[#ends + 1], ends[#ends + 2] = box.low, box.high
      room = math.max(room, width.of(label))
    end
  end
  if #rows < 2 or #rows > MOST_BOXES then return {} end
  local free = options.width or UNLIMITED
  room = math.max(NARROWEST_LABEL, math.min(room, math.floor(free / 3)))
  local size = math.max(10, math.min(WIDEST, free - room - 2))
  local axis, glyphs = scale.suited(ends, 4), options.ascii and GLYPHS.ascii
    or GLYPHS.box
  local lines = width.wrap(("batches: %s middle half, %s median, %s%s%s the "
    .. "bulk"):format(glyphs.body, glyphs.middle, glyphs.left, glyphs.whisker,
    glyphs.right), options.width)
  for _, row in ipairs(rows) do
    local line, box = blank(size), row.box
    local low, high = place(axis.at(box.low), size),
      place(axis.at(box.high), size)
    for i = low, high do line[i] = glyphs.whisker end
    line[low], line[high] = glyphs.left, glyphs.right
    for i = place(axis.at(box.q1), size), place(axis.at(box.q3), size) do
      line[i] = glyphs.body
    end
    line[place(axis.at(box.middle), size)] = glyphs.middle
    lines[#lines + 1] = width.pad(width.squeeze(row.label, room,
      options.ellipsis), room) .. "  " .. table.concat(line)
  end
  lines[#lines + 1] = (" "):rep(room + 2)
    .. axis_line(axis, tick_texts(axis, "ns"), size)
  return lines
end

--- The plot of a section of a document; empty where there is nothing to draw.
---@param options { width: integer?, ascii: boolean?, ellipsis: string, plain:
---  fun(s: string): string }
---@return string[] lines
function chart.lines(section, options)
  if section.sweep then return sweep_lines(section.sweep, options) end
  if section.kind == "benches" then return box_lines(section, options) end
  return {}
end

return chart
