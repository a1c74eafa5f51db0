-- Prints a document for a terminal: tables fitted to its width, colours where
-- they are wanted, ASCII where nothing else is understood.
local chart = require "tare.report.chart"
local columns = require "tare.report.columns"
local document = require "tare.report.document"
local escape = require "tare.report.escape"
local fitting = require "tare.report.fitting"
local lists = require "tare.base.lists"
local unicode = require "tare.base.unicode"
local unpack = require("tare.base.compat").unpack
local width = require "tare.report.width"

local text = {}

local INDENT, GAP = fitting.INDENT, fitting.GAP
local SGR = { title = "1", bad = "31", good = "32", warn = "33", dim = "2" }

local DOT = " \194\183 "

local Page = {}
Page.__index = Page

local JOINER = 0x200D
local IN_ASCII = { [0xB1] = "+-", [0xB7] = "|", [0x2020] = "^" }
local CUT = "\226\128\160" -- a dagger: what was cut short, in narrow tables

-- A text that the terminal shows in as many columns as it is counted for:
-- joined emoji are one picture to some terminals and several to others.
function Page:plain(s)
  if not s:find(self.ascii and "[\128-\255]" or "\226\128\141") then
    return s
  end
  return unicode.map(unicode.repair(s), function(code)
    if not code or not self.ascii and code ~= JOINER or code < 128 then
      return nil
    end
    return IN_ASCII[code] or (code > 0xFFFF and "\\U%08x" or "\\u%04x")
      :format(code)
  end)
end

function Page:style(s, name)
  if not (self.color and SGR[name]) or s == "" then return s end
  return ("\27[%sm%s\27[0m"):format(SGR[name], s)
end

function Page:add(line) self[#self + 1] = escape.trim_end(line) end

-- Remembers for the legend what intervals texts have.
function Page:note(parts)
  for _, part in ipairs(parts) do document.note(self.shown, part) end
end

-- One blank line, never two.
function Page:gap()
  if #self > 0 and self[#self] ~= "" then self[#self + 1] = "" end
end

-- A paragraph, wrapped; 'name' begins it in the style, lines after the first
-- are indented by more.
function Page:paragraph(s, options)
  options = options or {}
  local indent = options.indent or 0
  local name = options.name and self:plain(options.name)
  s = self:plain(s)
  local hanging = indent + (options.hanging or 0)
  local room = self.width and math.max(20, self.width - hanging)
  for i, line in ipairs(width.wrap(name and name .. " " .. s or s, room)) do
    if i == 1 and name and line:sub(1, #name) == name then
      line = self:style(name, options.style or "plain")
        .. line:sub(#name + 1)
    elseif options.style and not name then
      line = self:style(line, options.style)
    end
    self:add((" "):rep(i == 1 and indent or hanging) .. line)
  end
end

-- Phrases with a dot between them; lines break between phrases, and within one
-- where it is too long for a line.
function Page:phrases(list, indent)
  local line = ""
  local function put()
    local room = self.width and math.max(20, self.width - INDENT)
    local fits = width.of(line) <= (self.width or 1/0) - indent
    for _, part in ipairs(fits and { line } or width.wrap(line, room)) do
      self:add((" "):rep(indent) .. self:style(part, "dim"))
      indent = INDENT
    end
  end
  for _, phrase in ipairs(list) do
    phrase = self:plain(phrase)
    local joined = line == "" and phrase or line .. self:plain(DOT) .. phrase
    if line ~= "" and width.of(joined) > (self.width or 1/0) - indent then
      put()
      joined = phrase
    end
    line = joined
  end
  if line ~= "" then put() end
end

-- Tables ---------------------------------------------------------------------

local function cell_text(page, column, cell, is_last)
  local main, more, used = page:style(cell.main, cell.style), cell.more,
    width.of(cell.main)
  if column.align == "right" then
    main, used = (" "):rep(column.left - used) .. main, column.left
  end
  return main .. more .. (" "):rep(is_last and 0
    or column.size - used - width.of(more))
end

-- A table whose names don't fit, with what names in a row begin with on a line
-- above them: "calls/make/", and below it "coroutine" and "closure".
local function under_headings(page, made)
  local list, headings, above = {}, 0, nil
  for i = 1, #made.columns do
    list[i] = fitting.measured(page, made, i, true)
  end
  if made.columns[1].key ~= "bench" or not page.width
    or fitting.total(list) <= page.width then return made end
  local out = { columns = made.columns, legend = made.legend, rows = {} }
  for _, row in ipairs(made.rows) do
    local prefix, rest = row.cells[1].text:match("^([^{]*/)(.*)$")
    if prefix ~= above then
      above, headings = prefix, headings + 1
      out.rows[#out.rows + 1] = prefix and { heading = prefix, cells = {} }
    end
    local copy = { mark = row.mark, cells = { unpack(row.cells) } }
    copy.cells[1] = { style = row.cells[1].style,
      text = prefix and "  " .. rest or row.cells[1].text }
    out.rows[#out.rows + 1] = copy
  end
  return headings * 2 <= #made.rows and out or made
end

-- Remembers for the legend what a block of a table shows.
local function note_signs(page, list, section)
  local shown = page.shown
  for _, column in ipairs(list) do
    document.note_column(shown, section, column.key)
    for _, cell in ipairs(column.cells) do
      document.note(shown, { text = cell.main, interval = cell.interval,
        verdict = cell.verdict }, column.key)
    end
  end
  for _, cell in ipairs(list[1].cells) do
    document.note_mark(shown, cell.more, page:plain(CUT))
  end
end

-- Puts a table's title in place of the first column's: that column, and by how
-- many letters the title reaches over the next one, as far as that has none.
local function with_title(page, list, title)
  local first = lists.copy(list[1])
  local room = page.width and page.width - fitting.total(list) + first.size
    or fitting.WIDEST_NAME
  local second = list[2]
  local spare = second and second.align == "right"
    and second.left - width.of(second.title) or 0
  local borrowed = math.max(0, math.min(spare, width.of(page:plain(title))
    - INDENT - room))
  first.title = width.squeeze(page:plain(title), math.max(room + INDENT
    + borrowed, fitting.NARROWEST_NAME), page.ellipsis)
  first.size = math.max(first.size, width.of(first.title) - INDENT - borrowed)
  return first, borrowed
end

-- The line of a block's heads.
local function heads_of(page, list, title, borrowed)
  local heads = {}
  for i, column in ipairs(list) do
    local padded = column.title
    if column.align == "right" then
      padded = width.pad(padded, column.left, "right")
    end
    padded = width.pad(padded, column.size)
    if i == 1 then
      -- The title of a section begins where the page does.
      padded = title and width.pad(column.title, column.size + INDENT)
        or (" "):rep(INDENT) .. padded
    end
    if i == 2 then padded = padded:sub(1 + borrowed) end
    if i == #list then padded = escape.trim_end(padded) end
    heads[i] = page:style(padded, i == 1 and title and "title" or "dim")
  end
  return table.concat(heads, (" "):rep(GAP))
end

local function add_rows(page, list, rows)
  for r, row in ipairs(rows) do
    local cells = {}
    for i, column in ipairs(list) do
      cells[i] = cell_text(page, column, column.cells[r], i == #list)
    end
    page:add((" "):rep(INDENT) .. (row.heading and page:style(width.squeeze(
      page:plain(row.heading), page.width - INDENT, page.ellipsis), "dim")
      or table.concat(cells, (" "):rep(GAP))))
  end
end

-- Names that the table shows shortened, the longest first, with what it shows.
local function shortened(page, made, first)
  local short_of = {}
  for r, row in ipairs(made.columns[1].key == "bench" and made.rows or {}) do
    local long, cell = row.cells[1] and row.cells[1].text, first.cells[r]
    if long and page:plain(long) ~= cell.main and cell.main:find(page.ellipsis,
      1, true) then
      short_of[long], short_of[#short_of + 1] = cell.main, long
    end
  end
  table.sort(short_of, function(a, b) return #a > #b end)
  return short_of
end

-- What a table's legend says that no table above it has said.
local function unexplained(page, legend)
  local list = {}
  for _, one in ipairs(legend) do
    local key = (one.sign or "") .. one.text
    if not page.explained[key] then
      page.explained[key], list[#list + 1] = true, one
    end
  end
  return list
end

-- Adds a table, in blocks below each other where it is too wide.
local function add_table(page, section, title, keeps_all)
  local made = section.table
  if not title then made = under_headings(page, made) end
  local blocks, left_out = fitting.blocks(page, made, keeps_all)
  for _, what in ipairs(left_out) do
    if not page.dropped[what] then
      page.dropped[what], page.dropped[#page.dropped + 1] = true, what
    end
  end
  local names = blocks[1][1]
  for _, list in ipairs(blocks) do
    note_signs(page, list, section)
    for _, column in ipairs(list) do page.kept[column.title] = true end
    local borrowed = 0
    if title then list[1], borrowed = with_title(page, list, title) end
    page:add(heads_of(page, list, title, borrowed))
    add_rows(page, list, made.rows)
  end
  local legend = unexplained(page, made.legend or {})
  if legend[1] then
    page:paragraph(document.table_legend { legend = legend }, {
      indent = INDENT, style = "dim" })
    page:note(legend)
  end
  return shortened(page, made, names)
end

-- Sections -------------------------------------------------------------------

-- A sentence with the names of benches cut as in the table beside it.
local function with_names(sentence, short_of)
  for _, long in ipairs(short_of) do
    local plain = long:gsub("%p", "%%%0")
    sentence = sentence:gsub(plain, (short_of[long]:gsub("%%", "%%%%")))
  end
  return sentence
end

local function add_sentences(page, section, short_of)
  for _, sentence in ipairs(section.sentences or {}) do
    if not sentence.in_table or page.dropped[1] then
      page:paragraph(with_names(sentence.text, short_of), { indent = INDENT,
        style = sentence.style })
      page:note { sentence }
    end
  end
end

local function fits(page, line)
  return not page.width or width.of(page:plain(line)) + INDENT <= page.width
end

local function put_in_card(page, line)
  if fits(page, line) then
    page:add((" "):rep(INDENT) .. page:plain(line))
  else
    page:paragraph(line, { indent = INDENT })
  end
end

-- A single bench: its name, or its code as far as a line has room for it, the
-- circumstances on the right, the figures below; what doesn't fit beside other
-- figures begins a line.
local function add_card(page, section, head)
  local code = section.card.code
  local name = page:plain(code or section.card.name)
  if code and page.width then
    name = width.cut(name, page.width, page.ellipsis)
  end
  local about = page:plain(table.concat(head, DOT))
  local room = (page.width or 100) - width.of(name) - 3
  if width.of(about) <= room then
    page:add(page:style(name, "title") .. (" "):rep(room - width.of(about) + 3)
      .. page:style(about, "dim"))
  else
    if code then
      page:add(page:style(name, "title"))
    else
      page:paragraph(name, { style = "title" })
    end
    page:phrases(head, INDENT)
  end
  page:note { section.card }
  for _, phrases in ipairs(section.card.lines) do
    local line
    for _, phrase in ipairs(phrases) do
      local joined = line and line .. "   " .. phrase or phrase
      if line and not fits(page, joined) then
        put_in_card(page, line)
        joined = phrase
      end
      line = joined
    end
    put_in_card(page, line)
  end
end

-- Where the other figures are that a sweep's cells have; nil where there are
-- none: "gc and bytes of each: --columns=time,gc,bytes".
local function others_of(results)
  local names = lists.those({ "gc", "bytes", "instr" }, function(name)
    return lists.first(results, function(result)
      return columns.find(name).cell(result, {})
    end)
  end)
  return names[1] and ("%s of each: --columns=time,%s"):format(
    lists.sentence(names), table.concat(names, ","))
end

-- Kinds of sections whose tables keep every column, in several blocks if need
-- be.
local WHOLE = { frames = true, sweep = true, interpreters = true,
  regression = true }

local TITLED = { sweep = true, changes = true, interpreters = true,
  regression = true, profile = true }

local function add_section(page, section, options)
  page:gap()
  local titled, short_of = TITLED[section.kind], {}
  if titled then page:paragraph(section.title, { style = "title" }) end
  if section.table then
    local others = section.kind == "sweep" and options.command
      and not options.columns and not page.has_told_others
      and others_of(section.results)
    if others then
      page.has_told_others = true
      section.table.legend = section.table.legend or {}
      table.insert(section.table.legend, { text = others })
    end
    local title = not titled and section.title ~= "" and section.title or nil
    short_of = add_table(page, section, title, options.columns ~= nil
      or WHOLE[section.kind])
  end
  if options.plot or options.plots then
    for _, line in ipairs(chart.lines(section, { ascii = page.ascii,
      width = page.width and page.width - INDENT, ellipsis = page.ellipsis,
      plain = function(s) return page:plain(s) end })) do
      page:add((" "):rep(INDENT) .. line)
    end
  end
  add_sentences(page, section, short_of)
  if options.explain or options.plot then
    for _, law in ipairs(section.laws or {}) do
      page:paragraph(law.text, { indent = INDENT })
    end
    page:note(section.laws or {})
  end
end

--- Prints a Report for a terminal. Beside the options of the document: 'width'
--- (nil is a pipe, without limit), 'color', 'ascii', 'plot'.
---@param options table?
---@return string? text
---@return string? message where columns or sort name what there is not
function text.render(report, options)
  options = options or {}
  local made, message = document.of(report, options)
  if not made then return nil, message end
  local page = setmetatable({ width = options.width, dropped = {},
    kept = {}, shown = {}, explained = {}, color = options.color,
    ascii = options.ascii,
    ellipsis = options.ascii and "~" or "\226\128\166" }, Page)
  local card = made.sections[1] and made.sections[1].kind == "card"
    and made.sections[1]
  if card then
    add_card(page, card, made.head)
  elseif made.head[1] then
    page:phrases(made.head, 0)
  end
  for _, line in ipairs { made.machine or false, made.interrupted or false } do
    if line then page:paragraph(line, { style = "warn", hanging = INDENT }) end
  end
  if made.failures[1] then page:gap() end
  for _, one in ipairs(made.failures) do
    page:paragraph(one.text, { name = "FAILED " .. one.name .. ":",
      style = "bad", hanging = INDENT })
  end
  page:note(made.failures)
  for _, section in ipairs(made.sections) do
    if section ~= card then add_section(page, section, options) end
  end
  page:note(made.gates or {})
  local legend = made.explanations and {}
    or document.legend(made, page.shown)
  if made.explanations or made.notes[1] or page.dropped[1] or legend[1] then
    page:gap()
  end
  if legend[1] then
    page:paragraph(table.concat(legend, "; "), { style = "dim" })
  end
  for _, one in ipairs(made.explanations or {}) do
    page:paragraph(one.text, { name = one.name .. ":", style = "title",
      hanging = INDENT })
  end
  for _, one in ipairs(made.notes) do
    page:paragraph(one.text, { name = (one.mark and one.mark .. " " or "")
      .. one.name .. ":", style = one.style or one.name == "note" and "dim"
      or "warn",
      hanging = INDENT })
  end
  local nowhere = {} -- what one table lacks and another has is not missing
  for _, what in ipairs(page.dropped) do
    nowhere[#nowhere + 1] = not page.kept[what] and what or nil
  end
  if nowhere[1] then
    page:paragraph(("not shown at this width (see --width): %s"):format(
      table.concat(nowhere, ", ")), { style = "dim" })
  end
  page:gap()
  for _, one in ipairs(made.gates or {}) do
    page:paragraph(one.text, { name = one.name, style = one.style,
      hanging = INDENT })
  end
  page:paragraph(made.closing.text, { style = made.closing.style })
  if made.next_step then -- the command is one line, to be copied
    page:gap()
    page:paragraph(("Next, %s:"):format(made.next_step.why))
    page:add((" "):rep(INDENT) .. page:plain(escape.visible(
      made.next_step.command)))
  end
  return table.concat(page, "\n") .. "\n"
end

return text
