local core = require "tare.core"

local generational = _VERSION >= "Lua 5.4"

-- Runs 'f' in the mode and puts the mode back; on 5.4 alone.
local function in_mode(mode, f)
  local before = collectgarbage(mode)
  local ok, message = pcall(f)
  if before ~= mode then collectgarbage(before) end
  if not ok then error(message, 0) end
end

local function churn(n)
  local kept
  for i = 1, n do kept = { i } end
  return kept
end

describe("the watch on collections", function()
  local watch
  before_each(function()
    collectgarbage()
    watch = core.gcwatch()
  end)
  after_each(function() watch:disarm() end)

  local function since(f)
    local minor, major = watch:counts()
    f()
    local minor_after, major_after = watch:counts()
    return minor_after - minor, major_after - major
  end

  it("counts nothing before it is armed", function()
    collectgarbage()
    assert.same({ 0, 0 }, { watch:counts() })
  end)

  it("counts every full collection as a major one", function()
    watch:arm()
    for n = 0, 20 do
      assert.same({ 0, n }, { watch:counts() })
      collectgarbage()
    end
  end)

  it("counts nothing once disarmed, and goes on when armed again", function()
    watch:arm()
    collectgarbage()
    watch:disarm()
    for _ = 1, 3 do collectgarbage() end
    assert.same({ 0, 1 }, { watch:counts() })
    watch:arm()
    assert.same({ 0, 1 }, { watch:counts() })
    collectgarbage()
    assert.same({ 0, 2 }, { watch:counts() })
  end)

  it("is not disturbed by another that is collected while armed", function()
    core.gcwatch():arm()
    watch:arm()
    for _ = 1, 3 do collectgarbage() end
    assert.same({ 0, 3 }, { watch:counts() })
  end)

  it("sees the cycles that allocation causes", function()
    watch:arm()
    local minor, major = since(function() churn(1e6) end)
    assert.is_true(minor + major > 3)
  end)

  it("counts once what it was armed for twice", function()
    watch:arm()
    watch:arm()
    collectgarbage()
    assert.same({ 0, 1 }, { watch:counts() })
  end)

  it("survives a finalizer of the host that raises", function()
    if newproxy then return end -- 5.1 lets such errors through to the host
    watch:arm()
    setmetatable({}, { __gc = function() error("host") end })
    pcall(collectgarbage)
    collectgarbage()
    assert.same({ 0, 2 }, { watch:counts() })
  end)

  for _, order in ipairs { "none", "turns" } do
    for _, mode in ipairs(generational and { "incremental", "generational" }
      or { "" }) do
      it("counts every collection of batches that make finalizers, " .. mode
        .. (order == "turns" and " with paced ones between" or ""), function()
        local pipe = assert(io.popen(table.concat({
          os.getenv "TARE_LUA" or "lua5.4", "spec/support/pacer_alone.lua",
          "finalizers 10 20000", order, mode }, " ")))
        local counted, there = pipe:read("*n", "*n")
        pipe:close()
        assert.is_true(there > 0)
        assert.equal(there, counted)
      end)
    end
  end

  it("counts again after a finalizer found no room on the stack", function()
    local function deep(n) return 1 + deep(n + 1) end
    watch:arm()
    for _ = 1, 2 do
      xpcall(deep, function() collectgarbage() end, 1)
    end
    watch:disarm()
    watch:arm()
    assert.same({ 0, 2 }, { since(function()
      collectgarbage()
      collectgarbage()
    end) })
  end)

  if not generational then return end

  it("counts a step of generational mode as a minor collection", function()
    in_mode("generational", function()
      watch:arm()
      local minor, major = since(function()
        for _ = 1, 10 do collectgarbage("step", 0) end
      end)
      assert.same({ 10, 0 }, { minor, major })
    end)
  end)

  it("tells minor from major in any order of them", function()
    in_mode("generational", function()
      watch:arm()
      local order, minor, major = "mMMmmMMMmMmmmM", 0, 0
      for kind in order:gmatch "." do
        if kind == "M" then collectgarbage() else collectgarbage("step", 0) end
        if kind == "M" then major = major + 1 else minor = minor + 1 end
        assert.same({ minor, major }, { watch:counts() })
      end
    end)
  end)

  it("counts only major cycles in incremental mode", function()
    in_mode("incremental", function()
      watch:arm()
      local minor, major = since(function() churn(1e6) end)
      assert.equal(0, minor)
      assert.is_true(major > 3)
    end)
  end)

  it("sees no minor collections where cycles end between armed times",
    function()
      core.gc_apply { mode = "incremental" }
      in_mode("incremental", function()
        local rounds = 0
        local minor, major
        repeat -- more of them beside a large heap, where cycles are rare
          rounds = rounds + 1
          watch:arm()
          churn(rounds % 7 * 100 + 1)
          watch:disarm()
          churn(rounds % 11 * 300)
          minor, major = watch:counts()
        until rounds >= 200 and major > 2 or rounds == 20000
        assert.equal(0, minor)
        assert.is_true(major > 2)
      end)
    end)

  it("follows a change of mode", function()
    in_mode("generational", function()
      watch:arm()
      collectgarbage("incremental")
      collectgarbage("generational")
      local minor, major = since(function()
        collectgarbage("step", 0)
        collectgarbage()
        collectgarbage("step", 0)
      end)
      assert.same({ 2, 1 }, { minor, major })
    end)
  end)
end)
