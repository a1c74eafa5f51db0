-- Folded stacks, as flamegraph.pl, inferno and speedscope read them: a line per
-- call stack, its frames joined by ';', then a count. What is counted is the
-- option 'by': instructions, or else bytes, allocs or freed_bytes. Counts are
-- of several calls, for these tools want whole numbers.
local escape = require "tare.report.escape"
local flame = require "tare.report.flame"
local lists = require "tare.base.lists"

local folded = {}

-- Of slow functions one call is profiled, of others 16: how long a call takes
-- decides. Counts are of 16 calls, so that a file has one unit, and is the same
-- on a machine that is slower for a moment.
local CALLS = require("tare.base.passes").COUNTED_CALLS

local COUNTS = { instructions = true, bytes = true, allocs = true,
  freed_bytes = true }

-- What ends a frame or a line in this format can't be in a name.
local function plain(text) return (text:gsub("[;%z\1-\31\127]", "_")) end

--- Folded stacks of all results that have a profile; of several, each begins
--- with the id.
---@param options { by: string? }?
---@return string? text
---@return string? message
function folded.render(report, options)
  local by = options and options.by or "instructions"
  if not COUNTS[by] then
    return nil, ("by: '%s' is not one of %s"):format(escape.visible(by),
      table.concat(lists.keys(COUNTS), ", "))
  end
  local out, has_any = {}, false
  for _, result in ipairs(report.results) do
    local profile = result.profile
    if profile and profile.stacks then
      local calls = profile.calls == 1 and CALLS or profile.calls
      has_any = true
      local prefix = #report.results > 1 and plain(result.id) .. ";" or ""
      for _, stack in ipairs(flame.stacks(profile, by)) do
        local names = {}
        for i, frame in ipairs(stack.frames) do names[i] = plain(frame.name) end
        out[#out + 1] = ("%s%s %.0f\n"):format(prefix,
          table.concat(names, ";"), stack.value * calls)
      end
    end
  end
  if not has_any then
    return nil, "there is no profile in it: measure with --profile"
  end
  return table.concat(out)
end

return folded
