-- What ids are made of: "vec/fill{n=100,impl=a}". Pure.
local lists = require "tare.base.lists"

local ids = {}

--- The text of a value in an id: what ids are built with, and control
--- characters, as %XX.
---@param value string
---@return string
function ids.escape(value)
  return (value:gsub('[%z\1-\31\127%%,={}"]', function(c)
    return ("%%%02X"):format(c:byte())
  end))
end

--- A bench and the texts of its parameters. The text of a value has no braces,
--- commas or '=' (see ids.escape).
---@param id string "vec/fill{n=100,impl=a}"
---@return string bench "vec/fill"
---@return string[] texts { "n=100", "impl=a" }
function ids.split(id)
  local bench, inside = id:match("^(.*){([^{}]*)}$")
  local texts = {}
  for text in (inside or ""):gmatch("[^,]+") do texts[#texts + 1] = text end
  return bench or id, texts
end

--- The name of a parameter.
---@param text string "n=100"
---@return string name "n"
function ids.name(text) return text:match("^[^=]*") end

local function joined(bench, texts)
  if #texts == 0 then return bench end
  return ("%s{%s}"):format(bench, table.concat(texts, ","))
end

--- An id with one more parameter.
---@param id string "calls/method{n=1}"
---@param name string "lua"
---@param value string "luajit"
---@return string "calls/method{n=1,lua=luajit}"
function ids.with(id, name, value)
  local bench, texts = ids.split(id)
  texts[#texts + 1] = ("%s=%s"):format(name, ids.escape(value))
  return joined(bench, texts)
end

--- An id without one of its parameters: what cells that differ in it share.
---@param id string "calls/method{n=1,lua=luajit}"
---@param name string "lua"
---@return string "calls/method{n=1}"
function ids.without(id, name)
  local bench, texts = ids.split(id)
  local kept = lists.those(texts, function(text)
    return ids.name(text) ~= name
  end)
  return #kept == #texts and id or joined(bench, kept)
end

return ids
