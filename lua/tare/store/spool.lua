-- A stored report that grows while a run goes on: each time results are added,
-- the file is replaced by a longer one, so it is a sound report at any moment.
-- What is stored is copied from file to file, never held in Lua's heap, which
-- is under test.
local atomic = require "tare.store.atomic"
local json = require "tare.store.json"
local store = require "tare.store"

local Spool = {}
Spool.__index = Spool

-- Windows replaces no file that is open; elsewhere what is open stays readable
-- though the file is replaced, or its folder removed.
local KEEPS_OPEN = package.config:sub(1, 1) == "/"

local PLACE = '"results":[]' -- what a report of no results has once

-- The text of a report before its results, and after them.
local function split(head)
  local empty = {}
  for name, value in pairs(head) do empty[name] = value end
  empty.results, empty.comparisons, empty.sweeps = {}, {}, nil
  local text = store.encode(empty)
  local first, last = text:find(PLACE, 1, true)
  return text:sub(1, first + #PLACE - 2), text:sub(last)
end

--- A spool; nothing is written before the first results are added.
---@param path string
---@param head table Report: its environment, options and whatever else is
---  known; and the results that are stored first
---@return table spool
function Spool.new(path, head)
  local before, after = split(head)
  local self = setmetatable({ path = path, before = before, after = after,
    count = 0 }, Spool)
  self.first = self:_encoded(head.results)
  return self
end

-- Results as a text to append to those before.
function Spool:_encoded(results)
  local parts = {}
  for i, result in ipairs(results) do
    parts[i] = (self.count + i > 1 and ",\n" or "") .. json.encode(result)
  end
  self.count = self.count + #results
  return table.concat(parts)
end

function Spool:_begin(text)
  local body = self.before .. self.first .. text
  self.first = nil
  local ok, message = atomic.write(self.path, body .. self.after)
  self.length = ok and #body
  if ok then self:_open() end
  return ok, message
end

function Spool:_open()
  if self.file then self.file:close() end
  self.file = KEEPS_OPEN and io.open(self.path, "rb") or nil
end

--- Adds results: they are on disk when this returns true. After a failure the
--- file holds what it held before.
---@param results table[]
---@return boolean? ok
---@return string? message one line that starts with the path
function Spool:add(results)
  local text = self:_encoded(results)
  if not self.length then return self:_begin(text) end
  local ok, message, changed = atomic.extend(self.path, {
    keep = self.length, expect = self.length + #self.after,
    text = text .. self.after })
  self.is_anothers = changed
  if not ok then return nil, message end
  self.length = self.length + #text
  self:_open()
  return true
end

--- What was added until now, even where the file has gone meanwhile.
---@return table? report
---@return string? message one line that starts with the path
function Spool:read()
  if not self.file then return store.read(self.path) end
  self.file:seek "set"
  local report, message = store.decode(self.file:read "*a" or "")
  self.file:seek "set"
  if report then return report end
  return nil, ("%s: %s"):format(self.path, message)
end

return Spool
