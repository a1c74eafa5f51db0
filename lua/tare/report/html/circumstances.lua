-- What stands around the results: machine and interpreter (several in a merged
-- Report), options, and what the figures mean.
local facts = require "tare.report.html.facts"
local markup = require "tare.report.html.markup"

local circumstances = {}

local function has_fields(t) return type(t) == "table" and next(t) ~= nil end

-- The environments that differ, as markup, and the place of each one of the
-- Report among them.
local function distinct(report)
  local list, place_of, places = {}, {}, {}
  for i, env in ipairs(report.envs or { report.env }) do
    local text = has_fields(env) and facts.tree(env) or ""
    if text ~= "" and not place_of[text] then
      list[#list + 1] = text
      place_of[text] = #list
    end
    places[i] = place_of[text]
  end
  return list, places
end

--- Tells where a result was measured; nil where all were in one place.
---@param report table
---@return fun(result: table): string?
function circumstances.machines(report)
  local list, places = distinct(report)
  return function(result)
    local place = places[result.env_index or 1]
    return #list > 1 and place and "environment " .. place or nil
  end
end

local function environments(report)
  local list = distinct(report)
  local cards = {}
  for i, tree in ipairs(list) do
    local title = #list > 1 and "<h3>Environment " .. i .. "</h3>" or ""
    cards[i] = '<div class="card">' .. title .. tree .. "</div>"
  end
  if not cards[1] then return "" end
  return markup.section("env", #list > 1 and "Environments" or "Environment",
    table.concat(cards))
end

local function options(report)
  if not has_fields(report.options) then return "" end
  return markup.section("options", "Options", '<div class="card">'
    .. facts.tree(report.options) .. "</div>")
end

local function glossary(report)
  if not report.results[1] then return "" end
  return '<details class="more" id="glossary"><summary>What the figures mean'
    .. "</summary>" .. facts.glossary(report.results) .. "</details>"
end

--- The last sections of the page.
---@param report table
---@return string markup
function circumstances.sections(report)
  return environments(report) .. options(report) .. glossary(report)
end

return circumstances
