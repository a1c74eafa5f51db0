-- What the pages of the manual show, fence by fence, and how it is run.
-- A comment before a fence says what is not obvious:
--   <!-- not run: REASON -->  what this machine can't do, or should not
--   <!-- continues -->        Lua that goes on from the block before it
-- Lua that begins with "-- NAME.lua" is a file of that name. A fence "text"
-- is what the block before it prints.
local snippets = {}

--- The fences of a page.
---@param page string Markdown
---@return { lang: string, text: string, line: integer, skip: string?,
---  continues: boolean }[]
function snippets.of(page)
  local list, open, mark, number = {}, nil, nil, 0
  for line in (page .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    local lang = line:match("^```(%w*)")
    if lang and open then
      list[#list + 1], open, mark = open, nil, nil
    elseif lang then
      open = { lang = lang, text = "", line = number,
        skip = mark and mark:match("^not run: (.+)"),
        continues = mark == "continues" }
    elseif open then
      open.text = open.text .. line .. "\n"
    elseif line ~= "" then
      mark = line:match("^<!%-%- (.+) %-%->$")
    end
  end
  return list
end

--- The name of the file that a block of Lua is, if it says so.
---@return string?
function snippets.file_name(block)
  return block.text:match("^%-%- ([%w_/]+%.lua)")
end

--- The commands of a block: comments off, continued lines as one.
---@return string[]
function snippets.commands(block)
  local list = {}
  for line in (block.text:gsub("\\\n%s*", "")):gmatch("[^\n]+") do
    line = line:gsub("^#.*", ""):gsub("%s+#.*", ""):gsub("^%s+", "")
    if line ~= "" then list[#list + 1] = line end
  end
  return list
end

-- Times keep no unit, since another machine may need the next one; nor does
-- the sign of an interval stand against its two ends, nor "-" against a number.
local SAME = {
  { "%-?[%d.]+%.%.%-?[%d.]+", "#CI" },
  { "%-?[%d.]+ to %-?[%d.]+ [%a/%%]+", "#CI" }, { "\194\177[%d.]+%%", "#CI" },
  { "%-?[%d.]+ to %-?[%d.]+", "# to #" },
  { "%-?%d[%d.,]*", "#" }, { "# [nmu]?s%f[%A]", "#s" },
  { "# \194\181s%f[%A]", "#s" }, { "# [KM]?i?B%f[%A]", "#B" },
  { "# [kMG]%f[%A]", "#" }, { "%f[%S]%-%f[%s]", "#" },
  { "%f[%S]# to #%f[%s]", "#" }, { "can.t tell", "#" },
  { "R# with gc", "" }, -- stands where the collections explain something
}

-- Drawings, advice about this machine's noise, and the machine itself.
local LEFT_OUT = { "\226[\148-\151]", "^warning:", "^note:", "^tare %d",
  "^ *#[%sx#]*$" }

local function line_shape(line)
  line = line:gsub("\226\150[\128-\143][\226\150\128-\143 ]*$", "")
  for _, rule in ipairs(SAME) do line = line:gsub(rule[1], rule[2]) end
  line = line:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
  return (line:gsub("%f[%S]# [# ]*#%f[%s]", "#"))
end

local function is_left_out(line, shape)
  for _, pattern in ipairs(LEFT_OUT) do
    if line:find(pattern) or shape:find(pattern) then return true end
  end
  return shape == ""
end

--- What must agree of two runs' outputs: headings, columns, names, units and
--- verdicts, in their order; numbers as '#'.
---@param text string
---@return string
function snippets.shape(text)
  local kept = {}
  for line in text:gmatch("[^\n]+") do
    -- The distribution goes first: its bars look like a drawing's.
    local plain = line:gsub("%s\226\150.*$", "")
    local shape = line_shape(plain)
    if not is_left_out(plain, shape) then kept[#kept + 1] = shape end
  end
  return table.concat(kept, "\n")
end

--- The interpreter whose output a block shows; nil where it does not say.
---@param text string
---@return string? "Lua" or "LuaJIT"
function snippets.interpreter(text)
  return text:match("^tare [%d.]+ | (%a+) ")
end

return snippets
