-- What 'tare run' reports of the collector against an interpreter that counts
-- and times its own, in the same processes (make counted). The log on standard
-- error has a line for each cell; then comes one table, the worst cell first,
-- and whether the bounds hold (verdict.lua), by which the exit code is 0 or
-- 1. The share is judged by its own interval, with twice the error of the count
-- in quadrature; net and collector, in cycles, by theirs, which a crowded run
-- has not. What was counted is of tare's own batches and of those that spy.lua
-- adds next to the paced ones. In the environment: RUNS (5), QUOTA (1s), LIVES,
-- MODES and WORKLOADS (lists with commas: all), MOST (30: seconds that a run
-- that was refused may ask for, to be run again so).
--   compare.lua COUNTING_LUA LOG [luajit]
local counting, log, is_jit = arg[1], arg[2], arg[3] == "luajit"
local json = require "cjson"
local truth = require "spec.lab.counted.truth"
local verdict = require "spec.lab.counted.verdict"

local function list_of(name, default)
  local list = {}
  for word in (os.getenv(name) or default):gmatch "[^,]+" do
    list[#list + 1] = word
  end
  return list
end

local function wanted_workloads()
  local wanted, list = os.getenv "WORKLOADS", {}
  for _, bench in ipairs(dofile "spec/lab/counted/workloads.lua") do
    if not wanted or ("," .. wanted .. ","):find("," .. bench.name:gsub(",", "")
      .. ",", 1, true) then
      list[#list + 1] = bench
    end
  end
  return list
end

local runs = tonumber(os.getenv "RUNS" or verdict.RUNS)
local quota = os.getenv "QUOTA" or "1s"
local most_s = tonumber(os.getenv "MOST" or 30)
local REPORT = log .. ".json"
local MOST_TRIES = 5 -- of a run, on a busy machine

-- One run of a workload, as verdict.lua takes it: what is reported, in cycles,
-- and what was counted; and the pauses of both, p50, p99 and max.
local function run(live, mode, name, asked, tries)
  os.remove(REPORT)
  os.remove(log)
  local pipe = assert(io.popen(("LIVE=%s WORKLOAD='%s' COUNTED_LOG=%s %s "
    .. "./tare run spec/lab/counted/counted_bench.lua --lua %s %s --quota %s "
    .. "--progress never --quiet --format json -o %s 2>&1"):format(live, name,
      log, is_jit and "LUA=luajit" or "", counting,
      is_jit and "" or "--gc-mode " .. mode, asked or quota, REPORT)))
  local said = pipe:read "*a"
  pipe:close()
  local file = io.open(REPORT)
  local report = file and json.decode(file:read "*a")
  if file then file:close() end
  local result = report and report.results[1]
  assert(result and (result.error == json.null or not result.error),
    said .. tostring(result and result.error))
  local function value_of(field)
    local found = result[field]
    return found ~= json.null and found or nil
  end
  local in_cycles = value_of "cycles"
  local function cycles(field)
    local part, found = value_of(field), {}
    -- On a busy machine a batch may be without its length in cycles.
    if not (part and in_cycles) then return nil end
    for _, bound in ipairs { "value", "low", "high" } do
      if type(part[bound]) == "number" then
        found[bound] = part[bound] * in_cycles.value / result.time.value
      end
    end
    return found
  end
  local function share()
    local part = value_of "collector_share"
    return part and { value = part.value,
      low = type(part.low) == "number" and part.low or nil,
      high = type(part.high) == "number" and part.high or nil }
  end
  -- On a machine so busy that no launch came to its end, nothing is logged.
  local file_of_log = io.open(log)
  if not file_of_log then
    tries = (tries or 0) + 1
    assert(tries < MOST_TRIES, name .. ": no launch came to its end")
    return run(live, mode, name, asked, tries)
  end
  file_of_log:close()
  local needed = value_of "cycles_needed_ns"
  local samples, pauses = truth.read(log)
  local reported = ((value_of "passes" or {}).paced or {}).pauses
  local function pause(kind, part) return truth.pause(pauses[kind], part) end
  return { is_refused = not value_of "net", quota = asked or quota,
    net = cycles "net", collector = cycles "collector", share = share(),
    needed_s = needed and needed / 1e9,
    reported = type(reported) == "table"
      and { reported.p50, reported.p99, reported.max } or {},
    natural = { pause(1, 0.5), pause(1, 0.99), pause(1, 1) },
    counted = truth.of(samples, report.env.clock.best_width,
      mode == "incremental", value_of "time_pass" == "paced") }
end

-- All runs of a cell; and one as long as the first that was refused asked for.
local function measure(live, mode, workload)
  local name = workload.name
  local cell = { mode = mode, live = live, name = name, runs = {},
    leaves_nothing = workload.leaves_nothing }
  for i = 1, runs do
    local one = run(live, mode, name)
    cell.runs[i] = one
    if one.is_refused and one.needed_s then
      cell.needed_s = cell.needed_s or one.needed_s
    end
  end
  if cell.needed_s and cell.needed_s <= most_s then
    cell.again = run(live, mode, name,
      ("%.1fs"):format(cell.needed_s * 1.02 + 0.1))
  end
  return cell
end

-- The median as text, '-' where nothing is known.
local function text(list, format, factor)
  local value = verdict.median(list)
  return value and format:format(value * (factor or 1)) or "-"
end

local function line(cell, figures)
  local list = { cell.mode, cell.live, cell.name,
    figures.error and ("%.3f, %.0f %%"):format(figures.counted,
      100 * figures.error) or "-" }
  local function add(format, ...) list[#list + 1] = format:format(...) end
  for _, part in ipairs(verdict.PARTS) do
    local of_part = figures[part]
    add("%s +- %s, %d of %d", text(of_part.ratios, "%.3f"),
      text(of_part.halves, "%.0f %%", 100), of_part.held, of_part.intervals)
  end
  list[#list + 1] = text(figures.own, "%.3f")
  local paces = {}
  for i, one in ipairs(cell.runs) do paces[i] = one.counted.pace end
  list[#list + 1] = text(paces, "%.3f")
  for _, kind in ipairs { "natural", "reported" } do
    local of_kind = {}
    for i = 1, 3 do
      local each = {}
      for k, one in ipairs(cell.runs) do each[k] = one[kind][i] or 0 / 0 end
      of_kind[i] = text(each, "%.3g", 1e-6)
    end
    list[#list + 1] = table.concat(of_kind, ", ")
  end
  local refused = figures.refused > 0 and ("%d of %d"):format(figures.refused,
    #cell.runs) or ""
  if cell.needed_s then
    refused = refused .. (": needs %.1f s"):format(cell.needed_s)
  end
  if cell.again then
    local share = cell.again.share
    refused = ("%s; of %s: %s"):format(refused, cell.again.quota,
      cell.again.is_refused and "refused again"
      or share and ("%.3f"):format(share.value / cell.again.counted.share)
      or "no share")
  end
  list[#list + 1] = refused
  list[#list + 1] = figures.why or ""
  return "| " .. table.concat(list, " | ") .. " |\n"
end

local cells = {}
for _, mode in ipairs(list_of("MODES",
  is_jit and "LuaJIT" or "incremental,generational")) do
  for _, live in ipairs(list_of("LIVES", "0,20000,200000,2000000")) do
    for _, workload in ipairs(wanted_workloads()) do
      local cell = measure(live, mode, workload)
      cells[#cells + 1] = cell
      io.stderr:write(line(cell, verdict.of_cell(cell)))
    end
  end
end

local list, found, passed = verdict.of(cells)
print(("%d runs of %s of each cell%s: medians of what was reported over what "
  .. "was counted, median half-width of the intervals (of the value), and how "
  .. "many of them hold what was counted; pauses in ms\n"):format(runs, quota,
  runs < verdict.RUNS and (" (the bounds are for %d)"):format(verdict.RUNS)
  or ""))
print("| mode | live | workload | share counted, its error | net | collector "
  .. "| share | share, by tare's own batches | collections in paced over those "
  .. "in natural batches | natural pauses, counted: p50, p99, max | pauses as "
  .. "reported | refused | not within the bounds |")
print(("|---"):rep(13) .. "|")
for _, one in ipairs(list) do io.write(line(one.cell, one.figures)) end
print("\n" .. found)
os.exit(passed)
