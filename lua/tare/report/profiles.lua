-- What profiles say: the source with its hottest lines, where allocations come
-- from, what C functions do. Figures are per call.
local escape = require "tare.report.escape"
local figures = require "tare.report.figures"
local ids = require "tare.base.ids"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"
local width = require "tare.report.width"

local profiles = {}

local MOST_LINES, MOST_SITES, MOST_FUNCTIONS = 16, 8, 8
local HOT = 0.1 -- a share of what was counted that is marked

--- What is counted of lines and stacks: names, and titles of their columns.
profiles.WEIGHTS = { "instructions", "allocs", "bytes", "freed_bytes" }

--- A file without its folders.
---@param source string
---@return string
function profiles.file(source) return source:match("[^/\\]+$") or source end

local function place_of(source, line)
  if line == 0 then return "(called from C)" end
  return escape.visible(("%s:%d"):format(profiles.file(source), line))
end

--- The text of the lines that a profile names.
---@return fun(source: string, line: integer): string?
function profiles.text_of(profile)
  local lines = {}
  for _, piece in ipairs(profile.sources or {}) do
    lines[piece.source] = lines[piece.source] or {}
    for i, text in ipairs(piece.text) do
      lines[piece.source][piece.from + i - 1] = text
    end
  end
  return function(source, line) return (lines[source] or {})[line] end
end

--- Nanoseconds of the collector that a byte of a result costs, so that its
--- pauses can be traced to lines; nil where that was not measured.
---@return number?
function profiles.byte_ns(result)
  local collector = metrics.get(result, "collector")
  local bytes = metrics.get(result, "bytes")
  if collector and bytes and bytes.value > 0 and collector.value > 0 then
    return collector.value / bytes.value
  end
end

local LEAST_NS = 0.3 -- of an instruction, on any processor

--- Where the time of a call goes, as far as counts say it: the collector's by
--- bytes, that of C functions as they were timed, and the rest by instructions.
---@return table? timed { time (ns per call), stacks = { {frames, time} },
---  lines = time by source .. "\0" .. line }; nil where there is no time, or
---  one of compiled code
function profiles.timed(result)
  local profile, time = result.profile, metrics.get(result, "time")
  if not time or profile.interpreted or not profile.stacks then return nil end
  local byte_ns, in_c, instructions = profiles.byte_ns(result) or 0, 0, 0
  for _, stack in ipairs(profile.stacks) do
    in_c = in_c + (stack.ns or 0)
    instructions = instructions + stack.instructions
  end
  local own_ns = math.max(0, time.value - byte_ns * profile.bytes)
  local each_ns = math.max(LEAST_NS, (own_ns - in_c)
    / math.max(1, instructions))
  local whole = in_c + each_ns * instructions
  local factor = whole > 0 and own_ns / whole or 0
  local made = { time = time.value, stacks = {}, lines = {},
    frames = profile.frames, sources = profile.sources }
  for i, stack in ipairs(profile.stacks) do
    local ns = ((stack.ns or 0) + each_ns * stack.instructions) * factor
      + byte_ns * stack.bytes
    made.stacks[i] = { frames = stack.frames, time = ns }
    for depth = #stack.frames, 1, -1 do
      local frame = profile.frames[stack.frames[depth]] or {}
      if frame.line then
        local key = frame.source .. "\0" .. frame.line
        made.lines[key] = (made.lines[key] or 0) + ns
        break
      end
    end
  end
  return made
end

-- Whether a line comes before another in their files.
local function is_before(a, b)
  if a.source ~= b.source then return a.source < b.source end
  return a.line < b.line
end

local function share(part, whole) return whole > 0 and part / whole or 0 end

--- The lines that cost most, by their largest share of instructions or bytes.
---@param most integer
---@return table[] lines from the costliest on
function profiles.hottest(profile, most)
  local list, cost = {}, {}
  for _, line in ipairs(profile.lines) do
    cost[line] = math.max(share(line.instructions, profile.instructions),
      share(line.bytes, profile.bytes))
    if cost[line] > 0 then list[#list + 1] = line end
  end
  table.sort(list, function(a, b)
    if cost[a] ~= cost[b] then return cost[a] > cost[b] end
    return is_before(a, b)
  end)
  for i = #list, most + 1, -1 do list[i] = nil end
  return list
end

local function hot(part) return part >= HOT and "warn" or nil end

local function count_cell(value, unit)
  if value == 0 then return { text = "-", style = "dim", value = 0 } end
  return { text = figures.exact(value, unit), value = value }
end

local SHOWN = 5e-4 -- the least share that is

local function share_cell(value)
  if value < SHOWN then return { text = "-", style = "dim", value = 0 } end
  return { text = figures.percent(value), value = value, style = hot(value) }
end

local function column(key, title, explain, align)
  return { key = key, title = title, explain = explain,
    align = align or "right" }
end

local LONGEST_TEXT = 60 -- of a source line in a table

local function excerpt(text)
  return width.cut(escape.visible(escape.trim(text or "")), LONGEST_TEXT,
    "...")
end

local function more(count, singular, plural)
  if count <= 0 then return nil end
  return { { text = ("%d more %s"):format(count, count == 1 and singular
    or plural) } }
end

local function lines_table(profile, result)
  local shown = profiles.hottest(profile, MOST_LINES)
  local left_out = #lists.those(profile.lines, function(line)
    return line.instructions > 0 or line.bytes > 0
  end) - #shown
  table.sort(shown, is_before)
  local byte_ns, text_of = profiles.byte_ns(result), profiles.text_of(profile)
  local timed = profiles.timed(result)
  local made = { columns = { column("line", "line", "source line", "left"),
    column("instr%", "instr", "share of the instructions"),
    column("instr", "count", "instructions of the virtual machine per call"),
    column("bytes%", "bytes", "share of the bytes"),
    column("bytes", "size", "bytes allocated per call"),
    column("allocs", "allocs", "blocks allocated per call") }, rows = {},
    legend = more(left_out, "line does less", "lines do less") }
  if byte_ns then
    made.columns[#made.columns + 1] = column("gc", "collector",
      "the collector's time per call for the bytes of this line")
  end
  if timed then
    table.insert(made.columns, 2, column("time%", "time", "share of the time, "
      .. "estimated: the collector's by bytes, that of C functions as they "
      .. "were timed, the rest by instructions"))
  end
  made.columns[#made.columns + 1] = column("source", "source", "its text",
    "left")
  for i, line in ipairs(shown) do
    local cells = { { text = place_of(line.source, line.line) },
      share_cell(share(line.instructions, profile.instructions)),
      count_cell(line.instructions, "instructions"),
      share_cell(share(line.bytes, profile.bytes)),
      count_cell(line.bytes, "bytes"), count_cell(line.allocs, "allocs") }
    if byte_ns then
      cells[#cells + 1] = line.bytes > 0
        and { text = figures.quantity(line.bytes * byte_ns, "ns"),
          value = line.bytes * byte_ns } or { text = "-", style = "dim" }
    end
    if timed then
      table.insert(cells, 2, share_cell(share(timed.lines[line.source .. "\0"
        .. line.line] or 0, timed.time)))
    end
    cells[#cells + 1] = { text = excerpt(text_of(line.source, line.line)) }
    made.rows[i] = { cells = cells }
  end
  return made
end

-- Allocations by line and by the C function in which they are made.
local function sites_of(profile)
  local sites, by_key = {}, {}
  for _, stack in ipairs(profile.stacks or {}) do
    if stack.allocs > 0 or stack.bytes > 0 then
      local at, made_by = { source = "[C]", line = 0 }, nil
      for depth = #stack.frames, 1, -1 do
        local frame = profile.frames[stack.frames[depth]] or {}
        if frame.line then
          at = frame
          break
        end
        made_by = made_by or frame.name
      end
      local key = ("%s\0%s\0%s"):format(at.source, at.line, made_by or "")
      local site = by_key[key]
      if not site then
        site = { source = at.source, line = at.line, made_by = made_by,
          name = at.name, allocs = 0, bytes = 0 }
        by_key[key], sites[#sites + 1] = site, site
      end
      site.allocs = site.allocs + stack.allocs
      site.bytes = site.bytes + stack.bytes
    end
  end
  table.sort(sites, function(a, b)
    if a.bytes ~= b.bytes then return a.bytes > b.bytes end
    if a.source ~= b.source or a.line ~= b.line then return is_before(a, b) end
    return (a.made_by or "") < (b.made_by or "")
  end)
  return sites
end

local function sites_table(profile)
  local made = { columns = { column("site", "line", "source line", "left"),
    column("bytes%", "share", "share of the bytes"),
    column("bytes", "bytes", "bytes allocated per call"),
    column("allocs", "allocs", "blocks allocated per call"),
    column("by", "by", "the function, and the C function that allocates",
      "left") }, rows = {} }
  local sites = sites_of(profile)
  for i = 1, math.min(#sites, MOST_SITES) do
    local site = sites[i]
    made.rows[i] = { cells = { { text = place_of(site.source, site.line) },
      share_cell(share(site.bytes, profile.bytes)),
      count_cell(site.bytes, "bytes"), count_cell(site.allocs, "allocs"),
      { text = escape.visible((site.name or "")
        .. (site.made_by and " > " .. site.made_by or "")) } } }
  end
  made.legend = more(#sites - MOST_SITES, "site allocates less",
    "sites allocate less")
  return made.rows[1] and made
end

local function functions_table(profile)
  local list = lists.those(profile.functions or {}, function(fn)
    return fn.ns and fn.calls > 0
  end)
  table.sort(list, function(a, b)
    if a.bytes ~= b.bytes then return a.bytes > b.bytes end
    if a.calls ~= b.calls then return a.calls > b.calls end
    return a.name < b.name
  end)
  local made = { columns = { column("function", "C function", nil, "left"),
    column("calls", "calls", "calls per call of the bench"),
    column("allocs", "allocs", "blocks allocated per call"),
    column("bytes", "bytes", "bytes allocated per call"),
    column("time", "time", "time in it per call of the bench, by two readings "
      .. "of the clock, less what they cost") }, rows = {} }
  for i = 1, math.min(#list, MOST_FUNCTIONS) do
    local fn = list[i]
    made.rows[i] = { cells = { { text = escape.visible(fn.name) },
      count_cell(fn.calls, "calls"), count_cell(fn.allocs, "allocs"),
      count_cell(fn.bytes, "bytes"),
      { text = figures.quantity(fn.ns, "ns"), value = fn.ns } } }
  end
  return made.rows[1] and made
end

local function summary(profile)
  local parts = {}
  if profile.instructions > 0 then
    parts[1] = figures.exact(profile.instructions, "instructions")
      .. " VM instructions"
  end
  parts[#parts + 1] = profile.allocs == 0 and profile.bytes == 0
    and "no allocation" or ("%s in %s %s"):format(
      figures.exact(profile.bytes, "bytes"),
      figures.exact(profile.allocs, "allocs"),
      profile.allocs == 1 and "allocation" or "allocations")
  local what = escape.visible(tostring(profile.per or "call"))
  return ("%s per %s, counted over %s%s%s."):format(
    table.concat(parts, " and "), what, profile.calls == 1 and "one " .. what
      or ("%s %ss"):format(figures.exact(profile.calls, "calls"), what),
    profile.interpreted and ", with LuaJIT's compiler off" or "",
    profile.slowdown and (" (%s took %s times as long as others)"):format(
      profile.calls == 1 and "it" or "they",
      figures.quantity(profile.slowdown, "times", 2)) or "")
end

-- A profile's lines with figures by file, in order, each with its text.
local function by_file(profile)
  local text_of, files, order = profiles.text_of(profile), {}, {}
  for _, line in ipairs(profile.lines) do
    local file = profiles.file(line.source)
    if not files[file] then files[file], order[#order + 1] = {}, file end
    local text = text_of(line.source, line.line)
    table.insert(files[file], { line = line,
      text = text and escape.trim(text) or "line " .. line.line })
  end
  return files, order
end

local MOST_PAIRS = 4e6 -- that are looked at: 2,000 lines that differ

-- The longest sequence of lines that two versions of a file have in common,
-- between the lines from 'first' on that differ: pair(i, j) for each.
local function common(now, before, first, last_now, last_before, pair)
  local rows, columns = last_now - first + 1, last_before - first + 1
  if rows * columns > MOST_PAIRS then return end
  local length = { [rows + 1] = {} }
  for j = 1, columns + 1 do length[rows + 1][j] = 0 end
  for i = rows, 1, -1 do
    local row, below = { [columns + 1] = 0 }, length[i + 1]
    for j = columns, 1, -1 do
      row[j] = now[first + i - 1].text == before[first + j - 1].text
        and below[j + 1] + 1 or math.max(below[j], row[j + 1])
    end
    length[i] = row
  end
  local i, j = 1, 1
  while i <= rows and j <= columns do
    if now[first + i - 1].text == before[first + j - 1].text then
      pair(first + i - 1, first + j - 1)
      i, j = i + 1, j + 1
    elseif length[i + 1][j] >= length[i][j + 1] then
      i = i + 1
    else
      j = j + 1
    end
  end
end

-- Which line of 'before' each of 'now' is: one that stayed in its place among
-- the others, or else one of the same text that has moved.
local function matches(now, before)
  local of, is_taken = {}, {}
  local function pair(i, j) of[i], is_taken[j] = j, true end
  local first, last_now, last_before = 1, #now, #before
  while first <= last_now and first <= last_before
    and now[first].text == before[first].text do
    pair(first, first)
    first = first + 1
  end
  while last_now >= first and last_before >= first
    and now[last_now].text == before[last_before].text do
    pair(last_now, last_before)
    last_now, last_before = last_now - 1, last_before - 1
  end
  common(now, before, first, last_now, last_before, pair)
  local moved = {}
  for j = #before, 1, -1 do
    local text = before[j].text
    if not is_taken[j] then
      moved[text] = { j = j, next = moved[text] }
    end
  end
  for i = 1, #now do
    local one = not of[i] and moved[now[i].text]
    if one then
      of[i], moved[now[i].text] = one.j, one.next
      is_taken[one.j] = true
    end
  end
  return of, is_taken
end

-- Calls f(line of now?, line of before?) for each line of either.
local function each_line(profile, old, f)
  local now, files = by_file(profile)
  local before, old_files = by_file(old)
  for _, file in ipairs(files) do
    local old_lines = before[file] or {}
    local of, is_taken = matches(now[file], old_lines)
    for i, one in ipairs(now[file]) do
      f(one.line, of[i] and old_lines[of[i]].line)
    end
    for j, one in ipairs(old_lines) do
      if not is_taken[j] then f(nil, one.line) end
    end
  end
  for _, file in ipairs(old_files) do
    for _, one in ipairs(now[file] and {} or before[file]) do
      f(nil, one.line)
    end
  end
end

local NOTHING = { instructions = 0, allocs = 0, bytes = 0 }

-- Lines that do other work than before, those with the largest difference in
-- any count first.
local function changed_lines(profile, old)
  local list = {}
  each_line(profile, old, function(line, old_line)
    local a, b, weight = line or NOTHING, old_line or NOTHING, 0
    for _, name in ipairs { "instructions", "bytes" } do
      weight = math.max(weight, share(math.abs(a[name] - b[name]),
        math.max(profile[name] or 0, old[name] or 0)))
    end
    if weight > 0 then
      list[#list + 1] = { number = #list, now = a, before = b, weight = weight,
        at = line or old_line, of = line and profile or old }
    end
  end)
  table.sort(list, function(a, b)
    if a.weight ~= b.weight then return a.weight > b.weight end
    return a.number < b.number
  end)
  return list
end

local function changes_table(profile, old)
  local list = changed_lines(profile, old)
  local made = { columns = { column("line", "line", "source line", "left"),
    column("instr_before", "instr before", "instructions per call before"),
    column("instr", "now", "instructions per call now"),
    column("bytes_before", "bytes before", "bytes per call before"),
    column("bytes", "now", "bytes per call now"),
    column("source", "source", "its text", "left") }, rows = {},
    legend = more(#list - MOST_LINES, "line does other work than before",
      "lines do other work than before") }
  local function cell(value, other, unit)
    local made_cell = count_cell(value, unit)
    made_cell.style = value > other and "bad" or value < other and "good"
      or made_cell.style
    return made_cell
  end
  for i = 1, math.min(#list, MOST_LINES) do
    local one = list[i]
    made.rows[i] = { cells = {
      { text = place_of(one.at.source, one.at.line) },
      count_cell(one.before.instructions, "instructions"),
      cell(one.now.instructions, one.before.instructions, "instructions"),
      count_cell(one.before.bytes, "bytes"),
      cell(one.now.bytes, one.before.bytes, "bytes"),
      { text = excerpt(profiles.text_of(one.of)(one.at.source, one.at.line)) },
    } }
  end
  return made.rows[1] and made
end

local function changes_section(result, old)
  local made = changes_table(result.profile, old.profile)
  return { kind = "profile", profile = result.profile,
    old_profile = old.profile, table = made or nil,
    title = "What changed in " .. escape.visible(result.id),
    sentences = { { text = made and ("%s and %s per call, before %s and %s.")
      :format(figures.exact(result.profile.instructions, "instructions")
        .. " VM instructions", figures.exact(result.profile.bytes, "bytes"),
      figures.exact(old.profile.instructions, "instructions"),
      figures.exact(old.profile.bytes, "bytes"))
      or "Every line does what it did." } } }
end

-- Results to compare profiles with: of another report by their id, of another
-- revision in this one.
local function earlier(report, against)
  local before, by_bench = {}, {}
  for _, result in ipairs(against and against.results or {}) do
    if result.profile and result.profile.stacks then
      before[result.id] = result
    end
  end
  for _, result in ipairs(report.results) do
    if (result.params or {}).ref ~= nil and result.profile then
      local id = ids.without(result.id, "ref")
      by_bench[id] = by_bench[id] or result
    end
  end
  return function(result)
    return before[result.id] or by_bench[result.id]
  end
end

--- The sections of results that have a profile. Where the report is compared
--- with another, or has another revision too, those say what changed.
---@param against { results: table[] }? the other report
---@return table[] sections
function profiles.sections(report, against)
  local sections, earlier_of = {}, earlier(report, against)
  for _, result in ipairs(report.results) do
    local profile, old = result.profile, earlier_of(result)
    local id = escape.visible(result.id)
    if (result.params or {}).ref ~= nil then
      profile = nil -- it is what the other one is compared with
    end
    if profile and old then
      sections[#sections + 1] = changes_section(result, old)
    elseif profile then
      sections[#sections + 1] = { kind = "profile", profile = profile,
        timed = profiles.timed(result), title = "Profile of " .. id,
        table = lines_table(profile, result),
        sentences = { { text = summary(profile) } } }
      local sites = sites_table(profile)
      sections[#sections + 1] = sites and { kind = "profile", table = sites,
        title = "Where " .. id .. " allocates" }
      local functions = functions_table(profile)
      sections[#sections + 1] = functions and { kind = "profile",
        table = functions, title = "C functions in " .. id }
    end
  end
  return sections
end

--- The lines that do most of something, in a sentence: "json.lua:12 (14
--- allocations, 2 KiB), ...".
---@param weight string instructions, allocs or bytes
---@param most integer
---@return string? nil where no line does any
function profiles.blame(profile, weight, most)
  local list = lists.those(profile.lines, function(line)
    return line[weight] > 0
  end)
  table.sort(list, function(a, b)
    if a[weight] ~= b[weight] then return a[weight] > b[weight] end
    return is_before(a, b)
  end)
  local parts = {}
  for i = 1, math.min(most, #list) do
    local line = list[i]
    parts[i] = ("%s (%s)"):format(place_of(line.source, line.line),
      weight == "instructions"
        and figures.exact(line.instructions, "instructions")
          .. " instructions"
        or ("%s %s, %s"):format(figures.exact(line.allocs, "allocs"),
          line.allocs == 1 and "allocation" or "allocations",
          figures.exact(line.bytes, "bytes")))
  end
  local rest = more(#list - most, "line", "lines")
  parts[#parts + 1] = rest and rest[1].text
  return parts[1] and table.concat(parts, ", ")
end

return profiles
