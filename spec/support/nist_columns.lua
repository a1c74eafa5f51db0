-- The columns of a set of NIST's linear datasets: as they stand, or powers.
local function powers(x, power)
  local columns = {}
  for p = 1, power do
    local column = {}
    for i = 1, #x do column[i] = (p == 1 and 1 or columns[p - 1][i]) * x[i] end
    columns[p] = column
  end
  return columns
end

---@param set table one of spec/data/nist_linear.lua
---@return number[][]
return function(set) return set.columns or powers(set.x, set.power) end
