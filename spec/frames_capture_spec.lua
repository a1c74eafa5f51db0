-- Frames written down: streams, traces and captures, and what is read back.
local cjson = require "cjson"
local command = require "spec.support.command"
local core = require "tare.core"
local frame_plots = require "tare.report.html.frames"
local judge = require "tare.judge.frames"
local kept = require "spec.support.kept"
local summaries = require "tare.analysis.frames"
local tare = require "tare"

after_each(kept.remove)

-- Frames on a clock moved by hand: 'ms(i)', half of it in the scope 'ai'.
local function played(n, ms, given, stream)
  given = given or {}
  given.meter = core.meter { manual_tick_ns = 1 }
  given.scopes = { ai = 2 }
  local recorder = tare.frames(given)
  local ai = recorder:scope "ai"
  if stream then recorder:stream(stream.format, stream.write) end
  for i = 1, n do
    if i == 3 then recorder:mark 'level "1"\n' end
    recorder:begin()
    recorder:enter(ai)
    given.meter:advance(ms(i) * 5e5)
    recorder:leave(ai)
    given.meter:advance(ms(i) * 5e5)
    recorder:finish(i == 4 and 1e6 or nil)
  end
  return recorder
end

local function collected(format)
  local parts = {}
  return { format = format, parts = parts,
    write = function(text) parts[#parts + 1] = text end }
end

local function by_ten(i) return i % 10 == 0 and 40 or 10 end

-- Events of a trace without those of the heap, which is as it happens to be.
local function events(text)
  local list = {}
  for _, event in ipairs(cjson.decode(text)) do
    if event.ph ~= "C" then list[#list + 1] = event end
  end
  return list
end

describe("a trace of frames", function()
  it("has the fields that the trace event format asks for", function()
    local of_kind, names = {}, {}
    for _, event in ipairs(cjson.decode(tare.render(played(20, by_ten),
      "perfetto"))) do
      of_kind[event.ph] = (of_kind[event.ph] or 0) + 1
      names[event.name] = event
      assert.equal(1, event.pid)
      assert.is_string(event.name)
      if event.ph ~= "M" then assert.is_true(event.ts >= 0) end
      if event.ph == "X" then assert.is_true(event.dur >= 0) end
      if event.ph ~= "C" then assert.is_number(event.tid) end
    end
    -- frames and scopes, and the collector's time of one
    assert.same({ 41, 3, 1 }, { of_kind.X, of_kind.M, of_kind.i })
    assert.same({ "p", 20000 }, { names['level "1"\n'].s,
      names['level "1"\n'].ts })
    assert.same({ 220000, 40000 }, { names.frame.ts, names.frame.dur })
    assert.same({ 220000, 20000 }, { names.ai.ts, names.ai.dur })
    assert.same({ 39000, 1000 }, { names.collecting.ts,
      names.collecting.dur })
    assert.is_true(names["Lua heap"].args.bytes > 1000)
  end)

  -- The fields of each phase, and what they may be, as the "Trace Event Format"
  -- document has them: complete, instant, counter and metadata events.
  local function is_text(value) return type(value) == "string" end
  local function is_whole(value)
    return type(value) == "number" and value >= 1 and value % 1 == 0
  end
  local function is_us(value) return type(value) == "number" and value >= 0 end
  local function is_object(value) return type(value) == "table" end
  local FIELDS = {
    X = { ts = is_us, dur = is_us, tid = is_whole },
    i = { ts = is_us, tid = is_whole, s = function(value)
      return value == "g" or value == "p" or value == "t"
    end },
    C = { ts = is_us, args = function(args)
      for name, value in pairs(args) do
        if not (is_text(name) and type(value) == "number") then return false end
      end
      return next(args) ~= nil
    end },
    M = { tid = is_whole, args = function(args) return is_text(args.name) end },
  }
  local METADATA = { process_name = true, thread_name = true }

  it("has of each kind of event all fields that it needs, and no other",
    function()
      local stream = collected "perfetto"
      local recorder = played(200, by_ten, nil, stream)
      collectgarbage()
      recorder:begin()
      collectgarbage()
      recorder:finish()
      recorder:stream()
      for _, text in ipairs { table.concat(stream.parts),
        tare.render(recorder, "perfetto") } do
        local list, seen = cjson.decode(text), {}
        assert.equal(#list, select(2, text:gsub("\n?{\"ph\"", "")))
        for _, event in ipairs(list) do
          local fields = assert(FIELDS[event.ph], event.ph)
          seen[event.ph] = true
          for name, is_right in pairs(fields) do
            assert.is_true(is_right(event[name]), name)
          end
          assert.is_true(is_text(event.name) and is_whole(event.pid))
          for name, value in pairs(event) do
            local is_common = name == "name" or name == "ph" or name == "pid"
            local has_args = name == "args" and event.ph == "X"
            assert.is_true(is_common or fields[name] ~= nil
              or has_args and is_object(value), name)
          end
          if event.ph == "M" then assert.is_true(METADATA[event.name]) end
        end
        assert.same({ X = true, i = true, C = true, M = true }, seen)
      end
    end)

  it("has events that follow or contain each other, to the nanosecond",
    function()
      -- What reads traces drops those that overlap on a track.
      local meter = core.meter { manual_tick_ns = 1 }
      local recorder = tare.frames { meter = meter }
      local outer, inner = recorder:scope "outer", recorder:scope "inner"
      local stream = collected "perfetto"
      recorder:stream("perfetto", stream.write)
      for i = 1, 40 do recorder:push(1.6 * i, 3 * i) end
      meter:advance(1e5)
      for i = 1, 40 do
        recorder:begin()
        recorder:enter(outer)
        meter:advance(31)
        recorder:enter(inner)
        meter:advance(1.1e9 + 7919 * i) -- a level is loaded
        recorder:leave(inner)
        recorder:leave(outer)
        recorder:finish(2e9)
      end
      recorder:stream()
      for _, text in ipairs { table.concat(stream.parts),
        tare.render(recorder, "perfetto") } do
        local tracks = {}
        for _, event in ipairs(cjson.decode(text)) do
          if event.ph == "X" then
            local track = tracks[event.tid] or {}
            tracks[event.tid], track[#track + 1] = track, {
              from = math.floor(event.ts * 1e3 + 0.5), name = event.name,
              to = math.floor(event.ts * 1e3 + 0.5)
                + math.floor(event.dur * 1e3 + 0.5) }
          end
        end
        assert.same({ 160, 80 }, { #tracks[1], #tracks[2] })
        for _, track in ipairs(tracks) do
          table.sort(track, function(a, b)
            return a.from < b.from or a.from == b.from and a.to > b.to
          end)
          local open = {}
          for _, event in ipairs(track) do
            while open[1] and open[#open].to <= event.from do
              open[#open] = nil
            end
            local around = open[#open]
            assert.is_true(not around or event.to <= around.to, event.name)
            open[#open + 1] = event
          end
        end
      end
    end)

  it("names what has quotes, backslashes and control characters", function()
    local name = 'C:\\n "1"\27\t'
    local recorder = tare.frames()
    local scope = recorder:scope(name)
    recorder:begin()
    recorder:enter(scope)
    recorder:leave(scope)
    recorder:finish()
    local names = {}
    for _, event in ipairs(cjson.decode(tare.render(recorder, "perfetto"))) do
      names[event.name] = true
    end
    assert.is_true(names[name])
    assert.matches('\nscope,"C:\\n ""1""??",1,', tare.render(recorder, "csv"),
      1, true)
  end)

  it("tells in CSV when each thing of a frame was", function()
    local lines = {}
    for line in tare.render(played(4, by_ten), "csv"):gmatch "[^\n]+" do
      lines[#lines + 1] = line:match "^(%a+,.-,%d+,%d+,%d*)"
    end
    assert.same({ 'scope,"ai",1,0,5000000', "frame,,1,0,10000000",
      'scope,"ai",2,10000000,5000000', "frame,,2,10000000,10000000",
      'mark,"level ""1""?",3,20000000,',
      'scope,"ai",3,20000000,5000000', "frame,,3,20000000,10000000",
      'scope,"ai",4,30000000,5000000', "frame,,4,30000000,10000000" },
      lines)
  end)

  it("has a scope of no time where a damaged record has none that can be",
    function()
      for _, ns in ipairs { -5, 0 / 0, math.huge, 1e17, 1e300 } do
        local text = core.frames_trace("csv", { scopes = { { name = "ai" } },
          samples = { start_ns = { 0 }, wall_ns = { 9 } },
          spans = { scope = { 1 }, start_ns = { 2 }, ns = { ns } } })
        assert.matches('\nscope,"ai",1,2,0,', text)
      end
    end)

  it("begins with the heap, whatever the trace before ended with", function()
    local one = { samples = { start_ns = { 0 }, wall_ns = { 9 },
      heap_bytes = { 4096 } } }
    for _ = 1, 3 do
      assert.matches('"Lua heap","args":{"bytes":4096}',
        core.frames_trace("perfetto", one), 1, true)
      collectgarbage() -- the next has the memory of this one
    end
  end)

  it("has the mark before the first frame, and none whose frame is gone",
    function()
      local meter = core.meter { manual_tick_ns = 1 }
      for frames, has in pairs { [10] = true, [4] = false } do
        local recorder = tare.frames { meter = meter, frames = frames }
        meter:advance(1e6)
        recorder:mark "first"
        for _ = 1, 8 do
          meter:advance(1e6)
          recorder:begin()
          meter:advance(1e6)
          recorder:finish()
        end
        recorder:mark "last"
        for _, format in ipairs { "csv", "perfetto" } do
          local text = tare.render(recorder, format)
          assert.equal(has, text:find('"first"', 1, true) ~= nil)
          assert.is_not_nil(text:find('"last"', 1, true))
        end
      end
    end)

  it("is the same streamed as from memory", function()
    for _, format in ipairs { "perfetto", "csv" } do
      local stream = collected(format)
      local recorder = played(30, by_ten, nil, stream)
      assert.is_true(recorder:stream())
      local whole = tare.render(recorder, format)
      local text = table.concat(stream.parts)
      if format == "csv" then
        assert.equal(whole, text)
      else
        assert.same(events(whole), events(text))
      end
    end
  end)

  it("loses no frame of a long session, in parts of a few kilobytes",
    function()
      local frames, longest, last = 0, 0, 0
      local recorder = played(30000, by_ten, { frames = 10 }, { format = "csv",
        write = function(text)
          longest = math.max(longest, #text)
          for number, start in text:gmatch("\nframe,,(%d+),(%d+),") do
            frames = frames + 1
            assert(tonumber(number) == frames and tonumber(start) >= last)
            last = tonumber(start)
          end
        end })
      assert.is_true(recorder:stream())
      assert.equal(30000, frames)
      assert.is_true(longest <= 16384)
    end)

  it("can be opened though the program ended in the middle", function()
    local stream = collected "perfetto"
    played(300, by_ten, nil, stream)
    local text = table.concat(stream.parts)
    assert.is_true(#text > 8000)
    -- "The ] at the end of the JSON Array Format is optional"
    local whole = text:match("^(.*}),\n[^\n]*$") or text
    assert.is_true(#cjson.decode(whole .. "]") > 50)
  end)

  it("ends when its function fails or wants no more, and says why", function()
    for _, write in ipairs { function() error("disk full", 0) end,
      function() return false end } do
      local calls = 0
      local recorder = played(1000, by_ten, nil, { format = "csv",
        write = function(text)
          calls = calls + 1
          return write(text)
        end })
      local took_all, message = recorder:stream()
      assert.is_false(took_all)
      assert.equal(select(2, pcall(write)) or nil, message)
      assert.equal(1, calls)
      assert.equal(1000, recorder:result().frames)
    end
  end)

  it("is refused where it can't be", function()
    local recorder = tare.frames()
    local function refuses(message, ...)
      local given = { ... }
      assert.error_matches(function()
        recorder:stream(given[1], given[2])
      end, message)
    end
    refuses("stream%(%): there is none to end")
    refuses("the format must be 'csv' or 'perfetto'", "json", print)
    refuses("stream%(%) takes a function", "csv")
    recorder:stream("csv", function() end)
    refuses("there is one: end it by stream%(%) first", "csv", print)
    recorder:stream()
    assert.error_matches(function() tare.render(recorder, "json") end,
      "tare.render: the recorder has no frame yet")
  end)

  it("is not there where there was no memory to begin it", function()
    local registry, added, jit = debug.getregistry(), 0, rawget(_G, "jit")
    if jit then jit.off() end -- it allocates where it will
    local function add()
      added = added + 1
      registry[added + 0.5] = true
    end
    -- Adds keys until the registry is full and grows to twice its size. Returns
    -- how many: half of the next number, unless something else has grown.
    local function grow()
      local before_kb, from = collectgarbage "count", added
      repeat add() until collectgarbage "count" > before_kb
      return added - from
    end
    local recorder, meter = core.frames(16, 10), core.meter()
    local samples, text = core.samples(9), nil
    local function begin()
      recorder:stream("csv", function(part) text = part end)
    end
    meter:limit(20000) -- enough for a stream
    assert.is_true(meter:time(samples, begin, 1))
    recorder:stream()
    collectgarbage "stop"
    local last, now = grow(), grow()
    while now ~= 2 * last do last, now = now, grow() end
    for _ = 2, 2 * now do add() end -- now there is no room for a key
    local found, message = meter:time(samples, begin, 1)
    for i = 1, added do registry[i + 0.5] = nil end
    collectgarbage "restart"
    if jit then jit.on() end
    assert.is_nil(found)
    assert.matches("memory", message)
    begin()
    recorder:push(1e6)
    assert.is_true(recorder:stream())
    assert.matches("^kind,", text)
  end)

  it("is not ended by its own function, but by what that returns", function()
    for _, format in ipairs { "csv", "perfetto" } do
      local recorder, messages = tare.frames(), {}
      recorder:stream(format, function()
        local ended, message = pcall(recorder.stream, recorder)
        messages[#messages + 1] = ended and "ended" or message
        messages[#messages + 1] = pcall(debug.getmetatable(recorder).__gc,
          recorder) and "closed" or nil
        recorder:mark "in the function"
        return #messages < 2
      end)
      for _ = 1, 2000 do recorder:push(1e6) end
      assert.is_false(recorder:stream())
      assert.equal(2, #messages)
      assert.matches("its own function ends it by returning false", messages[1])
      assert.equal(2000, recorder:result().frames)
    end
  end)

  it("has names that are whole UTF-8", function()
    local recorder = tare.frames()
    recorder:mark("a\255b" .. ("\195\164"):rep(40))
    recorder:push(1e6)
    assert.equal("a?b" .. ("\195\164"):rep(22),
      recorder:result().marks[1].name)
  end)
end)

-- Frames of some mean with neighbours that are alike, as a summary.
local function build(mean, seed, hitch_every)
  local recorder, busy = tare.frames { budget_ms = 16.67, frames = 50 }, 0
  for i = 1, 6000 do
    seed = (seed * 16807) % 2147483647
    local random = seed / 2147483647
    if i % 40 == 0 then busy = random < 0.3 and 3 or 0 end
    local hitch = hitch_every and i % hitch_every == 0 and 30 or 0
    recorder:push((mean + busy + random + hitch) * 1e6)
  end
  return recorder:result(), recorder
end

describe("a page of frames", function()
  it("shows the whole session where the host waits between frames, and names "
    .. "of marks as far as there is room", function()
      local meter = core.meter { manual_tick_ns = 1 }
      local recorder = tare.frames { meter = meter, frames = 200 }
      for i = 1, 800 do
        if i == 100 then recorder:mark "menu" end
        if i == 640 then recorder:mark(("level two "):rep(4)) end
        recorder:begin()
        meter:advance(1e6)
        recorder:finish()
        meter:advance(9e6)
      end
      local page = tare.render(recorder, "html")
      local session = page:match "The session: p50.-How long"
      assert.matches(">menu<", session)
      assert.matches(">level two%.%.%.<", session)
      -- 8 s long, not the 0.8 s that the frames took
      assert.matches(">6<", session)
    end)

  -- The dots or the line of a class in the plot of that title: { x, y } each,
  -- to the right and down.
  local function points_in(page, title, class)
    local list, x, y = {}, 0, 0
    local drawn = page:match("<figcaption>" .. title .. ".-</figure>") or ""
    local d = drawn:match('class="' .. class .. '" d="([^"]*)"') or ""
    for dx, dy in d:gmatch "[Mlm](-?%d+) ?(-?%d+)" do
      x, y = x + dx, y + dy
      list[#list + 1] = { x, y }
    end
    return list
  end

  it("draws each of the latest frames, or of many some, and all slow ones",
    function()
      local function drawn(frames, slow_every)
        local recorder = tare.frames { budget_ms = 10, frames = 4000 }
        for i = 1, frames do
          recorder:push(i % slow_every == 0 and 20e6 or 5e6)
        end
        local points = points_in(tare.render(recorder, "html"),
          "The last [%d,]+ frames", "dots m1")
        local slow, from = 0, points[1] and math.huge or 0
        for _, point in ipairs(points) do from = math.min(from, point[2]) end
        for _, point in ipairs(points) do
          if point[2] == from then slow = slow + 1 end
        end
        return #points, slow
      end
      assert.equal(0, (drawn(2, 10)))
      assert.same({ 3, 1 }, { drawn(3, 3) })
      assert.same({ 1200, 12 }, { drawn(1200, 100) })
      -- every second, and of 23 slow ones the 12 that are not among them
      assert.same({ 1200 + 12, 23 }, { drawn(2400, 101) })
      -- every third, with a third of 36 slow ones
      assert.same({ 1200 + 24, 36 }, { drawn(3600, 100) })
    end)

  it("draws the least heap of each stretch at its place in the session",
    function()
      local record = tare.frames { budget_ms = 10 }
      for _ = 1, 64 do record:push(5e6) end
      local said = record:result()
      said.course, said.total_ms, said.marks = {}, 4000, {}
      said.samples = nil
      for i, mib in ipairs { 4, 2, 3, 4 } do
        said.course[i] = { start_ms = 1000 * (i - 1), frames = 16, p50 = 5,
          p99 = 5, least_heap_bytes = mib * 2 ^ 20 }
      end
      local function heap()
        return points_in(frame_plots.of(said), "The Lua heap", "line m3")
      end
      local points = heap()
      assert.equal(4, #points)
      local wide, high = points[2][1] - points[1][1], points[2][2]
        - points[1][2]
      assert.is_true(wide > 100 and high > 50)
      for i, mib in ipairs { 4, 2, 3, 4 } do
        assert.near(points[1][1] + (i - 1) * wide, points[i][1], 2)
        assert.near(points[1][2] + (4 - mib) * high / 2, points[i][2], 2)
      end
      said.course[2].least_heap_bytes = nil -- not known of each
      points = heap()
      assert.equal(3, #points)
      assert.near(points[1][1] + 2 * wide, points[2][1], 2)
      said.course[3].least_heap_bytes = nil
      assert.equal(0, #heap())
      for _, stretch in ipairs(said.course) do stretch.least_heap_bytes = 0 end
      assert.equal(0, #heap())
    end)

  it("draws bars as high as their frames are many", function()
    local recorder = tare.frames { budget_ms = 16.67 }
    -- Of 6 % around 5 ms, which are several of the recorder's bins and some
    -- bars, and of 8 ms, which are one.
    for i = 1, 1200 do recorder:push(5e6 * (1 + 0.06 * (i % 12) / 12)) end
    for _ = 1, 400 do recorder:push(8e6) end
    for _ = 1, 400 do recorder:push(12e6) end
    local page = tare.render(recorder, "html")
    local heights = {}
    for top in page:match '<path class="area s1" d="(.-)"'
      :gmatch "M%d+ %d+V(%d+)H" do
      heights[#heights + 1] = tonumber(top)
    end
    local count = #heights
    assert.is_true(count >= 4 and count <= 6, count)
    assert.equal(heights[count], heights[count - 1]) -- 400 frames each
    assert.is_true(heights[count] < 100) -- of 250
    for i = 1, count - 2 do -- of 100 to 500
      assert.is_true(heights[i] <= heights[count] + 60, heights[i])
      assert.is_true(heights[i] >= heights[count] - 20, heights[i])
    end
    assert.is_true(heights[2] < heights[count] + 10) -- of 400 or so
  end)

  it("has no usual time of the first frame", function()
    local recorder = tare.frames()
    recorder:push(2e7)
    assert.matches("\n  1 +20.0 ms +0 ns +%-", tare.render(recorder, "text"))
  end)
end)

describe("the course of a session", function()
  it("has the median and the slowest of each stretch, in milliseconds",
    function()
      local said = played(3000, by_ten):result()
      local frames = 0
      for _, stretch in ipairs(said.course) do
        frames = frames + stretch.frames
        assert.near_relative(10, stretch.p50, 0.05)
        assert.near_relative(40, stretch.p99, 0.05)
        assert.near_relative(0.1, stretch.over, 0.1)
      end
      assert.equal(3000, frames)
      assert.is_true(#said.course > 3)
    end)
end)

describe("a capture", function()
  it("reads back as it was", function()
    local recorder = played(500, by_ten, { frames = 100 })
    local path = kept.keep(command.file(tare.render(recorder, "json"),
      ".json"))
    local record = assert(require("tare.store.capture").read(path))
    local before, after = recorder:result(), summaries.summary(record)
    for _, format in ipairs { "text", "csv", "perfetto", "markdown", "html",
      "json" } do
      assert.equal(tare.render(before, format), tare.render(after, format))
    end
  end)

  it("does not say how the heap grows where its blocks began at one time",
    function()
      local recorder = played(500, by_ten)
      local path = kept.keep(command.path ".json")
      local data = cjson.decode(tare.render(recorder, "json"))
      data.gc_minor, data.gc_major = 0, 1000
      for i, block in ipairs(data.blocks) do
        block.start_ns, block.least_heap_bytes = i == 1 and 0 or 1e9, 1e6
      end
      assert.is_true(#data.blocks >= 8)
      command.write(path, cjson.encode(data))
      local record = assert(require("tare.store.capture").read(path))
      local summary = summaries.summary(record)
      assert.is_nil(summary.heap_bytes.growth)
      assert.is_nil(tare.render(summary, "text"):find("per minute", 1, true))
    end)

  it("is refused where it is damaged, whatever is missing", function()
    local capture = require "tare.store.capture"
    local recorder = played(100, by_ten)
    local text = tare.render(recorder, "json")
    local path = kept.keep(command.path(".json"))
    for name in pairs(cjson.decode(text)) do
      for _, wrong in ipairs { cjson.null, -1, "x", { "x" }, { { x = 1 } } } do
        local data = cjson.decode(text)
        data[name] = wrong
        command.write(path, cjson.encode(data))
        local record, message = capture.read(path)
        if record then
          assert.is_string(tare.render(summaries.summary(record), "html"))
          assert.is_string(tare.render(summaries.summary(record), "perfetto"))
        else
          assert.matches(name == "tare" and "is no capture of frames"
            or "is damaged: '" .. name .. "'", message, 1, true)
        end
      end
    end
    local data = cjson.decode(text)
    data.samples.wall_ns = 5
    command.write(path, cjson.encode(data))
    assert.matches("is damaged: 'samples'", select(2, capture.read(path)), 1,
      true)
  end)
end)

describe("frames of two builds", function()
  local function verdicts(new, old)
    local found = {}
    for _, one in ipairs(judge.compare(new, old)) do
      found[one.figure.name] = one.verdict or "none"
    end
    return found
  end

  it("differ where one is slower, and in what it is", function()
    local found = verdicts(build(10, 3), build(8, 5))
    assert.same({ "slower", "slower", "none" }, { found.p50, found.p99,
      found.max })
    found = verdicts(build(8, 3, 100), build(8, 5))
    assert.same({ "more", "more", "slower" }, { found.over, found.stutters,
      found.low1 })
    assert.not_equal("slower", found.p50)
  end)

  it("close in the colour of what became of them", function()
    local frames_report = require "tare.report.frames"
    local function style(new, old)
      return frames_report.document(new, { against = { summary = old,
        name = "old", new_name = "new", compared = judge.compare(new, old) } })
        .closing.style
    end
    local quick, slow, same = build(8, 3), build(10, 3), build(8, 3)
    assert.equal("bad", style(slow, quick))
    assert.equal("good", style(quick, slow))
    assert.is_nil(style(quick, same))
  end)

  it("are not told apart by shares whose difference may be either way",
    function()
      local new, old = build(8, 3, 100), build(8, 5)
      for name, change in pairs {
        unclear = { value = 0.01, low = -0.05, high = 0.07 },
        fewer = { value = -0.04, low = -0.05, high = -0.03 },
        more = { value = 0.04, low = 0.03, high = 0.05 },
        same = { value = 0, low = -1e-6, high = 1e-6 } } do
        local a = { value = 0.1, low = 0.1, high = 0.1 }
        local b = { value = a.value + change.value,
          low = a.low + change.low, high = a.high + change.high }
        local mine, other = {}, {}
        for key, value in pairs(new) do mine[key] = value end
        for key, value in pairs(old) do other[key] = value end
        other.over, mine.over = a, b
        assert.equal(name, verdicts(mine, other).over)
      end
    end)

  it("are compared in nanoseconds, the longest as the others", function()
    for _, one in ipairs(judge.compare(build(10, 3, 100),
      (build(8, 5)))) do
      if one.figure.name == "max" or one.figure.name == "p50" then
        assert.is_true(one.new.value > 1e6 and one.old.value > 1e6)
        assert.is_true(one.change.value > 1e5)
      end
    end
  end)

  it("of the same kind are seldom told apart", function()
    local wrong = 0
    for seed = 1, 40 do
      local found = verdicts(build(8, seed * 7919), build(8, seed * 104729))
      if found.p50 == "slower" or found.p50 == "faster" then
        wrong = wrong + 1
      end
    end
    assert.is_true(wrong <= 6, wrong .. " of 40")
  end)

  it("fail gates that they are beyond for certain", function()
    local new, old = build(10, 3, 100), build(8, 5)
    local function failures(rules, other)
      local compared = other and judge.compare(new, other)
      local wanted = assert(judge.rules(rules, other ~= nil))
      local names = {}
      for i, failure in ipairs(judge.gate(wanted, new, compared).failures) do
        names[i] = failure.metric
      end
      return table.concat(names, " ")
    end
    assert.equal("p50 over", failures("p50>5%,over>0.5%,p99>1000%", old))
    assert.equal("p50 max", failures("p50>1ms,max>10%", old))
    assert.equal("p95 over", failures("p50>20ms,p95>12ms,over>0.5%"))
    assert.equal("", failures("p50>40%,over>2%", old))
  end)

  it("don't pass a gate on what has no interval in either of them", function()
    local few, many = build(8, 3, 100), build(8, 5)
    few.low01, many.low01 = { ms = 200 }, { ms = 20, low = 19, high = 21 }
    for _, pair in ipairs { { few, many }, { many, few } } do
      local new, old = pair[1], pair[2]
      local held = judge.gate(assert(judge.rules("low01>5%,p50>90%", true)),
        new, judge.compare(new, old))
      assert.same({ "not checked: too few frames to compare low01; gate: "
        .. "low01>5%" }, held.notes)
      assert.same({ {}, 1 }, { held.failures, held.checked })
    end
    -- A limit of its own needs no interval, and the longest frame has none.
    local held = judge.gate(assert(judge.rules("low01>50ms", false)), few)
    assert.equal(1, #held.failures)
    held = judge.gate(assert(judge.rules("max>1000%", true)), few,
      judge.compare(few, many))
    assert.same({ {}, 1 }, { held.notes, held.checked })
  end)

  it("are gated by rules that can be", function()
    for text, message in pairs { ["p99>5%"] = "needs an older capture",
      ["p98>20ms"] = "no figure 'p98'", ["over>3"] = "needs a percentage",
      ["p99>20"] = "needs a unit", ["p99"] = "is not a rule",
      [""] = "no rule is given" } do
      local rules, said = judge.rules(text, false)
      assert.is_nil(rules)
      assert.matches(message, said, 1, true)
    end
  end)
end)

if not pcall(require, "luv") then return end -- which the command line needs

describe("tare frames", function()
  local function stored(...)
    local _, recorder = build(...)
    return kept.keep(command.file(tare.render(recorder, "json"), ".json"))
  end

  it("shows a capture, compares two, and fails with 3", function()
    local new, old = stored(10, 3, 100), stored(8, 5)
    local code, out, err = command.tare("frames", new)
    assert.same({ 0, "" }, { code, err })
    assert.matches("^6,000 frames in", out)
    code, out = command.tare("frames", new, old)
    assert.equal(0, code)
    assert.matches("\n  p50 .* slower\n", out)
    code, out, err = command.tare("frames", new, old, "--fail-on", "p50>5%",
      "-q")
    assert.same({ 3, "" }, { code, out })
    assert.matches("^tare: p50: .* instead of .*; gate: at most 5%% more than "
      .. "before %(p50>5%%%)\ntare: 1 gate failed: exit code 3\n$", err)
    code = command.tare("frames", old, new, "--fail-on", "p50>5%")
    assert.equal(0, code)
  end)

  it("says no more of a few frames than they do", function()
    local function capture(...)
      return kept.keep(command.file(tare.render(played(...), "json"), ".json"))
    end
    local one = capture(1, function() return 7 end)
    local code, out = command.tare("frames", one,
      capture(20, function(i) return 10 + i end))
    assert.equal(0, code)
    assert.matches("^1 frame in ", out)
    assert.matches("\n  p99 .* 0%.2%d times +unclear\n", out)
    assert.is_nil(out:find("inf", 1, true), out)
    out = select(2, command.tare("frames", one))
    assert.matches("\n0 of 1 frame over the budget ", out)
  end)

  it("says in a line why it can't", function()
    local path = stored(8, 5)
    for _, case in ipairs {
      { "is no capture of frames", "frames", "spec/data/tare1_first.json" },
      { "--fail-on: 'p99>5%': a percentage needs an older capture", "frames",
        path, "--fail-on", "p99>5%" },
      { "no gate could be checked", "frames", path, "--fail-on",
        "heap_growth>1MiB" },
      { "can't be rendered as 'junit'", "frames", path, "-f", "junit" },
      { "shows frames: 'tare frames", "report", "spec/data/tare1_first.json",
        "-f", "perfetto" } } do
      local code, _, err = command.tare(case[2], case[3], case[4], case[5],
        case[6])
      assert.equal(1, code)
      assert.matches(case[1], err, 1, true)
      assert.equal(1, select(2, err:gsub("\n", "")))
    end
  end)
end)
