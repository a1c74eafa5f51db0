-- Whether figures of two reports can be compared: the differences between their
-- machines, interpreters, collectors, loops and sources, line by line.
local advice = require "tare.env.advice"
local lists = require "tare.base.lists"
local machine = require "tare.base.machine"
local metrics = require "tare.base.metrics"
local unicode = require "tare.base.unicode"
local numerals = require "tare.base.numerals"
local units = require "tare.base.units"

local fingerprint = {}

-- What a difference makes incomparable: "times" (whatever is noisy), or "all"
-- figures; other differences are only reported.
local BLOCKS = {
  cpu = "times", ["build.arch"] = "times", ["build.optimized"] = "times",
  lua = "all", ["jit.on"] = "all",
  ["collector.mode"] = "times",
  loop = "all", jit = "all", gc = "times", gc_mode = "times",
  net_of_loop = "times", estimator = "times", discard = "times",
}

local CONSEQUENCE = {
  times = "; times can't be compared",
  all = "; they can't be compared",
}

-- What the figures of a bench depend on; and, of the options of a report, how
-- all its figures were made.
local DECIDES_FIGURES = { "loop", "jit", "gc", "gc_mode", "source" }
local SAME_IN_BOTH = { "net_of_loop", "estimator", "confidence" }

local function show(value)
  if type(value) == "string" then
    return "'" .. unicode.visible(value) .. "'"
  end
  return type(value) == "number" and numerals.plain(value) or tostring(value)
end

local function difference(field, a, b, names, id)
  local blocks = BLOCKS[field]
  local reason = ("%s is %s in %s and %s in %s%s"):format(field, show(a),
    names[1], show(b), names[2], CONSEQUENCE[blocks] or "")
  return { field = field, a = a, b = b, id = id, blocks = blocks,
    reason = reason,
    message = id and unicode.visible(id) .. ": " .. reason or reason }
end

local function is_plain(value)
  return value ~= nil and type(value) ~= "table"
end

-- The names under which two tables have other plain values; of all names that
-- the first has, where none are given.
local function differing(a, b, names)
  if type(a) ~= "table" or type(b) ~= "table" then return {} end
  return lists.those(names or lists.keys(a), function(name)
    return is_plain(a[name]) and is_plain(b[name]) and a[name] ~= b[name]
  end)
end

-- Which batches of a bench don't count (--discard), in words. That is an option
-- of the bench, or of an analysis of all.
local function discarded(result, options)
  local kinds = result.discard or options.discard
  if type(kinds) ~= "table" or not kinds[1] then return "nothing" end
  local names = {}
  for i, kind in ipairs(kinds) do names[i] = tostring(kind) end
  table.sort(names)
  return table.concat(names, ",")
end

-- Adds what differs between two environments, once a field.
local function add_environment(list, seen, a, b, names)
  local found = advice.differences(a, b)
  for _, name in ipairs(differing(a.collector, b.collector)) do
    found[#found + 1] = { field = "collector." .. name, a = a.collector[name],
      b = b.collector[name] }
  end
  for _, d in ipairs(found) do
    local line = difference(d.field, d.a, d.b, names)
    if not seen[line.message] and is_plain(d.a) and is_plain(d.b) then
      seen[line.message], list[#list + 1] = true, line
    end
  end
end

-- Reference clocks that are closer are the same in print.
local SAME_CLOCK = 0.01

-- The reference clocks of two results, where these differ. Times at different
-- ones can be compared: cycles are, or gates convert them (tare.judge.compare).
local function add_clock(list, seen, result, other, names)
  local a, b = metrics.reference_ns(result), metrics.reference_ns(other)
  if not (a and b) or math.abs(a / b - 1) < SAME_CLOCK then return end
  local message = ("the reference clock is %s GHz in %s and %s GHz in %s; "
    .. "gates and ratios account for that, but the times in tables don't")
    :format(numerals.format("%.3g", 1 / a), names[1],
      numerals.format("%.3g", 1 / b), names[2])
  if seen[message] then return end
  seen[message], list[#list + 1] = true, { field = "clock.reference_ghz",
    a = 1 / a, b = 1 / b, message = message, reason = message }
end

--- Where the conditions of two reports differ, for the benches that both
--- have. What one of them does not know is no difference.
---@param a table Report
---@param b table Report
---@param names string[]? what to call them; "the first" and "the second"
---@return { field: string, a: any, b: any, id: string?,
---  blocks: "times"|"all"|nil, message: string, reason: string }[] 'reason' is
---  the message without the bench
function fingerprint.compare(a, b, names)
  names = names or { "the first", "the second" }
  local general, benches, seen, pairs_seen = {}, {}, {}, {}
  local options, others = a.options or {}, b.options or {}
  local of_b = lists.by_id(b.results)
  for _, result in ipairs(a.results) do
    local other = of_b[result.id]
    if other then
      local env_a, env_b = machine.env(a, result), machine.env(b, other)
      pairs_seen[env_a] = pairs_seen[env_a] or {}
      if not pairs_seen[env_a][env_b] then
        pairs_seen[env_a][env_b] = true
        add_environment(general, seen, env_a, env_b, names)
      end
      add_clock(general, seen, result, other, names)
      for _, name in ipairs(differing(result, other, DECIDES_FIGURES)) do
        benches[#benches + 1] = difference(name, result[name], other[name],
          names, result.id)
      end
      local x, y = discarded(result, options), discarded(other, others)
      if x ~= y then
        benches[#benches + 1] = difference("discard", x, y, names, result.id)
      end
    end
  end
  for _, name in ipairs(next(pairs_seen) and differing(options, others,
    SAME_IN_BOTH) or {}) do
    general[#general + 1] = difference(name, options[name], others[name], names)
  end
  -- How long each bench was measured: with less, more is too noisy.
  local x, y = units.quota(options.quota), units.quota(others.quota)
  if next(pairs_seen) and x and y and x ~= y then
    general[#general + 1] = difference("quota", x, y, names)
  end
  -- Flags of the bench files, which may change what is measured, or nothing.
  for _, name in ipairs(differing(options.flags, others.flags)) do
    general[#general + 1] = difference("--" .. name, options.flags[name],
      others.flags[name], names)
  end
  lists.append(general, benches)
  return general
end

--- A function that returns the difference that makes a metric of a bench
--- incomparable, or nil.
---@param differences table[] of fingerprint.compare
---@return fun(id: string, metric: string): table?
function fingerprint.guard(differences)
  local general, of_bench = {}, {}
  for _, line in ipairs(differences) do
    local list = general
    if line.id then
      of_bench[line.id] = of_bench[line.id] or {}
      list = of_bench[line.id]
    end
    if line.blocks then list[#list + 1] = line end
  end
  return function(id, metric)
    local known = metrics.find(metric)
    local is_exact = known and known.exact
    local function blocks(line) return line.blocks == "all" or not is_exact end
    return lists.first(general, blocks)
      or lists.first(of_bench[id] or {}, blocks)
  end
end

return fingerprint
