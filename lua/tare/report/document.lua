-- What a report says, decided once for the printers of text, Markdown and HTML.
-- A document is plain data:
--   title, head = { phrase... }, sure = phrase?, machine = line?, interrupted =
--   line?, failures = { { name, text }... }, sections = { SECTION... },
--   notes = { { name, text, mark?, style? }... }, of_ratios = what the legend
--   says that ratios are?, gates = { { name, text, style }... },
--   closing = { text, style, noisy, phrases = { { text, style?, joint?,
--   is_aside? }... } } (of trouble.closing), next_step = { why, command }?
-- A SECTION has a 'kind' and a 'title', and what it shows, in this order:
--   card = { lines, is_noisy, has_spark, explanations }, table = TABLE, sweep
--   (for plots), laws = { { text, is_crossing? }... }, sentences = { {
--   text, style?, in_full?, in_table?, is_of_ratios? }... },
--   'in_full' for where the table is not beside it, 'in_table' where a table
--   with all its columns says it; 'results' are those that it is about.
-- A TABLE has columns = { { key, title, align, explain? }... } and rows = {
--   { cells = { CELL... }, result?, mark?, is_foot? }... }, legend = { { text,
--   sign? }... }?, what a legend says of it, and of signs in its cells.
-- A CELL has a text, and perhaps: more (an interval, to stand after it), short
--   (a text for narrow places), least (for the narrowest), mark ("*"), style
--   ("good", "bad", "warn", "dim"), value (a number to sort by), hint (a
--   tooltip), verdict.
-- Of what shows an interval, 'interval' is how: "sign" ("+-3%") or "range" ("(1
--   to 2)"), for the legend.
-- Texts are visible (tare.base.unicode) and else raw: printers escape them.
local benches = require "tare.report.benches"
local changes = require "tare.report.changes"
local columns = require "tare.report.columns"
local escape = require "tare.report.escape"
local figures = require "tare.report.figures"
local frames = require "tare.report.frames"
local groups = require "tare.report.groups"
local interpreters = require "tare.report.interpreters"
local interval = require "tare.base.interval"
local lists = require "tare.base.lists"
local machine = require "tare.base.machine"
local metrics = require "tare.base.metrics"
local next_step = require "tare.report.next_step"
local profiles = require "tare.report.profiles"
local regressions = require "tare.report.regressions"
local sweeps = require "tare.report.sweeps"
local traces = require "tare.report.traces"
local trouble = require "tare.report.trouble"
local units = require "tare.base.units"
local warnings = require "tare.base.warnings"

local document = {}

local function env_of(report)
  return type(report.env) == "table" and report.env or {}
end

local function text_of(value)
  return type(value) == "string" and escape.visible(value) or nil
end

local ALIKE = 0.03 -- clocks that count as the same

local function ghz(x) return units.number(x, 3) end

-- The machine's reference clock; nil where it has none.
local function reference_of(env)
  local clock = type(env.clock) == "table" and env.clock or {}
  return clock.from ~= "none" and tonumber(clock.reference_ghz) or nil, clock
end

-- "at 2.97 GHz (it ran at 2.5 to 2.97)"
local function clock_phrase(env)
  local reference, clock = reference_of(env)
  local seen = clock.seen_ghz
  if not reference then return nil end
  local low = type(seen) == "table" and tonumber(seen.low)
  local high = low and tonumber(seen.high)
  local is_far = high and (low < (1 - ALIKE) * reference
    or high > (1 + ALIKE) * reference)
  return ("at %s GHz"):format(ghz(reference)) .. (is_far
    and (" (it ran at %s to %s)"):format(ghz(low), ghz(high)) or "")
end

-- The least and the most of a number that results have, as text: "10",
-- "10 to 14"; nil where none has it. Also the most.
local function span(report, number_of)
  local low, high
  for _, result in ipairs(report.results) do
    local count = not result.error and tonumber(number_of(result))
    if count and count >= 1 and count < 1e9 and count % 1 == 0 then
      low, high = math.min(low or count, count), math.max(high or count, count)
    end
  end
  if not high then return nil end
  return low == high and ("%d"):format(low) or ("%d to %d"):format(low, high),
    high
end

-- The one account of how much was measured: "10 to 14 processes, 240 to 420
-- batches per bench"; in full, where some were disturbed, how many were not: "7
-- processes, 75 batches (66 undisturbed)".
local function measured_phrase(report, in_full)
  local is_alone = lists.first(report.results, function(result)
    return result.in_process
  end)
  local processes, most = span(report, function(r) return r.launches end)
  if not processes then return nil end
  local where = is_alone and "one process, that of the program itself"
    or most <= 1 and "one process" or processes .. " processes"
  local batches, count = span(report, function(r) return r.rounds end)
  if not batches then return where end
  local clean = in_full and trouble.left_out(report) and span(report,
    function(r) return r.clean_batches end)
  local of_all = clean and clean ~= batches
  return ("%s, %s %s%s%s"):format(where, batches, count == 1 and "batch"
    or "batches", report.results[2] and " per bench" or "",
    of_all and (" (%s undisturbed)"):format(clean) or "")
end

-- "Intel(R) Xeon(R) Processor @ 2.20GHz" -> "Intel Xeon"
local function cpu_phrase(env)
  local cpu = text_of(env.cpu)
  if not cpu then return nil end
  local short = cpu:gsub("%(R%)", ""):gsub("%(TM%)", "")
    :gsub("%s*@.*$", ""):gsub("%s+CPU%f[%A]", ""):gsub("%s+Processor$", "")
    :gsub("%s+", " ")
  return short ~= "" and short or cpu
end

-- What there was to measure with: "quota 300 ms per bench"; nil where it is not
-- known.
local function quota_phrase(report)
  local quota = type(report.options) == "table"
    and units.quota(report.options.quota)
  return quota and "quota " .. quota
    .. (report.results[2] and " per bench" or "") or nil
end

-- The mode of the collector that benches ran in, whatever that of the
-- interpreter is; nil where they ran in several.
local function mode_phrase(results, env)
  local mode
  for _, result in ipairs(results) do
    local here = text_of(result.gc_mode)
    if here and mode and here ~= mode then return nil end
    mode = here or mode
  end
  local collector = env.collector
  return mode or type(collector) == "table" and text_of(collector.mode) or nil
end

-- What to add to a confidence where measuring may end early: it is that of all
-- looks together, each of which needs more (tare.analysis.precision).
local function early_phrase(report)
  if not lists.first(report.results, function(r) return r.precision end) then
    return ""
  end
  local text = ", however early --precision ends a run (times have wider "
    .. "intervals for that)"
  return warnings.is_of_program(report) and warnings.in_program(text) or text
end

-- What intervals say, and whether of runs in this process only.
local function sure_phrase(report)
  local share, _, most = tonumber((report.options or {}).confidence), span(
    report, function(r) return r.launches end)
  if not (share and share > 0 and share < 1) then return nil end
  return ("the true value is within, in %s of runs in %s%s"):format(
    units.percent(share), (most or 1) > 1 and "new processes" or "this process",
    early_phrase(report))
end

-- What usual columns are, after "per call", and their meaning for a legend.
local PER_CALL = { { "time", "time" }, { "bytes", "bytes (allocated)" },
  { "allocs", "allocs" }, { "instr", "instr (of Lua code, not C)" } }

-- How intervals are written (tare.report.figures).
local WRITTEN = { { "sign", "\194\177" }, { "range", "ranges in brackets" } }

--- Remembers for the legend what a printer shows: the interval that a cell, a
--- sentence or another text has, and the signs of a cell.
---@param shown table<string, boolean> of document.legend
---@param part { interval: string?, verdict: string?, text: string? }
---@param key string? of the column, of a cell
function document.note(shown, part, key)
  for _, what in ipairs { part.interval or false, part.verdict or false,
    key and part.text == "-" and "-" or false,
    key == "gc" and part.text:find("?", 1, true) and "?" or false } do
    if what then shown[what] = true end
  end
end

-- Tables that say themselves what their figures are of.
local EXPLAINED = { changes = true, frames = true }

--- Remembers for the legend the mark of a row.
---@param shown table<string, boolean|string> of document.legend
---@param mark string?
---@param cut string? a sign that is in place of "(cut short)"
function document.note_mark(shown, mark, cut)
  mark = mark or ""
  if mark:find("!", 1, true) then shown["!"] = true end
  if mark:find("(cut short)", 1, true) then
    shown.cut = "cut short"
  elseif cut and mark:find(cut, 1, true) then
    shown.cut = cut
  end
end

--- Remembers for the legend that a column of a section's table is shown.
---@param shown table<string, boolean> of document.legend
---@param section table SECTION
---@param key string of the column
function document.note_column(shown, section, key)
  if key == "gc" or not EXPLAINED[section.kind] then shown[key] = true end
end

--- What the head's words, the usual columns and the signs mean that a printer
--- shows, once for all tables; --explain says more.
---@param made table document
---@param shown table<string, boolean> keys of columns, verdicts, signs ("-",
---  "?", "!"), how intervals are written; 'cut' is how "cut short" is written
---@return string[]
function document.legend(made, shown)
  local per_call, list = {}, {}
  local function add(text) list[#list + 1] = text or nil end
  for _, entry in ipairs(PER_CALL) do
    per_call[#per_call + 1] = shown[entry[1]] and entry[2] or nil
  end
  add(per_call[1] and "per call: " .. table.concat(per_call, ", "))
  add(table.concat(made.head, "\n"):find "batch"
    and "batch: calls timed together")
  local signs = {}
  for _, entry in ipairs(WRITTEN) do
    signs[#signs + 1] = shown[entry[1]] and entry[2] or nil
  end
  add(made.sure and signs[1] and ("%s: %s"):format(table.concat(signs,
    " and "), made.sure))
  for _, verdict in ipairs { "unclear", "same" } do
    -- What is unclear may be the same, so it takes the meaning of both.
    add((shown[verdict] or shown.unclear) and verdict .. ": "
      .. figures.meaning(verdict, made.tolerance))
  end
  add(made.of_ratios and "ratios: " .. made.of_ratios)
  add(shown.gc and "gc: collector's share of the time"
    .. (shown["?"] and ", ?: too few collections to say" or ""))
  add(shown["-"] and "-: no figure")
  add(shown["!"] and "!: time too noisy to rely on")
  add(shown.cut and shown.cut .. ": interrupted before its quota; its figures "
    .. "and intervals hold")
  return list
end

--- The line below a table that says what it is, and what its signs mean.
---@param made table TABLE with a legend
---@param signs table<string, string>? what a printer has in place of a sign
---@return string
function document.table_legend(made, signs)
  local parts = {}
  for i, one in ipairs(made.legend) do
    parts[i] = (one.sign and (signs or {})[one.sign]
      or one.sign and one.sign .. " " or "") .. one.text
  end
  return table.concat(parts, "; ")
end

-- By which clock all times are, where none is at the reference clock: the
-- library may find none stored, and a host may have a clock of its own.
local function plain_clock_phrase(report, env)
  local plain, has_others = trouble.by_plain_clock(report)
  if not plain[1] or has_others then return nil end
  return type(env.clock) == "table" and not reference_of(env)
    and "wall time: the core's clock can't be read here"
    or "times by the plain clock"
end

-- "AMD EPYC, 2 cores at 2.97 GHz (it ran at 2.5 to 2.97)"; nil where nothing of
-- it is known.
local function machine_phrase(env, has_cores, has_plain_clock)
  local cpu = cpu_phrase(env)
  local clock = not has_plain_clock and clock_phrase(env) or nil
  local cores = has_cores and tonumber(env.cores)
  local text = cpu and cores and ("%s, %.0f %s"):format(cpu, cores,
    cores == 1 and "core" or "cores") or cpu
  return text and clock and text .. " " .. clock or text or clock
end

-- "Lua 5.4.4, generational"; nil where it is not known.
local function lua_phrase(results, env)
  local lua, mode = text_of(env.lua), mode_phrase(results, env)
  local has_modes = lua and mode and not lua:find "^LuaJIT"
  return has_modes and ("%s, %s"):format(lua, mode) or lua
end

-- Results of interpreters side by side, by their versions.
local function by_interpreter(report)
  return lists.grouped(report.results, function(result)
    return result.lua and text_of(machine.env(report, result).lua)
  end)
end

-- Interpreter, machine and run in a few phrases, which are two lines of a
-- terminal; 'in_full' with what matters less.
local function head_of(report, in_full)
  local env = env_of(report)
  local list = {}
  local function add(phrase) list[#list + 1] = phrase end
  if in_full then add(text_of(env.tare)) end
  local versions = by_interpreter(report)
  for _, results in ipairs(versions) do
    add(lua_phrase(results, machine.env(report, results[1])))
  end
  if not versions[1] then add(lua_phrase(report.results, env)) end
  local plain = plain_clock_phrase(report, env)
  add(machine_phrase(env, report.results[2] ~= nil, plain))
  add(plain)
  if in_full then add(text_of(env.os)) end
  add(quota_phrase(report))
  add(measured_phrase(report, in_full))
  add(report.results[1] and trouble.is_quiet(report)
    and not trouble.of_machine(report) and "quiet machine" or nil)
  return list
end

local FEW_ELSEWHERE = 3 -- benches that a note names before it counts the others

-- Benches whose machine or interpreter is not that of the head, a note for each
-- other one: "m/b (Lua 5.4.6, Intel Xeon, 8 cores at 2.9 GHz)". The head names
-- all interpreters that were measured side by side.
local function others_machines(report)
  local own, notes = env_of(report), {}
  local function key_of(env, lua)
    return ("%s\0%s\0%s"):format(text_of(lua) or "", cpu_phrase(env) or "",
      tostring(env.cores))
  end
  local own_key = key_of(own, own.lua)
  for _, alike in ipairs(lists.grouped(report.results, function(result)
    local env = machine.env(report, result)
    local key = key_of(env, result.lua and own.lua or env.lua)
    return key ~= own_key and key or nil
  end)) do
    local env, names = machine.env(report, alike[1]), {}
    for i, result in ipairs(alike) do names[i] = result.id end
    local what = { text_of(env.lua) }
    what[#what + 1] = machine_phrase(env, true)
    notes[#notes + 1] = what[1] and { name = "measured elsewhere",
      text = ("%s (%s)"):format(escape.visible(lists.named(names,
        FEW_ELSEWHERE)), table.concat(what, ", ")) } or nil
  end
  return notes
end

-- What is said of the benches in general; HTML's title.
local function title_of(report)
  local only = report.results[1]
  if only and not report.results[2] then return escape.visible(only.id) end
  local suites, seen = {}, {}
  for _, result in ipairs(report.results) do
    local suite = escape.visible(result.suite or result.id or "")
    if not seen[suite] then suites[#suites + 1] = suite end
    seen[suite] = true
  end
  if #suites == 0 then return "Nothing was measured" end
  if #suites <= 3 then return table.concat(suites, ", ") end
  return ("%s and %d more suites"):format(table.concat(suites, ", ", 1, 2),
    #suites - 2)
end

-- What the report's tables share; nil and a message where 'columns' or 'sort'
-- name what there is not.
local function context_of(report, options)
  local chosen, message = columns.chosen(options.columns)
  if not chosen then return nil, message end
  local key_of, descending = columns.order(options.sort)
  if not key_of and descending then return nil, descending end
  return { chosen = chosen, explicit = options.columns ~= nil,
    key_of = key_of, descending = descending, ascii = options.ascii,
    options = report.options, expression = options.expression,
    early = early_phrase(report),
    relations = groups.relations(report) }
end

-- Why columns that were asked for are empty that need hardware counters.
local function uncounted(report, context)
  local names = {}
  for _, chosen in ipairs(context.explicit and context.chosen or {}) do
    local column = chosen.column
    if column.needs_counters
      and not lists.first(report.results, column.value) then
      names[#names + 1] = column.title
    end
  end
  local env = env_of(report)
  if not names[1] or not report.results[1] then return nil end
  return { name = table.concat(names, ", "), text = "not counted: "
    .. (text_of(env.counters) or "the run had no hardware counters") }
end

-- Why an interval that was asked for is not there.
local NO_INTERVAL = { p95 = "too few batches: give a longer --quota",
  p99 = "too few batches: give a longer --quota",
  max = "nothing says how slow the next batch may be" }
local function lone_figures(report, context)
  local share, parts = columns.confidence(report.options), {}
  for _, chosen in ipairs(context.explicit and context.chosen or {}) do
    local key, lacks = chosen.column.key, false
    for _, result in ipairs(chosen.interval and NO_INTERVAL[key]
      and report.results or {}) do
      local e = not result.error and chosen.column.estimate(result, share)
      lacks = lacks or e and not metrics.has_interval(e)
    end
    parts[#parts + 1] = lacks and ("%s (%s)"):format(key, NO_INTERVAL[key])
      or nil
  end
  return parts[1] and { name = "no interval", text = table.concat(parts, ", ") }
end

-- Which of all columns no table has, for nothing is in them.
local function empty_columns(context, sections)
  local names, shown = {}, {}
  for _, section in ipairs(sections) do
    if section.kind == "benches" then
      for _, column in ipairs(section.table.columns) do
        shown[column.key] = true
      end
    end
  end
  for _, chosen in ipairs(next(shown) and context.chosen or {}) do
    local column = chosen.column
    if not shown[column.key] and not column.needs_counters then
      names[#names + 1] = column.title
    end
  end
  return names[1] and { name = "nothing to show in",
    text = table.concat(names, ", ") }
end

local STRING_NS = 20 -- a call that takes less makes no string

-- That a bench which makes strings may allocate nothing, where one allocates
-- nothing: in a long run it does, for collections take its strings, or all
-- strings are kept in one table, as some Luas have it.
local function strings_note(report, sections)
  local lua = text_of(env_of(report).lua)
  local keeps_all = lua and (lua:match "^LuaJIT" or lua:match "^Lua 5%.1")
  for _, section in ipairs(sections) do
    local shows_bytes = section.kind == "card" or section.kind == "benches"
      and lists.first(section.table.columns, function(column)
        return column.key == "bytes"
      end)
    for _, result in ipairs(shows_bytes and section.results or {}) do
      local bytes, time = metrics.get(result, "bytes"),
        metrics.get(result, "time")
      local long = metrics.get(result, "long_bytes")
      if bytes and bytes.value == 0 and time and time.value >= STRING_NS
        and (keeps_all or long and long.value > 0) then
        return { name = "note", text = (section.kind == "card"
          and "allocating nothing" or "0 B") .. " may mean that each "
          .. "call makes the same strings, which Lua finds again instead of "
          .. "allocating them" }
      end
    end
  end
end

local FEW_RATIOS = 2 -- benches that are named

-- Whether a table has the ratio of a comparison in figures.
local function is_printed(c, relations)
  if c.verdict == "unclear" then return false end
  if groups.is_change(c) then return true end
  local a, b = relations.by_id[c.a], relations.by_id[c.b]
  local set = relations.set_of[a]
  return set ~= nil and (set.reference == a or set.reference == b)
end

local NARROWER = 0.75 -- than what two times say of their ratio, to be noticed

-- Whether a ratio's range is narrower than the intervals of the times beside it
-- let expect: what slows both sides in turn is no part of it.
local function is_narrow(ratio, a, b)
  if not (metrics.has_interval(ratio) and metrics.has_interval(a)
    and metrics.has_interval(b)) or math.min(ratio.low, a.low, b.low) <= 0
  then return false end
  local of_times = interval.ratio(a, b)
  return of_times ~= nil and math.log(ratio.high / ratio.low)
    < NARROWER * math.log(of_times.high / of_times.low)
end

-- What a legend says that ratios are of, where their ranges are narrower than
-- the intervals beside them, or they differ from the quotients of the times by
-- as much as 'most'; nil where neither is seen.
local function kind_of_ratios(of, narrow, most)
  local off = most > 0 and units.percent(most)
  if narrow then
    return ("of %s, so what slows both cancels: ranges are narrower than the "
      .. "two \194\177 suggest%s"):format(of, off and ", and ratios differ "
      .. "from quotients of times, here by up to " .. off or "")
  end
  return off and ("of %s, so one may differ from the quotient of its two "
    .. "times, here by up to %s"):format(of, off) or nil
end

-- Why ratios are not what the times beside them let expect, where that can be
-- seen and no sentence of a section says it: by how much they differ from the
-- quotients at most, or of which benches a quotient is outside of the ratio's
-- range.
-- Else also what ratios are of, for a legend.
local function ratios_note(report, relations, against, sections)
  local in_table = {}
  for _, section in ipairs(sections) do
    for _, sentence in ipairs(section.sentences or {}) do
      if sentence.is_of_ratios then return nil end
    end
    for _, result in ipairs(section.kind == "benches" and section.results
      or {}) do
      in_table[result] = true
    end
  end
  local old_by_id = lists.by_id((against or {}).results or {})
  local beyond, of, most, narrow = {}, nil, 0, false
  local has_loop = (report.options or {}).net_of_loop -- which times have not
  for _, c in ipairs(report.comparisons or {}) do
    local new = relations.by_id[c.a]
    local old = c.between == "reports" and old_by_id[c.b]
      or relations.by_id[c.b]
    local a, b = metrics.get(new or {}, "time"), metrics.get(old or {}, "time")
    local is_ratio = c.ratio and c.ratio.value
    local how = is_ratio and figures.apart(c.ratio, a, b)
    local is_seen = is_ratio and is_printed(c, relations)
    local is_beside = is_seen and in_table[new] and not groups.is_change(c)
      and is_narrow(c.ratio, a, b)
    narrow = narrow or is_beside
    if how or is_beside then
      of = of or c.between == "reports" and c.metric == "cycles"
        and "core cycles" or "batches measured in turn" .. (has_loop
        and ", with the loop" or "")
    end
    if how then
      local quotient = a.value / b.value
      if is_seen then
        most = math.max(most, math.abs(c.ratio.value / quotient - 1))
      end
      if how == "beyond" then
        beyond[#beyond + 1] = ("%s (%s)"):format(escape.visible(c.a),
          figures.comparison({ value = quotient },
            quotient < 1 and "faster" or "slower"))
      end
    end
  end
  if beyond[1] then
    return ("the quotient of the two times is outside the range of the ratio: "
      .. "%s. Ratios are of %s, times %s"):format(lists.named(beyond,
      FEW_RATIOS), of, has_loop and "are without it"
      or "of all batches that count: trust the ratio")
  end
  local text = kind_of_ratios(of, narrow, most)
  return text and "ratios are " .. text, text
end

-- What a card, or the columns mean that any table of results shows.
local function explanations(context, sections)
  local shown, list = {}, { { name = "bench", text = "name and parameters; "
    .. "after them '!' where the time is too noisy, and the numbers of notes"
    } }
  for _, section in ipairs(sections) do
    if section.card then list = section.card.explanations end
    for _, column in ipairs(section.table and section.table.columns or {}) do
      shown[column.key] = true
    end
  end
  for _, chosen in ipairs(context.chosen) do
    local column = chosen.column
    if shown[column.key] then
      list[#list + 1] = { name = column.title, text = column.explain }
    end
  end
  for _, verdict in ipairs { "unclear", "same" } do
    if shown.compared then
      list[#list + 1] = { name = verdict, text = figures.meaning(verdict,
        tonumber((context.options or {}).tolerance)) }
    end
  end
  local share = columns.confidence(context.options)
  list[#list + 1] = { name = "\194\177", text = ("half the width of the "
    .. "interval that holds the true cost with a confidence of %s%s; its two "
    .. "ends where the sides differ"):format(units.percent(share),
    context.early) }
  return list
end

-- All sections. Benches that a sweep, a table of changes or one of interpreters
-- shows are in no table of results, unless columns were asked for.
---@return table[] sections
---@return table[]? compared phrases: how the benches compare with another
---  report or revision, where all of them were compared with the same one
local function sections_of(report, context, options)
  local relations, rest, apart = context.relations, {}, 0
  local swept = sweeps.of(report, relations)
  local changed, covered = changes.of(report, relations, options.against)
  local by_lua, in_lua = interpreters.sections(report, context)
  for _, result in ipairs(report.results) do
    local elsewhere = in_lua[result] or covered[result]
      and (not relations.set_of[result] or (result.params or {}).ref ~= nil)
    for _, sweep in ipairs(swept) do
      elsewhere = elsewhere or sweep.ids[result.id]
    end
    if not elsewhere then apart = apart + 1 end
    if not elsewhere or context.explicit and not in_lua[result] then
      rest[#rest + 1] = result
    end
  end
  local only, compared = not changed[2] and changed[1], nil
  local gone = only and not only.is_report and only.gone or {}
  if only and #only > 0 and apart == #(only.fresh or {}) + #gone then
    compared = changes.counts(only, report, options)
    for _, name in ipairs { "fresh", "gone" } do
      local alone = #(only[name] or {})
      if alone > 0 then
        compared[#compared + 1] = { text = ("%d %s"):format(alone,
          name == "fresh" and "new" or name) }
      end
    end
  end
  -- What changed was asked for, so it is read first.
  local sections = changes.sections(changed, report, options, context,
    compared ~= nil)
  lists.append(sections, benches.sections(report, rest, context))
  lists.append(sections, by_lua)
  lists.append(sections, sweeps.sections(swept, context))
  lists.append(sections, regressions.sections(report))
  lists.append(sections, profiles.sections(report, options.against))
  lists.append(sections, traces.sections(report))
  return sections, compared
end

--- What a Report says, or frames do. Options are those of tare.report.render,
--- and two of a printer: lists_all (in the notes, benches of which text names
--- some) and drops_zeros (counts of zero, of how benches compare).
---@param options table?
---@return table? document
---@return string? message where columns or sort name what there is not
function document.of(report, options)
  options = options or {}
  if frames.is(report) then return frames.document(report, options) end
  local context, message = context_of(report, options)
  if not context then return nil, message end
  local notes = trouble.of_benches(report, options.explain, options.lists_all)
  local hidden = 0
  if not (options.explain or options.lists_all) then
    notes, hidden = trouble.first_of(notes)
  end
  local mark_of, number_notes = trouble.marker(notes, report)
  context.mark_of = mark_of
  local sections, compared = sections_of(report, context, options)
  number_notes()
  local next_one = next_step.of(report, options, context.relations)
  local made = { title = options.title and escape.visible(options.title)
      or title_of(report),
    head = head_of(report, options.explain or options.lists_all),
    sure = sure_phrase(report),
    tolerance = tonumber((report.options or {}).tolerance),
    gates = trouble.gates(options),
    machine = trouble.of_machine(report),
    interrupted = trouble.interrupted(report, options.interrupted,
      next_one ~= nil),
    failures = trouble.failures(report, options.failures),
    sections = sections,
    notes = notes,
    closing = trouble.closing(report, options, context.relations, compared),
    next_step = next_one }
  if context.chosen.has_all then
    made.notes[#made.notes + 1] = empty_columns(context, sections)
  end
  made.notes[#made.notes + 1] = uncounted(report, context)
  made.notes[#made.notes + 1] = not context.chosen.has_all
    and lone_figures(report, context) or nil
  made.notes[#made.notes + 1] = strings_note(report, sections)
  if hidden > 0 then
    made.notes[#made.notes + 1] = { name = "note", text = ("%d more about "
      .. "single benches: --explain lists them"):format(hidden) }
  end
  local about_ratios, of_ratios = ratios_note(report, context.relations,
    options.against, sections)
  made.of_ratios = not options.explain and of_ratios or nil
  if about_ratios and not made.of_ratios then
    made.notes[#made.notes + 1] = { name = "note", text = about_ratios }
  end
  for i, note in ipairs(others_machines(report)) do
    table.insert(made.notes, i, note)
  end
  for _, note in ipairs(options.notes or {}) do
    local name, text = note:match("^(not checked): (.*)$")
    local list = name and made.gates[1] and made.gates or made.notes
    list[#list + 1] = { name = name and name .. (list == made.gates and ":"
      or "") or "note", text = escape.visible(text or note), style = "warn" }
  end
  if options.explain then
    made.explanations = explanations(context, made.sections)
    for _, note in ipairs(trouble.asides(report)) do
      made.notes[#made.notes + 1] = note
    end
  end
  return made
end

--- Why there is no document with these columns and this order; true where there
--- is one.
---@param options { columns: string|string[]|nil, sort: string? }
---@return boolean? ok
---@return string? message
function document.check(options)
  local context, message = context_of({ results = {} }, options)
  return context and true, message
end

return document
