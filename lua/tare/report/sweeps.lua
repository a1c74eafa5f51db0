-- What a sweep says: one table with a row for each size and a column for each
-- implementation, the growth law of each, and who wins where.
local columns = require "tare.report.columns"
local escape = require "tare.report.escape"
local figures = require "tare.report.figures"
local groups = require "tare.report.groups"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"
local numerals = require "tare.base.numerals"
local finite = require("tare.report.scale").is_drawable
local trouble = require "tare.report.trouble"
local units = require "tare.base.units"

local sweeps = {}

local FEWEST = 5 -- points that can show a law (csrc/pure/growth.h)

-- "impl=move" -> "move", where all labels name the same parameter.
local function short_labels(series)
  local name
  for _, one in ipairs(series) do
    local label = tostring(one.label or "")
    local own = not label:find(",", 1, true) and label:match("^([^=]*)=")
    if not own or name and own ~= name then return nil end
    name = own
  end
  return name
end

-- One sweep of the Report, with everything that may be absent left out.
local function read(sweep)
  local axis, list = escape.visible(sweep.axis or ""), {}
  for _, one in ipairs(sweep.series or {}) do
    local points = {}
    for _, p in ipairs(one.points or {}) do
      if finite(p.x) and finite(p.value) then
        points[#points + 1] = { x = p.x, id = p.id, value = p.value,
          low = finite(p.low) and p.low or nil,
          high = finite(p.high) and p.high or nil }
      end
    end
    list[#list + 1] = { label = escape.visible(one.label or ""),
      raw = one.label, points = points, law = one.law }
  end
  local by = short_labels(list)
  for _, one in ipairs(list) do
    if by then one.label = one.label:sub(#by + 2) end
  end
  return { name = tostring(sweep.bench or ""), axis = axis, by = by,
    metric = sweep.metric, unit = sweep.unit or "ns", series = list,
    crossovers = sweep.crossovers or {} }
end

-- Sweeps of one bench each, over the same axis in the same suite, read better
-- side by side: "vector/list over n" and "vector/vector over n".
local function merged(list)
  local out, by_key = {}, {}
  for _, sweep in ipairs(list) do
    local parent, own = sweep.name:match("^(.*)/([^/]*)$")
    local xs = {}
    for i, p in ipairs(sweep.series[1] and sweep.series[1].points or {}) do
      xs[i] = tostring(p.x)
    end
    local key = parent and #sweep.series == 1 and not sweep.by
      and table.concat({ parent, sweep.axis, sweep.metric or "time",
        table.concat(xs, " ") }, "\0")
    local same = key and by_key[key]
    if key then sweep.series[1].label = escape.visible(own) end
    if same then
      same.name = parent
      table.insert(same.series, sweep.series[1])
    else
      out[#out + 1] = sweep
      if key then by_key[key] = sweep end
    end
  end
  return out
end

-- Values of the axis, ascending, each with the point of every series.
local function rows_of(sweep)
  local rows, at = {}, {}
  for k, series in ipairs(sweep.series) do
    for _, point in ipairs(series.points) do
      if not at[point.x] then
        at[point.x] = { x = point.x }
        rows[#rows + 1] = at[point.x]
      end
      at[point.x][k] = point
    end
  end
  table.sort(rows, function(a, b) return a.x < b.x end)
  return rows
end

-- The result that a point is of; nil where there is none.
local function result_of(point, relations)
  return point and relations.by_id[point.id or 0] or nil
end

-- Whether the first point is quicker for certain: by the results that they are
-- of, else by intervals that don't meet.
local function is_quicker(a, b, relations)
  local first, second = result_of(a, relations), result_of(b, relations)
  if first and second then return relations:is_quicker(first, second) end
  return metrics.has_interval(a) and metrics.has_interval(b)
    and a.high < b.low
end

-- The series that may be the quickest at a row, the one with the least time
-- first: those that no other is quicker than for certain.
local function leaders_of(row, count, relations)
  local best
  for k = 1, count do
    if row[k] and (not best or row[k].value < row[best].value) then
      best = k
    end
  end
  local leaders = { best }
  for k = 1, count do
    local is_behind = k == best or not row[k]
    for other = 1, count do
      is_behind = is_behind or other ~= k and row[other] ~= nil
        and is_quicker(row[other], row[k], relations)
    end
    if not is_behind then leaders[#leaders + 1] = k end
  end
  return leaders
end

-- Sets what is known of a row: 'candidates', the series that may be the
-- quickest, in the order of the columns; a single one is. Marks of cells and
-- sentences are made of this alone.
local function judge(row)
  local function is_sound(point)
    return finite(point.low) and finite(point.high) and not point.is_noisy
  end
  local best = row[row.leaders[1]]
  row.candidates = {}
  for _, k in ipairs(row.leaders) do
    local point = row[k]
    if is_sound(best) and is_sound(point) or not groups.is_far(best, point) then
      table.insert(row.candidates, k)
    end
  end
  table.sort(row.candidates)
  row.is_known = #row.candidates == 1
end

--- The sweeps of a Report, as they are shown.
---@param relations table of tare.report.groups
---@return table[] sweeps { name, axis, by, unit, series = { { label, points,
---  law } }, rows = { { x, [k] = point, leaders } }, crossovers, ids }
function sweeps.of(report, relations)
  local list = {}
  for _, sweep in ipairs(report.sweeps or {}) do
    if type(sweep.series) == "table" then list[#list + 1] = read(sweep) end
  end
  list = merged(list)
  for _, sweep in ipairs(list) do
    sweep.rows, sweep.ids = rows_of(sweep), {}
    for _, row in ipairs(sweep.rows) do
      row.leaders = leaders_of(row, #sweep.series, relations)
      for k = 1, #sweep.series do
        local point = row[k]
        local result = result_of(point, relations)
        if point and point.id then sweep.ids[point.id] = true end
        if result then
          point.is_noisy = columns.noise_of(result, report.options) ~= nil
          point.is_cut_short = trouble.is_cut_short(result)
        end
      end
      judge(row)
    end
  end
  return list
end

local SIMPLEST = { ["1"] = 1, ["log n"] = 2, n = 3, ["n log n"] = 4 }

--- A growth law in a word: the simplest of those that can't be ruled out, where
--- the exponent allows it; what grows for certain is not constant.
---@param law table? { name, exponent, also }
---@return string
function sweeps.law(law)
  if not (law and law.name) then return "?" end
  local e, simplest = law.exponent or {}, tostring(law.name)
  for _, name in ipairs(law.also or {}) do
    if name == "n" and SIMPLEST[simplest] == 4 and e.low and e.high
      and e.low <= 1 and e.high >= 1 then simplest = "n" end
    if simplest == "1" and e.low and e.low > 0 then
      simplest = tostring(name)
    end
  end
  return simplest == "1" and "constant" or simplest
end

local function exponent_text(x)
  return (numerals.fixed(x, 2):gsub("^%-(0%.00)$", "%1"))
end

-- Exponents that far apart are of different laws: n and n * sqrt(n).
local UNSURE = 0.5
local EXPONENT = { n = 1, ["n log n"] = 1, ["n^2"] = 2, ["n^3"] = 3 }
local LOG = 0.15 -- that log n may add
local FEW_FOR_NONE = 6 -- points: with fewer, none of the laws is no finding

-- Whether a law may be another: for its exponent's interval is that wide or
-- does not hold the law's own, or some of its points say little.
local function is_unsure(series)
  local law = series.law
  if not (law and law.name) then return false end
  for _, point in ipairs(series.points) do
    if point.is_noisy then return true end
  end
  local e, shown = law.exponent, sweeps.law(law)
  -- No power is a logarithm, so what its exponent may be says little of it.
  if shown == "log n" then return (law.also or {})[1] ~= nil end
  local own, more = EXPONENT[shown], shown == "n log n" and LOG or 0
  if not (e and finite(e.low) and finite(e.high)) then return false end
  return e.high - e.low > UNSURE
    or own ~= nil and (own + more < e.low or own > e.high)
end

-- A fixed cost is said from this share of the least point on: below, nobody
-- sees it when the size doubles.
local VISIBLE = 0.1

-- What a call costs at any size, beside what grows by the law that is shown,
-- and the factor of that. Nil where the fit is of another law, or a doubtful
-- one, or hardly any cost is fixed.
local function fixed_cost(series)
  local law = series.law
  local shown = law and law.name and sweeps.law(law)
  if not shown or shown == "?" or shown == "constant" or is_unsure(series) then
    return nil
  end
  local least = 1/0
  for _, point in ipairs(series.points) do
    least = math.min(least, point.value)
  end
  local of = shown == law.name and law.coefficients or {}
  if least > 0 and finite(of.constant) and finite(of.factor)
    and of.constant >= VISIBLE * least then
    return of.constant, of.factor
  end
end

-- Whether nearly any law is possible: no other one is excluded.
local MOST_OPEN = 1 -- width of the exponent's interval
local function is_open(series)
  local e = (series.law or {}).exponent
  if not (e and finite(e.low) and finite(e.high) and (series.law.also
    or {})[1]) then return false end
  return e.high - e.low > MOST_OPEN
    or sweeps.law(series.law) == "constant" and e.high > UNSURE
end

-- How a series grows, as a sentence; nil where it has too few points. And
-- "range" where it has the interval of the exponent.
local function growth(series, unit)
  local law = series.law
  if #series.points < FEWEST then return nil end
  if not (law and law.name) then
    return #series.points < FEW_FOR_NONE
      and ("%s has too few sizes to say how it grows."):format(series.label)
      or series.label .. " follows no law that these sizes show."
  end
  local shown = sweeps.law(law)
  local may, verb = is_unsure(series), shown == "constant"
    and "stay" or "grow"
  local text = ("%s %s %s"):format(series.label, may and "may " .. verb
    or verb .. "s", shown == "constant" and shown or "as " .. shown)
  local constant, factor = fixed_cost(series)
  if constant then
    text = EXPONENT[shown] and shown ~= "n log n" and ("%s: %s + %s * %s")
      :format(text, figures.unsure(constant, unit), figures.unsure(factor,
      unit), shown) or ("%s, beside a fixed %s"):format(text,
      figures.unsure(constant, unit))
  end
  local others = {}
  for _, name in ipairs { law.name, (law.also or {})[1] } do
    local word = name == "1" and "constant" or tostring(name)
    local is_out = name == "1" and law.exponent and law.exponent.low
      and law.exponent.low > 0
    if word ~= shown and not is_out then others[#others + 1] = word end
  end
  if others[1] then
    text = ("%s (%s is possible, too)"):format(text,
      table.concat(others, ", "))
  end
  local e = law.exponent
  -- No power is a logarithm.
  if not (e and finite(e.value)) or shown == "log n" then return text .. "." end
  text = ("%s, exponent %s"):format(text, exponent_text(e.value))
  if not (finite(e.low) and finite(e.high)) then return text .. "." end
  return ("%s (%s to %s)."):format(text, exponent_text(e.low),
    exponent_text(e.high)), "range"
end

local size = units.thousands
local function about(x) return size(numerals.rounded(x, 3)) end

local function series_named(sweep, name)
  for _, series in ipairs(sweep.series) do
    if tostring(series.raw) == tostring(name) then return series end
  end
end

-- Whether a series is known on both sides of x: between two points that are too
-- noisy a crossing is a matter of luck.
local function is_known_at(series, x)
  local before, after
  for _, point in ipairs(series.points) do
    if point.x <= x and (not before or point.x > before.x) then
      before = point
    end
    if point.x >= x and (not after or point.x < after.x) then after = point end
  end
  return not (before and before.is_noisy or after and after.is_noisy)
end

--- Where one series overtakes another, each with its sentence; not where the
--- points beside it are too noisy.
---@return { x: number, low: number?, high: number?, a: table, b: table,
---  text: string }[] crossings 'a' and 'b' are series
function sweeps.crossings(sweep)
  local list = {}
  for _, c in ipairs(sweep.crossovers) do
    local a, b = series_named(sweep, c.a), series_named(sweep, c.b)
    if a and b and finite(c.x) and is_known_at(a, c.x)
      and is_known_at(b, c.x) then
      local text = ("%s overtakes %s at %s = %s"):format(b.label, a.label,
        sweep.axis, about(c.x))
      if finite(c.low) and finite(c.high) then
        text = ("%s (%s to %s)"):format(text, about(c.low), about(c.high))
      end
      list[#list + 1] = { x = c.x, low = c.low, high = c.high, a = a, b = b,
        text = text .. ".", interval = finite(c.low) and finite(c.high)
        and "range" or nil }
    end
  end
  return list
end

-- Where the first of two series is overtaken by the second; nil where the
-- Report does not say.
local function crossing(sweep, before, after)
  for _, c in ipairs(sweeps.crossings(sweep)) do
    if c.a == before and c.b == after or c.a == after and c.b == before then
      return c
    end
  end
end

-- What the only candidate of some rows is called.
local function name_of(sweep, run) return sweep.series[run.leaders[1]].label end

local function same_candidates(a, b)
  return table.concat(a, " ") == table.concat(b, " ")
end

-- Rows in a row with the same quickest one, or with none: which it may be, the
-- marks of the table say.
local function runs_of(sweep)
  local runs = {}
  for _, row in ipairs(sweep.rows) do
    local key = row.is_known and row.candidates[1] or "unclear"
    local last = runs[#runs]
    if not last or last.key ~= key then
      last = { key = key, leaders = row.candidates, rows = {},
        is_known = row.is_known, are_same = true }
      runs[#runs + 1] = last
    end
    table.insert(last.rows, row)
    last.are_same = last.are_same
      and same_candidates(row.candidates, last.leaders)
  end
  return runs
end

-- Runs with the same candidates joined, wherever they are: of many runs, what
-- is known is said series by series.
local function joined(runs)
  local list = {}
  for i, alike in ipairs(lists.grouped(runs, function(run) return run.key end))
  do
    local one = alike[1]
    one.is_scattered, list[i] = true, one
    for k = 2, #alike do
      one.are_same = one.are_same and alike[k].are_same
        and same_candidates(one.leaders, alike[k].leaders)
      lists.append(one.rows, alike[k].rows)
    end
  end
  return list
end

-- "1.19 times"; over several rows, so not in the words of an interval, "1.20 (n
-- = 16) to 1.80 times (n = 64)".
local function from_to(least, most, axis)
  local low, high = units.number(least.times, 3), units.number(most.times, 3)
  if low == high then return low .. " times" end
  return ("%s (%s = %s) to %s times (%s = %s)"):format(low, axis,
    size(least.x), high, axis, size(most.x))
end

-- How many times as fast the quickest of some rows is as the next one that was
-- measured well: ", 1.19 times as fast as swap", of several rows ", 1.20 (n =
-- 16) to 1.80 times (n = 64) as fast as the next".
local function lead(sweep, run, relations)
  local least, most, runner_up, known = { times = 1/0 }, { times = 0 }, nil, 0
  local k = run.leaders[1]
  for _, row in ipairs(run.rows) do
    local best, second = row[k], nil
    for other = 1, #sweep.series do
      local point = row[other]
      if other ~= k and point and not point.is_noisy
        and (not second or point.value < row[second].value) then
        second = other
      end
    end
    local a = result_of(best, relations)
    if second and best.value > 0 and not best.is_noisy
      and not (a and columns.is_unreal(a)) then
      local b = result_of(row[second], relations)
      local c = a and b and relations:between(a, b)
      local times = c and 1 / c.ratio.value or row[second].value / best.value
      local found = { times = times, x = row.x }
      if times < least.times then least = found end
      if times > most.times then most = found end
      known = known + 1
      runner_up = (runner_up == nil or runner_up == second) and second or false
    end
  end
  if known == 0 then return "" end
  return (", %s as fast as %s%s"):format(from_to(least, most, sweep.axis),
    runner_up and sweep.series[runner_up].label or "the next",
    known < #run.rows and " where neither is too noisy" or "")
end

local MOST_RUNS = 5 -- that a sentence can tell one after the other
local MOST_PARTS = 6 -- that it can have at all

-- "at n = 16, 64 and 1,024", "up to n = 64", "from n = 256 on", "at every n"
local function where(sweep, run, runs)
  local axis, first, last = sweep.axis, run.rows[1].x, run.rows[#run.rows].x
  if #run.rows == #sweep.rows then return "at every " .. axis end
  if run.is_scattered or #run.rows < 3 and run ~= runs[1]
    and run ~= runs[#runs] or first == last then
    local xs = {}
    for i, row in ipairs(run.rows) do xs[i] = size(row.x) end
    return ("at %s = %s"):format(axis, lists.sentence(xs))
  end
  if run == runs[1] then return ("up to %s = %s"):format(axis, size(last)) end
  if run == runs[#runs] then
    return ("from %s = %s on"):format(axis, size(first))
  end
  return ("from %s = %s to %s"):format(axis, size(first), size(last))
end

-- "index and move at 3 of 12 n, insert at 2; unclear at 7": where who wins
-- changes too often to say more.
local function tally(sweep, runs)
  local parts, unclear = {}, 0
  for _, run in ipairs(runs) do
    if run.is_known then
      parts[#parts + 1] = ("%s at %d"):format(name_of(sweep, run), #run.rows)
    else
      unclear = unclear + #run.rows
    end
  end
  if not parts[1] then
    return ("unclear which is the quickest at every %s"):format(sweep.axis)
  end
  return ("of %d values of %s the quickest is %s%s"):format(#sweep.rows,
    sweep.axis, table.concat(parts, ", "), unclear > 0
    and ("; it is unclear at %d"):format(unclear) or "")
end

-- Who wins where, and by how much, in one sentence; nil for a single series.
-- And "range" where it has the interval of a crossing.
local function winners(sweep, relations)
  if #sweep.series < 2 or #sweep.rows == 0 then return nil end
  local interval
  local runs = runs_of(sweep)
  if #runs > MOST_RUNS then runs = joined(runs) end
  local parts, says_quickest = {}, false
  for i, run in ipairs(#runs <= MOST_PARTS and runs or {}) do
    local place, next_run = where(sweep, run, runs), runs[i + 1]
    if not run.is_known then
      local a, b = run.leaders[1], run.leaders[2]
      parts[i] = (run.are_same and b and not run.leaders[3]
        and #sweep.series > 2 and ("unclear between %s and %s "):format(
          sweep.series[a].label, sweep.series[b].label)
        or says_quickest and "unclear "
        or "unclear which is the quickest ") .. place
    else
      local c = next_run and next_run.is_known and not run.is_scattered
        and crossing(sweep, sweep.series[run.leaders[1]],
        sweep.series[next_run.leaders[1]])
      if c and i == 1 then
        place = ("up to %s = %s"):format(sweep.axis, about(c.x))
        if finite(c.low) and finite(c.high) then
          place, interval = ("%s (%s to %s)"):format(place, about(c.low),
            about(c.high)), "range"
        end
        next_run.follows = true
      end
      if run.follows and i == #runs then place = nil end
      parts[i] = (run.follows and "then " or "") .. name_of(sweep, run)
        .. (says_quickest and "" or " is the quickest")
        .. (place and " " .. place or "") .. lead(sweep, run, relations)
      says_quickest = true
    end
  end
  local text = parts[1] and table.concat(parts, "; ") or tally(sweep, runs)
  return text:gsub("^unclear", "Unclear"):gsub("^of ", "Of ") .. ".", interval
end

-- "n = 64", "n = 64 and 128", "3 of 7".
local function places(axis, list, of)
  return list[3] and ("%d of %d"):format(#list, of)
    or axis .. " = " .. table.concat(list, " and ")
end

-- "unclear at n = 64, too noisy at 3 of 7", in the words of the closing line.
-- 'sizes': of the rows, by how they ended.
local function undecided(axis, sizes, of)
  local parts = {}
  for _, how in ipairs { "same", "unclear", "too noisy",
    "too fast to be real" } do
    local list = sizes[how]
    if list then
      parts[#parts + 1] = how .. " at " .. places(axis, list, of)
    end
  end
  return table.concat(parts, ", ")
end

-- How a series compares with the baseline, over all rows; false where that is
-- known of none. 'far': the rows that are a factor of 2 apart, by which way,
-- though too noisy to say by how much.
local function against(sweep, k, baseline, relations, options)
  local low, high, count, others, far = 1/0, 0, 0, {}, {}
  for _, row in ipairs(sweep.rows) do
    local a = result_of(row[k], relations)
    local b = result_of(row[baseline], relations)
    local c = a and b and relations:between(a, b)
    if c then
      count = count + 1
      local is_unreal = columns.is_unreal(a) or columns.is_unreal(b)
      if not is_unreal and (c.verdict == "faster" or c.verdict == "slower") then
        low = math.min(low, 1 / c.ratio.value)
        high = math.max(high, 1 / c.ratio.value)
      else
        local how = row[k].is_noisy and "too noisy"
          or is_unreal and "too fast to be real"
          or c.verdict == "same" and "same" or "unclear"
        others[how] = others[how] or {}
        table.insert(others[how], units.thousands(row.x))
        local way = not is_unreal and columns.far_apart(a, b, options)
        if way then
          far[way] = far[way] or {}
          table.insert(far[way], units.thousands(row.x))
        end
      end
    end
  end
  if count == 0 then return nil end
  local name = sweep.series[k].label
  if high == 0 then
    local way = next(far)
    if not way or next(far, way) then return false end
    return ("%s %s%s (too noisy to say by how much)"):format(name, way,
      #far[way] < count and " at " .. places(sweep.axis, far[way], count)
      or "")
  end
  local text = ("%s %s"):format(name, units.change_range(1 / high, 1 / low))
  return next(others) and ("%s (%s)"):format(text,
    undecided(sweep.axis, others, count)) or text
end

-- How the series that were compared with one of them did; nil where none was.
local function all_against(sweep, baseline, relations, options)
  local parts, alike = {}, {}
  for k, series in ipairs(sweep.series) do
    local text = k ~= baseline and against(sweep, k, baseline, relations,
      options)
    parts[#parts + 1] = text or nil
    alike[#alike + 1] = text == false and k ~= baseline and series.label or nil
  end
  if alike[2] and not parts[1] then
    parts[1] = "too noisy to tell"
  elseif alike[1] then
    parts[#parts + 1] = table.concat(alike, ", ") .. " not clearly different"
  end
  return parts[1] and table.concat(parts, ", ") or nil
end

-- The series compared with those marked as baseline (of several interpreters
-- and implementations there is one for each of these), in one sentence; nil
-- where none is marked.
local function against_baseline(sweep, relations, options)
  local is_marked, parts = {}, {}
  for _, row in ipairs(sweep.rows) do -- one may have failed at the first
    for k in ipairs(sweep.series) do
      local result = result_of(row[k], relations)
      is_marked[k] = is_marked[k] or result and result.baseline
    end
  end
  for k, series in ipairs(sweep.series) do
    local text = is_marked[k] and all_against(sweep, k, relations, options)
    parts[#parts + 1] = text and { series.label, text } or nil
  end
  if not parts[1] then return nil end
  local over = sweep.rows[2] and ("least to most over %s"):format(sweep.axis)
  for i, one in ipairs(parts) do
    parts[i] = ("with %s%s%s: %s"):format(one[1], parts[2] and ""
      or ", the baseline", i == 1 and over and ", " .. over or "", one[2])
  end
  return ("Compared %s."):format(table.concat(parts, "; "))
end

local METRIC = { allocs = "allocations", bytes = "bytes",
  instructions = "instructions", cycles = "cycles" }

local function title_of(sweep)
  local what = METRIC[sweep.metric or "time"]
    or (sweep.metric or "time"):gsub("_", " ")
  return escape.visible(("%s, %s per call by %s%s"):format(sweep.name, what,
    sweep.axis, sweep.by and " and " .. sweep.by or ""))
end

local function point_cell(sweep, row, k, relations, mark_of)
  local point = row[k]
  if not point then return { text = "-", style = "dim" } end
  local result = result_of(point, relations)
  local may_be_best = false
  for _, candidate in ipairs(#sweep.series > 1 and row.candidates or {}) do
    may_be_best = may_be_best or candidate == k
  end
  local is_best = may_be_best and row.is_known
  local mark = (is_best and "*" or may_be_best and "~" or "")
    .. (point.is_noisy and "!" or "") .. (point.is_cut_short and "#" or "")
    .. (result and mark_of(result) or ""):gsub("^! ?", "")
  return { value = point.value,
    text = (point.is_noisy and sweep.unit == "ns" and figures.unsure
      or figures.quantity)(point.value, sweep.unit),
    mark = mark ~= "" and mark or nil,
    style = is_best and "good" or nil, result = result,
    hint = not point.is_noisy and figures.estimate(point, sweep.unit) or nil }
end

-- Half the width of the widest interval among the points that are figures.
local function widest_of(sweep)
  local widest
  for _, row in ipairs(sweep.rows) do
    for k = 1, #sweep.series do
      local point = row[k]
      if point and not point.is_noisy and metrics.has_interval(point)
        and point.value > 0 then
        widest = math.max(widest or 0, math.max(point.high - point.value,
          point.value - point.low) / point.value)
      end
    end
  end
  return widest
end

-- The collector's share of the time over the points of a series: "3%", "0 to
-- 12%", "?" where it is known of none; nil where it is none.
local function share_of(sweep, k, relations)
  local low, high, has_unknown, lacks_share
  for _, row in ipairs(sweep.rows) do
    local result = result_of(row[k], relations)
    local is_known = result and not columns.has_few_cycles(result)
      and not row[k].is_noisy
    local share = is_known and columns.collector_share(result)
    if share then
      low, high = math.min(low or share, share), math.max(high or share, share)
    end
    has_unknown = has_unknown or result ~= nil and not is_known
    lacks_share = lacks_share or result ~= nil and not share
  end
  if not high then return has_unknown and "?" or nil end
  local a, b = figures.percent(low), figures.percent(high)
  return (a == b and a or a:gsub("%%$", "") .. " to " .. b)
    .. (lacks_share and ", ?" or ""), high
end

-- The row of these shares; nil where the collector has no part in any.
local function share_row(sweep, relations)
  local cells, most, unknown = { { text = "gc", style = "dim" } }, 0, false
  for k in ipairs(sweep.series) do
    local text, high = share_of(sweep, k, relations)
    most, unknown = math.max(most, high or 0), unknown or text ~= nil
      and text:find("?", 1, true) ~= nil
    cells[k + 1] = { text = text or "-", style = "dim" }
  end
  return (sweep.metric or "time") == "time" and most >= 0.005
    and { cells = cells, is_foot = true, has_unknown = unknown } or nil
end

-- The row of fixed costs; nil where there are none.
local function fixed_row(sweep)
  local cells, any = { { text = "+ fixed", style = "dim" } }, false
  for k, series in ipairs(sweep.series) do
    local constant = fixed_cost(series)
    any = any or constant ~= nil
    cells[k + 1] = { style = "dim", text = constant
      and figures.unsure(constant, sweep.unit) or "" }
  end
  return any and { cells = cells, is_foot = true } or nil
end

-- Whether points of a row were compared with each other.
local function has_ratios(sweep, relations)
  for _, row in ipairs(sweep.rows) do
    for k = 2, #sweep.series do
      local a, b = result_of(row[1], relations), result_of(row[k], relations)
      if a and b and relations:between(a, b) then return true end
    end
  end
  return false
end

-- Rows of the axis, then the laws with their fixed costs, and the collector's
-- shares.
local function table_of(sweep, relations, mark_of)
  local made = { columns = { { key = "axis", title = escape.visible(sweep.axis),
    align = "right" } }, rows = {} }
  for k, series in ipairs(sweep.series) do
    made.columns[k + 1] = { key = "series" .. k, title = series.label,
      align = "right" }
  end
  -- ROWS
  local marked, lacks_law, fixed = {}, false, nil
  for i, row in ipairs(sweep.rows) do
    local cells = { { text = units.thousands(row.x), value = row.x } }
    for k = 1, #sweep.series do
      cells[k + 1] = point_cell(sweep, row, k, relations, mark_of)
      for mark in (cells[k + 1].mark or ""):gmatch "." do
        marked[mark] = true
      end
    end
    made.rows[i] = { cells = cells }
  end
  if #sweep.rows >= FEWEST then
    local cells, has_law = { { text = "grows as", style = "dim" } }, false
    for k, series in ipairs(sweep.series) do
      local law, may = sweeps.law(series.law), is_unsure(series)
      cells[k + 1] = { style = "dim", text = may and is_open(series)
        and "unclear" or may and "maybe " .. law or law }
      has_law, lacks_law = has_law or law ~= "?", lacks_law or law == "?"
    end
    if has_law then
      made.rows[#made.rows + 1] = { cells = cells, is_foot = true }
    end
    lacks_law = lacks_law and has_law
    fixed = fixed_row(sweep)
    made.rows[#made.rows + 1] = fixed
  end
  local shares = share_row(sweep, relations)
  made.rows[#made.rows + 1] = shares
  -- LEGEND
  local legend = {}
  for _, entry in ipairs { { "*", "the quickest" },
    { "~", (marked["*"] and "may be" or "may be the quickest")
      .. (has_ratios(sweep, relations) and (marked["*"] and "; both by"
      or ", by") .. " ratios to the others" or "") },
    { "!", "too noisy to rely on, ranked only where a factor of 2 apart" },
    { "#", "cut short" } } do
    if marked[entry[1]] then
      legend[#legend + 1] = { sign = entry[1], text = entry[2] }
    end
  end
  if #sweep.rows < FEWEST then
    legend[#legend + 1] = { text = ("to say how it grows takes %d sizes")
      :format(FEWEST) }
  elseif lacks_law then
    legend[#legend + 1] = { text = "grows as ?: too few sizes to say" }
  end
  legend[#legend + 1] = fixed and { text = "+ fixed: what a call takes "
    .. "at any " .. sweep.axis } or nil
  legend[#legend + 1] = shares and { text = "gc: the collector's share of the "
    .. "time" .. (shares.has_unknown and ", ? too noisy to say" or "") } or nil
  local widest = widest_of(sweep)
  if widest then
    legend[#legend + 1] = { interval = "sign", text =
      ("%s: \194\177%s or better"):format(
      marked["!"] and "other times" or "times", units.percent(widest)) }
  end
  made.legend = legend[1] and legend or nil
  return made
end

--- The sections of sweeps.
---@param list table[] of sweeps.of
---@param context table of tare.report.document
---@return table[] sections
function sweeps.sections(list, context)
  local sections, relations = {}, context.relations
  for i, sweep in ipairs(list) do
    local sentences, laws, results = {}, {}, {}
    local wins, range = winners(sweep, relations)
    sentences[1] = wins and { text = wins, interval = range } or nil
    local compared = against_baseline(sweep, relations, context.options)
    sentences[#sentences + 1] = compared and { text = compared } or nil
    for _, row in ipairs(sweep.rows) do
      for k = 1, #sweep.series do
        results[#results + 1] = result_of(row[k], relations)
      end
    end
    for _, series in ipairs(sweep.series) do
      local text, of_exponent = growth(series, sweep.unit)
      laws[#laws + 1] = text and { text = text, interval = of_exponent } or nil
    end
    for _, c in ipairs(sweeps.crossings(sweep)) do
      laws[#laws + 1] = { text = c.text, interval = c.interval,
        is_crossing = true }
    end
    sections[i] = { kind = "sweep", sweep = sweep, title = title_of(sweep),
      table = table_of(sweep, relations, context.mark_of),
      sentences = sentences, laws = laws, results = results }
  end
  return sections
end

return sweeps
