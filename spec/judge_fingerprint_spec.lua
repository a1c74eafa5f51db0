local fingerprint = require "tare.judge.fingerprint"

local function report(env, more)
  local result = { id = "a/b", loop = "inline", gc = "natural" }
  for key, value in pairs(more or {}) do result[key] = value end
  return { env = env, results = { result } }
end

local function messages(a, b, names)
  local list = {}
  for i, line in ipairs(fingerprint.compare(a, b, names)) do
    list[i] = line.message
  end
  return list
end

describe("the fingerprint", function()
  it("of the same machine and bench has no difference", function()
    local env = { cpu = "X", lua = "Lua 5.4.4", jit = { on = true },
      collector = { mode = "incremental", pause = 200 } }
    assert.same({}, messages(report(env), report(env)))
    assert.same({}, messages(report(), report()))
  end)

  it("tells differences line by line, and what follows", function()
    local a = report { cpu = "X", cores = 4, lua = "Lua 5.4.4",
      collector = { mode = "generational", pause = 200 } }
    local b = report { cpu = "Y", cores = 8, lua = "Lua 5.4.6",
      collector = { mode = "incremental", pause = 100 } }
    assert.same({
      "cpu is 'X' in now and 'Y' in then; times can't be compared",
      "cores is 4 in now and 8 in then",
      "lua is 'Lua 5.4.4' in now and 'Lua 5.4.6' in then; "
        .. "they can't be compared",
      "collector.mode is 'generational' in now and 'incremental' in then; "
        .. "times can't be compared",
      "collector.pause is 200 in now and 100 in then",
    }, messages(a, b, { "now", "then" }))
  end)

  it("is that of the first environment where a result of a merged report names "
    .. "none", function()
    local function merged(first, second, index)
      local made = report(nil, { env_index = index })
      made.envs = { { cpu = first }, { cpu = second } }
      return made
    end
    assert.same({}, messages(merged("X", "Y"), report { cpu = "X" }))
    assert.same({}, messages(merged("X", "Y", 2), report { cpu = "Y" }))
    assert.equal(1, #messages(merged("X", "Y", 2), report { cpu = "X" }))
    -- What two environments have in common is said once.
    local both, other = merged("X", "X"), report { cpu = "Z" }
    both.results[2] = { id = "a/c", env_index = 2 }
    other.results[2] = { id = "a/c" }
    assert.equal(1, #messages(both, other))
  end)

  it("tells another reference clock once, which hinders nothing", function()
    local function at(ghz)
      local made = report({})
      for i = 1, 2 do
        made.results[i] = { id = "a/" .. i, time_from = "cycles",
          time = { value = i / ghz }, cycles = { value = i } }
      end
      return made
    end
    local a, b = at(2.97), at(2.25)
    assert.same({ "the reference clock is 2.97 GHz in now and 2.25 GHz in "
      .. "then; gates and ratios account for that, but the times in tables "
      .. "don't" }, messages(a, b, { "now", "then" }))
    assert.is_nil(fingerprint.guard(fingerprint.compare(a, b))("a/1", "net"))
    assert.same({}, messages(at(2.97), at(2.96)))
    a.results[1].time_from, a.results[2].time_from = "wall", "wall"
    assert.same({}, messages(a, b))
  end)

  it("looks at loop, collector and source of each bench", function()
    local a = report({}, { source = "1", gc_mode = "incremental" })
    local b = report({}, { source = "2", gc_mode = "incremental",
      loop = "call", gc = "paced" })
    assert.same({
      "a/b: loop is 'inline' in the first and 'call' in the second; "
        .. "they can't be compared",
      "a/b: gc is 'natural' in the first and 'paced' in the second; "
        .. "times can't be compared",
      "a/b: source is '1' in the first and '2' in the second",
    }, messages(a, b))
  end)

  it("tells another quota, with which times can be compared all the same",
    function()
      local a, b = report({}), report({})
      a.options, b.options = { quota = { ns = 3e8 } }, { quota = { ns = 2e9 } }
      assert.same({ "quota is '300 ms' in the first and '2 s' in the second" },
        messages(a, b))
      assert.is_nil(fingerprint.guard(fingerprint.compare(a, b))("a/b", "time"))
      b.options.quota = { ns = 3e8 }
      assert.same({}, messages(a, b))
      b.options.quota = { calls = 100 }
      assert.same({ "quota is '300 ms' in the first and '100 calls' in the "
        .. "second" }, messages(a, b))
    end)

  it("guards times that were analysed otherwise, but no counts", function()
    for name, values in pairs {
      net_of_loop = { true, false, "true", "false" },
      estimator = { "ols", "quantile", "'ols'", "'quantile'" } } do
      local a, b = report({}), report({})
      a.options, b.options = { [name] = values[1] }, { [name] = values[2] }
      assert.same({ ("%s is %s in the first and %s in the second; times can't "
        .. "be compared"):format(name, values[3], values[4]) }, messages(a, b))
      local guard = fingerprint.guard(fingerprint.compare(a, b))
      assert.equal(name, guard("a/b", "time").field)
      assert.is_nil(guard("a/b", "allocs"))
      b.options[name] = values[1]
      assert.same({}, messages(a, b))
      b.options[name] = nil -- not known
      assert.same({}, messages(a, b))
    end
  end)

  it("guards times of which other batches were discarded, be it for one bench "
    .. "or for all", function()
    local a = report({}, { discard = { "jit", "gc" } })
    local line = "discard is 'gc,jit' in the first and 'nothing' in the "
      .. "second; times can't be compared"
    assert.same({ "a/b: " .. line }, messages(a, report({})))
    local b = report({}, { discard = { "gc", "jit" } })
    assert.same({}, messages(a, b))
    b = report({})
    b.options = { discard = { "gc", "jit" } }
    assert.same({}, messages(a, b))
    b.options.discard = 5
    assert.same({ "a/b: " .. line }, messages(a, b))
  end)

  it("tells another confidence, with which times can be compared all the same",
    function()
      local a, b = report({}), report({})
      a.options, b.options = { confidence = 0.95 }, { confidence = 0.99 }
      assert.same({ "confidence is 0.95 in the first and 0.99 in the second" },
        messages(a, b))
      assert.is_nil(fingerprint.guard(fingerprint.compare(a, b))("a/b", "time"))
    end)

  it("asks only about benches that both have", function()
    local a, b = report { cpu = "X" }, report { cpu = "Y" }
    b.results[1].id = "other"
    assert.same({}, messages(a, b))
  end)

  it("knows the machine of each result of a merged report", function()
    local a = { envs = { { cpu = "X" }, { cpu = "Z" } }, results = {
      { id = "one", env_index = 1 }, { id = "two", env_index = 2 } } }
    local b = { env = { cpu = "X" }, results = { { id = "one" },
      { id = "two" } } }
    assert.same({ "cpu is 'Z' in the first and 'X' in the second; "
      .. "times can't be compared" }, messages(a, b))
  end)

  it("sends no control character on, and survives any shape", function()
    local lines = messages(report { cpu = "\27[31m", lua = {} },
      report { cpu = "X", lua = "5.4", collector = 5 })
    assert.same({ "cpu is '\\x1b[31m' in the first and 'X' in the second; "
      .. "times can't be compared" }, lines)
  end)

  it("guards times on another machine, but not instructions", function()
    local guard = fingerprint.guard(fingerprint.compare(
      report { cpu = "X" }, report { cpu = "Y" }))
    assert.equal("cpu", guard("a/b", "time").field)
    assert.equal("cpu", guard("a/b", "cycles").field)
    assert.is_nil(guard("a/b", "instructions"))
    assert.is_nil(guard("a/b", "allocs"))
  end)

  it("lets through what a difference only reports", function()
    local lines = fingerprint.compare(report({ cores = 4 }, { source = "1" }),
      report({ cores = 8 }, { source = "2" }))
    assert.equal(2, #lines)
    local guard = fingerprint.guard(lines)
    assert.is_nil(guard("a/b", "time"))
    assert.is_nil(guard("a/b", "instructions"))
  end)

  it("guards everything of another interpreter or loop", function()
    local guard = fingerprint.guard(fingerprint.compare(
      report({}, { loop = "inline" }), report({}, { loop = "call" })))
    assert.equal("loop", guard("a/b", "instructions").field)
    assert.is_nil(guard("other", "instructions"))
    guard = fingerprint.guard(fingerprint.compare(report { lua = "5.1" },
      report { lua = "5.4" }))
    assert.equal("lua", guard("any", "allocs").field)
  end)
end)
