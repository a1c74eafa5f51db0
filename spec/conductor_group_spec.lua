-- How many launches there are, and how long: with launches and a story that are
-- made up, so that no process is started and no time passes.
local Conductor = require "tare.conductor"
local lists = require "tare.base.lists"
local options = require "tare.base.options"
local precision = require "tare.analysis.precision"

local BATCHES, CALL_NS, ITERS = 10, 100, 1000

-- A launch that has loaded two benches, the second of which may have options of
-- its own; 'ends' is called when it is closed.
local function made_launch(settings, own, ends)
  local has_died = false
  local cells = {}
  for i, name in ipairs { "a", "b" } do
    cells[i] = { id = "s/" .. name, suite = "s", name = name, params = {},
      options = i == 2 and own or settings, compared = "s",
      baseline = i == 1 or nil }
  end
  return { cells = cells, can_fork = true, start_ns = 2e6, loaded_ns = 0,
    load_ns = 0, layout = {}, worker = function() return {} end,
    release = function() end, is_alive = function() return true end,
    has_died = function() return has_died end,
    ask = function(_, worker) -- who is asked anything ends the launch
      has_died, worker.is_gone = true, true
      return nil, "it ended both", "launch_failed"
    end,
    close = ends }
end

-- Measures both benches, of which each launch finds the same. 'given': options;
-- 'analysis' over one that knows nothing; 'fails': what the story does to each
-- bench, with the number of its launch; 'quota': of the second one. Records by
-- id, and each launch's share of the quota.
local function measured(given, analysis, fails, cannot_fork, quota)
  local settings = assert(options.resolve(given, "spec"))
  local own = lists.copy(given)
  own.quota = quota or own.quota
  own = assert(options.resolve(own, "spec"))
  local shares, open = {}, 0
  local function story(benches, limits, round)
    for _, bench in ipairs(benches) do
      bench.info, bench.call_ns = { spent_ns = 0 }, CALL_NS
      bench.warmed_up = { calls = ITERS, ns = 1e6 }
      if fails then fails(bench, bench.launch) end
    end
    limits.on_known()
    shares[#shares + 1] = benches[1].quota_ns / settings.quota.ns
    for _, bench in ipairs(limits.stop and {} or benches) do
      bench:forget_rows(BATCHES)
      for i = 1, BATCHES do
        bench:keep({ iters = ITERS, wall_ns = ITERS * CALL_NS }, round + i)
        bench:count_timed(ITERS * CALL_NS, ITERS)
      end
    end
    return round + BATCHES
  end
  local conductor = Conductor.new({ files = {}, settings = settings }, {
    signals = analysis.signals or {}, resolution_ns = 1, story = story,
    start = function()
      open = open + 1
      local is_open = true
      local launch = made_launch(settings, own, function()
        open, is_open = open - (is_open and 1 or 0), false
      end)
      launch.can_fork = not cannot_fork
      return launch
    end,
    analysis = { is_look = analysis.is_look
        or function(launches) return launches == 4 end,
      is_narrow = analysis.is_narrow or function() return false end,
      spread = analysis.spread or function() return nil end,
      free_width = analysis.free_width or function() return nil end,
      clean_launches = analysis.clean_launches } })
  local records = {}
  local cells = assert(conductor:cells())
  assert.is_nil(conductor:measure(cells, function(some)
    lists.append(records, some)
  end))
  assert.equal(0, open) -- all that was started is closed
  if not analysis.signals then assert.near(1, conductor:progress(), 1e-9) end
  return lists.by_id(records), shares
end

describe("the launches of a group", function()
  it("share the quota", function()
    local records, shares = measured({ quota = "2s" }, {})
    assert.equal(25, records["s/a"].launches)
    assert.equal(25, records["s/b"].launches)
    assert.equal(25 * BATCHES, #records["s/a"].samples.iters)
    for _, share in ipairs(shares) do assert.equal(1 / 25, share) end
  end)

  it("are as many where a bench has processes of its own", function()
    local records = measured({ quota = "2s" }, {}, nil, true)
    assert.equal(records["s/a"].launches, records["s/b"].launches)
  end)

  it("begin with the first bench and with the last by turns: who is forked "
    .. "and warmed up first may be slower", function()
    local first = {}
    measured({ quota = "2s", launches = 4 }, {}, function(bench, launch)
      first[launch] = first[launch] or bench.cell.name
    end)
    assert.same({ "a", "b", "a", "b" }, first)
  end)

  it("count their rounds on", function()
    local records = measured({ quota = "2s" }, {})
    local rounds = records["s/a"].samples.round
    for i, round in ipairs(rounds) do assert.equal(i, round) end
  end)

  it("are shorter where launches differ more than their batches do", function()
    local function with(between)
      local records, shares = measured({ quota = "2s" }, {
        spread = function(record)
          assert.is_true(record.launches >= 5)
          return { between = between, within = 0.01 }
        end })
      return records["s/b"].launches, shares
    end
    local few, longest = with(0.001)
    local many, shares = with(0.2)
    assert.equal(25, few)
    assert.is_true(many > 1.3 * few)
    assert.equal(longest[1], shares[5])
    assert.is_true(shares[6] < longest[6])
    local sum = 0
    for _, share in ipairs(shares) do sum = sum + share end
    assert.near(1, sum, 1e-9)
  end)

  it("are as few as whole collections need of the heap that the first calls "
    .. "have built, with the bench's settings", function()
    local function launches(heap_bytes, settings)
      local given = { quota = "2s" }
      for name, value in pairs(settings or {}) do given[name] = value end
      local records = measured(given, {}, function(bench)
        bench.info.heap_bytes, bench.info.gc_mode = 1e5, "incremental"
        bench.passes.census = { iters = 16, allocs = 16, bytes = 1600,
          full_collection = heap_bytes and { ns = 1e6, freed_bytes = 0,
            heap_bytes = heap_bytes } }
      end)
      return records["s/a"].launches
    end
    assert.equal(25, launches())
    assert.equal(6, launches(1.2e7)) -- of 24 times 1.2e5 calls of 100 ns
    assert.equal(2, launches(1.2e7, { gc_pause = 400 }))
    assert.equal(25, launches(1.2e7, { gc_pause = 110 }))
  end)

  it("are fewer of a quota of calls, which is for so many in each and never "
    .. "exceeded", function()
    for _, one in ipairs {
      { quota = "10x", launches = 1, calls = 10 },
      { quota = "35x", launches = 3, calls = 33 },
      { quota = "10000x", launches = 25, calls = 10000 },
      { quota = "10x", asked = 20, launches = 10, calls = 10 },
      { quota = "10x", asked = 20, agree = true, launches = 5, calls = 10 },
      { quota = "1x", launches = 1, calls = 1 },
    } do
      local calls, least = 0, math.huge
      local records = measured({ quota = "2s", launches = one.asked,
        agree = one.agree }, {}, function(bench)
        if bench.cell.name == "b" then
          bench.calls = bench.quota_calls
          calls, least = calls + bench.calls, math.min(least, bench.calls)
        end
      end, nil, one.quota)
      assert.equal(one.calls, calls)
      assert.equal(one.calls / one.launches, least)
      assert.equal(one.launches, records["s/b"].launches)
      assert.equal(one.asked or 25, records["s/a"].launches)
    end
  end)

  it("are all that a quota of calls has, though a signal ends the others",
    function()
      local signals = {}
      local records = measured({ quota = "2s" }, { signals = signals },
        function(bench, launch)
          if bench.cell.name == "b" then bench.calls = bench.quota_calls end
          if launch == 2 then signals.signal, signals.count = "sigint", 1 end
        end, nil, "10x")
      assert.same({ "interrupted" }, records["s/a"].warnings)
      assert.same({}, records["s/b"].warnings)
      assert.equal(1, records["s/b"].launches)
    end)

  it("are over once all benches are as precise as was asked for", function()
    local records = measured({ quota = "2s", precision = "1%" },
      { is_narrow = function(record) return record.launches == 4 end })
    assert.equal(4, records["s/a"].launches)
  end)

  it("begin short where they may be over early, however long the quota",
    function()
      local function first_ns(given, quota, fails)
        given.quota, given.precision = "60s", "10%"
        local records, shares = measured(given, {
          is_narrow = function(record) return record.launches == 4 end },
          fails, nil, quota)
        assert.equal(4, records["s/a"].launches)
        assert.equal(shares[1], shares[3])
        return 6e10 * shares[1]
      end
      assert.near(4e7, first_ns {}, 1)
      assert.near(2.4e9, first_ns { launches = 25 }, 1)
      assert.near(2.4e9, first_ns { warmup = "1s" }, 1)
      -- A quota of calls is not split into launches of a few.
      assert.near(2.4e9, first_ns({}, "10000x"), 1)
      assert.near(2.4e9, first_ns({}, nil, function(bench)
        if bench.launch == 1 then bench:warn "not_settled" end
      end), 1)
    end)

  it("are longer from look to look, up to the usual length", function()
    local records, shares = measured({ quota = "60s", precision = "1%" },
      { is_look = precision.is_look })
    local sum = 0
    for i, share in ipairs(shares) do
      local before = shares[i - 1] or share
      local is_after_look = precision.is_look(i - 1)
      assert.is_true(share <= 1 / 25 + 1e-9)
      assert.is_true(is_after_look and share > before or share == before)
      sum = sum + share
    end
    assert.near(4e7 / 6e10, shares[4], 1e-9)
    assert.near(8e7 / 6e10, shares[5], 1e-4)
    assert.near(1, sum, 1e-9)
    assert.is_true(records["s/a"].launches >= 25)
  end)

  it("are those of any run where the quota is a second", function()
    for _, given in ipairs { { precision = "1%" }, {} } do
      given.quota = "1s"
      local records, shares = measured(given,
        { is_look = precision.is_look })
      assert.equal(25, records["s/a"].launches)
      for _, share in ipairs(shares) do assert.near(1 / 25, share, 1e-9) end
    end
  end)

  it("are as long as is best for them, once that is known", function()
    local _, shares = measured({ quota = "10s", precision = "1%" },
      { is_look = precision.is_look,
        spread = function() return { between = 0.2, within = 0.01 } end })
    local longest, sum = 0, 0
    for _, share in ipairs(shares) do
      longest, sum = math.max(longest, share), sum + share
    end
    assert.is_true(longest < 1 / 50)
    assert.near(1, sum, 1e-9)
  end)

  it("are as many as was asked for, however they differ", function()
    local records = measured({ quota = "2s", launches = 7 },
      { spread = function() return { between = 1, within = 0.01 } end })
    assert.equal(7, records["s/a"].launches)
  end)

  it("are more for those that were crowded as a whole", function()
    local records = measured({ quota = "2s", patience = "2s" }, {
      free_width = function() return 1 end,
      clean_launches = function(record) return record.launches - 5 end })
    assert.equal(30, records["s/a"].launches)
  end)

  it("are done again where a bench has ended them, twice at most", function()
    for times = 1, 2 do
      local left = times
      local records, shares = measured({ quota = "2s" }, {}, function(bench)
        if bench.cell.name == "b" and bench.launch == 3 and left > 0 then
          left = left - 1
          bench:ask "time"
        end
      end)
      local a, b = records["s/a"], records["s/b"]
      assert.equal(25, a.launches)
      assert.equal(25 * BATCHES, #a.samples.iters)
      for i, round in ipairs(a.samples.round) do assert.equal(i, round) end
      assert.is_nil(a.error)
      assert.same({}, a.warnings)
      assert.is_nil(a.failed_launches)
      assert.equal(25 + times, #shares)
      assert.is_nil(b.error)
      assert.equal(times == 1 and 25 or 2, b.launches)
      assert.equal(times, #b.failed_launches)
      assert.equal("it ended both", b.failed_launches[times].message)
    end
  end)

  it("are done again where a bench ends the first: as many are planned",
    function()
      for _, asked in ipairs { false, 3 } do
        local records = measured({ quota = "2s", launches = asked or nil }, {},
          function(bench)
            if bench.cell.name == "b" then bench:ask "time" end
          end)
        assert.equal(asked or 25, records["s/a"].launches)
        assert.equal("it ended both", records["s/b"].error)
      end
    end)

  it("are over for a bench that ends one once it is measured", function()
    local asked = 0
    local records = measured({ quota = "2s", launches = 3 }, {},
      function(bench)
        if bench.cell.name ~= "b" then return end
        asked = asked + 1
        bench:keep_rows()
        bench:ask "finish"
      end)
    assert.equal(1, asked)
    assert.equal(3, records["s/a"].launches)
    assert.equal("it ended both", records["s/b"].error)
  end)

  it("are no more of a bench whose figures can't be analysed, whatever was "
    .. "asked of them; the other has all", function()
    local function raising(record, otherwise)
      if record.id == "s/b" then error("made up", 0) end
      return otherwise
    end
    for name, analysis in pairs {
      is_narrow = { is_narrow = function(record)
        return raising(record, true)
      end },
      spread = { spread = function(record) return raising(record) end },
      clean_launches = { free_width = function() return 1 end,
        clean_launches = function(record)
          return raising(record, record.launches)
        end } } do
      local records = measured({ quota = "2s", precision = name == "is_narrow"
        and "1%" or nil }, analysis)
      assert.equal("its figures can't be analysed: made up",
        records["s/b"].error, name)
      assert.same({}, records["s/b"].samples.iters)
      assert.is_nil(records["s/a"].error)
      assert.equal(name == "is_narrow" and 4 or 25, records["s/a"].launches)
    end
  end)

  it("are over for a group whose story can't go on, and the run is not",
    function()
      local records, shares = measured({ quota = "2s" }, {}, function(_, launch)
        if launch == 3 then error("no plan", 0) end
      end)
      assert.equal(2, #shares)
      for _, id in ipairs { "s/a", "s/b" } do
        assert.equal("the figures of its group can't be used: no plan",
          records[id].error)
      end
    end)

  it("are no more of a bench that failed twice", function()
    local records = measured({ quota = "2s" }, {}, function(bench)
      if bench.cell.name == "b" then bench:fail "it raised" end
    end)
    assert.equal(25, records["s/a"].launches)
    assert.equal("it raised", records["s/b"].error)
    assert.equal(BATCHES, #records["s/b"].samples.iters)
  end)
end)
