-- Text and elements of HTML. Everything that comes from a Report passes
-- through 'escape' on its way into the page.
local markup = {}

local ENTITY = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;",
  ['"'] = "&quot;", ["'"] = "&#39;", ["\n"] = "\n", ["\t"] = "\t" }

-- Control characters show as their pictures (U+2400 and on).
local function control(byte)
  return "\226\144" .. string.char(128 + (byte < 32 and byte or 33))
end
for byte = 0, 127 do
  local char = string.char(byte)
  if (byte < 32 or byte == 127) and not ENTITY[char] then
    ENTITY[char] = control(byte)
  end
end

--- Text as it may stand in an element or an attribute.
---@param text any
---@return string
function markup.escape(text)
  text = tostring(text)
  if not text:find("[&<>\"'%c%z]") then return text end
  return (text:gsub("[&<>\"'%c%z]", ENTITY))
end
local escape = markup.escape

--- An element: its name, attributes as { "name", value, ... } (escaped; left
--- out where the value is false, without value where it is true), and its
--- content, which is markup already.
---@param name string
---@param attributes table?
---@param content string?
---@return string
function markup.element(name, attributes, content)
  local parts = { "<", name }
  for i = 1, attributes and #attributes or 0, 2 do
    local value = attributes[i + 1]
    if value == true then
      parts[#parts + 1] = " " .. attributes[i]
    elseif value then
      parts[#parts + 1] = (' %s="%s"'):format(attributes[i], escape(value))
    end
  end
  parts[#parts + 1] = ">"
  parts[#parts + 1] = content or ""
  parts[#parts + 1] = "</" .. name .. ">"
  return table.concat(parts)
end
local element = markup.element

--- An element of one class.
---@param name string
---@param class string
---@param content string? markup
---@return string
function markup.classed(name, class, content)
  return element(name, { "class", class }, content)
end

--- An id or a name of the Report: monospaced, and wrapped anywhere.
---@param text string
---@return string
function markup.id(text) return markup.classed("span", "id", escape(text)) end

--- A table in a container of its own, which scrolls where it is too wide.
---@param class string
---@param head string markup of the header's row
---@param body string markup of the other rows
---@return string
function markup.table(class, head, body)
  return markup.classed("div", "scroll", markup.classed("table", class,
    "<thead><tr>" .. head .. "</tr></thead><tbody>" .. body .. "</tbody>"))
end

return markup
