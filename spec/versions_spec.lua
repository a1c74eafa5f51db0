-- Holds docs/versions.md against the Lua that runs the specs.
local command = require "spec.support.command"
local core = require "tare.core"

local LUA = rawget(_G, "jit") and "LuaJIT" or _VERSION:match "%d+%.%d+"

-- The page's table: what this Lua has, by the first words of the row.
local function column_of_this_lua()
  local at, has
  for line in io.lines "docs/versions.md" do
    local cells = {}
    for cell in line:gmatch "|%s*([^|]-)%s*%f[|]" do
      cells[#cells + 1] = cell
    end
    if not at then
      for i, cell in ipairs(cells) do
        if cell == LUA then at, has = i, {} end
      end
    elseif cells[at] then
      has[cells[1]:match "^[^,`(]*`?[%w%- ]*":gsub("[`%s]+$", "")] = cells[at]
    end
  end
  return has
end

describe("docs/versions.md", function()
  local has = column_of_this_lua()
  local function says(row) return has[row] and has[row]:sub(1, 1) ~= "-" end

  it("knows whether there is a generational collector", function()
    local before = core.gc_state()
    local applied = core.gc_apply { mode = "generational" }
    core.gc_restore(before)
    assert.equal(says "`--gc-mode generational", applied == true)
    assert.equal(says "`--gc-step-size", before.step_size ~= nil)
  end)

  it("knows whether allocations have types", function()
    local by_type = core.census(function() return {} end, 1).by_type
    assert.equal(says "... by type", by_type.table ~= nil)
  end)

  it("knows whether instructions are counted", function()
    local jit = rawget(_G, "jit")
    local counted = core.instructions(function() end, 1) ~= nil
    assert.equal(has["instructions of the virtual machine"] == "yes"
      or not (jit and jit.status()), counted)
  end)

  it("knows whether a stopped collector is known", function()
    core.gc_run(false)
    local running = core.gc_state().running
    core.gc_run(true)
    assert.equal(says "whether the collector is stopped is known", not running)
  end)
end)

describe("docs/architecture.md", function()
  -- Compares the files below a folder in which a line matches with those that
  -- the page names.
  local function assert_named(section, folder, ending, patterns, word)
    if command.lacks_shell then return pending "needs a shell" end
    local asking, named = {}, {}
    for path in io.popen(("find %s -name '*%s'"):format(folder, ending)):lines()
    do
      for line in io.lines(path) do
        for _, pattern in ipairs(patterns) do
          if line:lower():find(pattern) then
            asking[path:sub(#folder + 2)] = true
          end
        end
      end
    end
    local points = command.read("docs/architecture.md")
      :match("### " .. section .. "\n(.-)\n\n")
    for point in (points .. "\n- "):gmatch "(.-)\n%- " do
      if point:find("grep " .. word, 1, true) then
        for path in point:gmatch "`(.-)`" do
          if path:sub(-#ending) == ending then named[path] = true end
        end
      end
    end
    assert.is_not_nil(next(asking))
    assert.same(asking, named)
  end

  it("names no file, and nothing in one, that is not there", function()
    if command.lacks_shell then return pending "needs a shell" end
    local contents, code = {}, {}
    for path in io.popen("find lua csrc spec .ci docs packages examples "
      .. "Makefile README.md CHANGELOG.md -type f"):lines() do
      contents[path] = command.read(path)
      if not path:find "%.md$" then code[#code + 1] = contents[path] end
    end
    code = table.concat(code, "\n")
    -- A path is in full, or from lua/tare on, or of a file beside such a one.
    local function find(path)
      local found = contents[path] or contents["lua/tare/" .. path]
      for full, text in pairs(found and {} or contents) do
        if full:sub(-#path - 1) == "/" .. path then found = text end
      end
      return found
    end
    local page = command.read("docs/architecture.md"):gsub("\n%s*", " ")
    local wrong, count = {}, 0
    local function note(text, name, file)
      count = count + 1
      local last = name:match "[%w_]+$"
      if not (text and last and text:find(last, 1, true)) then
        wrong[#wrong + 1] = file and name .. " in " .. file or name
      end
    end
    local ENDINGS = { lua = true, c = true, h = true, md = true, sh = true }
    for name in page:gmatch "`([%w_/.:]*[%w_])`" do
      if ENDINGS[name:match "%.(%l+)$"] and not name:find "_X" then
        note(find(name) and name, name)
      else
        note(code, name)
      end
    end
    for _, pattern in ipairs { "`([%w_.:]+)` in `([%w_/]+%.%l+)`",
      "`([%w_.:]+)` %(`([%w_/]+%.%l+)`%)" } do
      for name, file in page:gmatch(pattern) do note(find(file), name, file) end
    end
    assert.same({}, wrong)
    assert.is_true(count > 300)
  end)

  it("names all files in Lua that ask which Lua it is", function()
    assert_named("A Lua version", "lua/tare", ".lua",
      { "_version%s*[=~<>]=%s*\"", "_version%s*[<>]%s*\"" }, "_VERSION")
  end)

  it("is right that no other file in Lua asks for LuaJIT's library", function()
    if command.lacks_shell then return pending "needs a shell" end
    local found = io.popen [[grep -rl '_G, "jit"\|_G.jit' lua/tare | sort]]
    assert.equal("lua/tare/base/compat.lua\nlua/tare/lite.lua\n",
      found:read "*a")
  end)

  it("names all files in C that ask for it", function()
    for _, folder in ipairs { "bind", "embed", "platform", "pure" } do
      local found = io.popen("grep -rl LUA_VERSION_NUM csrc/" .. folder)
      assert.equal("", found:read "*a")
    end
    assert_named("A Lua version", "csrc/state", ".c", { "lua_version_num" },
      "LUA_VERSION_NUM")
  end)

  it("names all files in C that ask for a mode of the collector", function()
    assert_named("A mode of Lua's own collector [^\n]*", "csrc/state", ".c",
      { "[.>_]generational", "gc_incremental" }, "-iE 'generational")
  end)
end)
