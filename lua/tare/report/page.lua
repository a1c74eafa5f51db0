-- A page of a terminal: lines, indented, wrapped, with styles where colours are
-- wanted.
local width = require "tare.report.width"

local Page = {}
Page.__index = Page

Page.INDENT = 2

local SGR = { title = "1", bad = "31", good = "32", warn = "33", dim = "2" }

local function plain(s) return s end

local function colored(s, name)
  return SGR[name] and ("\27[%sm%s\27[0m"):format(SGR[name], s) or s
end

--- An empty page.
---@param options { width: integer?, color: boolean?, ascii: boolean? }
---@return table
function Page.new(options)
  return setmetatable({ width = options.width,
    style = options.color and colored or plain,
    ellipsis = options.ascii and "~" or "\226\128\166" }, Page)
end

--- Adds a line.
---@param line string
function Page:add(line) self[#self + 1] = line end

--- Adds lines, each with so many blanks before it.
---@param lines string[]
---@param indent integer
function Page:lines(lines, indent)
  for _, line in ipairs(lines) do
    self:add(line == "" and "" or (" "):rep(indent) .. line)
  end
end

--- Columns that indented lines have; nil: as many as they like.
---@return integer?
function Page:room() return self.width and self.width - Page.INDENT end

--- Adds a title.
---@param text string
function Page:title(text)
  for _, line in ipairs(width.wrap(text, self.width)) do
    self:add(self.style(line, "title"))
  end
end

--- Adds a paragraph: 'head' is styled, lines after the first are indented.
---@param head string
---@param style string
---@param rest string may be empty
function Page:paragraph(head, style, rest)
  local lines = width.wrap(rest == "" and head or head .. " " .. rest,
    self:room())
  for i, line in ipairs(lines) do
    if i == 1 and line:sub(1, #head) == head then
      line = self.style(head, style) .. line:sub(#head + 1)
    end
    self:add(i > 1 and (" "):rep(Page.INDENT) .. line or line)
  end
end

--- All of it.
---@return string
function Page:text() return table.concat(self, "\n") .. "\n" end

return Page
