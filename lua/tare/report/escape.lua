-- Makes text harmless where it goes (a bench may be called anything), and names
-- unique where a format needs that.
local json = require "tare.base.json"
local unicode = require "tare.base.unicode"

local escape = {}

--- See unicode.visible.
escape.visible = unicode.visible

--- A text without blanks at its end, in a time that grows with its length only:
--- gsub("%s+$", "") looks at each run of blanks again from each of its places.
---@param s string
---@return string
function escape.trim_end(s) return s:match "^.*%S" or "" end

--- A text without blanks around it.
---@param s string
---@return string
function escape.trim(s) return escape.trim_end((s:gsub("^%s+", ""))) end

-- "@name" would call somebody; a backslash does not help there.
local MARKDOWN = { ["@"] = "&#64;" }
for sign in ("\\`*_[]<>#|~&"):gmatch(".") do MARKDOWN[sign] = "\\" .. sign end

--- Text in a Markdown document (GitHub's), in or out of a table.
---@return string
function escape.markdown(s)
  return (escape.visible(s):gsub("[\\`*_%[%]<>#|~&@]", MARKDOWN))
end

local XML = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;",
  ['"'] = "&quot;", ["'"] = "&#39;" }

--- Text or an attribute's value in XML 1.0, which knows no control characters.
---@return string
function escape.xml(s)
  return (escape.visible(s):gsub("[&<>\"']", XML))
end

local function hexadecimal(c) return ("\\x%02x"):format(c:byte()) end

-- Spreadsheets take a cell that starts so for a formula.
local FORMULA = "^[=+%-@\t\r]"

--- A field of CSV (RFC 4180): quoted where it must be; a text that a
--- spreadsheet would compute starts with an apostrophe. Numbers in full.
---@param value string|number|boolean|nil
---@return string
function escape.csv(value)
  if value == nil or value ~= value then return "" end
  if type(value) == "number" then
    local text = json.number(value)
    return text == "null" and "" or text
  end
  local text = unicode.repair(tostring(value))
  text = text:gsub("[%z\1-\8\11\12\14-\31\127]", hexadecimal)
  if text:find(FORMULA) then text = "'" .. text end
  if text:find('[",\r\n]') then text = '"' .. text:gsub('"', '""') .. '"' end
  return text
end

--- A function that gives each name back the first time, and with " (2)",
--- " (3)" after it from then on; an empty one is called "bench".
---@return fun(name: string): string
function escape.unique_names()
  local taken = {}
  return function(name)
    if name == "" then name = "bench" end
    local candidate, count = name, 1
    while taken[candidate] do
      count = count + 1
      candidate = ("%s (%d)"):format(name, count)
    end
    taken[candidate] = true
    return candidate
  end
end

return escape
