local command = require "spec.support.command"
local tare = require "tare"

describe("a bench in mode 'paced'", function()
  local kept = {}
  local function measured(gc)
    return tare.measure(function() kept[1] = { {} } end,
      { quota = "400ms", gc = gc, resamples = 200 })
  end

  it("has most of its calls in paced rounds, and both parts", function()
    local result = measured "paced"
    assert.is_nil(result.error)
    assert.is_table(kept[1])
    local paced = result.passes.paced.samples
    local calls, timed = 0, 0
    for _, n in ipairs(paced.iters) do calls = calls + n end
    for _, n in ipairs(result.samples.iters) do timed = timed + n end
    assert.is_true(calls > timed)
    assert.is_table(result.net)
    assert.is_table(result.collector)
  end)

  it("has one such batch at least, however little time there is", function()
    local result = tare.measure(function() kept[1] = { {} } end,
      { quota = "1us", gc = "paced", resamples = 200 })
    assert.equal(1, #result.passes.paced.samples.iters)
  end)

  -- In a process of its own: how many collections a call has depends on the
  -- heap.
  it("is also paced inside its calls, where these have collections", function()
    local path = command.file([[
      local tare = require "tare"
      local kept = {}
      local result = tare.measure(function()
        for _ = 1, 4e3 do kept[1] = { {} } end
      end, { quota = "1s", resamples = 200 })
      local paced = result.passes.paced.samples
      local inside = 0
      for _, ns in ipairs(paced.mutator_ns) do
        if ns ~= ns then inside = inside + 1 end
      end
      print(inside, #paced.iters,
        result.collector_share.value, result.time.value,
        result.net.value + result.collector.value)
    ]], ".lua")
    local code, out, err = command.shell((os.getenv "TARE_LUA" or "lua5.4")
      .. " " .. path)
    os.remove(path)
    assert.equal(0, code, err)
    local inside, rows, share, time, parts = out:match(
      "^(%S+)%s+(%S+)%s+(%S+)%s+(%S+)%s+(%S+)")
    rows = tonumber(rows)
    assert.is_true(rows >= 4)
    assert.equal(rawget(_G, "jit") and 0 or math.ceil(rows / 2),
      tonumber(inside))
    assert.is_true(tonumber(share) > 0 and tonumber(share) < 1)
    assert.near_relative(tonumber(time), tonumber(parts), 1e-9)
  end)

  it("has none with the collector stopped", function()
    assert.is_nil(measured("stopped").passes.paced)
  end)
end)
