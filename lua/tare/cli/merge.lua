-- tare merge: one report of the reports of shards. Their results go from file
-- to file, so that memory does not grow with them; only formats other than JSON
-- need all of them.
local EXIT = require "tare.cli.exit"
local File = require "tare.store.file"
local lists = require "tare.base.lists"
local machine = require "tare.base.machine"
local output = require "tare.cli.output"
local place = require "tare.store.place"
local shards = require "tare.store.shards"
local stdout = require "tare.cli.stdout"
local store = require "tare.store"
local sweeps = require "tare.analysis.sweeps"
local terminal = require "tare.cli.terminal"

local command = {}

-- JSON, unless another format is asked for: what merges can merge again.
local function asked_for(given)
  for _, asked in ipairs(given.outputs or {}) do
    asked.format = asked.format or not asked.file:find("%.%w+$") and "json"
      or nil
  end
  if not given.outputs and terminal.size() then
    return nil, "merge: a report is not for the terminal: give '-o FILE.json', "
      .. "or '--format text' to look at it"
  end
  given.outputs = given.outputs or { { format = "json" } }
  return output.asked_for(given)
end

-- All results in a file without a name. The files are read a second time for
-- that, when a pipe is empty, and others may have changed.
local function gathered(paths, merged)
  local file, message = File.create(nil, merged)
  if not file then return nil, message end
  local known, left = lists.by_id(merged.results), #merged.results
  local is_same = true
  for _, path in ipairs(paths) do
    local report = store.walk(path, function(result)
      local first = known[result.id]
      if not first then
        is_same = false
        return
      end
      if not first.is_found then first.is_found, left = true, left - 1 end
      result.env_index = first.env_index
      file:add(result)
    end)
    is_same = is_same and report ~= nil
  end
  if is_same and left == 0 then return file end
  return nil, "merge: files are read twice, and one was not the same then: it "
    .. "was changed meanwhile, or is a pipe"
end

local function write(outputs, file, places, merged, given, complain)
  local add, found = sweeps.of_stream { comparisons = merged.comparisons,
    confidence = (merged.options or {}).confidence,
    clock_of = machine.clocks(merged) }
  for result in file:each(places) do add(result) end
  add(nil)
  local tail = { comparisons = merged.comparisons, sweeps = found }
  local function produce(to) return file:write(to, tail, places) end
  local others, all_ok = {}, true
  for _, asked in ipairs(outputs) do
    local ok, message = true, nil
    if asked.format ~= "json" then
      others[#others + 1] = asked
    elseif asked.file then
      ok, message = place.fill(asked.file, produce)
    else
      ok, message = produce(stdout.write)
    end
    if not ok then complain(message) end
    all_ok = all_ok and ok
  end
  if #others > 0 then
    merged.sweeps, merged.results = tail.sweeps, {}
    for result in file:each(places) do
      merged.results[#merged.results + 1] = result
    end
    all_ok = output.write(others, merged, given, complain) and all_ok
  end
  return all_ok
end

--- Runs the command; what it returns is read in tare.cli.
function command.run(given, complain)
  given.quiet = true
  local outputs, message = asked_for(given)
  local merged, file
  if outputs then
    merged, message = shards.merge(given.files, function(note)
      complain("note: " .. note)
    end)
  end
  if merged then file, message = gathered(given.files, merged) end
  if not file then return nil, message end
  local places = {}
  for i, result in ipairs(merged.results) do places[result.id] = i end
  local ok = write(outputs, file, places, merged, given, complain)
  file:abandon()
  return ok and EXIT.done or EXIT.unusable
end

return command
