-- plots.lua FOLDER: the pictures of the guide, as tare draws them from runs of
-- examples made now. (Pictures of the HTML report stretch with their page; here
-- each is framed to stand alone.)
local plots = {
  { name = "line", bench = "examples/gc_regression_bench.lua",
    draw = "sizes", points = 250 },
  { name = "density", bench = "examples/strings_bench.lua",
    filter = "strings/build{n=100,impl=join}", draw = "distribution",
    points = 250 },
  { name = "drift", bench = "examples/strings_bench.lua",
    filter = "strings/build{n=100,impl=join}", draw = "over_time",
    points = 250 },
  { name = "pauses", bench = "examples/vector_bench.lua",
    filter = "vector/list{n=4096}", draw = "pauses", options = "--gc paced" },
}

local WIDTH, HEIGHT, TOP, BOTTOM, RIGHT = 640, 170, 34, 46, 18

local contents = require("spec.support.command").read
local page = require "tare.report.html.markup"

local function measured(plot)
  local out = os.tmpname()
  local line = ("./tare run %s %s --quota 3s -q -o %s.json --raw"):format(
    plot.bench, plot.options or "", out)
  if plot.filter then line = line .. " --filter '" .. plot.filter .. "'" end
  assert(os.execute(line))
  local report = require("cjson").decode(contents(out .. ".json"))
  os.remove(out)
  os.remove(out .. ".json")
  return report.results[1]
end

-- The style sheet's colours and what it says about plots.
local function style()
  local sheet = require "tare.report.html.style"
  local colours = sheet:match("(:root.-\n}\n@media.-\n}\n)")
  local places = sheet:match("(%.tx text { transform.-)%.plot > svg {")
  local rules = sheet:match("(%.plot > svg %b{}.-)%.key %b{}")
  return colours .. "text { font: 11.5px system-ui, sans-serif; "
    .. "fill: var(--soft); }\nsvg { overflow: visible; }\n" .. places .. rules
end

-- A page leaves out quotes that a picture, which is XML, must have.
local function quoted(markup)
  return (markup:gsub("<%a[^>]*>", function(tag)
    return (tag:gsub("( [%a-]+)=([^%s\"/>]+)", '%1="%2"'))
  end))
end

local function framed(figure)
  local height = tonumber(figure:match("height:(%d+)px")) or HEIGHT
  local widest = tonumber(figure:match ' l(%d)"')
  local left = tonumber(figure:match("%-%-l:(%d+)px"))
    or page.margin(widest or 0)
  local about = figure:match("<figcaption>([^<]*)")
  local inner = figure:match('<svg class="plot[^>]*>(.*)</svg><p')
    or figure:match('<svg class="plot[^>]*>(.*)</svg>')
  local whole = height + TOP + BOTTOM
  return ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
    .. 'viewBox="0 0 %d %d" role="img" aria-label="%s">\n<style>\n%s</style>\n'
    .. '<rect width="100%%" height="100%%" rx="8" fill="var(--card)"/>\n'
    .. '<svg class="plot" x="%d" y="%d" width="%d" height="%d" '
    .. 'style="--l:%dpx">%s'
    .. '<line y1="100%%" x2="100%%" y2="100%%" stroke="var(--soft)"/></svg>\n'
    .. "</svg>\n"):format(
    WIDTH, whole, WIDTH, whole, about, style(), left + 6, TOP,
    WIDTH - left - 6 - RIGHT, height, left, quoted(inner))
end

local drawn = require "tare.report.html.plots"
local folder = assert(arg[1], "plots.lua FOLDER")
for _, plot in ipairs(plots) do
  local figure = assert(drawn[plot.draw](measured(plot), plot.points),
    plot.name .. ": nothing to draw")
  local file = assert(io.open(folder .. "/" .. plot.name .. ".svg", "wb"))
  file:write(framed(figure))
  file:close()
  print(folder .. "/" .. plot.name .. ".svg")
end
