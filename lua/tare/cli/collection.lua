-- The results of a run as they come in. Where the report is to be stored they
-- go to its file at once and leave Lua's heap, which is under test.
local measure = require "tare.run.measure"
local Spool = require "tare.store.spool"
local store = require "tare.store"

local Collection = {}
Collection.__index = Collection

local FEWEST_ROWS = 10 -- of an interrupted bench that is worth keeping

--- A collection.
---@param planned table cells, rest (of resume.open) and path, where it is to
---  be stored
---@param complain fun(message: string)
---@return table collection
function Collection.new(planned, complain)
  local self = setmetatable({ path = planned.path, rest = planned.rest,
    head = planned.rest.head, kept = {}, cells = {}, places = {},
    complain = complain }, Collection)
  for place, cell in ipairs(planned.all_cells) do
    self.cells[cell.id], self.places[cell.id] = cell, place
  end
  if self.path then self:_begin() end
  return self
end

-- What keeps a report from being stored is said once.
function Collection:_complain(message)
  if message ~= self.told then self.complain(message) end
  self.told, self.failed = message, true
end

-- What was stored before goes to the file first, and out of the heap.
function Collection:_begin()
  self.spool = Spool.new(self.path, self.head)
  self.written = self.spool
  if #self.head.results == 0 then return end
  local ok, message = self.spool:add {}
  if ok then
    self.head.results, self.on_disk = {}, true
    return collectgarbage()
  end
  self:_complain(message)
  self.spool = nil
end

local function is_worth_it(result)
  for _, code in ipairs(result.warnings) do
    if code == "interrupted" and not result.error then
      return #result.samples.iters >= FEWEST_ROWS
    end
  end
  return true
end

-- What only the command line knows of a result.
function Collection:_stamp(result)
  result.source = self.cells[result.id].source
  result.sitting, result.env_index = self.rest.sitting, self.rest.env_index
  return result
end

--- Whether results are wanted as soon as they are there.
---@return boolean
function Collection:is_eager() return self.spool ~= nil end

--- Takes results of benches that are finished (or were interrupted).
---@param results table[]
function Collection:add(results)
  local fresh = {}
  for _, result in ipairs(results) do
    if is_worth_it(result) then fresh[#fresh + 1] = self:_stamp(result) end
  end
  if self.spool and #fresh > 0 then
    local ok, message = self.spool:add(fresh)
    if ok then
      self.on_disk = true
      return collectgarbage()
    end
    self:_complain(message)
    self.spool = nil
  end
  for _, result in ipairs(fresh) do self.kept[#self.kept + 1] = result end
end

--- Takes what launches drew by chance.
---@param draws table[]
function Collection:add_draws(draws)
  self.launches = self.launches or {}
  for _, draw in ipairs(draws) do
    self.launches[#self.launches + 1] = draw
  end
end

-- Results by the order of the cells; what is stored of others comes first.
function Collection:_sorted(results)
  local places, list = {}, {}
  for i, result in ipairs(results) do
    places[result] = (self.places[result.id] or 0) + i / (#results + 1)
    list[i] = result
  end
  table.sort(list, function(a, b) return places[a] < places[b] end)
  return list
end

-- Those on disk; those that were there before, if nothing could be written.
function Collection:_stored()
  if not self.on_disk then return self.head.results end
  local report, message = self.written:read()
  if report then return report.results end
  self:_complain(message)
  return {}
end

--- The report of all results.
---@return table report
function Collection:report()
  local all = {}
  for _, list in ipairs { self:_stored(), self.kept } do
    for _, result in ipairs(list) do all[#all + 1] = result end
  end
  local report = measure.report_of(self:_sorted(all), self.head.options,
    self.head.env)
  report.envs, report.launches = self.head.envs, self.launches
  return report
end

-- "r.json" -> "r.lost.json", or a number more, where no file is yet.
local function lost_path(path)
  local stem, uv = path:gsub("%.json$", ""), require "luv"
  local name, number = stem .. ".lost.json", 1
  while uv.fs_lstat(name) do
    number = number + 1
    name = ("%s.lost-%d.json"):format(stem, number)
  end
  return name
end

-- The report's place is somebody else's now: it goes beside it.
function Collection:_store_beside(report)
  local path = lost_path(self.path)
  local ok, message = store.write(path, report)
  self:_complain(ok and ("note: what was measured is in " .. path) or message)
  if ok then return self.written:finish() end
  local left = self.written:leave()
  if left then self:_complain("note: what is left of it is in " .. left) end
end

--- Stores the report, with its comparisons and sweeps, where that is asked
--- for.
---@param report table
---@return boolean ok
function Collection:store(report)
  if not self.path then return true end
  if self.written.is_anothers then
    self:_store_beside(report)
    return false
  end
  local ok, message = store.write(self.path, report)
  if not ok then self:_complain(message) end
  if ok then self.written:finish() end
  return ok and not self.failed or false
end

return Collection
