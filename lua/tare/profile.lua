-- tare.profile: the profile pass alone, of one function in this process.
local compat = require "tare.base.compat"
local core = require "tare.core"
local Process = require "tare.worker.process"
local profiler = require "tare.worker.profiler"
local Worker = require "tare.worker"

local profile = {}

local TRIES = 3 -- calls, of which the quickest says how many are profiled

local function asked(worker, request)
  local answer, message = worker:run(request)
  if not answer then error(message, 0) end
  return answer
end

local function taken(worker, calls)
  asked(worker, { op = "prepare" })
  local quickest_ns = math.huge
  for _ = 1, TRIES do
    local began_ns = core.now_ns()
    asked(worker, { op = "call", iters = 1 })
    quickest_ns = math.min(quickest_ns, core.now_ns() - began_ns)
  end
  calls = calls or profiler.calls(quickest_ns)
  return asked(worker, { op = "profile", iters = calls })
end

--- Profiles the bench of a cell. Its hooks run; its errors are raised.
---@param cell table
---@param calls integer? that are profiled; by default 16; 1 of a slow one
---@return table profile of tare.worker.profiler
function profile.of(cell, calls)
  local process = Process.new { deadlines = not compat.jit() }
  local worker = Worker.new(cell, process)
  local ok, made = pcall(taken, worker, calls)
  worker:run { op = "finish" }
  process:close()
  if not ok then error(made, 0) end
  made.id, made.spent_ns = cell.name, nil
  return made
end

return profile
