local Policy = require "tare.run.policy"
local schedule = require "tare.run.schedule"

local function new(changes)
  local settings = { quota = { ns = 1e9 }, min_batch_ns = 1e5,
    schedule = { kind = "geometric", factor = 1.01 },
    random = schedule.generator(1) }
  for name, value in pairs(changes or {}) do settings[name] = value end
  return Policy.new(settings)
end

-- Plays batches whose calls take 'call_ns'; returns sizes of kept batches.
local function play(policy, call_ns, events)
  local kept = {}
  while policy.state ~= "done" do
    if policy.state == "ready" then policy:plan(1) end
    local iters = policy:next()
    if iters and policy:observe(iters, iters * call_ns, events) then
      kept[#kept + 1] = iters
    end
  end
  return kept
end

local function warm_up(policy, call_ns, events)
  local batches = 0
  while policy.state == "warmup" do
    local iters = policy:next()
    policy:observe(iters, iters * call_ns, events)
    batches = batches + 1
  end
  return batches
end

describe("the policy", function()
  it("begins no batch that the quota has no room for", function()
    for seed = 1, 5 do
      local policy = new { quota = { ns = 1e7 }, min_batch_ns = 1e3,
        schedule = { kind = "linear", steps = 10 },
        random = schedule.generator(seed) }
      warm_up(policy, 100)
      policy:plan(1)
      local iters = policy:next()
      while iters do
        assert.is_true(iters * 100 <= 1e7 - policy.spent_ns)
        policy:observe(iters, iters * 100)
        policy:spend(iters * 70) -- what is beside the batch
        iters = policy:next()
      end
      assert.is_true(policy.spent_ns > 0.5e7)
    end
  end)

  it("begins none that only most of its room is left for", function()
    local policy = new { quota = { ns = 1e7 }, min_batch_ns = 1e3 }
    warm_up(policy, 100)
    policy:plan(1)
    for _ = 1, 3 do
      local iters = policy:next()
      policy:observe(iters, iters * 100)
    end
    local size = policy.sizes[policy.position]
    policy:spend(1e7 - policy.spent_ns - 70 * size)
    local iters = policy:next()
    assert.is_true(iters == nil or iters <= 0.7 * size + 1)
  end)

  it("keeps batches within a limit, one call at least", function()
    for _, case in ipairs { { 100, 1e6 }, { 100, 5e4 }, { 3e6, 1e6 } } do
      local call_ns, limit_ns = case[1], case[2]
      local policy = new { quota = { ns = 3e8 } }
      policy:limit(limit_ns)
      while policy.state ~= "done" do
        if policy.state == "ready" then policy:plan(1) end
        local iters = policy:next()
        if iters then
          assert.is_true(iters == 1 or iters * call_ns <= limit_ns)
          policy:observe(iters, iters * call_ns)
        end
      end
      assert.is_true(policy.rows >= 24)
    end
  end)

  it("keeps no sample from before the warm-up ended", function()
    local policy = new()
    while policy.state == "warmup" do
      assert.is_false(policy:observe(policy:next(), 1e5))
    end
  end)

  it("doubles batches until they are long against the clock", function()
    local policy = new()
    warm_up(policy, 100)
    assert.is_true(policy.warmup.iters * 100 >= 1e5)
    assert.is_true(policy.settled)
  end)

  it("remembers the quickest batch of the warm-up", function()
    local policy = new()
    policy:observe(1, 5000)
    policy:observe(2, 200)
    policy:observe(4, 4e6)
    assert.equal(100, policy.quickest_ns)
    assert.equal(1e6, policy.call_ns)
  end)

  it("believes a long batch rather than a short one after it", function()
    local policy = new { min_batch_ns = 3e7 }
    policy:observe(1000, 1e7)
    policy:observe(10, 0) -- a clock of 1 ms stands still in it
    assert.equal(1e4, policy.call_ns)
    policy:observe(10, 1e6)
    assert.equal(1e4, policy.call_ns)
    policy:observe(10, 3e7) -- long enough: it has become slower
    assert.equal(3e6, policy.call_ns)
  end)

  it("settles where batches may not be long", function()
    local policy = new { batch_max = 64 }
    warm_up(policy, 100)
    assert.is_true(policy.settled)
    assert.is_true(policy.spent_ns >= 0.05e9)
    assert.is_true(policy.spent_ns < 0.06e9)
  end)

  it("waits longer for a coarse clock to move", function()
    local policy = new { min_batch_ns = 3e7 }
    local calls = 0
    while policy.state == "warmup" and calls < 2e7 do
      local iters = policy:next()
      calls = calls + iters
      policy:observe(iters, 0)
    end
    assert.equal("warmup", policy.state)
  end)

  it("calls once where no warm-up is wanted", function()
    local policy = new { warmup = { ns = 0 } }
    assert.equal(1, warm_up(policy, 100))
  end)

  it("warms up for a twentieth of the quota at least", function()
    local policy = new()
    warm_up(policy, 100)
    assert.is_true(policy.spent_ns >= 0.05e9)
    assert.is_true(policy.spent_ns <= 0.2e9)
  end)

  it("gives up at a fifth when the compiler never comes to rest", function()
    local policy = new()
    warm_up(policy, 100, 1)
    assert.is_false(policy.settled)
    assert.is_true(policy.spent_ns >= 0.2e9)
    assert.is_true(policy.spent_ns < 0.25e9)
  end)

  it("warms up no longer than it is told", function()
    local policy = new { warmup = { ns = 1e6 } }
    warm_up(policy, 100)
    assert.is_true(policy.spent_ns <= 1.5e6)
    policy = new { warmup = { calls = 50 } }
    warm_up(policy, 100)
    assert.equal(50, policy.calls)
  end)

  it("rehearses the plan once, and keeps the second time", function()
    local once, twice = new(), new { rehearse = true }
    local sizes = play(twice, 1000)
    assert.is_true(twice.spent_ns <= 1e9)
    assert.is_true(twice.spent_ns > 0.9e9)
    local played, calls = play(once, 1000), 0
    for _, size in ipairs(sizes) do calls = calls + size end
    assert.equal(#sizes, twice.rows)
    assert.near_relative(once.calls / 2, calls, 0.1)
    assert.is_true(#played >= #sizes)
  end)

  it("does the same batches as another that it follows", function()
    local a, b = new(), new { random = schedule.generator(7) }
    warm_up(a, 1000)
    warm_up(b, 1500)
    a:plan(1)
    assert.equal(#a.planned, b:follow(a))
    assert.same(play(a, 1000), play(b, 1000))
  end)

  it("never plans beyond the quota, warm-up included", function()
    for _, call_ns in ipairs { 1, 100, 1e5, 1e7 } do
      local policy = new()
      play(policy, call_ns)
      assert.is_true(policy.spent_ns <= 1e9, "at " .. call_ns)
      assert.is_true(policy.spent_ns > 0.8e9, "at " .. call_ns)
    end
  end)

  it("measures one call at least, however slow", function()
    for _, call_ns in ipairs { 0.6e9, 1e9, 5e9 } do
      local policy = new()
      assert.same({ 1 }, play(policy, call_ns))
      assert.equal(2, policy.calls)
    end
  end)

  it("counts calls where the quota is in calls", function()
    local policy = new { quota = { calls = 10000 } }
    play(policy, 100)
    assert.is_true(policy.calls <= 10000)
    assert.is_true(policy.calls > 5000)
  end)

  it("measures one call where its share of the calls is less", function()
    local policy = new { quota = { calls = 2 } }
    warm_up(policy, 1e6)
    policy:plan(0.4)
    assert.equal(1, policy:next())
  end)

  it("shuffles: sizes do not ascend with time", function()
    local kept, descents = play(new(), 100), 0
    for i = 2, #kept do
      if kept[i] < kept[i - 1] then descents = descents + 1 end
    end
    assert.is_true(descents > #kept / 4)
  end)

  it("passes over sizes that no longer fit when calls got slower", function()
    local policy = new()
    warm_up(policy, 100)
    policy:plan(1)
    while policy:next() do
      local iters = policy:next()
      policy:observe(iters, iters * 150)
    end
    assert.is_true(policy.spent_ns <= 1.1e9)
  end)

  it("counts what is spent outside of batches", function()
    local policy = new()
    warm_up(policy, 100)
    policy:plan(1)
    policy:observe(policy:next(), 1e5)
    policy:spend(1e9)
    assert.is_nil(policy:next())
  end)

  it("shortens a plan to so many batches", function()
    local policy = new()
    warm_up(policy, 100)
    assert.equal(30, policy:plan(1, nil, 30))
  end)

  it("ends although the clock stands still", function()
    local policy = new()
    warm_up(policy, 0)
    assert.is_true(policy.calls < 1e7)
    assert.equal(1, policy:plan(1))
  end)

  it("goes by all calls where a batch is short against the clock", function()
    local tick_ns, call_ns, at = 1e6, 700, 0
    local policy = new { tick_ns = tick_ns, quota = { ns = 1e9 } }
    policy:limit(1e6)
    local most = 0
    while policy.state == "warmup" do
      local iters, before = policy:next(), math.floor(at / tick_ns)
      at, most = at + iters * call_ns, math.max(most, iters)
      policy:observe(iters, (math.floor(at / tick_ns) - before) * tick_ns)
    end
    assert.is_true(most * call_ns <= 1e6 * 1.1)
    assert.is_true(policy.call_ns > 500 and policy.call_ns < 1400)
  end)

  it("stops when told", function()
    local policy = new()
    policy:stop()
    assert.is_nil(policy:next())
  end)
end)
