local collector = require "tare.analysis.collector"
local made_run = require "spec.support.made_run"

local NAN = 0 / 0
local SETTINGS = { confidence = 0.95, resamples = 200, seed = 1 }

-- Rows are added in the order of measuring: { kind, iters, mutator_ns,
-- collector_ns, minor, major, launch, growth?, head?, tail? }, the last two
-- { iters, mutator_ns, collector_ns }.
local function record(list, more, settings)
  local function empty()
    return { iters = {}, wall_ns = {}, time_ns = {}, start_ns = {},
      gc_minor = {}, gc_major = {}, launch = {}, cpu_ns = {},
      preemptions = {}, waits = {}, growth_bytes = {} }
  end
  local samples, paced = empty(), empty()
  paced.mutator_ns, paced.collector_ns = {}, {}
  local start = 0
  for _, row in ipairs(list) do
    local to = row.kind == "natural" and samples or paced
    local at = #to.iters + 1
    local ns = row.mutator_ns + row.collector_ns
    to.iters[at], to.wall_ns[at], to.time_ns[at] = row.iters, ns, ns
    to.start_ns[at], start = start, start + ns
    to.gc_minor[at], to.gc_major[at] = row.minor or 0, row.major or 0
    to.launch[at] = row.launch or 1
    to.cpu_ns[at] = row.preempted and ns / 2 or ns
    to.waits[at] = row.waits or 0
    to.preemptions[at] = row.preempted and 1 or 0
    to.growth_bytes[at] = row.growth
    if to == paced then
      local is_inside = row.kind == "inside"
      to.mutator_ns[at] = is_inside and NAN or row.mutator_ns
      to.collector_ns[at] = row.collector_ns
      for _, part in ipairs { "head", "tail" } do
        for name, value in pairs(row[part] or {}) do
          local column = part .. "_" .. name
          to[column] = to[column] or {}
          to[column][at] = value
        end
      end
    end
  end
  local result = { gc = "natural", gc_mode = "incremental", warnings = {},
    time = { value = 100, low = 98, high = 102, unit = "ns" },
    samples = samples, passes = { paced = { samples = paced },
      census = { iters = 16, allocs = 16, bytes = 1600 } } }
  for name, value in pairs(more or {}) do result[name] = value end
  collector.add(result, { samples = samples, passes = result.passes },
    settings or SETTINGS)
  return result
end

local function wobble(i) return 1 + (i * 7 % 5 - 2) / 200 end

-- So many natural and paced rows in turn, with plenty of collections in each.
local function dense(count)
  local list = {}
  for i = 1, count do
    list[#list + 1] = { kind = i % 2 == 0 and "natural" or "paced",
      iters = 1000, mutator_ns = 6e4 * wobble(i),
      collector_ns = 4e4 * wobble(i + 1), minor = 10 }
  end
  return list
end

-- Rows of a collector that works in one row of so many, 'paced' after natural
-- ones; 6e4 ns of function a row, and as much a cycle as makes 40 %.
local function rare(natural, paced, period)
  local list = {}
  for i = 1, natural + paced do
    local works = i % period == 0
    list[i] = { kind = i <= natural and "natural" or "paced", iters = 1000,
      mutator_ns = 6e4 * wobble(i),
      collector_ns = works and 4e4 * period or 0, major = works and 1 or 0 }
  end
  return list
end

local function warns(result, code)
  for _, found in ipairs(result.warnings) do
    if found == code then return true end
  end
  return false
end

describe("the function and its collector", function()
  it("share a call's time as they do in paced rows", function()
    local result = record(dense(40))
    assert.near_relative(60, result.net.value, 0.01)
    assert.near_relative(40, result.collector.value, 0.02)
    assert.near_relative(0.4, result.collector_share.value, 0.02)
    assert.is_true(result.net.low < 60 and 60 < result.net.high)
    assert.is_true(result.collector.low < 40 and 40 < result.collector.high)
  end)

  it("are told from whole cycles, where a cycle is longer than a row",
    function()
      -- 87 paced rows: the first end of a cycle comes late, and a part of one
      -- is left over at the end.
      local result = record(rare(200, 87, 10))
      assert.is_false(warns(result, "few_cycles"))
      assert.near_relative(60, result.net.value, 0.02)
      assert.near_relative(40, result.collector.value, 0.03)
    end)

  -- Paced rows begin just after a cycle, as stretches do. Counted by rows, two
  -- and a half times the function's time would have two cycles.
  it("are told from whole cycles, where rows begin and end in their midst",
    function()
      local list = {}
      for i = 1, 20 do
        for _ = 1, 2 do
          list[#list + 1] = { kind = "paced", iters = 1000, major = 2,
            mutator_ns = 6e4 * wobble(i), collector_ns = 8e4,
            head = { iters = 400, mutator_ns = 2.4e4 * wobble(i),
              collector_ns = 4e4 },
            tail = { iters = 200, mutator_ns = 1.2e4 * wobble(i),
              collector_ns = 0 } }
        end
        list[#list + 1] = { kind = "natural", iters = 1000,
          mutator_ns = 6e4 * wobble(i), collector_ns = 8e4, major = 2 }
      end
      local share = record(list).collector_share
      -- Of 400 calls 2.4e4 ns, and 4e4 of a cycle; between two rows, of 600.
      assert.near_relative((2 + 1) * 4e4
        / ((2 + 1) * 4e4 + 2 * 2.4e4 + 3.6e4), share.value, 0.01)
    end)

  it("are told from paced rows that follow each other: the first after another "
    .. "row, or of a launch, may have a cycle that began before it", function()
    for stretch = 2, 5 do
      local list = {}
      for launch = 1, 2 do
        for i = 0, 8 * stretch - 1 do
          local is_first = i % stretch == 0
          if is_first and i > 0 then
            list[#list + 1] = { kind = "natural", iters = 1000, launch = launch,
              mutator_ns = 6e4, collector_ns = 4e4, major = 1 }
          end
          list[#list + 1] = { kind = "paced", iters = 1000, launch = launch,
            mutator_ns = 6e4, collector_ns = is_first and 8e4 or 4e4,
            major = 1 }
        end
      end
      assert.near_relative(0.4, record(list).collector_share.value, 1e-9)
    end
  end)

  it("are not told from fewer than four whole cycles, but how long the run "
    .. "must be", function()
    local result = record(rare(100, 45, 15))
    assert.is_true(warns(result, "few_cycles"))
    assert.is_nil(result.net)
    assert.is_nil(result.collector)
    assert.is_nil(result.time.low)
    assert.is_true(result.cycles_needed_ns > 15 * 1e5 * 10)
    assert.is_true(result.cycles_needed_ns < 15 * 1e5 * 60)
  end)

  it("are not the difference to a time of launches that hardly saw a "
    .. "collection: these are but the pause that they begin with", function()
    -- Twelve launches of six natural rows, the last 'count' of which have so
    -- many collections each, and one paced row, which has none.
    local function of_launches(count, each)
      local list = {}
      for launch = 1, 12 do
        for i = 1, 6 do
          local works = i > 6 - count
          list[#list + 1] = { kind = "natural", launch = launch, iters = 1000,
            mutator_ns = 6e4 * wobble(i), collector_ns = works and 1e4 or 0,
            major = works and each or 0 }
        end
        list[#list + 1] = { kind = "paced", launch = launch, iters = 1000,
          mutator_ns = 6e4 * wobble(launch), collector_ns = 0 }
      end
      return record(list, { time = { value = 62, low = 61, high = 63,
        unit = "ns" } })
    end
    for each = 1, 2 do
      local few = of_launches(2, each)
      assert.is_true(warns(few, "few_cycles"))
      assert.is_nil(few.time.low)
      assert.near_relative(60 + 2 * 10 / 6, few.time.value, 0.01) -- the mean
      assert.is_nil(few.collector)
      -- ten cycles for each launch, of 7 rows of 6e4 ns
      assert.is_true(few.cycles_needed_ns > 12 * 10 / (2 * each) * 7 * 6e4)
    end
    local plenty = of_launches(5, 2)
    assert.is_false(warns(plenty, "few_cycles"))
    assert.is_true(plenty.collector.high > 2)
  end)

  it("tell the time of a call from whole cycles, where launches saw few each, "
    .. "though these are many in all", function()
    local list = {}
    for launch = 1, 12 do -- 3 of 40 cycles are natural and 1 or 2 are paced
      for _, row in ipairs(rare(35, 20, 10)) do
        row.launch = launch
        list[#list + 1] = row
      end
    end
    local result = record(list, { time = { value = 60, low = 59, high = 61,
      unit = "ns" } })
    assert.equal("paced", result.time_pass)
    assert.near_relative(100, result.time.value, 0.02)
    assert.near_relative(60, result.net.value, 0.02)
  end)

  it("ask for more than so many cycles where few have shown how long one is",
    function()
      local few = record(rare(100, 45, 60)) -- two cycles
      local more = record(rare(100, 45, 15)) -- nine, shorter by that
      assert.is_true(few.cycles_needed_ns > 1.2 * 4 * more.cycles_needed_ns)
    end)

  it("leave the mean for the time where it can't be relied on: the low side of "
    .. "few cycles is without the collector", function()
    local result = record(rare(100, 45, 40), { time = { value = 60, low = 59,
      high = 61, unit = "ns" } })
    assert.is_true(warns(result, "few_cycles"))
    assert.is_nil(result.time.low)
    -- Two of the 100 natural rows have a cycle's 40 x 4e4 ns.
    assert.near_relative(60 + 2 * 40 * 40 / 100, result.time.value, 0.02)
  end)

  it("take the mean of what a call takes along a cycle, where natural rows "
    .. "have but few of these", function()
    local list = rare(20, 87, 10)
    for i, row in ipairs(list) do -- fresh memory in four rows of ten
      if i % 10 >= 6 then row.mutator_ns = 2 * row.mutator_ns end
    end
    local result = record(list)
    assert.equal("paced", result.time_pass)
    assert.near_relative(1.4 * 60 + 40, result.time.value, 0.03)
    assert.is_true(result.time.low < 124 and 124 < result.time.high)
    assert.near_relative(1.4 * 60, result.net.value, 0.03)
  end)

  it("bring into the time as much doubt as their share of it, not more",
    function()
      local list = rare(20, 87, 10)
      for i, row in ipairs(list) do -- cycles are 4 of 5 parts, and differ
        row.collector_ns = (i % 20 == 0 and 5 or 7) * row.collector_ns
      end
      local result = record(list)
      assert.equal("paced", result.time_pass)
      assert.near_relative(60 + 6 * 40, result.time.value, 0.05)
      -- The mean of eight cycles of 5 or 7 is known to 14 %.
      local of_time = made_run.half(result.time)
      assert.is_true(0.08 < of_time and of_time < 0.2)
    end)

  it("are told from no cycle that has natural rows in its midst", function()
    local list = {}
    for i = 1, 40 do
      for k = 1, 10 do -- a cycle ends at the beginning of each stretch
        list[#list + 1] = { kind = "paced", iters = 1000,
          mutator_ns = 6e4 * wobble(k + i), collector_ns = 4e4,
          major = k == 1 and 1 or 0 }
      end
      list[#list + 1] = { kind = "natural", iters = 1000,
        mutator_ns = 1e5 * wobble(i), collector_ns = 0 }
    end
    local result = record(list)
    assert.is_nil(result.net)
    assert.is_true(warns(result, "few_cycles"))
  end)

  it("are not told, nor a confident time, where a run ended before any batch "
    .. "was paced", function()
    local result = record(rare(19, 0, 1000), { heap_bytes = 2e7,
      passes = { census = { iters = 16, allocs = 128, bytes = 5232,
        full_collection = { ns = 1e7, heap_bytes = 2e7, freed_bytes = 0 } } } })
    assert.is_true(warns(result, "few_cycles"))
    assert.is_nil(result.time.low)
    assert.is_nil(result.collector)
    assert.is_true(result.cycles_needed_ns > 0)
  end)

  it("leave a time its interval where they are no part of it: batches with "
    .. "collections were to be left out, or the heap is collected before each",
    function()
      local function given(gc, split, causes)
        return record(rare(19, 0, 1000), { heap_bytes = 2e7, split = split,
          gc = gc, discarded_by = causes,
          passes = { census = { iters = 16, allocs = 128, bytes = 5232 } } })
      end
      for _, few in ipairs { given("natural", true), given("natural", false),
        given("paced", false), given("arms") } do
        assert.is_true(warns(few, "few_cycles"))
        assert.is_nil(few.time.low)
        assert.is_true(few.cycles_needed_ns > 0)
      end
      for _, result in ipairs { given("natural", true, { gc = 3 }),
        given("collect"), given("stopped") } do
        assert.is_false(warns(result, "few_cycles"))
        assert.is_number(result.time.low)
      end
    end)

  it("are not told from batches with and without the collector, where those "
    .. "with it saw few cycles", function()
    local function arms(period)
      local made = record(rare(120, 0, period))
      local stopped = { iters = {}, time_ns = {}, wall_ns = {}, launch = {},
        cpu_ns = {}, preemptions = {}, waits = {}, start_ns = {} }
      for i = 1, 40 do
        local ns = 6e4 * wobble(i)
        stopped.iters[i], stopped.launch[i] = 1000, 1
        stopped.time_ns[i], stopped.wall_ns[i], stopped.cpu_ns[i] = ns, ns, ns
        stopped.preemptions[i], stopped.waits[i] = 0, 0
        stopped.start_ns[i] = 1e9 + i * 6e4
      end
      local result = { gc = "arms", gc_mode = "incremental", warnings = {},
        time = { value = 100, low = 98, high = 102, unit = "ns" },
        samples = made.samples, passes = { stopped = { samples = stopped },
          census = { iters = 16, allocs = 16, bytes = 1600 } } }
      collector.add(result, { samples = made.samples,
        passes = result.passes }, SETTINGS)
      return result
    end
    local plenty, few = arms(10), arms(40)
    assert.near_relative(40, plenty.collector.value, 0.02)
    assert.is_false(warns(plenty, "few_cycles"))
    assert.is_true(warns(few, "few_cycles"))
    assert.is_nil(few.collector)
    assert.is_nil(few.time.low)
  end)

  it("are told from a function's time that takes no notice of collections",
    function()
      local list = rare(200, 200, 10)
      for _, row in ipairs(list) do -- what comes after one is slow
        if row.major > 0 then row.mutator_ns = 3 * row.mutator_ns end
      end
      local result = record(list, { discarded = 5,
        discarded_by = { gc = 5 } })
      assert.near_relative(60, result.net.value, 0.02)
      assert.near_relative(40, result.collector.value, 0.03)
    end)

  it("are off the pace where paced rows have more collections than chance "
    .. "gives as many calls", function()
    -- Of 200 natural rows 20 have one; beside 20 of as many, 35 is 2 errors.
    local function is_off(seen)
      local list = {}
      for i = 1, 400 do
        local one_in = i <= 200 and 200 / 20 or 200 / seen
        local works = math.floor(i / one_in) > math.floor((i - 1) / one_in)
        list[i] = { kind = i <= 200 and "natural" or "paced", iters = 1000,
          mutator_ns = 6e4 * wobble(i), collector_ns = works and 4e5 or 0,
          major = works and 1 or 0 }
      end
      return warns(record(list), "off_pace")
    end
    assert.is_false(is_off(20))
    assert.is_false(is_off(33))
    assert.is_true(is_off(37))
    assert.is_true(is_off(80))
  end)

  it("are never told as none where no cycle was seen", function()
    local result = record(rare(40, 20, 1000), { heap_bytes = 1e9 })
    assert.is_nil(result.collector)
    assert.is_true(warns(result, "few_cycles"))
    -- A cycle is 1e9 / 100 calls.
    assert.is_true(result.cycles_needed_ns > 1e7 * 60)
  end)

  it("ask for as long a run as the heap needs that the first calls have built, "
    .. "with the collector's pause", function()
    local list = rare(40, 20, 1000)
    local paced = record(list).passes.paced
    local function asked(heap_bytes, pause)
      return record(list, { heap_bytes = 1e5, gc_pause = pause, passes = {
        paced = paced, census = { iters = 16, allocs = 16, bytes = 1600,
          full_collection = { ns = 1e12, heap_bytes = heap_bytes,
            freed_bytes = 0 } } } }).cycles_needed_ns
    end
    assert.is_true(asked(1e9) > 1e7 * 60) -- a cycle is 1e9 / 100 calls
    assert.near_relative(3, asked(1e9, 400) / asked(1e9), 1e-9)
  end)

  it("are next to nothing only with a collection as often as the collector's "
    .. "pause makes them", function()
    local list = rare(40, 20, 1000)
    local paced = record(list).passes.paced
    local function told(pause)
      return record(list, { heap_bytes = 1e5, gc_pause = pause, passes = {
        paced = paced, census = { iters = 16, allocs = 16, bytes = 1600,
          full_collection = { ns = 1e6, heap_bytes = 1e8,
            freed_bytes = 0 } } } }).collector
    end
    assert.is_true(told(200).high < 2) -- 1e6 ns in 1e6 calls
    assert.is_nil(told(120)) -- in 2e5
  end)

  it("ask, where no cycle was seen, for no longer a run than shows that there "
    .. "are next to none", function()
    -- 60 rows of 1,000 calls of 60 ns; a cycle of 1 ms in all of them would be
    -- 17 ns per call, a tenth of that 1.7 ns of 100.
    local result = record(rare(40, 20, 1000), { heap_bytes = 1e9 })
    local asked_ns = result.cycles_needed_ns
    local made = { gc = "natural", gc_mode = "incremental", warnings = {},
      heap_bytes = 1e9, time = { value = 100, low = 98, high = 102 },
      samples = result.samples, passes = { paced = result.passes.paced,
        census = { iters = 16, allocs = 16, bytes = 1600,
          full_collection = { ns = 1e6, heap_bytes = 1e6,
            freed_bytes = 0 } } } }
    collector.add(made, { samples = made.samples, passes = made.passes },
      SETTINGS)
    assert.is_nil(made.collector)
    assert.is_true(made.cycles_needed_ns < asked_ns / 100)
    assert.is_true(made.cycles_needed_ns > 8 * 60 * 6e4)
  end)

  it("are told without paced rows where one collection in all calls would be "
    .. "next to nothing", function()
    local result = record(rare(40, 0, 1000))
    local function told(full_ns, launches)
      local samples = {}
      for name, column in pairs(result.samples) do samples[name] = column end
      samples.launch = {}
      for row in ipairs(samples.iters) do
        samples.launch[row] = 1 + row % launches
      end
      local made = { gc = "natural", gc_mode = "incremental", warnings = {},
        time = { value = 100, low = 98, high = 102, unit = "ns" },
        samples = samples, passes = { census = { iters = 16, allocs = 16,
          bytes = 1600, full_collection = { ns = full_ns, heap_bytes = 1e6,
            freed_bytes = 0 } } } }
      collector.add(made, { samples = samples, passes = made.passes },
        SETTINGS)
      return made
    end
    -- a 40,000th of it per call, of each launch: up to 2 % of the time
    assert.near_relative(0.75, told(6e4, 1).collector.value, 1e-9)
    assert.near_relative(0.75, told(3e4, 2).collector.value, 1e-9)
    assert.is_nil(told(9e4, 1).collector)
    assert.is_nil(told(5e4, 2).collector)
  end)

  it("are told where the collector's is next to nothing, whatever it costs",
    function()
      local list = rare(40, 20, 1000)
      local result = record(list)
      assert.is_nil(result.net)
      local function told(bytes, grown, has_interval, shrinks)
        local samples = {}
        for name, column in pairs(result.samples) do samples[name] = column end
        samples.growth_bytes = {}
        for row in ipairs(samples.iters) do
          samples.growth_bytes[row] = shrinks and row % 2 == 0 and -grown
            or grown
        end
        local made = { gc = "natural", gc_mode = "incremental", warnings = {},
          time = { value = 100, low = has_interval ~= false and 98 or nil,
            high = has_interval ~= false and 102 or nil, unit = "ns" },
          samples = samples, passes = {
            paced = result.passes.paced,
            census = { iters = 16, allocs = 16, bytes = 1600,
              full_collection = { ns = 1e6, heap_bytes = 1e6,
                freed_bytes = 0 } },
            long_census = { iters = 1000, allocs = 5, bytes = bytes } } }
        collector.add(made, { samples = made.samples, passes = made.passes },
          SETTINGS)
        return made
      end
      for _, case in ipairs {
        { 500, is_told = true }, -- half a byte a call
        { 1e5, is_told = false },
        -- Strings that are found again: a row of 1,000 calls left 500 bytes.
        { 1e5, 500, is_told = true },
        { 1e5, 1e5, is_told = false },
      } do
        local made = told(case[1], case[2])
        assert.equal(case.is_told, (made.collector or { high = 99 }).high < 1)
        assert.equal(case.is_told, made.collector ~= nil)
        assert.equal(case.is_told, made.time.low == 98)
        assert.equal(not case.is_told, warns(made, "few_cycles"))
        assert.equal(case.is_told, made.cycles_needed_ns == nil)
      end
      -- A collection that has not ended frees as much as calls allocate.
      local swept = told(1e5, 1e5, true, true)
      assert.is_nil(swept.collector)
      assert.is_true(warns(swept, "few_cycles"))
      -- What is little of a time that may be many times too long may be much.
      local disturbed = told(500, nil, false)
      assert.is_nil(disturbed.collector)
      assert.is_true(disturbed.cycles_needed_ns < 10 * 60 * 6e4)
      -- Of nothing it is nothing, but no less in doubt.
      disturbed = told(0, 0, false)
      assert.equal(0, disturbed.collector.high)
      assert.is_nil(disturbed.net.low)
    end)

  it("are not next to nothing where more collections were seen than the bytes "
    .. "that were counted explain", function()
    -- 20,000 counted calls lacked what one in 1e5 allocates.
    local function told(period)
      return record(rare(40, 0, period), { passes = {
        census = { iters = 16, allocs = 0, bytes = 0,
          full_collection = { ns = 4e5, heap_bytes = 1e6, freed_bytes = 0 } },
        long_census = { iters = 20000, allocs = 200, bytes = 20000 } } })
    end
    assert.is_true(told(1000).collector.high < 2)
    local result = told(10)
    assert.is_nil(result.collector)
    assert.is_true(warns(result, "few_cycles"))
    assert.is_nil(result.time.low)
  end)

  it("are not next to nothing because no cycle was seen in a process where "
    .. "others allocate, too", function()
    local full = { ns = 1e6, heap_bytes = 1e4, freed_bytes = 0 }
    local function told(in_process)
      return record(rare(40, 20, 1000), { in_process = in_process,
        heap_bytes = 1e4, passes = {
          paced = record(rare(40, 20, 1000)).passes.paced,
          census = { iters = 16, allocs = 16, bytes = 1600,
            full_collection = full } } })
    end
    full.ns = 1e5 -- of which 60,000 calls have one at most, if they are alone
    assert.is_true(told(nil).collector.high < 2)
    assert.is_nil(told(true).collector) -- one in 100 calls is due
    assert.is_true(warns(told(true), "few_cycles"))
  end)

  it("are not told from paced rows between which a host collects", function()
    local result = record(dense(40), { warnings = { "collector_stopped" } })
    assert.is_nil(result.collector)
    assert.equal(100, result.time.value)
    assert.is_false(warns(result, "few_cycles"))
  end)

  it("tell the time of a call where natural rows saw few cycles", function()
    -- Nine cycles in 99 natural rows; a quarter of these is quicker than any
    -- with a part of a cycle.
    local result = record(rare(99, 101, 11), { time = { value = 60, low = 59,
      high = 61, unit = "ns" }, wall = { value = 66, low = 65, high = 67 },
      launch_values = { 54, 66 }, groups = { { share = 0.5, value = 54 } } })
    assert.near_relative(100, result.time.value, 0.02)
    assert.near_relative(90, result.launch_values[1], 0.02)
    assert.near_relative(110, result.launch_values[2], 0.02)
    assert.near_relative(90, result.groups[1].value, 0.02)
    assert.near_relative(110, result.wall.value, 0.02)
    assert.near_relative(60, result.net.value, 0.02)
    assert.near_relative(40, result.collector.value, 0.03)
  end)

  it("give no interval to the time of a run that can't be trusted", function()
    local function times(is_preempted)
      local list = rare(99, 101, 11)
      for i = 1, 99 do list[i].preempted = is_preempted end -- natural ones
      return record(list, { time = { value = 60, unit = "ns" } }).time
    end
    local sound, disturbed = times(false), times(true)
    assert.is_true(sound.low < sound.value and sound.value < sound.high)
    assert.is_nil(disturbed.low)
    assert.is_nil(disturbed.high)
  end)

  it("are by what was measured inside calls, where those have collections",
    function()
      -- A neighbour on the core doubles what the last rows take.
      local list = {}
      local kinds = { { "paced", 900, 130 }, { "inside", 900, 400 },
        { "natural", 600, 400 } }
      for i = 0, 59 do
        local kind, factor = kinds[i % 3 + 1], i < 30 and 1 or 2
        list[#list + 1] = { kind = kind[1], iters = 10, minor = 10,
          mutator_ns = factor * kind[2] * wobble(i),
          collector_ns = factor * kind[3] * wobble(i + 1) }
      end
      local result = record(list)
      assert.near_relative(40, result.collector.value, 0.03)
      assert.near_relative(60, result.net.value, 0.03)
    end)

  -- So many rows of natural calls and as many of steps inside calls, with a
  -- collector that takes 'spread' more or less from row to row.
  local function inside(count, spread)
    local list = {}
    for i = 0, 2 * count - 1 do
      local row = math.floor(i / 2)
      list[#list + 1] = { kind = i % 2 == 0 and "natural" or "inside",
        iters = 1, minor = 4, mutator_ns = 6e4,
        collector_ns = 4e4 * (1 + spread * (row * 3 % 4 - 1.5) / 1.5) }
    end
    return list
  end

  it("leave the time of such calls the doubt between processes: by how "
    .. "launches differ or, of one process, as much as processes do", function()
    for launches, least in pairs { [1] = 0.029, [5] = 0.03 } do
      local list = inside(20, 0.02)
      for i, row in ipairs(list) do
        row.launch = math.floor((i - 1) * launches / #list) + 1
        local factor = 1 + (launches > 1 and (row.launch - 3) * 0.02 or 0)
        row.mutator_ns = row.mutator_ns * factor
        row.collector_ns = row.collector_ns * factor
      end
      local result = record(list)
      assert.near_relative(1e5, result.time.value, 0.01)
      assert.is_true(made_run.half(result.time) > least)
      assert.is_true(made_run.half(result.time) < 0.06)
    end
  end)

  it("are not said to be nothing where a clock saw no time of the collections "
    .. "that ended", function()
    for _, list in ipairs { dense(40), inside(16, 0) } do
      for _, row in ipairs(list) do row.collector_ns = 0 end
      local result = record(list)
      assert.is_nil(result.collector)
      assert.is_nil(result.collector_share)
    end
  end)

  it("are compared with the time that timed rows ran, without what others took "
    .. "of it", function()
    -- Timed rows of twice the time, of which the processor had half.
    for _, case in ipairs {
      { share = 0.4, preempted = false, times = 1 },
      { share = 0.4, preempted = true, times = 2 },
      { share = 0.2, preempted = false, times = 2 },
      { share = 0.2, preempted = true, times = 2, waits = 1 }, -- it waits
    } do
      local list = inside(16, 0.1)
      for _, row in ipairs(list) do
        if row.kind == "natural" then
          row.mutator_ns = 6e4 * case.times
          row.collector_ns = 4e4 * case.times
          row.preempted, row.waits = case.preempted, case.waits
        end
      end
      assert.near_relative(case.share, record(list).collector_share.value,
        0.01)
    end
  end)

  it("are not told where cycles differ so much that the share is vague, but "
    .. "how long the run must be", function()
    local result = record(inside(16, 0.1))
    assert.near_relative(0.4, result.collector_share.value, 0.02)
    assert.is_false(warns(result, "few_cycles"))
    result = record(inside(4, 1))
    assert.is_true(warns(result, "few_cycles"))
    assert.is_nil(result.net)
    assert.is_nil(result.collector_share)
    assert.is_true(result.cycles_needed_ns > 5 * 8e5)
    -- Seven whole ones of paced rows, of which two are dear, beside two of
    -- natural rows: the time stays that of the pass that it is said to be of.
    local list = rare(20, 87, 10)
    for i, row in ipairs(list) do
      row.collector_ns = (i % 40 == 0 and 7 or 1) * row.collector_ns
    end
    result = record(list)
    assert.is_true(warns(result, "few_cycles"))
    assert.is_nil(result.collector_share)
    assert.equal("paced", result.time_pass)
    assert.near_relative(60 + 19 / 7 * 40, result.time.value, 0.02)
    assert.is_nil(result.time.low)
  end)

  it("are not told, nor the time, where launches saw few of the collections "
    .. "inside calls", function()
    local lists = { inside(16, 0.1), inside(3, 0) }
    for i, row in ipairs(lists[1]) do row.launch = math.ceil(i / 2) end
    for _, row in ipairs(lists[2]) do row.minor = 3 end -- nine in natural rows
    for _, list in ipairs(lists) do
      local result = record(list)
      assert.is_true(warns(result, "few_cycles"))
      assert.is_nil(result.net)
      assert.is_nil(result.time.low)
    end
  end)

  it("are not told from steps after calls whose collections run inside them",
    function()
      local list = inside(16, 0.1)
      for _, row in ipairs(list) do
        if row.kind == "inside" then row.kind = "paced" end
      end
      local result = record(list)
      assert.is_true(warns(result, "few_cycles"))
      assert.is_nil(result.net)
    end)

  it("are not told where paced calls have more or fewer collections than "
    .. "natural ones, unless that may be chance", function()
    local function with(list, kind, factor)
      for _, row in ipairs(list) do
        if row.kind == kind then row.minor = row.minor * factor end
      end
      return record(list)
    end
    for _, case in ipairs { { "paced", 2, true }, { "paced", 0.5, true },
      { "paced", 1.2, false } } do
      local result = with(dense(40), case[1], case[2])
      assert.equal(case[3], warns(result, "off_pace"))
      assert.equal(case[3], result.collector_share == nil)
      assert.equal(case[3], result.net == nil)
      assert.is_true(result.time.low < result.time.value)
    end
    -- as many collections, but of other kinds
    local list = dense(40)
    for _, row in ipairs(list) do
      local majors = row.kind == "paced" and 2 or 5
      row.minor, row.major = 10 - majors, majors
    end
    assert.is_true(warns(record(list), "off_pace"))
    local result = with(inside(16, 0.1), "inside", 2)
    assert.is_true(warns(result, "off_pace"))
    assert.is_nil(result.net)
    assert.is_false(warns(with(inside(3, 0.1), "inside", 1.5), "off_pace"))
    assert.is_false(warns(record(rare(80, 200, 10)), "off_pace"))
    -- Few of a kind in natural rows: a launch may have missed one.
    local function with_majors(each)
      list = dense(40)
      for i, row in ipairs(list) do
        row.major = row.kind == "paced" and i % 3 == 0 and each
          or i == 40 and 4 or 0
      end
      return record(list)
    end
    -- None of a kind at all, beside 19 times as many natural calls.
    list = dense(40)
    for i, row in ipairs(list) do
      row.kind = i % 20 == 0 and "paced" or "natural"
    end
    assert.is_false(warns(record(list), "off_pace"))
    assert.is_false(warns(with_majors(1), "off_pace"))
    assert.is_true(warns(with_majors(6), "off_pace"))
    assert.is_nil(with_majors(6).collector)
  end)

  it("are in doubt by as much as paced collections are more or fewer, where "
    .. "that is not chance", function()
    local function half(factor)
      local list = dense(800)
      for _, row in ipairs(list) do
        if row.kind == "paced" then row.minor = row.minor * factor end
      end
      local share = record(list).collector_share
      return (share.high - share.low) / 2 / share.value
    end
    assert.is_true(half(1) < 0.04)
    assert.is_true(half(1.02) < 0.04) -- as chance may have it
    assert.is_true(half(1.2) > math.log(1.2) * (1 - 0.4))
    assert.is_true(half(0.85) > math.log(1 / 0.85) * (1 - 0.4))
    -- So is a time of paced batches, where launches saw nine collections each.
    local function half_of_time(natural, period)
      local list = {}
      for launch = 1, 70 do
        for i = 1, natural + 25 do
          local is_natural = i <= natural
          local works = is_natural and i % period == 0
            or not is_natural and (i - natural) % 5 == 0
          list[#list + 1] = { kind = is_natural and "natural" or "paced",
            launch = launch, iters = 1000, mutator_ns = 6e4 * wobble(i),
            collector_ns = works and 2e5 or 0, major = works and 1 or 0 }
        end
      end
      local result = record(list)
      assert.equal("paced", result.time_pass)
      return made_run.half(result.time)
    end
    assert.is_true(half_of_time(20, 5) < 0.04)
    assert.is_true(half_of_time(24, 6) > math.log(1.2) * 0.4)
  end)

  it("are not told, nor the time, where natural rows saw few collections and "
    .. "paced ones clearly more", function()
    local list = dense(80)
    for i, row in ipairs(list) do
      row.minor = row.kind == "paced" and 10 or i == 80 and 4 or 0
    end
    local result = record(list)
    assert.is_true(warns(result, "off_pace"))
    assert.is_true(warns(result, "few_cycles"))
    assert.is_nil(result.time.low)
    assert.is_nil(result.net)
  end)

  it("have a share with an interval where the time has none: neighbours slow "
    .. "down both", function()
    local result = record(dense(40), { time = { value = 150, unit = "ns" } })
    assert.is_nil(result.net.low)
    local share = result.collector_share
    assert.is_true(share.low < 0.4 and 0.4 < share.high)
    assert.is_true(share.high - share.low < 0.1)
  end)

  it("go by the function's own time where batches with collections were "
    .. "dropped", function()
    local result = record(dense(40), { discarded = 5,
      discarded_by = { gc = 5 },
      time = { value = 62, low = 52, high = 72, unit = "ns" } })
    assert.near_relative(60, result.net.value, 0.01)
    assert.near_relative(2, result.collector.value, 0.2)
    assert.is_true(result.collector.high > 12) -- the time may be 10 ns more
    -- Where steps run inside calls, no row has the function's own time.
    result = record(inside(16, 0.1), { discarded = 5,
      discarded_by = { gc = 5 } })
    assert.is_nil(result.net)
    assert.is_nil(result.collector)
    assert.equal(98, result.time.low)
  end)

  it("are as they are where only batches with a new trace were dropped",
    function()
      local lists = { dense(40), rare(19, 20, 10), rare(40, 5, 1000) }
      for _, list in ipairs(lists) do
        local plain = record(list)
        local result = record(list, { discarded = 5,
          discarded_by = { jit = 5, gc = 0 } })
        assert.same(plain.warnings, result.warnings)
        for _, name in ipairs { "time", "net", "collector" } do
          assert.same(plain[name], result[name])
        end
      end
    end)

  it("are the whole and nothing where no collection was seen and nothing "
    .. "counted", function()
    local list = rare(40, 20, 1000)
    local paced = record(list).passes.paced
    local result = record(list, { heap_bytes = 1e9, passes = { paced = paced,
      census = { iters = 16, allocs = 0, bytes = 0 } } })
    assert.equal(0, result.collector.value)
    assert.is_false(warns(result, "few_cycles"))
    -- Nor is it nothing here, where a row of 1,000 calls leaves 1e5 bytes.
    for _, row in ipairs(list) do row.growth = 1e5 end
    result = record(list, { passes = { paced = paced, census = { iters = 16,
      allocs = 0, bytes = 0, full_collection = { ns = 1e6, heap_bytes = 1e6,
        freed_bytes = 0 } } } })
    assert.is_nil(result.collector)
    assert.is_false(warns(result, "few_cycles"))
  end)

  it("are the whole and nothing where calls allocate nothing", function()
    local result = { gc = "natural", warnings = {}, samples = { iters = { 1 } },
      time = { value = 5, low = 4, high = 6, unit = "ns" },
      passes = { census = { iters = 16, allocs = 0, bytes = 0 } } }
    collector.add(result, { samples = result.samples, passes = result.passes },
      SETTINGS)
    assert.equal(5, result.net.value)
    assert.equal(0, result.collector.value)
  end)
end)

describe("what collections cost", function()
  it("is told for each kind", function()
    local list = dense(40)
    local result = record(list)
    assert.is_nil(result.major_time)
    for _, row in ipairs(list) do row.minor, row.major = 0, 10 end
    result = record(list)
    assert.near_relative(4e3, result.major_time.value, 0.02)
    assert.is_nil(result.minor_time)
  end)

  it("is not told better than launches agree on it", function()
    local function width(of_launch)
      local list = {}
      for launch = 1, 8 do
        for i = 1, 40 do
          list[#list + 1] = { kind = i % 4 == 0 and "natural" or "paced",
            iters = 1000, launch = launch, mutator_ns = 6e4 * wobble(i),
            collector_ns = 4e4 * of_launch(launch), major = 10 }
        end
      end
      local found = record(list).major_time
      return (found.high - found.low) / found.value, found
    end
    local function one(launch) return 1 + 0.1 * (launch % 2) end
    local apart, found = width(one)
    -- Four launches at 1 and four at 1.1: their mean is known to 4 %.
    assert.near_relative(4.2e3, found.value, 0.01)
    assert.is_true(apart > 0.06 and apart < 0.2, apart)
    assert.is_true(width(function() return 1 end) < 0.01)
  end)

  it("is never below nothing", function()
    local list = rare(40, 160, 10)
    for i, row in ipairs(list) do -- few are dear, and most are nearly free
      if row.major == 1 then
        row.collector_ns = i % 80 == 0 and 4e6 or -3e3
      end
    end
    local found = record(list).major_time
    assert.is_true(found.value > 0)
    assert.equal(0, found.low)
    -- from a regression on counts
    found = record(dense(4), { passes = {}, fits = { { pass = "counts",
      coefficients = { gc_major = { value = 5, low = -2, high = 12 } } } } })
      .major_time
    assert.same({ value = 5, low = 0, high = 12, unit = "ns" }, found)
  end)
end)

describe("bytes and allocations", function()
  local function with(passes, more)
    local result = { gc = "natural", warnings = {},
      samples = { iters = { 400, 600 }, launch = { 1, 2 } },
      bytes = { value = 73, unit = "bytes" },
      allocs = { value = 8.1, unit = "allocs" }, passes = passes }
    for name, value in pairs(more or {}) do result[name] = value end
    collector.add(result, { samples = result.samples, passes = passes },
      SETTINGS)
    return result
  end

  it("of a long run are told where they are not those of a few calls",
    function()
      local result = with { long_census = { iters = 1000, bytes = 89300,
        allocs = 8101 } }
      assert.near_relative(89.3, result.long_bytes.value, 1e-9)
      assert.is_nil(result.long_allocs)
    end)

  it("that calls keep are what the heap grew by between two full collections",
    function()
      local result = with { census = { iters = 16, bytes = 1168, allocs = 130,
          full_collection = { ns = 1e6, heap_bytes = 1e5, freed_bytes = 0 } },
        full = { ns = 3e6, heap_bytes = 9e5, freed_bytes = 0,
          retained = { iters = 500, bytes = 500 * 16 } } }
      assert.near_relative(16, result.retained.value, 1e-9)
      assert.equal(3e6, result.full_time.value)
    end)

  it("that calls keep are not known where no calls were between", function()
    local result = with { full = { ns = 3e6, heap_bytes = 9e5 } }
    assert.is_nil(result.retained)
  end)

  it("that are less than an object in a hundred calls are none", function()
    for _, bytes in ipairs { 200, -2e5 } do
      local result = with { full = { ns = 1e6, heap_bytes = 1e5,
        retained = { iters = 1000, bytes = bytes } } }
      assert.equal(0, result.retained.value)
    end
  end)
end)
