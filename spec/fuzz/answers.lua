-- What comes over a worker's link: lines of any bytes, and a launch whose
-- workers lie, each answer changed, left out or taken from another request. An
-- answer that is let through harms no figure of the bench beside it, and what
-- follows from it can be analysed, stored, read again and printed.
local Bytes = dofile "spec/fuzz/bytes.lua"
local analysis = require "tare.analysis"
local answers = require "tare.conductor.answers"
local decode = require("cjson").new()
local fingerprint = require("spec.support.stored").report({}).env
local made_worker = require "spec.support.made_worker"
local options = require "tare.base.options"
local Record = require "tare.conductor.record"
local render = require "tare.report"
local store = require "tare.store"
local story = require "tare.conductor.story"
local Worker = require "tare.worker"

decode.decode_invalid_numbers(false)

local OPS, FIELDS = {}, { "wall_ns", "iters", "spent_ns", "error", "code",
  "loop", "heap_bytes", "gc_minor", "ns", "ended", "returned", "calls",
  "lines", "is_capped", "clock_went_back", "cycles", "pauses", "nonsense",
  "allocs", "bytes", "throughput", "instructions", "start_ns", "round",
  "cpu_ns", "full_collection", "jit_events", "width", "preemptions" }
for op in pairs(Worker.OPS) do OPS[#OPS + 1] = op end
table.sort(OPS)

local LIMITS = { min_batch_ns = 1e5, row_cost_ns = 0, resolution_ns = 1,
  is_manual = true }
local SETTINGS = assert(options.resolve({ resamples = 20, confidence = 0.95 },
  "fuzz"))

local function check_line(bytes)
  local op = bytes:pick(OPS)
  local ok, value = pcall(decode.decode, bytes.data:sub(bytes.at))
  if ok and type(value) == "table" then
    answers.are_sound({ op = op, iters = 5 }, value)
  end
end

local function changed(bytes, row)
  for _ = 0, bytes:byte() % 3 do
    row[bytes:pick(FIELDS)] = bytes:value(2)
  end
  return row
end

-- The answer of a liar to a request, as the conductor would take it.
local function lie(bytes, bench, request, last)
  local row = made_worker.answer(bench.made, request)
  if not bench.made.lies then return row end
  local kind = bytes:byte() % 6
  if kind == 1 then row = last or {} end
  if kind == 2 then row = {} end
  if kind > 2 and bytes:more() then row = changed(bytes, row) end
  local told = {}
  for name, value in pairs(row) do told[name] = value end
  if not answers.are_sound(request, told) then return nil, answers.LIE end
  if told.error then return nil, told.error, told.code end
  return told
end

local function launch(bytes)
  local benches = {}
  for i, id in ipairs { "s/liar", "s/good" } do
    local bench = made_worker.bench(id, { call_ns = 3000, lies = i == 1,
      parts = 3, look = function() return {} end,
      options = { quota = "16x", warmup = 0 } })
    local cell = bench.cell
    cell.suite, cell.name, cell.params, cell.loop = "s", id:sub(3), {}, "inline"
    benches[i] = bench
  end
  local thread, asked, last = coroutine.create(story.run), 0, nil
  local ok, bench, request = coroutine.resume(thread, benches, LIMITS)
  while ok and coroutine.status(thread) ~= "dead" do
    asked = asked + 1
    assert(asked < 5000, "a story without an end")
    local row, message, code = lie(bytes, bench, request, last)
    if bench.made.lies then last = row end
    ok, bench, request = coroutine.resume(thread, row, message, code)
  end
  assert(ok, bench)
  return benches
end

local function check_launch(bytes)
  local records = {}
  for i, bench in ipairs(launch(bytes)) do
    local record = Record.new(bench.cell)
    record:add(bench)
    records[i] = record:finish()
  end
  local report = analysis.report(records, SETTINGS, fingerprint)
  local good = report.results[2]
  assert(not good.error and good.time and good.time.value == 3000,
    "the bench beside it has another time")
  local text = store.encode(report)
  local read, message = store.decode(text)
  assert(read, message)
  assert(render.render(read, "text"))
end

return function(data)
  local bytes = Bytes.new(data)
  if bytes:byte() % 16 > 0 then return check_line(bytes) end
  check_launch(bytes)
end
