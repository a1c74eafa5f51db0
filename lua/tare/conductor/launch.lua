-- Processes of a run as the conductor sees them: launches, which have loaded
-- the bench files, and the workers that they fork. A request is a line, an
-- answer is a line of JSON (tare.worker.main). While the conductor waits, it
-- runs luv's loop, for signals and progress. Launch:ask detects that a bench
-- has died.
local answers = require "tare.conductor.answers"
local uv = require "luv"
local cjson = require "cjson"
local core = require "tare.core"
local compat = require "tare.base.compat"
local library = require "tare.worker.library"
local lists = require "tare.base.lists"
local paths = require "tare.base.paths"
local unicode = require "tare.base.unicode"

local Link = {}
Link.__index = Link
local Launch = {}
Launch.__index = Launch

local NULL = paths.is_windows and "NUL" or "/dev/null"
local TICKS = 10 -- of a time limit
local GRACE_NS = 2e9 -- for a request to finish after a signal
local MOST_WORDS = 200 -- bytes of what a process prints that a message quotes
local START_NS = 3e10 -- for an interpreter to start, on a crowded machine
local LOAD_NS = 1e10 -- for bench files to load, where there is a timeout
local LONGEST_NS = 8e18 -- of a timer: 250 years
local DRAWN_BYTES = 4096 -- by which the stack is shifted, at most
local DRAWN_PAD = 65536 -- and the same for the heap
local AWAKE_MS = 100 -- between two tries to wake a launch that was suspended
local ANSWER_NS = 1e10 -- for a launch to answer a request that takes no time
local CLOSE_MS = 200 -- for a launch to end, before it is killed
local END_MS = 5000 -- for the system to report its end
local LOOK_MS = 500 -- between two looks at whether a worker has ended
local FIXED_BYTES = 32768 -- size of arguments and environment: a multiple of it

-- A decoder with the settings by which reports are read.
local decode = cjson.new()
decode.decode_invalid_numbers(false)
decode.decode_max_depth(1000)

local function parse(line)
  local ok, value = pcall(decode.decode, line)
  return ok and type(value) == "table" and value
    or { error = "its answer can't be read: " .. line:sub(1, 60) }
end

-- Whether a process has ended, though its parent may not have reaped it yet.
local function has_ended(pid)
  local file = io.open(("/proc/%d/stat"):format(pid))
  if not file then return not uv.kill(pid, 0) end
  local text = file:read "*a" or ""
  file:close()
  return text:find "%) [ZX] [^)]*$" ~= nil
end

-- A link over an open pipe.
local function new_link(pipe, pid, signals)
  local self = setmetatable({ pipe = pipe, pid = pid, pieces = {}, lines = {},
    first = 1, last = 0, signals = signals,
    most_bytes = answers.most_bytes() }, Link) -- of what is not read yet
  local waiting = 0 -- bytes that were received and not yet taken
  pipe:read_start(function(message, data)
    while not paths.is_windows and pipe:pending_count() > 0 do
      local other = uv.new_pipe(false)
      if pipe:accept(other) then self.accepted = other end
    end
    waiting = not self:has_more() and 0 or waiting
    waiting = waiting + #(data or "")
    self.is_flooded = waiting > self.most_bytes
    if message or not data or self.is_flooded then
      self.has_closed = true
      pipe:read_stop()
      return
    end
    local from = 1
    while true do
      local stop = data:find("\n", from, true)
      if not stop then break end
      self.pieces[#self.pieces + 1] = data:sub(from, stop - 1)
      self.last = self.last + 1
      self.lines[self.last] = table.concat(self.pieces)
      self.pieces, from = {}, stop + 1
    end
    if from <= #data then self.pieces[#self.pieces + 1] = data:sub(from) end
  end)
  return self
end

-- Waits for the next line; nil if the other side has closed the link, or did
-- not answer in time. Time is counted in ticks of a timer of this process.
-- While this process is suspended, or the machine stands still, so is the
-- worker: however long that is, it counts as one tick. After a first signal, a
-- second one ends the wait that is going on, and none that begins later. Where
-- there is a timer 'watch', it looks whether the process at the other side has
-- ended, for another one, such as a program that the bench has started, may
-- hold the link open. It looks too rarely to disturb a batch of the usual
-- length.
function Link:_line(limit_ns)
  local signals, is_ending, timer = self.signals, false, nil
  local waits_for = math.max(1, signals.count)
  local function limited(ns)
    if timer then timer:close() end
    ns = math.min(ns, LONGEST_NS)
    timer = uv.new_timer()
    local tick_ms, ticks = math.max(1, math.ceil(ns / 1e6 / TICKS)), 0
    timer:start(tick_ms, tick_ms, function()
      ticks = ticks + 1
      if ticks * tick_ms * 1e6 >= ns then self.is_late = true end
    end)
  end
  if limit_ns then limited(limit_ns) end
  if self.watch then
    self.watch:start(LOOK_MS, LOOK_MS, function()
      self.has_closed = self.has_closed or has_ended(self.pid)
    end)
  end
  while self.first > self.last and not self.has_closed and not self.is_late do
    if signals.signal and not is_ending then
      is_ending = true
      limited(math.min(limit_ns or math.huge, GRACE_NS))
    end
    uv.run("once")
    if signals.count > waits_for then self.is_late = true end
  end
  if timer then timer:close() end
  if self.watch then self.watch:stop() end
  if self.first > self.last then return nil end
  local line = self.lines[self.first]
  self.is_late = nil -- it has answered after all
  self.lines[self.first], self.first = nil, self.first + 1
  return line
end

--- Whether there are answers that no request has asked for.
---@return boolean
function Link:has_more()
  return self.first <= self.last or self.pieces[1] ~= nil
end

--- Sends a request and waits for the answer.
---@param text string lines
---@param limit_ns number? how long the answer may take
---@return table? answer nil if there is none
---@return string? why "late" or "closed"
function Link:ask(text, limit_ns)
  self.most_bytes = answers.most_bytes(text:match "^[%a_]+")
  self.pipe:write(text)
  local line = self:_line(limit_ns)
  self.most_bytes = answers.most_bytes()
  if line then return parse(line) end
  return nil, self.is_late and "late" or "closed"
end

--- Closes the link: from here on 'is_gone' is set.
function Link:close()
  self.is_gone = true
  if self.watch and not self.watch:is_closing() then self.watch:close() end
  if not self.pipe:is_closing() then self.pipe:close() end
end

-- LAUNCHES -------------------------------------------------------------------

-- Fields of its answer to a job that it keeps.
local OF_JOB = { "cells", "error", "broken", "load_ns", "can_fork", "layout",
  "interpreter" }

-- How long a process has waited for a core until now; 0 where the system
-- doesn't report it.
local function queued_ns(pid)
  local file = io.open(("/proc/%d/schedstat"):format(pid))
  if not file then return 0 end
  local _, queued = file:read("*n", "*n")
  file:close()
  return tonumber(queued) or 0
end

-- The resource limits of a process, as text; nil where the system doesn't
-- report them.
local function limits_of(pid)
  local file = io.open(("/proc/%d/limits"):format(pid))
  if not file then return nil end
  local text = file:read "*a"
  file:close()
  return text
end

--- A file that package.path, or package.cpath, finds for a module.
---@param name string
---@param templates string
---@return string? path
function Launch.find(name, templates)
  local file = name:gsub("%.", "/")
  for template in templates:gmatch("[^;]+") do
    local found = uv.fs_realpath((template:gsub("%?", file)))
    if found then return paths.forward(found) end
  end
end

-- A template of modules with symbolic links followed, as far as its folders
-- exist.
local function without_links(template)
  local folder, rest = paths.forward(template):match "^([^?]*/)(.*)$"
  if not folder then folder, rest = "./", template end
  while not uv.fs_realpath(folder) do
    local up, name = folder:match "^(.-)([^/]+/+)$"
    folder, rest = up == "" and "./" or up, name .. rest
  end
  return (paths.forward(uv.fs_realpath(folder)) .. "/"):gsub("//$", "/") .. rest
end

-- Templates of modules: those in a working tree become those in a checkout of
-- it.
local function moved(templates, checkout)
  if not checkout then return templates end
  local from, list = checkout.of .. "/", {}
  for template in (templates .. ";"):gmatch "([^;]*);" do
    local place = template ~= "" and without_links(template) or ""
    local is_in_tree = place:sub(1, #from) == from
    list[#list + 1] = is_in_tree and checkout.path .. place:sub(#from)
      or template
  end
  return table.concat(list, ";")
end

-- An interpreter that is named by its path, with that in full.
local function in_full(interpreter)
  local folder, name = paths.forward(interpreter):match "^(.*/)([^/]+)$"
  local place = folder and uv.fs_realpath(folder)
  return place and paths.forward(place) .. "/" .. name or interpreter
end

-- The command that builds a core for an interpreter that has none that fits.
-- Where tare runs in its sources, it works from any folder.
local function how_to_build(interpreter)
  local core_file = Launch.find("tare.core", package.cpath) or ""
  local lua, place = in_full(interpreter), "/[^/]+/tare/core%.%w+$"
  local root = core_file:match("^(.*)/build" .. place)
  if root then return ("make -C %s build LUA=%s"):format(root, lua) end
  local prefix = core_file:match("^(.*)/lib/tare" .. place)
  return ("in the sources of tare, make install LUA=%s%s"):format(lua, prefix
    and " PREFIX=" .. prefix or "")
end

-- The script of a launch, and environment variables by which it finds tare's
-- modules, the core for its interpreter, and the modules of the bench files.
-- The core for another interpreter is in a folder named after that interpreter
-- (its path, or else its name alone), beside the folder of this core.
local function paths_for(interpreter, checkout)
  local script = Launch.find("tare.worker.main", package.path)
  local root = script and script:match("^(.*)/tare/worker/main%.lua$")
  if not root then
    return nil, "tare/worker/main.lua is not on Lua's path"
  end
  local found = Launch.find("tare.core", package.cpath) or ""
  local folder, ending = found:match("^(.*)/tare/core(%.%w+)$")
  local own, own_core = ("%s/?.lua;%s/?/init.lua;"):format(root, root), ""
  local given = { LUA_PATH = package.path, LUA_CPATH = package.cpath }
  if folder and interpreter then
    local lua, beside = in_full(interpreter), folder:match "^(.*)/[^/]+$"
    for _, name in ipairs { lua:gsub("^/", ""):gsub("/", "-"),
      lua:match "[^/]+$" } do
      own_core = ("%s%s/%s/?%s;"):format(own_core, beside, name, ending)
    end
  elseif folder then
    own_core = ("%s/?%s;"):format(folder, ending)
  end
  if interpreter then -- some read a variable of their version instead
    given = { LUA_PATH = ";", LUA_CPATH = ";" }
    for variable, value in pairs(uv.os_environ()) do
      if variable:find "^LUA_C?PATH$" or variable:find "^LUA_C?PATH_5_%d$" then
        given[variable] = value
      end
    end
  end
  for variable, templates in pairs(given) do
    given[variable] = variable:find "^LUA_PATH"
      and own .. moved(templates, checkout) or own_core .. templates
  end
  return script, given
end

-- The environment of a launch. Its length shifts the stack, and a copy of it
-- the heap: by chance, or with 'fixed' to the same place in each such launch.
local function environment(places, random, variant, words)
  local list, fixed = {}, variant.fixed
  for name, value in pairs(places) do list[#list + 1] = name .. "=" .. value end
  -- Another interpreter's core must be built from the same sources. This
  -- interpreter's own core is not checked: it may have been built anew
  -- meanwhile.
  if variant.lua then
    list[#list + 1] = "TARE_CORE=" .. library.sources_of(core)
  end
  for name, value in pairs(uv.os_environ()) do
    if not name:find("^LUA_C?PATH") and name ~= "TARE_SHIFT"
      and name ~= "TARE_FIXED" and name ~= "TARE_CORE"
      and not name:find("^LUA_INIT") and not (fixed and fixed[name]) then
      list[#list + 1] = name .. "=" .. value
    end
  end
  local shift = not fixed and random(DRAWN_BYTES)
  if fixed then
    for name, value in pairs(fixed) do
      list[#list + 1] = name .. "=" .. value
    end
    local bytes = 0 -- of texts and of the pointers to them
    for _, texts in ipairs { list, words } do
      for _, text in ipairs(texts) do bytes = bytes + #text + 1 + 8 end
    end
    shift = FIXED_BYTES - bytes % FIXED_BYTES
  end
  -- Only the drawn one shifts the heap, too (tare/worker/main.lua).
  list[#list + 1] = (fixed and "TARE_FIXED=" or "TARE_SHIFT=")
    .. ("x"):rep(shift)
  return list
end

-- Plain data as Lua source; sorted, so that equal data is equal source.
local function source_of(value)
  if type(value) == "table" then
    local parts = {}
    for key, item in pairs(value) do
      parts[#parts + 1] = ("[%s]=%s"):format(source_of(key), source_of(item))
    end
    table.sort(parts)
    return "{" .. table.concat(parts, ",") .. "}"
  elseif type(value) == "string" then
    return (("%q"):format(value):gsub("\n", "n"):gsub("\r", "\\r"))
  elseif type(value) == "number" then
    if value == math.huge then return "1/0" end
    if value == -math.huge then return "-1/0" end
    return core.json_number(value)
  end
  return tostring(value)
end

-- Kills what is left of a launch's group, and of those of its workers.
function Launch:_kill_groups()
  if paths.is_windows then return end
  uv.kill(-self.pid, "sigkill")
  for pid in pairs(self.workers) do uv.kill(-pid, "sigkill") end
end

-- Waits until the process runs tare's code. A program that is no Lua may print
-- anything instead: the message quotes only its first words.
---@return string? message why it doesn't
function Launch:_wait_for_start(variant, file, limit_ns, signals)
  local printed = self.printed
  local no_lua = "it doesn't run Lua files"
  if printed then printed:hold() end
  local line = self.link:_line(limit_ns)
  local answer = line and parse(line)
  if answer and not answer.error then
    if printed then printed:pass_on_again() end
    return nil
  end
  local is_late = self.link.is_late
  local message = answer and answer.error
    or self:_ending(variant.lua and no_lua or "it ended while it started")
  local words = printed and printed:drop()
    :gsub("\27%A*%a", ""):match "[^%c%s][^%c]*"
  words = words and unicode.visible(words:sub(1, MOST_WORDS))
  self:close()
  if self.code == library.NO_CORE then
    return "has no core of tare: " .. how_to_build(file)
  elseif self.code == library.OTHER_CORE then
    return "has a core of other sources than this tare: " .. how_to_build(file)
  elseif is_late and signals.signal then
    return "interrupted while it started"
  elseif is_late then
    message = ("%s longer than %.4g s to start"):format(variant.lua
      and no_lua .. ", or takes" or "it takes", limit_ns / 1e9)
  end
  return words and message .. ": " .. words or message
end

-- What is printed from here on belongs to the bench 'id', or to none (nil).
function Launch:_turn(id)
  if not self.printed then return end
  self.printed:take()
  self.printed.id = id
end

-- Starts the process of a launch, which waits for its job.
---@return table? launch
---@return string? message
local function spawned(variant, job, random, signals, printed)
  local script, places = paths_for(variant.lua, variant.checkout)
  if not script then return nil, places end
  local self = setmetatable({ printed = printed, began_ns = uv.hrtime(),
    workers = {} }, Launch) -- numbers of those that it has not reaped
  -- Links are handed over through this pipe where there is fork. Not on
  -- Windows: there such a pipe would wrap what is sent in headers of libuv's.
  local pipe = uv.new_pipe(not paths.is_windows)
  local null = assert(uv.fs_open(NULL, "r", 0))
  local out = printed and printed:open() or 2
  self:_turn(nil) -- what loading prints belongs to no bench
  local words, file = {}, variant.lua or uv.exepath()
  lists.append(words, variant.under)
  words[#words + 1] = file
  lists.append(words, variant.options)
  words[#words + 1] = script
  local process, pid = uv.spawn(words[1], { cwd = variant.folder,
      args = { compat.unpack(words, 2) },
      env = environment(places, random, variant, { file, script }),
      stdio = { null, out, out, pipe }, detached = true },
    function(code, signal)
      self.code, self.signal, self.link.has_closed = code, signal, true
      self:_kill_groups() -- processes that its benches have left behind
    end)
  uv.fs_close(null)
  if not process then
    pipe:close()
    if printed then printed:shut() end
    return nil, "can't be started: " .. tostring(pid):gsub("^%u+: ", "")
  end
  self.process, self.pid = process, pid
  self.link = new_link(pipe, pid, signals)
  -- Under another command the start may take many times as long.
  local message = self:_wait_for_start(variant, file, not variant.under
    and START_NS or job.settings.timeout
    and math.max(job.settings.timeout, START_NS), signals)
  if message then return nil, message end
  return self
end

-- Lets the launch load the bench files of a job. If that fails, it is closed.
---@return string? message what went wrong
function Launch:_load(job)
  local text = "return " .. source_of(job)
  local limit_ns = job.settings.timeout
    and math.max(job.settings.timeout, LOAD_NS)
  self.limit_ns = limit_ns
  local answer, why = self.link:ask(("job %d\n%s"):format(#text, text),
    limit_ns)
  if not answer then
    self:close()
    if why == "late" then
      if self.link.signals.signal then return "interrupted while it loaded" end
      return ("loading took longer than %.4g s"):format(limit_ns / 1e9)
    end
    local message = self:_ending "it ended while it loaded the bench files"
    self:close()
    return message
  end
  if not answers.are_sound({ op = "job" }, answer) then
    self:close()
    return answers.LIE
  end
  for _, name in ipairs(OF_JOB) do self[name] = answer[name] end
  self:_turn(nil)
  self.layout = self.layout or {}
end

--- Starts a launch: a fresh process that loads the bench files of a job.
---@param variant { lua: string?, folder: string?, checkout: { of: string, path:
---  string }?, options: string[]?, under: string[]?, fixed: table<string,
---  string>? } lua: the interpreter, this one by default; folder: where it
---  runs; checkout: the working tree ('of') whose modules, if LUA_PATH finds
---  them there, are taken from a checkout ('path') instead; options: of the
---  interpreter; under: a command that starts it; fixed: variables for its
---  environment, whose layout is then the same each time
---@param job table plain data: see tare.worker.cells
---@param random fun(n: integer): integer for the layout of stack and heap; not
---  used with 'fixed'
---@param signals table of tare.cli.signals: signal, count
---@param printed table? of tare.cli.printed: takes what the launch and its
---  workers print, by the bench whose turn it is
---@return table? launch with 'cells', 'load_ns', 'layout', 'broken'...
---@return string? message
---@return boolean? is_of_files whether it had started, and was to load files
function Launch.start(variant, job, random, signals, printed)
  local self, message = spawned(variant, job, random, signals, printed)
  if not self then return nil, message end
  local copy = lists.copy(job)
  copy.pad = variant.fixed and 0 or random(DRAWN_PAD)
  message = self:_load(copy)
  if message then return nil, message, true end
  if variant.under then self.can_fork = false end -- it becomes its only worker
  self.limits = limits_of(self.pid)
  self.loaded_ns = uv.hrtime() -- the origin of its start times
  -- Without the time that it waited for a core: a busy machine is no reason for
  -- fewer launches.
  self.start_ns = math.max(0, self.loaded_ns - self.began_ns
    - queued_ns(self.pid))
  return self
end

-- Waits for the end of the process, and kills it with its group if it still
-- runs after so long. The system does not report the end of a process that
-- another one holds (ptrace): after END_MS that is waited for no more.
function Launch:_end_after(ms)
  local killer, is_late = uv.new_timer(), false
  killer:start(ms, 0, function()
    self.process:kill "sigkill"
    self:_kill_groups()
    killer:start(END_MS, 0, function() is_late = true end)
  end)
  while not (self.code or is_late) do uv.run("once") end
  killer:close()
end

-- Kills the process, if it still runs. Returns in words how it has ended.
function Launch:_ending(what)
  if self.process then self:_end_after(0) end
  if self.signal and self.signal ~= 0 then
    return ("%s (signal %d)"):format(what, self.signal)
  end
  return ("%s (exit code %d)"):format(what, self.code or 0)
end

-- Sends the launch itself a request that takes no time. A bench may have
-- suspended the launch (SIGSTOP), or may do so while it answers: so it is woken
-- (SIGCONT) repeatedly until it has answered. A launch that a bench holds by
-- other means (ptrace) is given up.
function Launch:_ask_awake(op, number)
  local timer = uv.new_timer()
  timer:start(0, AWAKE_MS, function()
    if not self.code then uv.kill(self.pid, "sigcont") end
  end)
  local answer, why = self.link:ask(("%s %d\n"):format(op, number or 0),
    ANSWER_NS)
  timer:close()
  if answer and not answers.are_sound({ op = op }, answer) then
    return nil, answers.LIE
  end
  return answer, why
end

-- Lets the launch end a worker, and what the worker has left in its group.
---@return table? answer how it has ended; nil if the launch can't say
function Launch:_reap(worker)
  local answer = self:_ask_awake("reap", worker.pid)
  if answer then self.workers[worker.pid] = nil end
  return answer
end

--- A worker for one of its cells.
---@param index integer of the cell
---@param id string of its bench
---@return table? link
---@return string? message
function Launch:worker(index, id)
  local link = self.link
  link.accepted, self.has_worker = nil, true
  if not self.can_fork then
    local ready = link:ask(("serve %d\n"):format(index), self.limit_ns)
    if not ready then return nil, self:_ending "it ended" end
    if not answers.are_sound({ op = "serve" }, ready) then
      return nil, answers.LIE
    end
    if ready.error then return nil, ready.error end
    link.id = id
    return link
  end
  local answer, why = self:_ask_awake("fork", index)
  -- After a signal the launch is not ended here: its other workers still have
  -- to be torn down.
  if not answer then
    return nil, link.signals.signal and "it was interrupted"
      or self:_ending("the launch ended: " .. why)
  end
  if answer.error then return nil, answer.error end
  if not link.accepted then return nil, "its link was not handed over" end
  self.workers[answer.worker] = true
  local worker = new_link(link.accepted, answer.worker, link.signals)
  worker.watch = uv.new_timer()
  local line = worker:_line(self.limit_ns)
  if not line then
    local message = self:_ending_of(worker, self.limit_ns)
    worker:close()
    return nil, message
  end
  worker.id = id
  return worker
end

-- How a worker has ended, in words, and the code of a warning. A worker that is
-- too late is killed here. Any other one that still runs is killed by the
-- launch, which is asked how it ended.
function Launch:_ending_of(worker, limit_ns)
  if worker.is_late then
    uv.kill(worker.pid, "sigkill")
  end
  local ended
  if worker == self.link then
    local message = self:_ending("it ended its process")
    if not worker.is_late then return message, "launch_failed" end
  else
    ended = self:_reap(worker)
    if not ended and not worker.is_late then
      return self:_ending "it ended its process and the one that started it",
        "launch_failed"
    end
  end
  if worker.is_late then
    return ("it had not returned after %.4g s"):format((limit_ns or 0) / 1e9),
      "timeout"
  end
  -- Neither signal nor code is known where the bench file ignores the signal of
  -- a child's end (SIGCHLD).
  local how = ""
  if (ended.signal or 0) ~= 0 then
    how = (": signal %d"):format(ended.signal)
  elseif ended.code then
    how = (": exit code %d"):format(ended.code)
  end
  return "it ended its process" .. how, "launch_failed"
end

--- Sends a request to a worker. All ways in which a running bench dies in a
--- launch are detected here: it raised an error, did not return in time, ended
--- its process, or wrote what can't be an answer. (Before it runs: Launch.start
--- and Launch:worker.) What follows: Bench:fail in tare.conductor.bench, and
--- Record:is_lost.
---@param link table to a worker, or to the launch itself; 'is_gone' is set if
---  that has ended
---@param request { op: string, iters: integer?, untimed: integer? }
---@param limit_ns number? how long the answer may take
---@return table? row
---@return string? message what went wrong
---@return string? code of a warning
function Launch:ask(link, request, limit_ns)
  self:_turn(link.id)
  local row, why = link:ask(("%s %.0f %.0f\n"):format(request.op,
    request.iters or 0, request.untimed or 0), limit_ns)
  self:_turn(link.id)
  -- A process that the worker has left may have answered in its place.
  if request.op == "finish" and link.watch and has_ended(link.pid) then
    row = nil
  end
  if row and not link:has_more() and answers.are_sound(request, row) then
    if row.error == nil then return row end
    return nil, row.error, row.code
  end
  local message, code = self:_ending_of(link, limit_ns)
  if row or link.is_flooded then
    message = row and answers.LIE or answers.too_large(request.op)
    code = "launch_failed"
  elseif why == "late" and link.signals.signal then
    message, code = "it was interrupted", "interrupted"
  end
  link:close()
  return nil, message, code
end

--- Releases a worker that has done its work.
---@param worker table
function Launch:release(worker)
  if worker == self.link then return end
  self:_turn(worker.id)
  worker:close()
  self:_reap(worker)
  self:_turn(nil)
end

--- Whether the process has ended without being asked to.
---@return boolean
function Launch:has_died()
  return self.code ~= nil or self.link.has_closed == true
end

--- Whether it can still fork workers. A launch whose resource limits a bench
--- has changed (prlimit) can't, since its workers would inherit them.
---@return boolean
function Launch:is_alive()
  return not (self:has_died() or self.link.is_late)
    and limits_of(self.pid) == self.limits
    and (not self.can_fork or self:_ask_awake "ping" ~= nil)
end

--- Ends the process.
function Launch:close()
  self.link:close()
  if self.process then self:_end_after(CLOSE_MS) end
  if self.process and not self.process:is_closing() then
    self.process:close()
  end
  uv.run "nowait" -- luv frees what was closed
  self:_turn(nil)
  if self.printed then self.printed:shut() end
  self.printed = nil
end

return Launch
