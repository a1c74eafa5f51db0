-- What the processes of a run print: a file without a name in place of their
-- stdout and stderr. It is looked at after each request, so it is known which
-- bench printed, and how much; of each the first part is passed on. Files can't
-- be shared so on Windows: there all goes to stderr as it comes.
local lists = require "tare.base.lists"
local paths = require "tare.base.paths"
local units = require "tare.base.units"
local uv = require "luv"

local Printed = {}
Printed.__index = Printed

local MOST = 65536 -- bytes of a bench that are passed on
local LOOK_MS = 500 -- between looks while a request lasts
local FEW = 4 -- benches that the note names
local STDERR = 2
local OWNER_ONLY = 384 -- 0600
local LOADING = "what bench files print" -- while no bench has its turn

--- What is printed in a run.
---@param pass_on fun(text: string) gets it, bench by bench
---@return table printed
function Printed.new(pass_on)
  return setmetatable({ pass_on = pass_on, users = 0, at = 0, bytes = {},
    passed = {}, ids = {} }, Printed)
end

--- The descriptor that a process is to print to; for each, shut() is called
--- once it has ended.
---@return integer fd
function Printed:open()
  self.users = self.users + 1
  if self.fd or paths.is_windows then
    return self.fd or STDERR
  end
  local named, path = pcall(os.tmpname)
  self.fd = named and uv.fs_open(path, "a+", OWNER_ONLY) or nil
  if named then os.remove(path) end
  if not self.fd then return STDERR end
  self.at, self.timer = 0, uv.new_timer()
  self.timer:start(LOOK_MS, LOOK_MS, function() self:_look() end)
  return self.fd
end

--- From here on what is printed is kept back.
function Printed:hold() self.is_held = true end

--- What was kept back, and what follows, is passed on.
function Printed:pass_on_again() self.is_held = false end

--- Drops what was kept back.
---@return string text its first part
function Printed:drop()
  self.is_held = false
  if not self.fd then return "" end
  local text = uv.fs_read(self.fd, MOST, self.at) or ""
  self.at = uv.fs_fstat(self.fd).size
  self:_empty()
  return text
end

-- Makes the file empty, of which everything is passed on or dropped.
function Printed:_empty()
  if self.at > 0 then uv.fs_ftruncate(self.fd, 0) end
  self.at = 0
end

-- Passes on what has come since the last look. Of a bench that prints without
-- end the file holds no more than what it prints until the next one.
function Printed:_look()
  if self.is_held then -- its beginning is enough to tell what it is
    local most = self.at + MOST + 1
    if uv.fs_fstat(self.fd).size > most then uv.fs_ftruncate(self.fd, most) end
    return
  end
  local first = uv.fs_read(self.fd, 1, self.at)
  if not first or first == "" then return end
  local id = self.id or LOADING
  if not self.bytes[id] then
    self.bytes[id], self.passed[id], self.ids[#self.ids + 1] = 0, 0, id
  end
  local room = MOST - self.bytes[id]
  local size = uv.fs_fstat(self.fd).size - self.at -- it may be growing
  local text = room > 0
    and uv.fs_read(self.fd, math.min(room, size), self.at) or ""
  self.bytes[id], self.at = self.bytes[id] + size, self.at + size
  if size > #text then text = text:match "^.*\n" or text end -- whole lines
  if text ~= "" then self.pass_on(text) end
  self.passed[id] = self.passed[id] + #text
  if self.bytes[id] > MOST then self:_empty() end
end

--- After a request: passes on what was printed meanwhile.
function Printed:take()
  if not self.fd or self.is_held then return end
  self:_look()
  self:_empty() -- nobody writes now
end

--- After a process has ended.
function Printed:shut()
  self:take()
  self.users = self.users - 1
  if self.users > 0 or not self.fd then return end
  self.timer:close()
  uv.fs_close(self.fd)
  self.fd, self.timer = nil, nil
end

--- Which benches printed, and of which a part was dropped; nil where none did.
---@param is_timed boolean
---@return string?
function Printed:note(is_timed)
  local benches, dropped = {}, {}
  for _, id in ipairs(self.ids) do
    if id ~= LOADING then benches[#benches + 1] = id end
    local lost = self.bytes[id] - self.passed[id]
    if lost > 0 then
      dropped[#dropped + 1] = ("%s of %s"):format(
        units.value(lost, "bytes", 3), id)
    end
  end
  local parts = {}
  if is_timed and benches[1] then
    parts[1] = (benches[2] and "the times of %s include their printing"
      or "the time of %s includes its printing"):format(
      lists.named(benches, FEW))
  end
  if dropped[1] then
    parts[#parts + 1] = ("of each bench at most %s are passed on; dropped: %s")
      :format(units.value(MOST, "bytes", 2), lists.named(dropped, FEW))
  end
  return parts[1] and "note: " .. table.concat(parts, "; ") or nil
end

return Printed
