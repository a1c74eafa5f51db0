-- Which cells are measured at the same time. What is compared stays together,
-- so that ratios are of neighbours.
local lists = require "tare.base.lists"

local parts = {}

-- Benches of one group that have no baseline are compared with nothing: so
-- many of them need not stay together.
local MANY = 32

local function compared_key(cell) return cell.compared end

local function has_baseline(group)
  for _, cell in ipairs(group) do if cell.baseline then return true end end
  return false
end

-- Groups of many that nothing is compared in, cell by cell.
local function loosened(groups)
  local list = {}
  for _, group in ipairs(groups) do
    if #group <= MANY or has_baseline(group) then
      list[#list + 1] = group
    else
      for _, cell in ipairs(group) do list[#list + 1] = { cell } end
    end
  end
  return list
end

--- The quota of a cell: its own, its bench's, or the run's.
---@param cell table
---@param settings table of the run
---@return { ns: number? }|{ calls: number? }
function parts.quota(cell, settings)
  return (cell.settings or {}).quota or cell.spec.options.quota
    or settings.quota
end

-- Nanoseconds that a group may take; 0 where only its calls are limited.
local function quota_ns(group, settings)
  local total = 0
  for _, cell in ipairs(group) do
    total = total + (parts.quota(cell, settings).ns or 0)
  end
  return total
end

--- Whole comparison groups, as many as fit into a part; one alone where it is
--- larger than that. A group of many without a baseline counts as cells that
--- are not compared, unless 'whole'.
---@param cells table[] of suite:cells()
---@param settings table resolved options
---@param most { cells: integer, ns: number, whole: boolean? } of a part; ns by
---  their quotas
---@return table[][][] parts of groups of cells
function parts.of(cells, settings, most)
  local list, current, count, spent_ns = {}, nil, 0, 0
  local groups = lists.grouped(cells, compared_key)
  if not most.whole and not settings.agree then groups = loosened(groups) end
  for _, group in ipairs(groups) do
    local ns = quota_ns(group, settings)
    if not current or count + #group > most.cells
      or spent_ns + ns > most.ns then
      current, count, spent_ns = {}, 0, 0
      list[#list + 1] = current
    end
    current[#current + 1] = group
    count, spent_ns = count + #group, spent_ns + ns
  end
  return list
end

return parts
