local style = require "tare.report.html.style"

-- WCAG 2.1: relative luminance, and the contrast of two colours.
local function luminance(colour)
  local function channel(from)
    local c = tonumber(colour:sub(from, from + 1), 16) / 255
    return c <= 0.03928 and c / 12.92 or ((c + 0.055) / 1.055) ^ 2.4
  end
  return 0.2126 * channel(2) + 0.7152 * channel(4) + 0.0722 * channel(6)
end

local function contrast(a, b)
  a, b = luminance(a), luminance(b)
  return (math.max(a, b) + 0.05) / (math.min(a, b) + 0.05)
end

describe("the colours", function()
  local light, dark = style:match("^:root(.-)@media(.-)\n  }\n}")
  for name, block in pairs { light = light, dark = dark } do
    local function colour(key)
      return assert(block:match("%-%-" .. key .. ": (#%x+)"), key)
    end

    it("of text have a contrast of at least 4.5 when " .. name, function()
      for _, key in ipairs { "ink", "soft", "good", "bad", "warn", "gc" } do
        for _, ground in ipairs { "paper", "card", "faint" } do
          assert.is_true(contrast(colour(key), colour(ground)) >= 4.5,
            key .. " on " .. ground)
        end
      end
      assert.is_true(contrast(colour "ink", colour "shade") >= 4.5)
    end)

    it("of marks have a contrast of at least 3 when " .. name, function()
      for _, key in ipairs { "net", "gc", "c1", "c2", "c3", "c4", "c5", "c6",
        "c7", "c8" } do
        assert.is_true(contrast(colour(key), colour "card") >= 3, key)
      end
    end)
  end
end)
