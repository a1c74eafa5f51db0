-- What launches of many kinds ask of their workers, whole: quick and slow
-- calls, short and long quotas, one bench and two, each mode of the collector.
-- Compared with what someone has read.
local golden = require "spec.support.golden"
local made = require "spec.support.made_worker"

-- What is asked without a break, in short: how many requests of a kind, their
-- calls in all, the least and the most.
local function asked(told)
  local parts, from = {}, 1
  for i, one in ipairs(told) do
    local after = told[i + 1]
    if not after or after.op ~= one.op then
      local sum, least, most, untimed = 0, math.huge, 0, 0
      for k = from, i do
        local iters = told[k].iters or 0
        sum, untimed = sum + iters, untimed + (told[k].untimed or 0)
        least, most = math.min(least, iters), math.max(most, iters)
      end
      parts[#parts + 1] = most == 0 and one.op
        or ("%s %d: %s (%s..%s)%s"):format(one.op, i - from + 1,
          golden.flat(sum), golden.flat(least), golden.flat(most),
          untimed > 0 and " +" .. golden.flat(untimed) or "")
      from = i + 1
    end
  end
  return #parts > 14 and table.concat(parts, ", ", 1, 14) .. (", %d more")
    :format(#parts - 14) or table.concat(parts, ", ")
end

local function became(bench)
  return ("  %s: %s, %s calls, spent %s%s%s\n"):format(bench.cell.id,
    tostring(bench.stage), golden.flat(bench:calls_made()),
    golden.flat(bench.spent_ns), next(bench.warnings) and " "
    .. golden.flat(bench.warnings) or "", bench.error and " " .. bench.error
    or "")
end

-- Benches of a worker whose calls take so long, with what is made of a row.
local function story(name, givens, limits)
  local benches = {}
  for i, given in ipairs(givens) do
    benches[i] = made.bench("s/" .. ("abc"):sub(i, i), given)
  end
  local told, round = made.tell(benches, limits)
  local parts = { ("%s: %s; round %s\n"):format(name, asked(told),
    tostring(round)) }
  for _, bench in ipairs(benches) do parts[#parts + 1] = became(bench) end
  return table.concat(parts)
end

local function collecting(every)
  return function(row)
    row.gc_minor, row.gc_major = 0, row.iters >= every and 1 or 0
    row.growth_bytes, row.heap_bytes = 40 * row.iters, 1e6 + row.iters
    return row
  end
end

local CALLS_NS = { 1, 40, 3e3, 2e5, 1e7, 4e8 }
local QUOTAS = { "1ms", "60ms", "1s", "1x", "7x", "20000x" }

describe("a launch's story", function()
  it("is what someone has read, for calls and quotas of any length", function()
    local parts = {}
    for _, call_ns in ipairs(CALLS_NS) do
      for _, quota in ipairs(QUOTAS) do
        parts[#parts + 1] = story(("%s ns, %s"):format(golden.flat(call_ns),
          quota), { { call_ns = call_ns, options = { quota = quota } } })
      end
    end
    for _, share in ipairs { 0.1, 0.5 } do
      parts[#parts + 1] = story("share " .. share, { { call_ns = 1e3,
        share = share }, { call_ns = 5e4, share = share } })
    end
    golden.check("story_lengths.txt", table.concat(parts))
  end)

  it("is what someone has read, in every mode", function()
    local parts = {}
    for _, gc in ipairs { "natural", "paced", "stopped", "collect", "arms" } do
      for _, call_ns in ipairs { 50, 2e4, 2e6 } do
        for _, every in ipairs { 1, 300 } do
          parts[#parts + 1] = story(("%s, %s ns, a collection from %d calls on")
            :format(gc, golden.flat(call_ns), every), { { call_ns = call_ns,
            options = { quota = "300ms", gc = gc }, row = collecting(every) } })
        end
      end
    end
    golden.check("story_modes.txt", table.concat(parts))
  end)

  it("is what someone has read, with options and in company", function()
    local parts = {}
    for _, given in ipairs { { schedule = "linear:7" }, { schedule = "fixed" },
      { schedule = "geometric:1.5" }, { warmup = "1ms" }, { warmup = "500x" },
      { warmup = "0" }, { rehearse = true }, { split = false },
      { instructions = true }, { profile = true }, { net_of_loop = true },
      { order = "sequential" }, { yields = true },
      { unroll = 8 }, { seed = 9 }, { memory_cap = "1MiB" } } do
      given.quota = "200ms"
      for _, call_ns in ipairs { 200, 1e6 } do
        parts[#parts + 1] = story(golden.flat(given) .. ", "
          .. golden.flat(call_ns) .. " ns", { { call_ns = call_ns,
          options = given }, { call_ns = 3 * call_ns, options = given } })
      end
    end
    for _, kinds in ipairs { "gc", "jit", "gc,jit" } do
      for _, column in ipairs { "gc_minor", "gc_major", "jit_events" } do
        parts[#parts + 1] = story(("discards %s, knows %s"):format(kinds,
          column), { { call_ns = 5e3, options = { quota = "100ms",
          discard = kinds }, row = function(row)
          row[column] = row.iters % 4 == 0 and 1 or 0
          return row
        end } })
      end
    end
    for _, limits in ipairs { { is_manual = false }, { resolution_ns = 1e4 },
      { min_batch_ns = 1e7 }, { row_cost_ns = 1e6 }, { untimed_ns = 3e5 },
      { untimed_ns = 3e5, in_turn_ns = 1e6 }, { round = 40 } } do
      parts[#parts + 1] = story(golden.flat(limits), { { call_ns = 700,
        options = { quota = "200ms" } }, { call_ns = 9e5,
        options = { quota = "200ms" } }, { call_ns = 30,
        options = { quota = "100ms" } } }, limits)
    end
    golden.check("story_options.txt", table.concat(parts))
  end)

  it("is what someone has read, where calls change and rows are odd", function()
    local parts = {}
    local function slower(done) return done < 3000 and 9000 or 1000 end
    local function longer(_, iters) return 500 + iters / 10 end
    for _, one in ipairs {
      { "quicker after 3,000 calls", { call_ns = slower } },
      { "longer the more there are", { call_ns = longer } },
      { "beside each batch 1 ms", { call_ns = 900, beside_ns = 1e6 } },
      { "a long set-up", { call_ns = 900, setup_ns = 2e8 } },
      { "in a batch() of its own", { call_ns = 900,
        info = { loop = "batch" } } },
      { "the collector stopped", { call_ns = 900, info = {
        is_running = false } } },
      { "generational", { call_ns = 900, info = { gc_mode = "generational" },
        row = collecting(50) } },
      { "a large heap", { call_ns = 900, info = { heap_bytes = 4e8 } } },
      { "rows that fail after 5 ms", { call_ns = 900, row = function(row)
        if row.iters > 1000 then return nil, "no more", "memory_cap" end
        return row
      end } },
      { "preempted rows", { call_ns = 900, row = function(row)
        row.preemptions, row.cpu_ns = row.iters % 2, 800 * row.iters
        return row
      end } },
      { "a shared core", { call_ns = 900, row = function(row)
        row.width = row.iters % 3 == 0 and 2 or 4
        return row
      end } } } do
      one[2].options = { quota = "150ms" }
      parts[#parts + 1] = story(one[1], { one[2] })
      parts[#parts + 1] = story(one[1] .. ", beside another", { one[2],
        { call_ns = 2e4, options = { quota = "150ms" } } },
        { untimed_ns = 3e5, in_turn_ns = 1e6 })
    end
    golden.check("story_odd.txt", table.concat(parts))
  end)
end)
