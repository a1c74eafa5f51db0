-- How many digits numbers that stand side by side are shown with.
local digits = {}

local FEWEST = 3

--- The fewest digits with which texts tell numbers apart.
---@param most integer that it may take, whether they do or not
---@param tells fun(count: integer): boolean
---@return integer
function digits.fewest(most, tells)
  for count = FEWEST, most - 1 do
    if tells(count) then return count end
  end
  return most
end

return digits
