local core = require "tare.core"
local tare = require "tare"

local HANGS = { ["is caught by nothing"] = function() while true do end end }
HANGS["catches every error"] = function()
  while true do pcall(HANGS["is caught by nothing"]) end
end
HANGS["sets hooks of its own"] = function()
  while true do debug.sethook(function() end, "", 1000) end
end

local function endless() while true do end end -- luacheck: ignore 542

-- Each way to ask for a timeout within the process raises such an error.
local function is_refused(reason)
  local own = { run = endless, timeout = "1s" }
  for _, call in ipairs {
    function() tare.measure(endless, { timeout = "1s" }) end,
    function() tare.session(tare.suite "s", { timeout = "1s" }) end,
    function() tare.session(tare.suite("s"):bench("a", own)) end,
    function() tare.compare { a = endless, b = own } end,
  } do
    local ok, message = pcall(call)
    assert.is_false(ok)
    assert.matches(reason, message)
  end
end

if rawget(_G, "jit") then
  describe("a timeout within the process", function()
    it("is refused where code is compiled that looks at no hook", function()
      is_refused "timeout: what LuaJIT has compiled can't be ended"
    end)
  end)
  return
end

-- Windows has none; there is none of the rest to see there.
if not core.deadline(1) then
  describe("a timeout within the process", function()
    it("is refused where the system has no timer for it", function()
      is_refused "timeout: there is no timer for that here"
    end)
  end)
  return
end

local SOON, NEVER = 2e7, 1e18

describe("a deadline", function()
  after_each(function() debug.sethook() end) -- 5.1 remembers the last one

  for name, hang in pairs(HANGS) do
    it("ends a call that does not return and " .. name, function()
      local deadline = assert(core.deadline(SOON))
      local ok, message = pcall(deadline.call, deadline, hang)
      assert.is_false(ok)
      assert.equal("timed out: it had not returned after 0.02 s", message)
      assert.is_true(deadline:reached())
    end)
  end

  it("leaves no hook, and the one that there was", function()
    local deadline = assert(core.deadline(SOON))
    pcall(deadline.call, deadline, endless)
    assert.is_nil((debug.gethook()))
    local function mine() end
    debug.sethook(mine, "", 123456)
    pcall(deadline.call, deadline, endless)
    local hook, _, count = debug.gethook()
    debug.sethook()
    assert.equal(mine, hook)
    assert.equal(123456, count)
  end)

  it("is not noticed by a call that returns", function()
    local deadline = assert(core.deadline(NEVER))
    local hook
    local function f(a, b)
      hook = debug.gethook()
      return a, b
    end
    assert.same({ 1, 2 }, { deadline:call(f, 1, 2) })
    assert.is_nil(hook)
    assert.is_false(deadline:reached())
    assert.same({ false, "mine" }, { pcall(deadline.call, deadline,
      function() error("mine", 0) end) })
    assert.is_false(deadline:reached())
  end)

  it("may stand within another", function()
    local outer, inner = core.deadline(NEVER), core.deadline(SOON)
    local message = outer:call(function()
      return select(2, pcall(inner.call, inner, endless))
    end)
    assert.matches("0.02 s", message, 1, true)
    assert.is_false(outer:reached())
    outer, inner = core.deadline(SOON), core.deadline(NEVER)
    local ok
    ok, message = pcall(outer.call, outer, inner.call, inner, endless)
    assert.is_false(ok)
    assert.matches("0.02 s", message, 1, true) -- of the one that was late
    assert.is_true(outer:reached())
    assert.is_false(inner:reached())
    assert.is_nil((debug.gethook()))
  end)

  it("is refused to its own call", function()
    local deadline = core.deadline(NEVER)
    local ok, message = deadline:call(pcall, deadline.call, deadline, endless)
    assert.is_false(ok)
    assert.matches("a call of it is under way", message)
    assert.equal(1, (deadline:call(select, 1, 1)))
  end)

  it("serves in a coroutine", function()
    local deadline = assert(core.deadline(SOON))
    local ok, message = coroutine.resume(coroutine.create(function()
      return deadline:call(endless)
    end))
    assert.is_false(ok)
    assert.matches("timed out", message)
  end)

  it("is a time", function()
    assert.has_error(function() core.deadline(0) end)
    assert.has_error(function() core.deadline(0 / 0) end)
    assert.has_error(function() core.deadline(NEVER):call() end)
  end)
end)

describe("a bench with a timeout", function()
  local OPTIONS = { timeout = "20ms", quota = "40x", resamples = 100 }

  -- The other bench has no timeout: it may be kept waiting by the machine.
  local function messages_of(spec)
    local suite = tare.suite "s"
    spec.timeout = "20ms"
    suite:bench("hangs", spec)
    suite:bench("other", function() return {} end)
    local session = tare.session(suite, { quota = "40x", resamples = 100 })
    while not session:step(1000) do end -- luacheck: ignore 542
    local results = session:report().results
    session:close()
    assert.is_nil(results[2].error)
    assert.is_table(results[2].time)
    return results[1].error, table.concat(results[1].warnings, " ")
  end

  local function run() return {} end
  local ENDLESS = { inline = { run = endless }, call = { run = endless,
    loop = "call" }, batch = { batch = endless },
    setup = { run = run, setup = endless },
    arguments = { run = run, args = endless },
    teardown = { run = run, teardown = endless },
    ["a hook"] = { run = run, after_batch = endless } }
  for what, spec in pairs(ENDLESS) do
    it("fails where it does not return from " .. what, function()
      local message, warnings = messages_of(spec)
      assert.matches("timed out: it had not returned after 0.02 s", message,
        1, true)
      assert.matches("timeout", warnings)
    end)
  end

  it("has its teardown all the same", function()
    local was_torn_down = false
    messages_of { run = endless, setup = run,
      teardown = function() was_torn_down = true end }
    assert.is_true(was_torn_down)
  end)

  it("leaves the hook of the host", function()
    local function mine() end
    debug.sethook(mine, "", 123456)
    local result = tare.measure(endless, OPTIONS)
    local hook, _, count = debug.gethook()
    debug.sethook()
    assert.is_string(result.error)
    assert.same({ mine, 123456 }, { hook, count })
  end)
end)
