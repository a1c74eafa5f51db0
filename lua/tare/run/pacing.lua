-- The paced rounds of a trial, spread over its timed ones: batches in which
-- tare drives the collector, and times it apart from the mutator.
local core = require "tare.core"

local Pacing = {}
Pacing.__index = Pacing

-- Of the rounds' time, by mode of the collector.
local SHARE = { natural = 0.2, paced = 0.8 }
local ROWS = 20 -- more, where batches must be short
local FEWEST_ROWS = 10 -- also where a bench is ended early
local MOST_ROWS = 200
local DEARER = 2 -- a paced call takes up to so much longer

--- Share of the rounds' time that pacing gets: only what allocates has a
--- collector's part to tell apart.
---@param options table of the cell
---@param census table? of a few calls
---@return number share in [0, 1)
function Pacing.share(options, census)
  local asked = options.split or options.gc == "paced"
  if not asked or not census or census.allocs == 0 then return 0 end
  return SHARE[options.gc] or 0
end

--- Plans paced rounds.
---@param call_ns number
---@param budget_ns number
---@param batch_max number calls in a batch of the timed rounds, at most
---@param meter table? one that counts collections, so that none is made here
---@return table? pacing nil where the budget holds no call
function Pacing.new(call_ns, budget_ns, batch_max, meter)
  call_ns = math.max(call_ns, 1e-3)
  local calls = math.floor(budget_ns / call_ns)
  if calls < 1 or budget_ns == math.huge then return nil end
  local iters = math.max(1, math.min(math.floor(calls / ROWS),
    math.floor(batch_max / DEARER)))
  local rows = math.min(MOST_ROWS, math.floor(calls / iters))
  return setmetatable({ iters = iters, rows = rows, pacer = core.pacer(meter),
    samples = core.samples(math.max(2, rows)) }, Pacing)
end

--- Whether a paced batch is due.
---@param share number of the timed rounds that are over, in [0, 1]
---@param is_over boolean whether they end here
---@return boolean
function Pacing:is_due(share, is_over)
  local due = self.rows * share
  if is_over then due = math.max(due, math.min(FEWEST_ROWS, self.rows)) end
  return #self.samples < math.floor(due)
end

--- The calls of the timed rounds that take as long as a paced batch.
---@return number
function Pacing:weight() return self.iters * DEARER end

--- One paced batch.
---@param fixture table
---@param meter table
---@param iters integer
---@return true?
---@return any error value
function Pacing:run(fixture, meter, iters)
  return self.pacer:run(self.samples, meter, fixture:repeater(), iters,
    fixture:idler())
end

--- What was measured.
---@return table? pass {samples, pauses}; nil where nothing was
function Pacing:pass()
  if #self.samples == 0 then return nil end
  return { samples = self.samples:columns(), pauses = self.pacer:pauses() }
end

return Pacing
