-- Prints a document as one page of HTML: no network, light and dark, readable
-- on a phone and on paper, whole without its script.
local columns = require "tare.report.columns"
local document = require "tare.report.document"
local figures = require "tare.report.figures"
local frame_plots = require "tare.report.html.frames"
local frames = require "tare.report.frames"
local groups = require "tare.report.groups"
local ids = require "tare.base.ids"
local lists = require "tare.base.lists"
local markup = require "tare.report.html.markup"
local metrics = require "tare.base.metrics"
local numerals = require "tare.base.numerals"
local profile_page = require "tare.report.html.profile"
local plots = require "tare.report.html.plots"
local regressions = require "tare.report.regressions"
local scale = require "tare.report.scale"
local script = require "tare.report.html.script"
local style = require "tare.report.html.style"
local units = require "tare.base.units"
local warnings = require "tare.base.warnings"

local element, escape, id = markup.element, markup.escape, markup.id
local micro = markup.micro
local html = {}

-- Without what only those who change it read.
local function squeezed(text)
  return (text:gsub("/%*.-%*/", ""):gsub("\n +", "\n")
    :gsub("\n// [^\n]*", ""):gsub("\n\n+", "\n"))
end

-- Margins of plots, by the characters of their ticks.
local function margins()
  local rules = {}
  for widest = 1, markup.MOST_WIDE do
    rules[widest] = (".l%d { --l: %dpx; }\n"):format(widest,
      markup.margin(widest))
  end
  return table.concat(rules)
end

local STYLE = squeezed(style):gsub("([{};:,]) +", "%1"):gsub(" {", "{")
  .. margins()
local SCRIPT = squeezed(script)

local UNFOLDED = 4             -- so many benches are shown unfolded
local POINTS_OF_PAGE = 1300    -- points that a page spends on each kind of plot
local FEWEST, MOST = 16, 300   -- points a plot, whatever the number of benches

local is_drawable = scale.is_drawable

-- A Report without numbers that can't be drawn, so that absent is all that the
-- page must allow for. Lists of numbers, such as samples, stay as they are.
local function cleaned(t)
  if type(t[1]) == "number" then return t end
  local copy = {}
  for key, value in pairs(t) do
    if type(value) == "table" then
      copy[key] = cleaned(value)
    elseif type(value) ~= "number" or is_drawable(value) then
      copy[key] = value
    end
  end
  return copy
end

-- Tables ---------------------------------------------------------------------

local function number(x) return numerals.format("%.6g", x) end

-- Where the time of a row is between those of its table, on a linear axis from
-- zero and on a logarithmic one: a dot with its interval.
local function spots(rows)
  local low, high = 1/0, 0
  for _, row in ipairs(rows) do
    local time = row.result and plots.time_of(row.result)
    if time then
      low = math.min(low, math.max(time.low or time.value, time.value / 3))
      high = math.max(high, math.min(time.high or time.value, time.value * 3))
    end
  end
  if high <= low then return nil end
  local axes, titles = { scale.linear(0, high * 1.04),
    scale.log(scale.log_padded(low, high, 0.06)) }, {}
  for i, axis in ipairs(axes) do
    titles[i] = ('<span class="%s">%s to %s (%s)</span>'):format(axis.kind,
      axis.low == 0 and "0" or markup.quantity(axis.low, "ns", 2),
      markup.quantity(axis.high, "ns", 2), axis.kind)
  end
  return function(result)
    local time = result and plots.time_of(result)
    if not time then return '<td class="spot"></td>' end
    local parts = {}
    for i, axis in ipairs(axes) do
      local function at(x)
        return math.max(0, math.min(100, axis.at(math.max(x, low / 10)) * 100))
      end
      local value = at(time.value)
      local from, to = at(time.low or time.value), at(time.high or time.value)
      parts[i] = ('<i class="%s" style="--x:%s%%;--a:%s%%;--w:%s%%">'
        .. "</i>"):format(axis.kind, markup.number(value),
        markup.number(from), markup.number(to - from))
    end
    return '<td class="spot">' .. table.concat(parts) .. "</td>"
  end, '<span class="what">time with interval</span> ' .. table.concat(titles)
end

-- Marks after a name or a figure: that it is too noisy in words, unless they
-- are 'said' beside it, and the numbers of notes as links to these.
local function marks_of(mark, context, said)
  local parts = {}
  if mark:find("!", 1, true) and not said then
    parts[1] = '<span class="warn">too noisy</span>'
  end
  for sign in mark:gsub("[!*]", ""):gsub("%b[]", " %0 "):gmatch "%S[^%[%s]*" do
    local note = context.note_of[sign]
    parts[#parts + 1] = note and element("a", { "class", "warn",
      "href", "#n" .. sign:match "%d+", "title", note.name .. ": "
      .. micro(note.text) }, escape(sign))
      or '<span class="warn">' .. escape(sign) .. "</span>"
  end
  return parts[1] and " " .. table.concat(parts, " ") or ""
end

-- Where a link leads that is about a result: its row, of which a page has one.
local function anchor_of(result, context)
  local place = result and context.places[result]
  if not place or context.has_row[result] then return false end
  context.has_row[result] = true
  return "b" .. place
end

-- What a cell of a comparison says where there is nothing to compare with.
local ALONE = { text = "no baseline", style = "dim none",
  hint = "no baseline has the same parameters" }

-- Remembers for the legend what intervals texts have.
local function note_all(parts, context)
  for _, part in ipairs(parts) do document.note(context.signs, part) end
end

local function cell_of(cell, column, context)
  local mark = cell.mark or ""
  local is_compared = column.key == "compared"
  if is_compared and cell.text == "" and column.title:find "baseline" then
    cell = ALONE
  elseif is_compared and cell.text == "" then
    cell = { text = "-", style = "dim none" }
  end
  document.note(context.signs, cell, column.key)
  local class = (column.align == "right" and "n" or "")
    .. (is_compared and " vs" or "")
    .. (cell.style and " " .. cell.style or "")
    .. (mark:find("*", 1, true) and " best" or "")
  class = class:gsub("^ ", "")
  local text = markup.figure(cell.text)
  if cell.more then
    text = text .. ' <span class="more">' .. markup.figure(cell.more)
      .. "</span>"
  end
  text = text .. marks_of(mark, context)
  return element("td", { "id", anchor_of(cell.result, context),
    "class", class ~= "" and class,
    "data-t", column.title,
    "title", cell.hint ~= nil and micro(cell.hint),
    "data-v", type(cell.value) == "number" and is_drawable(cell.value)
      and number(cell.value) }, text)
end

-- What the script compares two benches by.
local PICKED = { "time", "net", "bytes", "allocs", "instructions" }

local function data_of(result)
  local list = {}
  for _, name in ipairs(PICKED) do
    local e = metrics.get(result, name)
    if e then
      list[#list + 1] = ("%s:%s:%s:%s"):format(name, number(e.value),
        e.low and number(e.low) or "", e.high and number(e.high) or "")
    end
  end
  return table.concat(list, " ")
end

-- What the report says of a result and the one that it was compared with: it
-- is of batches measured in turn, and says more than two times do.
local function said_of(result, relations)
  local c = relations:to_reference(result)
  if not c or columns.is_unreal(result) then return nil end
  return (figures.comparison(c.ratio, c.verdict)), c.b
end

-- Whether a row says beside its name that its time is too noisy.
local function is_noise_said(row)
  for i = 2, #row.cells do
    local cell = row.cells[i]
    if (cell.text .. (cell.more or "")):find("noisy", 1, true) then
      return true
    end
  end
  return false
end

local function name_cell(row, context)
  local cell, result = row.cells[1], row.result
  local place = result and context.places[result]
  if not place then
    return element("th", { "scope", "row", "class", cell.style },
      markup.figure(cell.text))
  end
  local name = ('<a href="#r%d">%s</a>'):format(place, id(cell.text))
  if row.mark then
    name = name .. marks_of(row.mark, context, is_noise_said(row))
  end
  return '<th scope="row">' .. element("input", { "type", "checkbox",
    "class", "pick", "title", "compare: tick two benches",
    "aria-label", "compare " .. cell.text }):gsub("</input>", "") .. name
    .. "</th>"
end

-- Times of processes that fall into groups, in a row: what the two values are.
local function groups_said(row)
  local found = row.result and columns.doubtful_groups(row.result)
  if not found then return nil end
  local parts = {}
  for i, one in ipairs(found) do
    parts[i] = ("%s in %s"):format(figures.quantity(one.value, "ns"),
      figures.percent(math.min(1, one.share)) .. (i == 1
      and " of the processes" or ""))
  end
  return ("%s has %s values, for its processes differ: %s; which is usual is "
    .. "not known"):format(row.cells[1].text, found[3] and "several" or "two",
    table.concat(parts, ", "))
end

-- Below a table: what its numbers of notes stand for.
local function notes_below(made, context)
  local parts, is_said = {}, {}
  local function add(mark, text)
    for sign in (mark or ""):gmatch "%[%d+%]" do
      local note = context.note_of[sign]
      if note and not is_said[sign] then
        is_said[sign] = true
        parts[#parts + 1] = ('<a href="#n%s">%s</a> %s'):format(
          sign:match "%d+", sign, escape(note.name))
      end
    end
    parts[#parts + 1] = text and markup.figure(text) or nil
  end
  for _, row in ipairs(made.rows) do
    add(row.mark, groups_said(row))
    for _, cell in ipairs(row.cells) do add(cell.mark) end
  end
  return parts[1] and '<p class="note">' .. table.concat(parts, "; ") .. "</p>"
    or ""
end

local PHONE, CHARACTER, ROOM = 350, 7.5, 16 -- pixels; ROOM is beside a text

-- Whether a table is shown on phones as a list of its rows, as all but narrow
-- ones of sweeps are.
local function is_listed(made, class)
  if class == "benches" or class == "changes" then return true end
  local width = 0
  for i, column in ipairs(made.columns) do
    local most = #column.title
    for _, row in ipairs(made.rows) do
      local cell = row.cells[i]
      most = math.max(most, cell and #cell.text + #(cell.mark or "") or 0)
    end
    width = width + most * CHARACTER + ROOM
  end
  return class == "sweep" and width > PHONE
end

-- What signs of tables are on the page, where they are no signs.
local SIGNS = { ["*"] = "shaded: ", ["!"] = "" }

local function table_of(section, context)
  local made, class = section.table, section.kind
  local spot_of, spot_titles
  if class == "benches" then spot_of, spot_titles = spots(made.rows) end
  local head, body, foot = {}, {}, {}
  note_all(made.legend or {}, context)
  for i, column in ipairs(made.columns) do
    document.note_column(context.signs, section, column.key)
    local right = column.align == "right"
    local explain = column.explain or class == "sweep" and (i == 1
      and "the size: " .. column.title or "time per call of " .. column.title)
    head[#head + 1] = element("th", { "scope", "col",
      "class", right and "n" or column.key == "compared" and "vs",
      "data-sort", i == 1 and "text" or "number",
      "title", explain or column.title }, escape(column.title))
    if i == 1 and spot_of then
      head[#head + 1] = '<th scope="col" class="spot" title="the time with its '
        .. 'interval, from zero or on a log scale">' .. spot_titles .. "</th>"
    end
  end
  for _, row in ipairs(made.rows) do
    local is_size = class == "sweep" and not row.is_foot
    local cells = { is_size and element("th", { "scope", "row", "class", "n",
      "data-t", made.columns[1].title }, escape(row.cells[1].text))
      or name_cell(row, context) }
    if spot_of then cells[2] = spot_of(row.result) end
    -- That a time is too noisy is said in words.
    document.note_mark(context.signs, (row.mark or ""):gsub("!", ""))
    for i = 2, #made.columns do
      cells[#cells + 1] = cell_of(row.cells[i] or { text = "" },
        made.columns[i], context)
    end
    local attributes = { "id", anchor_of(row.result, context) }
    if row.result and context.places[row.result] then
      local said, other = said_of(row.result, context.relations)
      lists.append(attributes, { "data-pick", data_of(row.result), "data-id",
        row.result.id, "data-said", said or false, "data-other",
        other or false })
    end
    table.insert(row.is_foot and foot or body, element("tr", attributes,
      table.concat(cells)))
  end
  return ('<div class="scroll"><table class="%s"><thead><tr>%s</tr></thead>'
    .. "<tbody>%s</tbody>%s</table></div>%s"):format(
    is_listed(made, class) and class .. " listed" or class,
    table.concat(head), table.concat(body), foot[1] and "<tfoot>"
      .. table.concat(foot) .. "</tfoot>" or "",
    made.legend and '<p class="note">' .. markup.figure(
      document.table_legend(made, SIGNS)) .. "</p>" or "")
    .. notes_below(made, context)
end

-- One bench ------------------------------------------------------------------

local function facts_list(entries)
  local parts = {}
  for i, entry in ipairs(entries) do
    parts[i] = "<li><b>" .. escape(entry[1]) .. "</b>" .. entry[2]
  end
  return '<ul class="facts">' .. table.concat(parts) .. "</ul>"
end

-- What the head of a bench, its chips and its plots say already.
local SAID = { time = true, compared = true, distribution = true, loop = true,
  gc_run = true, gc_mode = true, gc = true, collector = true, net = true,
  p95 = true, pause_p50 = true, pause_p95 = true, pause_p99 = true }

-- Every other figure of a result, as the columns of the tables write it, in
-- words; not those that are drawn.
local function facts_of(result, context, is_drawn)
  local entries = {}
  for _, name in ipairs(columns.names()) do
    local column = columns.find(name)
    local is_said = SAID[name] or is_drawn[name] or name == "time_from"
      and not context.differs.time_from
    local cell = column.cell and not is_said
      and column.cell(result, context, true)
    if cell and cell.text ~= "-" and cell.value ~= 0 then
      document.note(context.signs, cell)
      entries[#entries + 1] = { column.words, markup.figure(markup.thousands(
        cell.more and cell.text .. " " .. cell.more or cell.text)) }
    end
  end
  return facts_list(entries)
end

-- A coefficient of a fit. A time is not below zero: of one that may be, only
-- its upper end is said.
local function term_of(name, e, unit)
  if not regressions.is_positive(e) then
    local most = e.high or e.value
    return most > 0 and ("%s at most %s"):format(name,
      figures.quantity(most, unit)) or name .. " none"
  end
  local text = ("%s %s"):format(name, figures.quantity(e.value, unit))
  if not (e.low and e.high) then return text end
  return ("%s (%s)"):format(text, figures.range(e.low, e.high, unit)), "range"
end

-- What the time is, over figures that are other times.
local function of_time(result, context)
  if not plots.time_of(result) then return "" end
  local clean, all = tonumber(result.clean_batches), result.samples
    and result.samples.iters and #result.samples.iters
  local dropped = tonumber(result.discarded)
  local kept = all and all - (dropped or 0)
  local which = clean and kept and clean < kept
    and (", by the %d undisturbed batches"):format(clean)
    or kept and (", by all %d batches"):format(kept) or ""
  return ('<p class="note made">%s is what one call more adds to a batch%s%s. '
    .. "Below are figures of all batches%s, and by other clocks.</p>"):format(
    markup.figure(columns.find("time").cell(result, context).text), which,
    result.time_from == "cycles" and ", at the reference clock" or "",
    dropped and " that --discard kept" or "")
end

local NO_LINE = "no line, as the batches differ more by chance than by their "
  .. "number of calls"
-- The chart has one.
local OTHER_LINE = "; the line in the chart is the time times the calls, no fit"

-- Every regression of a result as a line.
local function regressions_of(result, context)
  local parts = {}
  for i, fit in ipairs(result.fits or {}) do
    local names, terms = lists.copy(fit.predictors or {}), {}
    local title = ("Fit of %s%s: "):format(regressions.name(fit),
      fit.pass and ", pass " .. fit.pass or "")
    local calls = (fit.coefficients or {}).iters
    names[#names + 1] = fit.intercept and "intercept" or nil
    local unit = regressions.unit(fit)
    for _, name in ipairs(names) do
      local e, vif = (fit.coefficients or {})[name], (fit.vif or {})[name]
      if type(e) == "table" and e.value then
        local text, range = term_of(name, e, unit)
        document.note(context.signs, { interval = range })
        terms[#terms + 1] = vif and #names > 2 and text .. ", VIF "
          .. units.number(vif, 2) or text
      end
    end
    if type(calls) == "table" and calls.value
      and not regressions.is_positive(calls) then
      parts[i] = "<li>" .. markup.figure(title .. NO_LINE
        .. (plots.has_time(result) and OTHER_LINE or ""))
    else
      parts[i] = "<li>" .. markup.figure(("%s%s%s%s"):format(title,
        table.concat(terms, "; "),
        fit.r2 and "; R\194\178 " .. numerals.fixed(fit.r2, 4) or "",
        fit.collinear and "; not separable (VIF)" or ""))
    end
  end
  return parts[1] and '<ul class="fits">' .. table.concat(parts) .. "</ul>"
    or ""
end

-- What a bench is marked with, by its rank (ranks_of).
local RANKED = { [2] = "stopped by a gate", [3] = "slower than it was" }

local function result_card(result, context, is_open)
  local head
  if result.error then
    head = '<b class="bad">failed</b>'
  else
    local cell = columns.find("time").cell(result, context)
    local noise = columns.noise_of(result, context.options)
    if cell then document.note(context.signs, cell) end
    -- In bold is what can be relied on; the rest looks as it does in tables.
    head = cell and element(cell.style and "span" or "b",
      { "class", cell.style or false }, markup.figure(cell.text))
      .. (cell.more and ' <span class="dim">' .. markup.figure(cell.more)
      .. "</span>" or "") .. (noise and ' <span class="warn">'
      .. markup.figure(noise) .. "</span>" or "") or ""
  end
  local chips, differs = {}, context.differs
  local rank = context.ranks[result]
  if rank and RANKED[rank] then
    chips[1] = '<span class="chip bad">' .. RANKED[rank] .. "</span>"
  end
  local ref = (result.params or {}).ref
  if ref ~= nil then
    chips[#chips + 1] = element("span", { "class", "chip", "title",
      "the same bench with the code of this revision" },
      "code of " .. escape(ref))
  end
  for _, text in ipairs { result.baseline and "baseline" or false,
    differs.loop and result.loop and result.loop .. " loop" or false,
    differs.gc and result.gc and "collector " .. result.gc or false,
    differs.gc_mode and result.gc_mode or false,
    context.machine_of(result) or false } do
    if text then
      chips[#chips + 1] = '<span class="chip">' .. escape(text) .. "</span>"
    end
  end
  for _, code in ipairs(result.warnings or {}) do
    local warning = warnings.explain(code)
    -- Of many benches, what is about the machine is said once, at the top.
    local is_of_one = warning.about ~= "machine" and warning.about ~= "samples"
    if is_of_one or is_open then
      chips[#chips + 1] = '<span class="chip warn">' .. escape(warning.title)
        .. "</span>"
    end
  end
  local body = chips[1] and '<p class="chips">' .. table.concat(chips)
    .. "</p>" or ""
  if result.error then
    body = body .. '<pre class="error">' .. tostring(result.error):gsub(
      "[^\n]+", escape) .. "</pre>"
  else
    local drawn, is_drawn = plots.bench(result, context.points)
    body = body .. drawn .. of_time(result, context)
      .. facts_of(result, context, is_drawn) .. regressions_of(result, context)
  end
  return element("details", { "class", "result", "id",
    "r" .. context.places[result], "open", is_open },
    "<summary><h3>" .. id(result.id) .. '</h3><span class="head">' .. head
    .. '</span></summary><div class="body">' .. body .. "</div>")
end

-- Sections -------------------------------------------------------------------

-- 'above' is one that the summary has.
local function sentences_of(list, above)
  local parts = {}
  for _, one in ipairs(list or {}) do
    local is_new = not one.in_table and one ~= above
    parts[#parts + 1] = is_new and element("p", { "class", "said"
      .. (one.style and " " .. one.style or "") }, markup.figure(one.text))
      or nil
  end
  return table.concat(parts)
end

-- How bad it is what became of results, where there are gates or another
-- report or revision: 1 failed, 2 stopped by a gate, 3 slower than it was; nil
-- of all others. Also whether there are changes.
local function ranks_of(report, made, failures, relations)
  local ranks, has_changes = {}, false
  for _, section in ipairs(made.sections) do
    local is_changes = section.kind == "changes"
    has_changes = has_changes or is_changes
    for _, row in ipairs(is_changes and section.table and section.table.rows
      or {}) do
      for i, column in ipairs(section.table.columns) do
        local is_bad = column.key == "compared"
          and (row.cells[i] or {}).style == "bad"
        ranks[row.result or 0] = is_bad and 3 or ranks[row.result or 0]
      end
    end
  end
  for _, failure in ipairs(failures or {}) do
    local stopped = relations.by_id[failure.id or 0]
    if stopped then ranks[stopped] = 2 end
  end
  if not (failures or has_changes) then return {}, false end
  for _, result in ipairs(report.results) do
    ranks[result] = result.error and 1 or ranks[result]
  end
  return ranks, has_changes
end

local UNRANKED = 4

-- Results with the worst ones first; else the order stays, and a bench with
-- the code of another revision comes after itself.
local function worst_first(results, context)
  local list, key_of = {}, {}
  for i, result in ipairs(results) do
    local own = (result.params or {}).ref ~= nil
      and context.relations.by_id[ids.without(result.id, "ref")] or result
    list[i] = result
    key_of[result] = { context.ranks[own] or context.ranks[result] or UNRANKED,
      context.places[own] or i, own == result and 0 or 1, i }
  end
  table.sort(list, function(a, b)
    local x, y = key_of[a], key_of[b]
    for i = 1, #x do
      if x[i] ~= y[i] then return x[i] < y[i] end
    end
    return false
  end)
  return list
end

-- Results that a section is about, each once on the page; where a page has
-- changes, all are in one list at its end, of which the worst are open.
local function details_of(section, context)
  local cards, opened = {}, 0
  if context.has_changes and section.kind then return "" end
  for _, result in ipairs(worst_first(section.results or {}, context)) do
    if context.places[result] and not context.shown[result] then
      context.shown[result] = true
      local is_open = context.open
        or context.ranks[result] ~= nil and opened < UNFOLDED
      opened = opened + (is_open and 1 or 0)
      cards[#cards + 1] = result_card(result, context, is_open)
    end
  end
  return table.concat(cards)
end

local function card_of(section, context)
  document.note(context.signs, section.card)
  local lines, is_noisy = {}, section.card.is_noisy
  for i, phrases in ipairs(section.card.lines) do
    -- The last line is a histogram in characters; the page draws a better one.
    if section.card.has_spark and i == #section.card.lines then break end
    local parts = {}
    for k, phrase in ipairs(phrases) do -- of a noisy one a time, and why
      local class = is_noisy and i == 1 and (k == 1 and "dim"
        or k == 2 and "warn")
      parts[k] = element("span", { "class", class or false },
        markup.figure(phrase))
    end
    lines[i] = "<p>" .. table.concat(parts) .. "</p>"
  end
  return '<div class="single">' .. table.concat(lines) .. "</div>"
end

local function section_of(section, number_of, context)
  -- A page with a single section begins with what is said of it.
  local parts = {}
  note_all(section.sentences or {}, context)
  local above = context.is_single and not section.frames
    and (section.sentences or {})[1] or nil
  if section.card then parts[#parts + 1] = card_of(section, context) end
  if section.sweep then
    parts[#parts + 1] = sentences_of(section.sentences, above)
      .. plots.sweep(section.sweep)
    local items = {}
    for _, law in ipairs(section.laws) do -- crossings are below the plot
      items[#items + 1] = not law.is_crossing and "<li>" .. markup.figure(
        law.text) .. "</li>" or nil
    end
    note_all(section.laws, context)
    parts[#parts + 1] = items[1] and '<ul class="laws">'
      .. table.concat(items) .. "</ul>" or nil
  end
  if section.frames then parts[#parts + 1] = frame_plots.of(section.frames) end
  if section.table then parts[#parts + 1] = table_of(section, context) end
  if not section.sweep then
    parts[#parts + 1] = sentences_of(section.sentences, above)
  end
  if section.profile then parts[#parts + 1] = profile_page.of(section) end
  local cards = details_of(section, context)
  if cards ~= "" and not context.open then
    cards = ('<details class="more"><summary>%s by itself: distribution, '
      .. "batches, collector, all figures</summary>%s</details>"):format(
      section.sweep and "Each size" or "Each bench", cards)
  end
  -- What the page is called is not said again where it is all there is.
  local title = section.title ~= "" and section.title or "benches"
  local is_said = context.is_single and title == context.title
  return ('<section id="s%d">%s%s</section>'):format(number_of,
    is_said and "" or ("<h2>%s</h2>"):format(id(title)),
    table.concat(parts) .. cards)
end

-- The page -------------------------------------------------------------------

local function list_of(items, class)
  local parts = {}
  for i, one in ipairs(items) do
    local mark = one.mark and one.mark ~= "!" and one.mark or nil
    -- The heading says that these are notes.
    local name = (mark and mark .. " " or "")
      .. (one.name ~= "note" and one.name or "")
    local place = (mark or ""):match "^%[(%d+)%]$"
    parts[i] = element("li", { "id", place and "n" .. place or false },
      (name ~= "" and "<b>" .. escape(name) .. "</b> " or "")
      .. markup.figure(one.text))
  end
  return element("ul", { "class", class }, table.concat(parts))
end

local MOST_NAMED = 3 -- slower benches that the summary names, and quicker ones

-- What changed most, by how much, what is slower first: was -> is, and the
-- ratio. Not what failed a gate: the lines of failures name it.
local function add_changed(items, section, places, is_named)
  local at = 0
  for i, column in ipairs(section.table.columns) do
    at = column.key == "compared" and i or at
  end
  for _, how in ipairs { "bad", "good" } do
    local list = {}
    for i, row in ipairs(section.table.rows) do
      local cell = row.cells[at] or {}
      if cell.style == how and cell.value > 0
        and not is_named[row.result and row.result.id] then
        list[#list + 1] = { row = row, ratio = cell.text, i = i,
          size = math.abs(math.log(cell.value)) }
      end
    end
    table.sort(list, function(a, b)
      return a.size > b.size or a.size == b.size and a.i < b.i
    end)
    for i = 1, math.min(#list, MOST_NAMED) do
      local cells = list[i].row.cells
      items[#items + 1] = ('<li><a href="#r%d">%s</a>: %s%s</li>'):format(
        places[list[i].row.result], id(cells[1].text),
        at > 2 and markup.figure(cells[2].text) .. ", " or "",
        markup.figure(list[i].ratio))
    end
  end
end

-- What became of each rule of --fail-on.
local function gates_of(made)
  local items = {}
  for i, one in ipairs(made.gates or {}) do
    items[i] = ('<p class="said %s"><b>%s</b> %s</p>'):format(one.style,
      escape(one.name), escape(micro(one.text)))
  end
  return table.concat(items)
end

-- The closing line, each phrase in the colour of what happened; an aside is
-- beneath, for there nothing happened.
local function closing_of(closing)
  local list, aside = {}, ""
  for i, phrase in ipairs(closing.phrases) do
    local text = markup.options(micro(phrase.text))
    if phrase.is_aside then
      aside = '<p class="note">' .. text .. "</p>"
    else
      list[i] = (i > 1 and (phrase.joint or ", ") or "") .. (phrase.style
        and element("span", { "class", phrase.style }, text) or text)
    end
  end
  return element("p", { "class", "closing "
    .. (closing.style or "") }, table.concat(list)) .. aside
end

local MOST_NOISY = 12 -- benches that are named

-- The benches that the closing line calls too noisy, as links to their rows.
local function noisy_of(noisy, context)
  if not noisy[1] then return "" end
  local links = {}
  for i = 1, math.min(#noisy, MOST_NOISY) do
    links[i] = ('<a href="#%s%d">%s</a>'):format(
      context.has_row[noisy[i]] and "b" or "r", context.places[noisy[i]],
      id(ids.without(noisy[i].id, "ref")))
  end
  return '<p class="said"><span class="warn">too noisy:</span> '
    .. table.concat(links, ", ") .. (#noisy > #links and (" and %d more")
    :format(#noisy - #links) or "") .. "</p>"
end

-- A command to give next, or words where it can't be given in full.
local function next_of(one)
  local words = one.command:match "^(the same command with) "
  local why = ('<p class="said">Next, %s:'):format(escape(micro(one.why)))
  if words then
    return ('%s %s <code>%s</code>.</p>'):format(why, words,
      markup.options(one.command:sub(#words + 2)))
  end
  return ('%s</p><pre class="command">%s</pre>'):format(why,
    markup.options(one.command))
end

-- The most important first: what failed, what changed, who won, how noisy it
-- was.
local function summary_of(made, context)
  local parts, places = {}, context.places
  if made.failures[1] then parts[1] = list_of(made.failures, "failures") end
  local items, is_named = {}, {}
  for _, failure in ipairs(made.failures) do is_named[failure.name] = true end
  for i, section in ipairs(made.sections) do
    local first = (section.sentences or {})[1]
    if section.kind == "changes" and section.table then
      add_changed(items, section, places, is_named)
    end
    if first and not section.frames
      and not is_named[first.text:match("^(.-): ")] then
      -- What was compared needs no name where it is all that there is.
      local name = (section.kind ~= "changes" or made.sections[2])
        and ('<a href="#s%d">%s</a>: '):format(i, id(section.title:gsub(
        ", time per call.*", ""))) or ""
      items[#items + 1] = ("<li>%s%s</li>"):format(name,
        markup.figure(first.in_full or first.text))
    end
  end
  if items[1] then
    parts[#parts + 1] = '<ul class="winners">' .. table.concat(items) .. "</ul>"
  end
  for _, line in ipairs { made.machine or false, made.interrupted or false } do
    if line then
      parts[#parts + 1] = '<p class="said warn">' .. markup.figure(line)
        .. "</p>"
    end
  end
  return '<section id="summary">' .. closing_of(made.closing)
    .. gates_of(made) .. noisy_of(made.closing.noisy or {}, context)
    .. table.concat(parts)
    .. (made.next_step and next_of(made.next_step) or "") .. "</section>"
end

-- 'has_axes': there are plots on linear and on logarithmic axes. A control that
-- would change nothing is left out.
local function contents_of(made, has_benches, has_axes)
  local links = {}
  for i, section in ipairs(made.sections) do
    links[i] = ('<a href="#s%d">%s</a>'):format(i, markup.with_days(escape(
      section.title:gsub(", time per call.*", ""):gsub("^$", "benches"))))
  end
  return '<nav aria-label="Contents"><a class="brand" href="#summary">tare</a>'
    .. '<div class="links">' .. table.concat(links)
    .. '</div><a class="how" href="#how">how to read this</a>'
    .. '<div class="controls">' .. (has_benches
      and '<input id="filter" type="search" placeholder="filter" '
      .. 'aria-label="Filter benches">' or "")
    .. (has_axes and '<button id="scale" type="button" title="changes all '
      .. 'axes of sizes and times">show linear axes</button>' or "")
    .. "</div></nav>"
end

-- What is explained, how ("{same}": what that verdict means), where a page has
-- any of some texts ("": on all), and the column that need not be explained,
-- too.
local HOW = {
  { "time \194\1772%", "A call takes that long; the true cost should be within "
    .. "2 % of it. Two numbers in brackets are the ends of such an "
    .. "interval, where its sides differ.", { "" }, "time" },
  { "1.61 times as fast (1.58 to 1.64)", "Measured in turn with the bench in "
    .. "the column's title, some batches at a time, so that both saw the same "
    .. "machine; "
    .. "the interval holds the true ratio. 'same': {same}; 'unclear': "
    .. "{unclear}.", { "times as", "compared with" }, "compared" },
  { "too noisy", "The interval is wider than the value: this is no "
    .. "measurement. A longer --quota or a quieter machine helps.",
    { "too noisy" } },
  { "p5, p95", "Of the batches, 5 % and 95 % took less time per call.",
    { "p95" }, "p95" },
  { "the dots in a row", "The times of a table on one axis, with their "
    .. "intervals; the button at the top changes between linear and "
    .. "logarithmic axes.",
    { '<td class="spot"><' } },
  { "comparing two", "Tick two benches to compare them at the bottom of the "
    .. "page.", { 'class="pick"' } },
}

local OF_FRAMES = {
  { "interval", "Frames come in stretches of the same kind: the interval is as "
    .. "wide as what shares vary between blocks of frames asks for.",
    { "" } },
  { "1 % low", "The mean of the slowest 1 % of the frames, as frames per "
    .. "second and as a time.", { "1 % low", "1% low" } },
  { "stutter", "A frame over the budget that took more than twice what those "
    .. "before it did.", { "stutter" } },
  { "in a collection", "The heap was beyond the size at which Lua begins one, "
    .. "and none had ended: steps of it ran in the frame.",
    { "in a collection" } },
}

-- Explains what is in the body of a page, each once.
local function how_to_read(made, report, body)
  local entries, is_said = {}, { bench = true }
  local function has(text) return body:find(text, 1, true) ~= nil end
  local function add(key, title, text)
    if is_said[key] then return end
    is_said[key] = true
    entries[#entries + 1] = { title, markup.figure(text) }
  end
  -- By the words that the figures of a bench have; tables have the name.
  local function add_column(name, explain)
    local words = (columns.find(name) or {}).words or name
    add(name, words, words == name and explain
      or ("column %s: %s"):format(name, explain))
  end
  local of_program = warnings.is_of_program(report)
  for _, one in ipairs(made.is_of_frames and OF_FRAMES or HOW) do
    if lists.first(one[3], has) then
      local text = one[2]:gsub("{(%l+)}", function(verdict)
        return figures.meaning(verdict, made.tolerance)
      end)
      add(one[4] or one[1], one[1], of_program and warnings.in_program(text)
        or text)
    end
  end
  for _, section in ipairs(made.is_of_frames and {} or made.sections) do
    for _, column in ipairs(section.table and section.table.columns or {}) do
      if column.explain then add_column(column.key, column.explain) end
    end
  end
  for _, name in ipairs(columns.names()) do
    local column = columns.find(name)
    if has("<li><b>" .. escape(column.words or name) .. "</b>") then
      add_column(name, column.explain)
    end
  end
  local is_seen = {} -- a page of ten thousand benches is searched once for each
  for _, result in ipairs(report.results) do
    for _, code in ipairs(result.warnings or {}) do
      local warning = not is_seen[code] and warnings.explain(code, of_program)
      is_seen[code] = true
      if warning and warning.advice and has(escape(warning.title)) then
        add(code, warning.title, warning.advice)
      end
    end
  end
  return '<details id="how" class="more"><summary>How to read this</summary>'
    .. facts_list(entries) .. "</details>"
end

local UNITS = { bytes = true, ns = true, ghz = true }
local IN_BYTES = { memory_cap = true }

-- The unit that is the end of a name; nil where it has none.
local function unit_of(name)
  local unit = tostring(name):match("_(%l+)$") or name
  return IN_BYTES[name] and "bytes" or UNITS[unit] and unit or nil
end

-- What a field of a Report is called: "clock.reference_ghz" is "clock
-- reference", for its value has the unit.
local function called(name)
  local unit = unit_of(name:match("[^.]*$"))
  if unit and not IN_BYTES[name] then
    name = name:gsub("[_.]" .. unit .. "$", "")
  end
  return (name:gsub("[_.]", " "))
end

-- A plain value.
local function leaf(name, value)
  if type(value) ~= "number" then return escape(tostring(value)) end
  local unit = unit_of(name)
  if unit == "ghz" then
    return escape(units.number(value, 3)) .. "\194\160GHz"
  elseif unit then
    return markup.quantity(value, unit, 4)
  end
  return escape(value % 1 == 0 and numerals.fixed(value, 0) or number(value))
end

-- A table of any depth as names and values. 'path' is of those around it.
local function flatten(t, path, entries)
  for _, key in ipairs(lists.keys(t)) do
    local name, value = path .. tostring(key), t[key]
    if type(value) ~= "table" then
      entries[#entries + 1] = { called(name), leaf(key, value) }
    elseif type(value[1]) == "string" or type(value[1]) == "number" then
      local texts = {}
      for i, item in ipairs(value) do texts[i] = leaf(key, item) end
      entries[#entries + 1] = { called(name), table.concat(texts, ", ") }
    else
      flatten(value, name .. ".", entries)
    end
  end
  return entries
end

-- All that a table has; nil where it has nothing.
local function list_of_fields(t)
  if type(t) ~= "table" or next(t) == nil then return nil end
  return facts_list(flatten(t, "", {}))
end

-- The environments that differ, and which one a result is of.
local function environments(report)
  local list, place_of, places = {}, {}, {}
  for i, env in ipairs(report.envs or { report.env }) do
    local text = list_of_fields(env)
    if text and not place_of[text] then
      list[#list + 1] = text
      place_of[text] = #list
    end
    places[i] = place_of[text or ""]
  end
  return list, function(result)
    local place = places[result.env_index or 1]
    return #list > 1 and place and "environment " .. place or nil
  end
end

local SETTINGS = { { "loop", "loop" }, { "gc", "collector" },
  { "gc_mode", "mode of the collector" }, { "time_from", "time is from" } }

-- The settings in which results differ: what all share is said once.
local function differing(results)
  local differs = {}
  for _, setting in ipairs(SETTINGS) do
    local name = setting[1]
    differs[name] = #results == 1
    for _, result in ipairs(results) do
      differs[name] = differs[name] or result[name] ~= results[1][name]
    end
  end
  return differs
end

local function circumstances(report, envs, differs)
  local parts, shared, first = {}, {}, report.results[1] or {}
  for _, setting in ipairs(SETTINGS) do
    local value = first[setting[1]]
    if value and not differs[setting[1]] then
      shared[#shared + 1] = ("%s: %s"):format(setting[2], escape(value))
    end
  end
  if shared[1] then
    parts[1] = '<p class="said">All benches: ' .. table.concat(shared, ", ")
      .. ".</p>"
  end
  for i, text in ipairs(envs) do
    parts[#parts + 1] = "<details class=\"more\"><summary>Environment"
      .. (#envs > 1 and " " .. i or "") .. "</summary>" .. text .. "</details>"
  end
  local options = list_of_fields(report.options)
  parts[#parts + 1] = options and '<details class="more"><summary>Options'
    .. "</summary>" .. options .. "</details>" or nil
  if not parts[1] then return "" end
  return '<section id="env"><h2>Circumstances</h2>' .. table.concat(parts)
    .. "</section>"
end

-- Nothing is fetched, whatever a Report holds.
local POLICY = "default-src 'none'; style-src 'unsafe-inline'; "
  .. "script-src 'unsafe-inline'"

local function body_of(made, report, options)
  local count = #report.results
  local envs, machine_of = environments(report)
  local relations = groups.relations(report)
  local ranks, has_changes = ranks_of(report, made, options.failures,
    relations)
  local context = { places = {}, shown = {}, options = report.options,
    title = made.title, relations = relations, ranks = ranks,
    note_of = {}, signs = {}, has_row = {}, has_changes = has_changes,
    machine_of = machine_of,
    differs = differing(report.results), is_single = #made.sections == 1,
    open = options.open or count <= UNFOLDED,
    points = options.points or math.max(FEWEST, math.min(MOST,
      math.floor(POINTS_OF_PAGE / math.max(count, 1)))) }
  for i, result in ipairs(report.results) do context.places[result] = i end
  for _, note in ipairs(made.notes) do
    if note.mark then context.note_of[note.mark] = note end
  end
  local parts = { '<header><h1>', (escape(made.title):gsub("[/{,]", "%0<wbr>")),
    '</h1><p class="meta"><span>' }
  local phrases = {}
  for i, phrase in ipairs(made.head) do
    phrases[i] = escape(micro(phrase))
  end
  parts[#parts + 1] = table.concat(phrases, "</span><span>")
    .. "</span></p></header><main>"
  local summary_at, legend_at = #parts + 1, #parts + 2
  parts[summary_at], parts[legend_at] = "", ""
  for i, section in ipairs(made.sections) do
    parts[#parts + 1] = section_of(section, i, context)
  end
  -- Benches that only a table of changes or of interpreters shows.
  local rest = details_of({ results = report.results }, context)
  if rest ~= "" then
    parts[#parts + 1] = '<section id="rest"><h2>Benches</h2>' .. rest
      .. "</section>"
  end
  if made.notes[1] then
    parts[#parts + 1] = '<section id="notes"><h2>Notes</h2>'
      .. list_of(made.notes, "remarks") .. "</section>"
  end
  parts[summary_at] = summary_of(made, context)
  for _, list in ipairs { made.failures, made.gates or {} } do
    note_all(list, context)
  end
  local legend = report.results[1] and document.legend(made, context.signs)
    or {}
  parts[legend_at] = legend[1] and '<p class="note">' .. escape(table.concat(
    legend, "; ")) .. "</p>" or ""
  local body = table.concat(parts)
  local has_axes = body:find('<i class="log"', 1, true)
    or body:find('class="plot log"', 1, true)
  return contents_of(made, count > 1, has_axes) .. body
    .. circumstances(report, envs, context.differs)
    .. how_to_read(made, report, body)
    .. '</main><div id="picked" hidden></div>'
end

--- Prints a Report as a page of HTML, complete in itself. Beside the options of
--- the document: 'open' (all benches unfolded), 'points' (most of a plot).
---@param report table
---@param options table?
---@return string? page
---@return string? message
function html.render(report, options)
  local of_frames = frames.is(report)
  report, options = cleaned(report), options or {}
  local asked = lists.copy(options)
  asked.lists_all, asked.drops_zeros = true, true
  local made, message = document.of(report, asked)
  if not made then return nil, message end
  if of_frames then report = { results = {} } end
  return table.concat { '<!DOCTYPE html>\n<html lang="en">\n<head>\n',
    '<meta charset="utf-8">\n<meta name="viewport" ',
    'content="width=device-width, initial-scale=1">\n',
    '<meta http-equiv="Content-Security-Policy" content="', POLICY, '">\n',
    '<meta name="color-scheme" content="light dark">\n',
    '<meta name="generator" content="tare">\n<title>', escape(made.title),
    " \194\183 tare</title>\n<style>\n", STYLE, "</style>\n</head>\n<body>\n",
    body_of(made, report, options), "\n<script>\n", SCRIPT,
    "</script>\n</body>\n</html>\n" }
end

return html
