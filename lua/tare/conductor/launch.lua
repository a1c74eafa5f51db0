-- Processes of a run as the conductor sees them: launches, which have loaded
-- the bench files, and the workers that they fork. A request is a line, an
-- answer is a line of JSON (tare.worker.main). While the conductor waits, it
-- runs luv's loop, for signals and progress. When a bench dies, Launch:ask sees
-- it.
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
local GRACE_NS = 2e9 -- that a request has to finish after a signal
local MOST_WORDS = 200 -- bytes of what it prints that a message passes on
local START_NS = 3e10 -- that an interpreter has to start, on a crowded machine
local LOAD_NS = 1e10 -- that bench files have to load, where there is a timeout
local LONGEST_NS = 8e18 -- that a timer can run, 250 years
local MOST_BYTES = 2^28 -- of answers that wait; a profile has megabytes
local DRAWN_BYTES = 4096 -- by which the stack is shifted, at most
local DRAWN_PAD = 65536 -- and the heap
local AWAKE_MS = 100 -- between two tries to wake a launch that was suspended
local ANSWER_NS = 1e10 -- that a launch has for what takes it no time
local CLOSE_MS = 200 -- that it has to end, before it is killed
local END_MS = 5000 -- that the system has to report its end
local FIXED_BYTES = 32768 -- of which arguments and environment are a multiple

-- Reads numbers as the reports do, whatever is in them.
local decode = cjson.new()
decode.decode_invalid_numbers(false)
decode.decode_max_depth(1000)

local function parse(line)
  local ok, value = pcall(decode.decode, line)
  return ok and type(value) == "table" and value
    or { error = "its answer can't be read: " .. line:sub(1, 60) }
end

-- A link over an open pipe.
local function new_link(pipe, pid, signals)
  local self = setmetatable({ pipe = pipe, pid = pid, pieces = {}, lines = {},
    first = 1, last = 0, signals = signals }, Link)
  local waiting = 0 -- bytes that have come and were not taken
  pipe:read_start(function(message, data)
    while not paths.is_windows and pipe:pending_count() > 0 do
      local other = uv.new_pipe(false)
      if pipe:accept(other) then self.accepted = other end
    end
    waiting = not self:has_more() and 0 or waiting
    waiting = waiting + #(data or "")
    if message or not data or waiting > MOST_BYTES then
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
-- not answer in time. The time is counted in ticks that this process has seen:
-- if it was suspended, or the machine stood still, the worker was too, and all
-- that while is one tick. A second signal ends what is waited for as it comes,
-- and nothing that comes after it.
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
  while self.first > self.last and not self.has_closed and not self.is_late do
    if signals.signal and not is_ending then
      is_ending = true
      limited(math.min(limit_ns or math.huge, GRACE_NS))
    end
    uv.run("once")
    if signals.count > waits_for then self.is_late = true end
  end
  if timer then timer:close() end
  if self.first > self.last then return nil end
  local line = self.lines[self.first]
  self.is_late = nil -- it has answered all the same
  self.lines[self.first], self.first = nil, self.first + 1
  return line
end

--- Whether there are answers to what was not asked.
---@return boolean
function Link:has_more()
  return self.first <= self.last or self.pieces[1] ~= nil
end

--- Sends a request and waits for the answer.
---@param text string lines
---@param limit_ns number? how long the answer may take
---@return table? answer nil where there is none
---@return string? why "late" or "closed"
function Link:ask(text, limit_ns)
  self.pipe:write(text)
  local line = self:_line(limit_ns)
  if line then return parse(line) end
  return nil, self.is_late and "late" or "closed"
end

--- Closes the link: from here on 'is_gone' is set.
function Link:close()
  self.is_gone = true
  if not self.pipe:is_closing() then self.pipe:close() end
end

-- LAUNCHES -------------------------------------------------------------------

-- What it keeps of its answer to a job.
local OF_JOB = { "cells", "error", "broken", "load_ns", "can_fork", "layout",
  "interpreter" }

-- How long a process had to wait for a core until now; 0 where the system
-- doesn't say it.
local function queued_ns(pid)
  local file = io.open(("/proc/%d/schedstat"):format(pid))
  if not file then return 0 end
  local _, queued = file:read("*n", "*n")
  file:close()
  return tonumber(queued) or 0
end

-- What the system lets a process have; nil where it doesn't say it.
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

-- A template of modules with its links followed, as far as there are folders.
local function without_links(template)
  local folder, rest = paths.forward(template):match "^([^?]*/)(.*)$"
  if not folder then folder, rest = "./", template end
  while not uv.fs_realpath(folder) do
    local up, name = folder:match "^(.-)([^/]+/+)$"
    folder, rest = up == "" and "./" or up, name .. rest
  end
  return (paths.forward(uv.fs_realpath(folder)) .. "/"):gsub("//$", "/") .. rest
end

-- Templates of modules in a working tree, as those in a checkout of it.
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

-- Where tare's modules are, its core for an interpreter, and those of the bench
-- files: the script of a launch, and the variables that lead to these. A core
-- that was built beside this one, in a folder named after the interpreter, is
-- its own.
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
  if interpreter then
    local name = paths.forward(interpreter):match("([^/]+)$")
    folder = folder and folder:match("^(.*)/[^/]+$")
    folder, ending = folder and folder .. "/" .. name, ending or ".so"
    -- Some read a variable of their version in place of these.
    given = { LUA_PATH = ";", LUA_CPATH = ";" }
    for variable, value in pairs(uv.os_environ()) do
      if variable:find "^LUA_C?PATH$" or variable:find "^LUA_C?PATH_5_%d$" then
        given[variable] = value
      end
    end
  end
  if folder then own_core = ("%s/?%s;"):format(folder, ending) end
  for variable, templates in pairs(given) do
    given[variable] = variable:find "^LUA_PATH"
      and own .. moved(templates, checkout) or own_core .. templates
  end
  return script, given
end

-- The environment of a launch. Its length shifts the stack: by chance, or, with
-- 'fixed', so that the stack begins where it does in any other such launch.
local function environment(places, random, variant, words)
  local list, fixed = {}, variant.fixed
  for name, value in pairs(places) do list[#list + 1] = name .. "=" .. value end
  -- This interpreter's own core may have been built anew meanwhile.
  if variant.lua then
    list[#list + 1] = "TARE_CORE=" .. library.sources_of(core)
  end
  for name, value in pairs(uv.os_environ()) do
    if not name:find("^LUA_C?PATH") and name ~= "TARE_SHIFT"
      and name ~= "TARE_CORE"
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
  list[#list + 1] = "TARE_SHIFT=" .. ("x"):rep(shift)
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
    return (("%.17g"):format(value):gsub(",", "."))
  end
  return tostring(value)
end

-- Ends what is left of a process's group.
local function kill_group(pid)
  if not paths.is_windows then uv.kill(-pid, "sigkill") end
end

-- Waits until the process runs tare's code. What is no Lua may print what it
-- likes instead: only its first words are passed on, in the message.
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
    return ("has no core of tare: 'make build LUA=%s', or 'make install "
      .. "LUA=%s'"):format(file, file)
  elseif self.code == library.OTHER_CORE then
    return ("has a core of other sources than this tare: 'make build LUA=%s', "
      .. "or 'make install LUA=%s'"):format(file, file)
  elseif is_late and signals.signal then
    return "interrupted while it started"
  elseif is_late then
    message = ("%s longer than %.4g s to start"):format(variant.lua
      and no_lua .. ", or takes" or "it takes", limit_ns / 1e9)
  end
  return words and message .. ": " .. words or message
end

-- What is printed from here on is of a bench, by its id, or of none.
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
  local self = setmetatable({ printed = printed, began_ns = uv.hrtime() },
    Launch)
  -- Pipes are handed over where there is fork. On Windows a pipe that could
  -- hand over others wraps what is sent in headers of libuv's.
  local pipe = uv.new_pipe(not paths.is_windows)
  local null = assert(uv.fs_open(NULL, "r", 0))
  local out = printed and printed:open() or 2
  self:_turn(nil) -- what loading prints is no bench's
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
      self.code, self.signal = code, signal
      kill_group(self.pid) -- what its benches have started and left behind
    end)
  uv.fs_close(null)
  if not process then
    pipe:close()
    if printed then printed:shut() end
    return nil, "can't be started: " .. tostring(pid):gsub("^%u+: ", "")
  end
  self.process, self.pid = process, pid
  self.link = new_link(pipe, pid, signals)
  -- Under another command it may be many times slower.
  local message = self:_wait_for_start(variant, file, not variant.under
    and START_NS or job.settings.timeout
    and math.max(job.settings.timeout, START_NS), signals)
  if message then return nil, message end
  return self
end

-- Has it load the bench files of a job. Where that fails, it is closed.
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
---@param variant { lua: string?, folder: string?, checkout: { of: string,
---  path: string }?, options: string[]?, under: string[]?,
---  fixed: table<string, string>? } lua: the interpreter, this one by default;
---  folder: where it runs; checkout: of which working tree it has the files,
---  and where, so that modules that LUA_PATH finds in the tree are found there;
---  options: of the interpreter; under: a command that it is started by; fixed:
---  nothing is left to chance, and these are in the environment
---@param job table plain data: see tare.worker.cells
---@param random fun(n: integer): integer  for its layout
---@param signals table of tare.cli.signals: signal, count
---@param printed table? of tare.cli.printed: where it prints to, and what its
---  workers print, each in the turn of its bench
---@return table? launch with 'cells', 'load_ns', 'layout', 'broken'...
---@return string? message
function Launch.start(variant, job, random, signals, printed)
  local self, message = spawned(variant, job, random, signals, printed)
  if not self then return nil, message end
  local copy = lists.copy(job)
  copy.pad = variant.fixed and 0 or random(DRAWN_PAD)
  message = self:_load(copy)
  if message then return nil, message end
  if variant.under then self.can_fork = false end -- it is its only worker
  self.limits = limits_of(self.pid)
  self.loaded_ns = uv.hrtime() -- from here on its clock counts
  -- Without what others took of it: being busy is no reason for few launches.
  self.start_ns = math.max(0, self.loaded_ns - self.began_ns
    - queued_ns(self.pid))
  return self
end

-- Ends the process, if it still runs after so long, with all of its group. The
-- system does not report the end of one that another process holds (ptrace):
-- that is not waited for.
function Launch:_end_after(ms)
  local killer, is_late = uv.new_timer(), false
  killer:start(ms, 0, function()
    self.process:kill "sigkill"
    kill_group(self.pid)
    killer:start(END_MS, 0, function() is_late = true end)
  end)
  while not (self.code or is_late) do uv.run("once") end
  killer:close()
end

-- Ends the process, if it still runs, and says in words how it has ended.
function Launch:_ending(what)
  if self.process then self:_end_after(0) end
  if self.signal and self.signal ~= 0 then
    return ("%s (signal %d)"):format(what, self.signal)
  end
  return ("%s (exit code %d)"):format(what, self.code or 0)
end

-- Asks the launch itself for what takes no time. A bench may have suspended it
-- (SIGSTOP), or one that is still there may yet: it is woken (SIGCONT) until it
-- has answered. One that a bench holds by other means (ptrace) is given up.
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

--- A worker for one of its cells.
---@param index integer of the cell
---@param id string of its bench
---@return table? link
---@return string? message
function Launch:worker(index, id)
  local link = self.link
  link.accepted = nil
  if not self.can_fork then
    local ready = link:ask(("serve %d\n"):format(index), self.limit_ns)
    self.is_worker = true
    if not ready then return nil, self:_ending "it ended" end
    if not answers.are_sound({ op = "serve" }, ready) then
      return nil, answers.LIE
    end
    if ready.error then return nil, ready.error end
    link.id = id
    return link
  end
  local answer, why = self:_ask_awake("fork", index)
  -- Workers that it has forked are left to it until they are torn down.
  if not answer then
    return nil, link.signals.signal and "it was interrupted"
      or self:_ending("the launch ended: " .. why)
  end
  if answer.error then return nil, answer.error end
  if not link.accepted then return nil, "its link was not handed over" end
  local worker = new_link(link.accepted, answer.worker, link.signals)
  local line = worker:_line(self.limit_ns)
  if not line then
    local message = self:_ending_of(worker, self.limit_ns)
    worker:close()
    return nil, message
  end
  worker.id = id
  return worker
end

-- How a worker has ended, in words, and the code of a warning. One that is too
-- late is killed here; any other that still runs is killed by the launch, when
-- that is asked for its end ("reap").
function Launch:_ending_of(worker, limit_ns)
  if worker.is_late then
    uv.kill(worker.pid, "sigkill")
  end
  local ended
  if worker == self.link then
    local message = self:_ending("it ended its process")
    if not worker.is_late then return message, "launch_failed" end
  else
    ended = self:_ask_awake("reap", worker.pid)
    if not ended and not worker.is_late then
      return self:_ending "it ended its process and the one that started it",
        "launch_failed"
    end
  end
  if worker.is_late then
    return ("it had not returned after %.4g s"):format((limit_ns or 0) / 1e9),
      "timeout"
  end
  -- Neither is known where the bench file has the signal of a child's end
  -- (SIGCHLD) ignored.
  local how = ""
  if (ended.signal or 0) ~= 0 then
    how = (": signal %d"):format(ended.signal)
  elseif ended.code then
    how = (": exit code %d"):format(ended.code)
  end
  return "it ended its process" .. how, "launch_failed"
end

--- Sends a request to a worker. However a running bench dies, it is seen here
--- (before: Launch:worker, Launch.start): it raised an error, did not return in
--- time, ended its process, or wrote what can't be an answer. What becomes of
--- it then: Bench:fail in tare.conductor.bench, and Record:is_lost.
---@param link table to a worker, or to the launch itself; 'is_gone' where that
---  has ended
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
  if row and not link:has_more() and answers.are_sound(request, row) then
    if row.error == nil then return row end
    return nil, row.error, row.code
  end
  local message, code = self:_ending_of(link, limit_ns)
  if row then
    message, code = answers.LIE, "launch_failed"
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
  self:_ask_awake("reap", worker.pid)
  self:_turn(nil)
end

--- Whether the process has ended, though nobody has asked it to.
---@return boolean
function Launch:has_died()
  return self.code ~= nil or self.link.has_closed == true
end

--- Whether it can still fork workers. One that a bench has limited (prlimit)
--- hands its limits on to them.
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
  uv.run "nowait" -- what was closed is let go of
  self:_turn(nil)
  if self.printed then self.printed:shut() end
  self.printed = nil
end

return Launch
