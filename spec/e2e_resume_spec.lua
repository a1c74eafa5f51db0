local command = require "spec.support.command"
local kept = require "spec.support.kept"
local stored = require "spec.support.stored"
local cjson = require "cjson"
local json = require "tare.base.json"
local place = require "tare.store.place"
local store = require "tare.store"

-- Eight cells in four groups; each call leaves its bench's name in a file.
local SUITE = [[
local suite = require "tare".suite "s"
for _, name in ipairs { "a", "b" } do
  suite:bench(name, { params = { impl = { "x", "y" }, n = { 1, 2 } },
    setup = function() local f = io.open(os.getenv "LOG" or "/dev/null", "a")
      f:write(name, "\n") f:close() end,
    run = function() return {} end })
end
return suite]]

local suite
local keep = kept.keep

local function run(...)
  return command.tare("run", suite, "--quota", "10ms", ...)
end

local function report(path) return cjson.decode(command.read(path)) end

local function ids(results)
  local list = {}
  for i, result in ipairs(results) do list[i] = result.id end
  return list
end

local function sorted(list)
  table.sort(list)
  return list
end

local function listed() -- what 'tare list' says
  local _, stdout = command.tare("list", suite)
  return stored.lines(stdout)
end

before_each(function()
  suite = keep(command.file(SUITE, "_bench.lua"))
end)
after_each(kept.remove)

describe("--shard", function()
  it("parts the cells, and merge puts them together again", function()
    local parts = {}
    for i = 1, 3 do
      parts[i] = keep(command.path ".json")
      local code, _, stderr = run("--shard", i .. "/3", "--save", parts[i])
      assert.equal(0, code, stderr)
    end
    local out = keep(command.path ".json")
    local code, _, stderr = command.tare("merge", parts[1], parts[2], parts[3],
      "-o", out)
    assert.equal(0, code, stderr)
    assert.same(sorted(listed()), sorted(ids(report(out).results)))
  end)

  it("keeps what is compared in one part", function()
    local part = keep(command.path ".json")
    run("--shard", "1/4", "--save", part)
    local groups = {}
    for _, result in ipairs(report(part).results) do
      groups[result.compared] = (groups[result.compared] or 0) + 1
    end
    for _, count in pairs(groups) do assert.equal(2, count) end
  end)

  it("may be empty, where there are more parts than groups", function()
    local part = keep(command.path ".json")
    local code, stdout = run("--shard", "9/9", "--save", part)
    assert.equal(0, code)
    assert.truthy(stdout:find("no benches", 1, true), stdout)
    assert.same({}, report(part).results)
  end)

  it("is refused where it is none", function()
    local code, _, stderr = run("--shard", "5/4")
    assert.equal(1, code)
    assert.equal("tare: --shard: '5/4' is not a shard (like 1/4)\n", stderr)
  end)
end)

describe("of two files", function()
  local light, heavy
  before_each(function()
    light = keep(command.file([[
      return require "tare".suite "a":bench("light", function() end)]],
      "_bench.lua"))
    heavy = keep(command.file([[
      return require "tare".suite "b"
        :bench("heavy", function() return {} end)]], "_bench.lua"))
  end)

  local function allocations(path)
    local found = {}
    for _, result in ipairs(report(path).results) do
      found[result.id] = result.allocs.value
    end
    return found
  end

  it("a shard measures the bench that it names", function()
    local found = {}
    for i = 1, 2 do
      local path = keep(command.path ".json")
      local code, _, stderr = command.tare("run", light, heavy, "--quota",
        "10ms", "--shard", i .. "/2", "--save", path)
      assert.equal(0, code, stderr)
      for id, count in pairs(allocations(path)) do found[id] = count end
    end
    assert.same({ ["a/light"] = 0, ["b/heavy"] = 1 }, found)
  end)

  it("a resumed run measures the bench that is left", function()
    local path = keep(command.path ".json")
    local code, _, stderr = command.tare("run", light, "--quota", "10ms",
      "--save", path)
    assert.equal(0, code, stderr)
    code, _, stderr = command.tare("run", light, heavy, "--quota", "10ms",
      "--resume", path)
    assert.equal(0, code, stderr)
    assert.same({ ["a/light"] = 0, ["b/heavy"] = 1 }, allocations(path))
  end)

  it("a resumed run keeps the comparisons of the file that it leaves out",
    function()
      local pair = keep(command.file([[
        local suite = require "tare".suite "c"
        suite:bench("one", { run = function() end, baseline = true })
        suite:bench("other", function() end)
        return suite]], "_bench.lua"))
      local path = keep(command.path ".json")
      local code, _, stderr = command.tare("run", pair, light, "--quota",
        "100ms", "--save", path)
      assert.equal(0, code, stderr)
      assert.equal(1, #report(path).comparisons)
      code, _, stderr = command.tare("run", light, "--quota", "100ms",
        "--resume", path)
      assert.equal(0, code, stderr)
      assert.equal(3, #report(path).results)
      assert.equal(1, #report(path).comparisons)
    end)
end)

describe("--resume", function()
  it("begins where there is no file, and stores there", function()
    local path = keep(command.path ".json")
    local code = run("--resume", path)
    assert.equal(0, code)
    assert.same(listed(), ids(report(path).results))
  end)

  it("measures only what is missing, in the order of the file", function()
    local path, log = keep(command.path ".json"), keep(command.path ".log")
    run("--save", path, "--filter", "s/b*")
    local first = report(path).results
    local code, _, stderr = command.shell("LOG=" .. log .. " "
      .. (os.getenv("TARE_LUA") or "lua5.4") .. " lua/tare/cli/bin.lua run "
      .. suite .. " --quota 10ms --resume " .. path)
    assert.equal(0, code, stderr)
    assert.equal(("a\n"):rep(4), command.read(log))
    local resumed = report(path).results
    assert.same(listed(), ids(resumed))
    for i = 1, 4 do assert.same(first[i], resumed[4 + i]) end
    assert.equal(2, resumed[1].sitting)
  end)

  it("measures nothing twice", function()
    local path = keep(command.path ".json")
    run("--save", path)
    local before = report(path).results
    local code, stdout = run("--resume", path)
    assert.equal(0, code)
    assert.truthy(stdout:find("b{n=2,impl=y}", 1, true), stdout)
    assert.same(before, report(path).results)
  end)

  it("on another machine keeps the first one's description beside its own, "
    .. "once", function()
    local path = keep(command.path ".json")
    run("--save", path, "--filter", "s/a{n=1*")
    local elsewhere = assert(store.read(path))
    elsewhere.env.cpu = "another processor"
    assert(place.write(path, json.encode(elsewhere)))
    for _, filter in ipairs { "s/a*", "s/*" } do
      local code, _, stderr = run("--resume", path, "--filter", filter)
      assert.equal(0, code, stderr)
    end
    local resumed = report(path)
    assert.equal(2, #resumed.envs)
    assert.equal("another processor", resumed.envs[1].cpu)
    assert.equal("another processor", resumed.env.cpu)
    assert.not_equal("another processor", resumed.envs[2].cpu)
    assert.same(elsewhere.env.clock, resumed.envs[1].clock)
    for _, result in ipairs(resumed.results) do
      local was_there = result.id:find("s/a{n=1", 1, true)
      assert.equal(was_there and 1 or 2, result.env_index or 1, result.id)
    end
  end)

  it("takes in the journal that a killed run of 0.1 has left, and removes it",
    function()
      local path = keep(command.path ".json")
      local journal = keep(path .. ".journal")
      run("--save", path)
      local whole = assert(store.read(path))
      local text = json.encode(table.remove(whole.results))
      whole.unfinished = "x"
      assert(place.write(path, json.encode(whole)))
      assert(place.write(journal, '{"journal":"x"}\n' .. text .. "\n{"))
      local out = keep(command.path ".json")
      assert.equal(0, (command.tare("merge", path, "-o", out)))
      assert.equal(8, #report(out).results)
      local code, _, stderr = run("--resume", path)
      assert.equal(0, code, stderr)
      local resumed = report(path)
      assert.same(listed(), ids(resumed.results))
      assert.same(cjson.decode(text), resumed.results[8])
      assert.is_nil(resumed.unfinished)
      assert.is_nil(io.open(journal))
    end)

  it("refuses another source, and other options", function()
    local path = keep(command.path ".json")
    run("--save", path, "--filter", "s/b*")
    local text = command.read(path)
    local code, _, stderr = run("--resume", path, "--gc", "collect")
    assert.equal(1, code)
    assert.truthy(stderr:find("option 'gc' differs", 1, true), stderr)
    assert.truthy(stderr:find("give the option as it was, or another file", 1,
      true), stderr)
    local file = io.open(suite, "a")
    file:write("\n-- changed\n")
    file:close()
    code, _, stderr = run("--resume", path)
    assert.equal(1, code)
    assert.truthy(stderr:find("has changed since", 1, true), stderr)
    assert.equal(text, command.read(path))
  end)

  for name, text in pairs(stored.BROKEN) do
    it("refuses a file that is " .. name .. " and leaves it", function()
      local path = keep(command.file(text, ".json"))
      local code, _, stderr = run("--resume", path)
      assert.equal(1, code)
      assert.equal(1, #stored.lines(stderr), stderr)
      assert.equal(text, command.read(path))
    end)
  end
end)
