-- Whatever a Report lacks or holds, the page renders, and shows no nonsense.
local gaps = require "spec.support.gaps"
local html = require "tare.report.html"

describe("a Report with gaps", function()
  local function check(value)
    gaps.each(value, function(report, name)
      local page = html.render(report)
      local body = page:sub(page:find("<body>", 1, true),
        page:find("<script>", 1, true))
      assert.is_nil(body:find("nan", 1, true), name)
      assert.is_nil(body:find("inf", 1, true), name)
    end)
  end

  it("renders without any one field", function() check(nil) end)
  it("renders with any number unknown", function() check(0/0) end)
  it("renders with any number zero", function() check(0) end)
  it("renders with any number below zero", function() check(-1) end)
  it("renders with any number absurd", function() check(1e308) end)
end)
