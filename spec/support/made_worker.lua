-- The story of a launch with workers that are made up: no bench is run, and
-- what a request takes is arithmetic.
local options = require "tare.base.options"
local Bench = require "tare.conductor.bench"
local Bursts = require "tare.conductor.bursts"
local story = require "tare.conductor.story"

local made_worker = {}

local BATCHES = { time = true, warm = true, stopped = true, empty = true,
  paced = true, inside = true }

-- The figures of requests that are no batches.
local FIGURES = {
  prepare = function(made)
    local info = { loop = "inline", gc_mode = "incremental", heap_bytes = 1e6,
      is_running = true, spent_ns = made.setup_ns or 0 }
    for name, value in pairs(made.info or {}) do info[name] = value end
    return info
  end,
  returned = function(made) return { returned = made.returned } end,
  census = function(made, iters)
    return { iters = iters, allocs = 0, bytes = 0,
      spent_ns = made.counted_ns or 0,
      full_collection = { ns = 1e6, heap_bytes = 1e6, freed_bytes = 0 } }
  end,
  long_census = function(made, iters)
    return { iters = iters, allocs = made.long_bytes and iters / 100 or 0,
      bytes = iters * (made.long_bytes or 0), spent_ns = 0 }
  end,
  census_alone = function(_, iters)
    return { iters = iters, allocs = 0, bytes = 0, spent_ns = 0 }
  end,
  collect = function(made, us)
    made.collected = (made.collected or 0) + 1
    return { ended = made.collected % made.parts == 0, ns = us * 1e3,
      heap_bytes = 2e6 - made.collected, spent_ns = us * 1e3 }
  end,
  instructions = function(_, iters)
    return { iters = iters, instructions = 7 * iters, spent_ns = 0 }
  end,
  pauses = function() return {} end,
  look = function(made) return made.look() end,
  full = function(made)
    return { ns = 1, heap_bytes = made.full_bytes or 1e6, freed_bytes = 0 }
  end,
  finish = function() return { finished = true } end,
}

--- A bench on a made-up worker.
---@param id string
---@param made table call_ns (a number, or a function of the calls before and
---  of their number in the batch), beside_ns? of a batch, counted_ns? of a
---  census, long_bytes? of a call in a long census, full_bytes? the heap in
---  the end (1e6 as in the census), row? (fun(row, request) changes it, or
---  returns nil, message, code), info?, options?, fails? (a request at which it
---  ends), heap? (of tare.conductor.bursts), and what Bench.new() takes
---@return table bench
function made_worker.bench(id, made)
  local cell = { id = id, spec = {}, options = assert(options.resolve(
    made.options or {}, "spec")) }
  local bench = Bench.new(cell, { launch = made.launch or 1,
    share = made.share or 1, known = made.known, seed = made.seed or 1,
    bursts = Bursts.new(made.heap or Bursts.heap()) })
  bench.made = made
  return bench
end

--- What the worker answers to a request.
function made_worker.answer(made, request)
  local iters = request.iters
  if request.op == made.fails then return nil, "no more", "timeout" end
  if not BATCHES[request.op] then
    local take = FIGURES[request.op]
    return take and take(made, iters) or { iters = iters, spent_ns = 0 }
  end
  local call_ns, done = made.call_ns, made.done or 0
  if type(call_ns) == "function" then call_ns = call_ns(done, iters) end
  if request.op == "empty" then call_ns = 1 else made.done = done + iters end
  local row = { iters = iters, wall_ns = iters * call_ns }
  row.spent_ns = row.wall_ns + (made.beside_ns or 0)
  if made.row then return made.row(row, request) end
  return row
end

--- Tells the story to its end.
---@param benches table[]
---@param limits table? over those of a fine clock
---@param on_request (fun(told: table, limits: table))? called before each
---  returned
---@return table[] told requests in their order: id, op, iters, untimed
---@return integer round the last
function made_worker.tell(benches, limits, on_request)
  local all = { min_batch_ns = 1e5, row_cost_ns = 0, resolution_ns = 1,
    is_manual = true }
  for name, value in pairs(limits or {}) do all[name] = value end
  local told = {}
  local thread = coroutine.create(story.run)
  local ok, bench, request = coroutine.resume(thread, benches, all,
    limits and limits.round)
  while ok and coroutine.status(thread) ~= "dead" do
    local one = { id = bench.cell.id, op = request.op, iters = request.iters,
      untimed = request.untimed, due_ns = request.due_ns, bench = bench }
    told[#told + 1] = one
    if on_request then on_request(one, all) end
    ok, bench, request = coroutine.resume(thread,
      made_worker.answer(bench.made, one))
  end
  if not ok then error(bench, 0) end
  return told, bench
end

--- The requests of one kind, of one bench.
---@return table[]
function made_worker.only(told, op, id)
  local list = {}
  for _, one in ipairs(told) do
    if one.op == op and (not id or one.id == id) then list[#list + 1] = one end
  end
  return list
end

return made_worker
