-- Stored reports: raw JSON, or a sound report with fields that were changed,
-- with or without a journal beside it.
-- What is not refused in one line can be rendered in every format, analysed
-- again, compared and judged, and injects nothing anywhere.
local Bytes = dofile "spec/fuzz/bytes.lua"
local compare = require "tare.judge.compare"
local fixtures = require "spec.support.fixtures"
local gate = require "tare.judge.gate"
local render = require "tare.report"
local report_command = require "tare.cli.report"
local settings = require "tare.cli.settings"
local store = require "tare.store"
local stored = require "spec.support.stored"
local sweeps = require "tare.analysis.sweeps"

local SEEDS = {}
-- Few rows and points: a fuzzer is as good as it is quick.
local function shortened(value)
  for key, item in pairs(value) do
    if type(item) == "table" then
      shortened(item)
    elseif type(key) == "number" and key > 12 then
      value[key] = nil
    end
  end
  return value
end
local small = stored.report { stored.result("a", 100), stored.result("b", 50) }
local large = fixtures.report()
large.results = { large.results[1], large.results[2], large.results[5],
  large.results[6], large.results[#large.results] }
for i, report in ipairs { small, large } do
  report.options.resamples = 20
  SEEDS[i] = store.encode(shortened(report))
end
local RULES = assert(gate.parse "time>5%,allocs>0,bytes>1KiB,instructions>1%")

-- Walks to some field of a report, and sets it.
local function edit(bytes, value, depth)
  local keys = {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  if #keys == 0 then return end
  local key = bytes:pick(keys)
  if type(value[key]) == "table" and depth > 0 and bytes:byte() > 30 then
    return edit(bytes, value[key], depth - 1)
  end
  value[key] = bytes:value(2)
end

-- JSON as strangers write it: numbers that are none are large ones.
local function written(report)
  local ok, text = pcall(store.encode, report)
  return ok and text or nil
end

local HEADS = { '{"journal":"a"}\n', '{"journal":"a"}', '{"journal":', "\n",
  '{"journal":"b"}\n' }

-- A report that is not finished, and what stands beside it: results of it that
-- were changed, and a torn line.
local function with_journal(bytes, report)
  report.unfinished = "a"
  local journal = bytes:pick(HEADS)
  for _ = 1, bytes:byte() % 4 do
    local result = bytes:pick(report.results)
    result.id = bytes:value(1)
    edit(bytes, result, 4)
    journal = journal .. (written(result) or "{") .. "\n"
  end
  return journal .. bytes:text()
end

-- A report of lines that is cut, or over the end of which something else is.
local function torn(bytes, text)
  local at = (bytes:byte() * 256 + bytes:byte()) % #text
  return text:sub(1, at) .. bytes:text()
end

local function made_of(data)
  local bytes = Bytes.new(data)
  local kind, journal = bytes:byte() % 4, nil
  if kind == 0 then return data:sub(2) end
  if kind == 2 then return torn(bytes, bytes:pick(SEEDS)) end
  local report = assert(store.parse(bytes:pick(SEEDS)))
  if kind == 3 then journal = with_journal(bytes, report) end
  for _ = 1, 12 do
    if bytes:more() then edit(bytes, report, 8) end
  end
  return written(report) or "{}", journal
end

local HARMFUL = {
  text = "[%z\1-\8\11-\31\127]", markdown = "[%z\1-\8\11-\31\127]",
  csv = "[%z\1-\8\11\12\14-\31\127]", html = "<fuzz>", junit = "<fuzz>",
}

local FORMATS = render.formats()

local function check_render(report, choice)
  for i, format in ipairs(FORMATS) do if i % 3 == choice % 3 then
    local text, message = render.render(report, format, { samples = true })
    assert(text or type(message) == "string", format)
    local harm = HARMFUL[format] and text and text:find(HARMFUL[format])
    assert(not harm, format .. " lets something through: "
      .. tostring(harm and text:sub(harm - 20, harm + 20)))
    if format == "csv" and text then
      assert(not ("\n" .. text):find("[\n,][=@]"), "a formula in CSV")
    end
  end end
end

local function check_use(report, choice)
  local again, message = report_command.again(report,
    settings.stored(report.options))
  assert(again or not message:find("\n"), message)
  if again then check_render(again, choice) end
  compare.reports(report, report, { force = true })
  gate.evaluate(report, report, RULES)
  sweeps.read(report.results, settings.stored(report.options))
  compare.revisions(report)
  local text = store.encode(report)
  assert(store.decode(text), "what was read can't be written and read")
end

return function(data)
  local text, journal = made_of(data)
  local report, message = store.decode(text, function() return journal end)
  if not report then
    assert(type(message) == "string" and not message:find("[%z\1-\31]"),
      "a message that is no line: " .. tostring(message))
    return
  end
  local choice = data:byte(-1) or 0
  check_render(report, choice + 1)
  check_use(report, choice)
end
