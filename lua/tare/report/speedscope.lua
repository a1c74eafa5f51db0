-- Profiles as speedscope.app opens them: for each result one of instructions,
-- one of allocations and one of bytes, per call.
local flame = require "tare.report.flame"
local json = require "tare.base.json"

local speedscope = {}

local SCHEMA = "https://www.speedscope.app/file-format-schema.json"
local WEIGHTS = { { "instructions", "none" }, { "allocs", "none" },
  { "bytes", "bytes" } }

-- The place, from 0, of a frame among all frames of the file, each there once.
local function place_of(shared, frame)
  local key = ("%s\0%s"):format(frame.name, frame.source or "")
  if not shared.places[key] then
    shared.places[key] = #shared.list
    shared.list[#shared.list + 1] = { name = frame.name, file = frame.source,
      line = frame.line }
  end
  return shared.places[key]
end

local function profile_of(result, shared, weight, unit)
  local samples, weights, total = {}, {}, 0
  for i, stack in ipairs(flame.stacks(result.profile, weight)) do
    samples[i], weights[i] = {}, stack.value
    for k, frame in ipairs(stack.frames) do
      samples[i][k] = place_of(shared, frame)
    end
    total = total + stack.value
  end
  if total == 0 then return nil end
  return { type = "sampled", name = ("%s: %s per call"):format(result.id,
    weight == "allocs" and "allocations" or weight), unit = unit,
    startValue = 0, endValue = total, samples = samples, weights = weights }
end

--- A file for speedscope of all results that have a profile.
---@return string? text
---@return string? message
function speedscope.render(report)
  local shared, profiles = { list = {}, places = {} }, {}
  for _, result in ipairs(report.results) do
    if result.profile and result.profile.stacks then
      for _, weight in ipairs(WEIGHTS) do
        profiles[#profiles + 1] = profile_of(result, shared, weight[1],
          weight[2])
      end
    end
  end
  if #profiles == 0 then
    return nil, "there is no profile in it: measure with --profile"
  end
  return json.encode { ["$schema"] = SCHEMA, exporter = "tare",
    shared = { frames = shared.list }, profiles = profiles,
    activeProfileIndex = 0 } .. "\n"
end

return speedscope
