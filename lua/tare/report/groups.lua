-- How the results of a Report belong together: sections by suite and group, and
-- sets of benches that were compared with each other in one run.
local interval = require "tare.base.interval"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"

local groups = {}

--- The suite and group of a result, as the beginning of its id.
---@return string
function groups.title(result)
  local parts = { result.suite ~= "" and result.suite or nil }
  for _, name in ipairs(result.group or {}) do parts[#parts + 1] = name end
  return table.concat(parts, "/")
end

--- Results by suite and group, in the order in which they first appear.
---@return { title: string, results: table[] }[]
function groups.sections(results)
  local sections = {}
  for i, group in ipairs(lists.grouped(results, groups.title)) do
    sections[i] = { title = groups.title(group[1]), results = group }
  end
  return sections
end

local function without_prefix(text, prefix)
  if prefix ~= "" and text:sub(1, #prefix + 1) == prefix .. "/" then
    return text:sub(#prefix + 2)
  end
end

--- What a result is called inside its section: name and parameters.
---@param title string of the section
---@return string
function groups.label(result, title)
  return without_prefix(result.id, title)
    or without_prefix(result.id, result.suite or "") or result.id
end

--- Whether a comparison is between two reports or revisions, not between two
--- benches of one run.
---@return boolean
function groups.is_change(c) return c.between ~= nil or c.a == c.b end

local Relations = {}
Relations.__index = Relations

--- The comparison of two results of the run, the first against the second.
---@return table? comparison
function Relations:between(a, b)
  local direct = self.pairs[a.id .. "\0" .. b.id]
  if direct then return direct end
  local opposite = self.pairs[b.id .. "\0" .. a.id]
  return opposite and interval.reversed(opposite)
end

-- Joins the sets of two results.
local function join(set_of, a, b)
  local set, other = set_of[a] or { a }, set_of[b] or { b }
  set_of[a] = set
  if set == other then return end
  for _, result in ipairs(other) do
    set[#set + 1], set_of[result] = result, set
  end
end

local function time_of(result)
  return (metrics.get(result, "time") or { value = 1/0 }).value
end

-- What the others of a set are compared with: the bench marked as baseline,
-- else the quickest.
local function reference_of(set)
  local best = set[1]
  for _, result in ipairs(set) do
    if result.baseline then return result end
    if time_of(result) < time_of(best) then best = result end
  end
  return best
end

--- The comparison of a result with the reference of its set; nil where it has
--- none, or is the reference.
---@return table? comparison
function Relations:to_reference(result)
  local set = self.set_of[result]
  return set and set.reference ~= result
    and self:between(result, set.reference) or nil
end

--- How much of the reference's time a result takes, with the interval: by their
--- comparison, which is of batches measured in turn and so says more than two
--- times do; nil where there is none.
---@param set table of groups.relations
---@return { value: number, low: number?, high: number? }?
function Relations:ratio(result, set)
  if result == set.reference then return { value = 1, low = 1, high = 1 } end
  local c = self:between(result, set.reference)
  return c and c.ratio
end

-- The quickest first; what has no ratio goes by its time.
local function sort(set, relations, place)
  local base, key = time_of(set.reference), {}
  for _, result in ipairs(set) do
    local ratio = relations:ratio(result, set)
    key[result] = ratio and ratio.value or time_of(result) / base
    if key[result] ~= key[result] then key[result] = 1/0 end
  end
  table.sort(set, function(a, b)
    if key[a] == key[b] then return place[a] < place[b] end
    return key[a] < key[b]
  end)
end

local function is_useful(ratio)
  return metrics.has_interval(ratio) and ratio.high <= 2 * ratio.low
end

--- Whether the first of two results is quicker for certain.
---@return boolean
function Relations:is_quicker(a, b)
  local direct, set = self:between(a, b), self.set_of[a]
  if direct then return direct.verdict == "faster" end
  local x, y
  if set and set == self.set_of[b] then
    x, y = self:ratio(a, set), self:ratio(b, set)
  end
  -- A noisy bench that both were compared with says nothing of the two.
  if not (is_useful(x) and is_useful(y)) then
    x, y = metrics.get(a, "time"), metrics.get(b, "time")
  end
  return metrics.has_interval(x) and metrics.has_interval(y)
    and x.high < y.low
end

-- A time of a shared core, which has no interval, may be nearly twice too high
-- (docs/noise.md), so it is slower where it is so much longer; one with a wide
-- interval may be far more too high, so the interval must allow that, too.
local NOISY_APART = 2

--- Whether a time is so much longer than another that noise can't be why,
--- although one of them is too noisy.
---@param quick { value: number, low: number?, high: number? }
---@param slow { value: number, low: number?, high: number? }
---@return boolean
function groups.is_far(quick, slow)
  local low = metrics.has_interval(slow) and slow.low or slow.value
  local high = metrics.has_interval(quick) and quick.high or quick.value
  return low > high and slow.value >= NOISY_APART * quick.value
end

--- Whether enough was measured to compare two results of a set at all.
---@return boolean
function Relations:are_comparable(a, b)
  local direct = self:between(a, b)
  if direct then return metrics.has_interval(direct.ratio) end
  local set = self.set_of[a]
  local x, y = self:ratio(a, set), self:ratio(b, set)
  if not (x and y) then
    x, y = metrics.get(a, "time"), metrics.get(b, "time")
  end
  return metrics.has_interval(x) and metrics.has_interval(y)
end

--- Which results of a Report were compared with each other. Each set is a list
--- of results, the quickest first, with its 'reference'.
---@return table relations with set_of = table<result, set>, by_id, and in
---  'revised' those that were compared with another revision, or are of one
function groups.relations(report)
  local relations = setmetatable({ set_of = {}, pairs = {}, revised = {},
    by_id = lists.by_id(report.results) }, Relations)
  for _, c in ipairs(report.comparisons or {}) do
    local a, b = relations.by_id[c.a], relations.by_id[c.b]
    if a and b and a ~= b and groups.is_change(c) then
      relations.revised[a], relations.revised[b] = true, true
    end
    if a and b and (c.metric or "time") == "time" and c.ratio
      and (c.ratio.value or 0) > 0 and not groups.is_change(c) then
      relations.pairs[c.a .. "\0" .. c.b] = c
      -- Revisions of one bench are shown as changes.
      if not (a.params or {}).ref and not (b.params or {}).ref then
        join(relations.set_of, a, b)
      end
    end
  end
  local place = {}
  for i, result in ipairs(report.results) do place[result] = i end
  for _, set in pairs(relations.set_of) do
    if not set.reference then
      set.reference = reference_of(set)
      sort(set, relations, place)
    end
  end
  return relations
end

--- Results in the order in which a table has them: those that were compared
--- with each other together, the quickest first.
function groups.ordered(results, relations)
  local here, done, list = {}, {}, {}
  for _, result in ipairs(results) do here[result] = true end
  for _, result in ipairs(results) do
    for _, one in ipairs(relations.set_of[result] or { result }) do
      if here[one] and not done[one] then
        done[one], list[#list + 1] = true, one
      end
    end
  end
  return list
end

return groups
