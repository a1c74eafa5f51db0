-- --resume: what a stored report has is kept, what it lacks is measured.
local advice = require "tare.env.advice"
local merge = require "tare.store.merge"
local store = require "tare.store"
local unicode = require "tare.base.unicode"

local resume = {}

-- A bench that was interrupted is measured again; one that failed is not.
local function is_finished(result)
  for _, code in ipairs(result.warnings) do
    if code == "interrupted" then return false end
  end
  return true
end

-- Results of benches whose source has changed can't stand beside new ones.
local function check_sources(results, cells, path)
  local sources = {}
  for _, cell in ipairs(cells) do sources[cell.id] = cell.source end
  for _, result in ipairs(results) do
    local now = sources[result.id]
    if now and result.source and now ~= result.source then
      return ("--resume: %s: the source of '%s' has changed since"):format(
        path, unicode.visible(result.id))
    end
  end
end

-- The environments of the report; the last is this one's, where it is another.
local function environments(stored, env)
  local envs = stored.envs or { stored.env }
  for i, known in ipairs(envs) do
    if #advice.differences(known, env) == 0 then return envs, i end
  end
  envs[#envs + 1] = env
  return envs, #envs
end

local function last_sitting(results)
  local last = 0
  for _, result in ipairs(results) do
    last = math.max(last, result.sitting or 1)
  end
  return last
end

local function without_finished(cells, results)
  local finished, left = {}, {}
  for _, result in ipairs(results) do finished[result.id] = true end
  for _, cell in ipairs(cells) do
    if not finished[cell.id] then left[#left + 1] = cell end
  end
  return left
end

local function kept(stored)
  local list = {}
  for _, result in ipairs(stored.results) do
    if is_finished(result) then list[#list + 1] = result end
  end
  return list
end

--- What a stored report leaves to do; all, where there is no such file yet.
---@param path string
---@param head table Report without results: options and env of this run
---@param cells table[]
---@return { head: table, cells: table[], sitting: integer?, env_index:
---  integer? }? rest the head with what is stored, and the cells that are left
---@return string? message
function resume.open(path, head, cells)
  local handle = io.open(path, "rb")
  if not handle then return { head = head, cells = cells } end
  handle:close()
  local stored, message = store.read(path)
  if not stored then return nil, "--resume: " .. message end
  local results = kept(stored)
  local wrong = merge.check_options(stored, head, { path, "this run" })
  if wrong then return nil, "--resume: " .. wrong end
  wrong = check_sources(results, cells, path)
  if wrong then return nil, wrong end
  local envs, index = environments(stored, head.env)
  local several = #envs > 1
  return { cells = without_finished(cells, results),
    sitting = last_sitting(results) + 1, env_index = several and index or nil,
    head = { schema = stored.schema, env = envs[1], options = head.options,
      envs = several and envs or nil, results = results } }
end

return resume
