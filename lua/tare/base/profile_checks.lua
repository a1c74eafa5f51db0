-- Checks of what --profile adds to a result, which has it as the worker found
-- it: the profile, and LuaJIT's traces.
local checks = require "tare.base.checks"

local any_number, any_text, any_flag = checks.number, checks.text, checks.flag
local list, numbers, object = checks.list, checks.numbers, checks.object

local COUNTED = { instructions = true, allocs = true, bytes = true,
  freed_bytes = true }

-- Something of a profile, with what was counted of it.
local function counted(fields, required)
  local all = {}
  for name in pairs(COUNTED) do
    fields[name], all[name] = any_number, true
  end
  for _, name in ipairs(required) do all[name] = true end
  return object(fields, all)
end

local PROFILE = object({ calls = any_number, id = any_text,
  interpreted = any_flag,
  lines = list(counted({ source = any_text, line = any_number },
    { "source", "line" })),
  functions = list(counted({ name = any_text, source = any_text,
    line = any_number, calls = any_number, ns = any_number },
    { "name", "calls" })),
  frames = list(object({ name = any_text, source = any_text,
    line = any_number }, { name = true })),
  stacks = list(counted({ frames = numbers, calls = any_number,
    ns = any_number },
    { "frames" })),
  sources = list(object({ source = any_text, from = any_number,
    text = list(any_text) }, { source = true, from = true, text = true })),
}, { lines = true })

local TRACES = object { compiled = any_number, aborted = any_number,
  aborts = list(object { reason = any_text, source = any_text,
    line = any_number, count = any_number, bytecode = any_text,
    blacklisted = any_flag }), side = any_number,
  roots = list(object({ source = any_text, line = any_number,
    traces = any_number, side = any_number, exits = any_number,
    taken = any_number }, { source = true, line = true, traces = true,
    side = true, exits = true, taken = true })),
  sampled = object { samples = any_number, compiled = any_number,
    lines = list(object({ source = any_text, line = any_number,
      share = any_number }, { source = true, line = true, share = true })) }
}

return { profile = PROFILE, traces = TRACES }
