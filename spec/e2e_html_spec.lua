-- The HTML report in a real browser, at 1280 and at 390 pixels wide.
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
var told = [], frames = [[390, "light"], [1280, "light"], [1280, "dark"]];
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

local contents = require("spec.support.command").read

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
  -- Names of rules beside each other at the left, where the title of y is.
  local pauses = report.results[5].passes.paced.pauses
  pauses.p50, pauses.p95 = 1150, 1500
  setup(function() visits = visit(command, report) end)

  local function each(check)
    assert.equal(3, #visits)
    for _, told in ipairs(visits) do check(told, told.width .. " px") end
  end

  it("opens at both widths without an error", function()
    each(function(told, at)
      assert.is_true(told.width == 390 or told.width == 1280)
      assert.same({}, told.problems, at)
    end)
  end)

  it("draws every plot", function()
    each(function(told, at)
      assert.same({}, told.undrawn, at)
      assert.equal(3 * (#report.results - 1) + 3, told.plots, at)
    end)
  end)

  it("keeps everything within the page", function()
    each(function(told, at)
      assert.is_false(told.wide, at)
      assert.same({}, told.overflowing, at)
    end)
  end)

  it("lets no texts overlap, in plots or tables", function()
    each(function(told, at) assert.same({}, told.crowded, at) end)
  end)

  it("shows all contents in the bar at the top, where it is wide", function()
    each(function(told, at)
      if told.width > 390 then assert.same({}, told.cut, at) end
    end)
  end)

  it("has each bench in few lines, with its bar, on a phone, too", function()
    each(function(told, at)
      assert.is_true(#told.heights > 4)
      for _, row in ipairs(told.heights) do
        assert.is_true(row[1] < 90, at .. ": " .. row[1])
        assert.is_true(row[2] > (told.width == 390 and 250 or 100), at)
      end
    end)
  end)

  it("sorts tables both ways", function()
    each(function(told)
      local up = told.sorting[1]:match("^ascending: (.*)$")
      local down = told.sorting[2]:match("^descending: (.*)$")
      assert.equal(4, #numbers(up))
      assert.is_true(is_sorted(numbers(up), 1))
      assert.is_true(is_sorted(numbers(down), -1))
    end)
  end)

  it("filters benches by words", function()
    each(function(told) assert.same({ "1 1", "0 0", "6 21" },
      told.filtering) end)
  end)

  it("unfolds the bench that a link leads to, and nothing else", function()
    each(function(told)
      assert.equal(1, #told.revealing)
      assert.is_true(tonumber(told.revealing[1]:match("^r2 (.*)$")) > 300)
    end)
  end)

  it("changes between linear and logarithmic axes", function()
    each(function(told)
      assert.same({ "plot log", "plot linear", "plot log" }, told.scaling)
    end)
  end)

  it("compares two benches that are ticked", function()
    each(function(told)
      assert.is_true(told.picking[1])
      assert.equal("strings/buffer: tick another to compare.", told.picking[2])
      assert.matches("^strings/buffer, compared with strings/concat: 2%.04 "
        .. "times as fast %(2%.01 to 2%.07%)%.", told.picking[3])
      assert.matches("^strings/format, compared with strings/concat: same "
        .. "%(within 1%.3%%%)%.", told.picking[4])
      assert.equal(2, told.picking[5])
      assert.is_true(told.picking[6])
      assert.matches("^strings/buffer is 1%.8%d times as fast as "
        .. "strings/format %(1%.8%d to 1%.%d+%)%.", told.picking[7])
    end)
  end)

  it("tells the batch below the pointer", function()
    each(function(told)
      assert.truthy(told.pointing:find("^[%d.,]+: ")
        or told.pointing:find("^[%d.,]+\194\160%S+: "), told.pointing)
    end)
  end)

  it("says of every column what it means", function()
    each(function(told) assert.is_true(told.hints > 10) end)
  end)

  it("shows a hostile name as it is", function()
    each(function(told)
      local wanted = unicode.visible(fixtures.HOSTILE)
      local found = false
      for _, id in ipairs(told.hostile) do
        found = found or id == wanted .. "/" .. wanted
      end
      assert.is_true(found)
    end)
  end)

  it("is dark where the reader's colours are", function()
    local grounds = {}
    for _, told in ipairs(visits) do grounds[told.ground] = true end
    assert.is_true(grounds["rgb(247, 246, 243)"])
    assert.is_true(grounds["rgb(18, 19, 21)"])
  end)
end)
