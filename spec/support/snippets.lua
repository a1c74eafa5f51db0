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
  for whole in (block.text:gsub("\\\n%s*", "")):gmatch("[^\n]+") do
    local line = whole:gsub("^#.*", ""):gsub("%s+#.*", ""):gsub("^%s+", "")
    if line ~= "" then list[#list + 1] = line end
  end
  return list
end

-- What a comparison found: another machine may find another thing.
local VERDICTS = {
  "%d[%d.]* times as %a+ %([^)]*%)", "%d[%d.]* times as %a+",
  "unclear %([^)]*%)", "%f[%a]unclear%f[%A]", "same %(within [%d.]+%%%)",
  "too noisy at %S+ %S+; needs about %S+ %a+", "too noisy at %S+ %S+",
  "%l+; too noisy to say by how much",
  "too few collections; needs about %S+ %a+", "too few batches",
  "too noisy %(shared core%)", "%f[%a]baseline%f[%A]" }

-- Times keep no unit, since another machine may need the next one; nor does
-- the sign of an interval count against its two ends, nor "-" or a mark against
-- a number.
local SAME = {
  { "%s%[%d+%]%f[%s]", "" },
  { "%s[%*!?]%f[%s]", "" }, { "(%d %a+)[%*?]", "%1" },
  { "%-?[%d.]+%-%-?[%d.]+ [%a/%%]+", "" }, { "\194\177[%d.]+%%", "" },
  { "%-?[%d.]+ to %-?[%d.]+ [%a/%%]+", "#CI" },
  { "%-?[%d.]+ to %-?[%d.]+", "# to #" },
  { "%-?%d[%d.,]*", "#" }, { "# [nmu]?s%f[%A]", "#s" },
  { "# \194\181s%f[%A]", "#s" }, { "#s or #s", "#s" },
  { "# [KM]?i?B%f[%A]", "#B" },
  { "# [kMG]%f[%A]", "#" }, { "#%%", "#" }, { "%f[%S]%-%f[%s]", "#" },
}

-- Parts of the legend that are there where a sign or a verdict is, which noise
-- decides.
local BY_NOISE = { "^!: ", "^%-: ", "^unclear: ", "^same: ", "^ratios: ",
  "^\194\177", "^ranges in brackets: " }

-- Paragraphs about the machine, its noise and who won, up to the next blank
-- line.
local PARAGRAPHS = { "^tare %d", "^Lua%a* [%d.]+",
  "^Not compared", "^busy machine", "^machine: ", "^! ",
  "^note:", "^%[%d+%] ", "^processes differ: ", "^Next, ", "^not shown at",
  "^interrupted",
  "is the quickest",
  "unclear though" }

-- Drawings, the machine, that nobody won, what to trust, and the count at the
-- end.
local LEFT_OUT = { "\226[\148-\151]", "\194\183", "too close to call",
  "[Nn]o clear winner", "^No winner", "ratio and times", "trust it%.$",
  "^%s*[%w_]+%.$", "^# ok", "^#[%s#]*$" }

local function line_shape(line)
  line = line:gsub("compared with .-%s%s", "compared  ")
    :gsub("compared with .+$", "compared")
  for _, verdict in ipairs(VERDICTS) do line = line:gsub(verdict, "#v") end
  line = line .. " "
  for _, rule in ipairs(SAME) do line = line:gsub(rule[1], rule[2]) end
  line = line:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
  return (line:gsub("%f[%S]# [# ]*#%f[%s]", "#"))
end

local function is_any(line, patterns)
  for _, pattern in ipairs(patterns) do
    if line:find(pattern) then return true end
  end
  return line == ""
end

-- The legend in one line, without what is there by noise.
local function legend_of(lines)
  local kept = {}
  for part in (table.concat(lines, " ") .. "; "):gmatch "(.-); " do
    if not is_any(part, BY_NOISE) then
      kept[#kept + 1] = part:gsub(", %?: .*", "")
    end
  end
  return table.concat(kept, "; ")
end

--- What must agree of two runs' outputs: headings, columns, names and units, in
--- their order; numbers as '#', verdicts as '#v'.
---@param text string
---@return string
function snippets.shape(text)
  local kept, skips, legend = {}, false, nil
  for line in (text .. "\n\n"):gmatch("([^\n]*)\n") do
    if line:find "^per call: " then legend = {} end
    if legend and (line == "" or is_any(line, PARAGRAPHS)) then
      kept[#kept + 1], legend = legend_of(legend), nil
    end
    -- The distribution goes first: its bars look like a drawing's.
    local plain = line:gsub("%s\226\150.*$", "")
    if line == "" then skips = false end
    skips = skips or line ~= "" and is_any(line, PARAGRAPHS)
    local shape = line_shape(plain)
    if legend then
      legend[#legend + 1] = line
    elseif not skips and not is_any(plain, LEFT_OUT)
      and not is_any(shape, LEFT_OUT) then kept[#kept + 1] = shape end
  end
  return table.concat(kept, "\n")
end

--- The interpreter whose output a block shows; nil where it does not say.
---@param text string
---@return string? "Lua" or "LuaJIT"
function snippets.interpreter(text)
  return text:match("^(Lua%a*) [%d.]+")
    or text:match("\n  (Lua%a*) [%d.]+")
end

return snippets
