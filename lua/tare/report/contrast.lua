-- Comparisons with something in common: cells of a sweep that differ in one
-- parameter, or benches of a group with the same parameters. They are told by
-- what they are compared with, and many of them in one sentence.
local ids = require "tare.base.ids"
local units = require "tare.base.units"
local words = require "tare.report.words"

local contrast = {}

local MANY = 6 -- comparisons of a set, beyond which they are told together

-- The one text that differs, and those that do not; nil where more differ.
local function difference(a, b)
  local first, second, others = nil, nil, {}
  for i = 1, math.max(#a, #b) do
    if a[i] == b[i] then
      others[#others + 1] = a[i]
    elseif first or not a[i] or not b[i] or ids.name(a[i]) ~= ids.name(b[i])
    then
      return nil
    else
      first, second = a[i], b[i]
    end
  end
  return first, second, others
end

-- "s/f" and "s/g" with the same parameters: "s", "f" and "g".
local function of_group(bench, other, texts, reference)
  local at = table.concat(texts, ",")
  local group, a = bench:match("^(.*)/([^/]+)$")
  local same, b = other:match("^(.*)/([^/]+)$")
  if not group or group ~= same or at ~= table.concat(reference, ",") then
    return nil
  end
  return { bench = group, a = a, b = b, at = at }
end

--- What two that are compared have in common; nil where that is nothing.
---@param c table COMPARISON
---@return { bench: string, a: string, b: string, at: string }? of "s/f{n=1,
---  impl=a}" and "s/f{n=1,impl=b}": "s/f", "impl=a", "impl=b" and "n=1"; of
---  "s/f{n=1}" and "s/g{n=1}": "s", "f", "g" and "n=1"
function contrast.of(c)
  local bench, texts = ids.split(tostring(c.a))
  local other, reference = ids.split(tostring(c.b))
  if bench ~= other then return of_group(bench, other, texts, reference) end
  local a, b, at = difference(texts, reference)
  return a and { bench = bench, a = a, b = b, at = table.concat(at, ",") }
end

local function key_of(c)
  local found = contrast.of(c)
  return found and found.bench .. "\0" .. found.b
end

-- How many comparisons have each key.
local function tally(comparisons)
  local counts = {}
  for _, c in ipairs(comparisons) do
    local key = key_of(c)
    if key then counts[key] = (counts[key] or 0) + 1 end
  end
  return counts
end

--- Comparisons by what they have in common: those with the same reference
--- together; the others together, in the place of their first.
---@param comparisons table[]
---@return { title: string?, list: table[] }[] sets; without a title: those
---  that have nothing in common
function contrast.sets(comparisons)
  local sets, by_key, counts = {}, {}, tally(comparisons)
  for _, c in ipairs(comparisons) do
    local key, found = key_of(c), contrast.of(c)
    if not key or counts[key] == 1 then key, found = "", nil end
    local set = by_key[key]
    if not set then
      set = { list = {}, title = found
        and ("%s, against %s"):format(found.bench, found.b) }
      by_key[key], sets[#sets + 1] = set, set
    end
    set.list[#set.list + 1] = c
  end
  return sets
end

--- What a comparison is called within its set.
---@param c table of a set with a title
---@return string
function contrast.label(c)
  local found = contrast.of(c)
  return found.at == "" and found.a or found.at .. "  " .. found.a
end

-- The comparisons of a set by what is compared and what came out.
local function by_outcome(list)
  local outcomes, by_key, totals, places = {}, {}, {}, {}
  for _, c in ipairs(list) do
    local found = contrast.of(c)
    local subject = found.a .. "\0" .. (c.metric or "time")
    local key = subject .. "\0" .. c.verdict
    if not by_key[key] then
      by_key[key] = { verdict = c.verdict, subject = subject, list = {} }
      outcomes[#outcomes + 1] = by_key[key]
    end
    table.insert(by_key[key].list, c)
    totals[subject] = (totals[subject] or 0) + 1
    places[subject] = places[subject] or #outcomes
  end
  for i, one in ipairs(outcomes) do
    one.of, one.place = totals[one.subject], places[one.subject] + i / 1e6
  end
  table.sort(outcomes, function(x, y) return x.place < y.place end)
  return outcomes
end

-- The factor that a verdict speaks of: half the time is twice as fast.
local function factor(c)
  return c.verdict == "faster" and 1 / c.ratio.value or c.ratio.value
end

local function extremes(list)
  local low, high = list[1], list[1]
  for _, c in ipairs(list) do
    if factor(c) < factor(low) then low = c end
    if factor(c) > factor(high) then high = c end
  end
  return low, high
end

local function times(c) return units.number(factor(c), 3) .. "x" end

local function range(list)
  local low, high = extremes(list)
  return ("%s (%s) to %s (%s)"):format(times(low), contrast.of(low).at,
    times(high), contrast.of(high).at)
end

-- Several comparisons of one with the reference, at several values.
local function together(one)
  local found, c = contrast.of(one.list[1]), one.list[1]
  local where = (#one.list == one.of and "at all %d" or "at %d of %d"):format(
    #one.list, one.of)
  if not found.at:find(",", 1, true) then
    where = where .. " values of " .. ids.name(found.at)
  end
  local against = words.against(found.b, c.metric)
  if one.verdict == "faster" or one.verdict == "slower" then
    return ("%s is %s %s than %s, %s."):format(found.a, range(one.list),
      one.verdict, against, where)
  elseif one.verdict == "same" then
    return ("%s is the same as %s %s."):format(found.a, against, where)
  end
  return ("Whether %s is faster or slower than %s is unclear %s."):format(
    found.a, against, where)
end

--- What a comparison of a set says by itself, in the set's short names.
---@param c table of a set with a title
---@return string
function contrast.sentence(c)
  local found = contrast.of(c)
  local at = found.at ~= "" and " at " .. found.at or ""
  local copy = {}
  for key, value in pairs(c) do copy[key] = value end
  copy.a, copy.b = found.a, found.b .. at
  return words.verdict(copy)
end

--- What a set says: a sentence each of a few; of many, one for all that came
--- out alike.
---@param set table of contrast.sets, with a title
---@return { text: string, verdict: string }[]
function contrast.sentences(set)
  local list = {}
  if #set.list <= MANY then
    for i, c in ipairs(set.list) do
      list[i] = { text = contrast.sentence(c), verdict = c.verdict }
    end
    return list
  end
  for i, one in ipairs(by_outcome(set.list)) do
    list[i] = { verdict = one.verdict, text = #one.list > 1 and together(one)
      or contrast.sentence(one.list[1]) }
  end
  return list
end

return contrast
