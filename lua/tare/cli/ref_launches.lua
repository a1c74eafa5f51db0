-- The launches of 'tare compare --ref': child processes of both sides, in
-- turns.
local child = require "tare.host.child"
local options = require "tare.base.options"
local store = require "tare.store"

local launches = {}

local function flag_name(name) return "--" .. (name:gsub("_", "-")) end

local function add_all(words, name, values)
  for _, value in ipairs(type(values) == "table" and values or { values }) do
    words[#words + 1], words[#words + 2] = flag_name(name), value
  end
end

--- What each child is told of the command line.
---@param given table of the parser
---@param read table resolved options
---@param pairs_count integer
---@return string[]
function launches.words(given, read, pairs_count)
  local words, own = { "run", "--quiet" }, { quota = true, launches = true }
  local unit, amount = next(read.quota)
  amount = amount / pairs_count
  add_all(words, "quota", unit == "ns" and ("%.0fns"):format(amount)
    or ("%dx"):format(math.max(1, math.floor(amount))))
  for _, definition in ipairs(options) do
    local name, value = definition.name, given[definition.name]
    if definition.metavar and not own[name] then
      add_all(words, name, value)
    elseif value ~= nil and not own[name] then
      words[#words + 1] = flag_name((value and "" or "no_") .. name)
    end
  end
  for _, name in ipairs { "filter", "match", "param" } do
    add_all(words, name, given[name])
  end
  return words
end

-- One launch of one side: its report, or nil and why there is none.
local function launch(job, side)
  local path = os.tmpname()
  job.side = side
  local words = { (table.unpack or unpack)(job.words) }
  add_all(words, "format", "json")
  add_all(words, "output", path)
  for _, file in ipairs(side.files) do words[#words + 1] = file end
  local ended, message = child.run(assert(child.tare(words)), {
    cwd = side.folder,
    should_stop = function()
      if job.line then job.line:show(job.shown) end
      return job.interrupt:seen()
    end })
  local report
  if ended and (ended.code == 0 or ended.code == 2) then
    report, message = store.read(path)
  elseif ended then
    message = ended.err:gsub("^tare: ", ""):match("^[^\n]*")
    message = side.name .. ": " .. (message ~= "" and message
      or child.ending(ended))
  end
  os.remove(path)
  job.ended = job.ended + 1
  return report, message
end

-- Both sides, forth and back: what drifts steadily is divided evenly.
local function launch_pair(job, number)
  local order = number % 2 == 1 and { "new", "old" } or { "old", "new" }
  local pair = {}
  for _, name in ipairs(order) do
    local report, message = launch(job, job[name])
    if not report then return nil, message end
    pair[name] = report
  end
  return pair
end

-- What a progress line asks of the launches; the one that runs is taken to
-- last as long as those before it.
local function shown(job)
  local state, total, hrtime = {}, 2 * job.count, require("luv").hrtime
  local began, turned, ended = hrtime(), hrtime(), 0
  function state.counts() return job.ended, total end
  function state.progress()
    if job.ended > ended then turned, ended = hrtime(), job.ended end
    if ended == 0 then return 0 end
    local within = (hrtime() - turned) * ended / (turned - began)
    return math.min(total, ended + math.min(1, within)) / total
  end
  function state.current() return "launches of " .. job.side.name end
  return state
end

--- Measures all pairs of launches; those before a signal where one comes.
---@param job table words, count, interrupt, line?, and new and old: { name,
---  files, folder? }
---@return { new: table, old: table }[]? reports
---@return string? message
function launches.measure(job)
  local list = {}
  job.ended, job.shown = 0, shown(job)
  for number = 1, job.count do
    local pair, message = launch_pair(job, number)
    if job.interrupt:seen() then break end
    if not pair then return nil, message end
    list[number] = pair
  end
  return list
end

return launches
