-- The HTML report in a real browser, at 1280 and at 400 pixels wide.
local browser = require "spec.support.browser"
local fixtures = require "spec.support.fixtures"
local html = require "tare.report.html"
local json = require "cjson"
local unicode = require "tare.base.unicode"

local WATCH = [[<script>
var problems = window.problems = [];
addEventListener("error", function (e) { problems.push(e.message); });
addEventListener("securitypolicyviolation", function (e) {
  problems.push(e.blockedURI); });
["error", "warn"].forEach(function (kind) {
  console[kind] = function (text) { problems.push(String(text)); };
});</script>]]

-- One frame a width; what each tells becomes text that survives --dump-dom.
local AROUND = [=[<!DOCTYPE html><body style="margin:0"><script>
var told = [], frames = [[400, "light"], [1280, "light"], [1280, "dark"]];
addEventListener("message", function (event) {
  told.push(event.data);
  if (told.length < frames.length) return;
  document.body.textContent = "TOLD" + encodeURIComponent("["
    + told.join(",") + "]") + "TOLD";
});
frames.forEach(function (frame) {
  var element = document.createElement("iframe");
  element.style = "border:0;height:1000px;width:" + frame[0]
    + "px;color-scheme:" + frame[1];
  element.src = "page.html";
  document.body.appendChild(element);
});
</script></body>]=]

local function contents(path)
  local handle = assert(io.open(path))
  local text = handle:read("*a")
  handle:close()
  return text
end

local function unescape(text)
  return (text:gsub("%%(%x%x)", function(hex)
    return string.char(tonumber(hex, 16))
  end))
end

local function insert(page, before, text)
  local at = assert(page:find(before, 1, true))
  return page:sub(1, at - 1) .. text .. page:sub(at)
end

local function visit(command, report)
  local page = insert(html.render(report), "<style>", WATCH)
  page = insert(page, "</body>", "<script>"
    .. contents("spec/support/page_checks.js") .. "</script>")
  local dom = browser.dom(command, { ["page.html"] = page,
    ["around.html"] = AROUND }, "around.html")
  local told = assert(dom:match("TOLD(.*)TOLD"), "the page told nothing")
  return assert(json.decode(unescape(told)))
end

local function numbers(text)
  local list = {}
  for number in text:gmatch("%S+") do list[#list + 1] = tonumber(number) end
  return list
end

local function is_sorted(list, sign)
  for i = 2, #list do
    if (list[i] - list[i - 1]) * sign < 0 then return false end
  end
  return true
end

describe("the HTML report in a browser", function()
  local command = browser.find()
  if not command then
    pending("not opened: there is no chromium here")
    return
  end
  local report, visits = fixtures.report(), nil
  setup(function() visits = visit(command, report) end)

  local function each(check)
    assert.equal(3, #visits)
    for _, told in ipairs(visits) do check(told, told.width .. " px") end
  end

  it("opens at both widths without an error", function()
    each(function(told, at)
      assert.is_true(told.width == 400 or told.width == 1280)
      assert.same({}, told.problems, at)
    end)
  end)

  it("draws every plot", function()
    each(function(told, at)
      assert.same({}, told.undrawn, at)
      assert.equal(3 * (#report.results - 1) + 2, told.plots, at)
    end)
  end)

  it("keeps everything within the page", function()
    each(function(told, at)
      assert.is_false(told.wide, at)
      assert.same({}, told.overflowing, at)
    end)
  end)

  it("keeps the texts of plots apart and within their cards", function()
    each(function(told, at) assert.same({}, told.crowded, at) end)
  end)

  it("sorts the overview both ways, rows without a value last", function()
    each(function(told)
      local up = told.sorting[1]:match("^ascending: (.*)$")
      local down = told.sorting[2]:match("^descending: (.*)$")
      assert.equal(#report.results - 1, #numbers(up))
      assert.is_true(is_sorted(numbers(up), 1))
      assert.is_true(is_sorted(numbers(down), -1))
      assert.is_truthy(up:find(" $") and down:find(" $"))
    end)
  end)

  it("filters benches by words", function()
    each(function(told) assert.same({ "7 7", "0 0", "21 21" },
      told.filtering) end)
  end)

  it("unfolds all results, and the one that a link leads to", function()
    each(function(told) assert.same({ 21, 0, 1 }, told.folding) end)
  end)

  it("tells the sample below the pointer", function()
    each(function(told)
      assert.truthy(told.pointing:find("^[%d.,]+: ")
        or told.pointing:find("^[%d.,]+\194\160%S+: "))
    end)
  end)

  it("shows a hostile name as it is", function()
    each(function(told)
      assert.equal(unicode.visible(fixtures.HOSTILE), told.hostile)
    end)
  end)

  it("is dark where the reader's colours are", function()
    local grounds = {}
    for _, told in ipairs(visits) do grounds[told.ground] = true end
    assert.is_true(grounds["rgb(247, 246, 243)"])
    assert.is_true(grounds["rgb(18, 19, 21)"])
  end)
end)
