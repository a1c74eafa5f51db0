-- The pass 'traces': what LuaJIT compiles of a bench, and what it gives up. The
-- bench is called with nothing compiled yet. Then LuaJIT's own profiler samples
-- its compiled code.
local compat = require "tare.base.compat"
local core = require "tare.core"

local traces = {}

local LEAST_CALLS = 500 -- well above the 56 turns after which a loop is hot
local SETTLED_NS = 5e7 -- least time without an event, after which calls end
local MOST_NS = 1e9
local SAMPLED_NS = 3e8
local OUR_LOOP = "=(tare loop)"
local LEAST_SAMPLES = 20
-- The folder of tare's own source, whose traces are left out.
local debug = rawget(_G, "debug")
local OURS = type(debug) == "table" and debug.getinfo
  and debug.getinfo(1, "S").source:match("^(.*)worker.traces")

-- A module of LuaJIT's own; nil where it is not installed.
local function module(name)
  local ok, loaded = pcall(require, name)
  return ok and loaded or nil
end

local function opcode_name(vmdef, number)
  return vmdef.bcnames:sub(number * 6 + 1, number * 6 + 6):gsub("%s+$", "")
end

-- The name of a function that the compiler refused.
local function function_name(util, vmdef, fn)
  local info = util.funcinfo(fn)
  if info.loc then return info.loc end
  if info.ffid and vmdef then return vmdef.ffnames[info.ffid] end
  return info.addr and "a C function" or "?"
end

-- Why a trace was given up, in LuaJIT's words.
local function reason_of(util, vmdef, code, detail)
  if type(code) ~= "number" then return tostring(code) end
  local text = vmdef and vmdef.traceerr[code] or ("error %d"):format(code)
  if type(detail) == "function" then
    detail = function_name(util, vmdef, detail)
  elseif type(detail) == "number" and text:find "bytecode" and vmdef then
    text, detail = text:gsub("%%d", "%%s"), opcode_name(vmdef, detail)
  end
  local ok, filled = pcall(string.format, text, detail)
  return ok and filled or text
end

-- Calls f with a handler of LuaJIT's events of a kind ("trace", "texit"). There
-- is one handler per kind, so a host's handler is restored afterwards. A LuaJIT
-- from before September 2023 may crash with a handler (see
-- tare.worker.jitwatch).
local function with_handler(handler, event, f)
  local attach = compat.jit().attach
  local registry = type(debug) == "table" and debug.getregistry
    and debug.getregistry()
  local handlers, before = registry and registry._VMEVENTS or {}, {}
  for slot, there in pairs(handlers) do before[slot] = there end
  attach(handler, event)
  handlers = registry and registry._VMEVENTS or {}
  local previous
  for slot, there in pairs(handlers) do
    if there == handler then previous = before[slot] end
  end
  local ok, message = pcall(f)
  attach(handler) -- removes it
  if previous then attach(previous, event) end
  return ok, message
end

local Recorder = {}
Recorder.__index = Recorder

-- The place of an instruction: source and line.
function Recorder:_place(func, pc)
  local info = self.util.funcinfo(func, pc)
  return info.source or "=?", info.currentline or info.linedefined or 0
end

function Recorder:_bytecode(func, pc)
  local instruction = self.util.funcbc(func, pc)
  return instruction and self.vmdef
    and opcode_name(self.vmdef, instruction % 256) or nil
end

function Recorder:_abort(func, pc, code, detail)
  self.aborted = self.aborted + 1
  local source, line = self:_place(func, pc)
  if source == OUR_LOOP or OURS and source:sub(1, #OURS) == OURS then return end
  local reason = reason_of(self.util, self.vmdef, code, detail)
  local key = ("%s\0%d\0%s"):format(source, line, reason)
  local abort = self.aborts[key]
  if not abort then
    abort = { source = source:gsub("^[@=]", ""), line = line, reason = reason,
      bytecode = self:_bytecode(func, pc), count = 0 }
    self.aborts[key], self.order[#self.order + 1] = abort, abort
  end
  abort.count = abort.count + 1
  if self.start then
    self.starts[#self.starts + 1] = { abort = abort, func = self.start.func,
      pc = self.start.pc }
  end
end

-- A trace was compiled. It counts for the line at which its root begins: the
-- trace without a parent from which it descends.
function Recorder:_compiled(number)
  local root = self.root_of[self.parent]
  if not self.parent then
    local source, line = self:_place(self.start.func, self.start.pc)
    local key = source .. "\0" .. line
    root = self.roots[key]
    if not root then
      root = { source = source:gsub("^[@=]", ""), line = line, traces = 0,
        side = 0, exits = 0, taken = 0 }
      self.roots[key] = root
      self.roots[#self.roots + 1] = root
    end
  end
  self.compiled = self.compiled + 1
  if self.parent then self.side = self.side + 1 end
  if not root then return end -- its root was compiled before
  local info = self.util.traceinfo(number)
  self.root_of[number] = root
  root.traces = root.traces + 1
  root.side = root.side + (self.parent and 1 or 0)
  root.exits = root.exits + (info and info.nexit or 0)
end

function Recorder:_event(what, number, func, pc, parent, ...)
  self.events = self.events + 1
  if what == "start" then
    self.start = not parent and { func = func, pc = pc } or nil
    self.parent = parent
  elseif what == "stop" then
    self:_compiled(number)
  elseif what == "flush" then
    self.root_of = {}
  elseif what == "abort" then
    self:_abort(func, pc, parent, ...)
  end
end

-- Instructions that LuaJIT writes over the head of a loop or a function that it
-- will not try to compile again.
local GIVEN_UP = { IFORL = true, IITERL = true, ILOOP = true, IFUNCF = true,
  IFUNCV = true }

function Recorder:_mark_blacklisted()
  for _, start in ipairs(self.starts) do
    if GIVEN_UP[self:_bytecode(start.func, start.pc) or ""] then
      start.abort.blacklisted = true
    end
  end
end

-- How often calls leave compiled code through an exit.
function Recorder:count_exits(call, calls)
  local ok, message = with_handler(function(number)
    local root = self.root_of[number]
    if root then root.taken = root.taken + 1 end
  end, "texit", call)
  for _, root in ipairs(self.roots) do root.taken = root.taken / calls end
  return ok, message
end

function Recorder:result()
  self:_mark_blacklisted()
  table.sort(self.roots, function(a, b)
    if a.source ~= b.source then return a.source < b.source end
    return a.line < b.line
  end)
  local roots = {}
  for i, root in ipairs(self.roots) do roots[i] = root end
  local aborts = self.order
  table.sort(aborts, function(a, b)
    if a.source ~= b.source then return a.source < b.source end
    if a.line ~= b.line then return a.line < b.line end
    return a.reason < b.reason
  end)
  return { compiled = self.compiled, side = self.side,
    aborted = self.aborted, aborts = aborts, roots = roots }
end

-- Where compiled code spends its time, by LuaJIT's profiler. There is only one
-- profiler, so a host's is stopped.
local function sampled(call)
  local profiler = module "jit.profile"
  if not profiler then return nil end
  local lines, total, compiled = {}, 0, 0
  profiler.start("li1", function(thread, samples, state)
    local place = profiler.dumpstack(thread, "pl", 1)
    lines[place] = (lines[place] or 0) + samples
    total = total + samples
    if state == "N" then compiled = compiled + samples end
  end)
  local ok, message = pcall(function()
    local began_ns = core.now_ns()
    repeat call() until core.now_ns() - began_ns > SAMPLED_NS
  end)
  profiler.stop()
  if not ok then error(message, 0) end
  if total < LEAST_SAMPLES then return nil end
  local list = {}
  for place, samples in pairs(lines) do
    local source, line = place:match("^(.*):(%d+)$")
    list[#list + 1] = { source = source or place, line = tonumber(line) or 0,
      share = samples / total }
  end
  table.sort(list, function(a, b)
    if a.share ~= b.share then return a.share > b.share end
    if a.source ~= b.source then return a.source < b.source end
    return a.line < b.line
  end)
  return { samples = total, compiled = compiled / total, lines = list }
end

--- What is compiled of a bench. Drops all compiled code before.
---@param fixture table prepared
---@param iters integer calls of a batch
---@param again boolean whether calls may be repeated: not where each has an
---  input of its own
---@return table? traces { compiled, side (of them), aborted, aborts = {
---  {source, line, reason, bytecode?, count, blacklisted?} }, roots = {
---  {source, line, traces, side (of them), exits (that they have), taken (per
---  call)} }, sampled? =
---  {samples, compiled (share of them), lines = { {source, line, share} }} }
---@return string? message
function traces.take(fixture, iters, again)
  local recorder, jit = setmetatable({ util = module "jit.util",
    vmdef = module "jit.vmdef", compiled = 0, side = 0, aborted = 0,
    events = 0, aborts = {}, order = {}, starts = {}, roots = {},
    root_of = {} }, Recorder), compat.jit()
  if not recorder.util then return nil, "this LuaJIT lacks 'jit.util'" end
  jit.flush()
  local repeats = fixture:repeater()
  local function call() fixture:within(repeats, iters) end
  local function on_event(...) recorder:_event(...) end
  local ok, message = with_handler(on_event, "trace", function()
    local began_ns, calls, events = core.now_ns(), 0, -1
    local settled_ns = began_ns
    repeat
      call()
      calls = calls + iters
      local now_ns = core.now_ns()
      if recorder.events ~= events then
        events, settled_ns = recorder.events, now_ns
      end
    until not again or now_ns - began_ns > MOST_NS
      or calls >= LEAST_CALLS and now_ns - settled_ns > SETTLED_NS
  end)
  if ok and again then ok, message = recorder:count_exits(call, iters) end
  if not ok then return nil, message end
  local made = recorder:result()
  if again then
    local found
    ok, found = pcall(sampled, call)
    if not ok then return nil, found end
    made.sampled = found
  end
  return made
end

return traces
