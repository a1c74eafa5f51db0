-- What 'tare run' reports of the collector against an interpreter that counts
-- and times its own, in the same processes (make counted): one table of ratios,
-- reported over counted, as medians of RUNS runs, and how many of the intervals
-- hold what was counted. The share is judged by its own interval, with twice
-- the error of the count in quadrature; net and collector, in cycles, by
-- theirs, which a crowded run has not. In the environment: RUNS (1), QUOTA
-- (1s), LIVES, MODES and WORKLOADS (lists with commas: all), MOST (30: seconds
-- that a run that was refused may ask for, to be run again so).
--   compare.lua COUNTING_LUA LOG [luajit]
local counting, log, is_jit = arg[1], arg[2], arg[3] == "luajit"
local json = require "cjson"
local truth = require "spec.lab.counted.truth"

local function list_of(name, default)
  local list = {}
  for word in (os.getenv(name) or default):gmatch "[^,]+" do
    list[#list + 1] = word
  end
  return list
end

local function names()
  local wanted, list = os.getenv "WORKLOADS", {}
  for _, bench in ipairs(dofile "spec/lab/counted/workloads.lua") do
    if not wanted or ("," .. wanted .. ","):find("," .. bench.name:gsub(",", "")
      .. ",", 1, true) then
      list[#list + 1] = bench.name
    end
  end
  return list
end

local runs = tonumber(os.getenv "RUNS" or 1)
local quota = os.getenv "QUOTA" or "1s"
local most_s = tonumber(os.getenv "MOST" or 30)
local median = truth.median
local REPORT = log .. ".json"
local NEGLIGIBLE, CLOSE = 0.02, 0.05
local MOST_TRIES = 5 -- of a run, on a busy machine

-- One run of a workload: what is reported in cycles, and what was counted.
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
  -- On a busy machine a batch may be without its length in cycles.
  local in_cycles = value_of "cycles"
  local scale = in_cycles and in_cycles.value / result.time.value or 0 / 0
  local function cycles(field)
    local part, found = value_of(field), {}
    if not part then return nil end
    for _, bound in ipairs { "value", "low", "high" } do
      if type(part[bound]) == "number" then
        found[bound] = part[bound] * scale
      end
    end
    return found
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
  return { net = cycles "net", collector = cycles "collector",
    share = value_of "collector_share", needed_s = needed and needed / 1e9 },
    truth.of(samples, report.env.clock.best_width, mode == "incremental",
      value_of "time_pass" == "paced"), pauses
end

local function holds(part, value)
  return part.low and part.low <= value and value <= part.high
end

-- Whether the share's interval holds what was counted.
local function holds_share(share, counted)
  if counted.share == 0 then return share.low == 0 end -- and its error unknown
  local away = share.value - counted.share
  local half = away > 0 and share.value - share.low or share.high - share.value
  return away ^ 2 <= half ^ 2 + (2 * counted.error * counted.share) ^ 2
end

local all = { intervals = 0, held = 0, cells = 0, close = 0, refused = 0,
  shares = 0, paced = 0, alike = 0, rates = 0, runs = 0, shares_held = 0,
  again = 0, again_close = 0 }

-- All runs of a cell, as lists: ratios, and what was counted.
local function measure(live, mode, name)
  local cell = { nets = {}, collectors = {}, shares = {}, counted = {},
    paces = {}, held = { net = 0, collector = 0 }, refused = 0, again = {},
    errors = {}, shares_held = 0,
    intervals = 0,
    pauses = { { {}, {}, {} }, { {}, {}, {} } } }
  local function add(list, value) list[#list + 1] = value end
  for _ = 1, runs do
    local found, counted, pauses = run(live, mode, name)
    add(cell.counted, counted.share)
    add(cell.errors, counted.error)
    if counted.pace == counted.pace then add(cell.paces, counted.pace) end
    for kind = 1, 2 do
      for i, share in ipairs { 0.5, 0.99, 1 } do
        add(cell.pauses[kind][i], truth.pause(pauses[kind], share) / 1e6)
      end
    end
    if not found.net then
      cell.refused, cell.needed_s = cell.refused + 1, found.needed_s
      if found.needed_s and found.needed_s <= most_s and #cell.again == 0 then
        found, counted = run(live, mode, name,
          ("%.1fs"):format(found.needed_s * 1.02 + 0.1))
        if found.share then
          local ratio = found.share.value / counted.share
          add(cell.again, ratio)
          all.again = all.again + 1
          if math.abs(ratio - 1) <= CLOSE then
            all.again_close = all.again_close + 1
          end
        end
      end
    else
      add(cell.nets, found.net.value / counted.net)
      add(cell.collectors, found.collector.value / counted.collector)
      add(cell.shares, found.share.value / counted.share)
      if found.share.low and holds_share(found.share, counted) then
        cell.shares_held = cell.shares_held + 1
      end
      for part in pairs(cell.held) do
        if found[part].low then cell.intervals = cell.intervals + 1 end
        if holds(found[part], counted[part]) then
          cell.held[part] = cell.held[part] + 1
        end
      end
    end
  end
  return cell
end

local function count(cell)
  local share, runs_held = median(cell.counted), #cell.nets
  local function is_close(list) return math.abs(median(list) - 1) <= CLOSE end
  all.cells = all.cells + 1
  all.intervals = all.intervals + cell.intervals
  all.held = all.held + cell.held.net + cell.held.collector
  all.runs, all.shares_held = all.runs + runs_held,
    all.shares_held + cell.shares_held
  if runs_held == 0 then
    all.refused = all.refused + 1
  elseif share < NEGLIGIBLE then
    all.close, all.shares = all.close + 1, all.shares + 1
  else
    if is_close(cell.nets) and is_close(cell.collectors) then
      all.close = all.close + 1
    end
    if is_close(cell.shares) then all.shares = all.shares + 1 end
  end
  if #cell.paces > 0 then
    all.paced = all.paced + 1
    if is_close(cell.paces) then all.alike = all.alike + 1 end
  end
end

print(("%d runs of %s, reported over counted\n"):format(runs, quota))
print("| mode | live | workload | share counted, its error | share | held "
  .. "| net | collector | held | paced collections | "
  .. "natural pauses, ms: p50, p99, max | paced | refused |")
print "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
for _, mode in ipairs(list_of("MODES",
  is_jit and "LuaJIT" or "incremental,generational")) do
  for _, live in ipairs(list_of("LIVES", "0,20000,200000,2000000")) do
    for _, name in ipairs(names()) do
      local cell = measure(live, mode, name)
      count(cell)
      local refusal = ""
      if cell.refused > 0 then
        refusal = ("%d: needs %.1f s"):format(cell.refused,
          cell.needed_s or 0 / 0)
        if cell.again[1] then
          refusal = refusal .. (": %.3f"):format(cell.again[1])
        end
      end
      local function pauses(kind)
        return ("%.3g, %.3g, %.3g"):format(median(cell.pauses[kind][1]),
          median(cell.pauses[kind][2]), median(cell.pauses[kind][3]))
      end
      print(("| %s | %s | %s | %.3f, %.0f %% | %.3f | %d of %d | %.3f | %.3f "
        .. "| %d of %d | %.3f | %s | %s | %s |"):format(mode, live, name,
          median(cell.counted), 100 * median(cell.errors),
          median(cell.shares), cell.shares_held, #cell.shares,
          median(cell.nets), median(cell.collectors),
          cell.held.net + cell.held.collector, cell.intervals,
          median(cell.paces), pauses(1), pauses(2), refusal))
      io.stdout:flush()
    end
  end
end
print(("\n%d cells, %d of them refused in all runs. Shares within 5 %% (or "
  .. "below 2 %% of the time): %d; net and collector too: %d. %d of %d runs "
  .. "have a share whose interval holds what was counted. Of net and collector "
  .. "%d of %d intervals hold. Of %d refused runs that were run as long as "
  .. "they asked for, %d are within 5 %%. Paced collections within 5 %%: %d of "
  .. "%d"):format(
  all.cells, all.refused, all.shares, all.close, all.shares_held, all.runs,
  all.held, all.intervals, all.again, all.again_close, all.alike, all.paced))
