-- --resume: what a stored report has is kept, what it lacks is measured.
local advice = require "tare.env.advice"
local lists = require "tare.base.lists"
local shards = require "tare.store.shards"
local store = require "tare.store"
local unicode = require "tare.base.unicode"

local resume = {}

-- A bench that was interrupted is measured again; one that failed is not.
local function is_finished(result)
  return not lists.has(result.warnings, "interrupted")
end

-- The environments of the report and of this run, and where this run's are
-- among them: what the report has no like of is added.
local function environments(stored, own)
  local envs, places = stored.envs or { stored.env }, {}
  for i, env in ipairs(own) do
    for place, known in ipairs(envs) do
      if #advice.differences(known, env) == 0 then
        places[i] = place
        break
      end
    end
    if not places[i] then envs[#envs + 1], places[i] = env, #envs + 1 end
  end
  return envs, places
end

--- What a stored report leaves to do.
---@param path string
---@param head table Report without results: options and env of this run
---@param cells table[]
---@return { head: table, cells: table[], sitting: integer?, env_places:
---  integer[], keep: fun(result: table): boolean }? rest the head that the
---  file is to have, the cells that are left, and what of the file is kept (see
---  tare.store.file)
---@return string? message
function resume.read(path, head, cells)
  local sources, finished, last_sitting, changed = {}, {}, 0, nil
  for _, cell in ipairs(cells) do sources[cell.id] = cell.source end

  -- what there is of results; those of another source can't be beside new ones
  local stored, message = store.walk(path, function(result)
    finished[result.id] = is_finished(result) or nil
    local now = sources[result.id]
    if finished[result.id] and now and result.source
      and now ~= result.source then
      changed = changed or result.id
    end
    last_sitting = math.max(last_sitting, result.sitting or 1)
  end)
  if not stored then return nil, "--resume: " .. message end
  local wrong = shards.check_options(stored, head, { path, "this run" })
  if wrong then
    return nil, ("--resume: %s; give the option as it was, or another file")
      :format(wrong)
  end
  if changed then
    return nil, ("--resume: %s: the source of '%s' has changed since"):format(
      path, unicode.visible(changed))
  end

  local left = lists.those(cells, function(cell)
    return not finished[cell.id]
  end)
  local envs, places = environments(stored, head.envs or { head.env })
  local several = #envs > 1
  return { cells = left, sitting = last_sitting + 1,
    env_places = several and places or {},
    keep = function(result)
      return finished[result.id] and is_finished(result)
    end,
    head = { schema = stored.schema, env = envs[1], options = head.options,
      started = stored.started, commit = stored.commit,
      envs = several and envs or nil } }
end

return resume
