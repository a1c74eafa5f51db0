-- What a call of a bench processes, so that rates can be told.
local throughput = {}

--- Amounts a call; a function in the spec is asked with the parameters.
---@param fixture table
---@return table? amounts {bytes =} or {items =}
function throughput.of(fixture)
  local known = {}
  for name, amount in pairs(fixture.spec.throughput or {}) do
    local ok = true
    if type(amount) == "function" then
      ok, amount = fixture.calls:try(amount, fixture.values)
    end
    if ok and type(amount) == "number" then known[name] = amount end
  end
  return next(known) and known
end

return throughput
