-- Prints a document as GitHub's Markdown: for pull requests and job summaries.
local document = require "tare.report.document"
local escape = require "tare.report.escape"

local markdown = {}

local NO_BREAK = "\194\160" -- a blank that is not run together with others
local RULE = { left = ":--", right = "--:" }
local SIGNS = { ["*"] = "bold: " } -- which are no signs here

local md = escape.markdown

local function row(texts) return "| " .. table.concat(texts, " | ") .. " |" end

local function cell_text(cell, key)
  local text = cell.more and cell.text .. " " .. cell.more or cell.text
  -- Blanks of a histogram are bins, and figures keep to their units.
  if key == "distribution" then return (text:gsub(" ", NO_BREAK)) end
  text = md(text)
  local mark, is_best = (cell.mark or ""):gsub("%*", "")
  if is_best > 0 then text = "**" .. text .. "**" end
  return mark ~= "" and text .. " " .. md(mark) or text
end

-- Remembers for the legend what intervals texts have.
local function note(out, parts)
  for _, part in ipairs(parts) do document.note(out.shown, part) end
end

local function add_table(out, section)
  local made, shown = section.table, out.shown
  local titles, rules = {}, {}
  for i, column in ipairs(made.columns) do
    titles[i] = md(column.title)
    rules[i] = RULE[column.align]
    document.note_column(shown, section, column.key)
  end
  out[#out + 1], out[#out + 2] = row(titles), row(rules)
  for _, line in ipairs(made.rows) do
    local texts = {}
    for i, column in ipairs(made.columns) do
      local cell = line.cells[i] or { text = "" }
      texts[i] = cell_text(cell, column.key)
      document.note(shown, cell, column.key)
    end
    if line.mark then texts[1] = texts[1] .. " " .. md(line.mark) end
    document.note_mark(shown, line.mark)
    out[#out + 1] = row(texts)
  end
  out[#out + 1] = ""
  if made.legend then
    note(out, made.legend)
    out[#out + 1], out[#out + 2] = md(document.table_legend(made, SIGNS)), ""
  end
end

local function add_list(out, items)
  for _, item in ipairs(items) do out[#out + 1] = "- " .. item end
  if items[1] then out[#out + 1] = "" end
end

local function named(list)
  local items = {}
  for i, one in ipairs(list or {}) do
    items[i] = ("**%s** %s"):format(md((one.mark and one.mark .. " " or "")
      .. one.name), md(one.text))
  end
  return items
end

local function add_section(out, section)
  if section.title ~= "" then
    out[#out + 1], out[#out + 2] = "## " .. md(section.title), ""
  end
  if section.card then
    local items = {}
    for i, phrases in ipairs(section.card.lines) do
      items[i] = md(table.concat(phrases, ", "))
    end
    note(out, { section.card })
    add_list(out, items)
  end
  if section.table then add_table(out, section) end
  note(out, section.sentences or {})
  note(out, section.laws or {})
  local items = {}
  for _, sentence in ipairs(section.sentences or {}) do
    items[#items + 1] = not sentence.in_table and md(sentence.text) or nil
  end
  for _, law in ipairs(section.laws or {}) do
    items[#items + 1] = md(law.text)
  end
  add_list(out, items)
end

--- Prints a Report as Markdown. Options: those of tare.report.document.
---@param options table?
---@return string? text
---@return string? message
function markdown.render(report, options)
  local made, message = document.of(report, options)
  if not made then return nil, message end
  local out = { shown = {} }
  if made.head[1] then
    out[1], out[2] = md(table.concat(made.head, ", ")), ""
  end
  local legend_at = #out + 1
  for _, line in ipairs { made.machine or false, made.interrupted or false } do
    if line then out[#out + 1], out[#out + 2] = md(line), "" end
  end
  if made.failures[1] then
    out[#out + 1], out[#out + 2] = "## Failed", ""
    add_list(out, named(made.failures))
  end
  for _, section in ipairs(made.sections) do add_section(out, section) end
  if made.notes[1] then
    out[#out + 1], out[#out + 2] = "## Notes", ""
    add_list(out, named(made.notes))
  end
  if made.explanations then
    out[#out + 1], out[#out + 2] = "## What the columns mean", ""
    add_list(out, named(made.explanations))
  end
  add_list(out, named(made.gates))
  out[#out + 1] = "**" .. md(made.closing.text) .. "**"
  if made.next_step then
    out[#out + 1], out[#out + 2] = "", md(("Next, %s: %s"):format(
      made.next_step.why, made.next_step.command))
  end
  note(out, made.failures)
  note(out, made.gates or {})
  local legend = document.legend(made, out.shown)
  if legend[1] then
    table.insert(out, legend_at, md(table.concat(legend, "; ")) .. "\n")
  end
  return table.concat(out, "\n") .. "\n"
end

return markdown
