-- Objects of the core: whoever has one can call its methods and metamethods,
-- with anything.
local core = require "tare.core"

-- The metatables of all that there is, also of what no caller gets hold of.
local function types()
  local watch, found = core.gcwatch(), {}
  watch:arm() -- makes a sentinel
  watch:disarm()
  core.census(function() end, 1)
  for name, metatable in pairs(debug.getregistry()) do
    if type(name) == "string" and name:find "^tare%." then
      found[#found + 1] = { name = name, metatable = metatable }
    end
  end
  return found
end

local STRANGE = { none = false, table = {}, file = io.stdout,
  thread = coroutine.create(function() end) }

describe("an object of the core", function()
  it("raises where a method is called on anything else", function()
    local finalizers = 0
    for _, kind in ipairs(types()) do
      for name, method in pairs(kind.metatable) do
        if name ~= "__index" and name ~= "__name" then
          if name == "__gc" then finalizers = finalizers + 1 end
          local told = kind.name .. "." .. name
          assert.is_false((pcall(method)), told)
          for what, strange in pairs(STRANGE) do
            local ok, message = pcall(method, strange)
            assert.is_false(ok, told .. " of a " .. what)
            assert.equal("string", type(message))
          end
          local other = kind.name == "tare.samples" and core.meter()
            or core.samples(2)
          assert.is_false((pcall(method, other)), told .. " of another kind")
        end
      end
    end
    -- samples, gcwatch, its sentinel, meter, pacer, deadline, census, perf
    assert.is_true(finalizers >= 8)
  end)

  it("returns nothing from what only does something", function()
    local meter, store = core.meter { manual_tick_ns = 1 }, core.samples(2)
    local watch, recorder = core.gcwatch(), core.frames(4, 100)
    local CALLS = { { meter, "clear_predictor" }, { meter, "advance", 1 },
      { meter, "limit", 1e6 }, { meter, "limit" }, { store, "push", {} },
      { store, "set", 1, "iters", 1 }, { store, "drop" }, { watch, "arm" },
      { watch, "disarm" }, { recorder, "begin" }, { recorder, "mark", "here" },
      { meter, "__gc" }, { store, "__gc" }, { watch, "__gc" },
      { recorder, "__gc" } }
    for _, call in ipairs(CALLS) do
      local object, method = call[1], call[2]
      assert.equal(0, select("#", object[method](object, call[3], call[4],
        call[5])), method)
    end
  end)

  it("says that it is closed where it can't go on", function()
    local watch = core.gcwatch()
    watch:__gc()
    watch:__gc()
    local ok, message = pcall(watch.arm, watch)
    assert.is_false(ok)
    assert.truthy(message:find("the watch is closed", 1, true), message)
    local pacer = core.pacer()
    pacer:__gc()
    pacer:__gc()
    assert.has_error(function() pacer:pauses() end)
    local store = core.samples(4)
    store:push { iters = 1 }
    store:__gc()
    store:__gc()
    assert.equal(0, #store)
    assert.has_error(function() store:push { iters = 1 } end)
    local recorder = core.frames(10, 1000)
    recorder:__gc()
    ok, message = pcall(core.frames_profile, recorder, 1, {})
    assert.is_false(ok)
    assert.matches("bad argument #1 .*the recorder is closed", message)
  end)

  it("leaves nothing in the heap when it is gone", function()
    local function make(count) -- all there at the same time
      local list = {}
      for i = 1, count do list[i] = core.pacer() end
      assert.equal(count, #list)
      list = nil -- luacheck: ignore 311
      for _ = 1, 4 do collectgarbage() end
      return collectgarbage "count"
    end
    make(1)
    local before_kb = make(1)
    -- The registry had room for them; a watch would be 0.5 kB of each.
    assert.is_true(make(300) - before_kb < 60)
  end)

  it("takes no row where it is closed, before a batch or in it", function()
    local function collected(f)
      return function(...)
        f(...)
        collectgarbage()
        collectgarbage()
        return ("x"):rep(1e4)
      end
    end
    local meter, store = core.meter { watch = true, cpu = true }, nil
    local pacer = core.pacer(meter)
    meter:limit(1e7)
    local ways = {
      function(loop) return meter:time(store, loop, 1) end,
      function(loop) return meter:time_calls(store, loop, 1) end,
      function(loop) return pacer:run(store, meter, loop, 1) end,
    }
    for _, way in ipairs(ways) do
      store = core.samples(4)
      local ok, message = way(collected(function() store:__gc() end))
      assert.is_nil(ok)
      assert.equal("the store was closed in the batch", message)
      ok, message = pcall(way, function() end)
      assert.is_false(ok)
      assert.truthy(message:find("the store is closed", 1, true), message)
    end
  end)

  it("ends its batch as usual where the function closes the meter or the pacer",
    function()
      for _ = 1, 3 do
        local meter, store = core.meter { watch = true }, core.samples(9)
        local pacer = core.pacer(meter)
        meter:limit(1e7)
        local function litter()
          collectgarbage()
          for _ = 1, 300 do local _ = { {} } end
        end
        assert.is_true(meter:time(store, function()
          meter:__gc()
          litter()
        end, 1))
        assert.is_true(meter:time(store, litter, 1))
        assert.is_true(pacer:run(store, meter, function(n)
          for _ = 1, n do litter() end
        end, 3))
        assert.is_true(pacer:run(store, meter, function()
          pacer:__gc()
          litter()
        end, 3))
        assert.equal(4, #store)
        assert.has_error(function() pacer:pauses() end)
      end
    end)

  -- Calls the finalizers of all objects of a kind that tare keeps for itself.
  local function close_all(name)
    local kind = debug.getregistry()[name]
    for _, kept in pairs(debug.getregistry()) do
      if debug.getmetatable(kept) == kind then kind.__gc(kept) end
    end
  end

  it("counts no more where the function finds the census and closes it",
    function()
      core.census(function() end, 1)
      local figures, message = core.census(function()
        close_all "tare.census"
      end, 1)
      assert.is_nil(figures)
      assert.equal("the census was closed by the function", message)
      assert.is_number(core.census(function() return {} end, 3).allocs)
    end)

  -- LuaJIT's compiled code calls no hooks.
  local jit = rawget(_G, "jit")
  local function interpreted(f)
    if jit then jit.off() end
    local ok, message = pcall(f)
    if jit then jit.on() end
    assert(ok, message)
  end
  local function litter()
    for i = 1, 20 do local _ = tostring(i) .. "x" end
  end

  it("profiles no more where the function finds the profile and closes it",
    function()
      interpreted(function()
        for warmup = 0, 1 do
          local found, message = core.profile(function()
            close_all "tare.profile"
            litter()
          end, 1, warmup, {})
          assert.is_nil(found)
          assert.equal("the profile was closed by the function", message)
          assert.is_nil(debug.gethook())
        end
        assert.is_table(core.profile(litter, 1, 0, {}))
      end)
    end)

  it("profiles on where the function profiles or counts as well, and closes "
    .. "what is around it", function()
    interpreted(function()
      local inner
      local found = core.profile(function()
        inner = core.profile(litter, 1, 1, {})
        litter()
      end, 1, 1, { [litter] = "its name" })
      assert.is_nil(debug.gethook())
      assert.is_table(inner)
      local seen = {}
      for _, callee in ipairs(found.callees) do
        if callee.name then seen[callee.name] = true end
      end
      assert.is_true(seen["its name"])
      for _, around in ipairs { core.profile, core.census } do
        local ok = around(function()
          inner = core.profile(function()
            close_all(around == core.census and "tare.census"
              or "tare.profile")
            litter()
          end, 1, 0, {})
          litter()
        end, 1, 0, {})
        assert.is_nil(ok)
        assert.equal(around == core.census, inner ~= nil)
        assert.is_nil(debug.gethook())
        assert.equal(3, core.census(function() return {} end, 3).allocs)
      end
    end)
  end)

  it("sees no collections where the function finds its watch and closes it",
    function()
      local meter, store = core.meter { watch = true }, core.samples(9)
      local pacer = core.pacer()
      for _ = 1, 2 do
        assert.is_true(pacer:run(store, meter, function()
          close_all "tare.gcwatch"
          litter()
        end, 3))
        assert.is_true(meter:time(store, function()
          close_all "tare.gcwatch"
          collectgarbage()
        end, 3))
      end
      assert.equal(0, store:get(-1, "gc_minor") + store:get(-1, "gc_major"))
    end)

  it("stays usable where its finalizer only let go of what it watches",
    function()
      local meter, rows = core.meter { watch = true }, core.samples(4)
      meter:__gc()
      assert.is_true(meter:time(rows, function() end, 1))
      local deadline, refused = core.deadline(1e9)
      if not deadline then return pending(refused) end
      deadline:__gc()
      assert.equal(7, (deadline:call(function() return 7 end)))
    end)
end)
