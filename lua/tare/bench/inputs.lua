-- What a bench with 'before_each' or 'after_each' is given, and gives, in the
-- calls of a batch: made before it and kept alive over it, one a call.
local Inputs = {}
Inputs.__index = Inputs

--- Inputs of a bench.
---@param spec table of the bench
---@param values table the cell's parameters
---@param calls table
---@return table? inputs nil where the bench has neither hook
function Inputs.new(spec, values, calls)
  if not (spec.before_each or spec.after_each) then return nil end
  return setmetatable({ make = spec.before_each, take = spec.after_each,
    values = values, calls = calls, list = {}, results = {} }, Inputs)
end

--- Makes the inputs of so many calls.
---@param iters integer
---@return true?
---@return string? message
function Inputs:fill(iters)
  for i = 1, iters do
    local ok, input = true, nil
    if self.make then ok, input = self.calls:try(self.make, self.values) end
    if not ok then return nil, input end
    self.list[i], self.results[i] = input, false
  end
  return true
end

--- Lets go of them, and of what the calls returned.
---@param iters integer
---@return true?
---@return string? message
function Inputs:release(iters)
  for i = 1, iters do
    local result = self.results[i]
    self.list[i], self.results[i] = nil, nil
    if self.take then
      local ok, message = self.calls:try(self.take, result, self.values)
      if not ok then return nil, message end
    end
  end
  return true
end

return Inputs
