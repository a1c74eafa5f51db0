-- Fits a table to the width of a terminal.
local columns = require "tare.report.columns"
local layout = require "tare.report.table"
local width = require "tare.report.width"

local fit = {}

local NARROWEST_NAME = 6
local WIDEST_NAME = 100
local FIGURE = 14 -- columns that the indent and a first figure take

--- Leaves out columns, the least telling first, until the rest fits; the
--- first two stay.
---@param list table[] of layout.measure, each with its 'key'
---@param columns_free integer columns of the terminal
---@param indent integer
---@return table[] kept
---@return string[] dropped titles
function fit.drop(list, columns_free, indent)
  local ranks, kept, dropped = columns.ranks(), {}, {}
  for i, column in ipairs(list) do kept[i] = column end
  while #kept > 2 and layout.width(kept, indent) > columns_free do
    local worst = 3
    for i = 4, #kept do
      if (ranks[kept[i].key] or 0) < (ranks[kept[worst].key] or 0) then
        worst = i
      end
    end
    dropped[#dropped + 1] = table.remove(kept, worst).title
  end
  return kept, dropped
end

--- As many tables as it takes to show every column, each with the first.
---@param list table[] of layout.measure
---@param columns_free integer
---@param indent integer
---@return table[][] tables
function fit.split(list, columns_free, indent)
  local blocks, block = {}, { list[1] }
  for i = 2, #list do
    block[#block + 1] = list[i]
    if #block > 2 and layout.width(block, indent) > columns_free then
      block[#block] = nil
      blocks[#blocks + 1], block = block, { list[1], list[i] }
    end
  end
  blocks[#blocks + 1] = block
  return blocks
end

--- Columns for names in a pipe, where lines may have any length: those of the
--- longest, but a name that is longer than most tables moves only its own row.
---@param column table of layout.measure
---@return integer
function fit.name_size(column)
  local size = width.of(column.title)
  for _, cell in ipairs(column.cells) do
    local own = width.of(type(cell) == "table" and cell[1] or cell)
    if own <= WIDEST_NAME then size = math.max(size, own) end
  end
  return math.min(size, column.size)
end

--- Shortens names that would take more than half of the width, or leave no
--- room for a figure.
---@param cells table strings or { text, style }
---@param columns_free integer
---@param ellipsis string
---@return table cells
function fit.names(cells, columns_free, ellipsis)
  local room = math.max(NARROWEST_NAME, math.min(math.floor(columns_free / 2),
    columns_free - FIGURE))
  local cut = {}
  for i, cell in ipairs(cells) do
    cut[i] = type(cell) == "table"
      and { width.squeeze(cell[1], room, ellipsis), cell[2] }
      or width.squeeze(cell, room, ellipsis)
  end
  return cut
end

return fit
