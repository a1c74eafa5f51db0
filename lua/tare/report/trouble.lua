-- What went wrong, said once: what is about the machine in one line, what makes
-- a bench's figure suffer with the benches, failures and gates by name, and the
-- line that closes the report.
local columns = require "tare.report.columns"
local escape = require "tare.report.escape"
local figures = require "tare.report.figures"
local groups = require "tare.report.groups"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"
local units = require "tare.base.units"
local warnings = require "tare.base.warnings"
local id_without = require("tare.base.ids").without

local trouble = {}

local FEW = 4 -- benches that a line names before it counts the others
local BUSY, MOST_CROWDED = 0.1, 0.9 -- shares of batches
-- Batches of which none was disturbed that show a quiet machine: of a busy one
-- so many would be by chance in 4 of 100 runs.
local FEWEST = 30
local MOST_SIGNS = 2 -- of noise that the machine's line names
local MOST_GROUPED = 3 -- benches whose groups of processes are named

local function has(result, code) return lists.has(result.warnings, code) end

--- Whether a bench has fewer batches than it was to have, for the run was
--- interrupted.
---@return boolean
function trouble.is_cut_short(result)
  return not result.error and has(result, "interrupted")
end

-- Half the width of an interval from which on what concerns the precision
-- matters, where none was asked for.
local WIDE = 0.05

local function is_wide(result)
  local time = metrics.get(result, "time")
  return not metrics.has_interval(time) or time.value <= 0
    or time.high - time.low > 2 * WIDE * time.value
end

-- Whether a result's figure suffers from what a warning says.
local function suffers(result, known)
  return known.about == "bench" or known.about == "precision"
    and (is_wide(result) or known.code:find "^precision_" ~= nil)
end

-- Warnings that are shown in another way: with the time that more cycles
-- would take, in the closing line, with all that is too noisy.
local SHOWN_ELSEWHERE = { few_cycles = true, interrupted = true,
  crowded_run = true }

-- What was cut short is called that, and lacks what a whole run has.
local function of_bench(result, known)
  return suffers(result, known) and not SHOWN_ELSEWHERE[known.code]
    and not (known.about == "precision" and has(result, "interrupted"))
end

-- The results' warnings that are wanted, each once with the ids it concerns.
local function collected(report, is_wanted)
  local list, by_code = {}, {}
  local of_program = warnings.is_of_program(report)
  for _, result in ipairs(report.results) do
    for _, code in ipairs(not result.error and result.warnings or {}) do
      local known = warnings.explain(code, of_program)
      if is_wanted(result, known) then
        if not by_code[code] then
          by_code[code] = { code = code, title = known.title,
            advice = known.advice, always = known.always, ids = {},
            of = {} }
          list[#list + 1] = by_code[code]
        end
        table.insert(by_code[code].ids, result.id)
        by_code[code].of[result] = true
      end
    end
  end
  return list
end

-- What a time that is too noisy suffers from besides is no news.
local function of_sound_bench(report)
  return function(result, known)
    return of_bench(result, known) and not (known.about == "precision"
      and columns.noise_of(result, report.options))
  end
end

local function of_machine(_, known) return known.about == "machine" end
local function of_option(_, known) return known.about == "option" end

local function of_noise(_, known)
  return known.about == "machine" or known.about == "samples"
end

local function share_of(value)
  return type(value) == "number" and value > 0 and value <= 1 and value or nil
end

-- How many benches did not fail.
local function measured_in(report)
  return #lists.those(report.results, function(one) return not one.error end)
end

-- Signs of noise that a quarter of the benches have at least, the most frequent
-- first: a few benches of many had bad luck, which is no trait of the machine.
local function signs_of(report)
  local signs = { count = measured_in(report) }
  for _, one in ipairs(collected(report, of_machine)) do
    if #one.ids * 4 >= signs.count then signs[#signs + 1] = one end
  end
  table.sort(signs, function(x, y)
    if #x.ids == #y.ids then return x.title < y.title end
    return #x.ids > #y.ids
  end)
  return signs
end

--- The share of all batches that no time is made of, for something disturbed
--- them; nil where that is not known.
---@return number?
function trouble.left_out(report)
  local measured, clean = 0, 0
  for _, result in ipairs(report.results) do
    local of_time = tonumber(result.clean_batches)
    if of_time and tonumber(result.rounds) and not result.error then
      measured = measured + result.rounds - (tonumber(result.discarded) or 0)
      clean = clean + of_time
    end
  end
  return share_of(1 - clean / measured)
end

-- Whether a result has no time that says anything; the closing line counts
-- these.
local function is_noisy(result, options)
  return not result.error and (not (result.time or result.profile)
    or columns.noise_of(result, options) ~= nil)
end

local function has_intervals(report)
  return lists.first(report.results, function(result)
    return not result.error
      and metrics.has_interval(metrics.get(result, "time"))
  end)
end

-- Of several benches, which has the widest interval, and how wide it is: "s/a",
-- "±14%"; nil where one is too noisy, which is marked. And whether one is.
local function widest_of(report)
  local widest, id, has_noisy = 0, nil, false
  for _, result in ipairs(report.results) do
    local time = metrics.get(result, "time")
    has_noisy = has_noisy or is_noisy(result, report.options)
    if metrics.has_interval(time) and time.value > 0 and not result.error then
      local half = math.max(time.high - time.value, time.value - time.low)
        / time.value
      if half > widest then
        widest, id = half, id_without(result.id, "ref")
      end
    end
  end
  if not (report.results[2] and id) or has_noisy then
    return nil, nil, has_noisy
  end
  return escape.visible(id), "\194\177" .. units.percent(widest), false
end

-- That intervals allow for what disturbed a run: "intervals allow for it (the
-- widest: s/a, ±14%)"; nil where there are none.
local function allowed(report)
  if not has_intervals(report) then return nil end
  local id, width, has_noisy = widest_of(report)
  return "intervals allow for it" .. (id and (" (the widest: %s, %s)"):format(
    id, width) or report.results[2] and has_noisy
    and " (except in times that are too noisy)" or "")
end

-- That the batches of a busy machine which count may have been slowed, too, for
-- which intervals allow (docs/accuracy.md), so that a quieter one helps, if
-- no advice says that already.
local function widened(report, advice, others)
  if not has_intervals(report) then return "" end
  local text = ("; %s may be slow, too"):format(others)
  if advice ~= "" then return text end
  local id, width = widest_of(report)
  return text .. ". A quieter machine narrows intervals"
    .. (id and (" (widest: %s, %s)"):format(id, width) or "")
end

-- Whether a time is too noisy since others had the core.
local function has_crowded(report)
  return lists.first(report.results, function(result)
    return not result.error and has(result, "crowded_run")
  end) ~= nil
end

-- The shares of batches in which a core was shared, and that no time is of; and
-- of the time that others had the core or shared it, in the mean of the
-- benches. Short batches mostly lie between two turns of others, who may have
-- much of the time and disturb few. Nil where it is not known.
local function disturbed(report)
  local env = type(report.env) == "table" and report.env or {}
  local lost, count = 0, 0
  for _, result in ipairs(report.results) do
    local share = result.disturbed
    if share == 0 or share_of(share) then
      lost, count = lost + share, count + 1
    end
  end
  return share_of(env.crowded), trouble.left_out(report),
    count > 0 and lost / count or nil
end

local function most(crowded, share, lost)
  return math.max(crowded or 0, share or 0, lost or 0)
end

-- Why times are too noisy, and what helps.
local NOISE = {
  { "the core was shared nearly all the time", "stop what else runs, or "
    .. "measure again later", function(result)
    return has(result, "crowded_run")
  end },
  { "too few garbage collections", "give a longer --quota",
    columns.has_few_cycles },
  { "too few undisturbed batches", "give a longer --quota", function(result)
    return not metrics.has_interval(metrics.get(result, "time"))
  end },
  { "the interval is as wide as the time", "give a longer --quota", function()
    return true
  end } }

-- Why times are too noisy, in one note, which counts as the closing line does;
-- tables mark them. Nil where the rows of tables say it all, or the line of the
-- machine does. Those of changes and of baselines have no room for it.
local function noisy_note(report, in_full)
  local count, reasons, seen, changed = 0, {}, {}, {}
  local is_told = not report.sweeps or #report.sweeps == 0
  for _, c in ipairs(report.comparisons or {}) do -- which their rows show
    if groups.is_change(c) then changed[id_without(c.a, "ref")] = true end
    if groups.is_change(c) and c.verdict ~= "unclear" then
      seen[id_without(c.a, "ref")] = true
    end
  end
  for _, result in ipairs(report.results) do
    local id = id_without(result.id, "ref")
    if is_noisy(result, report.options) and not seen[id] then
      seen[id], count = true, count + 1
      for _, one in ipairs(NOISE) do
        if one[3](result) then
          if not reasons[one] then reasons[#reasons + 1] = one end
          reasons[one] = (reasons[one] or 0) + 1
          break
        end
      end
      is_told = is_told and not (result.baseline or changed[id]
        or has(result, "crowded_run"))
    end
  end
  if count == 0 or is_told then return nil end
  -- That the core was shared, and what helps, is in the line of the machine.
  local is_busy = most(disturbed(report)) >= BUSY
  if is_busy and not in_full and reasons[1] == NOISE[1] and not reasons[2] then
    return nil
  end
  local whys, advice = {}, {}
  for i, one in ipairs(reasons) do
    whys[i] = one[1] .. (#reasons > 1 and (" (%d)"):format(reasons[one]) or "")
    local is_above = is_busy and one == NOISE[1]
    if not is_above and not lists.has(advice, one[2]) then
      advice[#advice + 1] = one[2]
    end
  end
  return { name = "too noisy", mark = "!", text = table.concat(whys, ", ")
    .. "." .. (advice[1] and " " .. table.concat(advice, ", and "):gsub("^%l",
      string.upper) .. "." or "") }
end

local MUCH_WAITED = 0.1 -- of the quotas
local QUOTA_OF_CALLS_NS = 1e9 -- what one counts as there

-- How long benches waited for a free core, in all (--patience); nil where that
-- was a small part of the run.
local function waited_ns(report)
  local quota = type(report.options) == "table" and report.options.quota
  local quota_ns = type(quota) == "table" and tonumber(quota.ns)
    or QUOTA_OF_CALLS_NS
  local waited, quotas = 0, 0
  for _, result in ipairs(report.results) do
    waited = waited + (tonumber(result.waited_ns) or 0)
    quotas = quotas + quota_ns
  end
  return waited > 0 and waited < math.huge and waited >= MUCH_WAITED * quotas
    and waited or nil
end

-- What disturbed the batches.
local function disturbance(report)
  local crowded, share, lost = disturbed(report)
  local advice = has_crowded(report)
    and " Stop what else runs, or measure again later." or ""
  -- Where hardly any batch had the core for itself, none could be left out.
  if crowded and crowded > MOST_CROWDED then
    return "busy machine: other programs shared the core in nearly all "
      .. "batches." .. advice
  elseif most(crowded, share) >= BUSY then
    return ("busy machine: %s of the batches were disturbed%s%s.%s"):format(
      figures.percent(share or crowded), share and " and left out" or "",
      widened(report, advice, "others"), advice)
  elseif lost and lost >= BUSY then
    return ("busy machine: other programs had the core, or shared it, for %s "
      .. "of the time%s.%s"):format(figures.percent(lost),
      widened(report, advice, "batches"), advice)
  end
  -- What follows from that needs no words of its own; --explain lists it.
  local signs = signs_of(report)
  if not signs[1] then return nil end
  local titles = {}
  for k = 1, math.min(MOST_SIGNS, #signs) do titles[k] = signs[k].title end
  local text = table.concat(titles, ", ")
  if #signs[1].ids < signs.count then
    text = ("%s (in %s%d of %d benches)"):format(text,
      #titles > 1 and "up to " or "", #signs[1].ids, signs.count)
  end
  return ("machine: %s%s."):format(text, (allowed(report)
    or ""):gsub("^.", "; %0"))
end

--- What disturbed the whole run, and how long it waited for that to end, in one
--- line; nil where nothing did.
---@return string?
function trouble.of_machine(report)
  local text, ns = disturbance(report), waited_ns(report)
  if not ns then return text end
  local waited = ("aited %s for a free core."):format(figures.quantity(ns, "ns",
    2))
  return text and ("%s W%s"):format(text, waited) or "machine: w" .. waited
end

--- Whether hardly any batch was disturbed; nil where nothing shows that: false
--- is known by the core's speed alone, true only where the system counts whose
--- turn it was, too (it does not on Windows).
---@return boolean?
function trouble.is_quiet(report)
  local env = type(report.env) == "table" and report.env or {}
  local is_known, lacks_core = tonumber(env.crowded) ~= nil, false
  local is_counted, batches = false, 0
  for _, result in ipairs(report.results) do
    is_counted = is_counted or tonumber(result.preempted) ~= nil
    is_known = is_known or is_counted or tonumber(result.crowded) ~= nil
    lacks_core = lacks_core or has(result, "crowded_run")
    batches = batches + (tonumber(result.rounds) or 0)
  end
  if not is_known then return nil end
  if most(disturbed(report)) >= BUSY then return false end
  return is_counted and batches >= FEWEST and not lacks_core or nil
end

--- Results whose time is no time at the reference clock, and whether others'
--- is.
---@return table[] results
---@return boolean has_others
function trouble.by_plain_clock(report)
  local plain, has_others = {}, false
  for _, result in ipairs(report.results) do
    local is_timed = not result.error and metrics.get(result, "time") ~= nil
    if is_timed and result.time_from == "wall" then
      plain[#plain + 1] = result
    end
    has_others = has_others or is_timed and result.time_from == "cycles"
  end
  return plain, has_others
end

-- What to do is the last sentence of an advice; what happened comes before.
local function advice_of(one, in_full)
  local advice = one.advice or ""
  return in_full and advice or advice:match("([^.]+%.)%s*$") or ""
end

-- Benches whose processes fall into groups, of many the first: in one note
-- those of which nobody knows what is usual, in one those that differ as
-- processes do. These are no reason for a mark, unless notes are in full.
local function grouped(report, in_full, shows_all)
  local near, far = { of = {} }, { of = {} } -- and in each, their texts
  for _, result in ipairs(report.results) do
    local text = not result.error and columns.groups_text(result)
    if text then
      local kind = columns.doubtful_groups(result) and far or near
      kind.of[result] = true
      table.insert(kind, ("%s (%s)"):format(escape.visible(result.id), text))
    end
  end
  local function note(kind, name, advice)
    if not kind[1] then return nil end
    local few = not shows_all and #kind > MOST_GROUPED
    return { name = name, of = kind.of, text = ("%s%s. %s"):format(
      lists.named(kind, few and MOST_GROUPED or #kind),
      few and " (--explain lists them)" or "", advice) }
  end
  local of_near = note(near, "processes differ", in_full
    and "Memory layout and hash seed do that; the intervals allow for it."
    or "The intervals allow for it.")
  if of_near and not in_full then
    of_near.of, of_near.always, of_near.style = nil, true, "dim"
  end
  return note(far, "processes differ much", "Which is usual is not known: "
    .. "measure again before you rely on such a time"
    .. (#(report.comparisons or {}) > 0 and "; verdicts allow for both."
    or ".")), of_near
end

-- The longest warm-up of a bench that has no other options than the run; nil
-- where that is a number of calls.
local function warmup_ns(report)
  local given = type(report.options) == "table" and report.options or {}
  local warmup = type(given.warmup) == "table" and tonumber(given.warmup.ns)
  local quota = type(given.quota) == "table" and tonumber(given.quota.ns)
  return warmup or not given.warmup and quota and quota / 5 or nil
end

-- ": " and the first line of what a launch of the first of these met.
local function first_failure(report, of)
  for _, result in ipairs(report.results) do
    local failed = of[result] and (result.failed_launches or {})[1]
    if failed then
      local line = tostring(failed.message):match "[^\n]*"
      return ": " .. line:gsub("%.$", "")
    end
  end
  return ""
end

-- Which times are by another clock than the others. Of all, the head says it.
local function plain_clock_note(report)
  local plain, has_others = trouble.by_plain_clock(report)
  if not (plain[1] and has_others) then return nil end
  local ids, of = {}, {}
  for i, result in ipairs(plain) do ids[i], of[result] = result.id, true end
  return { name = "wall time", of = of, always = true,
    text = escape.visible(lists.named(ids, FEW)) .. ". The core's clock was "
      .. "not read beside each batch; other times are at the reference clock." }
end

--- What benches suffer from: a line for each thing, with those it concerns.
---@param in_full boolean? the whole of the advice
---@param shows_all boolean? every bench whose processes differ
---@return { name: string, text: string, mark: string?, of: table?,
---  is_of_all: boolean?, always: boolean?, style: string? }[] notes 'mark' is
---  in tables, too
function trouble.of_benches(report, in_full, shows_all)
  local far, near = grouped(report, in_full, in_full or shows_all)
  local list = { far }
  list[#list + 1] = noisy_note(report, in_full)
  list[#list + 1] = plain_clock_note(report)
  local few = lists.those(report.results, function(result)
    return columns.has_few_cycles(result) and not result.error
      and not columns.noise_of(result, report.options)
  end)
  if few[1] then
    local ids, needed = {}, 0
    for i, result in ipairs(few) do
      ids[i] = result.id
      needed = math.max(needed, tonumber(result.cycles_needed_ns) or 0)
    end
    local advice = ". That needs a --quota of about %s."
    if warnings.is_of_program(report) then
      advice = warnings.in_program(advice)
    end
    list[#list + 1] = { mark = "?", -- as their share of the collector is
      name = "too few collections to say what they cost",
      text = escape.visible(lists.named(ids, FEW)) .. (needed > 0
        and advice:format(figures.quantity(needed, "ns", 1)) or "") }
  end
  local measured = measured_in(report)
  for _, one in ipairs(collected(report, of_sound_bench(report))) do
    local is_of_all = #one.ids == measured and measured > 1
    local who = is_of_all and measured > FEW
      and ("all %d benches"):format(measured) or lists.named(one.ids, FEW)
    local advice = advice_of(one, in_full):gsub("^ ", "")
    if one.code == "launch_failed" then
      who = who .. first_failure(report, one.of)
    end
    local was = one.code == "not_settled" and warmup_ns(report)
    if was then
      advice = advice:gsub("%.$", (" (it was %s at most)."):format(
        figures.quantity(was, "ns", 2)))
    end
    list[#list + 1] = { name = escape.visible(one.title), of = one.of,
      always = one.always, is_of_all = is_of_all,
      text = ("%s. %s"):format(escape.visible(who), advice):gsub(" $", "") }
  end
  -- A page has them with each bench.
  list[#list + 1] = (in_full or not shows_all) and near or nil
  return list
end

local MOST_NOTES = 2

--- The notes that are shown without --explain: those without which a figure
--- means something else than it says, and two others.
---@param notes table[] of trouble.of_benches
---@return table[] shown
---@return integer hidden how many others there are
function trouble.first_of(notes)
  local shown, others = {}, 0
  for _, note in ipairs(notes) do
    others = others + (note.always and 0 or 1)
    if note.always or others <= MOST_NOTES then shown[#shown + 1] = note end
  end
  return shown, math.max(0, others - MOST_NOTES)
end

--- What stands after the names of benches: "!" where a time is too noisy, and
--- the numbers of the notes that concern them, in the order in which tables
--- show these, as those of footnotes are.
---@param notes table[] of trouble.of_benches; those of all benches need none
---@return fun(result: table): string? mark_of
---@return fun() number puts the notes in this order, with their marks
function trouble.marker(notes, report)
  local count, number = 0, {}
  return function(result)
    local mark = columns.noise_of(result, report.options) and "!" or ""
    local own = {}
    for _, note in ipairs(notes) do
      if note.of and note.of[result] and not note.is_of_all then
        if not number[note] then count, number[note] = count + 1, count + 1 end
        own[#own + 1] = number[note]
      end
    end
    table.sort(own)
    for _, n in ipairs(own) do mark = ("%s[%d]"):format(mark, n) end
    return mark ~= "" and mark:gsub("!%[", "! [") or nil
  end, function()
    local place = {}
    for i, note in ipairs(notes) do
      place[note] = number[note] or count + i
      note.mark = number[note] and ("[%d]"):format(number[note]) or note.mark
    end
    table.sort(notes, function(a, b) return place[a] < place[b] end)
  end
end

--- What --explain adds: options with side effects, and every sign of noise.
---@return { name: string, text: string }[]
function trouble.asides(report)
  local list = {}
  for _, wanted in ipairs { of_option, of_noise } do
    for _, one in ipairs(collected(report, wanted)) do
      list[#list + 1] = { name = one.title, text = ("%s. %s"):format(
        escape.visible(lists.named(one.ids, FEW)), one.advice) }
    end
  end
  return list
end

--- What failed: benches that raised, then gates.
---@param failures { id: string?, message: string }[]? of tare.judge.gate
---@return { name: string, text: string }[]
function trouble.failures(report, failures)
  local list = {}
  -- What all benches of a run fail with is said once.
  for _, alike in ipairs(lists.grouped(report.results, function(result)
    return result.error
  end)) do
    local ids = {}
    for i, result in ipairs(alike) do ids[i] = result.id end
    list[#list + 1] = { name = escape.visible(lists.named(ids, FEW)),
      text = escape.visible(alike[1].error) }
  end
  for _, failure in ipairs(failures or {}) do
    local id, message = failure.id, tostring(failure.message)
    if id and message:sub(1, #id + 2) == id .. ": " then
      message = message:sub(#id + 3)
    end
    list[#list + 1] = { name = escape.visible(id or "gate"),
      interval = failure.noisy and "range" or nil,
      text = escape.visible(message) }
  end
  return list
end

-- Of how many benches a run that was interrupted measured some; nil where that
-- is not known, or it ended by itself.
local function interrupted_of(report)
  local stored = type(report.interrupted) == "table" and report.interrupted
  local of = stored and tonumber(stored.of)
  return of and of >= #report.results and of < 1e6 and of % 1 == 0 and of or nil
end

-- What was cut short; nil where nothing was interrupted.
local function cut_short(report, given)
  local cut = lists.those(report.results, trouble.is_cut_short)
  return (given or type(report.interrupted) == "table" or cut[1]) and cut or nil
end

local function counted(count, one, many)
  return ("%d %s"):format(count, count == 1 and one or many)
end

-- "s/a, s/b and 3 more", where some are known by name.
local function names_of_missing(ids, count)
  local named = {}
  for i, id in ipairs(type(ids) == "table" and ids or {}) do
    if i > FEW or i > count or type(id) ~= "string" then break end
    named[i] = escape.visible(id)
  end
  local more = count - #named
  return table.concat(named, ", ") .. (named[1] and more > 0
    and (" and %d more"):format(more) or "")
end

--- Whether a run can be continued: where revisions are compared, all of it is
--- measured again.
---@return boolean
function trouble.can_resume(report) return type(report.refs) ~= "table" end

local NOT_STORED = "with --save FILE it could be continued (--resume FILE)"

--- That the run was interrupted, in one line that stands alone: "interrupted: 3
--- of 8 benches were finished; to finish the run: tare run ...".
---@param given { file: string? } where what was measured is kept
---@param next_one { why: string, command: string }? of tare.report.next_step
---@return string
function trouble.interrupted_in_short(report, given, next_one)
  local finished = #lists.those(report.results, function(result)
    return not trouble.is_cut_short(result)
  end)
  local path = given.file and escape.visible(given.file)
  local how = not path and NOT_STORED
    or next_one and ("%s: %s"):format(next_one.why, next_one.command)
    or ("--resume %s measures the rest"):format(path)
  if not trouble.can_resume(report) then
    how = path and ("%s has what was measured"):format(path)
      or "nothing was stored"
  end
  return ("interrupted: %d of %s finished; %s"):format(finished,
    counted(interrupted_of(report) or #report.results, "bench was",
      "benches were"), how)
end

--- That the run was interrupted, what it lacks, and how to go on; nil where it
--- was not: "interrupted: s/a, s/b and 3 more were not measured. --resume
--- r.json measures the rest." How many were is in the closing line.
---@param given { file: string? }? where what was measured is kept
---@param has_next boolean? whether the command that goes on is shown, too
---@return string?
function trouble.interrupted(report, given, has_next)
  local short, of = cut_short(report, given), interrupted_of(report)
  if not short then return nil end
  local missing = of and of - #report.results or 0
  local names = missing > 0 and names_of_missing(report.interrupted.missing,
    missing)
  local has_finished = measured_in(report) > #short
  local text = "interrupted"
  if not report.results[1] then
    text = "interrupted before any figure"
  elseif names and names ~= "" then
    text = ("interrupted: %s %s not measured%s"):format(names,
      missing == 1 and "was" or "were", has_finished and ""
      or ", and no other was finished")
  elseif not has_finished then
    text = "interrupted before any bench was finished: figures are of the "
      .. "batches until then"
  end
  local path = given and given.file and escape.visible(given.file)
  local can_resume = trouble.can_resume(report)
  if not path and not can_resume then
    return text .. "."
  elseif not path then
    return ("%s. %s."):format(text, (NOT_STORED:gsub("^w", "W")))
  elseif has_next or not can_resume then
    return text .. (report.results[1] and (". What was measured is kept in "
      .. "%s."):format(path) or ".")
  end
  return ("%s. --resume %s measures the rest%s."):format(text, path,
    short[1] and ", and what was cut short anew" or "")
end

-- How the benches of a report fared, and in which words, the best first; of
-- each the worst counts.
local FARED = { "ok", "unclear", "worse", "too noisy", "cut short", "failed" }
local OK, UNCLEAR, WORSE, NOISY, SHORT, FAILED = 1, 2, 3, 4, 5, 6

local STYLES = { "good", "warn", "bad", "warn", "warn", "bad" }

-- How many fared how, and the results that count as too noisy.
local function counts_of(report, relations, failures)
  local worst, ids, noisy = {}, {}, {}
  local function add(id, how)
    -- A bench that was measured in several revisions is one.
    id = id_without(id, "ref")
    if not worst[id] then ids[#ids + 1] = id end
    worst[id] = math.max(worst[id] or OK, how)
  end
  for _, result in ipairs(report.results) do
    add(result.id, result.error and FAILED
      or trouble.is_cut_short(result) and SHORT
      or is_noisy(result, report.options) and NOISY or OK)
    if is_noisy(result, report.options) then
      local id = id_without(result.id, "ref")
      noisy[id] = noisy[id] or result
    end
    local c = relations:to_reference(result)
    if c and c.verdict == "unclear" then add(result.id, UNCLEAR) end
  end
  for _, c in ipairs(report.comparisons or {}) do
    if groups.is_change(c) and worst[c.a] then
      add(c.a, c.verdict == "unclear" and UNCLEAR
        or c.verdict == "slower" and WORSE or OK)
    end
  end
  for _, failure in ipairs(failures or {}) do
    if failure.id and worst[failure.id] then add(failure.id, WORSE) end
  end
  local counts, list = { 0, 0, 0, 0, 0, 0 }, {}
  for _, id in ipairs(ids) do
    counts[worst[id]] = counts[worst[id]] + 1
    list[#list + 1] = worst[id] == NOISY and noisy[id] or nil
  end
  return counts, list
end

local MOST_UNDECIDED = 3

--- What became of each rule of --fail-on, a line each: "at most 5% more time
--- than before (gate time>5%, if surely more than before): 1 failed, 3 passed,
--- 1 could not be decided (s/b: 1.03 times as slow (...))". That is what did
--- not fail, but may be beyond the rule; which failed and why, the failures
--- say.
---@param options table of the document
---@return { name: string, text: string, style: string }[]
function trouble.gates(options)
  local failed, lines = {}, {}
  for _, one in ipairs(options.failures or {}) do
    local rule = one.rule or 0
    failed[rule] = failed[rule] or {}
    table.insert(failed[rule], one)
  end
  for i, one in ipairs(options.failures and options.gates or {}) do
    local bad, unclear = failed[one.text] or {}, one.unclear or 0
    local passed, parts = one.checked - #bad - unclear, {}
    parts[1] = bad[1] and #bad .. " failed" or nil
    parts[#parts + 1] = passed > 0 and passed .. " passed" or nil
    parts[#parts + 1] = one.unchecked > 0 and one.unchecked .. " not checked"
      or nil
    local undecided = {}
    for k, which in ipairs(one.undecided or {}) do undecided[k] = which.text end
    if unclear > 0 then
      local more = #undecided - MOST_UNDECIDED
      parts[#parts + 1] = ("%d could not be decided%s"):format(unclear,
        undecided[1] and (" (%s%s)"):format(escape.visible(table.concat(
          undecided, "; ", 1, math.min(MOST_UNDECIDED, #undecided))),
          more > 0 and ("; and %d more"):format(more) or "") or "")
    end
    local metric = one.metric and metrics.find(one.metric)
    local rule = "gate " .. escape.visible(one.text)
      .. (metric and not metric.exact and ", if surely more than before" or "")
    lines[i] = { name = one.meaning and ("%s (%s):"):format(one.meaning, rule)
        or rule .. ":",
      text = parts[1] and table.concat(parts, ", ") or "no bench",
      interval = undecided[1] and "range" or nil,
      style = bad[1] and "bad" or (unclear > 0 or one.unchecked > 0) and "warn"
        or "good" }
  end
  return lines
end

--- "2 gates failed": each counted once, for however many benches.
---@param failures table[] of tare.judge.gate
---@return string
function trouble.failed_gates(failures)
  local count = #lists.grouped(failures, function(one)
    return one.rule or one
  end)
  return counted(count, "gate", "gates") .. " failed"
end

local OUTCOMES = { { "passed", "good" }, { "could not be decided", "warn" },
  { "checked in part" }, { "not checked", "warn" } }

-- "1 gate failed"; where none did, "2 gates passed, 1 could not be decided": a
-- gate is one rule, for however many benches, and its worst outcome counts.
local function gates_phrases(options)
  local failures, rules = options.failures, options.gates
  if not failures then return {} end
  if failures[1] then
    return { { text = trouble.failed_gates(failures), style = "bad" } }
  end
  if not rules then return { { text = "all gates passed", style = "good" } } end
  local counts, list = {}, {}
  for _, one in ipairs(rules) do
    local how = (one.unclear or 0) > 0 and "could not be decided"
      or one.checked == 0 and "not checked"
      or one.unchecked > 0 and "checked in part" or "passed"
    counts[how] = (counts[how] or 0) + 1
  end
  for _, outcome in ipairs(OUTCOMES) do
    local count = counts[outcome[1]]
    list[#list + 1] = count and { style = outcome[2], text = ("%s %s"):format(
      list[1] and count or counted(count, "gate", "gates"), outcome[1]) } or nil
  end
  return list[1] and list or { { text = "no gates" } }
end

-- How what no gate failed, and none passed, is called: "not checked or
-- undecided"; nil where there is none of it, or where it may fail by itself, as
-- counts that are not there do.
local function unjudged_of(options)
  local is_unclear = false
  for _, one in ipairs(options.gates or {}) do
    local metric = one.metric and metrics.find(one.metric)
    if options.exit_code ~= 0 and one.unchecked > 0 and metric and metric.exact
    then return nil end
    is_unclear = is_unclear or (one.unclear or 0) > 0
  end
  local is_unchecked = (options.unchecked or 0) > 0
  return is_unchecked and (is_unclear and "not checked or undecided"
    or "not checked") or is_unclear and "undecided" or nil
end

-- Why the command ends with an exit code, which a log of CI shows alone.
-- 'can_fail': whether something got worse, or was compared for that.
local function exit_phrase(options, can_fail)
  local code, gates = options.exit_code, options.failures
  local unjudged = gates and unjudged_of(options)
  local harmless = unjudged and ("what is %s does not fail"):format(unjudged)
  if code == 0 and not gates and can_fail then
    return { text = "no gate was set (--fail-on)", joint = "; ",
      is_aside = true }
  elseif code == 0 then
    return harmless and { text = harmless .. ": exit code 0", joint = "; ",
      style = "warn" } or nil
  end
  local why = code == 1 and gates and not options.broken
    and ": a gate could not be checked" or harmless and gates[1]
    and (" (%s)"):format(harmless) or ""
  return code and { text = ("exit code %d%s"):format(code, why), joint = "; ",
    style = why ~= "" and "warn" or nil }
end

--- Phrases as one line.
---@param phrases { text: string, joint: string? }[]
---@return string
function trouble.line(phrases)
  local parts = {}
  for i, phrase in ipairs(phrases) do
    parts[i] = (i > 1 and (phrase.joint or ", ") or "") .. phrase.text
  end
  return table.concat(parts)
end

--- The line that closes a report: "76 ok, 2 unclear, 1 worse, 1 too noisy, 1
--- failed, 2 gates failed; exit code 3"; "interrupted: 3 ok, 1 cut short, 8 not
--- measured". Unclear is what was compared, and may be faster or slower; worse,
--- what is slower than it was, or was stopped by a gate. Where all that was
--- measured was compared with another report or revision, how that went is said
--- in place of that.
---@param options table of the document
---@param relations table of tare.report.groups
---@param compared table[]? phrases: how the comparison went
---@return { text: string, style: "good"|"warn"|"bad", noisy: table[],
---  phrases: { text: string, style: string?, joint: string?,
---  is_aside: boolean? }[] } closing 'noisy' are the results that it counts as
---  too noisy; a phrase stands after its 'joint', ", " by default, and is an
---  aside where it says that nothing happened
function trouble.closing(report, options, relations, compared)
  if #report.results == 0 and #(report.comparisons or {}) > 0 then
    local text = counted(#report.comparisons, "comparison", "comparisons")
    return { text = text, style = "good", phrases = { { text = text } },
      noisy = {} }
  end
  local counts, noisy = counts_of(report, relations, options.failures)
  local failed, short = counts[FAILED], cut_short(report, options.interrupted)
  local missing = (interrupted_of(report) or 0) - #report.results
  local phrases = {}
  local function add(text, style)
    phrases[#phrases + 1] = { text = text, style = style }
  end
  if compared then
    lists.append(phrases, compared)
  elseif #report.results == 0 and not short then
    add "no benches"
  elseif counts[OK] > 0 or not short then
    add(counts[OK] .. " ok", STYLES[OK])
  end
  for how = UNCLEAR, FAILED do
    local is_told = compared and how <= NOISY
    if counts[how] > 0 and not is_told then
      add(("%d %s"):format(counts[how], FARED[how]), STYLES[how])
    end
  end
  if missing > 0 then add(("%d not measured"):format(missing), "warn") end
  if options.broken then
    add(counted(options.broken, "file", "files") .. " broken", "bad")
  end
  lists.append(phrases, gates_phrases(options))
  if short then
    local first = table.remove(phrases, 1)
    table.insert(phrases, 1, { style = "warn",
      text = "interrupted" .. (first and ": " .. first.text or "") })
  end
  phrases[#phrases + 1] = exit_phrase(options, compared ~= nil
    or counts[WORSE] > 0)
  local failures, unjudged = options.failures, options.unchecked or 0
  local is_bad = failed > 0 or options.broken
    or failures ~= nil and #failures > 0
  return { text = trouble.line(phrases), phrases = phrases,
    noisy = compared and {} or noisy, style = is_bad and "bad"
    or (short or counts[UNCLEAR] + counts[WORSE] + counts[NOISY] > 0
    or failures and unjudged > 0) and "warn" or "good" }
end

return trouble
