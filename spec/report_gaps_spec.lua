-- Whatever a sound Report lacks or holds, every format renders it, and what
-- reads the format still can.
local cjson = require "cjson"
local csv = require "spec.support.csv"
local formats = require "spec.support.formats"
local gaps = require "spec.support.gaps"
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
end)
