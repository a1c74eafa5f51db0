-- Text and elements of HTML. Everything that comes from a Report passes
-- through 'escape' or 'lines' on its way into the page.
local escapes = require "tare.report.escape"

local markup = {}

--- Text as it may stand in an element or an attribute, on one line; control
--- characters are told by their codes.
---@param text any
---@return string
markup.escape = escapes.xml
local escape = markup.escape

--- The same, lines kept.
---@param text any
---@return string
function markup.lines(text)
  return (tostring(text):gsub("[^\n]+", escape))
end

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

--- A section of the page with its anchor and title.
---@param id string
---@param title string
---@param body string markup
---@return string
function markup.section(id, title, body)
  return element("section", { "id", id }, "<h2>" .. escape(title) .. "</h2>"
    .. body)
end

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
