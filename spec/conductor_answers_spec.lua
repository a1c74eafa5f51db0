local answers = require "tare.conductor.answers"
local made = require "spec.support.made"
local null = require("cjson").null
local Worker = require "tare.worker"

local function are_sound(answer, op, iters)
  return answers.are_sound({ op = op or "time", iters = iters or 5 }, answer)
end

describe("what a worker may answer", function()
  it("is a row of the batch that was asked for, or a failure", function()
    assert.is_true(are_sound { iters = 5, wall_ns = 10, gc_minor = 1,
      spent_ns = 12, clock_went_back = true })
    assert.is_true(are_sound { is_capped = true, spent_ns = 0 })
    assert.is_false(are_sound({ is_capped = true, spent_ns = 0 }, "time", 1))
    assert.is_true(are_sound { error = "no", code = "timeout" })
    assert.is_true(are_sound({ iters = 1, instructions = 7 }, "instructions"))
  end)

  it("has numbers that can be computed with", function()
    for name, values in pairs {
      cycle_ns = { [0] = false, [-1] = false, [1e-9] = false, [1e12] = false,
        [0.05] = true, [0.3] = true, [4e4] = true },
      width = { [0] = false, [-4] = false, [1e9] = false, [0.5] = true,
        [4] = true, [64] = true } } do
      for value, ok in pairs(values) do
        assert.equal(ok, are_sound { iters = 5, wall_ns = 10, [name] = value },
          name .. " " .. value)
      end
    end
    for value, ok in pairs { [0] = true, [1e-6] = true, [5e17] = true,
      [5e-324] = false, [-5e-324] = false, [1e19] = false, [-1] = false } do
      assert.equal(ok, are_sound { iters = 5, wall_ns = value }, value)
    end
  end)

  it("names no reason to fail that only the conductor knows", function()
    assert.is_true(are_sound { error = "no", code = "memory_cap" })
    for _, code in ipairs { "interrupted", "launch_failed", "no_such" } do
      assert.is_false(are_sound { error = "no", code = code })
    end
  end)

  it("has no null in its tables, in unknown fields either: reports have none",
    function()
      local census = { iters = 5, allocs = 1, bytes = 9 }
      for _, junk in ipairs { { null }, { a = null }, { a = { b = { null } } },
        { 1e300 } } do
        census.junk = junk
        assert.is_false(are_sound(census, "census"))
      end
      local deep = {}
      for _ = 1, 40 do deep = { deep } end
      census.junk = deep
      assert.is_false(are_sound(census, "census"))
      census.junk = { { { a = 1 } } }
      assert.is_true(are_sound(census, "census"))
      assert.is_false(are_sound({ interpreter = { a = { null } } }, "job"))
      assert.is_false(are_sound({ layout = { a = { null } } }, "job"))
    end)

  it("has short names of its loop and its collector", function()
    local function prepared(loop, gc_mode)
      return are_sound({ loop = loop, heap_bytes = 1, gc_mode = gc_mode },
        "prepare")
    end
    assert.is_true(prepared("inline*1000", "generational"))
    assert.is_false(prepared(("x"):rep(2^21)))
    assert.is_false(prepared("inline", ("x"):rep(100)))
  end)

  it("has so many bytes at most, by what was asked for", function()
    for op in pairs(Worker.OPS) do
      assert.is_true(answers.most_bytes(op) <= 2^26, op)
    end
    assert.equal(2^20, answers.most_bytes "time")
    assert.equal(2^20, answers.most_bytes(nil))
    assert.is_true(answers.most_bytes "profile" > 2^22)
  end)

  it("is said to be too large where it may be large, and else is none",
    function()
      assert.equal("its answer (profile) is larger than 64 MiB, the most that "
        .. "is read", answers.too_large "profile")
      assert.equal(answers.LIE, answers.too_large "time")
    end)

  it("may lack what has no number: a null is no value", function()
    local row = { iters = 5, wall_ns = 10, cycles = null }
    assert.is_true(are_sound(row))
    assert.is_nil(row.cycles)
    assert.is_false(are_sound { iters = 5, wall_ns = null })
  end)

  it("is no other thing", function()
    for _, wrong in ipairs { {}, { iters = 5 }, { iters = 6, wall_ns = 10 },
      { iters = 5, wall_ns = "10" }, { iters = 5, wall_ns = -1 },
      { iters = 5, wall_ns = 1e308 }, { iters = 5, wall_ns = 0 / 0 },
      { iters = 5, wall_ns = 10, unknown = 1 },
      { iters = 5, wall_ns = 10, gc_minor = {} },
      { iters = 5, wall_ns = 10, gc_minor = "1" },
      { iters = 5, wall_ns = 10, cpu_ns = "3" },
      { iters = 5, wall_ns = 10, spent_ns = -1 },
      { iters = 5, wall_ns = 10, heap_bytes = 2 ^ 63 },
      { iters = 5, wall_ns = 10, shares_traces = 1 }, { "x" },
      { error = {} }, { error = "x", code = {} } } do
      assert.is_false(are_sound(wrong))
    end
    assert.is_false(are_sound({ loop = "inline" }, "prepare"))
    assert.is_false(are_sound({ loop = 1, heap_bytes = 1 }, "prepare"))
    assert.is_false(are_sound({ loop = "inline", heap_bytes = 1,
      throughput = { bytes = "many" } }, "prepare"))
    for _, pauses in ipairs { {}, { count = 1, max = 2 }, { count = 1, max = 2,
      histogram = { edges_ns = { 1 }, counts = { 1 } } } } do
      assert.is_false(are_sound({ pauses = pauses }, "pauses"))
    end
    for _, histogram in ipairs { { edges_ns = { 1e300 }, counts = { 1 } },
      { edges_ns = { 10 }, counts = { -1 } }, { edges_ns = {}, counts = { 1 } },
      { edges_ns = { 10 }, counts = { "x" } } } do
      assert.is_false(are_sound({ pauses = { count = 1, max = 2,
        histogram = histogram } }, "pauses"))
    end
    assert.is_true(are_sound({}, "pauses"))
    assert.is_true(are_sound({ pauses = { count = 1, max = 2,
      histogram = { edges_ns = { 10, 11 }, counts = { 1 } } } }, "pauses"))
    assert.is_false(are_sound({ iters = 5, wall_ns = 1 }, "census"))
    assert.is_true(are_sound({ returned = { { "result", "s" } } }, "returned"))
    assert.is_true(are_sound({ returned = {} }, "returned"))
    for _, parts in ipairs { 1, { 1 }, { "x" }, { { "x" } }, { { "x", 1 } },
      { { "x", "y", "z" } }, { { {}, "y" } }, { a = { "x", "y" } } } do
      assert.is_false(are_sound({ returned = parts }, "returned"))
    end
    assert.is_false(are_sound({}, "returned"))
    local function census(more)
      local answer = { iters = 5, allocs = 1, bytes = 9 }
      for name, value in pairs(more) do answer[name] = value end
      return are_sound(answer, "census")
    end
    assert.is_true(census {})
    assert.is_true(census { full_collection = { ns = 5, heap_bytes = 7 } })
    for _, more in ipairs { { full_collection = 1 }, { full_collection = "x" },
      { full_collection = { ns = "x" } }, { wall_ns = "x" }, { wall_ns = 1 },
      { spent_ns = "1" } } do
      assert.is_false(census(more))
    end
  end)

  it("is checked, whatever a launch was asked for", function()
    assert.is_true(are_sound({ cells = {}, broken = { "x" }, load_ns = 1,
      can_fork = true, layout = {}, interpreter = {} }, "job"))
    assert.is_true(are_sound({ error = "no", broken = {} }, "job"))
    for _, wrong in ipairs { { error = 1 }, { error = "no", broken = "x" },
      { cells = 1 }, { broken = { {} } }, { load_ns = "1" },
      { can_fork = 1 } } do
      assert.is_false(are_sound(wrong, "job"))
    end
    assert.is_true(are_sound({ worker = 7 }, "fork"))
    assert.is_true(are_sound({ error = "no such bench" }, "fork"))
    assert.is_false(are_sound({ worker = "7" }, "fork"))
    assert.is_false(are_sound({}, "fork"))
    assert.is_true(are_sound({ code = null, signal = 9 }, "reap"))
    assert.is_false(are_sound({ signal = "9" }, "reap"))
    assert.is_true(are_sound({ ready = true }, "serve"))
    assert.is_true(are_sound({}, "ping"))
  end)

  it("is checked, whatever the worker was asked for", function()
    for op in pairs(Worker.OPS) do
      assert.is_false(are_sound({ error = {} }, op), op)
      assert.has_no.errors(function() are_sound({}, op) end, op)
    end
  end)

  it("has the figures that are kept as they are, of their types", function()
    assert.is_true(are_sound({ ns = 5, heap_bytes = 7, freed_bytes = 0 },
      "full"))
    assert.is_false(are_sound({ ns = "5", heap_bytes = 7 }, "full"))
    assert.is_false(are_sound({ ns = 5 }, "full"))
    assert.is_true(are_sound({ grown_bytes = 16 }, "machine"))
    assert.is_false(are_sound({ grown_bytes = "16" }, "machine"))
    assert.is_true(are_sound({ finished = true }, "finish"))
    assert.is_false(are_sound({}, "finish"))
    local line = { source = "a.lua", line = 3, instructions = 1, allocs = 0,
      bytes = 0, freed_bytes = 0 }
    local sums = { calls = 1, instructions = 1, allocs = 0, bytes = 0,
      lines = { line } }
    assert.is_true(are_sound(sums, "profile"))
    sums.bytes = nil
    assert.is_false(are_sound(sums, "profile"))
    assert.is_false(are_sound({ calls = 1 }, "profile"))
    assert.is_false(are_sound({ calls = 1, lines = { { source = "x" } } },
      "profile"))
    assert.is_true(are_sound({ compiled = 1, aborted = 0, aborts = {} },
      "traces"))
    assert.is_false(are_sound({ compiled = 1, aborts = { { count = "x" } } },
      "traces"))
  end)

  it("lacks nothing that was asked for", function()
    for op, answer in pairs {
      prepare = { loop = "inline", heap_bytes = 7 },
      full = { ns = 5, heap_bytes = 7 },
      returned = { returned = {} },
      call = { calls = 1 },
      collect = { ended = true, ns = 5, heap_bytes = 7 },
      machine = { grown_bytes = 16 },
      instructions = { iters = 5, instructions = 7 },
      finish = { finished = true },
      fork = { worker = 9 } } do
      assert.is_true(are_sound(answer, op), op)
      for lacking in pairs(answer) do
        local rest = {}
        for name, value in pairs(answer) do
          if name ~= lacking then rest[name] = value end
        end
        assert.is_false(are_sound(rest, op), op .. " without " .. lacking)
      end
    end
  end)

  it("has numbers of processes, signals and exits that can be some", function()
    for value, ok in pairs { [2] = true, [70000] = true, [1] = false,
      [0] = false, [-1] = false, [2.5] = false, [2 ^ 40] = false } do
      assert.equal(ok, are_sound({ worker = value }, "fork"), value)
    end
    for value, ok in pairs { [0] = true, [9] = true, [1.5] = false,
      [-1] = false } do
      assert.equal(ok, are_sound({ code = value, signal = value }, "reap"))
    end
    assert.is_true(are_sound({}, "reap"))
  end)

  it("has the counts of a census, all of them", function()
    assert.is_true(are_sound({ iters = 1, allocs = 2, bytes = 3 }, "census"))
    assert.is_false(are_sound({ allocs = 2, bytes = 3 }, "census"))
    assert.is_false(are_sound({ iters = 1 }, "instructions"))
  end)

  it("never raises, whatever it is", function()
    local random = made.generator(7)
    local function any(depth)
      local kind = math.floor(random.uniform() * 9)
      if kind == 0 then return null end
      if kind == 1 then return random.uniform() * 10 end
      if kind == 2 then return 1e308 end
      if kind == 3 then return "x" end
      if kind == 4 then return true end
      if kind == 5 and depth > 0 then return { any(depth - 1) } end
      return 5
    end
    local names = { "iters", "wall_ns", "spent_ns", "error", "code", "loop",
      "heap_bytes", "is_capped", "unknown", "gc_minor", "returned", "pauses" }
    local sound = 0
    for _ = 1, 20000 do
      local answer = {}
      for _, name in ipairs(names) do
        if random.uniform() < 0.3 then answer[name] = any(2) end
      end
      for _, op in ipairs { "time", "prepare", "census", "pauses", "full" } do
        if are_sound(answer, op) then sound = sound + 1 end
      end
    end
    assert.is_true(sound > 0)
  end)
end)
