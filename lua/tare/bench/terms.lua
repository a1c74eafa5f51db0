-- The terms that a cell is measured on: the settings of the run, under those of
-- the bench, under those of the cell.
local terms = {}

--- All settings of a cell.
---@param cell table one of suite:cells()
---@param settings table resolved options of the run
---@return table options
function terms.options(cell, settings)
  local all = {}
  for _, given in ipairs { settings, cell.spec.options, cell.settings } do
    for name, value in pairs(given) do all[name] = value end
  end
  return all
end

--- The kind of loop that a cell has. What the run asks for says nothing of
--- benches that can't have it: a function 'batch' loops itself, and one without
--- does not. What a bench asks for itself is taken at its word.
---@param cell table
---@param settings table resolved options of the run
---@return "inline"|"call"|"batch"
function terms.loop(cell, settings)
  local own = cell.settings.loop or cell.spec.options.loop
  if own then return own end
  if cell.spec.batch then return "batch" end
  return settings.loop ~= "batch" and settings.loop or "inline"
end

--- Why a cell can't have such a loop; nil where it can.
---@param cell table
---@param kind string
---@return string? message
function terms.refusal(cell, kind)
  if kind == "batch" and not cell.spec.batch then
    return "the loop kind 'batch' needs a function 'batch'"
  elseif kind ~= "batch" and cell.spec.batch then
    return ("'batch' loops itself: its loop kind can't be '%s'"):format(kind)
  end
end

--- How results name the loop of a fixture: an unrolled one is another, for its
--- figures are not those of a plain one.
---@param fixture table
---@return string
function terms.loop_name(fixture)
  local kind, unroll = fixture.kind, fixture.unroll
  return kind == "inline" and unroll > 1 and kind .. "*" .. unroll or kind
end

return terms
