local numbers = require "tare.base.random"
local batch_sizes = require "tare.conductor.sizes"

local unpack = table.unpack or unpack
local GEOMETRIC = { kind = "geometric", factor = 1.01 }

local function plan(kind, changes)
  local budget = { call_ns = 100, budget_ns = 1e9, budget_calls = math.huge,
    min_batch_ns = 1e5, row_cost_ns = 1e4 }
  for name, value in pairs(changes or {}) do budget[name] = value end
  return batch_sizes.of(kind, budget)
end

local function calls(sizes)
  local sum = 0
  for _, size in ipairs(sizes) do sum = sum + size end
  return sum
end

describe("a schedule", function()
  it("fills the budget and no more", function()
    local sizes = plan(GEOMETRIC)
    assert.is_true(calls(sizes) * 100 <= 1e9)
    assert.is_true(calls(sizes) * 100 > 0.9e9)
  end)

  it("begins with batches that are long enough for the clock", function()
    assert.equal(1000, plan(GEOMETRIC, { budget_ns = 5e8 })[1])
    assert.equal(10000, plan(GEOMETRIC, { min_batch_ns = 1e6 })[1])
  end)

  it("begins again where batches get too long to be whole", function()
    local sizes, again = plan(GEOMETRIC, { budget_ns = 5e8 }), 0
    for i = 2, #sizes do
      assert.is_true(sizes[i] <= 20 * sizes[1])
      if sizes[i] == sizes[1] and sizes[i] < sizes[i - 1] then
        again = again + 1
      end
    end
    assert.equal(2, again)
  end)

  it("grows sizes by the factor", function()
    local sizes = plan({ kind = "geometric", factor = 2 },
      { min_batch_ns = 1e2, budget_ns = 1e10 })
    for i = 2, #sizes do assert.equal(2 * sizes[i - 1], sizes[i]) end
  end)

  it("has as many batches of one slow call as fit, with what they cost beside "
    .. "it", function()
    for _, row_cost_ns in ipairs { 1e4, 5e7, 2e8, 9e8 } do
      for _, call_ns in ipairs { 8e7, 1.7e8, 3e8, 9.9e8 } do
        local sizes = plan({ kind = "fixed" }, { call_ns = call_ns,
          row_cost_ns = row_cost_ns })
        local fitting = math.floor(1e9 / (call_ns + row_cost_ns))
        if fitting <= 12 then
          assert.equal(math.max(1, fitting), #sizes)
          assert.equal(#sizes, calls(sizes))
          assert.equal(math.max(1, math.min(2, fitting)), calls(plan(
            { kind = "fixed" }, { call_ns = call_ns, budget_calls = 2,
              row_cost_ns = row_cost_ns })))
        end
        local of_two = plan(GEOMETRIC, { call_ns = call_ns,
          row_cost_ns = row_cost_ns })
        assert.is_true(#of_two == 1 or calls(of_two) * call_ns
          + #of_two * row_cost_ns <= 1e9)
      end
    end
  end)

  it("repeats multiples, linearly", function()
    local sizes = plan({ kind = "linear", steps = 3 }, { budget_ns = 5e7 })
    assert.same({ 1000, 2000, 3000, 1000 },
      { sizes[1], sizes[2], sizes[3], sizes[4] })
  end)

  it("keeps sizes equal where they are to be fixed", function()
    for _, size in ipairs(plan({ kind = "fixed" },
      { budget_ns = 5e7 })) do
      assert.equal(1000, size)
    end
  end)

  it("has one- and two-call batches for slow calls, so a line fits", function()
    local sizes = plan(GEOMETRIC, { call_ns = 5e6, budget_ns = 1.8e8 })
    assert.is_true(#sizes >= 20)
    local seen = {}
    for _, size in ipairs(sizes) do seen[size] = true end
    assert.same({ true, true }, seen)
  end)

  it("begins again where sizes grow so fast that few would fit", function()
    for _, kind in ipairs { { kind = "geometric", factor = 2 },
      { kind = "geometric", factor = 10 }, { kind = "linear", steps = 50 } } do
      local sizes, sum = plan(kind, { budget_ns = 1e8 }), 0
      assert.is_true(#sizes >= 24)
      assert.equal(1000, sizes[1])
      assert.is_true(sizes[2] > sizes[1])
      for _, size in ipairs(sizes) do sum = sum + size end
      assert.is_true(sum * 100 <= 1e8)
      assert.is_true(sum * 100 > 0.5e8)
    end
  end)

  it("has two sizes, as long as may be, in a small budget", function()
    local sizes = plan(GEOMETRIC,
      { budget_ns = math.huge, budget_calls = 1e4 })
    assert.equal(24, #sizes)
    assert.same({ 277, 554, 277, 554 }, { unpack(sizes, 1, 4) })
    sizes = plan({ kind = "geometric", factor = 1.5 }, { budget_ns = 1e6 })
    assert.equal(9, #sizes)
    assert.equal(2 * sizes[1], sizes[2])
    assert.is_true(sizes[1] > 600)
    assert.is_true(calls(sizes) * 100 + 9e4 <= 1e6)
  end)

  it("has fewer batches rather than shorter ones than a turn is worth, down to "
    .. "six", function()
    -- A launch of 40 and of 10 ms, where a turn costs 0.8 ms beside its calls.
    for budget_ns, fewest in pairs { [3e7] = 12, [8e6] = 6, [4.8e6] = 4,
      [2.3e6] = 2, [1.2e6] = 1 } do
      local sizes = plan(GEOMETRIC, { call_ns = 10, budget_ns = budget_ns,
        min_batch_ns = 1.2e6, row_cost_ns = 8e5 })
      assert.is_true(#sizes >= fewest and #sizes < 24)
      for _, size in ipairs(sizes) do
        assert.is_true(size * 10 > 1.9e5) -- one call takes 10 ns
      end
    end
  end)

  it("keeps fixed sizes equal in a small budget too", function()
    local sizes = plan({ kind = "fixed" }, { budget_calls = 1e4 })
    assert.equal(24, #sizes)
    for _, size in ipairs(sizes) do assert.equal(416, size) end
    assert.same({ 1, 1, 1, 1, 1, 1, 1, 1 },
      plan({ kind = "fixed" }, { call_ns = 1e7, budget_ns = 8.1e7 }))
  end)

  it("has at least one batch, however long a call takes", function()
    assert.same({ 1 }, plan(GEOMETRIC, { call_ns = 1e12 }))
    assert.same({ 1 }, plan(GEOMETRIC, { budget_ns = 0 }))
  end)

  it("keeps within a quota of calls", function()
    local sizes = plan(GEOMETRIC,
      { budget_ns = math.huge, budget_calls = 5000 })
    assert.is_true(calls(sizes) <= 5000)
    assert.is_true(#sizes >= 24)
  end)

  it("makes batches longer rather than more than a thousand", function()
    local sizes = plan({ kind = "fixed" }, { budget_ns = 1e10 })
    assert.equal(1000, #sizes)
    assert.is_true(calls(sizes) * 100 > 9e9)
  end)

  it("never exceeds the largest batch that prepared inputs allow", function()
    for _, size in ipairs(plan(GEOMETRIC, { batch_max = 64 })) do
      assert.is_true(size <= 64)
    end
  end)

  it("has sizes that differ where the largest batch is short", function()
    for _, kind in ipairs { GEOMETRIC, { kind = "linear", steps = 10 } } do
      local sizes = plan(kind, { batch_max = 64 })
      assert.equal(16, sizes[1])
      assert.is_true(math.max(unpack(sizes, 1, 200)) > 60)
    end
    assert.equal(64, plan({ kind = "fixed" }, { batch_max = 64 })[1])
  end)

  it("climbs again from the shortest batch once it met the largest", function()
    local sizes = plan({ kind = "geometric", factor = 2 },
      { batch_max = 4000, budget_ns = 1e8 })
    assert.same({ 1000, 2000, 4000, 1000, 2000, 4000 },
      { unpack(sizes, 1, 6) })
  end)
end)

describe("the shuffle", function()
  it("keeps every element and changes the order", function()
    local list, sorted = {}, {}
    for i = 1, 100 do list[i], sorted[i] = i, i end
    batch_sizes.shuffle(list, numbers.generator(1))
    assert.are_not.same(sorted, list)
    table.sort(list)
    assert.same(sorted, list)
  end)

  it("is the same for the same seed, on every interpreter", function()
    local list = { 1, 2, 3, 4, 5, 6, 7, 8 }
    batch_sizes.shuffle(list, numbers.generator(42))
    local again = { 1, 2, 3, 4, 5, 6, 7, 8 }
    batch_sizes.shuffle(again, numbers.generator(42))
    assert.same(list, again)
  end)

  it("gives every order alike, that of the list too", function()
    local random, seen, orders = numbers.generator(3), {}, 0
    for _ = 1, 6000 do
      local list = { 1, 2, 3 }
      batch_sizes.shuffle(list, random)
      local order = table.concat(list)
      if not seen[order] then orders, seen[order] = orders + 1, 0 end
      seen[order] = seen[order] + 1
    end
    assert.equal(6, orders)
    for _, count in pairs(seen) do
      assert.is_true(math.abs(count - 1000) < 120, count)
    end
  end)

  it("draws uniformly", function()
    local random, seen = numbers.generator(7), { 0, 0, 0, 0 }
    for _ = 1, 40000 do
      local k = random(4)
      seen[k] = seen[k] + 1
    end
    for k = 1, 4 do assert.is_true(math.abs(seen[k] - 10000) < 400) end
  end)

  it("generates what Park and Miller published", function()
    -- From a state of 1, the 10,000th is 1043618065 (CACM 31, 1988).
    local random, last = numbers.generator(0), nil
    -- the generator discards the first ten
    for _ = 11, 10000 do last = random(2147483646) end
    assert.equal(1043618065, last)
  end)
end)
