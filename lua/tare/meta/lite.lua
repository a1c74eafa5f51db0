---@meta tare.lite
-- `require "tare.lite"`, or the text of that one file, loaded as a host loads
-- text: measuring without C, in Lua 5.1 to 5.5, LuaJIT and Luau.

---@class tare.lite
local lite = {}

---A function to be measured.
---@class tare.lite.Bench
---@field name string the last part of its id
---@field run fun(): any called without arguments
---@field baseline boolean? others are compared with it

---Measures functions and compares them, with the collector as it is set.
---Raises where a name, a function or the clock is missing, two names are the
---same, or an option is impossible.
---@param suite string the name that all ids begin with
---@param benches tare.lite.Bench[] in their order
---@param options table? clock (a function that returns seconds; os.clock),
---quota (seconds for each bench; 1), seed (a whole number; 1)
---@return string report JSON, for 'tare report'
function lite.run(suite, benches, options) end

return lite
