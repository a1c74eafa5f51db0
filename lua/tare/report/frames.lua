-- What frames of a session say, as a document (tare.report.document). Pure.
local escape = require "tare.report.escape"
local figures = require "tare.report.figures"
local lists = require "tare.base.lists"
local trouble = require "tare.report.trouble"
local numerals = require "tare.base.numerals"
local units = require "tare.base.units"

local frames = {}

local WORST = 5 -- that are listed

--- Whether a value is what recorder:result() gives.
---@return boolean
function frames.is(data)
  return type(data) == "table" and type(data.frames) == "number"
    and type(data.budget_ms) == "number" and type(data.over) == "table"
    and type(data.worst) == "table"
end

local fixed = numerals.fixed
local function percent(share) return fixed(100 * share, 2) .. " %" end
local function ms(value)
  return value and figures.quantity(value * 1e6, "ns")
end
local function bytes(value)
  return value and (value < 0 and "-" or "")
    .. figures.quantity(math.abs(value), "bytes")
end
local function span(value) return units.duration(value * 1e6, 3) end

local function frames_text(count)
  return units.thousands(count) .. (count == 1 and " frame" or " frames")
end

local function column(key, align, title)
  return { key = key, title = title or key, align = align or "right" }
end

local function cell(text, style, value)
  return { text = text or "-", style = style, value = value }
end

local function range_of(e, unit)
  if not (e and e.low and e.high) then return "" end
  if unit == "share" then
    return ("%s to %s"):format(percent(e.low), percent(e.high))
  elseif unit == "bytes" then
    return bytes(e.low) .. " to " .. bytes(e.high)
  end
  return figures.range(e.low, e.high, unit)
end

local function value_of(e, unit)
  if unit == "share" then return percent(e.value) end
  return unit == "bytes" and bytes(e.value) or figures.quantity(e.value, unit)
end

-- One session ---------------------------------------------------------------

local function in_ns(interval)
  local low, high = (interval or {}).low, (interval or {}).high
  return low and high and { low = low * 1e6, high = high * 1e6 }
end

local function figures_of(said)
  local rows = {}
  local function add(name, text, interval, unit, style)
    rows[#rows + 1] = { cells = { cell(name), cell(text, style),
      cell(range_of(interval, unit or "ns")) } }
  end
  for _, name in ipairs { "p50", "p95", "p99" } do
    add(name, ms(said[name]), in_ns(said.intervals[name]))
  end
  add("longest", ms(said.max))
  local function add_low(name, low)
    add(name, ("%s fps, %s"):format(fixed(low.fps, 1), ms(low.ms)), in_ns(low))
  end
  add_low("1 % low", said.low1)
  add_low("0.1 % low", said.low01)
  add("over the budget", ("%s, %s"):format(units.thousands(said.over.frames),
    percent(said.over.value)), said.over, "share",
    said.over.frames > 0 and "warn" or nil)
  add("stutters", ("%s, %s"):format(units.thousands(said.stutters.frames),
    percent(said.stutters.value)), said.stutters, "share")
  add("lost by them", span(said.lost_ms))
  add("longest run within the budget", ("%s, %s"):format(
    frames_text(said.best_run.frames), span(said.best_run.ms)))
  return { columns = { column("figure", "left", "of a frame"),
    column("value"), column("interval") }, rows = rows }
end

local function collector_of(worst)
  if worst.collections > 0 then return "a collection ended" end
  return worst.has_steps and "in a collection" or ""
end

local function worst_of(said)
  local rows, with_scope = {}, false
  local with_part = lists.first(said.worst, function(worst)
    return worst.collector_ms
  end)
  for i = 1, math.min(WORST, #said.worst) do
    local worst = said.worst[i]
    with_scope = with_scope or worst.scope ~= nil
    rows[i] = { cells = { cell(units.thousands(worst.frame)),
      cell(ms(worst.ms), nil, worst.ms),
      cell(with_part and ms(worst.collector_ms) or with_part and "-" or ""),
      cell(span(worst.start_ms)),
      -- the first has none before it
      cell(worst.usual_ms > 0 and ms(worst.usual_ms) or nil),
      cell(worst.scope and escape.visible(worst.scope) or ""),
      cell(collector_of(worst)) } }
  end
  return rows[1] and { rows = rows, columns = { column("frame", "left"),
    column("time"),
    column("part", "right", with_part and "collector" or ""), column("at"),
    column("usually"), column("in", "left", with_scope and "mostly in" or ""),
    column("collector", "left", with_part and "" or nil) } }
end

local function scopes_of(said)
  local rows, with_part = {}, lists.first(said.scopes, function(scope)
    return scope.collector
  end)
  for i, scope in ipairs(said.scopes) do
    local name = escape.visible(scope.name)
    rows[i] = { cells = { cell(name), cell(units.thousands(scope.frames)),
      cell(ms(scope.p50)), cell(ms(scope.p99)), cell(ms(scope.max)),
      cell(scope.share and figures.percent(scope.share)),
      cell(scope.collector and ("%s, at most %s"):format(
        figures.percent(scope.collector.share), ms(scope.collector.max))
        or with_part and "-" or ""),
      cell(scope.over and ("%s over %s"):format(percent(scope.over.value),
        ms(scope.budget_ms)) or "", scope.over and scope.over.frames > 0
        and "warn" or nil),
      cell(bytes(scope.grown_bytes)),
      cell(units.thousands(scope.collections)) } }
  end
  return rows[1] and { rows = rows, columns = { column("scope", "left"),
    column("frames"), column("p50"), column("p99"), column("longest"),
    column("share"),
    column("collector", "right", with_part and "collector" or ""),
    column("over", "right", "budget"),
    column("heap", "right", "heap/frame"),
    column("collections", "right", "collected") } }
end

local function marks_of(said)
  local rows = {}
  for i, mark in ipairs(said.marks) do
    rows[i] = { cells = { cell(escape.visible(mark.name)),
      cell(span(mark.start_ms)), cell(units.thousands(mark.frames)),
      cell(ms(mark.mean)), cell(mark.frames > 0 and ms(mark.max)),
      cell(mark.over and percent(mark.over), mark.over and mark.over > 0
        and "warn" or nil),
      cell(bytes(mark.heap_growth_bytes)) } }
  end
  return rows[1] and { rows = rows, columns = { column("mark", "left"),
    column("at"), column("frames"), column("mean"), column("longest"),
    column("over"), column("heap", "right", "heap grew") } }
end

-- What tare.frames found with a function: each policy of the collector.
local function policies_of(said)
  local rows = {}
  for i, one in ipairs(said.policies or {}) do
    rows[i] = { cells = { cell(one.policy), cell(percent(one.over.value)),
      cell(ms(one.p99)), cell(ms(one.max)), cell(ms(one.mean)),
      cell(bytes(one.heap_bytes.max)), cell(units.thousands(one.cycles)),
      cell(one.overruns and ("%s, %s"):format(
        frames_text(one.overruns.frames), span(one.overruns.ms)) or "") } }
  end
  return rows[1] and { rows = rows, columns = { column("policy", "left"),
    column("over"), column("p99"), column("longest"), column("mean"),
    column("heap", "right", "largest heap"),
    column("collections", "right", "collected"),
    column("overrun", "left", "over its time") } }
end

local function sentences_of(said)
  local list = {}
  local function add(format, ...)
    list[#list + 1] = { text = format:format(...) }
  end
  local function longer(part, what)
    if not part then return end
    local by = part.longer_by_ms
    local low, high = by.low, by.high
    if by.value < 0 then low, high = high and -high, low and -low end
    add("%s: %s, typically %s %s than others%s, the longest %s; %s of the "
      .. "time.", what, frames_text(part.frames), ms(math.abs(by.value)),
      by.value < 0 and "shorter" or "longer",
      low and high and (" (by %s to %s ms)"):format(fixed(low, 2),
      fixed(high, 2)) or "",
      ms(part.max), percent(part.share))
  end
  longer(said.collections, "Frames in which a collection ended")
  longer(said.steps, "Frames within a collection, with its steps")
  if said.collector then
    add("The collector's part, as far as it was timed: %s of the time, p99 %s "
      .. "of a frame, %s at most.", percent(said.collector.share),
      ms(said.collector.p99), ms(said.collector.max))
  end
  local paced = said.paced or { untimed = 0, stopped = 0 }
  if paced.untimed > 0 then
    add("Frames in which it also ran by itself, which is not in that part: %s.",
      units.thousands(paced.untimed))
  end
  if paced.stopped > 0 then
    add("Frames that are not in that part, as the program had stopped the "
      .. "collector: %s.", units.thousands(paced.stopped))
  end
  local heap = said.heap_bytes
  if heap then
    add("The Lua heap: %s at first, %s at last, %s at most.", bytes(heap.first),
      bytes(heap.last), bytes(heap.max))
  end
  local growth = heap and heap.growth
  if growth then
    add("After collections it %s by %s per minute (%s).", growth.low > 0
      and "grows" or growth.high < 0 and "shrinks" or "changes",
      bytes(growth.value), range_of(growth, "bytes"))
  end
  if said.lost_marks > 0 then
    add("%d marks are not listed: there is room for %d.", said.lost_marks,
      #said.marks)
  end
  if said.dropped > 0 then
    add("All frames are in these figures; one by one there are the last %s.",
      units.thousands(said.frames - said.dropped))
  end
  return list
end

local function head_of(said)
  local lua = (said.record or {}).lua
  return { ("%s in %s"):format(frames_text(said.frames), span(said.total_ms)),
    "budget " .. ms(said.budget_ms),
    type(lua) == "string" and escape.visible(lua) or nil }
end

local function sections_of(said)
  local sections = { { kind = "frames", title = "frames",
    table = figures_of(said), sentences = sentences_of(said),
    frames = said } }
  local best = said.recommendation
  local recommended = best and { { text = ("recommended: %s: %s"):format(
    best.policy, best.reason) } }
  for _, one in ipairs { { "longest frames", worst_of(said) },
    { "scopes", scopes_of(said) }, { "marks", marks_of(said) },
    { "policies", policies_of(said), recommended } } do
    if one[2] then
      sections[#sections + 1] = { kind = "frames", title = one[1],
        table = one[2], sentences = one[3] }
    end
  end
  return sections
end

-- Two sessions ----------------------------------------------------------------

local STYLE = { faster = "good", fewer = "good", slower = "bad", more = "bad",
  unclear = "dim", same = "dim" }

local function times(x) return fixed(x, 2) end
local function points(x) return numerals.format("%+.2f", 100 * x) end

-- A change, with its interval where both ends are known.
local function change_text(one)
  local unit, change, show, what = one.figure.unit, one.change, bytes, ""
  if unit == "ns" then change, show, what = one.ratio, times, " times"
  elseif unit == "share" then show, what = points, " points" end
  if not change then return "-" end
  local text = show(change.value) .. what
  if change.high - change.low == 1/0 or unit == "ns" and change.low <= 0 then
    return text
  end
  return ("%s (%s to %s)"):format(text, show(change.low), show(change.high))
end

local function changes_of(against)
  local rows, count = {}, { better = 0, worse = 0 }
  for i, one in ipairs(against.compared) do
    local style = STYLE[one.verdict or ""]
    if style == "good" then count.better = count.better + 1 end
    if style == "bad" then count.worse = count.worse + 1 end
    rows[i] = { cells = { cell(one.figure.title),
      cell(value_of(one.old, one.figure.unit)),
      cell(value_of(one.new, one.figure.unit)), cell(change_text(one)),
      cell(one.verdict or "", style) } }
  end
  return { rows = rows, columns = { column("figure", "left", "of a frame"),
    column("before"), column("now"), column("change"),
    column("verdict", "left") } }, count
end

--- The document of frames. Options: 'against' = { summary, name, new_name,
--- compared (of tare.judge.frames) }, 'failures', 'checked', 'notes', 'title'.
---@param said table what recorder:result() gave
---@return table document
function frames.document(said, options)
  local against = options.against
  local made = { title = options.title and escape.visible(options.title)
      or "Frames", head = head_of(said), failures = {}, notes = {},
    sections = sections_of(said), is_of_frames = true }
  local closing = { style = said.over.frames == 0 and "good" or "warn",
    phrases = { { text = ("%s of %s over the budget (%s)"):format(
      units.thousands(said.over.frames), frames_text(said.frames),
      percent(said.over.value)) } } }
  if against then
    local changes, count = changes_of(against)
    table.insert(made.sections, 1, { kind = "changes", table = changes,
      title = escape.visible(("%s -> %s"):format(against.name,
        against.new_name)),
      sentences = { { text = ("Before: %s in %s."):format(
        frames_text(against.summary.frames),
        span(against.summary.total_ms)) } } })
    closing = { style = count.worse > 0 and "bad" or count.better > 0
        and "good" or nil,
      phrases = { { text = ("%d of %d figures worse"):format(count.worse,
        #against.compared) }, { text = count.better .. " better" } } }
  end
  for i, failure in ipairs(options.failures or {}) do
    made.failures[i] = { name = failure.id,
      text = escape.visible(failure.message) }
  end
  if made.failures[1] then
    closing = { style = "bad", phrases = { { style = "bad",
      text = ("%d of %d gates failed"):format(#made.failures,
        options.checked) } } }
  elseif options.checked then
    table.insert(closing.phrases, { joint = "; ", style = "good",
      text = ("%d %s passed"):format(options.checked, options.checked == 1
        and "gate" or "gates") })
  end
  if (options.exit_code or 0) > 0 then
    table.insert(closing.phrases, { joint = "; ",
      text = ("exit code %d"):format(options.exit_code) })
  end
  closing.text, made.closing = trouble.line(closing.phrases), closing
  for i, note in ipairs(options.notes or {}) do
    made.notes[i] = { name = "note", text = escape.visible(note) }
  end
  return made
end

return frames
