-- What 'make counted' makes of its runs.
local verdict = require "spec.lab.counted.verdict"

-- A run in which 0.4 of a call of 100 cycles was counted as the collector's, to
-- 1 %. 'off': what is reported of both parts, over that.
local function run(off, more)
  off = off or 1
  local function part(value, half)
    return { value = off * value, low = off * value * (1 - half),
      high = off * value * (1 + half) }
  end
  local made = { is_refused = false, net = part(60, 0.02),
    collector = part(40, 0.02), share = part(0.4, 0.02),
    counted = { net = 60, collector = 40, share = 0.4, error = 0.01,
      own_share = 0.4 } }
  for name, value in pairs(more or {}) do made[name] = value end
  return made
end

local function refused(needed_s)
  return { is_refused = true, needed_s = needed_s,
    counted = run().counted }
end

local function cell(name, runs, again)
  return { mode = "incremental", live = "0", name = name, runs = runs,
    again = again }
end

local function many(one, count)
  local list = {}
  for i = 1, count do list[i] = one end
  return list
end

describe("what is reported of the collector, over what was counted", function()
  it("is within the bounds where the median of both parts is within 5 %",
    function()
      local _, text, passed = verdict.of { cell("a", many(run(1.01), 5)) }
      assert.is_true(passed)
      assert.truthy(text:find("1 of 1 cells are within", 1, true))
      assert.truthy(text:find("15 of 15 intervals", 1, true))
      local one = run(0.94)
      one.net = run().net
      local list, _, fails = verdict.of { cell("a", { run(), one, one }) }
      assert.is_false(fails)
      assert.equal("6.0 % off", list[1].figures.why)
    end)

  it("is ordered by how far it is off, and what has no figure comes first",
    function()
      local list = verdict.of { cell("close", many(run(1.01), 5)),
        cell("far", many(run(1.2), 5)), cell("farther", many(run(0.7), 5)),
        cell("none", many(refused(), 5)) }
      local names = {}
      for i, one in ipairs(list) do names[i] = one.cell.name end
      assert.same({ "none", "farther", "far", "close" }, names)
    end)

  it("is not within them where a run was refused again at the length that it "
    .. "had asked for", function()
    local _, text, passed = verdict.of { cell("a", many(refused(3), 5),
      refused(9)) }
    assert.is_false(passed)
    assert.truthy(text:find("5 of 5 runs were refused", 1, true))
    assert.truthy(text:find("Of 1 cells that were run again as long as they "
      .. "had asked for, 1 were refused again", 1, true))
    assert.is_true(select(3, verdict.of { cell("a", many(refused(3), 5),
      run()) }))
    assert.is_false(select(3, verdict.of { cell("a", many(refused(3), 5)) }))
  end)

  it("is held by nine of ten intervals of all cells and runs, those with next "
    .. "to no collector too; one that is missing holds nothing", function()
    local sure = run(1.04)
    sure.share = run().share
    assert.is_false(select(3, verdict.of { cell("a", many(sure, 5)) }))
    local bare = run()
    bare.net = { value = 60 }
    local _, text, passed = verdict.of { cell("a", many(bare, 5)) }
    assert.is_false(passed)
    assert.truthy(text:find("10 of 15 intervals", 1, true))
    assert.truthy(text:find("5 of these are missing", 1, true))
    local little = run(1, { share = { value = 0.012, low = 0.011,
      high = 0.013 }, collector = { value = 1.2, low = 1.1, high = 1.3 },
      counted = { net = 60, collector = 0.6, share = 0.01, error = 0.01,
        own_share = 0.01 } })
    local list, said = verdict.of { cell("a", many(little, 5)) }
    assert.is_nil(list[1].figures.why) -- 0.002 of the time
    assert.truthy(said:find("5 of 15 intervals", 1, true))
  end)

  it("is not judged by a count whose error is not known, which would hold "
    .. "whatever is reported", function()
    for _, unknown in ipairs { 0 / 0, 1 / 0 } do
      local one = run(3)
      one.counted = { net = 60, collector = 40, share = 0.4, error = unknown,
        own_share = 0.4 }
      local list, text, passed = verdict.of { cell("a", many(one, 5)) }
      assert.is_false(passed)
      assert.equal("no whole collection was counted", list[1].figures.why)
      assert.truthy(text:find("0 of 5 intervals", 1, true)) -- those of net
    end
    local one = run()
    one.counted = { net = 60, collector = 40, share = 0.4, error = 0.1,
      own_share = 0.4 }
    local list = verdict.of { cell("a", many(one, 5)) }
    assert.equal("counted to 10 % only", list[1].figures.why)
  end)

  it("is of next to nothing where calls leave nothing, and no collection was "
    .. "counted", function()
    local function verdict_of(share)
      local one = run()
      one.share.value = share
      one.counted = { net = 60, collector = 0 / 0, share = 0 / 0,
        error = 0 / 0, own_share = 0 / 0 }
      local made = cell("a", many(one, 5))
      made.leaves_nothing = true
      return verdict.of({ made })[1].figures.why
    end
    assert.is_nil(verdict_of(0.01))
    assert.equal("3.0 % off", verdict_of(0.03))
  end)

  it("is not within the bounds where no cell was measured", function()
    assert.is_false(select(3, verdict.of {}))
  end)
end)
