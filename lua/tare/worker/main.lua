-- The process of a launch: it loads the bench files, and forks a worker for
-- each cell that the conductor asks for. Launch and worker each have a link:
-- every line they receive is a request, and they answer it with a line of JSON.
-- They need the core, and no other library.
--
--   (nothing)   -> {}: it has started
--   job BYTES   (and so many bytes of Lua that return the job)  -> the cells
--   fork N      -> {"worker":PID}, and the other end of its link
--   serve N     -> {"ready":true, ...}: this process becomes the worker, where
--               it can't fork; a worker that was forked begins with the same
--   reap PID    -> how a worker ended
--   ping        -> {}: it still answers
--   OP ITERS UNTIMED   (asked of a worker: see tare.worker)     -> a row
local root = assert(arg[0]:match("^(.*)/tare/worker/main%.lua$"))
-- A text of random length: all that is allocated from here on lies elsewhere in
-- each launch. Otherwise the paths of two revisions, which differ in length,
-- would decide where it lies, the same in all their launches.
local shift = os.getenv "TARE_SHIFT" -- luacheck: ignore 211
local library = assert(loadfile(root .. "/tare/worker/library.lua"))()
library.keep(root)
local has_core, core = pcall(require, "tare.core")
if not has_core then os.exit(library.NO_CORE) end
local sources = os.getenv "TARE_CORE" -- of the conductor's core
if sources and not library.is_like(core, sources) then
  os.exit(library.OTHER_CORE)
end
local heap = require "tare.worker.heap"
local interpreter = require "tare.env.interpreter"
local json = require "tare.base.json"
local loader = require "tare.worker.cells"
local Process = require "tare.worker.process"
local Worker = require "tare.worker"
local load_text = require("tare.base.compat").load_text
local unicode = require "tare.base.unicode"

local LINK_FD = 3
local REAP_MS = 200 -- for a worker to end after its link has closed
local GROWN = 1.25 -- a set-up that makes the heap this much larger is collected

-- Kept here, since benches may remove or replace them.
local exit, pcall, tostring, run = os.exit, pcall, tostring, Worker.run
local shortened = unicode.shortened
local collectgarbage = collectgarbage
local mend_strings = library.mend_strings
io.stdout:setvbuf "line" -- what is printed before a crash is seen
local link = core.link(LINK_FD)
link:follow()

os.exit = function(code) -- luacheck: ignore 122
  error("it called os.exit(" .. (code == nil and "" or tostring(code)) .. ")",
    2)
end

local function send(message) link:send(json.encode(message)) end
local function fail(message, code)
  send { error = shortened(message), code = code }
end

-- After a set-up that made the heap grow: collects its garbage, so that it is
-- not collected while the bench is measured.
local function collect_setup(worker, answer)
  local began_ns = worker.meter:now()
  heap.start_anew()
  answer.heap_bytes = collectgarbage "count" * 1024
  answer.spent_ns = answer.spent_ns + worker.meter:now() - began_ns
end

-- A worker's whole life.
local function serve(cell, process)
  process.meter:counters() -- hardware counters of this process, if any
  local worker = Worker.new(cell, process)
  local request, loaded_bytes = {}, collectgarbage "count" * 1024
  send { ready = true, heap_bytes = loaded_bytes }
  while true do
    request.op, request.iters, request.untimed = link:receive()
    if not request.op then exit(0) end
    local ok, row, message, code = pcall(run, worker, request)
    mend_strings()
    if ok and row and request.op == "prepare"
      and row.heap_bytes > GROWN * loaded_bytes then
      pcall(collect_setup, worker, row) -- a bench's finalizer may raise
    end
    if not ok then -- a bench may have broken what this code needs
      fail("tare's worker failed, perhaps by what the bench did to "
        .. "its process: " .. tostring(row):match("^[^\n]*"))
    elseif not row then
      fail(message, code)
    elseif row == worker.row and not row.shares_traces
      and not row.clock_went_back then
      link:send_row(worker.samples)
    else
      send(row)
    end
  end
end

local pad -- luacheck: ignore 231 (it is there to shift the heap)

-- Loads what the job names.
---@return table<integer, table> cells that workers can be asked for, by number
---@return string missing why others can't
---@return table answer for the conductor: the cells as plain data, if it wants
---  them, and what this process drew by chance
local function load_job(bytes)
  local began_ns = core.now_ns()
  local job = assert(load_text(link:take(bytes)))()
  pad = ("x"):rep(job.pad or 0)
  local numbers = job.ids and {} -- the order may differ in this process
  for number, id in pairs(job.ids or {}) do numbers[id] = number end
  local is_sound, list, message, broken = pcall(loader.of, job)
  mend_strings()
  if not is_sound then -- files may have broken what this code needs
    message = ("%s: harms the process that loads it: %s"):format(
      job.files[1] or "what is given", tostring(list):match "^[^\n]*")
    list, broken = nil, { message }
  end
  local kept, plain = {}, job.wants_cells and list and {} or nil
  for i = 1, #(list or {}) do
    local number = i
    if numbers then number = numbers[unicode.repair(list[i].id)] end
    if number then kept[number] = list[i] end
    if plain then plain[i] = loader.plain(list[i], job.settings) end
  end
  local missing = message or broken[1]
    or "its bench file, loaded once more, has no such bench"
  return kept, missing, { cells = plain, error = message, broken = broken,
    load_ns = core.now_ns() - began_ns, can_fork = core.can_fork,
    layout = interpreter.layout(core), interpreter = plain
      and interpreter.fields(core) or nil }
end

local cells, missing, process
send {}
while true do
  local word, number = link:receive()
  if word == "job" then
    local answer
    cells, missing, answer = load_job(number)
    process = Process.new { long = true }
    send(answer)
    answer = nil -- luacheck: ignore 311
    -- What loading left, and the cells of other windows, are collected here: no
    -- bench pays for them, nor for marking a large heap.
    pcall(heap.start_anew) -- a finalizer of a file may raise
    core.join_free_memory() -- else each worker would, with a copy of its pages
  elseif (word == "fork" or word == "serve") and not cells[number] then
    fail(missing)
  elseif word == "fork" then
    local pid, message = link:fork()
    if pid == 0 then serve(cells[number], process) end
    if not pid then fail("fork: " .. message) end
  elseif word == "serve" then
    serve(cells[number], process)
  elseif word == "reap" then
    local code, signal = link:reap(number, REAP_MS)
    send { code = code, signal = signal }
  elseif word == "ping" then
    send {}
  else
    exit(0) -- the conductor has gone, or has no more work
  end
end
