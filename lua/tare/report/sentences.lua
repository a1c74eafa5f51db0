-- What comparisons and sweeps of a Report say, in sentences, and in which
-- order they are worth saying.
local contrast = require "tare.report.contrast"
local escape = require "tare.report.escape"
local plot = require "tare.report.plot"
local words = require "tare.report.words"

local sentences = {}

local MANY = 12 -- comparisons beyond which those alike are only counted
local FEWEST = 4 -- points that could show a law
local COUNTED = { same = "%d more are the same.",
  unclear = "%d more are unclear: neither faster nor slower for sure." }

local function counted(counts)
  local list = {}
  for _, verdict in ipairs { "same", "unclear" } do
    if counts[verdict] then
      list[#list + 1] = { verdict = verdict,
        text = COUNTED[verdict]:format(counts[verdict]) }
    end
  end
  return list
end

-- What a comparison is against: a bench, or the same one in another report.
local function reference_of(comparison)
  if comparison.a ~= comparison.b then return comparison.b end
  return comparison.other or "the other report"
end

--- What all comparisons are against; nil where they differ.
---@param comparisons table[]
---@return string?
function sentences.common_reference(comparisons)
  local first = comparisons[1] and reference_of(comparisons[1])
  for _, c in ipairs(comparisons) do
    if reference_of(c) ~= first then return nil end
  end
  return first
end

--- What the comparisons are called.
---@param comparisons table[]
---@return string
function sentences.comparisons_title(comparisons)
  local common = sentences.common_reference(comparisons)
  return common and "comparisons with " .. escape.visible(common)
    or "comparisons"
end

--- The verdict of each comparison. Of many, those that are the same or unclear
--- are only counted.
---@param comparisons table[]
---@return { text: string, verdict: string }[]
function sentences.comparisons(comparisons)
  local list, counts = {}, {}
  for _, c in ipairs(comparisons) do
    if #comparisons > MANY and COUNTED[c.verdict] then
      counts[c.verdict] = (counts[c.verdict] or 0) + 1
    else
      list[#list + 1] = { text = escape.visible(words.verdict(c)),
        verdict = c.verdict }
    end
  end
  for _, line in ipairs(counted(counts)) do list[#list + 1] = line end
  return list
end

-- Comparisons of no sweep, as a set.
local function plain_set(list)
  local common = sentences.common_reference(list)
  return { title = sentences.comparisons_title(list), list = list,
    sentences = sentences.comparisons(list), say = words.verdict,
    label = function(c)
      return (common or c.a == c.b) and c.a or c.a .. " / " .. c.b
    end }
end

local function visible(list)
  for _, one in ipairs(list) do one.text = escape.visible(one.text) end
  return list
end

--- Comparisons in sets that are told together, each with its title, what it
--- says, and what each comparison is called and says by itself.
---@param comparisons table[]
---@return { title: string, list: table[], sentences: table[], label:
---  (fun(c: table): string), say: (fun(c: table): string) }[]
function sentences.sets(comparisons)
  local sets = {}
  for i, set in ipairs(contrast.sets(comparisons)) do
    sets[i] = not set.title and plain_set(set.list) or {
      title = escape.visible(set.title), list = set.list,
      sentences = visible(contrast.sentences(set)), say = contrast.sentence,
      label = contrast.label }
  end
  return sets
end

--- What a sweep is called.
---@param sweep table
---@return string
function sentences.sweep_title(sweep)
  return escape.visible(("%s over %s"):format(sweep.bench or "", sweep.axis))
end

--- How each series of a sweep grows, with its mark, and where they cross.
---@param sweep table
---@param ascii boolean?
---@return string[]
function sentences.sweep(sweep, ascii)
  local list = {}
  for i, series in ipairs(sweep.series) do
    local law = #series.points >= FEWEST and words.law(series.law) or ""
    list[i] = escape.visible(("%s %s %s"):format(plot.mark(i, ascii),
      series.label or "", law):gsub(" +$", ""))
  end
  for _, crossover in ipairs(sweep.crossovers or {}) do
    if crossover.x and math.abs(crossover.x) < 1/0 then
      list[#list + 1] = escape.visible(words.crossover(crossover, sweep.axis))
    end
  end
  return list
end

return sentences
