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

if package.config:sub(1, 1) == "\\" then -- see spec/support/command.lua
  require "busted".subscribe({ "test", "start" }, function(element)
    require("spec.support.command").pending = element.env
      and element.env.pending
    return nil, true
  end)
end

-- In CI nothing is left out for want of a tool: .ci/deps.sh installs them all,
-- and a spec that is pending nevertheless fails. What no package gives is here,
-- by words of its reason; it is printed, and does not fail.
local NOT_INSTALLED_BY_ANYONE = {
  "reading of counters", -- virtual machines have none
  "unoptimised build", -- a choice of the build
  "right to mount a disk", -- needs root
  "the benches have no luv", -- those of 5.5, see .ci/versions.sh
  "the workers are of another Lua", -- so are these
  "counts its collector", "TARE_COUNTING_LUA", -- built from source
  "skipped: no ../shared", -- data beside the checkout
  "needs a shell", "no timer for that here", -- Windows has none
}

local function may_be_pending(reason)
  for _, words in ipairs(NOT_INSTALLED_BY_ANYONE) do
    if reason:find(words, 1, true) then return true end
  end
  return false
end

local in_ci = os.getenv "CI"
if in_ci and in_ci ~= "" and in_ci ~= "0" and in_ci ~= "false" then
  require "busted".subscribe({ "test", "start" }, function(element)
    if element.descriptor == "pending" and not may_be_pending(element.name) then
      error("pending in CI: " .. element.name, 0)
    end
    local left_out = element.env and element.env.pending
    if left_out then
      function element.env.pending(reason)
        if may_be_pending(reason) then return left_out(reason) end
        error("pending in CI: " .. reason, 0)
      end
    end
    return nil, true
  end)
end
