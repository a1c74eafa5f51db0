-- Names for formats that take each name once.
local unique = {}

--- A function that gives each name back the first time, and with " (2)",
--- " (3)" after it from then on; an empty one is called "bench".
---@return fun(name: string): string
function unique.names()
  local taken = {}
  return function(name)
    if name == "" then name = "bench" end
    local candidate, count = name, 1
    while taken[candidate] do
      count = count + 1
      candidate = ("%s (%d)"):format(name, count)
    end
    taken[candidate] = true
    return candidate
  end
end

return unique
