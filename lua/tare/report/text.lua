-- The report of the terminal: tables by suite, plots, verdicts and advice.
local boxes = require "tare.report.boxes"
local escape = require "tare.report.escape"
local fit = require "tare.report.fit"
local groups = require "tare.report.groups"
local layout = require "tare.report.table"
local notes = require "tare.report.notes"
local Page = require "tare.report.page"
local plain = require "tare.report.text.plain"
local sentences = require "tare.report.sentences"
local sweeps = require "tare.report.text.sweeps"
local tabulate = require "tare.report.tabulate"
local width = require "tare.report.width"

local text = {}

local INDENT = Page.INDENT
local OF_VERDICT = { faster = "good", slower = "bad" }

local function measured(made, section, page)
  local list, first = {}, made[1]
  if section.title ~= "" then first.title = escape.visible(section.title) end
  if page.width then
    first.cells = fit.names(first.cells, page.width, page.ellipsis)
    first.title = fit.names({ first.title }, page.width, page.ellipsis)[1]
  end
  for i, column in ipairs(made) do
    list[i] = layout.measure(column)
    list[i].key = column.key
  end
  if not page.width then list[1].size = fit.name_size(list[1]) end
  return list
end

-- Titles that were dropped, once each.
local function remember(dropped, titles)
  for _, title in ipairs(titles) do
    if not dropped[title] then
      dropped[title], dropped[#dropped + 1] = true, title
    end
  end
end

local function add_section(page, section, context, dropped)
  local list = measured(tabulate.section(section, context), section, page)
  local blocks = { list }
  if page.width and context.explicit then
    blocks = fit.split(list, page.width, INDENT)
  elseif page.width then
    local titles
    blocks[1], titles = fit.drop(list, page.width, INDENT)
    remember(dropped, titles)
  end
  for _, block in ipairs(blocks) do
    page:lines(layout.lines(block, INDENT, page.style), 0)
    page:add ""
  end
end

local function add_tables(page, report, context)
  local dropped = {}
  for _, section in ipairs(groups.sections(report.results)) do
    add_section(page, section, context, dropped)
  end
  if #dropped > 0 then
    page:paragraph("Left out for the width:", "dim",
      table.concat(dropped, ", ") .. " (--columns shows them).")
    page:add ""
  end
end

local function add_boxes(page, report, options)
  for _, set in ipairs(groups.alternatives(report)) do
    local lines = boxes.results(set.results, set.title,
      { width = page:room(), ascii = options.ascii })
    if #lines > 0 then
      page:title(escape.visible(set.name))
      page:lines(lines, INDENT)
      page:add ""
    end
  end
end

local function add_sentences(page, list)
  for _, sentence in ipairs(list) do
    local lines = width.wrap(sentence.text, page:room())
    for i, line in ipairs(lines) do
      lines[i] = page.style(line, OF_VERDICT[sentence.verdict] or "plain")
    end
    page:lines(lines, INDENT)
  end
end

local function add_comparisons(page, report, options)
  for _, set in ipairs(sentences.sets(report.comparisons or {})) do
    page:title(set.title)
    local lines = boxes.ratios(set.list, { width = page:room(),
      ascii = options.ascii, label = set.label })
    page:lines(lines, INDENT)
    if #lines > 0 then page:add "" end
    add_sentences(page, set.sentences)
    page:add ""
  end
end

local function add_explanations(page, context)
  page:add(page.style("What the columns say", "title"))
  for _, column in ipairs(context.chosen) do
    local title = column.title
    if type(title) == "function" then title = title(context) end
    page:paragraph((" "):rep(INDENT) .. title .. ":", "title", column.explain)
  end
  page:add ""
end

local function add_notes(page, report, told)
  for _, warning in ipairs(notes.warnings(report)) do
    page:paragraph(("warning: %s (%s)."):format(warning.title,
      warning.benches), "warn", warning.advice or "")
  end
  for _, failed in ipairs(notes.errors(report)) do
    page:paragraph("failed:", "bad", failed.bench .. ": " .. failed.message)
  end
  for _, failure in ipairs(told.failures or {}) do
    page:paragraph("gate:", "bad", escape.visible(failure.message))
  end
  for _, note in ipairs(told.notes or {}) do
    page:paragraph("note:", "dim", escape.visible(note))
  end
end

--- Renders a Report for a terminal. 'width' nil is that of a pipe: no limit.
--- 'plots = false' leaves out the plots.
---@param report table
---@param options { columns: string|string[]|nil, sort: string?, width:
---  integer?, color: boolean?, ascii: boolean?, explain: boolean?, plots:
---  boolean?, failures: table[]?, notes: string[]? }?
---@return string? text
---@return string? message where columns or sort name what there is not
function text.render(report, options)
  options = options or {}
  report = plain.copy(report, options.ascii)
  local context, message = tabulate.context(report, options)
  if not context then return nil, message end
  local page = Page.new(options)
  local told = plain.copy({ failures = options.failures,
    notes = options.notes }, options.ascii)
  local machine = table.concat(notes.machine(report.env), " | ")
  if machine ~= "" then
    page:lines(width.wrap(machine, page.width), 0)
    page:add ""
  end
  add_tables(page, report, context)
  if options.plots ~= false then
    sweeps.add_to(page, report, options)
    add_boxes(page, report, options)
  end
  add_comparisons(page, report, options)
  if options.explain then add_explanations(page, context) end
  add_notes(page, report, told)
  page:add(notes.summary(report, told.failures))
  return page:text()
end

return text
