-- dkjson in the place of cjson, for specs of interpreters that have no cjson.
local dkjson = require "dkjson"
local cjson = {
  null = dkjson.null,
  encode = dkjson.encode,
  decode = function(text)
    local value, _, why = dkjson.decode(text, 1, dkjson.null)
    if why then error(why, 0) end
    return value
  end,
}
function cjson.new() return cjson end
-- its settings are of limits that dkjson does not have
return setmetatable(cjson, { __index = function() return function() end end })
