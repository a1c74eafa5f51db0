-- What the first tare with --save wrote: files of tare/1 stay readable.
local command = require "spec.support.command"
local compare = require "tare.judge.compare"
local formats = require "spec.support.formats"
local gate = require "tare.judge.gate"
local shards = require "tare.store.shards"
local report = require "tare.report"
local store = require "tare.store"

local PATH = "spec/data/tare1_first.json"

describe("a report of the first tare/1", function()
  local old
  setup(function() old = assert(store.read(PATH)) end)

  it("has what it had", function()
    local found = {}
    for i, result in ipairs(old.results) do
      found[i] = result.id .. (result.error and ": failed" or result.time
        and (": %.4g"):format(result.time.value) or ": none")
    end
    assert.same({ "old/pair: none", "old/raises: failed",
      "old/fill{n=10,impl=a}: 653.6", "old/fill{n=100,impl=a}: 1615",
      "old/fill{n=1000,impl=a}: 1.616e+05" }, found)
  end)

  for _, format in ipairs(formats) do
    it("renders as " .. format, function()
      assert.truthy(assert(report.render(old, format)):find("fill", 1, true))
    end)
  end

  it("can be a baseline", function()
    local found = compare.reports(old, old, {})
    assert.same({}, found.refused)
    assert.equal(3, #found.comparisons)
    local held = gate.evaluate(old, old, assert(gate.parse "time>5%,allocs>0"),
      {})
    assert.same({}, held.failures)
    assert.is_true(held.checked > 0)
  end)

  it("can be gone on with", function()
    local path = command.file(command.read(PATH), ".json")
    local file = assert(require "tare.store.file".create(path, old,
      function()
        return { keep = function(result) return not result.error end }
      end))
    assert.is_true(file:finish { comparisons = old.comparisons })
    local again = assert(store.read(path))
    os.remove(path)
    local wanted = {}
    for _, result in ipairs(old.results) do
      if not result.error then wanted[#wanted + 1] = result end
    end
    assert.same(wanted, again.results)
    assert.same(old.env, again.env)
  end)

  it("can be merged", function()
    local part = assert(store.read(PATH))
    part.results = { table.remove(part.results, 3) }
    local rest = assert(store.read(PATH))
    table.remove(rest.results, 3)
    local paths = { command.file(store.encode(part), ".json"),
      command.file(store.encode(rest), ".json") }
    local merged = assert(shards.merge(paths, error))
    assert.equal(#old.results, #merged.results)
    for _, path in ipairs(paths) do os.remove(path) end
  end)
end)
