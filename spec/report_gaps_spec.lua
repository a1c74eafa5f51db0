-- Whatever a sound Report lacks or holds, every format renders it, and what
-- reads the format still can.
local cjson = require "cjson"
local core = require "tare.core"
local csv = require "spec.support.csv"
local formats = require "spec.support.formats"
local gaps = require "spec.support.gaps"
local golden = require "spec.support.golden"
local has_expat, lxp = pcall(require, "lxp")
local report = require "tare.report"
local schema = require "tare.store.schema"

local function no_nonsense(text)
  for word in text:gmatch("%a+") do
    assert(word ~= "nan" and word ~= "inf", word)
  end
  assert(not text:find("table: ", 1, true), "a table's address")
end

local function well_formed(text)
  if not has_expat then return end
  local parser = lxp.new {}
  assert(parser:parse(text))
  assert(parser:parse())
  parser:close()
end

local function page(text)
  no_nonsense(text:sub(text:find("<body>", 1, true),
    text:find("<script>", 1, true)))
end

local READERS = {
  html = page, text = no_nonsense, markdown = no_nonsense, csv = csv.parse,
  junit = well_formed, json = cjson.decode, gbench = cjson.decode,
  pyperf = cjson.decode, bmf = cjson.decode, action = cjson.decode,
}

local PLAIN = { {} }
local OPTIONS = {
  text = { {}, { width = 60, ascii = true, explain = true,
    columns = "all", plot = true } },
  csv = { {}, { samples = true } }, gbench = { {}, { samples = true } },
}

describe("a Report with gaps", function()
  local function check_format(format, read, changed, name)
    for _, options in ipairs(OPTIONS[format] or PLAIN) do
      local ok, wrong = pcall(function()
        local text, message = report.render(changed, format, options)
        if text then read(text) else assert.is_string(message) end
      end)
      assert(ok, ("%s, %s: %s"):format(format, name, tostring(wrong)))
    end
  end

  local function check(changed, name)
    if not schema.check(changed) then return end -- the store refuses it
    for _, format in ipairs(formats) do
      check_format(format, READERS[format], changed, name)
    end
  end

  it("is read in every format", function()
    for _, format in ipairs(formats) do
      assert.is_function(READERS[format], format)
    end
  end)

  for how, value in pairs(gaps.VALUES) do
    it("renders " .. how, function()
      gaps.each(value ~= gaps.NONE and value or nil, check)
    end)
  end

  -- What a report shows that lacks one field, where that differs from what the
  -- whole one shows: of each format a sum, of text the first line that differs.
  it("shows what someone has read without any one field", function()
    local SHOWN = { text = { width = 100, explain = true, columns = "all" },
      markdown = {}, html = {} }
    local lines, whole = {}, {}
    local function rendered(changed, name)
      local parts, first = {}, nil
      for _, format in ipairs { "text", "markdown", "html" } do
        local text = report.render(changed, format, SHOWN[format])
          :gsub("<style>.-</style>", ""):gsub("<script>.-</script>", "")
        whole[format] = whole[format] or text
        parts[#parts + 1] = text == whole[format] and "same"
          or core.hash(text):sub(1, 8)
        if format == "text" and text ~= whole.text then
          local known = {}
          for line in whole.text:gmatch "[^\n]+" do known[line] = true end
          for line in text:gmatch "[^\n]+" do
            first = first or not known[line] and line
          end
        end
      end
      local said = table.concat(parts, " ")
      if said ~= "same same same" then
        lines[#lines + 1] = ("%s: %s %s\n"):format(name, said,
          (first or ""):sub(1, 60))
      end
    end
    rendered(gaps.small_report(), "whole")
    gaps.each(nil, function(changed, name)
      if schema.check(changed) then rendered(changed, name) end
    end)
    table.sort(lines)
    golden.check("report_gaps.txt", table.concat(lines))
  end)
end)
