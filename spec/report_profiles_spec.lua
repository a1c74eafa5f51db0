-- Profiles and LuaJIT's traces, whole: made-up ones in every format that shows
-- them. Compared with what someone has read.
local cjson = require "cjson"
local fixtures = require "spec.support.fixtures"
local golden = require "spec.support.golden"
local profiler = require "tare.worker.profiler"
local profiles = require "tare.report.profiles"
local report = require "tare.report"

local CODE = { "local function fill(n)", "  local list = {}",
  "  for i = 1, n do", "    list[i] = { i }",
  "    if i % 2 == 0 then drop(i) end", "  end", "  return list", "end", "",
  "local function drop(i)",
  "  return ('<x>'):rep(i)", "end" }

local function counted(fields, instructions, allocs, bytes)
  fields.instructions, fields.allocs = instructions, allocs
  fields.bytes, fields.freed_bytes = bytes, bytes / 2
  return fields
end

-- fill() calls drop() and string.rep; 'grown': line 4 does that many times the
-- work; 'lines': the text of the file.
local function profile_of(grown, lines)
  local at = {}
  for i, text in ipairs(lines or CODE) do at[text] = at[text] or i end
  local function line(k) return at[CODE[k]] or k end
  local frames = { { name = "fill (a.lua:1)", source = "a.lua",
      line = line(3) },
    { name = "fill (a.lua:1)", source = "a.lua", line = line(4) },
    { name = "fill (a.lua:1)", source = "a.lua", line = line(5) },
    { name = "drop (a.lua:10)", source = "a.lua", line = line(11) },
    { name = "string.rep" }, { name = "main chunk (b.lua)", source = "b.lua",
      line = 7 }, { name = "print" } }
  local function stack(path, ...)
    return counted({ frames = path, calls = #path }, ...)
  end
  local profile = counted({ calls = 16, frames = frames, sources = {
    { source = "a.lua", from = 1, text = lines or CODE },
    { source = "b.lua", from = 6, text = { "-- before", "print(fill(10))" } } },
    lines = { counted({ source = "a.lua", line = line(2) }, 2, 1, 56),
      counted({ source = "a.lua", line = line(3) }, 40, 0, 0),
      counted({ source = "a.lua", line = line(4) }, 30 * grown, 10 * grown,
        720 * grown),
      counted({ source = "a.lua", line = line(5) }, 45, 5, 90),
      counted({ source = "a.lua", line = line(11) }, 25, 5, 90),
      counted({ source = "b.lua", line = 7 }, 0.25, 0, 8) },
    functions = { { name = "fill", source = "a.lua", line = 1, calls = 1 },
      { name = "string.rep", calls = 5, ns = 400 },
      { name = "print", calls = 0.5, ns = 90 },
      { name = "next", calls = 0.5, ns = 0 }, { name = "type", calls = 0,
        ns = 0 } },
    stacks = { stack({ 6 }, 0.25, 0, 8), stack({ 6, 1 }, 42, 1, 56),
      stack({ 6, 2 }, 30 * grown, 10 * grown, 720 * grown),
      stack({ 6, 3 }, 20, 0, 0), stack({ 6, 3, 4 }, 25, 0, 0),
      stack({ 6, 3, 4, 5 }, 0, 5, 90), stack({ 6, 7 }, 0, 0, 0) } },
    87.25 + 30 * grown, 6 + 10 * grown, 154 + 720 * grown)
  profile.stacks[6].ns, profile.stacks[7].ns = 400, 90
  for i, fn in ipairs(profile.functions) do counted(fn, 0, i, 30 * i) end
  return profile
end

local function result_of(ref, profile, more)
  local name = "fill" .. (ref and "{ref=" .. ref .. "}" or "")
  local result = { id = "s/" .. name, suite = "s", name = "fill",
    params = { ref = ref }, warnings = {}, profile = profile,
    time = fixtures.estimate(2000, 0.01, "ns"),
    collector = fixtures.estimate(300, 0.05, "ns"),
    bytes = { value = profile.bytes }, allocs = { value = profile.allocs } }
  for key, value in pairs(more or {}) do result[key] = value end
  return result
end

local function render(format, options, ...)
  return assert(report.render({ results = { ... } }, format, options))
end

-- Many places, for the longest tables.
local function large()
  local profile = counted({ calls = 1, frames = {}, stacks = {}, lines = {},
    functions = {}, sources = {} }, 0, 0, 0)
  for i = 1, 40 do
    profile.lines[i] = counted({ source = i % 3 == 0 and "x.lua" or "y.lua",
      line = i }, i, i % 4, i * 10)
    profile.frames[i] = { name = "f" .. i, source = "y.lua", line = i }
    profile.stacks[i] = counted({ frames = { i }, calls = 1 }, i, i % 4, i * 10)
    profile.functions[i] = counted({ name = "c" .. i, calls = i % 5,
      ns = i }, 0, i % 4, i % 7)
    profile.instructions = profile.instructions + i
    profile.allocs = profile.allocs + i % 4
    profile.bytes = profile.bytes + i * 10
  end
  return profile
end

local MOVED = { CODE[1], CODE[2], "  -- new", CODE[3], CODE[4], CODE[5],
  CODE[6], CODE[7], CODE[8], CODE[9], CODE[10], CODE[11], CODE[12] }

describe("profiles, whole", function()
  it("are text and Markdown", function()
    local one = result_of(nil, profile_of(1))
    golden.check("profile_text.txt", render("text", { width = 100 }, one)
      .. render("markdown", {}, one)
      .. render("text", {}, result_of(nil, large())))
  end)

  it("leave out what there is no room for", function()
    local record = golden.record("profile_narrow.txt", nil, 300)
    for _, width in ipairs { 28, 40, 50, 60, 70, 84 } do
      record:add(("%d\n%s"):format(width, render("text", { width = width },
        result_of(nil, profile_of(1)))))
      record:add(("%d, changes\n%s"):format(width, render("text", {
        width = width }, result_of(nil, profile_of(3)),
        result_of("HEAD", profile_of(1)))))
    end
    record:check()
  end)

  it("may lack what others have", function()
    local parts = {}
    for _, change in ipairs {
      function(r) r.collector = nil end, function(r) r.bytes.value = 0 end,
      function(r) r.time = nil end,
      function(r) r.profile.interpreted = true end,
      function(r) r.profile.per, r.profile.slowdown = "frame", 2.5 end,
      function(r)
        r.profile.per, r.profile.slowdown, r.profile.calls = "frame", 3, 1
      end,
      function(r) r.profile.stacks = {} end,
      function(r) r.profile.functions = nil end,
      function(r) r.profile.sources = {} end,
      function(r) r.profile.calls = 1 end,
      function(r) r.profile.instructions = 0 end,
      function(r) r.profile.bytes, r.profile.allocs = 0, 0 end,
      function(r) r.profile.allocs = 1 end,
      function(r) r.profile.lines = {} end } do
      local one = result_of(nil, profile_of(1))
      change(one)
      parts[#parts + 1] = render("text", { width = 100 }, one)
    end
    local record = golden.record "profile_gaps.txt"
    record:add(render("text", { width = 100 }, result_of(nil, profile_of(1))))
    record:add(table.concat(parts, "\n"))
    record:check()
  end)

  it("are compared between revisions", function()
    local parts = {}
    for _, format in ipairs { "text", "markdown" } do
      for _, lines in ipairs { CODE, MOVED } do
        parts[#parts + 1] = render(format, { width = 100 },
          result_of(nil, profile_of(3, lines)),
          result_of("HEAD", profile_of(1)))
      end
    end
    local less = profile_of(0.5)
    table.remove(less.lines, 4)
    less.sources = {}
    parts[#parts + 1] = render("text", {}, result_of(nil, less),
      result_of("HEAD", profile_of(1)))
    golden.check("profile_changes.txt", table.concat(parts))
  end)

  it("are flame graphs and listings", function()
    local page = golden.by_tag(render("html", {}, result_of(nil,
      profile_of(1))))
    local changed = golden.by_tag(render("html", {},
      result_of(nil, profile_of(3)), result_of("HEAD", profile_of(1))))
    local record = golden.record "profile_html.txt"
    for _, one in ipairs { page, changed } do
      record:add(one:match "<body>.*")
    end
    record:check()
  end)

  it("are blamed for what they do", function()
    local parts, profile = {}, profile_of(1)
    profile.lines[2].allocs, profile.lines[2].bytes = 1, 90
    for _, weight in ipairs { "instructions", "allocs", "bytes" } do
      for _, most in ipairs { 1, 3, 5, 9 } do
        parts[#parts + 1] = ("%s, %d: %s\n"):format(weight, most,
          tostring(profiles.blame(profile, weight, most)))
      end
    end
    profile.lines = {}
    parts[#parts + 1] = tostring(profiles.blame(profile, "bytes", 3)) .. "\n"
    golden.check("profile_blame.txt", table.concat(parts))
  end)

  it("are folded, and for speedscope", function()
    local parts = {}
    for _, by in ipairs { "instructions", "bytes", "allocs", "freed_bytes",
      "time" } do
      local text, message = report.render({ results = { result_of(nil,
        profile_of(1)) } }, "folded", { by = by })
      parts[#parts + 1] = by .. "\n" .. (text or message .. "\n")
    end
    local outside = profile_of(1)
    table.insert(outside.stacks, counted({ frames = {}, calls = 0 }, 3, 0, 0))
    parts[#parts + 1] = render("folded", {}, result_of(nil, outside))
    local text = render("speedscope", {}, result_of(nil, profile_of(1)))
    parts[#parts + 1] = golden.fields(cjson.decode(text))
    golden.check("profile_files.txt", table.concat(parts))
  end)

  it("are made of what was counted at each place", function()
    local function place(fields, ...) return counted(fields, ...) end
    local raw = { callees = {
      { source = "a.lua", name = "f", line = 1, calls = 8 },
      { source = "a.lua", name = nil, line = 5, calls = 4 },
      { name = "rep", is_c = true, calls = 4 },
      { source = "a.lua", name = "f", line = 1, calls = 4 } },
      places = { place({ calls = 0 }, 1, 0, 0),
        place({ parent = 1, callee = 1, line = 2, calls = 8 }, 40, 4, 400),
        place({ parent = 1, callee = 1, line = 3, calls = 0 }, 20, 0, 0),
        place({ parent = 3, callee = 2, line = 6, calls = 4 }, 12, 2, 64),
        place({ parent = 4, callee = 3, line = 0, calls = 4, ns = 900 }, 0, 4,
          128),
        place({ parent = 3, callee = 4, line = 2, calls = 4 }, 8, 0, 0) } }
    local made = profiler.made(raw, 4)
    made.interpreted = nil -- where this Lua is LuaJIT
    golden.check("profile_made.txt", golden.fields(made))
  end)
end)

describe("LuaJIT's traces, whole", function()
  it("are places, reasons and compiled code", function()
    local reasons = { "NYI: FastFunc next", "NYI: C function 0x1",
      "NYI: bytecode FNEW", "NYI: bytecode UCLO", "NYI: bytecode VARG",
      "NYI: bytecode TSETM", "NYI: bytecode ITERN", "NYI: bytecode ISNEXT",
      "NYI: bytecode XX", "NYI: return to lower frame",
      "leaving loop in root trace", "inner loop in root trace",
      "loop unroll limit reached", "call unroll limit reached",
      "down-recursion, restarting", "too many snapshots", "trace too long",
      "too many spill slots", "blacklisted", "error thrown or hook called",
      "failed to allocate mcode memory", "bad argument type",
      "store with nil or NaN key", "missing metamethod",
      "guard would always fail", "JIT compilation disabled for function",
      "persistent type instability", "NYI: metamethod __concat",
      "NYI: something", "a reason that is rather long, and that none knows" }
    local traces = { compiled = 7, aborted = 40, side = 3, aborts = {},
      roots = {}, sampled = { samples = 1200, compiled = 0.83, lines = {} } }
    for i, reason in ipairs(reasons) do
      traces.aborts[i] = { source = "path/to/a.lua", line = i, count = 31 - i,
        reason = reason, bytecode = i % 2 == 0 and "CALL" or nil,
        blacklisted = i % 10 == 0 }
    end
    for i = 1, 14 do
      traces.roots[i] = { source = i % 4 == 0 and "b.lua" or "a.lua",
        line = 20 - i, traces = 1 + i % 3, side = i % 3, exits = 2 * i,
        taken = i % 5 / 4 }
    end
    for i = 1, 8 do
      traces.sampled.lines[i] = { source = "a.lua", line = i, share = 1 / 2^i }
    end
    local one = { id = "s/a", suite = "s", name = "a", params = {},
      warnings = {}, traces = traces, time = fixtures.estimate(50, 0.01, "ns") }
    local few = { id = "s/b", suite = "s", name = "b", params = {},
      warnings = {}, time = fixtures.estimate(50, 0.01, "ns"),
      traces = { compiled = 1, aborts = { traces.aborts[1] } } }
    local none = { id = "s/c", suite = "s", name = "c", params = {},
      warnings = {}, time = fixtures.estimate(50, 0.01, "ns"),
      traces = { compiled = 1, aborts = {}, roots = {}, sampled = {
        samples = 0, compiled = 0, lines = {} } } }
    golden.check("profile_traces.txt", render("text", { width = 120 }, one, few,
      none) .. render("markdown", {}, one))
  end)
end)
