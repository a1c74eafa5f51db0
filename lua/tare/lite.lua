-- Measures where there is no C: one file of plain Lua (5.1 to 5.5, LuaJIT,
-- Luau) that needs nothing but a clock, and makes a report that 'tare report'
-- analyses. Rows are taken much as tare takes them: batches of growing sizes,
-- shuffled; one of each bench per round, in turn from the first to the last and
-- back. What it can't do: cycles, launches, untimed calls before a batch, and
-- allocations. The growth of the heap is in the rows, but less what was
-- collected meanwhile.
local lite = {}

local MOST_ROWS, FEWEST_ROWS, FACTOR = 1000, 24, 1.01
local LEAST_TICKS = 100 -- of the clock in the shortest batch
local LEAST_NS = 1.2e6 -- long compared with a change of turn and caches
local WARM_UP = 0.1 -- of the quota
local MOST_READINGS = 3e7 -- of a clock until it has moved on

-- Some hosts raise an error where a global that they lack is read.
local os = rawget(_G, "os")
local compile = rawget(_G, "loadstring") or rawget(_G, "load")

-- The loops of 'tare run': a compiler must find a use of the result, or it
-- would delete what makes it; plain Lua deletes nothing.
local COMPILED = [[
  local run = ...
  local kept = { false }
  return function(n)
    local sink = kept
    for _ = 1, n do sink[1] = run() end
  end]]
local PLAIN = [[
  local outer_run = ...
  return function(n)
    local run = outer_run
    for _ = 1, n do run() end
  end]]

-- A loop of its own for each function, where the host compiles text; without a
-- compiler all are one bytecode, since two may lie a percent apart.
local plain
local function repeater(run)
  local is_compiled = rawget(_G, "jit") ~= nil
  local chunk = not is_compiled and plain
    or compile and compile(is_compiled and COMPILED or PLAIN)
  plain = not is_compiled and chunk or nil
  if chunk then return chunk(run) end
  return function(n)
    for _ = 1, n do run() end
  end
end

-- JSON -----------------------------------------------------------------------

local function quoted(text)
  return '"' .. text:gsub('[%z\1-\31\127"\\]', function(c)
    return ("\\u%04x"):format(c:byte())
  end) .. '"'
end

local encode

local function encode_table(value)
  local parts = {}
  if value[1] ~= nil then
    for i = 1, #value do parts[i] = encode(value[i]) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  for name, field in pairs(value) do
    parts[#parts + 1] = quoted(name) .. ":" .. encode(field)
  end
  table.sort(parts)
  return "{" .. table.concat(parts, ",") .. "}"
end

function encode(value)
  if type(value) == "table" then return encode_table(value) end
  if type(value) == "string" then return quoted(value) end
  if type(value) ~= "number" then return tostring(value) end
  if value ~= value or value == math.huge or value == -math.huge then
    return "null"
  end
  -- A point in every locale.
  return (("%.17g"):format(value):gsub("[^0-9a-z+-]+", "."))
end

-- MEASURING ------------------------------------------------------------------

-- The shortest time that the clock shows, in ns; nil where it stands still, as
-- a host's may that is set once a frame.
local function resolution(now)
  local least = math.huge
  for _ = 1, 10 do
    local began = now()
    local later, readings = now(), 1
    while later <= began do
      if readings == MOST_READINGS then return nil end
      later, readings = now(), readings + 1
    end
    least = math.min(least, later - began)
  end
  return least
end

-- Kilobytes of the heap; NaN in a Lua that can't tell (fengari).
local heap_kb = pcall(collectgarbage, "count")
  and function() return collectgarbage("count") end
  or function() return 0 / 0 end

-- Luas whose collector goes through the whole heap each time. Those that have a
-- generational mode don't say which one is on.
local WHOLE = { ["Lua 5.1"] = true, ["Lua 5.2"] = true, ["Lua 5.3"] = true }

-- Counts the collector's cycles, by a finalizer that leaves something to
-- finalize in the next one: a function that returns the count, and one that
-- ends it; nil where there are no finalizers, or not of each cycle.
local function collections()
  local make = rawget(_G, "newproxy") -- of 5.1, whose tables have no finalizers
  local count, has_ended, leave = 0, false, nil
  local function finalize()
    count = count + 1
    if not has_ended then leave() end
  end
  function leave()
    if not make then return setmetatable({}, { __gc = finalize }) end
    getmetatable(make(true)).__gc = finalize
  end
  -- LuaJIT's collector runs again after a full collection; 5.1 can't be asked.
  local is_told, is_running = pcall(collectgarbage, "isrunning")
  local is_counted = WHOLE[_VERSION] and pcall(leave) and pcall(collectgarbage)
    and count > 0
  if is_told and is_running == false then collectgarbage "stop" end
  if not is_counted then
    has_ended = true
    return nil, function() end
  end
  return function() return count end, function() has_ended = true end
end

-- Runs a batch; a bench that raises has failed, and is not run again.
local function batch(cell, n, now)
  local before = heap_kb()
  local began = now()
  local ok, message = pcall(cell.loop, n)
  local ended = now()
  if not ok then cell.error = tostring(message) end
  return ended - began, began, before, heap_kb()
end

-- Calls with the clock running, until it has shown so much; ns per call, of the
-- quickest of the longer batches: one that was interrupted would make all
-- batches to come too short.
local function warm_up(cell, ns, now)
  local calls, spent, n, call_ns = 0, 0, 1, math.huge
  while spent < ns and not cell.error do
    local took = batch(cell, n, now)
    calls, spent = calls + n, spent + took
    if took >= ns / 16 then call_ns = math.min(call_ns, took / n) end
    if took < ns / 8 then n = n * 2 end
  end
  cell.warmup = { calls = calls, ns = spent }
  return call_ns < math.huge and call_ns or spent / calls
end

-- Numbers of calls that fill the quota: each is larger by FACTOR, and all are
-- made larger together if there are MOST_ROWS of them.
local function plan(call_ns, quota_ns, least_ns)
  local base = math.max(1, math.ceil(math.min(least_ns,
    quota_ns / FEWEST_ROWS) / call_ns))
  local sizes, spent = {}, 0
  while #sizes < MOST_ROWS do
    local size = math.floor(base * FACTOR ^ #sizes + 0.5)
    if #sizes >= FEWEST_ROWS and base == 1 then size = #sizes % 2 + 1 end
    if spent + size * call_ns > quota_ns and #sizes >= 2 then break end
    sizes[#sizes + 1], spent = size, spent + size * call_ns
  end
  local more = math.max(1, quota_ns / spent)
  for i = 1, #sizes do sizes[i] = math.floor(sizes[i] * more) end
  return sizes
end

-- Numbers in 1..n, the same for a seed in every Lua.
local function random_of(seed)
  -- A float: integers may have 32 bits.
  local state = (seed % 2147483646 + 1) * 1.0
  return function(n)
    state = state * 16807.0 % 2147483647.0
    return math.floor(state % n) + 1
  end
end

local function shuffle(list, random)
  for i = #list, 2, -1 do
    local j = random(i)
    list[i], list[j] = list[j], list[i]
  end
end

local function add_row(cell, round, origin, now)
  local size = cell.sizes[round]
  if not size or cell.error then return end
  local cycles = cell.cycles and cell.cycles()
  local wall, began, before, after = batch(cell, size, now)
  if cell.error then return end
  local samples = cell.samples
  local row = #samples.iters + 1
  samples.iters[row], samples.wall_ns[row] = size, math.max(wall, 0)
  samples.start_ns[row] = began - origin
  samples.heap_bytes[row] = before * 1024
  samples.growth_bytes[row] = (after - before) * 1024
  samples.launch[row], samples.round[row] = 1, round
  if cycles then samples.gc_major[row] = cell.cycles() - cycles end
end

local function cell_of(bench, suite, cycles)
  return { cycles = cycles, name = bench.name, id = suite .. "/" .. bench.name,
    baseline = bench.baseline, loop = repeater(bench.run),
    samples = { iters = {}, wall_ns = {}, start_ns = {}, heap_bytes = {},
      growth_bytes = {}, launch = {}, round = {},
      gc_major = cycles and {} or nil } }
end

local function result_of(cell, suite)
  return { id = cell.id, suite = suite, name = cell.name,
    compared = suite, baseline = cell.baseline, loop = "inline",
    gc = "natural", launches = 1, error = cell.error, warmup = cell.warmup,
    samples = not cell.error and cell.samples or nil }
end

local OPTIONS = { clock = true, quota = true, seed = true }

local function check(suite, benches, options)
  if type(suite) ~= "string" or suite == "" then
    error("tare.lite: the suite's name must be a string, got "
      .. type(suite), 3)
  end
  if type(benches) ~= "table" or benches[1] == nil then
    error("tare.lite: the benches must be a list of { name =, run = }", 3)
  end
  local seen = {}
  for i, bench in ipairs(benches) do
    if type(bench) ~= "table" or type(bench.name) ~= "string"
      or type(bench.run) ~= "function" then
      error(("tare.lite: bench %d must have a 'name', a string, and 'run', "
        .. "a function"):format(i), 3)
    elseif bench.baseline ~= nil and type(bench.baseline) ~= "boolean" then
      error(("tare.lite: 'baseline' of bench %d must be true or false")
        :format(i), 3)
    elseif seen[bench.name] then
      error(("tare.lite: bench %d has the name of bench %d, '%s'"):format(i,
        seen[bench.name], bench.name), 3)
    end
    seen[bench.name] = i
  end
  for name in pairs(options) do
    if not OPTIONS[name] then
      error(("tare.lite: no such option: '%s'; there are clock, quota and seed")
        :format(tostring(name)), 3)
    end
  end
  if type(options.clock) ~= "function" then
    error("tare.lite: 'clock' must be a function that returns seconds", 3)
  end
  local quota, seed = options.quota, options.seed
  if type(quota) ~= "number" or not (quota > 0 and quota < math.huge) then
    error("tare.lite: 'quota' must be seconds, more than 0", 3)
  end
  if type(seed) ~= "number" or seed % 1 ~= 0 then
    error("tare.lite: 'seed' must be a whole number", 3)
  end
end

--- Measures functions and compares them, with the collector as it is set.
-- Raises where a name, a function or the clock is missing, a name is there
-- twice, an option is none that can be, or the clock stands still.
---@param suite string the name that all ids begin with
---@param benches table[] { name =, run =, baseline = }, in their order
---@param options table? clock (a function that returns seconds; os.clock),
---  quota (seconds for each bench; 1), seed (a whole number; 1)
---@return string report JSON, for 'tare report'
function lite.run(suite, benches, options)
  local own = { clock = os and os.clock, quota = 1, seed = 1 }
  if options ~= nil and type(options) ~= "table" then
    error("tare.lite: 'options' must be a table, got " .. type(options), 2)
  end
  for name, value in pairs(options or {}) do own[name] = value end
  check(suite, benches, own)
  local clock = own.clock
  local function now() return clock() * 1e9 end
  local tick_ns = resolution(now)
  if not tick_ns then
    error("tare.lite: 'clock' stands still: it must move on within a call", 2)
  end
  local least = math.max(LEAST_NS, LEAST_TICKS * tick_ns)
  local random, quota_ns, cells = random_of(own.seed), own.quota * 1e9, {}
  local rounds, cycles, end_count = 0, collections()
  local origin = now()
  for i, bench in ipairs(benches) do
    local cell = cell_of(bench, suite, cycles)
    cells[i], cell.sizes = cell, {}
    local call_ns = warm_up(cell, WARM_UP * quota_ns, now)
    if not cell.error then
      cell.sizes = plan(call_ns, (1 - WARM_UP) * quota_ns, least)
      shuffle(cell.sizes, random)
      rounds = math.max(rounds, #cell.sizes)
    end
  end
  for round = 1, rounds do
    for i = 1, #cells do
      add_row(cells[round % 2 == 1 and i or #cells + 1 - i], round, origin, now)
    end
  end
  end_count()
  local results = {}
  for i, cell in ipairs(cells) do
    results[i] = encode(result_of(cell, suite))
  end
  return ('{"schema":"tare/1","env":%s,"options":%s,"results":[%s],'
    .. '"comparisons":[]}'):format(
    encode { lua = rawget(_G, "jit") and rawget(_G, "jit").version or _VERSION,
      tare = "tare.lite", clock_resolution_ns = tick_ns },
    encode { gc = "natural", seed = own.seed, order = "interleaved",
      quota = { ns = quota_ns } }, table.concat(results, ",\n"))
end

return lite
