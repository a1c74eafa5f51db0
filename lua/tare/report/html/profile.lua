-- Profiles on the page: flame graphs as SVG, which zoom and search with the
-- page's script, and the source with what each line does.
local figures = require "tare.report.figures"
local flame = require "tare.report.flame"
local markup = require "tare.report.html.markup"
local numerals = require "tare.base.numerals"
local profiles = require "tare.report.profiles"

local element, escape = markup.element, markup.escape
local profile_page = {}

local ROW = 18 -- height of a frame, in pixels
local NARROWEST = 0.0008 -- share of the width below which a frame is left out
local MOST_FRAMES = 2000
local UNITS = { instructions = "instructions", allocs = "allocations",
  bytes = "bytes", time = "time" }

local function number(x) return numerals.format("%.5g", x) end

local function amount_of(value, weight)
  return weight == "bytes" and figures.exact(value, "bytes")
    or weight == "time" and figures.quantity(value, "ns")
    or ("%s %s"):format(figures.exact(value, weight), UNITS[weight])
end

-- A colour that a name always has: one of six shades of the page's own.
local function shade_of(name)
  local sum = 0
  for i = 1, #name do sum = (sum * 31 + name:byte(i)) % 9973 end
  return "h" .. sum % 6
end

-- Red for more than before, blue for less, by the share of the whole.
local function change_of(node, total)
  local change = (node.value - node.old) / math.max(total, 1e-9)
  if math.abs(change) < 5e-4 then return "same" end
  local strength = math.min(3, math.ceil(math.abs(change) * 20))
  return (change > 0 and "more" or "less") .. strength
end

--- A flame graph, the bench's function on top: its frames are as wide as what
--- they do with all that they call.
---@param profile table
---@param weight string instructions, allocs, bytes or time
---@param old table? the profile before: frames are red for more, blue for less
---@return string html "" where nothing was counted
function profile_page.flame(profile, weight, old)
  local root = flame.tree(profile, weight, old)
  if root.value <= 0 then return "" end
  local frames, deepest = {}, 0
  -- A frame and all that it calls, from a share of the width on.
  local function add(node, from, depth)
    deepest = math.max(deepest, depth)
    local width = node.value / root.value
    if width < NARROWEST or #frames > MOST_FRAMES then return end
    local hint = ("%s: %s per call, %s%s"):format(node.name,
      amount_of(node.value, weight), figures.percent(width),
      old and "; before: " .. amount_of(node.old, weight) or "")
    frames[#frames + 1] = ('<svg class="frame %s" x="%s%%" y="%d" width="%s%%" '
      .. 'height="%d" data-x="%s" data-w="%s"><title>%s</title>'
      .. '<rect width="100%%" height="100%%"/><text x="4" y="13">%s</text>'
      .. "</svg>"):format(old and change_of(node, root.value)
      or shade_of(node.name), number(from * 100), depth * ROW,
      number(width * 100), ROW - 1, number(from), number(width), escape(hint),
      escape(node.name))
    for _, child in ipairs(node.children) do
      add(child, from, depth + 1)
      from = from + child.value / root.value
    end
  end
  add(root, 0, 0)
  return ('<figure class="flame"><figcaption>%s by call stack%s <span '
    .. 'class="more">%s per call; click a frame to widen it</span>'
    .. '<input type="search" class="seek" placeholder="search functions" '
    .. 'aria-label="Search functions"><output></output></figcaption>'
    .. '<div class="stack"><svg width="100%%" height="%d" role="img" '
    .. 'aria-label="flame graph of %s">%s</svg></div></figure>'):format(
    UNITS[weight]:gsub("^%l", string.upper), weight == "time"
    and " (estimated)" or old and ", compared: red for "
    .. "more, blue for less" or "", escape(amount_of(root.value, weight)),
    (deepest + 1) * ROW, UNITS[weight], table.concat(frames))
end

local function bar(value, whole, unit)
  if not value or value == 0 then return '<td class="n"></td>' end
  local share = whole > 0 and value / whole or 0
  return ('<td class="n bar" style="--w:%s%%" title="%s">%s</td>'):format(
    number(share * 100), escape(figures.percent(share)),
    escape(figures.exact(value, unit)))
end

--- The source around all lines that have figures.
---@param profile table
---@return string html "" where no text is known
function profile_page.source(profile)
  local by_place, files, order = {}, {}, {}
  for _, line in ipairs(profile.lines) do
    by_place[line.source .. "\0" .. line.line] = line
  end
  for _, piece in ipairs(profile.sources or {}) do
    if not files[piece.source] then
      files[piece.source], order[#order + 1] = {}, piece.source
    end
    table.insert(files[piece.source], piece)
  end
  local parts = {}
  for _, source in ipairs(order) do
    local rows, last = {}, nil
    for _, piece in ipairs(files[source]) do
      if last and piece.from > last + 1 then
        rows[#rows + 1] = '<tr class="gap"><td colspan="5">...</td></tr>'
      end
      for i, text in ipairs(piece.text) do
        local at = piece.from + i - 1
        local line = by_place[source .. "\0" .. at] or {}
        rows[#rows + 1] = ('<tr><td class="n at">%d</td>%s%s%s<td class="code">'
          .. "%s</td></tr>"):format(at,
          bar(line.instructions, profile.instructions, "instructions"),
          bar(line.bytes, profile.bytes, "bytes"),
          bar(line.allocs, profile.allocs, "allocs"), escape(text))
        last = at
      end
    end
    parts[#parts + 1] = element("details", { "class", "more" },
      "<summary>" .. escape(profiles.file(source)) .. ", line by line</summary>"
      .. '<div class="scroll"><table class="listing"><thead><tr><th '
      .. 'class="n" title="number of the line">line</th><th class="n" '
      .. 'title="instructions of Lua code in a call">instr</th><th class="n" '
      .. 'title="bytes allocated by a call">bytes</th><th class="n" '
      .. 'title="blocks allocated by a call">allocs</th><th '
      .. 'title="text of the line">source</th></tr></thead><tbody>'
      .. table.concat(rows) .. "</tbody></table></div>")
  end
  return table.concat(parts)
end

--- All drawings of a section of the document that has a profile.
---@param section table
---@return string html
function profile_page.of(section)
  local profile, old = section.profile, section.old_profile
  return profile_page.flame(profile, "instructions", old)
    .. profile_page.flame(profile, "bytes", old)
    .. (section.timed and profile_page.flame(section.timed, "time") or "")
    .. (old and "" or profile_page.source(profile))
end

return profile_page
