-- Whatever a Report lacks or holds, the page renders, and shows no nonsense.
local gaps = require "spec.support.gaps"
local html = require "tare.report.html"

describe("a Report with gaps", function()
  local function check(report, name)
    local page = html.render(report)
    local body = page:sub(page:find("<body>", 1, true),
      page:find("<script>", 1, true))
    assert.is_nil(body:find("nan", 1, true), name)
    assert.is_nil(body:find("inf", 1, true), name)
  end

  for how, value in pairs(gaps.VALUES) do
    it("renders " .. how, function()
      gaps.each(value ~= gaps.NONE and value or nil, check)
    end)
  end
end)
