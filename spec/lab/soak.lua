-- An hour of sessions in one host: does it lose results, does its memory grow?
-- One short session after another, of benches that allocate or don't, in each
-- of the collector's modes, with a bench that raises, in a coroutine with a
-- bench that yields, beside a recorder; some are cancelled, closed or forgotten
-- before they are done. What each has to report is checked. Prints the
-- process's memory (Lua's heap and entries of the registry after full
-- collections) at the start and after each sixth of the time; fails where a
-- result is lost.
--   make lab NAME=soak [ARGS="SECONDS = 3600"] [LUAS=lua5.4]
-- On LuaJIT a handler of the compiler's events is attached meanwhile: with one,
-- options were lost after thousands of sessions.
local compat = require "tare.base.compat"
local core = require "tare.core"
local tare = require "tare"

local SECONDS = tonumber((...)) or 3600
local PARTS, BUDGET_MS, QUOTA = 6, 2, "8ms"

local has_jit, jit = pcall(require, "jit")
local events = 0
if has_jit and jit.attach then
  jit.attach(function() events = events + 1 end, "trace")
end

-- Park and Miller's generator, so that each run makes the same sessions.
local state = 23
local function draw(n)
  state = state * 16807 % 2147483647
  return state % n + 1
end

local list = {}
for i = 1, 100 do list[i] = { x = i, vx = 0.5 } end

-- A new suite; how many results of it have a time, how many an error.
local function new_suite(can_yield)
  local suite, good, bad = tare.suite "host", 2, 0
  suite:bench("in place", { baseline = true, run = function()
    for i = 1, #list do list[i].x = list[i].x + list[i].vx end
  end })
  suite:bench("copied", { setup = function() return { list } end,
    teardown = function() end, run = function()
      local moved = {}
      for i = 1, #list do moved[i] = { x = list[i].x + list[i].vx } end
      return moved
    end })
  if draw(3) == 1 then
    bad = bad + 1
    local calls, most = 0, draw(400)
    suite:bench("raises", function()
      calls = calls + 1
      if calls > most then error("raised after " .. most) end
    end)
  end
  if can_yield then
    good = good + 1
    suite:bench("yields", { yields = true, run = function()
      compat.coroutine.yield()
    end })
  end
  return suite, good, bad
end

local recorder = tare.frames { budget_ms = 16.67 }
local made = { whole = 0, cancelled = 0, closed = 0, forgotten = 0 }
local results, failed, lost, sessions = 0, 0, 0, 0

local function complain(what)
  lost = lost + 1
  print(("session %d: %s"):format(sessions, what))
end

-- What a whole session reports: each bench once, its time or its error, and the
-- options that were given.
local function check(report, good, bad)
  local timed, errors = 0, 0
  for _, result in ipairs(report.results) do
    if result.error then
      errors = errors + 1
      if not result.error:find "raised after" then complain(result.error) end
    elseif result.time and result.time.value > 0 then
      timed = timed + 1
    end
  end
  -- Where others have the core, a bench may be given up before it raises.
  if timed < good or errors > bad or timed + errors ~= good + bad then
    complain(("%d of %d have a time, %d of %d failed"):format(timed, good,
      errors, bad))
  end
  if report.options.seed ~= sessions then
    complain("seed " .. tostring(report.options.seed))
  end
  local format = ({ "text", "html", "json", "csv", "markdown" })[draw(5)]
  if #tare.render(report, format) == 0 then complain("an empty " .. format) end
  results, failed = results + timed, failed + errors
end

local MODES = { "natural", "paced", "stopped", "arms" }

local function one_session()
  sessions = sessions + 1
  local can_yield = draw(4) == 1
  local suite, good, bad = new_suite(can_yield)
  local options = { quota = QUOTA, seed = sessions }
  if not can_yield then options.gc = MODES[draw(#MODES)] end
  if draw(8) == 1 then options.profile = not can_yield or nil end
  local session = tare.session(suite, options)
  -- Some are left at a random step, of some fifty.
  local way, last = "whole", 1e9
  if draw(3) == 1 then
    way, last = ({ "cancelled", "closed", "forgotten" })[draw(3)], draw(60)
  end
  local done, steps = false, 0
  local function steps_of_host()
    repeat
      recorder:begin()
      done = session:step(BUDGET_MS)
      recorder:finish()
      steps = steps + 1
    until done or steps >= last
  end
  local host = coroutine.create(steps_of_host)
  repeat
    local ok, message = coroutine.resume(host)
    if not ok then complain(tostring(message)) end
  until coroutine.status(host) == "dead"
  if done then way = "whole" end
  made[way] = made[way] + 1
  if way == "whole" then
    check(session:report(), good, bad)
  elseif way == "cancelled" then
    session:cancel()
    tare.render(session:report(), "text")
  end
  if way ~= "forgotten" then session:close() end
end

local function entries(t)
  local n = 0
  for _ in pairs(t) do n = n + 1 end
  return n
end

-- Memory of the process, in kB: resident, and the most that it was.
local function resident()
  local file = io.open "/proc/self/status"
  if not file then return "unknown", "unknown" end
  local text = file:read "*a"
  file:close()
  return text:match "VmRSS:%s*(%d+)", text:match "VmHWM:%s*(%d+)"
end

local function tell(began_ns)
  collectgarbage()
  collectgarbage()
  local now, most = resident()
  print(("%5.0f s: %7d sessions, %8.1f kB of heap, %s kB resident (%s at "
    .. "most), %d entries in the registry"):format(
    (core.now_ns() - began_ns) / 1e9,
    sessions, collectgarbage "count", now, most,
    entries(debug.getregistry())))
  io.stdout:flush()
end

local began_ns, told = core.now_ns(), 0
one_session()
tell(began_ns)
repeat
  one_session()
  local share = (core.now_ns() - began_ns) / 1e9 / SECONDS
  if share * PARTS >= told + 1 then
    told = told + 1
    tell(began_ns)
  end
until told == PARTS
print(("%d sessions (%d whole, %d cancelled, %d closed, %d forgotten), %d "
  .. "steps; %d results with a time, %d of benches that raise; %d losses%s"
  ):format(
  sessions, made.whole, made.cancelled, made.closed, made.forgotten,
  recorder:result().frames or 0, results, failed, lost,
  has_jit and ("; %d events of the compiler"):format(events) or ""))
if lost > 0 then os.exit(1) end
