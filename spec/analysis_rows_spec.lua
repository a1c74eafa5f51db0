local analysis = require "tare.analysis"
local made_run = require "spec.support.made_run"
local the_rows = require "tare.analysis.rows"

local SETTINGS = made_run.SETTINGS
local CLOCK = { best_width = 4 }

local function analysed(record, clock)
  return analysis.analyse(record, SETTINGS, clock)
end

-- Batches between two rows are 1.5 times slower; told by the width or not.
local function slow_from(first, last, width)
  return function(row, _, i)
    local is_slow = i >= first and i <= last
    if is_slow then row.wall_ns = row.wall_ns * 1.5 end
    row.width = is_slow and width or 4
  end
end

describe("the rows that count", function()
  it("are those with the core for themselves", function()
    local record = made_run.record({ batches = 100 }, slow_from(11, 90, 3))
    local result = analysed(record, CLOCK)
    assert.near_relative(100, result.time.value, 0.02)
    assert.near(0.8, result.crowded, 1e-9)
    assert.is_true(made_run.warns(result, "crowded"))
    assert.is_false(made_run.warns(result, "crowded_run"))
  end)

  it("are not next to one that was crowded: a neighbour comes in their midst",
    function()
      local record = made_run.record({ batches = 99, noise = 0 },
        function(row, _, i)
          row.width = i % 9 == 0 and 3 or 4
          if i % 9 == 1 or i % 9 == 8 then row.wall_ns = row.wall_ns / 2 end
        end)
      assert.near_relative(100, analysed(record, CLOCK).time.value, 1e-9)
    end)

  it("are not those of a stretch that was a little crowded", function()
    local record = made_run.record({ batches = 100 }, slow_from(11, 90, 3.8))
    assert.near_relative(100, analysed(record, CLOCK).time.value, 0.02)
    record = made_run.record({ batches = 100 }, function(row, _, i)
      row.width = i % 3 == 0 and 3.8 or 4 -- and not of single readings
      if i % 3 == 0 then row.wall_ns = row.wall_ns / 2 end
    end)
    assert.is_true(analysed(record, CLOCK).time.value < 90)
  end)

  it("are told where the clock stood still in some, and another lost the core",
    function()
      local record = made_run.record({ batches = 30,
        iters = function() return 10 end }, function(row, _, i)
          if i % 2 == 0 then row.wall_ns = 0 end
          row.preemptions, row.waits = i == 5 and 1 or 0, 0
          row.cpu_ns = i == 5 and row.wall_ns / 2 or row.wall_ns
        end)
      local result = analysed(record)
      assert.near_relative(50, result.time.value, 0.1)
      assert.near(1 / 30, result.preempted, 1e-9)
    end)

  it("are those of a function that lowers the readings beside it, by 1 %",
    function()
      local function record_of(least, most)
        return made_run.record({ batches = 100 }, function(row, _, i)
          row.width = 4 * (least + (most - least) * (i % 10) / 9)
        end)
      end
      local own = analysed(record_of(0.97, 1), CLOCK)
      assert.equal(100, own.clean_batches)
      -- A neighbour that is there all the time takes more.
      local neighbour = analysed(record_of(0.94, 0.97), CLOCK)
      assert.is_true(made_run.warns(neighbour, "crowded_run"))
    end)

  it("are judged by what the machine can, not by the best of the run",
    function()
      local record = made_run.record({ batches = 60 }, slow_from(1, 60, 3))
      assert.is_false(made_run.warns(analysed(record), "crowded_run"))
      local result = analysed(record, CLOCK)
      assert.is_true(made_run.warns(result, "crowded_run"))
      assert.is_nil(result.time.low)
      assert.is_nil(result.time.high)
    end)

  it("are the least crowded ones where none is free", function()
    local record = made_run.record({ batches = 100 }, function(row, _, i)
      local width = i <= 25 and 3.6 or 2.5
      row.wall_ns, row.width = row.wall_ns * 4 / width, width
    end)
    local result = analysed(record, CLOCK)
    assert.is_true(made_run.warns(result, "crowded_run"))
    assert.near_relative(111, result.time.value, 0.03)
  end)

  it("are not those around which a host had the core for a fifth of the time, "
    .. "at the same width", function()
      local function stolen_in_third(share)
        return analysed(made_run.record({ launches = 6, batches = 30 },
          function(row, launch, i)
            row.width = 4
            -- In pieces: most readings lose nothing, some lose half and more.
            row.stolen = launch == 3 and i % 2 == 0 and share or 0.04
            if launch == 3 then row.wall_ns = row.wall_ns * 1.3 end
          end), CLOCK)
      end
      local result = stolen_in_third(0.45)
      assert.equal(5, #result.launch_values)
      assert.near_relative(100, result.time.value, 0.01)
      assert.near(1 / 6, result.crowded, 1e-9)
      -- A process of the system that came in between says nothing of its
      -- neighbours.
      assert.equal(6, #stolen_in_third(0.3).launch_values)
    end)

  it("leave out launches that were crowded as a whole", function()
    local record = made_run.record({ launches = 6, batches = 30 },
      function(row, launch, i)
        local is_slow = launch == 2 and i ~= 15 and i ~= 16
        row.width = is_slow and 3 or 4
        if launch == 2 then row.wall_ns = row.wall_ns * 1.5 end
      end)
    local result = analysed(record, CLOCK)
    assert.equal(5, #result.launch_values)
    assert.near_relative(100, result.time.value, 0.01)
  end)

  it("are the free ones of each launch, however few of these it has", function()
    local record = made_run.record({ launches = 12, batches = 24 },
      function(row, launch, i)
        local is_free = launch % 3 ~= 0 and i <= 5
        row.width = is_free and 4 or 3
        if not is_free then row.wall_ns = row.wall_ns * 1.5 end
      end)
    local result = analysed(record, CLOCK)
    assert.near_relative(100, result.time.value, 0.01)
    assert.is_not_nil(result.time.low)
    assert.is_false(made_run.warns(result, "crowded_run"))
  end)

  it("are no group of processes by themselves where they are two of a launch",
    function()
      local function groups(free)
        local result = analysed(made_run.record({ launches = 12, batches = 24 },
          function(row, launch, i)
            row.width = (launch % 2 == 0 or i <= free) and 4 or 3
            if launch % 2 == 1 then row.wall_ns = row.wall_ns * 1.5 end
          end), CLOCK)
        return #result.launch_values, result.groups and #result.groups
      end
      assert.same({ 6, nil }, { groups(5) })
      assert.same({ 12, 2 }, { groups(24) })
    end)

  it("leave another launch to be measured for each of which hardly any counts",
    function()
      local function good_launches(free, batches)
        return the_rows.clean(made_run.record({ launches = 12,
          batches = batches }, function(row, launch, i)
            row.width = (launch % 3 == 0 or i <= free) and 4 or 3
          end).samples, CLOCK.best_width).launches
      end
      assert.equal(4, good_launches(5, 24)) -- two of 24 count
      assert.equal(12, good_launches(12, 24))
      assert.equal(4, good_launches(4, 7)) -- three of seven
      assert.equal(12, good_launches(5, 7)) -- four of seven
    end)

  it("are not enough where one launch of several has all of them: it does not "
    .. "tell how far launches lie apart", function()
    local function of(free_launches, launches)
      return analysed(made_run.record({ launches = launches or 6,
        batches = 30 },
        function(row, launch)
          row.width = launch <= free_launches and 4 or 3
        end), CLOCK)
    end
    assert.is_true(made_run.warns(of(1), "crowded_run"))
    assert.is_nil(of(1).time.low)
    assert.is_false(made_run.warns(of(2), "crowded_run"))
    assert.is_not_nil(of(2).time.low)
    assert.is_true(made_run.warns(of(2, 25), "crowded_run"))
    assert.is_false(made_run.warns(of(3, 25), "crowded_run"))
  end)

  it("are not those that lost the core to another process", function()
    local record = made_run.record({ batches = 60 }, function(row, _, i)
      row.cpu_ns, row.preemptions, row.waits = row.wall_ns, 0, 0
      if i % 3 ~= 0 then
        row.preemptions, row.wall_ns = 1, row.wall_ns * 1.4
      end
    end)
    local result = analysed(record)
    assert.near_relative(100, result.time.value, 0.02)
    assert.near(2 / 3, result.preempted, 1e-9)
  end)

  it("are those in which a thread of the system ran for some microseconds, too",
    function()
      local function preempted_for(share)
        return analysed(made_run.record({ batches = 60 }, function(row, _, i)
          row.cpu_ns, row.preemptions, row.waits = row.wall_ns, 0, 0
          if i % 3 == 0 then
            row.preemptions, row.wall_ns = 1, row.wall_ns * (1 + share)
          end
        end))
      end
      assert.equal(60, preempted_for(0.003).clean_batches)
      assert.equal(0, preempted_for(0.003).preempted)
      assert.equal(40, preempted_for(0.01).clean_batches)
    end)

  -- Batches of 1 to 3 calls, of which every third takes ten times as long as
  -- the others: 4 ms on average. The core was taken away in those that have
  -- one, twice in three times. 'read' gives the time that was counted.
  local CALLS_THAT_DIFFER_NS = 4e6
  local function longer_are_disturbed(read, row_of)
    local call = 0
    return made_run.record({ launches = 4, batches = 60, noise = 0.002,
      iters = function(i) return i % 3 + 1 end,
      call_ns = function(_, i)
        local sum, calls = 0, i % 3 + 1
        for _ = 1, calls do
          call = call + 1
          sum = sum + (call % 3 == 0 and 1e7 or 1e6)
        end
        return sum / calls
      end }, function(row, launch, i)
        local ran_ns = row.wall_ns
        row.preemptions, row.waits = 0, 0
        if ran_ns > 9e6 and i % 6 ~= 1 then
          row.preemptions, row.wall_ns = 1, ran_ns + 4e6
        end
        row.cpu_ns = read and read(ran_ns, i) or ran_ns
        if row_of then row_of(row, launch, i) end
      end)
  end

  it("are also those of few calls that lost the core, with the time that they "
    .. "ran: longer ones lose it more often", function()
      local result = analysed(longer_are_disturbed())
      assert.near_relative(CALLS_THAT_DIFFER_NS, result.time.value, 0.02)
      assert.is_true(result.time.low < CALLS_THAT_DIFFER_NS
        and CALLS_THAT_DIFFER_NS < result.time.high)
      assert.near_relative(result.time.value, result.wall.value, 1e-9)
      assert.is_true(result.preempted > 0.4)
      assert.equal(240, result.clean_batches)
      assert.is_true(result.mean.value > 1.2 * result.time.value)
    end)

  it("are not those of few calls that lost the core where the processor's "
    .. "time is too coarse to say how long they ran", function()
      local result = analysed(longer_are_disturbed(function(ran_ns, i)
        return math.floor(ran_ns / 4e6 + i % 4 / 4) * 4e6
      end))
      assert.is_true(result.clean_batches < 240)
    end)

  it("are also those of few calls that lost the core where the others are so "
    .. "short that it shows what reading the processor's time takes", function()
      -- Two calls of 25 us; every tenth row has a millisecond of the
      -- collector's, and then loses the core nearly always.
      local result = analysed(made_run.record({ batches = 200,
        iters = function() return 2 end }, function(row, _, i)
          row.wall_ns = 5e4 + (i % 10 == 0 and 1e6 or 0)
          row.cpu_ns, row.preemptions, row.waits = row.wall_ns - 1e3, 0, 0
          if i % 10 == 0 and i % 100 ~= 0 then
            row.preemptions, row.wall_ns = 1, row.wall_ns + 8e6
          end
        end))
      assert.equal(200, result.clean_batches)
      assert.near_relative((5e4 + 1e5) / 2, result.time.value, 0.02)
    end)

  it("are not those of few calls that stood still", function()
    local result = analysed(longer_are_disturbed(nil, function(row, launch, i)
      if launch == 2 and i % 30 == 1 then row.wall_ns = 10 * row.wall_ns end
    end))
    assert.equal(238, result.clean_batches)
    assert.is_true(made_run.warns(result, "stood_still"))
  end)

  it("are those in which the bench itself waited for something", function()
    local record = made_run.record({ batches = 60 }, function(row, _, i)
      row.cpu_ns, row.preemptions, row.waits = row.wall_ns, 0, 0
      if i % 6 ~= 0 then
        row.preemptions, row.waits = 1, 5
        row.wall_ns = row.wall_ns * 1.4
      end
    end)
    assert.near_relative(140, analysed(record).time.value, 0.02)
  end)

  -- Rows that stood still: for nine tenths of their time, with so many waits.
  local function with_stops(rows, waits)
    local is_stopped = {}
    for _, i in ipairs(rows) do is_stopped[i] = true end
    return made_run.record({ batches = 60, noise = 0 }, function(row, _, i)
      row.cpu_ns, row.preemptions, row.waits = row.wall_ns, 0, 0
      if is_stopped[i] then
        row.wall_ns, row.waits = row.wall_ns * 10, waits
      end
    end)
  end

  it("are not those in which the process was stopped (SIGSTOP)", function()
    local result = analysed(with_stops({ 3, 17, 18 }, 1))
    assert.near_relative(100, result.time.value, 1e-9)
    assert.is_true(made_run.warns(result, "stood_still"))
  end)

  it("are not those in which the machine was, or the clock was set forward",
    function()
      local result = analysed(with_stops({ 3, 17, 18 }, 0))
      assert.near_relative(100, result.time.value, 1e-9)
      assert.is_true(made_run.warns(result, "stood_still"))
    end)

  it("are those of a bench that waits now and then", function()
    local waits = {}
    for i = 1, 60, 5 do waits[#waits + 1] = i end
    local result = analysed(with_stops(waits, 1))
    assert.is_true(result.mean.value > 200)
    assert.is_false(made_run.warns(result, "stood_still"))
  end)

  it("are those of a bench of one batch, though it waited", function()
    local record = made_run.record({ batches = 1 }, function(row)
      row.cpu_ns, row.preemptions, row.waits = row.wall_ns / 10, 0, 1
    end)
    assert.is_false(made_run.warns(analysed(record), "stood_still"))
  end)

  it("are all of a run of few batches, if they are free", function()
    local record = made_run.record({ batches = 3 }, slow_from(0, 0, 4))
    local result = analysed(record, CLOCK)
    assert.is_false(made_run.warns(result, "crowded_run"))
    assert.is_number(result.time.low)
  end)

  it("bear rows without a reading of the width", function()
    local record = made_run.record({ batches = 60 }, function(row, _, i)
      row.width = i % 2 == 0 and 4 or 0 / 0
    end)
    local result = analysed(record, CLOCK)
    assert.equal(0, result.crowded)
    assert.is_number(result.time.low)
  end)

  it("have a core to themselves at nearly the best width", function()
    local free = the_rows.free_width(4)
    assert.is_true(free > 0.9 * 4 and free < 4, free)
    assert.is_nil(the_rows.free_width(nil))
  end)
end)
