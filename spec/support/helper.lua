-- Loaded by busted before the specs.
local assert = require "luassert"
local say = require "say"

-- busted forgets what a spec file has loaded. Loaded a second time, luv goes on
-- with the event loop of the first, whose memory the collector has freed.
pcall(require, "luv")

-- assert.near_relative(expected, actual, tolerance)
local function near_relative(_, arguments)
  local expected, actual, tolerance = arguments[1], arguments[2], arguments[3]
  if type(actual) ~= "number" or actual ~= actual then return false end
  local scale = math.max(math.abs(expected), 1e-300)
  return math.abs(actual - expected) <= tolerance * scale
end

say:set("assertion.near_relative",
  "Expected about:\n%s\nbut got:\n%s\nwith relative tolerance:\n%s")
assert:register("assertion", "near_relative", near_relative,
  "assertion.near_relative")
