local command = require "spec.support.command"
local shards = require "tare.store.shards"
local place = require "tare.store.place"
local store = require "tare.store"

local function report(ids, fields)
  local made = { schema = "tare/1", env = { host = "m" }, comparisons = {},
    options = { quota = { ns = 1e9 }, seed = 1 }, results = {} }
  for i, id in ipairs(ids) do made.results[i] = { id = id } end
  for key, value in pairs(fields or {}) do made[key] = value end
  return made
end

local function ids(merged)
  local list = {}
  for i, result in ipairs(merged.results) do list[i] = result.id end
  return list
end

-- Reports merged by way of files; these are "report 1" and so on in messages.
local function merged_of(reports)
  local paths = {}
  for i, one in ipairs(reports) do
    paths[i] = command.file(store.encode(one), ".json")
  end
  local merged, message = shards.merge(paths, error)
  for i, path in ipairs(paths) do
    os.remove(path)
    message = message and message:gsub(path:gsub("%p", "%%%0"), "report " .. i)
  end
  return merged, message
end

local function refusal(reports)
  local merged, message = merged_of(reports)
  assert.is_nil(merged)
  return message
end

local function comparison(a, b)
  return { a = a, b = b, verdict = "same", ratio = { value = 1 } }
end

local MEANT = ": shards have different benches "
  .. "('tare compare' compares two runs)"

describe("merging reports", function()
  it("gives every result once, benches and cells in order", function()
    local merged = assert(merged_of {
      report { "s/f{n=100,impl=b}", "s/f{n=100,impl=a}", "s/g" },
      report { "s/f{n=20,impl=a}", "s/h{k=y}", "s/f{n=20,impl=b}" },
      report { "s/h{k=x}", "s/h{k=nan}", "s/h{k=7}" },
    })
    assert.same({ "s/f{n=20,impl=a}", "s/f{n=20,impl=b}", "s/f{n=100,impl=a}",
      "s/f{n=100,impl=b}", "s/g", "s/h{k=7}", "s/h{k=nan}", "s/h{k=x}",
      "s/h{k=y}" },
      ids(merged))
    assert.equal("tare/1", merged.schema)
    assert.same({ quota = { ns = 1e9 }, seed = 1 }, merged.options)
  end)

  it("keeps each result's fingerprint, through further merges too", function()
    local one = report({ "a" }, { env = { host = "one" } })
    local two = report({ "b" }, { env = { host = "two" } })
    local three = report({ "c" }, { env = { host = "three" } })
    local merged = assert(merged_of { two, assert(merged_of { three,
      one }) })
    assert.equal("two", merged.env.host)
    local hosts = {}
    for _, result in ipairs(merged.results) do
      hosts[result.id] = merged.envs[result.env_index].host
    end
    assert.same({ a = "one", b = "two", c = "three" }, hosts)
  end)

  it("keeps comparisons and other fields; sweeps are to be read again",
    function()
      local merged = merged_of {
        report({ "a" }, { comparisons = { comparison("a", "x") }, sweeps = {},
          title = "T" }),
        report({ "b" }, { comparisons = { comparison("b", "y") } }),
      }
      assert.same({ comparison("a", "x"), comparison("b", "y") },
        merged.comparisons)
      assert.is_nil(merged.sweeps)
      assert.equal("T", merged.title)
    end)

  it("refuses a result that is there twice, naming the files", function()
    assert.equal("'s/f{n=1}' is in report 1 and in report 3" .. MEANT,
      refusal { report { "s/f{n=1}" }, report { "s/f{n=2}" },
        report { "s/f{n=1}" } })
  end)

  it("refuses other options", function()
    local function with(options) return report({}, { options = options }) end
    assert.equal("option 'quota' differs: 60 ms in report 1, 61.5 ms in "
      .. "report 3", refusal { with { quota = { ns = 6e7 } },
        with { quota = { ns = 6e7 } }, with { quota = { ns = 6.15e7 } } })
    assert.equal("option 'warmup' differs: 0 ns in report 1, 1.05 ms in "
      .. "report 2", refusal { with { warmup = { ns = 0 } },
        with { warmup = { ns = 1.05e6 } } })
    assert.equal("option 'quota' differs: 1000x in report 1, 1 s in "
      .. "report 2", refusal { with { quota = { calls = 1000 } },
        with { quota = { ns = 1e9 } } })
    assert.equal("option 'x' differs: {a=1,b={}} in report 1, 2 in report 2",
      refusal { with { x = { a = 1, b = {} } }, with { x = 2 } })
    assert.equal("option 'seed' differs: nil in report 1, 1 in report 2",
      refusal { with {}, with { seed = 1 } })
    assert.same({ seed = 1 },
      assert(merged_of { with { seed = 1 }, with { seed = 1 } }).options)
    assert(merged_of { with { discard = 0/0 }, with { discard = 0/0 } })
    assert.matches("'discard' differs", refusal { with { discard = 0/0 },
      with { discard = 1 } })
  end)

  it("refuses a bench of other sources", function()
    local old, new = report { "s/f{n=1}" }, report { "s/f{n=2}" }
    old.results[1].source, new.results[1].source = "1", "2"
    assert.equal("'s/f' is not of the same source everywhere",
      refusal { old, new })
    new.results[1].source = nil -- of an older tare
    assert.equal(2, #assert(merged_of { old, new }).results)
  end)

  it("keeps ids and places of results, of a file without an end too",
    function()
      local reports = { report({ "s/b{n=2}", "s/a" }, { env = { host = "x" } }),
        report({ "s/b{n=1}" }, { env = { host = "y" } }) }
      local paths, notes = {}, {}
      for i, one in ipairs(reports) do
        paths[i] = command.file(store.encode(one), ".json")
      end
      local function note(text) notes[#notes + 1] = text end
      local merged = assert(shards.merge(paths, note))
      assert.same({ { id = "s/b{n=1}", env_index = 2 },
        { id = "s/b{n=2}", env_index = 1 }, { id = "s/a", env_index = 1 } },
        merged.results)
      assert.same({ { host = "x" }, { host = "y" } }, merged.envs)
      assert.same({}, notes)
      assert.same({ nil, ("'s/b{n=2}' is in %s and in %s" .. MEANT):format(
        paths[1], paths[1]) }, { shards.merge({ paths[1], paths[1] }, note) },
        paths[1])
      assert(place.write(paths[2], store.encode(reports[2]):sub(1, -22)))
      assert(shards.merge(paths, note))
      assert.same({ paths[2] .. ": its end is missing; 1 result was read" },
        notes)
      for _, path in ipairs(paths) do os.remove(path) end
    end)
end)
