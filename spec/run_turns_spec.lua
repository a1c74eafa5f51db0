local Turns = require "tare.run.turns"

local function trial(name, rows)
  return { name = name, rows = rows, first_round = 0, stage = "measure" }
end

-- Plays so many blocks; each turn as "a3", or "(a3)" where it leaves no row.
local function play(turns, blocks)
  local log = {}
  while blocks > 0 do
    local player, is_settling = turns:player()
    if player then
      log[#log + 1] = (is_settling and "(%s%d)" or "%s%d"):format(player.name,
        turns.round)
      turns:pass()
    elseif turns:next_round() then
      blocks = blocks - 1
    end
  end
  return table.concat(log, " ")
end

local function turns_of(rounds, ...)
  local turns = Turns.new { ... }
  turns:plan(rounds)
  return turns
end

describe("the order of play", function()
  it("runs rounds forth and back", function()
    local turns = turns_of(4, { trial("a", 4), trial("b", 4) })
    assert.equal("a1 b1 b2 a2 a3 b3 b4 a4", play(turns, 4))
  end)

  it("spreads the batches of a trial that has fewer", function()
    local turns = turns_of(4, { trial("a", 4), trial("b", 2) })
    assert.equal("a1 b2 a2 a3 b4 a4", play(turns, 4))
  end)

  it("gives lanes blocks of rounds, each begun by rounds without rows",
    function()
      local turns = turns_of(20, { trial("a", 20), trial("b", 20) },
        { trial("c", 20) })
      assert.equal("(a1) (b1) a1 b1 b2 a2 (c1) c1 c2 "
        .. "c3 c4 (a3) (b3) a3 b3 b4 a4", play(turns, 2))
    end)

  it("goes on until all are done, whatever was planned", function()
    local late = trial("a", 2)
    local turns = turns_of(2, { late })
    assert.equal("a1 a2 a3", play(turns, 3))
    late.stage = "done"
    assert.equal("", play(turns, 2))
  end)

  it("spreads a new plan over the rounds from then on", function()
    local a, b = trial("a", 10), trial("b", 10)
    local turns = turns_of(10, { a, b })
    play(turns, 3)
    a.first_round, a.rows = 3, 2
    turns:plan(10)
    assert.equal("b4 b5 b6 a7 b7", play(turns, 4))
  end)
end)
