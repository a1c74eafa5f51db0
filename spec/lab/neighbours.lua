-- Whether benches change each other: one measured alone, beside another of its
-- file, and in the whole of examples/, RUNS times each, in turn. Prints each
-- run's time with its interval, and in how many runs the interval holds the
-- median of all that have one (a run on a crowded core has none). Then what one
-- bench at 100 ms takes in all.
--
-- usage: neighbours.lua [RUNS [QUOTA]]     ./tare is the command
local json = require "cjson"

local runs, quota = tonumber(arg[1]) or 10, arg[2] or "1s"
local hrtime = require("luv").hrtime

local function results_of(arguments)
  local path = os.tmpname()
  local began = hrtime()
  os.execute(("./tare run %s --quiet --format json -o %s 2>/dev/null >&2")
    :format(arguments, path))
  local seconds = (hrtime() - began) / 1e9
  local file = assert(io.open(path))
  local report = json.decode(file:read "*a")
  file:close()
  os.remove(path)
  local by_id = {}
  for _, result in ipairs(report.results) do by_id[result.id] = result end
  return by_id, seconds
end

local function median(values)
  local sorted = {}
  for i, value in ipairs(values) do sorted[i] = value end
  table.sort(sorted)
  return sorted[math.floor(#sorted / 2) + 1]
end

local DROP, COROUTINE = "gc_regression/drop", "calls/make/coroutine"
local CASES = {
  { DROP, "alone", "examples/gc_regression_bench.lua --filter drop" },
  { DROP, "beside replace", "examples/gc_regression_bench.lua" },
  { DROP, "in all examples", "examples" },
  { COROUTINE, "alone", "examples/calls_bench.lua --filter make/coroutine" },
  { COROUTINE, "in all examples", "examples" },
}

local found, values = {}, { [DROP] = {}, [COROUTINE] = {} }
for run = 1, runs do
  local whole
  for i, case in ipairs(CASES) do
    local by_id
    if case[2] == "in all examples" then
      whole = whole or results_of("examples --quota " .. quota)
      by_id = whole
    else
      by_id = results_of(case[3] .. " --quota " .. quota)
    end
    local result = by_id[case[1]]
    found[i] = found[i] or {}
    found[i][run] = result
    if result and result.time and result.time.low then
      table.insert(values[case[1]], result.time.value)
    end
  end
end

for i, case in ipairs(CASES) do
  local middle, held, refused, texts = median(values[case[1]]), 0, 0, {}
  for run, result in ipairs(found[i]) do
    local time = result.time or {}
    if time.low and time.low <= middle and middle <= time.high then
      held = held + 1
    elseif not time.low then
      refused = refused + 1
    end
    texts[run] = time.low and ("%.1f (%.1f to %.1f)"):format(time.value,
      time.low, time.high) or ("%.1f (no interval)"):format(time.value or 0 / 0)
  end
  print(("%s %s, %s: %d of %d hold %.1f ns, %d without an interval: %s"):format(
    case[1], case[2], quota, held, runs, middle, refused,
    table.concat(texts, "; ")))
end

local _, alone_s = results_of("examples/calls_bench.lua --quota 100ms "
  .. "--filter make/closure")
print(("one bench at 100 ms: %.3f s"):format(alone_s))
