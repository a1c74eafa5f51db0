-- The cases of spec/lab/assert.sh, as a busted spec: TARE_CASE picks one.
require "tare.assert"

local kept -- so that nothing is optimised away
local case = os.getenv "TARE_CASE"

local function one_table() kept = {} end
local function two_tables()
  kept = {}
  kept = { kept }
end

local function spin(n)
  local sum = 0
  for i = 1, n do sum = sum + i % 7 end
  return sum
end
local function usual() kept = spin(200) end
local function the_same() kept = spin(200) end
local function longer() kept = spin(220) end

local function sorted(n)
  local list, x = {}, 1
  for i = 1, n do
    x = x * 16807 % 2147483647
    list[i] = x
  end
  table.sort(list)
  return list
end

-- What the shorter function costs, with nothing to spare.
local function limit_of(claim, field, most)
  local counts = claim(one_table, most)
  return counts[field] / counts.iters
end

local CASES = {}

function CASES.none()
  assert.allocates_at_most(one_table, { allocs = 1 })
  assert.executes_at_most(one_table, limit_of(assert.executes_at_most,
    "instructions", 1000))
  assert.is_faster_than(usual, the_same)
  assert.is_faster_than(usual, longer)
  assert.is_not_faster_than(usual, the_same)
  assert.grows_at_most(sorted, "n log n")
end

function CASES.allocations()
  assert.allocates_at_most(two_tables, { allocs = 1 })
end

function CASES.bytes()
  assert.allocates_at_most(two_tables, { bytes = limit_of(
    assert.allocates_at_most, "bytes", { allocs = 1 }) })
end

function CASES.instructions()
  assert.executes_at_most(two_tables, limit_of(assert.executes_at_most,
    "instructions", 1000))
end

function CASES.time() assert.is_faster_than(longer, usual) end

function CASES.growth() assert.grows_at_most(sorted, "log n") end

describe("assertions on cost", function()
  it("see more of: " .. case, CASES[case])
end)
