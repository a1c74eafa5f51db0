local compare = require "tare.analysis.compare"
local rounds = require "tare.analysis.rounds"
local schedule = require "tare.run.schedule"

local SETTINGS = { confidence = 0.95, tolerance = 0.01 }

-- Batches of 10 calls, one a round, that began at these times.
local function samples(count, more)
  local made = { iters = {}, wall_ns = {}, round = {}, start_ns = {} }
  for i = 1, count do
    made.iters[i], made.wall_ns[i], made.round[i] = 10, 1000, i
    made.start_ns[i] = (more and more.from or 0) + i * 2000
  end
  return made
end

describe("rounds", function()
  it("pair the batches of the same number", function()
    local a, b = samples(10), samples(10)
    table.remove(a.round, 3)
    for _, name in ipairs { "iters", "wall_ns", "start_ns" } do
      table.remove(a[name], 3)
    end
    b.wall_ns[5] = 500
    local paired = rounds.paired(a, b)
    assert.equal(9, #paired)
    assert.equal(2, paired[4].ratio)
  end)

  it("pair nothing that was measured one after the other", function()
    local a, b = samples(10), samples(10, { from = 1e6 })
    assert.is_false(rounds.in_turn(a, b))
    assert.same({}, rounds.paired(a, b))
    local of = function(id, made) return { id = id, samples = made } end
    assert.is_nil(compare.pair(of("a", a), of("b", b), SETTINGS))
  end)

  it("leave out those in which one lost its core", function()
    local a, b = samples(20), samples(20)
    for _, made in ipairs { a, b } do
      made.cpu_ns, made.preemptions, made.waits = {}, {}, {}
      for i = 1, 20 do
        made.cpu_ns[i], made.preemptions[i], made.waits[i] = 1000, 0, 0
      end
    end
    a.wall_ns[4], a.preemptions[4] = 5000, 1
    b.wall_ns[9], b.preemptions[9] = 5000, 1
    local paired = rounds.paired(a, b)
    assert.equal(18, #paired)
    for _, round in ipairs(paired) do assert.equal(1, round.ratio) end
  end)
end)

describe("a ratio over several launches", function()
  -- Launches of 150 rounds, in each of which the ratio is another by chance.
  local function result(id, launches, spread, random)
    local made = { iters = {}, wall_ns = {}, round = {}, launch = {} }
    for launch = 1, launches do
      local shift = 1 + spread * (random(2001) - 1001) / 1000
      for _ = 1, 150 do
        local row = #made.iters + 1
        made.iters[row], made.round[row], made.launch[row] = 10, row, launch
        made.wall_ns[row] = 1000 * shift * (1 + random(100) / 1e4)
      end
    end
    return { id = id, samples = made }
  end

  it("is as unsure as its launches differ", function()
    local random, held = schedule.generator(3), 0
    for _ = 1, 100 do
      local found = compare.pair(result("a", 8, 0.03, random),
        result("b", 8, 0, random), SETTINGS)
      if found.ratio.low <= 1 and found.ratio.high >= 1 then held = held + 1 end
    end
    assert.is_true(held >= 88, held)
  end)
end)

describe("tare.compare", function()
  it("refuses to measure one after the other", function()
    local tare = require "tare"
    local ok, message = pcall(tare.compare,
      { a = function() end, b = function() end }, { order = "sequential" })
    assert.is_false(ok)
    assert.matches("'order' must be 'interleaved'", message, 1, true)
  end)
end)
