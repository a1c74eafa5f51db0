-- What ids are made of: "vec/fill{n=100,impl=a}". Pure.
local ids = {}

--- A bench and the texts of its parameters. The text of a value has no braces,
--- commas or '=' (see tare.sweep.axes).
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

return ids
