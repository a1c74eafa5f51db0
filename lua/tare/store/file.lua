-- A stored report that grows while a run goes on: a result a line, put over the
-- last line of the document and followed by it again, in one write. What is
-- stored leaves Lua's heap; the file knows where each result is. Nothing that a
-- reader can see is ever half written but its last line, after a kill in the
-- midst of a write; readers leave that out (see tare.store).
--
-- The run that writes the file has it locked. If somebody else replaces or
-- changes it anyway, the results go to another file beside it.
local core = require "tare.core"
local paths = require "tare.base.paths"
local place = require "tare.store.place"
local store = require "tare.store"
local unicode = require "tare.base.unicode"
local unpack = require("tare.base.compat").unpack

local File = {}
File.__index = File

local END = "]}\n" -- while results are added; finish writes a longer one
local PIECE = 65536 -- bytes that are written at once
local SYNC_NS = 1e9 -- between two waits for the disk

local refusal = place.refusal

-- The file ----------------------------------------------------------------

-- A file without a name, which goes when it is closed; nil where there is no
-- folder for one.
local function open_anonymous()
  local uv = require "luv"
  for _, folder in ipairs { uv.os_tmpdir() or "/tmp", "/tmp", "." } do
    local fd = core.unnamed_file(folder, 384) -- 0600
    if fd then return fd end
    local name
    fd, name = uv.fs_mkstemp(folder .. "/tare-XXXXXX")
    if fd then
      uv.fs_unlink(name)
      return fd
    end
  end
end

-- Whether an open file is the one at its place. Windows' numbers of files are
-- enough: both are on one volume (and Wine forgets that of a renamed file).
local function is_same(own, there)
  return own and there and own.ino == there.ino
    and (paths.is_windows or own.dev == there.dev)
end

-- Opens and locks the file 'target'; if there is none, creates it with this
-- text. The third value says which.
local function open_locked(path, target, text)
  local uv = require "luv"
  for _ = 1, 10 do -- it may be replaced while it is opened
    local fd, message, code = uv.fs_open(target, "r+", 0)
    if code == "ENOENT" then
      fd, message, code = place.create(target, text)
      if fd then return fd, nil, true end
      if code ~= "EEXIST" then return refusal(path, message) end
    elseif not fd then
      return refusal(path, message)
    elseif not core.lock_file(fd) then
      uv.fs_close(fd)
      return nil, unicode.visible(path) .. ": another run is writing it"
    else
      local own, there = uv.fs_fstat(fd), uv.fs_stat(target)
      if is_same(own, there) then
        return fd, nil, false
      end
      uv.fs_close(fd)
    end
  end
  return refusal(path, "EBUSY: it is replaced again and again")
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

-- Results -----------------------------------------------------------------

-- Notes where the line of a result is, how long, and its hash; a second one
-- takes the place of the first.
function File:_note(id, from, bytes, hash)
  local at = self.index[id]
  if not at then
    at = #self.ids + 1
    self.ids[at], self.index[id] = id, at
  end
  self.from[at], self.bytes[at], self.hash[at] = from, bytes, hash
end

-- The line of a result: from the file, or from lines that are not written yet;
-- nil where somebody has written over it.
function File:_line(at)
  local waiting = self.waiting[self.ids[at]]
  if waiting then return waiting end
  local line, message = require("luv").fs_read(self.fd, self.bytes[at],
    self.from[at])
  if line and core.hash(line) == self.hash[at] then return line end
  return nil, message or "a result in it was changed"
end

-- Numbers of the results in the order of 'places', of those without a place
-- first; as they came without 'places'.
function File:_order(places)
  local order = {}
  for at = 1, #self.ids do order[at] = at end
  if not places then return order end
  table.sort(order, function(a, b)
    local x, y = places[self.ids[a]] or 0, places[self.ids[b]] or 0
    if x ~= y then return x < y end
    return a < b
  end)
  return order
end

-- Gathers texts and writes them a piece at a time. put(text) and flush() return
-- true, or nil and why; 'offset' is where the next text goes.
local function buffered(write)
  local buffer, pieces, size = { offset = 0 }, {}, 0
  function buffer.flush()
    local text = table.concat(pieces)
    pieces, size = {}, 0
    return write(text)
  end
  function buffer.put(text)
    pieces[#pieces + 1], size = text, size + #text
    buffer.offset = buffer.offset + #text
    if size < PIECE then return true end
    return buffer.flush()
  end
  return buffer
end

--- Writes the whole report, a piece at a time.
---@param write fun(text: string): boolean?, string?
---@param tail table? comparisons and whatever else is known at the end
---@param places table<string, number>? see File:each
---@return table? positions offset of each line, by number; 'finish': of the end
---@return string? message
function File:write(write, tail, places)
  local head, positions, buffer = {}, {}, buffered(write)
  for _, fields in ipairs { self.head, tail or {} } do
    for name, value in pairs(fields) do head[name] = value end
  end
  local ok, message = buffer.put(store.head(head))
  for i, at in ipairs(self:_order(places)) do
    local line
    if ok then line, message = self:_line(at) end
    if not line then return nil, message end
    local comma = i > 1 and "," or ""
    positions[at] = buffer.offset + #comma
    ok, message = buffer.put(comma .. line .. "\n")
  end
  positions.finish = buffer.offset
  if ok then ok, message = buffer.put(tail and store.tail(head) or END) end
  if ok then ok, message = buffer.flush() end
  if not ok then return nil, message end
  return positions
end

-- Continues in another file, which has all results.
function File:_go_on_in(fd, finish_at)
  if self.fd then require("luv").fs_close(self.fd) end
  self.fd, self.finish_at, self.expected = fd, finish_at, finish_at + #END
  self.waiting, self.order, self.is_old = {}, {}, false
end

-- Puts a new file with all results at 'target', and goes on in it. After a
-- failure what was there before is left as it was.
function File:_replace(target, tail, places)
  local positions
  local fd, message = place.replace(target, function(fd)
    local why
    positions, why = self:write(function(text)
      return place.write_all(fd, text, -1)
    end, tail, places)
    return positions, why
  end)
  if not fd then return refusal(self.path, message) end
  for at, id in ipairs(self.ids) do
    local line = self.waiting[id]
    self.from[at] = positions[at]
    if line then self.bytes[at], self.hash[at] = #line, core.hash(line) end
  end
  self:_go_on_in(fd, positions.finish)
  return true
end

-- Which file is at a place, and when it was changed last, as text.
local function state_of(target)
  local stat = require("luv").fs_stat(target) or { mtime = {} }
  return ("%s %s %s %s"):format(stat.ino, stat.size, stat.mtime.sec,
    stat.mtime.nsec)
end

-- Replaces the file by a new one with the results that 'keep' accepts, unless
-- it is no longer in the state in which it was read for 'keep'.
function File:_keep(target, keep, state)
  local finish_at, unsound
  local fd, message = place.replace(target, function(fd)
    local buffer = buffered(function(text)
      return place.write_all(fd, text, -1)
    end)
    local ok, why = buffer.put(store.head(self.head))
    local report, wrong = store.walk(target, function(result, line)
      if not ok or not keep(result) then return end
      line = line and line:gsub("^,", "") or assert(store.line(result))
      local comma = #self.ids > 0 and "," or ""
      self:_note(result.id, buffer.offset + #comma, #line, core.hash(line))
      ok, why = buffer.put(comma .. line .. "\n")
    end)
    if not report then
      unsound = wrong
      return nil, wrong
    end
    if state_of(target) ~= state then
      unsound = unicode.visible(self.path) .. ": was changed by someone else "
        .. "while it was read"
      return nil, unsound
    end
    finish_at = buffer.offset
    if ok then ok, why = buffer.put(END) end
    if ok then ok, why = buffer.flush() end
    return ok, why
  end)
  if unsound then return nil, unsound end
  if not fd then return refusal(self.path, message) end
  self:_go_on_in(fd, finish_at)
  return true
end

-- Whether the file at its place is the one that was written here: "own",
-- "none", or "other".
function File:_what_is_there()
  local uv = require "luv"
  local there, own = uv.fs_stat(self.target), uv.fs_fstat(self.fd)
  if not there then return "none" end
  if is_same(own, there) then
    if there.size == self.expected then return "own" end
    return "other", not self.is_old
  end
  return "other"
end

-- Whether no result's line was written over.
function File:_is_whole()
  for at = 1, #self.ids do
    if not self:_line(at) then return false end
  end
  return true
end

-- Drops results whose lines somebody has written over.
function File:_forget_damaged()
  local ids, from, bytes, hash = self.ids, self.from, self.bytes, self.hash
  local is_sound = {}
  for at = 1, #ids do is_sound[at] = self:_line(at) ~= nil end
  self.ids, self.index, self.from, self.bytes, self.hash = {}, {}, {}, {}, {}
  for at, id in ipairs(ids) do
    if is_sound[at] then self:_note(id, from[at], bytes[at], hash[at]) end
  end
end

-- Somebody else has replaced the report.
function File:_move_beside(is_damaged, tail, places)
  local measured = #self.ids
  if is_damaged then self:_forget_damaged() end
  local lost = measured - #self.ids
  local changed = unicode.visible(self.path)
    .. ": was changed by someone else during the run"
  local path = lost_path(self.path)
  local ok, message = self:_replace(path, tail, places)
  if not ok then return nil, changed .. "; " .. message end
  self.path, self.target = path, path
  return nil, ("%s; what was measured is in %s%s"):format(changed,
    unicode.visible(path), lost > 0 and (", but for %d that it wrote over")
      :format(lost) or "")
end

-- Writes waiting lines after the last result.
function File:_append()
  local uv, text, offset, notes = require "luv", {}, self.finish_at, {}
  local is_first = offset == self.first_at
  for _, id in ipairs(self.order) do
    local line = self.waiting[id]
    if line and not notes[id] then
      local comma = is_first and "" or ","
      notes[id] = { offset + #comma, #line, core.hash(line) }
      text[#text + 1] = comma .. line .. "\n"
      offset, is_first = offset + #comma + #line + 1, false
    end
  end
  local ok, message = place.write_all(self.fd, table.concat(text) .. END,
    self.finish_at)
  if ok and uv.hrtime() - self.synced > SYNC_NS then
    ok, message = uv.fs_fsync(self.fd)
    self.synced = uv.hrtime()
  end
  if not ok then -- as it was; the end first, where the disk has room for it
    place.write_all(self.fd, END, self.finish_at)
    uv.fs_ftruncate(self.fd, self.finish_at + #END)
    return refusal(self.path, message)
  end
  -- First what needs no memory: where there is none for the rest, the file is
  -- as long as expected all the same, and the lines are written once more.
  self.finish_at, self.expected = offset, offset + #END
  for id, note in pairs(notes) do self:_note(id, unpack(note)) end
  self.waiting, self.order = {}, {}
  return true
end

-- The interface -----------------------------------------------------------

--- Begins to store a report. Refuses at once what would fail later: a place
--- that can't be written, a file that another run writes. What is in the file
--- stays until there is a result; where there is none, an empty report is put.
---@param path string? nil: an anonymous file, which goes with the object
---@param head table Report without results: schema, env, options...
---@param resumed (fun(): table?, string?)? called where there is a file, once
---  no other run can write it: { keep = which of its results stay, in front of
---  those that are added, head = in place of 'head', if any }; or nil, why not
---@return table? file
---@return string? message one line
function File.create(path, head, resumed)
  local uv = require "luv"
  local self = setmetatable({ path = path, head = head, ids = {}, index = {},
    from = {}, bytes = {}, hash = {}, waiting = {}, order = {},
    synced = uv.hrtime() }, File)
  local kind, target = "anonymous", nil
  if path then
    kind, target = place.check(path)
    if not kind then return nil, target end
  end
  if kind == "file" then return self:_begin_at(target, resumed) end
  if kind == "stream" then
    if resumed then
      return nil, unicode.visible(path)
        .. ": can't be resumed: it is not a regular file"
    end
    local message
    self.stream, message = place.open_stream(path)
    if not self.stream then return nil, message end
  end
  self.fd, self.finish_at, self.first_at = open_anonymous(), 0, 0
  return self
end

function File:_begin_at(target, resumed)
  local fd, message, is_new = open_locked(self.path, target,
    store.head(self.head) .. END)
  if not fd then return nil, message end
  local kept, ok, state = nil, true, state_of(target)
  if resumed and not is_new then
    kept, message = resumed()
    self.head, ok = kept and kept.head or self.head, kept
  end
  self.fd, self.target, self.first_at = fd, target, #store.head(self.head)
  self.is_new, self.is_old, self.finish_at = is_new, not is_new, self.first_at
  self.expected = require("luv").fs_fstat(fd).size
  if kept then ok, message = self:_keep(target, kept.keep, state) end
  if ok then
    if kept then store.discard_journal(target) end
    return self
  end
  require("luv").fs_close(self.fd)
  return nil, message
end

--- Adds a result; one of the same bench takes its place. It is in the file when
--- this returns true. It is not lost otherwise: it is kept in memory, and the
--- next call tries again.
---@param result table
---@return boolean? ok
---@return string? message one line that starts with the path
function File:add(result)
  local line, message = store.line(result)
  if not line then return nil, message end
  if not self.index[result.id] then self:_note(result.id) end
  self.waiting[result.id] = line
  self.order[#self.order + 1] = result.id
  if not self.target then -- in memory, where there is no other place for it
    if self.fd then self:_append() end
    return true
  end
  local there, is_damaged = self:_what_is_there()
  if there == "other" then return self:_move_beside(is_damaged) end
  if there == "none" or self.is_old then
    return self:_replace(self.target)
  end
  return self:_append()
end

--- The results, one after the other; what can't be read is left out.
---@param places table<string, number>? order by id; results without a place
---  come first. As they came, without it
---@return fun(): table?
function File:each(places)
  local order, i = self:_order(places), 0
  return function()
    while i < #order do
      i = i + 1
      local line = self:_line(order[i])
      local result = line and store.result(line)
      if result then return result end
    end
  end
end

--- Writes the report as a whole, with what is known at the end, and closes it.
---@param tail table comparisons, sweeps; and fields of the head that changed
---@param places table<string, number>? order of the results, by id
---@return boolean? ok
---@return string? message one line
function File:finish(tail, places)
  local ok, message = true, nil
  if self.stream then
    ok, message = self:write(function(text)
      return self.stream:write(text)
    end, tail, places)
    local closed, why = self.stream:close()
    if ok then ok, message = closed, why end
    if not ok then ok, message = refusal(self.path, message) end
  elseif self.target then
    local there, is_damaged = self:_what_is_there()
    is_damaged = is_damaged or there ~= "other" and not self:_is_whole()
    if there == "other" or is_damaged then
      ok, message = self:_move_beside(is_damaged, tail, places)
    else
      ok, message = self:_replace(self.target, tail, places)
    end
    if ok then store.discard_journal(self.target) end
    -- A relative path leads to nothing where a bench has changed the folder.
    local real = require("luv").fs_realpath
    if ok and real(self.path) and real(self.path) ~= real(self.target) then
      ok, message = nil, ("%s: was changed by someone else during the run, and "
        .. "leads elsewhere; what was measured is in %s"):format(
        unicode.visible(self.path), unicode.visible(self.target))
    end
  end
  if self.fd then require("luv").fs_close(self.fd) end
  self.fd = nil
  return ok, message
end

--- Closes the file: it is a valid report of what was added. Where nothing was,
--- the place is as it was before.
function File:abandon()
  local uv = require "luv"
  if self.stream then self.stream:close() end
  if not self.fd then return end
  if self.is_new and #self.ids == 0 and self:_what_is_there() == "own" then
    uv.fs_unlink(self.target)
  end
  uv.fs_close(self.fd)
  self.fd = nil
end

return File
