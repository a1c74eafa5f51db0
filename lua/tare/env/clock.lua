-- The reference clock: the usual length of a core cycle in this machine's first
-- run, and the width of the core at its best. Both are stored from run to run,
-- so that times of today and of next week use the same clock, and so that a run
-- on a core that is shared from beginning to end is recognized. One file in the
-- user's state directory has them, by processor and machine; without it they
-- are those of this run.
--
-- Which clock times are at is a convention; that it stays is what makes them
-- repeat. The quickest clock that was ever seen is no such thing: it was 2.99
-- GHz for half an hour, then for a moment 3.04, and later 3.19, and each time
-- every later run was quicker by as much.
local core = require "tare.core"
local files = require "tare.base.files"
local linux = require "tare.env.linux"
local lists = require "tare.base.lists"
local paths = require "tare.base.paths"
local rest = require "tare.base.rest"

local clock = {}
local Clock = {}
Clock.__index = Clock

-- A single reading may be off: the middle one of so many that follow each other
-- counts.
local WINDOW = 16
-- A new best width is one by more than this: else the best of thousands of
-- windows would creep.
local CREEP = 0.005
-- A clock that is quicker than the reference by this, in the middle of so many
-- windows of a run, becomes the reference of later runs: the first run was on a
-- machine that saved power.
local QUICKER, FEWEST_WINDOWS = 0.1, 8
-- Readings in a part of a host's step.
local PART = 64
-- How long this process looks at the core, where rows of a bench would change
-- what is remembered.
local LOOK_NS = 5e6
-- A file of another make: neither cycles nor widths are like that.
local LEAST_CYCLE_NS, MOST_CYCLE_NS = 0.05, 100
local LEAST_WIDTH, MOST_WIDTH = 0.5, 64

local function is_sane(cycle_ns, width)
  return type(cycle_ns) == "number" and type(width) == "number"
    and cycle_ns >= LEAST_CYCLE_NS and cycle_ns <= MOST_CYCLE_NS
    and width >= LEAST_WIDTH and width <= MOST_WIDTH
end

------------------------------------------------------------------- the file --

local function env_variable(name)
  if type(os) ~= "table" or not os.getenv then return nil end
  local value = os.getenv(name)
  return value ~= "" and value or nil
end

-- Where it lies; nil where there is no such place.
local function path_of()
  local base = env_variable(paths.is_windows and "LOCALAPPDATA"
    or "XDG_STATE_HOME")
  if not paths.is_windows and not (base and base:find "^/") then
    local home = env_variable "HOME"
    base = home and home .. "/.local/state"
  end
  return base and paths.forward(base) .. "/tare/machine.json"
end

-- The processor's name and the machine's: a home may be shared by machines.
local function name_of(read, uv)
  local cpu = (linux.cpu(read) or {}).cpu
    or uv and ((uv.cpu_info() or {})[1] or {}).model or "unknown processor"
  local host = (read "/proc/sys/kernel/hostname"
    or uv and uv.os_gethostname() or ""):match("[^\n]*")
  return (cpu .. " @ " .. host):gsub('[%z\1-\31\127"\\]', " ")
end

-- Whole numbers only: a locale may write a comma into others.
local ENTRY = '"([^"\n]*)"%s*:%s*{%s*"cycle_fs"%s*:%s*(%d+)%s*,'
  .. '%s*"joined_width_millionths"%s*:%s*(%d+)%s*}'

local function entries_of(text)
  local entries = {}
  for name, cycle, width in (text or ""):gmatch(ENTRY) do
    cycle, width = tonumber(cycle) / 1e6, tonumber(width) / 1e6
    if is_sane(cycle, width) then
      entries[name] = { cycle_ns = cycle, width = width }
    end
  end
  return entries
end

local function text_of(entries)
  local lines = {}
  for i, name in ipairs(lists.keys(entries)) do
    lines[i] = ('  "%s": {"cycle_fs": %.0f, "joined_width_millionths": %.0f}')
      :format(name, entries[name].cycle_ns * 1e6, entries[name].width * 1e6)
  end
  return "{\n" .. table.concat(lines, ",\n") .. "\n}\n"
end

-- Puts a file in place as a whole, or leaves it as it was: false, and what the
-- system says.
local function write_file(path, text)
  if type(io) ~= "table" or not (os and os.rename) then return false end
  local part = ("%s.%.0f"):format(path, core.now_ns() % 1e9)
  local handle, message = io.open(part, "wb")
  if not handle then return false, message end
  local is_written, of_write = handle:write(text)
  local is_closed, of_close = handle:close()
  message = of_write or of_close
  if is_written and is_closed then
    local is_moved, of_move = os.rename(part, path)
    -- Windows moves no file over another.
    if is_moved or paths.is_windows and os.remove(path)
      and os.rename(part, path) then return true end
    message = of_move
  end
  os.remove(part)
  return false, message
end

---------------------------------------------------------------- the object --

--- The clock of this machine, as far as it is remembered.
---@param options { read: (fun(path: string): string?)?, path: string?,
---  uv: table?, look: (fun(): number?, number?)? }? how files are read, where
---  it is remembered, luv, if it is loaded anyway (it makes the folder, without
---  it there has to be one), and, where samples are of other processes, how
---  this one reads a cycle's length and the core's width
---@return table clock { reference_ns?, reference_ghz?, best_width?, seen_ghz?,
---  from = "remembered" | "this run" | "none" }; with :observe, :settle, :save
function clock.load(options)
  options = options or {}
  local read = options.read or files.read
  local path = options.path or path_of()
  local self = setmetatable({ from = "none", path = path, uv = options.uv,
    name = name_of(read, options.uv), read = read, look = options.look,
    own = { cycles = {}, widths = {} }, of_samples = { cycles = {},
    widths = {} }, windows = {} }, Clock)
  local known = path and entries_of(read(path))[self.name]
  if known then
    self.from = "remembered"
    self.reference_ns, self.best_width = known.cycle_ns, known.width
    self.reference_ghz = 1 / known.cycle_ns
  end
  return self
end

local median = core.stats.median

-- Adds a reading to a window. Returns its middle ones, once it is full.
local function add(window, cycle_ns, width)
  if not is_sane(cycle_ns, width) then return nil end
  local count = #window.cycles + 1
  window.cycles[count], window.widths[count] = cycle_ns, width
  if count < WINDOW then return nil end
  cycle_ns, width = median(window.cycles), median(window.widths)
  window.cycles, window.widths = {}, {}
  return cycle_ns, width
end

local function is_wider(self, width)
  return not self.best_width or width > self.best_width * (1 + CREEP)
end

-- A window has been filled.
local function take(self, cycle_ns, width)
  local seen = self.seen_ghz or { low = math.huge, high = 0 }
  seen.low = math.min(seen.low, 1 / cycle_ns)
  seen.high = math.max(seen.high, 1 / cycle_ns)
  self.seen_ghz = seen
  self.windows[#self.windows + 1] = cycle_ns
  if is_wider(self, width) then self.best_width, self.is_new = width, true end
end

-- Whether no process that can be trusted has seen such a core.
local function is_unseen(self, cycle_ns, width)
  local quickest_ns = math.min(self.reference_ns or math.huge,
    self.quickest_ns or math.huge)
  return is_wider(self, width) or quickest_ns == math.huge
    or cycle_ns < quickest_ns / (1 + QUICKER)
end

-- Looks at the core in this process: how wide it is, and how quick.
local function look_oneself(self)
  local window, until_ns = { cycles = {}, widths = {} }, core.now_ns() + LOOK_NS
  repeat
    local cycle_ns, width = add(window, self.look())
    if cycle_ns then
      self.quickest_ns = math.min(self.quickest_ns or math.huge, cycle_ns)
      if is_wider(self, width) then
        self.best_width, self.is_new = width, true
      end
    end
  until core.now_ns() >= until_ns
end

--- Takes a reading of the chain into account.
---@param cycle_ns number
---@param width number
function Clock:observe(cycle_ns, width)
  cycle_ns, width = add(self.own, cycle_ns, width)
  if cycle_ns then take(self, cycle_ns, width) end
end

--- Takes the rows of samples into account, in their order. A bench can make its
--- rows up, and all later runs would be measured by them. So where they are of
--- other processes ('look'), a core that is wider or quicker than was known
--- counts only if this process sees it as well.
---@param samples table columns; nothing happens where the chain was not read
function Clock:observe_samples(samples)
  if not (samples and samples.cycle_ns and samples.width) then return end
  local has_looked = not self.look
  for row = 1, #samples.cycle_ns do
    if row % PART == 1 then rest.here() end
    local cycle_ns, width = add(self.of_samples, samples.cycle_ns[row],
      samples.width[row])
    if cycle_ns and not has_looked and is_unseen(self, cycle_ns, width) then
      look_oneself(self)
      has_looked = true
    end
    if cycle_ns and not (self.look and is_unseen(self, cycle_ns, width)) then
      take(self, cycle_ns, width)
    end
  end
end

--- Fixes the reference for the whole run, where nothing is remembered: it is
--- what the readings so far show. Few are not worth remembering.
function Clock:settle()
  if self.reference_ns then return end
  local is_sound = #self.windows > 0
  for _, window in ipairs { self.own, self.of_samples } do
    if #self.windows == 0 and #window.cycles > 0 then
      take(self, median(window.cycles), median(window.widths))
    end
  end
  if #self.windows == 0 then return end
  self.reference_ns = median(self.windows)
  self.reference_ghz = 1 / self.reference_ns
  self.from, self.is_new = "this run", is_sound
end

--- The end of a run: what was learnt is remembered, where that is possible.
---@return boolean is_saved
function Clock:save()
  self:settle()
  local usual = #self.windows >= FEWEST_WINDOWS and median(self.windows)
  local is_quicker = usual
    and usual < self.reference_ns / (1 + QUICKER) or false
  if not (self.is_new or is_quicker) or not self.path then return false end
  local entries = entries_of(self.read(self.path))
  local other = entries[self.name] -- another process may have written since
  entries[self.name] = {
    cycle_ns = is_quicker and usual or other and other.cycle_ns
      or self.reference_ns,
    width = math.max(self.best_width, other and other.width or 0) }
  local text = text_of(entries)
  self.is_new = false
  if write_file(self.path, text) then return true end
  if not self.uv then return false end
  for at in self.path:gmatch "()/" do -- 0700; there already does no harm
    if at > 1 then self.uv.fs_mkdir(self.path:sub(1, at - 1), 448) end
  end
  return (write_file(self.path, text))
end

--- What a report says of the clock: plain data.
---@return table
function Clock:fields()
  self:settle()
  return { reference_ns = self.reference_ns,
    reference_ghz = self.reference_ghz, best_width = self.best_width,
    seen_ghz = self.seen_ghz and { low = self.seen_ghz.low,
      high = self.seen_ghz.high }, from = self.from }
end

--- Forgets what is remembered of this machine.
---@param options table? of clock.load
---@return boolean? is_forgotten false where nothing was known; nil where the
---  file can't be written
---@return string? message
function clock.reset(options)
  local self = clock.load(options)
  if self.from ~= "remembered" then return false end
  local entries = entries_of(self.read(self.path))
  entries[self.name] = nil
  local ok, message = write_file(self.path, text_of(entries))
  if ok then return true end
  -- Without the name of the file that was to be moved there.
  return nil, ("%s: cannot write: %s"):format(self.path,
    (message or "there are no files"):match "[^:]*$":gsub("^ ", ""))
end

return clock
