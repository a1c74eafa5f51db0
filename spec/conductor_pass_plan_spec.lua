local pass_plan = require "tare.conductor.pass_plan"

-- A plan for calls of 1 us that allocate 100 bytes each, in a launch of 100 ms.
local function plan(more)
  local given = { gc = "natural", split = true, hooks = true, running = true,
    call_ns = 1e3, budget_ns = 1e8, memory_cap = 1e9, seed = 1,
    census = { iters = 16, allocs = 16, bytes = 1600 },
    heap = { heap_bytes = 1e5, gc_mode = "incremental" } }
  for name, value in pairs(more or {}) do
    local is_of_heap = name == "heap_bytes" or name == "gc_mode"
    local to = is_of_heap and given.heap or given
    to[name] = value
  end
  return pass_plan.new(given)
end

-- Plays a launch of so many natural rows; rows have a collection every so many
-- calls. What was asked for, in order: natural rows as "natural".
local function play(made, natural, between, call_ns, calls_a_row)
  local timed = calls_a_row or 1000
  local asked, calls = {}, 0
  local function row_of(iters, all)
    local before = math.floor(calls / between)
    calls = calls + iters
    return { iters = iters, gc_minor = 0, wall_ns = iters * (call_ns or 1e3),
      spent_ns = (all or iters) * (call_ns or 1e3),
      gc_major = math.floor(calls / between) - before }
  end
  local function obey(done)
    for _ = 1, 1e4 do
      local request = made:next(done)
      if not request then return end
      asked[#asked + 1] = { op = request.op, iters = request.iters,
        pass = request.pass }
      made:saw(request, row_of(request.iters, request.calls))
    end
    error "it never ends"
  end
  for i = 1, natural do
    obey((i - 1) / natural)
    asked[#asked + 1] = { op = "natural" }
    made:saw({ op = "time", iters = timed }, row_of(timed))
  end
  obey(1)
  return asked
end

local function count(asked, op, pass)
  local found, calls = 0, 0
  for _, request in ipairs(asked) do
    if request.op == op and request.pass == pass then
      found, calls = found + 1, calls + request.iters
    end
  end
  return found, calls
end

describe("the plan of paced rows", function()
  it("asks for nothing where calls allocate nothing, or where the host has "
    .. "stopped the collector", function()
    for _, more in ipairs { { census = { iters = 16, allocs = 0, bytes = 0 } },
      { running = false }, { split = false }, { gc = "stopped" } } do
      local made = plan(more)
      assert.equal(0, made.share)
      assert.is_nil(made:next(1))
    end
  end)

  it("asks for rows where a census counts nothing, but collections were seen",
    function()
      local made = plan { census = { iters = 16, allocs = 0, bytes = 0 },
        collects = true }
      local asked = play(made, 40, 500)
      assert.is_true(count(asked, "paced", "paced") >= 3)
    end)

  it("asks for rows where calls make no block, but blocks larger", function()
    local made = plan { census = { iters = 16, allocs = 0, bytes = 1600 } }
    assert.is_true(count(play(made, 40, 500), "paced", "paced") >= 3)
  end)

  it("makes rows so long that what the first collection of a row finds cold "
    .. "is little of them", function()
    local asked = play(plan { budget_ns = 5e8 }, 80, 500)
    local rows, calls = count(asked, "paced", "paced")
    assert.is_true(calls / rows >= 9e3, calls .. " calls in " .. rows)
  end)

  it("makes rows as long as that where the warm-up found calls ten times as "
    .. "slow", function()
    local asked = play(plan { budget_ns = 5e8, call_ns = 1e4 }, 80, 500)
    local rows, calls = count(asked, "paced", "paced")
    assert.is_true(calls / rows >= 9e3, calls .. " calls in " .. rows)
  end)

  it("makes none where one call takes longer than all of them may", function()
    assert.is_nil(plan({ call_ns = 3e8 }):next(1))
    assert.is_not_nil(plan({ call_ns = 1e7 }):next(1))
  end)

  it("counts the first row without what it took to make the pacer", function()
    local made = plan()
    local request = made:next(0.5)
    local row = { iters = request.iters, wall_ns = request.iters * 1e3,
      gc_minor = 0, gc_major = 9 }
    row.spent_ns = 9e7
    made:saw(request, row)
    assert.is_not_nil(made:next(1))
    made:saw(request, row)
    assert.is_nil(made:next(1))
  end)

  it("takes a fifth of the time, spread over the natural rows", function()
    local made = plan()
    assert.equal(0.2, made.share)
    local asked = play(made, 80, 500)
    local rows, calls = count(asked, "paced", "paced")
    assert.is_true(rows >= 3)
    assert.is_true(math.abs(calls * 1e3 / 1e8 - 0.2) < 0.04, calls .. " calls")
    local first, last
    for i, request in ipairs(asked) do
      if request.op == "paced" then
        first, last = first or i, i
      end
    end
    assert.is_true(first < 0.2 * #asked and last > 0.8 * #asked)
  end)

  it("takes half of it, one row after the other, where cycles are rare",
    function()
      local made = plan { heap_bytes = 1e6 } -- 1e4 calls, of 1e5
      assert.equal(0.5, made.share)
      local asked, changes = play(made, 50, 1e4), 0
      for i = 2, #asked do
        if asked[i].op ~= asked[i - 1].op then changes = changes + 1 end
      end
      assert.is_true(changes <= 6, changes .. " changes")
    end)

  it("leaves the timed rows as many cycles as their calls pay for, where "
    .. "cycles are rare", function()
    for _, between in ipairs { 23e3, 31e3, 47e3 } do
      local made, done = plan { budget_ns = 1e9, heap_bytes = 4e6 }, 0
      local asked, timed, calls = play(made, 500, between), 0, 0
      for _, request in ipairs(asked) do
        local before = math.floor(done / between)
        done = done + (request.iters or 1000)
        if request.op == "natural" then
          timed, calls = timed + math.floor(done / between) - before,
            calls + 1000
        end
      end
      local natural = calls / between
      assert.is_true(count(asked, "paced", "paced") > 10)
      assert.is_true(math.abs(timed - natural) <= 1.5,
        timed .. " cycles of " .. natural)
    end
  end)

  it("takes steps inside calls, and none between them, where calls have "
    .. "collections", function()
    local made = plan { call_ns = 1e5 }
    local asked = play(made, 40, 2, 1e5)
    assert.is_true(count(asked, "inside", "paced") >= 2)
    assert.equal(0, (count(asked, "paced", "paced")))
  end)

  it("guesses by the heap whether calls have collections, where few were seen",
    function()
      local made = plan { call_ns = 1e5,
        census = { iters = 1, allocs = 1000, bytes = 1e5 } }
      local asked = play(made, 40, 1e9, 1e5)
      assert.is_true(count(asked, "inside", "paced") >= 2)
      assert.equal(0, (count(asked, "paced", "paced")))
    end)

  it("has batches with steps inside calls that are no longer than timed ones",
    function()
      local asked = play(plan { call_ns = 1e5 }, 40, 2, 1e5, 7)
      local rows, calls = count(asked, "inside", "paced")
      assert.is_true(rows >= 2)
      assert.is_true(calls <= 7 * rows)
    end)

  it("takes none inside where compiled code calls no hooks", function()
    local made = plan { call_ns = 1e5, hooks = false }
    assert.equal(0, (count(play(made, 40, 2, 1e5), "inside", "paced")))
  end)

  it("asks for short batches of many sizes in generational mode", function()
    local made = plan { gc_mode = "generational" }
    local asked = play(made, 80, 300)
    local rows = count(asked, "time", "counts")
    assert.is_true(rows >= 12, rows .. " rows")
    local without = 0
    for _, request in ipairs(asked) do
      if request.pass == "counts" and request.iters < 300 then
        without = without + 1
      end
      if request.pass == "counts" then
        assert.is_true(request.iters <= 1.25 * 300 * 1.1)
      end
    end
    assert.is_true(without > rows / 2)
  end)

  it("counts in a tenth of the time, with what each batch takes besides",
    function()
      -- A collection in 300 calls: 188 calls of a batch, and 20 us
      for _, case in ipairs { { call_ns = 1e3, budget_ns = 1e8, rows = 48 },
        { call_ns = 1e3, budget_ns = 1e9, rows = 160 },
        { call_ns = 100, budget_ns = 1e7, rows = 25 },
        { call_ns = 1e4, budget_ns = 1e8, rows = 0 } } do
        local asked = play(plan { gc_mode = "generational",
          call_ns = case.call_ns, budget_ns = case.budget_ns }, 80, 300,
          case.call_ns)
        assert.equal(case.rows, (count(asked, "time", "counts")))
      end
    end)

  it("has no batch of more calls than may be, and some of so many", function()
    local asked = play(plan { gc_mode = "generational", most_calls = 150 }, 80,
      300, nil, 100)
    local largest = 0
    for _, request in ipairs(asked) do
      if request.pass == "counts" then
        largest = math.max(largest, request.iters)
      elseif request.op == "paced" then
        assert.is_true(request.iters <= 150)
      end
    end
    assert.is_true(largest > 150 and largest <= 190, largest)
  end)

  it("keeps to the longest batch", function()
    local made = plan { batch_ns = 1e5 }
    for _, request in ipairs(play(made, 20, 500)) do
      assert.is_true((request.iters or 0) <= 100)
    end
  end)

  it("asks for stopped batches with --gc arms, whose garbage is little",
    function()
      local asked = play(plan { gc = "arms" }, 40, 500)
      assert.is_true(count(asked, "stopped", "stopped") > 2)
      for _, request in ipairs(asked) do
        assert.is_true((request.iters or 0) * 100 <= 2^18)
      end
    end)

  it("spreads stopped batches over the timed ones, twice sixty at most where "
    .. "memory keeps them short", function()
    local function stopped(more)
      local given = { gc = "arms", budget_ns = 1e9 }
      for name, value in pairs(more) do given[name] = value end
      local list, timed = {}, 0
      for _, request in ipairs(play(plan(given), 100, 500)) do
        if request.op == "natural" then
          timed = timed + 1
        else
          list[#list + 1] = timed
        end
      end
      return list
    end
    -- 2,621 calls leave 2^18 bytes; 0.4 s hold these and 2 times as many before
    for census, rows in pairs { [1600] = 51, [160000] = 120 } do
      local list = stopped { census = { iters = 16, allocs = 16,
        bytes = census } }
      assert.is_true(math.abs(#list - rows) <= 1, #list .. " rows")
      for i, timed in ipairs(list) do
        assert.is_true(math.abs(timed - 100 * (i - 0.5) / #list) <= 2)
      end
    end
  end)

  it("allows a stopped batch garbage by the heap and the memory cap",
    function()
      local function most(more)
        local given = { gc = "arms", call_ns = 10, memory_cap = 1e9 }
        for name, value in pairs(more) do given[name] = value end
        local bytes = 0
        for _, request in ipairs(play(plan(given), 40, 500, 10)) do
          if request.op == "stopped" then
            bytes = math.max(bytes, request.iters * 100)
          end
        end
        return bytes
      end
      assert.is_true(most { heap_bytes = 1e5 } <= 2^18)
      local large = most { heap_bytes = 1e7 }
      assert.is_true(large > 2^18 and large <= 0.25 * 1e7, large)
      assert.is_true(most { heap_bytes = 1e7, memory_cap = 1e5 } <= 5e4)
    end)
end)

describe("what is counted", function()
  it("is sixteen calls, and many of a long run", function()
    local list = pass_plan.counting { call_ns = 1e3, quota_ns = 1e9 }
    assert.equal("census", list[1].op)
    assert.equal(16, list[1].iters)
    assert.equal("long_census", list[2].op)
    assert.is_true(list[2].iters >= 256)
  end)

  it("is no longer in a long run than a batch may be", function()
    local function counted(longest)
      return pass_plan.counting { call_ns = 1e3, quota_ns = 1e9,
        longest = longest }
    end
    assert.equal(300, counted(300)[2].iters)
    assert.is_nil(counted(50)[2])
  end)

  it("is two calls, after two that are not counted, where sixteen take too "
    .. "long", function()
    local list = pass_plan.counting { call_ns = 1e7, quota_ns = 1e9 }
    assert.equal(1, #list)
    assert.same({ 2, 4 }, { list[1].iters, list[1].calls })
  end)

  it("is as many calls as a census that it is compared with has", function()
    for call_ns, iters in pairs { [1e3] = 2, [1e7] = 2, [1e8] = 2,
      [6e8] = 1 } do
      assert.equal(iters, pass_plan.counting({ call_ns = call_ns,
        quota_ns = 1e9, before = 2 })[1].iters)
    end
  end)

  it("is given the time of calls before it that are not counted, and of four "
    .. "tries on LuaJIT", function()
      local function factor(call_ns, is_jit)
        return pass_plan.counting({ call_ns = call_ns, quota_ns = 1e9,
          is_jit = is_jit })[1].factor
      end
      local of_one_call = factor(1e9)
      assert.is_true(of_one_call > 1)
      assert.equal(2 * of_one_call, factor(1e3))
      assert.equal(4 * of_one_call, factor(1e9, true))
      assert.equal(5 * of_one_call, factor(1e3, true))
    end)

  it("is one call where four take too long, or where a census that it is "
    .. "compared with has one", function()
    for _, given in ipairs { { call_ns = 1e8, quota_ns = 1e9 },
      { call_ns = 1e3, quota_ns = 1e9, before = 1 } } do
      local list = pass_plan.counting(given)
      assert.equal(1, #list)
      assert.equal(1, list[1].iters)
    end
  end)
end)
