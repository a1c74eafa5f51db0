-- What runs come to that were compared with a collector that counts ('make
-- counted'): the figures of each cell, and whether the bounds hold. What is
-- missing agrees with nothing: a cell without a figure or without a count is
-- not within the bounds, and an interval that is missing does not hold.
--
-- A cell: { mode, live, name, runs, again?, leaves_nothing? }, where 'again' is
-- one more run, as long as the first refused one had asked for, and what leaves
-- nothing may have no collection to be counted. A run: { is_refused, net?,
-- collector?, share?, counted = table of truth.of }.
local core = require "tare.core"

local verdict = {}

-- CLOSE: how far the medians of net and collector may be from what was counted,
-- in cells with more than NEGLIGIBLE of their time in the collector. In others
-- net may be as far away, and the share NEGLIGIBLE of the time. HOLD: share of
-- the intervals, of all cells and runs, that hold what was counted.
local NEGLIGIBLE, CLOSE, HOLD = 0.02, 0.05, 0.9
--- The number of runs of each cell that the bounds are for.
verdict.RUNS = 5

local PARTS = { "net", "collector", "share" }
verdict.PARTS = PARTS

local function is_known(value)
  return value ~= nil and value == value and math.abs(value) < math.huge
end

--- The median of those values that are known.
---@param list number[]
---@return number? median nil if none is known
function verdict.median(list)
  local known = {}
  for _, value in ipairs(list) do
    if is_known(value) then known[#known + 1] = value end
  end
  return known[1] and core.stats.median(known) or nil
end
local median = verdict.median

-- Whether a count is there to compare a part of a run with. A share whose error
-- is not known would agree with any figure.
local function is_counted(run, part)
  local counted = run.counted
  return is_known(counted[part])
    and (part == "net" or is_known(counted.share) and is_known(counted.error))
end

-- Whether an interval holds what was counted. The share's has twice the error
-- of the count in quadrature.
local function holds(found, value, error_of_count)
  if not (found.low and found.high) then return false end
  local away = found.value - value
  local half = away > 0 and found.value - found.low or found.high - found.value
  return away ^ 2 <= half ^ 2 + (2 * error_of_count) ^ 2
end

-- Adds the intervals of a run to those of its cell.
local function add_intervals(cell_figures, run)
  for _, part in ipairs(PARTS) do
    local found, to = run[part], cell_figures[part]
    if not is_counted(run, part) then
      cell_figures.uncounted = cell_figures.uncounted + 1
    else
      local counted = run.counted
      to.intervals = to.intervals + 1
      if not (found and found.low) then
        cell_figures.missing = cell_figures.missing + 1
      elseif holds(found, counted[part],
        part == "share" and counted.error * counted.share or 0) then
        to.held = to.held + 1
      end
    end
  end
end

-- Adds the figures of a run, over what was counted, and their half-widths.
local function add_figures(cell_figures, run)
  for _, part in ipairs(PARTS) do
    local found, to = run[part], cell_figures[part]
    if found and is_counted(run, part) then
      table.insert(to.ratios, found.value / run.counted[part])
      table.insert(to.halves, found.low
        and (found.high - found.low) / 2 / found.value or 0 / 0)
    end
  end
  if run.share then
    table.insert(cell_figures.away, run.share.value
      - (is_counted(run, "share") and run.counted.share or 0))
    table.insert(cell_figures.own, run.share.value / run.counted.own_share)
  end
end

-- How far a cell is off, as a share: of the figures in cells with a collector,
-- else of the time; and why it is not within the bounds, if it isn't.
local function judge(figures, cell)
  local net, collector = median(figures.net.ratios),
    median(figures.collector.ratios)
  if not figures.counted then
    return math.huge, "no whole collection was counted"
  elseif not net then
    return math.huge, figures.refused == 0 and "no figure"
      or cell.again and "refused again" or "refused"
  end
  local off, away = math.abs(net - 1), 0
  if figures.counted > NEGLIGIBLE then
    off = math.max(off, math.abs((collector or math.huge) - 1))
  else
    away = math.abs(median(figures.away) or math.huge)
    off = math.max(off, away)
  end
  if off > CLOSE or away > NEGLIGIBLE then
    return off, ("%.1f %% off"):format(100 * off)
  elseif figures.counted > NEGLIGIBLE and figures.error > CLOSE then
    return off, ("counted to %.0f %% only"):format(100 * figures.error)
  end
  return off, nil
end

--- The figures of a cell. Where all of its runs were refused they are those of
--- the run that was as long as asked for.
---@param cell table
---@return table figures counted and error (of the share, medians; false or nil
---  if none was); for net, collector and share: ratios, halves, held,
---  intervals; away (of shares, from what was counted); own (shares over those
---  counted in tare's own batches alone); numbers of what is refused, missing
---  and uncounted; off, and why? (it is not within the bounds)
function verdict.of_cell(cell)
  local figures = { refused = 0, missing = 0, uncounted = 0, away = {},
    own = {} }
  for _, part in ipairs(PARTS) do
    figures[part] = { ratios = {}, halves = {}, held = 0, intervals = 0 }
  end
  local shares, errors, sound = {}, {}, {}
  for i, run in ipairs(cell.runs) do
    if is_counted(run, "share") then
      table.insert(shares, run.counted.share)
      table.insert(errors, run.counted.error)
    end
    if run.is_refused then
      figures.refused = figures.refused + 1
    else
      sound[#sound + 1] = cell.runs[i]
    end
  end
  figures.counted = median(shares) or cell.leaves_nothing and 0
  figures.error = median(errors)
  if cell.again and not cell.again.is_refused then
    if not sound[1] then add_figures(figures, cell.again) end
    add_intervals(figures, cell.again)
  end
  for _, run in ipairs(sound) do
    add_figures(figures, run)
    add_intervals(figures, run)
  end
  figures.off, figures.why = judge(figures, cell)
  return figures
end

--- What all cells come to.
---@param cells table[]
---@return table[] list { cell, figures } of each cell, the worst first
---@return string text what was found
---@return boolean passed whether the bounds hold
function verdict.of(cells)
  local list, text = {}, {}
  local within, below, again, refused_again, refused, runs = 0, 0, 0, 0, 0, 0
  local held, intervals, missing, uncounted = 0, 0, 0, 0
  for i, cell in ipairs(cells) do
    local figures = verdict.of_cell(cell)
    list[i] = { cell = cell, figures = figures, place = i }
    if not figures.why then within = within + 1 end
    if (figures.counted or 1) <= NEGLIGIBLE then below = below + 1 end
    if cell.again then
      again = again + 1
      refused_again = refused_again + (cell.again.is_refused and 1 or 0)
    end
    runs, refused = runs + #cell.runs, refused + figures.refused
    missing = missing + figures.missing
    uncounted = uncounted + figures.uncounted
    for _, part in ipairs(PARTS) do
      held = held + figures[part].held
      intervals = intervals + figures[part].intervals
    end
  end
  table.sort(list, function(a, b)
    local x, y = a.figures, b.figures
    if (x.why == nil) ~= (y.why == nil) then return x.why ~= nil end
    if x.off ~= y.off then return x.off > y.off end
    return a.place < b.place
  end)
  local function say(format, ...) text[#text + 1] = format:format(...) end
  say("%d of %d cells are within the bounds (%d %%; %d have at most %d %% of "
    .. "their time in the collector).", within, #cells, 100 * CLOSE, below,
    100 * NEGLIGIBLE)
  say("%d of %d intervals of all cells and runs hold what was counted (%.1f "
    .. "%%; the bound is %d %%). %d of these are missing. %d more have no "
    .. "count to be compared with.", held, intervals,
    100 * held / math.max(1, intervals), 100 * HOLD, missing, uncounted)
  say("%d of %d runs were refused. Of %d cells that were run again as long as "
    .. "they had asked for, %d were refused again.", refused, runs, again,
    refused_again)
  local passed = #cells > 0 and within == #cells
    and held >= HOLD * intervals and intervals > 0
  say(passed and "The bounds hold." or "The bounds do not hold.")
  return list, table.concat(text, "\n"), passed
end

return verdict
