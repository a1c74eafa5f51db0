local command = require "spec.support.command"
local faults_of = require "spec.support.doc_faults"
local meta = require "spec.support.meta"
local options = require "tare.base.options"
local public = require "spec.support.public"

local documented = {}
local classes = {}
for _, file in ipairs(meta.files()) do
  for _, entry in ipairs(file.functions) do
    documented[entry.class .. entry.sign .. entry.own] = entry
  end
  for _, class in ipairs(file.classes) do classes[class.class] = class end
end

local function count(set)
  local n = 0
  for _ in pairs(set) do n = n + 1 end
  return n
end

local function sorted(set)
  local names = {}
  for name in pairs(set) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function missing(names, from)
  local list = {}
  for _, name in ipairs(sorted(names)) do
    if not from[name] then list[#list + 1] = name end
  end
  return list
end

-- Names of a function's arguments, where this Lua tells them: nil else. The
-- receiver of a method is left out.
local function arguments_of(fn, is_method)
  if debug.getinfo(fn, "S").what == "C" then return nil end
  local ok, first = pcall(debug.getlocal, fn, 1)
  if not ok then return nil end -- 5.1
  local names, i = {}, is_method and 2 or 1
  while first and debug.getlocal(fn, i) do
    names[#names + 1] = debug.getlocal(fn, i)
    i = i + 1
  end
  return names
end

local function fields_of(class)
  local set = {}
  for _, field in ipairs(classes[class].fields) do set[field.name] = true end
  return set
end

describe("the public API", function()
  local there = public.functions()

  it("is documented in lua/tare/meta, all of it and nothing else", function()
    assert.same({}, missing(there, documented), "describe it there")
    assert.same({}, missing(documented, there), "there is no such function")
    assert.equal(count(there), count(documented))
  end)

  it("is described with types, units and errors", function()
    for name, entry in pairs(documented) do
      assert.same({}, faults_of(entry), name)
    end
  end)

  it("has the arguments that are documented", function()
    for name, fn in pairs(there) do
      local entry = documented[name]
      local names = arguments_of(fn, entry.sign == ":")
      if names and not name:find "^luassert" then
        local own = {}
        for _, argument in ipairs(entry.arguments) do
          if argument ~= "..." then own[#own + 1] = argument end
        end
        assert.same(names, own, name)
      end
    end
  end)

  it("has its mathematics in docs/statistics.md, each function", function()
    local page = command.read("docs/statistics.md")
    for name in pairs(require("tare.core").stats) do
      assert.truthy(page:find("`" .. name .. "%f[%W]"), name)
    end
  end)

  it("has the options that are documented", function()
    local known = { launches = true } -- not of a call from Lua
    for _, definition in ipairs(options) do known[definition.name] = true end
    local listed = fields_of "tare.Options"
    listed.launches = true
    assert.same(sorted(known), sorted(listed))
  end)

  it("has results whose every field is documented", function()
    local tare = require "tare"
    local function work() return { 1, 2 } end
    local result = tare.measure(work, { quota = "20ms", profile = true,
      net_of_loop = true })
    assert.same({}, missing(result, fields_of "tare.Result"))
    local report = tare.compare({ a = work, b = work }, { quota = "200ms" })
    assert.same({}, missing(report.comparisons[1],
      fields_of "tare.Comparison"))
    for _, one in ipairs(report.results) do
      assert.same({}, missing(one, fields_of "tare.Result"))
    end
  end)

  it("takes every field of a documented bench", function()
    local tare = require "tare"
    for name in pairs(fields_of "tare.Spec") do
      local ok, message = pcall(tare.suite("s").bench, tare.suite "s", "b",
        { run = print, [name] = name == "run" and print or nil })
      assert.is_true(ok, message)
      ok, message = pcall(tare.suite("s").bench, tare.suite "s", "b",
        { run = print, [name] = io.stdout })
      assert.falsy(not ok and tostring(message):find("no such field", 1, true),
        message)
    end
  end)

  it("is in the reference, with the C header, each function once", function()
    local folder = os.tmpname()
    os.remove(folder)
    os.execute("mkdir " .. folder)
    local lua = os.getenv "TARE_LUA" or "lua5.4"
    os.execute(("LUA_PATH='./?.lua;;' %s spec/support/reference.lua %s")
      :format(lua, folder))
    local found = 0
    local files = { "header" }
    for i, file in ipairs(meta.files()) do files[i + 1] = file.name end
    for _, file in ipairs(files) do
      for line in io.lines(("%s/%s.lua"):format(folder, file)) do
        if line:find "^%-%- @function " then found = found + 1 end
      end
    end
    os.execute("rm -rf " .. folder)
    assert.equal(count(there) + #meta.header(), found)
  end)
end)

describe("what documentation lacks", function()
  local function faults(more)
    local entry = { description = "Does something useful.", raises = "Raises",
      arguments = { "x" }, params = { { name = "x", type = "number",
        text = "nanoseconds" } }, returns = {} }
    for key, value in pairs(more) do entry[key] = value end
    return faults_of(entry)
  end

  it("is nothing where all is told", function()
    assert.same({}, faults {})
  end)

  it("is a description", function()
    assert.same({ "no description" }, faults { description = "" })
  end)

  it("is an argument, or one too many", function()
    assert.same({ "argument y: not described" },
      faults { arguments = { "x", "y" } })
    assert.same({ "describes arguments that it does not have" },
      faults { arguments = {} })
  end)

  it("is a unit", function()
    assert.same({ "argument x: no unit" }, faults { params = {
      { name = "x", type = "number?", text = "how long" } } })
    assert.same({ "result 1: no unit" }, faults { returns = {
      { type = "integer", text = "" } } })
    assert.same({}, faults { returns = { { type = "fun(n: integer)",
      text = "" } } })
  end)

  it("is what it raises", function()
    local entry = { description = "Does something useful.", arguments = {},
      params = {}, returns = {} }
    assert.same({ "no errors ('Raises ...')" }, faults_of(entry))
  end)
end)
