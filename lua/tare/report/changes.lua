-- What changed against another report or revision: was -> is, bench by bench.
local columns = require "tare.report.columns"
local escape = require "tare.report.escape"
local figures = require "tare.report.figures"
local groups = require "tare.report.groups"
local ids = require "tare.base.ids"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"
local trouble = require "tare.report.trouble"
local units = require "tare.base.units"

local changes = {}

local FEW = 6 -- ids that a line names before it counts the others
-- Columns of what is counted exactly, and its metric.
local COUNTED = { { "bytes", "bytes" }, { "allocs", "allocs" },
  { "instr", "instructions" } }
local MOST_NAMED = 3 -- benches whose differences in counts are listed
local MOST_SAME = 40 -- rows up to which benches that are the same are listed

-- The set of the changes against another report or revision, each { id, new =
-- result, old = result?, comparison? }.
local function set_named(sets, name)
  if not sets[name] then
    sets[name] = { name = name }
    sets[#sets + 1] = sets[name]
  end
  return sets[name]
end

-- The cells of other revisions, by bench and revision.
local function cells_of_revisions(report)
  local cells, list = {}, {}
  for _, result in ipairs(report.results) do
    local ref = (result.params or {}).ref
    if ref ~= nil then
      local id = ids.without(result.id, "ref")
      local cell = { id = id, ref = tostring(ref), result = result }
      cells[id .. "\0" .. cell.ref], list[#list + 1] = cell, cell
    end
  end
  return cells, list
end

local LONGEST_NAME = 32 -- in titles

-- What two files are called in titles: long paths without the folders that both
-- begin with; and without all folders where that does not make them the same.
local function short_names(a, b)
  if math.max(#a, #b) <= LONGEST_NAME then return a, b end
  local common, at = 0, 1
  while at <= #a and a:byte(at) == b:byte(at) do
    if a:sub(at, at) == "/" then common = at end
    at = at + 1
  end
  a, b = a:sub(common + 1), b:sub(common + 1)
  local own, other = a:match "[^/]*$", b:match "[^/]*$"
  if math.max(#a, #b) <= LONGEST_NAME or own == other or own == ""
    or other == "" then return a, b end
  return own, other
end

--- The changes of a Report: against another report, whose results are in
--- options.against, and against the cells of other revisions (parameter 'ref').
---@param relations table of tare.report.groups
---@param against { results: table[]?, name: string?, new_name: string?,
---  partial: boolean? }?
---@return table[] sets { name, short, hash?, new_name, [i] = { id, new, old?,
---  comparison? }, fresh = ids?, gone = ids?, failed = ids? }, names for
---  titles; failed there and not here
---@return table<table, boolean> covered results that they show
function changes.of(report, relations, against)
  against = against or {}
  local sets, covered = {}, {}
  local old_by_id = lists.by_id(against.results or {})
  local default = against.name or "the other report"
  local revisions, cells = cells_of_revisions(report)
  -- WHAT WAS COMPARED
  for _, c in ipairs(report.comparisons or {}) do
    local new = relations.by_id[c.a]
    if groups.is_change(c) and new and c.ratio and c.ratio.value then
      local cell = revisions[c.a .. "\0" .. tostring(c.other)]
      table.insert(set_named(sets, c.other or default), { id = c.a, new = new,
        comparison = c, old = cell and cell.result or old_by_id[c.b] })
      covered[new] = true
      if cell then cell.is_told, covered[cell.result] = true, true end
    end
  end
  -- WHAT WAS MEASURED of a revision, but could not be compared
  local gone_of = {} -- by revision
  for _, cell in ipairs(cells) do
    local new = relations.by_id[cell.id]
    gone_of[cell.ref] = gone_of[cell.ref] or {}
    if not new then table.insert(gone_of[cell.ref], cell.id) end
    if new and not cell.is_told then
      table.insert(set_named(sets, cell.ref), { id = cell.id, new = new,
        old = cell.result, comparison = relations:between(new, cell.result) })
      covered[new], covered[cell.result] = true, true
    end
  end
  -- WHAT ONE SIDE LACKS: ids of benches that failed only in the other report,
  -- that are only in this one, and only in the other one
  local failed, fresh, gone = {}, {}, {}
  for _, result in ipairs(report.results) do
    local old = old_by_id[result.id]
    failed[#failed + 1] = old and old.error and not result.error and result.id
      or nil
    fresh[#fresh + 1] = not old and result.id or nil
  end
  for _, result in ipairs(against.results or {}) do
    gone[#gone + 1] = not relations.by_id[result.id] and result.id or nil
  end
  local is_whole = against.results ~= nil and not against.partial
  if is_whole or failed[1] then
    local set = set_named(sets, default)
    set.failed = failed
    if is_whole then set.fresh, set.gone = fresh, gone end
  end
  for ref, gone_here in pairs(gone_of) do
    local set = sets[ref]
    if set then
      set.fresh, set.gone = {}, gone_here
      for _, result in ipairs(report.results) do
        if (result.params or {}).ref == nil
          and not revisions[result.id .. "\0" .. ref] then
          set.fresh[#set.fresh + 1] = result.id
        end
      end
    end
  end
  -- NAMES
  for _, set in ipairs(sets) do
    set.is_report = set.name == against.name
    set.short, set.new_name = short_names(set.name, cells[1] and "working tree"
      or against.new_name or "this run")
    local hash = (type(report.refs) == "table" and report.refs or {})[set.name]
    set.hash = type(hash) == "string" and hash or nil
  end
  return sets, covered
end

-- "3.77 us -> 1.38 us", with what is better or worse as style.
local function was_is(one, name, unit)
  local old = one.old and metrics.get(one.old, name)
  local new = metrics.get(one.new, name)
  if not new then return nil end
  local text = columns.written(new.value, unit, one.new)
  if not old then return { text = text, value = new.value } end
  if metrics.find(name).exact then
    if old.value == new.value then
      return { text = "same", value = 0, style = "dim" }
    end
    local was, is = units.apart(old.value, new.value, unit, figures.exact)
    return { text = was .. " -> " .. is, value = new.value - old.value,
      style = new.value < old.value and "good" or "bad" }
  elseif old.value <= 0 and new.value <= 0 then
    return nil
  elseif old.value <= 0 or new.value < 0 then
    return { text = columns.written(math.max(0, new.value), unit, one.new) }
  end
  return { text = columns.written(old.value, unit, one.old) .. " -> " .. text,
    value = new.value }
end

local STYLE = { faster = "good", slower = "bad", unclear = "warn" }

-- What a row says: of what is unclear for its times are too noisy, which is
-- quicker where they are far apart.
local function verdict_of(one)
  local c = one.comparison
  if not c then return nil end
  local far = c.verdict == "unclear" and one.old
    and columns.far_apart(one.new, one.old)
  return far or c.verdict, far
end

local function verdict_cell(one)
  local c = one.comparison
  if not c then return nil end
  local verdict, is_far = verdict_of(one)
  local text, short, range = figures.comparison(c.ratio, verdict)
  if is_far then
    short, range = verdict .. "; too noisy", nil
    text = short .. " to say by how much"
  end
  return { text = text, short = text, least = short, value = c.ratio.value,
    interval = range, verdict = verdict,
    style = verdict ~= "unclear" and STYLE[verdict] or nil }
end

-- "6% -> 4%" of the time in the collector.
local function share_cell(one)
  local gc = columns.find "gc"
  local old, new = one.old and gc.cell(one.old), gc.cell(one.new)
  if not (old and new) or old.text == new.text and new.text == "?" then
    return nil
  elseif old.text == new.text then
    return { text = "same", value = 0, style = "dim" }
  end
  return { text = old.text .. " -> " .. new.text, value = new.value }
end

-- The figure that the ratio is of: cycles where two reports were compared in
-- them and their times are those of the wall clock.
local function compared_metric(set)
  for _, one in ipairs(set) do
    local c = one.comparison
    if c and c.metric == "cycles" and one.old
      and not (one.new.time_from == "cycles"
      and one.old.time_from == "cycles") then
      return "cycles"
    end
  end
  return "time"
end

-- Columns beside the bench: a title, what it means, its cell, whether a gate
-- is about it, which shows it whatever is in it, and whether it is counted
-- exactly.
local function columns_of(set, gates)
  local metric, is_gated, seen = compared_metric(set), {}, { time = true }
  for _, one in ipairs(gates or {}) do is_gated[one.metric] = true end
  local list = {
    { metric, "was -> is; the ratio is of these", function(one)
      return was_is(one, metric, metrics.find(metric).unit)
    end },
    { "compared", "how many times as fast or as slow as it was",
      verdict_cell, "left" } }
  list[1].is_gated = is_gated.time
  local names = { "bytes", "allocs", "instructions", "machine_instructions" }
  for _, known in ipairs(metrics.all()) do
    names[#names + 1] = is_gated[known.name] and known.name or nil
  end
  for _, name in ipairs(names) do
    local known = metrics.find(name)
    list[#list + 1] = not seen[name] and { known.title, known.explain,
      function(one) return was_is(one, name, known.unit) end,
      is_gated = is_gated[name], is_exact = known.exact } or nil
    seen[name] = true
  end
  list[#list + 1] = { "gc", "the collector's share of the time, was -> is",
    share_cell }
  return list
end

-- "the same in 7 of 8 benches" of what is counted exactly; nil where it is in
-- none.
local function share_of_same(set, column)
  local same, all = 0, 0
  for _, one in ipairs(column.is_exact and set or {}) do
    local cell = one.old and column[3](one)
    all = all + (cell and 1 or 0)
    same = same + (cell and cell.text == "same" and 1 or 0)
  end
  return same > 0 and ("the same in %d of %d benches"):format(same, all)
    or nil
end

local function counts_of(set)
  local counts = { faster = 0, slower = 0, same = 0, unclear = 0 }
  for _, one in ipairs(set) do
    local verdict = verdict_of(one)
    if verdict then counts[verdict] = (counts[verdict] or 0) + 1 end
  end
  return counts
end

-- How much more of what is counted there is than before; 0 where that is not
-- known.
local function difference_of(one, metric)
  local a = one.old and metrics.get(one.old, metric)
  local b = metrics.get(one.new, metric)
  return a and b and b.value - a.value or 0
end

-- Units of counted differences; bytes have their own.
local NOUN = { allocs = { "allocation", "allocations" },
  instructions = { "instruction", "instructions" } }

-- "960 B and 40 allocations more, 3 instructions less per call"; nil where all
-- counts are the same.
local function differences_of(one)
  local more, less = {}, {}
  for _, entry in ipairs(COUNTED) do
    local difference = difference_of(one, entry[2])
    if difference ~= 0 then
      local noun = NOUN[entry[2]]
      local text = figures.exact(math.abs(difference), entry[2])
        .. (noun and " " .. noun[math.abs(difference) == 1 and 1 or 2] or "")
      table.insert(difference > 0 and more or less, text)
    end
  end
  local parts = {}
  for _, side in ipairs { { more, "more" }, { less, "less" } } do
    parts[#parts + 1] = side[1][1]
      and lists.sentence(side[1]) .. " " .. side[2] or nil
  end
  return parts[1] and table.concat(parts, ", ") .. " per call" or nil
end

--- "1 faster, 0 slower, 62 same (within 1%), 2 unclear", as phrases.
---@param set table of changes.of
---@param options table of the document
---@return { text: string, style: string? }[]
function changes.counts(set, report, options)
  local counts, list = counts_of(set), {}
  local tolerance = tonumber((report.options or {}).tolerance)
  for _, verdict in ipairs { "faster", "slower", "same", "unclear" } do
    local count = counts[verdict]
    list[#list + 1] = (count > 0 or not options.drops_zeros) and {
      style = count > 0 and STYLE[verdict] or nil,
      text = ("%d %s%s"):format(count, verdict, verdict == "same" and count > 0
        and tolerance and (" (%s)"):format(figures.tolerance(tolerance))
        or "") } or nil
  end
  return list[1] and list or { { text = "nothing compared" } }
end

local ORDER = { slower = 1, faster = 2, unclear = 3, same = 4 }

-- By how much a comparison differs from no change, for what did change.
local function size_of(c)
  local ratio = ORDER[c.verdict] and ORDER[c.verdict] <= ORDER.faster
    and c.ratio.value
  return ratio and ratio > 0 and math.abs(math.log(ratio)) or 0
end

-- What changed comes first, the most of it above, unless --sort asks for
-- another order; of many, those that are the same are only counted.
local function shown(set, order)
  local list = {}
  for i, one in ipairs(set) do
    local c, plain = one.comparison or {}, true
    for _, counted in ipairs(COUNTED) do
      plain = plain and difference_of(one, counted[2]) == 0
    end
    if #set <= MOST_SAME or c.verdict ~= "same" or not plain then
      list[#list + 1] = { one = one, rank = ORDER[c.verdict] or 5,
        size = size_of(c), at = i }
    end
  end
  table.sort(list, function(a, b)
    if a.rank ~= b.rank then return a.rank < b.rank end
    if a.size ~= b.size then return a.size > b.size end
    return a.at < b.at
  end)
  return columns.sorted(list, order, function(row) return row.one.new end)
end

-- What is counted exactly and differs, which no noise hides: of a few benches
-- by name, which says what the table does, of more { "bytes: more in 7",
-- "instr: more in 5, less in 2" }; and whether these are names.
local function moves_of(set, rows)
  local parts, named = {}, {}
  for _, row in ipairs(rows) do
    local text = differences_of(row.one)
    if text then
      named[#named + 1] = ("%s: %s"):format(escape.visible(row.one.id), text)
    end
  end
  if #named <= MOST_NAMED then return named, true end
  for _, entry in ipairs(COUNTED) do
    local up, down = 0, 0
    for _, one in ipairs(set) do
      local difference = difference_of(one, entry[2])
      if difference > 0 then up = up + 1 end
      if difference < 0 then down = down + 1 end
    end
    if up + down > 0 then
      parts[#parts + 1] = entry[1] .. ": "
        .. (up > 0 and "more in " .. up or "")
        .. (up > 0 and down > 0 and ", " or "")
        .. (down > 0 and "less in " .. down or "")
    end
  end
  return parts, false
end

local function title_of(set)
  local name = escape.visible(set.short)
  return #name <= LONGEST_NAME and "compared with " .. name or "compared"
end

-- The table of a set, and its sentences. 'is_counted': the counts of verdicts
-- are said elsewhere.
local function table_of(set, report, options, context, is_counted)
  -- ROWS, with the bench's cell
  local list = shown(set, context)
  local against = options.against and options.against.report
  local cpu = set.is_report and against and (against.env or {}).cpu
  local made = { rows = {},
    legend = { { text = "was -> is: before and now, per call"
      .. (type(cpu) == "string" and cpu == (report.env or {}).cpu
      and ", on the same model of CPU" or "") } },
    columns = { { key = "bench", title = "bench", align = "left" } } }
  for i, entry in ipairs(list) do
    local is_cut = trouble.is_cut_short(entry.one.new)
      or entry.one.old and trouble.is_cut_short(entry.one.old)
    local mark = context.mark_of(entry.one.new)
    if entry.one.old and columns.noise_of(entry.one.old)
      and not (mark and mark:match "^!") then
      mark = mark and "! " .. mark or "!"
    end
    made.rows[i] = { result = entry.one.new,
      mark = is_cut and (mark and mark .. " " or "") .. "(cut short)" or mark,
      cells = {
      { text = escape.visible(entry.one.id), value = entry.one.id } } }
  end
  -- COLUMNS. What is the same is said once for all columns of which that holds.
  local moves, in_table = moves_of(set, list)
  local is_plain = in_table and #list == #set -- what is the same can be seen
  local same, same_as = {}, {}
  local function add_same(name, how)
    if not same_as[how] then same_as[how], same[#same + 1] = {}, how end
    table.insert(same_as[how], name)
  end
  for _, column in ipairs(columns_of(set, options.gates)) do
    local cells, any, differs = {}, false, false
    for i, entry in ipairs(list) do
      local cell = column[3](entry.one)
      any = any or cell ~= nil
      differs = differs or cell ~= nil and cell.text ~= "same"
      cells[i] = cell or { text = "-", style = "dim" }
    end
    if any and differs or column.is_gated then
      made.columns[#made.columns + 1] = { key = column[1],
        title = column[1] == "compared" and title_of(set) or column[1],
        explain = column[2], align = column[4] or "right",
        is_gated = column.is_gated }
      for i, row in ipairs(made.rows) do
        row.cells[#row.cells + 1] = cells[i]
      end
      local how = differs and not is_plain and share_of_same(set, column)
      if how then add_same(column[1], how) end
    elseif any then
      add_same(column[1] == "gc" and "gc (collector's share)" or column[1],
        "the same everywhere")
    end
  end
  for i, how in ipairs(same) do
    same[i] = table.concat(same_as[how], ", ") .. ": " .. how
  end
  -- SENTENCES: verdicts, moves, what is the same, benches of one side alone
  local sentences, counts = {}, counts_of(set)
  sentences[1] = not is_counted
    and { text = trouble.line(changes.counts(set, report, options)) .. ".",
    style = counts.slower > 0 and "bad" or counts.unclear == 0
      and counts.faster > 0 and "good" or nil } or nil
  sentences[#sentences + 1] = moves[1]
    and { text = table.concat(moves, "; ") .. ".", in_table = in_table } or nil
  sentences[#sentences + 1] = same[1] and { text = table.concat(same, "; ")
    .. "." } or nil
  for _, entry in ipairs { { "new", set.fresh }, { "gone", set.gone },
    { "failed in " .. escape.visible(set.short), set.failed } } do
    if entry[2] and entry[2][1] then
      sentences[#sentences + 1] = { text = ("%s: %s."):format(entry[1],
        escape.visible(lists.named(entry[2], FEW))) }
    end
  end
  return made, sentences
end

-- Where the other report comes from: commit, day, and how busy the machine was;
-- nil where it says none of that.
local function origin_of(report)
  local parts = {}
  for _, name in ipairs { "commit", "started" } do
    local text = report[name]
    parts[#parts + 1] = type(text) == "string" and escape.visible(text) or nil
  end
  local is_quiet = trouble.is_quiet(report)
  parts[#parts + 1] = is_quiet and "quiet machine"
    or is_quiet == false and "busy machine" or nil
  return parts[1] and table.concat(parts, ", ")
end

-- What differs in that of the report itself, whose machine the head is about:
-- commit, and day or time of day; nil where nothing does.
local function own_origin(report, other)
  local parts = {}
  for _, name in ipairs { "commit", "started" } do
    local own, text = report[name], other[name]
    local same = type(text) == "string" and (name == "commit" and "commit "
      or text:match "^%d+%-%d+%-%d+ ") or nil
    if type(own) == "string" and own ~= text then
      if same and own:sub(1, #same) == same then
        own = own:sub(#same + 1):gsub(" UTC$", "")
      end
      parts[#parts + 1] = escape.visible(own)
    end
  end
  return parts[1] and table.concat(parts, ", ")
end

--- The sections of changes, one for each set.
---@param sets table[] of changes.of
---@param options table of the document
---@param context table of tare.report.document
---@param is_counted boolean whether the closing line has the counts of verdicts
---@return table[] sections
function changes.sections(sets, report, options, context, is_counted)
  local sections, against = {}, options.against or {}
  local other = type(against.report) == "table" and against.report.results
    and against.report
  for i, set in ipairs(sets) do
    local made, sentences = table_of(set, report, options, context, is_counted)
    local about = set.hash or set.is_report and other and origin_of(other)
    local own = against.new_name and own_origin(report, against.report or {})
    sections[i] = { kind = "changes", sentences = sentences,
      table = made.rows[1] and made or nil,
      title = escape.visible(("%s%s -> %s%s"):format(set.short,
        about and " (" .. about .. ")" or "", set.new_name,
        own and " (" .. own .. ")" or "")) }
  end
  return sections
end

return changes
