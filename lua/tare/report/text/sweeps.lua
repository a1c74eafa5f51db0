-- Sweeps in the report of the terminal: a plot, what it says in words, and a
-- table with a column an alternative.
local fit = require "tare.report.fit"
local layout = require "tare.report.table"
local Page = require "tare.report.page"
local pivot = require "tare.report.pivot"
local sentences = require "tare.report.sentences"
local sketch = require "tare.report.sketch"
local width = require "tare.report.width"

local sweeps = {}

local INDENT = Page.INDENT
local LEAST = "* the least of its row"

local function add_pivot(page, sweep)
  local list = {}
  for i, column in ipairs(pivot.columns(sweep)) do
    if page.width then
      column.title = fit.names({ column.title }, page.width, page.ellipsis)[1]
    end
    list[i] = layout.measure(column)
  end
  local blocks = page.width and fit.split(list, page.width, INDENT) or { list }
  for _, block in ipairs(blocks) do
    page:lines(layout.lines(block, INDENT, page.style), 0)
  end
  for _, line in ipairs(#list > 2 and width.wrap(LEAST, page:room()) or {}) do
    page:lines({ page.style(line, "dim") }, INDENT)
  end
end

--- Adds what a report says of growth.
---@param page table
---@param report table
---@param options { ascii: boolean? }
function sweeps.add_to(page, report, options)
  for _, sweep in ipairs(report.sweeps or {}) do
    page:title(sentences.sweep_title(sweep))
    page:lines(sketch.sweep(sweep,
      { width = page:room(), ascii = options.ascii }), INDENT)
    for _, line in ipairs(sentences.sweep(sweep, options.ascii)) do
      page:lines(width.wrap(line, page:room()), INDENT)
    end
    page:add ""
    add_pivot(page, sweep)
    page:add ""
  end
end

return sweeps
