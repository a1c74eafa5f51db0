-- Made-up Reports for the specs of renderers: plausible, the same on every
-- platform, with a bench for each thing that a Report can hold.
local made = require "spec.support.made"

local fixtures = { result = made.result, estimate = made.estimate,
  generator = made.generator }

-- A name that breaks what does not escape: markup, quotes, control characters.
fixtures.HOSTILE = "</script><b>\"x\" & 'y', <!-- ]]>|\r\n\t%s\1"

local function census(iters, allocs, bytes)
  return { iters = iters, allocs = allocs * iters, bytes = bytes * iters,
    freed_bytes = bytes * iters - 4096, peak_bytes = 65536,
    growth_bytes = 4096, by_type = {
      string = { allocs = iters, bytes = 40 * iters },
      table = { allocs = iters, bytes = 56 * iters },
      other = { allocs = (allocs - 2) * iters, bytes = (bytes - 96) * iters },
    } }
end

local function paced(seed)
  local random = made.generator(seed)
  local s = { iters = {}, mutator_ns = {}, collector_ns = {}, gc_steps = {} }
  for i = 1, 40 do
    s.iters[i] = 100
    s.mutator_ns[i] = 25000 * (1 + 0.02 * random.normal())
    s.collector_ns[i] = 9000 * (1 + 0.1 * random.normal())
    s.gc_steps[i] = 3
  end
  return { samples = s, pauses = { count = 120, p50 = 2600, p95 = 5400,
    p99 = 21000, max = 74000, histogram = {
      edges_ns = { 1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 64e3, 128e3 },
      counts = { 21, 60, 32, 4, 1, 1, 1 } } } }
end

local function concat(name, ns, seed, more)
  return made.result("strings", name, { ns = ns, bytes = 1800, seed = seed,
    launches = 4 }, more)
end

local function collected()
  local r = made.result("tables", "fill", { ns = 255, bytes = 152, seed = 3,
    rows = 120, growth = 1.08 }, { id = "tables/fill{n=10}",
    params = { n = 10 }, group = { "array" } })
  r.net, r.collector = made.estimate(255, 0.006, "ns"),
    made.estimate(92, 0.04, "ns")
  r.bytes = { value = 152, low = 152, high = 152, unit = "bytes" }
  r.allocs = { value = 4, low = 4, high = 4, unit = "allocs" }
  r.instructions = { value = 61, unit = "instructions" }
  r.gc_minor = { value = 0.00076, unit = "collections" }
  r.gc_major = { value = 0.00006, unit = "collections" }
  r.passes = { paced = paced(11), census = census(1000, 4, 152),
    instructions = { iters = 1000, instructions = 61000 } }
  r.fits[2] = { responder = "time", intercept = true, r2 = 0.9991,
    predictors = { "iters", "gc_minor", "gc_major" }, adjusted_r2 = 0.9990,
    coefficients = { iters = made.estimate(255, 0.01),
      gc_minor = made.estimate(9100, 0.1), gc_major = made.estimate(69e3, 0.2),
      intercept = made.estimate(60, 0.5) },
    vif = { iters = 3.1, gc_minor = 3.4, gc_major = 1.4 } }
  return r
end

local SIZES = { 10, 30, 100, 300, 1000, 3000, 10000 }
local IMPLS = {
  append = function(n) return 400 + 21 * n end,
  insert = function(n) return 30 + 1.4 * n * math.log(n) * 2 end,
}

local function sweep_cells(results)
  local series = {}
  for _, impl in ipairs { "append", "insert" } do
    local points = {}
    for i, n in ipairs(SIZES) do
      local ns = IMPLS[impl](n)
      local id = ("vec/fill{impl=%s,n=%d}"):format(impl, n)
      results[#results + 1] = made.result("vec", "fill", { ns = ns, seed = n,
        rows = 30 }, { id = id, params = { impl = impl, n = n } })
      points[i] = { x = n, value = ns, low = ns * 0.98, high = ns * 1.02,
        id = id }
    end
    series[#series + 1] = { label = "impl=" .. impl, points = points }
  end
  series[1].law = { name = "n", also = {},
    coefficients = { constant = 400, factor = 21 },
    exponent = { value = 0.97, low = 0.93, high = 1.01 } }
  series[2].law = { name = "n log n", also = { "n" },
    coefficients = { constant = 30, factor = 2.8 },
    exponent = { value = 1.12, low = 1.08, high = 1.16 } }
  return { bench = "vec/fill", axis = "n", series = series, crossovers = {
    { a = "impl=insert", b = "impl=append", x = 1300, low = 1100,
      high = 1600 } } }
end

local function compared(a, value, low, high, verdict)
  return { a = a, b = "strings/concat", verdict = verdict, rounds = 80,
    metric = "time", ratio = { value = value, low = low, high = high } }
end

local function env()
  return { tare = "tare 0.1.0", lua = "Lua 5.4.4", os = "Linux 6.1",
    cpu = "Example 9 @ 3 GHz", cores = 4,
    collector = { mode = "generational" } }
end

--- A whole Report: comparisons, collections, paced pass, census, sweep,
--- an error, warnings, hostile names. A fresh one at each call.
function fixtures.report()
  local results = { concat("concat", 880, 21, { baseline = true }),
    concat("buffer", 431, 22), concat("format", 884, 23),
    concat("gsub", 2210, 24, { warnings = { "drift", "two_speeds" } }),
    collected(),
    { id = "broken/raises", suite = "broken", name = "raises", params = {},
      loop = "inline", gc = "natural", warnings = {},
      error = "broken_bench.lua:7: attempt to index a nil value" } }
  local sweep = sweep_cells(results)
  results[#results + 1] = made.result(fixtures.HOSTILE, fixtures.HOSTILE,
    { ns = 3.2, seed = 5 }, { warnings = { "no_known_code<i>" } })
  return { schema = "tare/1", env = env(), results = results,
    sweeps = { sweep },
    options = { quota = "1s", confidence = 0.95, resamples = 10000, seed = 1 },
    comparisons = { compared("strings/buffer", 0.49, 0.483, 0.497, "faster"),
      compared("strings/format", 1.004, 0.994, 1.013, "same"),
      compared("strings/gsub", 2.51, 2.42, 2.66, "slower") } }
end

--- A Report of 'n' plain benches of different sizes, in suites of twenty.
function fixtures.many(n)
  local results = {}
  for i = 1, n do
    results[i] = made.result("suite" .. math.ceil(i / 20), "bench" .. i,
      { ns = 10 ^ (i % 7), seed = i, rows = 60, points = 32 })
  end
  return { schema = "tare/1", env = env(), options = {}, results = results,
    comparisons = {} }
end

return fixtures
