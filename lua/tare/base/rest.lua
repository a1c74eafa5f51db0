-- Places where a long computation may be set aside. A host's session analyses a
-- little in each of its steps, in a coroutine; everywhere else the same code
-- goes on without a pause. Not to be called in a function that a C function
-- calls (table.sort, pcall): Lua 5.1 can't be set aside there.
local coroutine = require("tare.base.compat").coroutine

local rest = {}

local may_rest = setmetatable({}, { __mode = "k" }) -- coroutines

--- A coroutine that is set aside at each of these places that it comes to.
---@param f function
---@return thread
function rest.coroutine(f)
  local made = coroutine.create(f)
  may_rest[made] = true
  return made
end

--- Such a place.
function rest.here()
  local running = coroutine.running() -- none in the main thread of 5.1
  if running and may_rest[running] then coroutine.yield() end
end

return rest
