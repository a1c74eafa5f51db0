-- The public functions that there are at run time: a walk over what `require`
-- gives, and the methods of what those functions return.
local public = {}

-- What stands in the table of the methods, but makes objects.
local CONSTRUCTORS = { new = true, is = true, compare = true, cells = true,
  settings = true }

local function walk(found, name, sign, members, constructors)
  for key, value in pairs(members) do
    local is_own = type(key) == "string" and not key:find "^_"
      and not (constructors and CONSTRUCTORS[key])
    if is_own and type(value) == "function" then
      found[name .. sign .. key] = value
    end
  end
end

-- The metatables of the core's userdata stand in the registry.
local USERDATA = { ["tare.Samples"] = "tare.samples",
  ["tare.Meter"] = "tare.meter", ["tare.Pacer"] = "tare.pacer",
  ["tare.Watch"] = "tare.gcwatch", ["tare.Counters"] = "tare.perf",
  ["tare.Deadline"] = "tare.deadline", ["tare.Link"] = "tare.link" }

--- Every public function by its full name: "tare.measure",
--- "tare.Suite:bench"...
---@return table<string, function>
function public.functions()
  local tare, core = require "tare", require "tare.core"
  local found, suite = {}, tare.suite "s"
  walk(found, "tare", ".", tare)
  walk(found, "tare.core", ".", core)
  walk(found, "tare.stats", ".", core.stats)
  walk(found, "tare.Suite", ":", getmetatable(suite).__index, true)
  walk(found, "tare.Session", ":", getmetatable(tare.session(suite)).__index,
    true)
  walk(found, "tare.Frames", ":", getmetatable(tare.frames {}).__index, true)
  local policy = tare.frames.policy "automatic"
  walk(found, "tare.Policy", ":", getmetatable(policy).__index, true)
  policy:close()
  walk(found, "tare.frames", ".", tare.frames)
  -- A table that can be called.
  found["tare.frames"] = function(fn, given) return tare.frames(fn, given) end
  local probed = tare.instrument({ f = walk }, "f")
  walk(found, "tare.Instrument", ":", getmetatable(probed).__index, true)
  for class, name in pairs(USERDATA) do
    walk(found, class, ":", debug.getregistry()[name].__index)
  end
  walk(found, "tare.lite", ".", require "tare.lite")
  public.assertions(found)
  return found
end

--- The assertions that tare.assert adds.
function public.assertions(found)
  require "tare.assert"
  local known = require "luassert.namespaces".assertion
  for _, entry in pairs(known) do
    local info = debug.getinfo(entry.callback, "S")
    if info.source:find "tare/assert%.lua$" then
      found["luassert." .. entry.name] = entry.callback
    end
  end
end

return public
