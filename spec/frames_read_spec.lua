-- What is said of frames, whole: a made record, its pages, two builds, gates,
-- and which policy serves best. Compared with what someone has read.
local cjson = require "cjson"
local core = require "tare.core"
local golden = require "spec.support.golden"
local judge = require "tare.judge.frames"
local lists = require "tare.base.lists"
local report = require "tare.report"
local report_of_frames = require "tare.report.frames"
local summaries = require "tare.analysis.frames"
local tare = require "tare"

-- A record of 1,200 frames on a clock moved by hand, each 10th longer; with a
-- heap, collections and policies that are made up, for this Lua's differ.
local function record_of(longer_ns, usual_ns)
  local meter = core.meter { manual_tick_ns = 1 }
  local recorder = tare.frames { meter = meter, budget_ms = 16, frames = 40,
    scopes = { ai = 2, draw = 1 } }
  local ai, draw = recorder:scope "ai", recorder:scope "draw"
  for i = 1, 1200 do
    if i == 30 then recorder:mark "menu" end
    if i == 900 then recorder:mark "level <2>" end
    recorder:begin()
    recorder:enter(ai)
    meter:advance(i % 10 == 0 and longer_ns or usual_ns + i * 1e3)
    recorder:leave(ai)
    recorder:enter(draw)
    meter:advance(3e6 + i % 7 * 1e5)
    recorder:leave(draw)
    recorder:finish(i % 5 == 0 and 1e6 + i % 3 * 2e5 or nil)
    meter:advance(1e6)
  end
  local record = recorder:record()
  record.heap_first, record.heap_last, record.heap_max = 1e6, 5e6, 8e6
  record.gc_minor, record.gc_major = 170, 60
  for i, block in ipairs(record.blocks) do
    block.least_heap_bytes = 9e5 + i * 1.1e5 + i % 3 * 3e4
  end
  for i, mark in ipairs(record.marks) do mark.heap_bytes = 1.5e6 * i end
  for i, worst in ipairs(record.worst) do
    worst.collections, worst.steps = i % 3 == 1 and 1 or 0, i % 2
  end
  for i in ipairs(record.samples.heap_bytes) do
    record.samples.heap_bytes[i] = 2e6 + i * 1e4
    record.samples.gc_minor[i] = i % 4 == 0 and 1 or 0
    record.samples.gc_major[i] = i % 16 == 0 and 1 or 0
    record.samples.gc_steps[i] = i % 2
  end
  for _, scope in ipairs(record.scopes) do
    scope.collections, scope.grown_bytes = 3, 4e6
  end
  local all = record.all
  record.collecting = { count = 120, counts = { 120 },
    low_ns = { all.low_ns[#all.low_ns] },
    high_ns = { all.high_ns[#all.high_ns] },
    min_ns = all.max_ns - 1e5, max_ns = all.max_ns,
    total_ns = 120 * (all.max_ns - 5e4) }
  record.lua, record.tare = "Lua 5.4.4", nil
  record.dropped_spans, record.lost_marks = 0, 2
  return record
end

local function texts(said, options)
  local parts = {}
  for _, format in ipairs { "text", "markdown" } do
    parts[#parts + 1] = format .. "\n"
      .. assert(report.render(said, format, options or { width = 90 })) .. "\n"
  end
  return table.concat(parts)
end

-- A summary as a policy's frames give it, in what decides.
local function policy(name, over, worst_ms, more)
  local said = { policy = name, settings = { pause = 200 }, frames = 5000,
    cycles = 8, budget_ms = 16, p99 = worst_ms * 0.8, max = worst_ms,
    p50 = 5, p95 = 9, mean = 6, low01 = { ms = worst_ms, fps = 1e3 / worst_ms },
    low1 = { ms = worst_ms * 0.9, fps = 1e3 / worst_ms / 0.9 },
    over = summaries.share(over, 5000), collector = { mean = 1, share = 0.1,
      p99 = 2, max = 4 },
    heap_bytes = { first = 1e6, last = 2e6, max = 4e6 } }
  for key, value in pairs(more or {}) do said[key] = value end
  return said
end

-- Cases of policies: what there is now, then the others.
local CASES = {
  { "one far better", policy("automatic", 500, 40), policy("step", 5, 15),
    policy("spare", 6, 15.5) },
  { "spare clearly worse than step", policy("automatic", 500, 40),
    policy("step", 5, 15), policy("spare", 90, 30) },
  { "as good as the others", policy("automatic", 0, 10),
    policy("step", 0, 9.5) },
  { "close to the budget", policy("automatic", 0, 13), policy("step", 0, 12) },
  { "a few over", policy("automatic", 9, 20), policy("step", 2, 17) },
  { "one over", policy("automatic", 1, 10), policy("step", 0, 9) },
  { "one over now, as many then", policy("automatic", 1, 17),
    policy("step", 1, 16.5) },
  { "just over, exactly as bad", policy("automatic", 9, 16),
    policy("step", 9, 16) },
  { "few over, in stretches", policy("automatic", 60, 20,
      { over = summaries.share(60, 5000, 12) }),
    policy("step", 30, 19, { over = summaries.share(30, 5000, 9) }) },
  { "far shorter worst frames", policy("automatic", 20, 60),
    policy("step", 22, 20) },
  { "far shorter, but clearly more", policy("automatic", 20, 60),
    policy("step", 200, 20) },
  { "a heap that grows", policy("automatic", 500, 40),
    policy("step", 5, 15, { heap_bytes = { first = 1e6, last = 9e6,
      max = 8.1e6 } }) },
  { "a heap at the most", policy("automatic", 500, 40),
    policy("step", 5, 15, { heap_bytes = { first = 1e6, last = 9e6,
      max = 8e6 } }) },
  { "no cycle", policy("automatic", 500, 40, { cycles = 0 }),
    policy("step", 5, 15) },
  { "one cycle", policy("automatic", 500, 40), policy("step", 5, 15,
    { cycles = 1 }) },
  { "two cycles", policy("automatic", 500, 40), policy("step", 5, 15,
    { cycles = 2 }) },
  { "no garbage", policy("automatic", 0, 10, { cycles = 0,
    heap_bytes = { first = 1e6, last = 1e6, max = 1e6 } }) },
  { "more of a heap than garbage", policy("automatic", 0, 10, { cycles = 0,
    heap_bytes = { first = 9e7, last = 9.1e7, max = 9.1e7 } }) },
  { "alone", policy("automatic", 50, 30) },
}

describe("frames, whole", function()
  it("are summed up", function()
    local said = summaries.summary(record_of(2e7, 3e6))
    said.record = nil
    golden.check("frames_summary.txt", golden.fields(said, 2))
  end)

  it("are shown as text and Markdown", function()
    local said = summaries.summary(record_of(2e7, 3e6))
    local calm = summaries.summary(record_of(5e6, 3e6))
    calm.collector, calm.heap_bytes, calm.collections = nil, nil, nil
    calm.dropped, calm.lost_marks = 0, 0
    golden.check("frames_text.txt", texts(said) .. texts(calm, { width = 60,
      ascii = true, notes = { "one" }, checked = 2, exit_code = 1 }))
  end)

  it("are spoken of in sentences", function()
    local said, parts = summaries.summary(record_of(2e7, 3e6)), {}
    local function add(field, value)
      local before = said[field]
      said[field] = value
      parts[#parts + 1] = ("%s\n%s\n"):format(field, report.render(said,
        "text", {}):match "longest run.-\n(.-)\nlongest frames")
      said[field] = before
    end
    for _, by in ipairs { { 0.5, 0.1, 0.9 }, { -0.5, -0.9, -0.1 },
      { 0, -0.2, 0.2 } } do
      for _, field in ipairs { "collections", "steps" } do
        add(field, { frames = by[1] > 0 and 1 or 2000, max = 12, share = 0.125,
          longer_by_ms = { value = by[1], low = by[2], high = by[3] } })
      end
    end
    add("paced", { untimed = 0, stopped = 0 })
    add("paced", { untimed = 1, stopped = 0 })
    add("paced", { untimed = 0, stopped = 1500 })
    for _, growth in ipairs { { value = -2e6, low = -3e6, high = 1e6 },
      { value = 0, low = -1e6, high = 1e6 } } do
      add("heap_bytes", { first = 1e6, last = 2e6, max = 3e6, growth = growth })
    end
    add("heap_bytes", { first = 1e6, last = 2e6, max = 3e6 })
    add("dropped", 0)
    add("lost_marks", 0)
    golden.check("frames_sentences.txt", table.concat(parts))
  end)

  it("are drawn", function()
    local said = summaries.summary(record_of(2e7, 3e6))
    golden.check("frames_html.txt", golden.by_tag(assert(report.render(said,
      "html", {}))):match "<body>.*")
  end)

  it("are rows and events", function()
    local said = summaries.summary(record_of(2e7, 3e6))
    local text, list = assert(report.render(said, "perfetto")), {}
    local events = cjson.decode(text)
    for i, event in ipairs(events) do
      list[i] = i % 9 < 2 and golden.flat(event) .. "\n" or ""
    end
    golden.check("frames_events.txt", assert(report.render(said, "csv"))
      :gsub("\r", "") .. table.concat(list))
  end)

  it("are compared, and gated", function()
    local new = summaries.summary(record_of(2e7, 3e6))
    local parts = {}
    for _, old in ipairs { new, summaries.summary(record_of(1.2e7, 3e6)),
      summaries.summary(record_of(2e7, 4e6)),
      summaries.summary(record_of(3e7, 2.9e6)) } do
      local compared = judge.compare(new, old, 0.01)
      for _, one in ipairs(compared) do
        local copy = lists.copy(one)
        copy.figure = one.figure.name
        parts[#parts + 1] = golden.flat(copy) .. "\n"
      end
      for _, rules in ipairs { "p50>1%,p95>1%,p99>3%,max>10%,low1>1us",
        "over>0%,over>2%,stutters>1%,heap_growth>1kB,heap_growth>5%",
        "max>0ms,low01>0ms" } do
        for _, other in ipairs { compared, false } do
          local wanted, wrong = judge.rules(rules, other and true)
          local verdict = wanted and judge.gate(wanted, new, other or nil)
          parts[#parts + 1] = ("%s: %s\n"):format(rules, verdict
            and golden.flat(verdict) or wrong)
        end
      end
      local document = report_of_frames.document(new, { checked = 3,
        failures = { { id = "frames", message = "p50: slower" } },
        against = { summary = old, name = "old", new_name = "new",
          compared = compared } })
      parts[#parts + 1] = golden.flat(document.sections[1].table.rows) .. "\n"
        .. golden.flat(document.closing) .. "\n"
    end
    golden.check("frames_judged.txt", table.concat(parts))
  end)

  it("are refused where a format or an option does not fit", function()
    local said, parts = summaries.summary(record_of(2e7, 3e6)), {}
    for _, format in ipairs { "junit", "gbench", "pyperf", "bmf", "action",
      "folded", "speedscope", "perfeto", "htlm", "", "text,html" } do
      local text, message = report.render(said, format, {})
      parts[#parts + 1] = ("frames as '%s': %s\n"):format(format, text
        and "rendered" or message)
      text, message = report.render({ results = {} }, format, {})
      parts[#parts + 1] = ("a report as '%s': %s\n"):format(format, text
        and "rendered" or message)
      parts[#parts + 1] = ("  ends with %s, needs %s\n"):format(
        tostring(report.extension(format)), tostring(report.needs(format)))
    end
    for _, options in ipairs { { width = "x" }, { width = -1 }, { width = 0 },
      { width = 1e9 }, { color = 1 }, { columns = 5 }, { columns = { 5 } },
      { columns = "tme" }, { sort = "tme" }, { sort = "-time" }, { sort = {} },
      { points = 0 }, { points = 1.5 }, { by = 3 }, { nonsense = true },
      { explain = "yes" }, { notes = {} }, { title = "x" } } do
      local wrong = report.wrong_option(options)
      local text, message = report.render({ results = {} }, "text",
        not wrong and options or {})
      parts[#parts + 1] = ("%s: %s\n"):format(golden.flat(options),
        wrong and wrong:gsub("table: %S+", "a table")
          or text and "rendered" or message)
    end
    for _, data in ipairs { {}, { results = 5 }, { results = { 5 } },
      { results = { { id = 5 } } }, { results = { { id = "a" } } },
      { results = { { id = "a", warnings = 5 } } }, { id = "a" }, { a = "a" },
      { a = "a", b = "b" }, { a = "a", b = "b", ratio = {} }, { lines = {} },
      { lines = {}, stacks = {} }, "x", said } do
      parts[#parts + 1] = ("%s: %s\n"):format(data == said and "frames"
        or golden.flat(data), tostring((report.refusal(data))))
    end
    for _, format in ipairs(report.formats()) do
      for _, options in ipairs { {}, { plot = true }, { columns = "p99" },
        { columns = "time" }, { columns = "tme" } } do
        parts[#parts + 1] = ("%s of %s needs samples: %s\n"):format(format,
          golden.flat(options), tostring(report.needs_samples(format, options,
          2)))
      end
    end
    for _, path in ipairs { "a.json", "a.HTML", "a.htm", "a.md", "a.csv",
      "a.xml", "a.txt", "a.folded", "a.x", "a", "" } do
      parts[#parts + 1] = ("%s: %s\n"):format(path,
        tostring(report.format_of(path)))
    end
    golden.check("report_refused.txt", table.concat(parts))
  end)

  it("choose a policy", function()
    local parts = {}
    for _, case in ipairs(CASES) do
      local list = {}
      for i = 2, #case do list[i - 1] = case[i] end
      for _, most in ipairs { 2000, 1e6 } do
        parts[#parts + 1] = ("%s, up to %.0f: %s\n"):format(case[1], most,
          golden.flat(summaries.recommend(list, most)))
      end
      parts[#parts + 1] = "  worth playing on: "
        .. golden.flat(summaries.contenders(list)) .. "\n"
    end
    golden.check("frames_policies.txt", table.concat(parts))
  end)

  it("are shown by policy", function()
    local said = summaries.summary(record_of(2e7, 3e6))
    said.policies = { CASES[1][2], CASES[1][3], policy("spare", 6, 15.5,
      { overruns = { frames = 3, ms = 4.5 } }) }
    said.recommendation = summaries.recommend(said.policies, 1e6)
    local text = report.render(said, "text", { width = 90 })
    local parts = { text:match "\npolicies.*" }
    said.policies = { CASES[5][2], CASES[5][3] }
    said.recommendation = summaries.recommend(said.policies, 1e6)
    text = report.render(said, "text", { width = 90 })
    parts[2] = text:match "\npolicies.*"
    golden.check("frames_by_policy.txt", table.concat(parts))
  end)
end)
