-- A stored report that grows while a run goes on, and is a sound one at any
-- moment. A small one is replaced by a longer one each time results are added.
-- From some size on results go to a journal beside it, which the report takes
-- in when it would double: so all is written a few times, however long the
-- run. What is stored is copied from file to file, never held in Lua's heap,
-- which is under test.
local atomic = require "tare.store.atomic"
local Journal = require "tare.store.journal"
local json = require "tare.store.json"
local store = require "tare.store"

local Spool = {}
Spool.__index = Spool

local SMALL = 2^20 -- bytes of a report that is replaced each time

-- Windows replaces no file that is open; elsewhere what is open stays readable
-- though the file is replaced, or its folder removed.
local KEEPS_OPEN = package.config:sub(1, 1) == "/"

local PLACE = '"results":[]' -- what a report of no results has once

-- The text of a report before its results, and after them.
local function split(head, stamp)
  local empty = {}
  for name, value in pairs(head) do empty[name] = value end
  empty.results, empty.comparisons, empty.sweeps = {}, {}, nil
  empty.unfinished = stamp
  local text = store.encode(empty)
  local first, last = text:find(PLACE, 1, true)
  return text:sub(1, first + #PLACE - 2), text:sub(last)
end

-- No other run of this report has the same.
local function new_stamp()
  local uv = require "luv"
  return ("%d-%d-%.0f"):format(os.time(), uv.os_getpid(), uv.hrtime())
end

--- A spool; nothing is written before the first results are added.
---@param path string
---@param head table Report: its environment, options and whatever else is
---  known; and the results that are stored first
---@param small integer? bytes up to which the file is replaced each time
---@return table spool
function Spool.new(path, head, small)
  local stamp = new_stamp()
  local before, after = split(head, stamp)
  local self = setmetatable({ path = path, before = before, after = after,
    stamp = stamp, small = small or SMALL }, Spool)
  self.first = self:_encoded(head.results)
  return self
end

-- Results as JSON, one by one.
function Spool._encoded(_, results)
  local lines = {}
  for i, result in ipairs(results) do lines[i] = json.encode(result) end
  return lines
end

function Spool:_begin(lines)
  local all = self.first
  for _, line in ipairs(lines) do all[#all + 1] = line end
  local body = self.before .. table.concat(all, ",\n")
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

-- The file as it should be now, with so many bytes before its end.
function Spool:_change(more)
  more.keep, more.expect = self.length, self.length + #self.after
  return more
end

-- Into the journal, unless somebody else has changed the file.
function Spool:_note(lines)
  local ok, message, changed = atomic.check(self.path, self:_change {})
  self.is_anothers = changed
  if not ok then return nil, message end
  if not self.journal then
    self.journal, message = Journal.new(self.path, self.stamp)
    if not self.journal then return nil, message end
  end
  return self.journal:add(lines)
end

-- Into the file, with all that is in the journal.
function Spool:_extend(lines)
  local text = #lines > 0 and ",\n" .. table.concat(lines, ",\n") or ""
  local journal = self.journal
  local ok, message, changed = atomic.extend(self.path, self:_change {
    text = text .. self.after, lines = journal and journal:lines() })
  self.is_anothers = changed
  if not ok then return nil, message end
  self.length = self.length + #text
  if journal then
    self.length = self.length + journal:size() + journal.count
    journal:clear()
  end
  self:_open()
  return true
end

--- Adds results: they are on disk when this returns true. After a failure the
--- file holds what it held before.
---@param results table[]
---@return boolean? ok
---@return string? message one line that starts with the path
function Spool:add(results)
  local lines = self:_encoded(results)
  if not self.length then return self:_begin(lines) end
  local waiting = self.journal and self.journal:size() or 0
  for _, line in ipairs(lines) do waiting = waiting + #line end
  if self.length < self.small or waiting > self.length then
    return self:_extend(lines)
  end
  return #lines == 0 or self:_note(lines)
end

--- What was added until now, even where the file has gone meanwhile.
---@return table? report
---@return string? message one line that starts with the path
function Spool:read()
  if not self.file then return store.read(self.path) end
  self.file:seek "set"
  local report, message = store.decode(self.file:read "*a" or "",
    self.journal and self.journal:text())
  if report then return report end
  return nil, ("%s: %s"):format(self.path, message)
end

--- The report is written as a whole: what was beside it goes. What another run
--- has there stays.
function Spool:finish()
  if self.file then self.file:close() end
  if self.journal then
    self.journal:remove()
  elseif not self.is_anothers then
    Journal.discard(self.path)
  end
  self.file, self.journal = nil, nil
end

--- The report could not be written: what is in the journal stays there.
---@return string? path of the journal, where there is one
function Spool:leave()
  local journal = self.journal
  if self.file then self.file:close() end
  if journal then journal:close() end
  self.file, self.journal = nil, nil
  return journal and journal.path
end

return Spool
