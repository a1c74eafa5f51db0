-- What is said of benches: a table of results with who wins among those that
-- were compared, a card for a single one, a line for one alone.
local columns = require "tare.report.columns"
local distribution = require "tare.report.distribution"
local escape = require "tare.report.escape"
local figures = require "tare.report.figures"
local groups = require "tare.report.groups"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"
local trouble = require "tare.report.trouble"

local benches = {}

local LONGEST_NAME = 32 -- in the title of a column

-- What some results are compared with, in the title of their column.
local function reference_title(results, title, relations)
  local common, several, marked
  for _, result in ipairs(results) do
    local set = relations.set_of[result]
    if set then
      several = several or common and set.reference ~= common
      common = common or set.reference
      marked = marked ~= false and set.reference.baseline == true
    end
  end
  if not common then return "remark" end
  if several then
    return marked and "compared with its baseline" or "compared"
  end
  local name = escape.visible(groups.label(common, title))
  if #name > LONGEST_NAME then
    return common.baseline and "compared with the baseline" or "compared"
  end
  return "compared with " .. name
end

-- What stands after a name.
local function mark_of(result, context)
  local mark = context.mark_of(result)
  if not trouble.is_cut_short(result) then return mark end
  return (mark and mark .. " " or "") .. "(cut short)"
end

-- The table of some results: the columns that were asked for by name, and of
-- the others those that say something.
local function table_of(results, title, context)
  local made = { columns = { { key = "bench", title = "bench",
    align = "left", explain = "name and parameters" } }, rows = {} }
  for i, result in ipairs(results) do
    made.rows[i] = { result = result,
      mark = mark_of(result, context),
      cells = { { text = escape.visible(groups.label(result, title)),
        value = result.id, style = result.error and "bad" or nil } } }
  end
  for _, chosen in ipairs(context.chosen) do
    local column, cells, says = chosen.column, {}, false
    for i, result in ipairs(results) do
      local cell = column.cell(result, context, chosen.interval)
      cells[i] = cell or { style = "dim",
        text = column.key == "compared" and "" or "-" }
      says = says or cell ~= nil and cell.text ~= "-" and not cell.is_nothing
    end
    if says or chosen.named then
      made.columns[#made.columns + 1] = { key = column.key,
        align = column.align, explain = column.explain,
        title = column.key == "compared"
          and reference_title(results, title, context.relations)
          or column.title }
      for i, row in ipairs(made.rows) do
        row.cells[#row.cells + 1] = cells[i]
      end
    end
  end
  return made
end

local function names_of(results, title)
  local names = {}
  for i, result in ipairs(results) do
    names[i] = escape.visible(groups.label(result, title))
  end
  return lists.sentence(names)
end

local MANY_TIMES = 10 -- as much: both figures say more than a percentage

-- What a call of the first of two costs beside its time, as far as counts say,
-- which do not see what C functions do: "; it executes 73% fewer Lua
-- instructions (C not counted), but allocates 20% more". 'name' of the second,
-- where it has to be said. What another of them has as little of explains
-- nothing.
local function reasons(new, old, all, name)
  local function has_least(field)
    local least = metrics.get(new, field).value
    for _, other in ipairs(all) do
      local found = other ~= new and metrics.get(other, field)
      if found and found.value <= least then return false end
    end
    return true
  end
  local less, more = {}, {}
  for _, entry in ipairs { { "instructions", "executes",
    "Lua instructions (C not counted)" }, { "bytes", "allocates" },
    { "allocs", "makes", "allocations" } } do
    local field, verb, noun = entry[1], entry[2], entry[3]
    local a, b = metrics.get(new, field), metrics.get(old, field)
    local suffix = noun and " " .. noun or ""
    if field == "allocs" and less[#less] == "allocates nothing" then break end
    local are_comparable = a and b and b.value > 0
    if are_comparable and a.value > b.value then
      local in_full = noun or a.value >= MANY_TIMES * b.value
      more[#more + 1] = in_full and ("%s %s%s instead of %s"):format(verb,
        figures.exact(a.value, field), suffix, figures.exact(b.value, field))
        or ("%s %s more"):format(verb, figures.percent(a.value / b.value - 1))
    elseif are_comparable and a.value < b.value and has_least(field) then
      less[#less + 1] = a.value == 0 and field == "bytes"
        and "allocates nothing" or ("%s %s %s%s"):format(verb,
        figures.percent(1 - a.value / b.value), noun and "fewer" or "less",
        suffix)
    end
  end
  if not (less[1] or more[1]) then return "" end
  return (less[1] and "; " or ", although ")
    .. (name and ("compared with %s it "):format(name) or "it ")
    .. lists.sentence(less) .. (less[1] and more[1] and ", but " or "")
    .. lists.sentence(more)
end

-- ", 1.46 times as fast as concat (1.23 to 1.71)", and how its interval is
-- written; nothing where the two were not compared.
local function lead(best, other, name, relations)
  local c = relations:between(best, other)
  if not (c and c.verdict == "faster") or columns.is_unreal(best)
    or columns.is_unreal(other) then return "" end
  local words, short, range = figures.comparison(c.ratio, c.verdict)
  return (", %s as %s%s"):format(short, name, words:sub(#short + 1)), range
end

-- Whether all others take the same time as one of them.
local function are_same_as(one, all, relations)
  for _, other in ipairs(all) do
    local c = other ~= one and relations:between(one, other)
    if other ~= one and not (c and c.verdict == "same") then return false end
  end
  return true
end

-- Who wins among benches that were compared, in a sentence; by how much, where
-- no column says that, and in full, as it is said elsewhere; and whether the
-- sentence has a range.
local function winner(set, title, context, has_column)
  local relations = context.relations
  local timed = lists.those(set, function(result)
    return metrics.get(result, "time") and not result.error
  end)
  if #timed < 2 or columns.is_unreal(timed[1]) then return nil end
  local best, rivals = timed[1], { timed[1] }
  for i = 2, #timed do
    local is_behind = false
    for _, other in ipairs(timed) do
      is_behind = is_behind or other ~= timed[i]
        and (relations:is_quicker(other, timed[i]) or columns.far_apart(other,
        timed[i], context.options) == "faster")
    end
    if not is_behind then rivals[#rivals + 1] = timed[i] end
  end
  local can_tell = false
  for i = 2, #rivals do
    can_tell = can_tell or relations:are_comparable(best, rivals[i])
  end
  if #rivals == #timed and not can_tell then
    return ("No winner: too noisy to compare %s."):format(
      names_of(timed, title))
  elseif #rivals == #timed and (are_same_as(best, timed, relations)
    or are_same_as(set.reference, timed, relations)) then
    return ("No winner: %s take the same time."):format(names_of(timed, title))
  elseif #rivals > 1 then
    return ("Unclear which of %s is the quickest."):format(
      names_of(rivals, title))
  end
  local other = set.reference ~= best and set.reference or timed[2]
  local name, who = names_of({ other }, title), names_of({ best }, title)
  local by, range = lead(best, other, name, relations)
  if by == "" and columns.far_apart(best, other, context.options) then
    by = ", though too noisy to say by how much"
    has_column = false
  end
  local in_full = ("%s is the quickest%s%s."):format(who, by,
    reasons(best, other, timed))
  if not has_column or by == "" then return in_full, in_full, range end
  return ("%s is the quickest%s."):format(who, reasons(best, other,
    timed, #timed > 2 and name or nil)), in_full
end

local function is_sound(time)
  return metrics.has_interval(time) and not figures.is_noisy(time)
end

-- Sets whose ratios, of batches in turn, contradict the times beside them.
local FAR = 1.15
local function contradiction(set, title, context)
  local relations = context.relations
  local found = {}
  for _, result in ipairs(set) do
    local ratio = relations:ratio(result, set)
    local a, b = metrics.get(result, "time"),
      metrics.get(set.reference, "time")
    if metrics.has_interval(ratio) and is_sound(a) and is_sound(b)
      and a.value > 0 and b.value > 0 then
      local of_times = a.value / b.value
      if of_times > ratio.high * FAR or of_times * FAR < ratio.low then
        found[#found + 1] = result
      end
    end
  end
  if not found[1] then return nil end
  local why = (context.options or {}).net_of_loop
    and "%s: ratio and times disagree, for the loop is deducted from times "
      .. "alone (--net-of-loop)."
    or "%s: ratio and times disagree, for the machine's speed changed. The "
      .. "ratio is of batches measured in turn: trust it."
  return why:format(names_of(found, title))
end

-- Why comparisons are unclear though the times lie apart.
local function apart(set, title, relations)
  local found, has_crowded = {}, false
  for _, result in ipairs(set) do
    local c = relations:to_reference(result)
    local a, b = metrics.get(result, "time"), metrics.get(set.reference, "time")
    if c and c.verdict == "unclear" and is_sound(a) and is_sound(b)
      and (a.low > b.high or b.low > a.high) then
      found[#found + 1] = result
      has_crowded = has_crowded or not metrics.has_interval(c.ratio)
    end
  end
  if not found[1] then return nil end
  local name = names_of(found, title)
  if has_crowded then
    return ("%s: unclear though the times lie apart. A comparison needs rounds "
      .. "in which both had the core for themselves, and there were too few.")
      :format(name)
  end
  return ("%s: unclear though the times lie apart. A comparison goes by "
    .. "batches measured in turn, process by process, and these do not say "
    .. "which is faster.%s"):format(name, #set > 2 and (" Of %d comparisons "
      .. "each has a wider interval, so that all hold together."):format(
      #set - 1) or "")
end

-- Whether some of these were to be compared: one is marked as baseline, or two
-- have a comparison.
local function are_compared(results, relations)
  return lists.first(results, function(result)
    return result.baseline or relations.set_of[result]
  end)
end

-- Why benches of a group were not compared that did not fail.
local function why_apart(group, options)
  for _, result in ipairs(group) do
    if result.sitting ~= group[1].sitting then
      return "of %s the batches are of several runs (--resume), not in turn"
    end
  end
  return (options or {}).order == "sequential"
    and "of %s the batches were not measured in turn (--order sequential)"
    or "of %s too few batches were measured in turn; give a longer --quota"
end

-- What was to be compared and is not, and why; nil where there is nothing: of
-- such a group, those that failed, or were not timed in the same rounds.
local function uncompared(results, title, context)
  local set_of, revised = context.relations.set_of, context.relations.revised
  local failed, whys = {}, {}
  for _, group in ipairs(lists.grouped(results, function(result)
    return result.compared
  end)) do
    local lone, has_set = {}, false
    for _, result in ipairs(are_compared(group, context.relations) and group[2]
      and group or {}) do
      has_set = has_set or set_of[result] ~= nil
      if result.error then
        failed[#failed + 1] = result
      elseif not (set_of[result] or revised[result])
        and metrics.get(result, "time") then
        lone[#lone + 1] = result
      end
    end
    -- One that is alone for the others failed lacks no rounds.
    if lone[2] or lone[1] and has_set then
      local why = why_apart(group, context.options)
      if not whys[why] then whys[why], whys[#whys + 1] = {}, why end
      lists.append(whys[why], lone)
    end
  end
  local parts = {}
  parts[1] = failed[1] and names_of(failed, title) .. " failed" or nil
  for _, why in ipairs(whys) do
    parts[#parts + 1] = why:format(names_of(whys[why], title))
  end
  return parts[1] and ("Not compared: %s."):format(table.concat(parts,
    ", and "))
end

-- What is said of the sets that a section shows: who wins, where it shows one
-- set only (of several, the order says it), what is not compared, and what to
-- trust.
local function sentences_of(results, title, context, has_column)
  local relations, list, sets, seen = context.relations, {}, {}, {}
  for _, result in ipairs(results) do
    local set = relations.set_of[result]
    if set and not seen[set] then seen[set], sets[#sets + 1] = true, set end
  end
  if #sets == 1 then
    local text, in_full, range = winner(sets[1], title, context, has_column)
    list[1] = text and { text = text, in_full = in_full, interval = range }
      or nil
  end
  local missing = uncompared(results, title, context)
  list[#list + 1] = missing and { text = missing, style = "warn" } or nil
  for _, set in ipairs(sets) do
    local wrong = contradiction(set, title, context)
    list[#list + 1] = wrong and { text = wrong, style = "warn",
      is_of_ratios = true } or nil
    local why = apart(set, title, relations)
    list[#list + 1] = why and { text = why, style = "warn" } or nil
  end
  return list
end

-- What the phrases of a card mean: a part of one, its name, and the column that
-- it is of, or a text.
local ON_CARD = {
  { "per call", "per call", column = "time" },
  { "calls/s", "calls/s", "so many calls, one after the other, take a second" },
  { "of waiting", "waiting", column = "wait" },
  { "Lua instruction", "Lua instructions", column = "instr" },
  { "alloc", "bytes", column = "bytes" },
  { "alloc", "allocations", column = "allocs" },
  { "in the collector", "in the collector", column = "gc" },
  { "without it:", "without it", column = "net" },
  { "of the processor", "of the processor", column = "machine_instr" },
  { "B/s", "B/s", column = "bytes_rate" },
  { "items/s", "items/s", column = "items_rate" },
  { "per cycle", "instructions per cycle", column = "ipc" },
  { "branch misses", "branch misses", column = "branch_misses" },
  { "cache misses", "cache misses", column = "cache_misses" },
  { "batches took", "batches took", "time per call of the batches, which are "
    .. "calls in a row that were timed as one, from quick to slow, between the "
    .. "two ends; what is far outside is not drawn" },
}

local function explanations_of(lines)
  local phrases, list = {}, {}
  for i, line in ipairs(lines) do phrases[i] = table.concat(line, "\n") end
  local text = table.concat(phrases, "\n")
  for _, one in ipairs(ON_CARD) do
    if text:find(one[1], 1, true) then
      list[#list + 1] = { name = one[2],
        text = one[3] or columns.find(one.column).explain }
    end
  end
  return list
end

-- "2.86 KiB in 3 allocations per call"; nil where it is not known.
local function allocated(result)
  local bytes, allocs = metrics.get(result, "bytes"),
    metrics.get(result, "allocs")
  if not (bytes and allocs) then return nil end
  return allocs.value == 0 and "allocates nothing"
    or ("%s in %s %s per call"):format(figures.exact(bytes.value, "bytes"),
      figures.exact(allocs.value, "allocs"),
      allocs.value == 1 and "allocation" or "allocations")
end

-- Bytes and items per second, where the bench counts them.
local function rates_of(result)
  local rates = {}
  for _, kind in ipairs { "bytes", "items" } do
    local rate = columns.rate(result, kind)
    if rate then
      -- What an item is, the bench knows.
      rates[#rates + 1] = ("%s%s/s (the bench counts %s per call)"):format(
        figures.quantity(rate.value, kind), kind == "items" and " items" or "",
        figures.exact(result.throughput[kind], kind))
    end
  end
  return rates
end

-- What the processor's counters say.
local function counters_of(result)
  local phrases, ipc = {}, metrics.get(result, "ipc")
  phrases[1] = ipc and ("%s instructions per cycle"):format(
    figures.quantity(ipc.value, "instructions"))
  for _, name in ipairs { "branch_misses", "cache_misses" } do
    local misses = metrics.get(result, name)
    phrases[#phrases + 1] = misses and ("%s %s"):format(
      figures.quantity(misses.value, "misses"), (name:gsub("_", " "))) or nil
  end
  return phrases
end

-- A single bench, in about five lines. Each line is a list of phrases.
local function card_of(result, report, context)
  -- THE TIME
  local time, lines = metrics.get(result, "time"), {}
  local noise, interval = columns.noise_of(result, report.options), nil
  local first = { time and time.value > 0
    and figures.unsure(time.value, "ns") .. " per call" or "-" }
  if time and not noise then
    first[1] = figures.quantity(time.value, "ns") .. " per call"
    local around
    around, interval = figures.interval(time, "ns")
    if around then first[1] = first[1] .. " " .. around end
    first[2] = figures.quantity(1e9 / time.value, "calls") .. " calls/s"
  else
    first[2] = noise
  end
  local wait = metrics.get(result, "wait")
  if wait then
    if not noise then first[2] = nil end -- calls are not as many by far
    first[#first + 1] = ("and %s of waiting"):format(
      figures.quantity(wait.value, "ns"))
  end
  lines[1] = first
  -- COUNTS, and the collector's part
  local counts, collecting = {}, nil
  local share, net = columns.collector_share(result),
    metrics.get(result, "net")
  if share and share >= columns.NEGLIGIBLE_SHARE and net
    and not columns.has_few_cycles(result) then
    collecting = ("%s of the time in the collector (without it: %s)"):format(
      figures.percent(share), figures.quantity(net.value, "ns"))
  elseif columns.has_few_cycles(result) then
    collecting = "too few collections to say what they cost"
  end
  local instr = metrics.get(result, "instructions")
  counts[1] = allocated(result)
  counts[#counts + 1] = collecting
  if instr and instr.value > 0 then
    first[#first + 1] = figures.exact(instr.value, "instructions")
      .. (instr.value == 1 and " Lua instruction" or " Lua instructions")
      .. " (C not counted)"
  end
  local machine = metrics.get(result, "machine_instructions")
  if machine then
    counts[#counts + 1] = figures.exact(machine.value, "instructions")
      .. " of the processor"
  end
  if counts[1] then lines[#lines + 1] = counts end
  -- RATES, the processor's counters, and THE DISTRIBUTION
  for _, line in ipairs { rates_of(result), counters_of(result) } do
    if line[1] then lines[#lines + 1] = line end
  end
  local spark = distribution.spark(result, context.ascii, "to ")
  if spark then
    lines[#lines + 1] = { ("%sbatches took %s per call (%s: how many)"):format(
      select(2, distribution.undisturbed(result)) and "undisturbed "
      or trouble.left_out(report) and "all " or "", spark, context.ascii
      and "signs" or "bars") }
  end
  -- A name has no braces and slashes, which mean something in ids.
  local code = result.suite == "expressions" and context.expression
  return { name = escape.visible(result.id), lines = lines,
    code = code and escape.visible((code:gsub("%s+", " "):gsub("^ ", ""))),
    is_noisy = noise ~= nil, has_spark = spark ~= nil, interval = interval,
    explanations = explanations_of(lines) }
end

-- What comparisons say of which the Report has no results.
local function lone_comparisons(report)
  local list = {}
  for _, c in ipairs(not report.results[1] and report.comparisons or {}) do
    if c.ratio and c.ratio.value then
      local words, _, range = figures.comparison(c.ratio, c.verdict)
      list[#list + 1] = { interval = range, text = ("%s, compared with %s: %s")
        :format(escape.visible(c.a), escape.visible(c.b), words) }
    end
  end
  return list
end

--- The sections of results, by suite and group, or the card of a single one.
---@param results table[] those that no other section shows
---@param context table of tare.report.document
---@return table[] sections
function benches.sections(report, results, context)
  local only = not report.results[2] and results[1]
  if only and only.profile and not only.time and not only.error then
    return {} -- of tare.profile: nothing was timed
  elseif only and not only.error and not context.explicit then
    return { { kind = "card", title = escape.visible(only.id),
      card = card_of(only, report, context), results = results } }
  end
  local sections, lone = {}, lone_comparisons(report)
  if lone[1] then
    return { { kind = "comparisons", title = "", sentences = lone } }
  end
  for _, section in ipairs(groups.sections(results)) do
    local list = context.key_of
      and columns.sorted(section.results, context)
      or groups.ordered(section.results, context.relations)
    local has_any = lists.first(list, function(result)
      return not result.error or result.time
    end)
    -- Where all failed, the failures say it.
    if has_any or context.explicit then
      local made = table_of(list, section.title, context)
      local has_column = lists.first(made.columns, function(column)
        return column.key == "compared"
      end)
      sections[#sections + 1] = { kind = "benches", results = list,
        title = escape.visible(section.title), table = made,
        sentences = sentences_of(list, section.title, context, has_column) }
    end
  end
  return sections
end

--- A result in one line: "strings/join 1.14 us ±1.2%, gc 3%, 201 B, 45 instr".
---@return string
function benches.line(result)
  local id = escape.visible(result.id)
  if result.error then
    return ("%s failed: %s"):format(id, escape.visible(result.error))
  end
  local context = { relations = groups.relations { results = { result } },
    options = result.options }
  local parts = {}
  for _, name in ipairs { "time", "compared", "gc", "bytes", "instr" } do
    local cell = columns.find(name).cell(result, context)
    if cell and cell.text ~= "-" then
      parts[#parts + 1] = (name == "gc" and "gc " or "") .. cell.text
        .. (cell.more and " " .. cell.more or "")
        .. (name == "instr" and " instr" or "")
    end
  end
  return ("%s  %s"):format(id, table.concat(parts, ", "))
end

return benches
