-- Launches whose values lie in clusters: a compiler's traces or the layout of
-- memory have a few outcomes, of which each process draws one. Then the values
-- of the clusters are the truth, and their mean is not. A stored report calls
-- them 'groups'; they are no groups of benches.
local clusters = {}

-- Fewer launches show no clusters.
local FEWEST_LAUNCHES = 5
-- A gap between launches parts clusters where it is so wide (of the value), and
-- so many times as wide as the widest gap within the clusters that it makes:
-- less happens by chance in one of ten normal samples.
local LEAST_GAP, CLEAR = 0.02, 4
-- One launch alone may be an accident, unless it is as far off as that.
local FAR = 0.1

local function mean_of(list, i, j)
  local sum = 0
  for k = i, j do sum = sum + list[k] end
  return sum / (j - i + 1)
end

-- The gaps between ascending values that part them into clusters: the widest,
-- as long as the next one is far narrower.
local function borders_of(sorted)
  local gaps = {}
  for i = 1, #sorted - 1 do
    gaps[i] = { at = i, size = math.log(sorted[i + 1] / sorted[i]) }
  end
  table.sort(gaps, function(a, b) return a.size > b.size end)
  local borders = {}
  for i, gap in ipairs(gaps) do
    if gap.size < LEAST_GAP then break end
    borders[i] = gap.at
    local next_gap = gaps[i + 1] and gaps[i + 1].size or 0
    if gap.size >= CLEAR * next_gap then
      table.sort(borders)
      return borders, gap.size
    end
  end
  return {}
end

--- The clusters that launches fall into, the largest first; nil where they are
--- one.
---@param values number[] what each launch found
---@return { share: number, value: number }[]?
function clusters.of(values)
  if #values < FEWEST_LAUNCHES then return nil end
  local sorted = {}
  for i, value in ipairs(values) do sorted[i] = value end
  table.sort(sorted)
  if sorted[1] <= 0 then return nil end
  local borders, least_gap = borders_of(sorted)
  if #borders == 0 or #borders + 1 > #sorted / 2 then return nil end
  local found, from, of_several = {}, 1, 0
  borders[#borders + 1] = #sorted
  for i, to in ipairs(borders) do
    found[i] = { share = (to - from + 1) / #sorted,
      value = mean_of(sorted, from, to) }
    if to > from then of_several = of_several + 1 end
    from = to + 1
  end
  if of_several < 1 or (of_several < 2 and least_gap < FAR) then return nil end
  table.sort(found, function(a, b)
    if a.share ~= b.share then return a.share > b.share end
    return a.value < b.value
  end)
  return found
end

return clusters
