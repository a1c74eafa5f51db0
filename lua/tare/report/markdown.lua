-- The report as GitHub's Markdown: for pull requests and job summaries.
local escape = require "tare.report.escape"
local groups = require "tare.report.groups"
local notes = require "tare.report.notes"
local pivot = require "tare.report.pivot"
local sentences = require "tare.report.sentences"
local tabulate = require "tare.report.tabulate"

local markdown = {}

local NO_BREAK = "\194\160" -- a blank that is not run together with others
local RULE = { left = ":--", right = "--:", decimal = "--:" }

local function row(texts) return "| " .. table.concat(texts, " | ") .. " |" end

-- Cells are made for terminals: their text is visible, but not yet escaped.
local function cell_text(cell, key)
  local text = type(cell) == "table" and cell[1] or cell
  if key == "histogram" then return (text:gsub(" ", NO_BREAK)) end
  return escape.markdown(text)
end

local function add_table(out, made)
  local titles, rules = {}, {}
  for i, column in ipairs(made) do
    titles[i], rules[i] = escape.markdown(column.title), RULE[column.align]
  end
  out[#out + 1], out[#out + 2] = row(titles), row(rules)
  for i = 1, #made[1].cells do
    local texts = {}
    for k, column in ipairs(made) do
      texts[k] = cell_text(column.cells[i], column.key)
    end
    out[#out + 1] = row(texts)
  end
  out[#out + 1] = ""
end

local function add_list(out, title, items)
  if #items == 0 then return end
  out[#out + 1], out[#out + 2] = "### " .. escape.markdown(title), ""
  for _, item in ipairs(items) do
    out[#out + 1] = "- " .. escape.markdown(item)
  end
  out[#out + 1] = ""
end

local function texts_of(list, field)
  local texts = {}
  for i, item in ipairs(list) do texts[i] = item[field] end
  return texts
end

local function warnings_of(report)
  local items = {}
  for i, warning in ipairs(notes.warnings(report)) do
    items[i] = ("%s (%s)%s"):format(warning.title, warning.benches,
      warning.advice and ": " .. warning.advice or "")
  end
  return items
end

local function errors_of(report)
  local items = {}
  for i, failed in ipairs(notes.errors(report)) do
    items[i] = failed.bench .. ": " .. failed.message
  end
  return items
end

local function explanations(context)
  local items = {}
  for i, column in ipairs(context.chosen) do
    local title = column.title
    if type(title) == "function" then title = title(context) end
    items[i] = title .. ": " .. column.explain
  end
  return items
end

local function add_lists(out, report, options, context)
  for _, sweep in ipairs(report.sweeps or {}) do
    add_list(out, sentences.sweep_title(sweep), sentences.sweep(sweep))
    add_table(out, pivot.columns(sweep))
  end
  for _, set in ipairs(sentences.sets(report.comparisons or {})) do
    add_list(out, set.title, texts_of(set.sentences, "text"))
  end
  add_list(out, "Gates not passed", texts_of(options.failures or {},
    "message"))
  add_list(out, "Failed", errors_of(report))
  add_list(out, "Warnings", warnings_of(report))
  add_list(out, "Notes", options.notes or {})
  if options.explain then
    add_list(out, "What the columns say", explanations(context))
  end
end

--- Options as of tare.report.text, without those of a terminal.
---@param report table
---@param options { columns: string|string[]|nil, sort: string?, explain:
---  boolean?, failures: table[]?, notes: string[]? }?
---@return string? text
---@return string? message
function markdown.render(report, options)
  options = options or {}
  local context, message = tabulate.context(report, options)
  if not context then return nil, message end
  local out = {}
  local machine = notes.machine(report.env)
  if #machine > 0 then
    out[1], out[2] = escape.markdown(table.concat(machine, ", ")), ""
  end
  for _, section in ipairs(groups.sections(report.results)) do
    if section.title ~= "" then
      out[#out + 1] = "## " .. escape.markdown(section.title)
      out[#out + 1] = ""
    end
    add_table(out, tabulate.section(section, context))
  end
  add_lists(out, report, options, context)
  out[#out + 1] = notes.summary(report, options.failures)
  return table.concat(out, "\n") .. "\n"
end

return markdown
