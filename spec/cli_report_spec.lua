local made_run = require "spec.support.made_run"
local report = require "tare.cli.report"
local settings = require "tare.cli.settings"

local READ = settings.stored {}

-- A result of batches at 2 cycles per nanosecond and at a width, the first of
-- two that were measured in turn, or the second, which takes 3 times as long.
local function record(id, width, more)
  local made = made_run.record({ launches = 4, noise = 0.002,
    seed = id:byte(-1), call_ns = function()
      return id:find "b$" and 300 or 100
    end }, function(row)
      row.cycle_ns, row.width = 0.5, width
      row.cycles = row.wall_ns / 0.5
    end)
  made.id, made.compared = id, id:match "^[^/]*"
  for name, value in pairs(more or {}) do made[name] = value end
  return made
end

local function again(results, envs, more, read)
  local stored = { schema = "tare/1", env = envs[1], options = {},
    envs = envs[2] and envs or nil, results = results, comparisons = {} }
  for name, value in pairs(more or {}) do stored[name] = value end
  return assert(report.again(stored, read or READ, true))
end

describe("a stored report that is analysed again", function()
  local ENVS = { { clock = { reference_ns = 0.25, best_width = 4 } },
    { clock = { reference_ns = 0.5, best_width = 3 } } }

  it("takes the times of each result at the clock of its own machine",
    function()
      local found = again({ record("s/a", 4), record("t/a", 3,
        { env_index = 2 }) }, ENVS).results
      assert.near_relative(50, found[1].time.value, 0.01)
      assert.near_relative(100, found[2].time.value, 0.01)
      -- Of a core that the other machine would call crowded.
      assert.same({ 0, 0 }, { found[1].crowded, found[2].crowded })
      assert.is_number(found[2].time.low)
    end)

  it("compares those of each machine by its own clock", function()
    local function of(width)
      return again({ record("t/a", width, { env_index = 2 }),
        record("t/b", width, { env_index = 2, baseline = true }) }, ENVS)
        .comparisons[1]
    end
    assert.equal("faster", of(3).verdict)
    assert.is_nil(of(3).crowded)
    assert.is_true(of(2).crowded)
  end)

  it("compares revisions as the run did: the working tree with each of them",
    function()
      local tree, other = record("s/a", 4), record("s/a{ref=v1}", 4,
        { baseline = true, params = { ref = "v1" } })
      for _, is_stored in ipairs { false, true } do
        local stored = { a = "s/a", b = "s/a{ref=v1}", metric = "time",
          between = "revisions", other = "v1", verdict = "unclear",
          ratio = { value = 1, low = 0.9, high = 1.1 } }
        local found = again({ tree, other }, ENVS, { refs = { v1 = "abc" },
          comparisons = is_stored and { stored } or {} }).comparisons
        assert.equal(1, #found)
        assert.same({ "s/a", "s/a{ref=v1}", "revisions", "v1" }, { found[1].a,
          found[1].b, found[1].between, found[1].other })
        assert.equal(240, found[1].rounds)
      end
    end)

  it("has a clock of which only what makes sense is used", function()
    local found = again({ record("s/a", 4) }, { { clock = {
      reference_ns = "fast", best_width = {} } } }).results[1]
    assert.near_relative(100, found.time.value, 0.01)
    assert.equal("wall", found.time_from)
  end)
end)
