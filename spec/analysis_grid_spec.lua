-- The analysis of runs of many shapes, whole: few and many launches and
-- batches, with collections and without, on a free core and a shared one.
-- Compared with what someone has read.
local analysis = require "tare.analysis"
local golden = require "spec.support.golden"
local lists = require "tare.base.lists"
local generator = require("spec.support.made").generator
local made_run = require "spec.support.made_run"
local noise = require "tare.analysis.noise"
local rows = require "tare.analysis.rows"
local sweeps = require "tare.analysis.sweeps"

local NAN = 0 / 0

-- What is special about the batches of a run, by name: changes the i-th row of
-- a launch.
local KINDS = {
  { "plain", function() end },
  { "two speeds", function(row, _, i)
    if i % 3 == 0 then row.wall_ns = 1.3 * row.wall_ns end
  end },
  { "launches differ", function(row, launch)
    row.wall_ns = row.wall_ns * (1 + 0.04 * (launch % 3))
  end },
  { "drift", function(row, _, i)
    row.wall_ns = row.wall_ns * (1 + i / 200)
  end },
  { "rare collections", function(row, _, i)
    row.gc_minor, row.gc_major = 0, 0
    if i % 9 == 0 then row.gc_major, row.wall_ns = 1, row.wall_ns + 6e4 end
  end },
  { "collections", function(row, _, i)
    row.gc_minor, row.gc_major = 3 + i % 2, i % 5 == 0 and 1 or 0
    row.wall_ns = row.wall_ns + 9e3 * row.gc_minor + 5e4 * row.gc_major
    row.growth_bytes = i % 5 == 0 and -4e5 or 1e5
  end },
  { "preempted", function(row, _, i)
    row.cpu_ns, row.preemptions, row.waits = row.wall_ns, 0, 0
    if i % 4 == 1 then
      row.preemptions, row.wall_ns = 1, row.wall_ns + 4e6
    end
  end },
  { "mostly preempted", function(row, _, i)
    row.cpu_ns, row.preemptions, row.waits = row.wall_ns, 0, 0
    if i % 8 ~= 1 then
      row.preemptions, row.wall_ns = 1, row.wall_ns + 4e6
    end
  end },
  { "cycles", function(row, _, i)
    row.cycle_ns = 0.33 + 0.01 * (i % 2)
    row.cycles, row.width = row.wall_ns / row.cycle_ns, 4
  end },
  { "a shared core", function(row, _, i)
    row.cycle_ns, row.cycles = 0.33, row.wall_ns / 0.33
    row.width = i % 3 == 1 and 2 or 4
    if i % 3 == 1 then row.wall_ns = 1.6 * row.wall_ns end
  end },
  { "compiled", function(row, _, i)
    row.jit_events = i % 10 == 1 and 2 or 0
    if i % 10 == 1 then row.wall_ns = row.wall_ns + 3e5 end
  end },
  { "unknown here and there", function(row, _, i)
    row.cpu_ns = i % 2 == 0 and row.wall_ns or NAN
    row.gc_major = i % 3 == 0 and 0 or NAN
  end },
}

local SHAPES = { { 1, 1 }, { 1, 2 }, { 1, 3 }, { 1, 5 }, { 1, 12 }, { 1, 40 },
  { 2, 1 }, { 2, 3 }, { 2, 20 }, { 3, 10 }, { 4, 1 }, { 5, 4 }, { 10, 8 },
  { 12, 1 } }

local SETTINGS = lists.copy(made_run.SETTINGS)
SETTINGS.resamples = 60

local function record(id, shape, kind, call_ns, more)
  local made = made_run.record({ launches = shape[1], batches = shape[2],
    noise = 0.01, seed = 3 + #id, fixed_ns = 200,
    call_ns = function() return call_ns end,
    iters = function(i) return 200 + i * 37 % 60 * 50 end }, kind[2])
  made.id, made.compared = id, "group"
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

local function short(e)
  if not e then return "-" end
  return golden.flat(e.value) .. (e.low and (" (%s to %s)"):format(
    golden.flat(e.low), golden.flat(e.high)) or "")
end

-- The figures of a result in a line, and a sum of all the rest.
local function line(result)
  local parts = {}
  for _, name in ipairs { "time", "median", "net", "collector" } do
    if result[name] then
      parts[#parts + 1] = name .. " " .. short(result[name])
    end
  end
  return ("%s; %d of %d; %s"):format(table.concat(parts, ", "),
    result.clean_batches or -1, result.rounds or -1,
    golden.flat(result.warnings))
end

for _, of_grid in ipairs { { "analysis_grid_1.txt", 1, 6 },
  { "analysis_grid_2.txt", 7, #KINDS } } do
  describe("the analysis of many runs", function()
    it("says what someone has read: " .. of_grid[1], function()
      local parts = {}
      for k = of_grid[2], of_grid[3] do
        local kind = KINDS[k]
        for _, shape in ipairs(SHAPES) do
          local a = record("a", shape, kind, 100)
          local b = record("bb", shape, kind, 130)
          local results = { analysis.analyse(a, SETTINGS),
            analysis.analyse(b, SETTINGS) }
          local ratio = analysis.compare(results, SETTINGS, true)[1]
          parts[#parts + 1] = ("%s, %d x %d: %s\n  a/bb %s %s\n"):format(
            kind[1], shape[1], shape[2], line(results[1]),
            ratio and short(ratio.ratio) or "-",
            ratio and ratio.verdict or "-")
        end
      end
      golden.check(of_grid[1], table.concat(parts))
    end)
  end)
end

-- Lists of numbers of many kinds, of n each.
local LISTS = {
  { "equal", function() return 7 end },
  { "ascending", function(i) return 100 + i end },
  { "descending", function(i, n) return 100 + n - i end },
  { "scattered", function(i) return 100 + i * 37 % 41 end },
  { "two apart", function(i)
    return (i % 3 == 0 and 130 or 100) + i % 5 / 5
  end },
  { "two near", function(i)
    return (i % 2 == 0 and 104 or 100) + i % 7 / 20
  end },
  { "few far", function(i)
    return (i % 11 == 0 and 200 or 100) + i % 5 / 5
  end },
  { "three", function(i) return 100 * (1 + i % 3 / 8) + i % 7 / 7 end },
  { "one far", function(i) return i == 2 and 900 or 100 + i * 7 % 5 end },
  { "with ties", function(i) return 100 + math.floor(i / 4) end },
  { "steps", function(i, n) return i > n / 2 and 120 or 100 + i % 2 / 9 end },
  { "growing", function(i) return 100 * 1.01 ^ i end },
}

describe("lists of any kind", function()
  it("have trends, states and clusters that someone has read", function()
    local parts = {}
    for _, kind in ipairs(LISTS) do
      for _, n in ipairs { 1, 2, 3, 4, 5, 6, 7, 9, 12, 20, 40, 41, 200 } do
        local list = {}
        for i = 1, n do list[i] = kind[2](i, n) end
        local said = {}
        for _, name in ipairs { "trend", "states", "clusters" } do
          local ok, found = pcall(noise[name], list)
          said[#said + 1] = ok and golden.flat(found) or "refused"
        end
        parts[#parts + 1] = ("%s, %d: %s\n"):format(kind[1], n,
          table.concat(said, " | "))
      end
    end
    golden.check("analysis_lists.txt", table.concat(parts))
  end)

  it("grow by laws that someone has read", function()
    local random, parts = generator(5), {}
    for _, law in ipairs {
      { "1", function() return 50 end }, { "n", function(n) return 3 * n end },
      { "n + much", function(n) return 1e4 + 3 * n end },
      { "n log n", function(n) return 2 * n * math.log(n + 1) end },
      { "n^2", function(n) return 0.1 * n * n end },
      { "log n", function(n) return 10 + 4 * math.log(n) end },
      { "n^3 less", function(n) return n ^ 3 - 50 end },
      { "falling", function(n) return 1e4 / n end },
      { "odd", function(n) return n % 7 * 50 + 1 end } } do
      for _, sizes in ipairs { { 1 }, { 1, 2, 3, 4 }, { 1, 2, 3, 4, 5 },
        { 10, 30, 100, 300, 1000, 3000 }, { 1, 10, 100, 1e3, 1e4, 1e5, 1e6 },
        { 5, 5, 5, 5, 5 }, { 0, 1, 2, 4, 8, 16 }, { -2, 1, 2, 3, 4, 5 } } do
        for _, noisy in ipairs { 0, 0.05 } do
          local points = {}
          for i, n in ipairs(sizes) do
            local value = law[2](n) * (1 + noisy * random.normal())
            points[i] = { x = n, value = value, low = value * 0.97,
              high = value * 1.03, id = tostring(i) }
          end
          local ok, found = pcall(sweeps.law, points)
          parts[#parts + 1] = ("%s, %d sizes from %s, noise %s: %s\n"):format(
            law[1], #sizes, golden.flat(sizes[1]), noisy, ok
            and golden.flat(found) or "refused")
        end
      end
    end
    golden.check("analysis_laws.txt", table.concat(parts))
  end)

  it("are rows of a free core, or not, as someone has read", function()
    local parts = {}
    for _, kind in ipairs(KINDS) do
      for _, shape in ipairs { { 1, 3 }, { 1, 12 }, { 2, 9 }, { 4, 30 } } do
        for _, width in ipairs { false, 3, 4, 6 } do
          local samples = record("a", shape, kind, 2e4).samples
          samples.time_ns = samples.wall_ns
          local clean, marked = rows.clean(samples, width or nil)
          clean = lists.copy(clean)
          clean.samples = nil
          parts[#parts + 1] = ("%s, %d x %d, width %s: %s | %s\n"):format(
            kind[1], shape[1], shape[2], tostring(width), golden.flat(clean),
            golden.flat(marked))
        end
      end
    end
    golden.check("analysis_clean.txt", table.concat(parts))
  end)
end)
