-- The page: what it holds. How it looks and behaves is in e2e_html_spec.
local columns = require "tare.report.columns"
local fixtures = require "spec.support.fixtures"
local html = require "tare.report.html"
local markup = require "tare.report.html.markup"
local report = require "tare.report"
local scale = require "tare.report.scale"

local function count(text, plain)
  local found, from = 0, 1
  while true do
    from = text:find(plain, from, true)
    if not from then return found end
    found, from = found + 1, from + #plain
  end
end

-- The part of a page about one result.
local function part_of(page, index)
  local from = assert(page:find('<details class="result" id="r' .. index, 1,
    true))
  return page:sub(from, page:find('<details class="result" id="', from + 1,
    true) or #page)
end

-- Texts as a reader sees them: no tags, entities read.
local function read(page)
  return (page:gsub("<wbr>", ""):gsub("<style>.-</style>", "")
    :gsub("<script>.-</script>", ""):gsub("<[^>]*>", " ")
    :gsub("\194\160", " "):gsub("&#39;", "'"):gsub("&quot;", '"')
    :gsub("&lt;", "<"):gsub("&gt;", ">"):gsub("&amp;", "&"):gsub(" +", " "))
end

describe("the HTML report", function()
  local page = html.render(fixtures.report())

  it("is one page that asks for nothing else", function()
    assert.equal(1, page:find("<!DOCTYPE html>\n<html lang", 1, true))
    assert.equal("</html>\n", page:sub(-8))
    for _, outside in ipairs { "http:", "https:", "url(", " src=", "@import",
      "<link" } do
      local without = page:gsub("http://www.w3.org/2000/svg", "")
      assert.equal(0, count(without, outside), outside)
    end
  end)

  it("leaves every name text, whatever it holds", function()
    assert.equal(0, count(page, "&amp;#39;")) -- escaped once
    assert.is_true(count(page, "<li><b>the collector&#39;s share</b>") > 0)
    assert.equal(1, count(page, "</script>"))
    assert.equal(1, count(page, "<script>"))
    assert.equal(0, count(page, '<b>"x"'))
    assert.equal(0, count(page, "<i>"))
    assert.equal(0, count(page, "<!-- "))
    assert.truthy(page:find("&lt;/script&gt;&lt;b&gt;&quot;x&quot;", 1, true))
  end)

  it("shows control characters by their codes", function()
    assert.is_nil(page:find("[%z\1-\8\11-\31\127]"))
    assert.truthy(page:find("]]&gt;|\\r\\n\\t%s\\x01", 1, true))
  end)

  it("is named after its suites, each once", function()
    local function title(...)
      local data = fixtures.many(select("#", ...))
      for i, suite in ipairs { ... } do data.results[i].suite = suite end
      return html.render(data):match "<title>(.-)</title>"
    end
    assert.matches("a, b", title("a", "b", "a", "b"), 1, true)
    assert.is_nil(title("a", "b", "a", "b"):find("more", 1, true))
    assert.matches("a, b and 2 more suites", title("a", "b", "c", "d"), 1, true)
  end)

  it("begins with a summary: count, failures, winners, noise", function()
    local data = fixtures.report()
    for _, result in ipairs(data.results) do result.warnings = { "drift" } end
    local top = read(html.render(data, { failures = {
      { id = "a", message = "a: time rose <much>" } } })
      :match('<section id="summary">(.-)</section>'))
    local last = 0
    for _, part in ipairs { "20 ok , 1 failed , 1 gate failed",
      "broken/raises broken_bench.lua:7: attempt", "a time rose <much>",
      "strings : buffer is the quickest, ",
      "vec/fill : insert is the quickest up to n = 1,300",
      "machine: speed drifted" } do
      local at = top:find(part, last + 1, true)
      assert.is_truthy(at, part .. " in " .. top)
      last = at
    end
  end)

  it("has contents that lead to every section", function()
    local links = 0
    for anchor in page:match("<nav.-</nav>"):gmatch('href="#([^"]+)"') do
      assert.equal(1, count(page, ' id="' .. anchor .. '"'), anchor)
      links = links + 1
    end
    assert.equal(6, links)
  end)

  it("has a button that says what it changes", function()
    assert.equal(1, count(page, '>show linear axes</button>'))
  end)

  it("explains what the same is by the tolerance of the run", function()
    local data = fixtures.report()
    data.options = { tolerance = 0.05 }
    assert.truthy(read(html.render(data)):find("'same': the whole range is "
      .. "within 5% either way; 'unclear': it may be faster or slower.", 1,
      true))
  end)

  it("marks a bench by what sets it apart, and by nothing else", function()
    local function marks(data)
      local list = {}
      for text in html.render(data):gmatch '<span class="chip">([^<]*)<' do
        list[#list + 1] = text
      end
      return list
    end
    local data = fixtures.many(3)
    assert.same({}, marks(data))
    data.results[2].baseline, data.results[3].gc = true, "stopped"
    assert.same({ "collector natural", "baseline", "collector natural",
      "collector stopped" }, marks(data))
  end)

  it("says in its tables what the terminal says", function()
    local text = read(page)
    for _, part in ipairs { "525 ns ±1.0%", "2.04 times as fast (2.01 to 2.07)",
      "compared with concat", "same (within 1.3%)", "27%", "152 B",
      "insert grows as n log n, beside a fixed 30 ns (n is possible, too)" } do
      assert.is_truthy(text:find(part, 1, true), part)
    end
  end)

  it("writes microseconds in one way", function()
    local data = fixtures.report()
    data.options = { quota = { ns = 2e4 } }
    local out = html.render(data, { failures = { { id = "a",
      message = "a: time rose from 1.06 us to 1.43 us. Gate: time>5%" } },
      notes = { "it took 12 us" } })
    out = out:gsub("<script>.*", "")
    assert.is_nil(out:find "%d\194?\160? ?us%f[%W]")
    assert.is_truthy(read(out):find("from 1.06 µs to 1.43 µs. G", 1, true))
  end)

  it("says the doubt of a law above the table, and not in it, too", function()
    local data = fixtures.report()
    data.sweeps[1].series[1].law.exponent = { value = 1, low = 0.7, high = 1.3 }
    local text = read(html.render(data))
    assert.equal(1, count(text, "0.70 to 1.30"))
    assert.is_truthy(text:find("append may grow as n, exponent 1.00 (0.70 to "
      .. "1.30).", 1, true))
    assert.is_truthy(text:find("maybe n", 1, true))
    assert.is_nil(text:find("exponent: of", 1, true))
  end)

  it("links each bench of a table to its plots and figures", function()
    for i = 1, #fixtures.report().results do
      assert.equal(1, count(page, 'id="r' .. i .. '"'))
    end
    assert.equal(1, count(page, '<a href="#r1">'))
    local part = part_of(page, 5)
    for _, title in ipairs { "Distribution of the batches",
      "Time of a batch over its size", "Batches in the order of measuring",
      "The collector&#39;s share", "Pauses of the collector" } do
      assert.equal(1, count(part, title), title)
    end
    local text = read(part)
    for _, text_of in ipairs { "p5 2", "median", "p95", "120 pauses",
      "A call allocates", "40 B in 1 string", "time ~ iters + gc_minor",
      "gc_major 69.0 µs",
      "outliers 2 far above, 3 above, 1 below; 21% of the variance",
      "processes 1 ", "length of the pause, µs, log scale" } do
      assert.is_truthy(text:find(text_of, 1, true), text_of .. "\n" .. text)
    end
  end)

  it("draws no time below zero", function()
    local data = fixtures.many(3)
    for _, result in ipairs(data.results) do
      result.time = { value = 5, low = -90, high = 100 }
      for i in ipairs(result.samples.wall_ns) do
        result.samples.wall_ns[i] = i % 3 == 0 and 0 or 9 * i
      end
    end
    local drawn = html.render(data)
    assert.is_true(count(drawn, 'data-x="') > 2)
    assert.is_nil(drawn:find('data%-[xy]="%-[^"]* ns"'))
    assert.is_nil(read(drawn):find("%s%-%d"))
  end)

  it("says at the top what time and its interval are", function()
    local text = read(page)
    local at = text:find("per call: time, bytes (allocated), instr ", 1, true)
    assert.is_true(at ~= nil
      and at < text:find("compared with concat", 1, true))
  end)

  it("has the two ends of each column of dots, linear and logarithmic",
    function()
      local log, linear = 0, 0
      for cell in page:gmatch('<th scope="col" class="spot".-</th>') do
        local head = read(cell)
        log = log + (head:find("%S+ %S+ to %S+ %S+ %(log%)") and 1 or 0)
        linear = linear + (head:find("0 to %S+ %S+s %(linear%)") and 1 or 0)
        assert.is_truthy(head:find("time with interval", 1, true))
      end
      assert.is_true(log > 1)
      assert.equal(log, linear)
    end)

  it("draws few batches one by one, not as a density", function()
    local function drawn(many)
      local result = fixtures.result("s", "b", { ns = 1000, noise = 0.01 })
      local samples = { iters = {}, wall_ns = {} }
      for i = 1, many do
        samples.iters[i], samples.wall_ns[i] = 1, 1000 + i * 37 % 10
      end
      samples.wall_ns[2] = 9000 -- far outside, and drawn where it is
      result.samples, result.time = samples, { value = 1000 }
      return html.render { results = { result } }
    end
    assert.equal(0, count(drawn(8), "one by one"))
    local few = drawn(7)
    assert.equal(0, count(few, 'class="area'))
    assert.equal(1, count(few, "<figcaption>The batches, one by one"))
    assert.truthy(read(few):find("7 batches, the first at the top.", 1, true))
    local list, x, y = {}, 0, 0
    for dx, dy in few:match('class="dots s1 big" d="(.-)"')
      :gmatch "m(%-?%d+) ?(%-?%d+)h0" do
      x, y = x + dx, y + dy
      assert.is_true(x > 0 and x < 1000 and y > (list[#list] or 0))
      list[#list + 1] = y
    end
    assert.equal(7, #list)
  end)

  it("draws the one batch of a run over its number of calls", function()
    local result = fixtures.result("s", "b", { ns = 1000, noise = 0.01 })
    result.time = { value = 1000 }
    local function drawn(iters, wall_ns)
      result.samples = { iters = { iters }, wall_ns = { wall_ns } }
      return count(html.render { results = { result } }, 'class="dots')
    end
    assert.equal(1, drawn(10, 1e4))
    for _, nothing in ipairs { { 0, 1e4 }, { 1/0, 1e4 }, { 10, 0/0 } } do
      assert.equal(0, drawn(nothing[1], nothing[2]))
    end
  end)

  it("draws no density below the quickest batch", function()
    local result = fixtures.result("s", "b", { ns = 1000, noise = 0.01 })
    local samples = { iters = {}, wall_ns = {} }
    for i = 1, 60 do
      samples.iters[i] = 1
      samples.wall_ns[i] = 1000 + (i % 6 == 0 and i * 9 or 0)
    end
    result.samples, result.time = samples, { value = 1000 }
    local drawn = html.render { results = { result } }
    local low, high = drawn:match('data%-x="(%S+) (%S+) ns"')
    local first = drawn:match('<path class="area s1" d="M(%d+) ')
    local at = (1000 - tonumber(low)) / (tonumber(high) - tonumber(low))
    assert.is_true(at > 0)
    assert.is_true(math.abs(tonumber(first) / 1000 - at) < 0.002)
  end)

  it("has one account of a bench's batches", function()
    local result = fixtures.result("s", "b", { ns = 1000, noise = 0.01 })
    local measured = #result.samples.iters
    result.samples.iters[1] = 1e-3 -- too small to say what a call takes
    result.clean_batches = measured - 7
    local drawn, longer, beyond = read(html.render { results = { result } })
      :match(("%d batches, %d of them undisturbed, which make the time; "
        .. "(%%d+) of the (%%d+) longer ones are drawn, (%%d+) are far "
        .. "outside%%."):format(measured, measured - 7))
    assert.is_true(tonumber(longer) < measured)
    assert.equal(tonumber(longer), drawn + beyond)
    result.clean_batches = "x" -- of nobody's run
    assert.is_nil(read(html.render { results = { result } })
      :find("left out of"))
  end)


  it("draws no batch that --discard dropped, but in the order of measuring",
    function()
      local samples = { iters = {}, wall_ns = {}, gc_minor = {},
        gc_major = {} }
      local result = { id = "s/b", suite = "s", name = "b", warnings = {},
        samples = samples, time = { value = 1000, low = 990, high = 1010 },
        discarded = 12, discarded_by = { gc = 12 }, clean_batches = 48,
        left_out = {} }
      for i = 1, 60 do
        local is_out = i % 5 == 0
        samples.iters[i] = 90 + i
        samples.gc_minor[i], samples.gc_major[i] = 0, is_out and 1 or 0
        samples.wall_ns[i] = (90 + i) * (is_out and 9000 or 1000 + i % 7)
        if is_out then table.insert(result.left_out, i) end
      end
      local text = read(html.render { results = { result } })
      assert.truthy(text:find("48 batches that --discard kept.", 1, true))
      assert.truthy(text:find(", by all 48 batches. Below are figures of all "
        .. "batches that --discard kept, and", 1, true))
      assert.is_nil(text:find("are far outside", 1, true))
      assert.is_nil(text:find("a major collection ended in it", 1, true))
      assert.truthy(text:find("12 left out of the time", 1, true))
      assert.truthy(text:find("p95 1.01 ", 1, true))
      result.clean_batches = 40
      text = read(html.render { results = { result } })
      assert.truthy(text:find("48 batches that --discard kept, 40 of them "
        .. "undisturbed, which make the time.", 1, true), text)
      assert.truthy(text:find(", by the 40 undisturbed batches. Below", 1,
        true))
    end)
  local dots

  it("labels the sizes of a sweep that were measured", function()
    local plot = page:match(
      '<svg class="plot log.-</svg>.-<g class=tx.-</g>')
    assert.same("10 30 100 300 1,000 3,000 10,000", (plot:match(
      '<g class=tx.-</g>'):gsub("<[^>]*>", " "):gsub("%s+", " ")
      :match("^ (.-) $")))
  end)

  it("draws sweeps with linear and logarithmic axes, and direct labels",
    function()
      assert.equal(1, count(page, 'class="plot log"'))
      assert.equal(1, count(page, 'class="plot linear"'))
      assert.equal(2, count(page, ">append</text>"))
      assert.truthy(page:find("append overtakes insert at n = 1,300 (1,100 to "
        .. "1,600).</title>", 1, true))
      assert.truthy(read(page):find("time per call, µs, log scale", 1, true)
        or read(page):find("time per call, log scale", 1, true))
    end)

  it("writes names at the ends of their lines, apart where these meet",
    function()
      -- Heights of the names on logarithmic axes of lines that end so.
      local function heights(...)
        local one = fixtures.report()
        for i, last in ipairs { ... } do
          local points = one.sweeps[1].series[i].points
          points[#points].value = last
        end
        local drawn, list = html.render(one), {}
        local from = drawn:find('<svg class="plot log"', 1, true)
        for own, y in drawn:sub(from, drawn:find('class="plot linear"', from,
          true))
          :gmatch '<text class="end (m%d)" x="100%%" dx="8" y="([%d.]+)"' do
          list[own] = tonumber(y)
        end
        -- in the room that the plot has for them
        local right, height = drawn:match('style="[^"]*%-%-r:(%d+)px;'
          .. 'height:(%d+)px"', from)
        assert.is_true(tonumber(right) > 7 * #"append")
        assert.is_true(math.max(list.m1, list.m2) <= tonumber(height))
        return list.m1, list.m2
      end
      local slow, quick = heights(1e8, 1e5)
      assert.is_true(quick - slow > 100)
      slow, quick = heights(1e5, 99999)
      assert.near(14, quick - slow, 0.1)
      slow, quick = heights(99999, 1e5)
      assert.near(14, slow - quick, 0.1)
    end)

  it("shortens long names beside lines in the middle, where they still differ",
    function()
      local one = fixtures.report()
      for i, series in ipairs(one.sweeps[1].series) do
        series.label = "impl=with_a_buffer_of_" .. (i == 1 and "its" or "their")
          .. "_own"
      end
      local drawn = html.render(one)
      assert.equal(2, count(drawn, ">with_a_bu\226\128\166of_its_own</text>"))
      assert.equal(2, count(drawn, ">with_a_bu\226\128\166_their_own</text>"))
    end)

  it("keeps of long names beside lines what tells them apart", function()
    local one, seen = fixtures.report(), {}
    local begins, ends = ("a long beginning "):rep(3), (" a long end"):rep(3)
    for i, name in ipairs { "one", "two", "three", "on" } do
      local copy = {}
      for key, value in pairs(one.sweeps[1].series[1]) do copy[key] = value end
      copy.label = "impl=" .. begins .. name .. ends
      one.sweeps[1].series[i] = copy
    end
    one.sweeps[1].crossovers = {}
    local labels = 0
    for label in html.render(one):match 'class="plot log".-class="plot linear'
      :gmatch 'class="end[^>]*>(.-)</text>' do
      assert.matches("^a.*end$", label)
      assert.is_true(#label:gsub("[\128-\191]", "") <= 20, label)
      assert.is_nil(seen[label], label)
      seen[label], labels = true, labels + 1
    end
    assert.equal(4, labels)
  end)

  it("keeps as much of the beginning as of the end of long names that would be "
    .. "the same, around where they differ", function()
    local function labels(...)
      local one, found = fixtures.report(), {}
      for i, name in ipairs { ... } do
        local copy = {}
        for key, value in pairs(one.sweeps[1].series[1]) do
          copy[key] = value
        end
        copy.label = "impl=" .. name
        one.sweeps[1].series[i] = copy
      end
      one.sweeps[1].crossovers = {}
      for label in html.render(one):match 'class="plot log".-class="plot linear'
        :gmatch 'class="end[^>]*>(.-)</text>' do
        found[label:gsub("\226\128\166", "~")] = true
      end
      return found
    end
    local abc, xyz = "abcdefghijklmno", "nopqrstuvwxyz"
    assert.same({ ["abcdefghi~1~stuvwxyz"] = true,
      ["abcdefghi~2~stuvwxyz"] = true },
      labels(abc .. "1" .. xyz, abc .. "2" .. xyz))
    assert.same({ ["abcdefgh~11~stuvwxyz"] = true,
      ["abcdefgh~12~stuvwxyz"] = true, ["abcdefghi~2~stuvwxyz"] = true },
      labels(abc .. "11" .. xyz, abc .. "12" .. xyz, abc .. "21" .. xyz))
  end)

  it("raises the name of a rule that would meet the one before, and drops the "
    .. "third", function()
    local ax = { at = function(x) return x / 10 end }
    local _, texts = markup.named_rules(ax, { { "a", 1 }, { "raised", 1.5 },
      { "dropped", 2 }, { "b", 5 }, { "beyond", 11 } })
    local places = {}
    for place, name in texts:gmatch "<text class=pt ([^>]+)>(%l+)</text>" do
      places[#places + 1] = name .. " " .. place
    end
    assert.same({ "a x=10%", "raised x=15% dy=-14", "b x=50%" }, places)
  end)

  it("draws points of one shape that share a place so that each is seen",
    function()
      local function size_of(series)
        local wide = page:match("svg %.m" .. series .. "%.dots%.big"
          .. "{stroke%-width:([%d.]+)")
        return tonumber(wide or page:match(
          "svg %.dots%.big{stroke%-width:([%d.]+)"))
      end
      for series = 1, 5 do
        if series ~= 3 then -- diamonds
          local again = series + 3
          assert.is_true(size_of(series) >= size_of(again) + 2)
        end
      end
    end)

  it("draws the points of three series in three shapes", function()
    assert.equal(0, count(page, "<use "))
    local three = fixtures.report()
    local sweep, copy = three.sweeps[1], { label = "impl=third" }
    for key, value in pairs(sweep.series[1]) do
      copy[key] = copy[key] or value
    end
    sweep.series[3] = copy
    local out = html.render(three)
    assert.equal(1, count(out, '<path id="diamond"'))
    -- a round dot below one is wider than the circle which that hides
    local half = tonumber(out:match '<path id="diamond" d="M0%-([%d.]+)L')
    local wide = tonumber(out:match "svg %.dots%.big{stroke%-width:([%d.]+)")
    assert.is_true(wide / 2 > (half + 0.7) / math.sqrt(2))
    local log = out:match '<svg class="plot log".-<svg class="plot linear'
    local path = dots(log, "m3 big")
    assert.equal(#path, count(log, '<use href="#diamond" class="m3" '))
    local x, y = log:match '<use [^>]*x="([%d.]+)%%" y="([%d.]+)%%"'
    assert.near(path[1].x, tonumber(x) * 10, 0.6)
    assert.near(path[1].y, tonumber(y) * 10, 2)
  end)

  it("names each crossing below its plot, once", function()
    local function sentences(change)
      local one = fixtures.report()
      if change then change(one.sweeps[1].crossovers) end
      local out = html.render(one):gsub("<title>.-</title>", "")
      return read(out:match '<p class="note rings">(.-)</p>'), out
    end
    local said, out = sentences()
    assert.truthy(said:find("append overtakes insert at n = 1,300 (1,100 to "
      .. "1,600).", 1, true))
    assert.equal(1, count(read(out), "append overtakes insert at n"))
    said, out = sentences(function(list)
      list[2] = { a = "impl=append", b = "impl=insert", x = 100 }
    end)
    assert.truthy(said:find("1: append overtakes", 1, true))
    assert.truthy(said:find("2: insert overtakes", 1, true))
    local log = out:match '<svg class="plot log".-<svg class="plot linear'
    assert.matches('dy="%-4">1</text>.*dy="%-4">2</text>', log)
  end)

  it("has the ticks of a linear axis where a logarithmic one is short",
    function()
      assert.same(scale.linear(1, 2.5).ticks, scale.log(1, 2.5).ticks)
      assert.are_not.same(scale.linear(1, 100).ticks, scale.log(1, 100).ticks)
    end)

  it("closes in the colour of the worst that there is", function()
    local function closing(options, change)
      local one = fixtures.many(2)
      if change then change(one.results[2]) end
      return html.render(one, options):match '<p class="closing (%l+)">'
    end
    local function fails(result) result.error, result.time = "no", nil end
    local gate = { { id = "s/a", message = "s/a: time rose" } }
    assert.equal("good", closing())
    assert.equal("good", closing { failures = {}, checked = 2 })
    assert.equal("warn", closing { failures = {}, checked = 1, unchecked = 1 })
    assert.equal("good", closing { unchecked = 1 }) -- nothing was asked
    assert.equal("warn", closing(nil, function(result) result.time = nil end))
    assert.equal("bad", closing(nil, fails))
    assert.equal("bad", closing { failures = gate, checked = 2 })
    assert.equal("bad", closing({ failures = {}, unchecked = 1 }, fails))
  end)

  -- The places of the points of a page's drawn line, from 0 to 100.
  local function line_of(svg, class)
    local list, x, y = {}, 0, 0
    local path = assert(svg:match('<path class="dots ' .. class
      .. ' big" d="(.-)"'), class)
    for dx, dy in path:gmatch "m(%-?%d+) ?(%-?%d+)h0" do
      x, y = x + dx, y + dy
      list[#list + 1] = { x = x / 10, y = y / 2.5 }
    end
    return list
  end

  -- The height of a drawn line at a place across.
  local function height(line, x)
    for i = 2, #line do
      local a, b = line[i - 1], line[i]
      if a.x <= x and x <= b.x then
        return a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x)
      end
    end
  end

  it("marks a crossing where both drawn lines are, on either axes", function()
    for _, class in ipairs { "log", "linear" } do
      local svg = page:sub((assert(page:find('<svg class="plot ' .. class
        .. '"', 1, true))))
      local x, y = svg:match 'class="crossing" cx="([%d.]+)%%" cy="([%d.]+)%%"'
      for _, own in ipairs { "m1", "m2" } do
        assert.near(tonumber(y), height(line_of(svg, own), tonumber(x)), 0.3)
      end
    end
  end)

  it("says of every column of a regression what it is", function()
    local one = fixtures.report()
    one.options.regress = { { responder = "time", intercept = true,
      predictors = { "iters", "gc_minor", "gc_major" } } }
    local drawn = html.render(one)
    assert.truthy(drawn:find(">R2</th>", 1, true))
    for _, title in ipairs { "per iters", "intercept", "R2" } do
      assert.matches(' title="[^"]+">' .. title .. "</th>", drawn)
    end
  end)

  it("says that a ring may lie beside its size, where one does", function()
    local said = "may lie beside"
    assert.truthy(page:find(said, 1, true)) -- n = 1,300, the lines at 1,990
    local one = fixtures.report()
    one.sweeps[1].crossovers = {}
    assert.is_nil(html.render(one):find(said, 1, true))
    -- Straight lines meet elsewhere if their axes are logarithmic.
    local function cost(series, n)
      return one.sweeps[1].series[series].points[n].value
    end
    local before, after = cost(1, 5) - cost(2, 5), cost(1, 6) - cost(2, 6)
    one.sweeps[1].crossovers = { { a = "impl=insert", b = "impl=append",
      x = 1000 + 2000 * before / (before - after) } }
    assert.truthy(html.render(one):find(said, 1, true))
  end)

  it("marks a crossing that is at the first or last point", function()
    for _, x in ipairs { 10, 10000 } do
      local one = fixtures.report()
      one.sweeps[1].crossovers[1].x = x
      assert.equal(count(page, 'class="crossing" '),
        count(html.render(one), 'class="crossing" '))
    end
  end)

  -- The dots of a class in a page, and the ticks of those beyond the axis, from
  -- left to right in the canvas, as if that were 1000 by 1000.
  function dots(drawn, class)
    local list = {}
    for _, words in ipairs { class, class .. " beyond" } do
      local x, y = 0, 0
      local path = drawn:match('<path class="dots ' .. words .. '" d="(.-)"')
      local steps = "m(%-?%d+) ?(%-?%d+)([hv]%-?%d+)"
      for dx, dy, form in (path or ""):gmatch(steps) do
        x, y = x + dx, y + dy
        -- Ticks begin at an edge and point inwards.
        if form ~= "h0" then assert.equal(y == 0 and "v9" or "v-9", form) end
        assert.equal(words == class, form == "h0")
        list[#list + 1] = { x = x, y = y * 4 }
      end
    end
    assert(list[1], class)
    table.sort(list, function(a, b) return a.x < b.x end)
    return list
  end

  it("draws the batches of each launch in the other colour", function()
    local data = fixtures.many(1)
    local samples = data.results[1].samples
    assert.is_nil(html.render(data):find("Colours alternate", 1, true))
    samples.launch = {}
    for i in ipairs(samples.iters) do samples.launch[i] = i > 45 and 2 or 1 end
    local drawn = html.render(data)
    assert.truthy(drawn:find("Colours alternate from process to process.", 1,
      true))
    local first, second = dots(drawn, "m1"), dots(drawn, "m2")
    assert.equal(45, #first)
    assert.equal(15, #second)
    assert.is_true(first[45].x < second[1].x)
  end)

  it("marks the batches that the time is not of, and says so", function()
    local data = fixtures.many(1)
    assert.is_nil(html.render(data):find("left out of the time", 1, true))
    data.results[1].left_out = { 3, 4, 60 }
    local drawn = html.render(data)
    assert.equal(1, count(drawn, '<span class="key dot out">3 left out of the '
      .. "time</span>"))
    local out, others = dots(drawn, "out"), dots(drawn, "m1")
    assert.equal(3, #out)
    assert.equal(57, #others)
    assert.is_true(out[3].x > others[57].x)
  end)

  it("has room above the longest batch", function()
    local data = fixtures.many(1)
    local samples = { iters = {}, wall_ns = {} }
    for i = 1, 100 do
      samples.iters[i], samples.wall_ns[i] = 10, 1000 + i * 37 % 100
    end
    data.results[1].samples = samples
    local drawn = dots(html.render(data), "m2")
    assert.equal(100, #drawn)
    for _, dot in ipairs(drawn) do assert.is_true(dot.y > 5, dot.y) end
  end)

  it("draws a distribution where the batches are, whatever a time of 0 says",
    function()
      local function drawn(time)
        local data = fixtures.many(1)
        data.results[1].time = time
        return html.render(data):match(
          "Distribution of the batches.-<svg.-</svg>")
      end
      assert.is_string(drawn(nil))
      assert.equal(drawn(nil), drawn { value = 0, low = 0, high = 0 })
    end)

  it("names the winner of a Report that has one section", function()
    local data = fixtures.report()
    data.sweeps, data.results = {}, { data.results[1], data.results[2] }
    data.comparisons = { data.comparisons[1] }
    local top = html.render(data):match '<section id="summary">(.-)</section>'
    assert.matches("buffer is the quickest", read(top), 1, true)
  end)

  it("draws some of many batches, evenly from the first to the last", function()
    local data = fixtures.many(1)
    local samples = { iters = {}, wall_ns = {} }
    for i = 1, 3001 do
      samples.iters[i], samples.wall_ns[i] = 10, 1000 + i * 37 % 100
    end
    data.results[1].samples = samples
    local drawn = dots(html.render(data), "m2")
    assert.is_true(#drawn > 100 and #drawn < 3001, #drawn)
    local from, width = drawn[1].x, drawn[#drawn].x - drawn[1].x
    assert.near(1000 - from, drawn[#drawn].x, 1) -- the margins are the same
    for k, dot in ipairs(drawn) do
      assert.near(from + width * (k - 1) / (#drawn - 1), dot.x, 2)
    end
  end)

  it("has a line of the grid at each tick, and room for the widest", function()
    local checked = 0
    for plot in page:gmatch '<svg class="plot.-</svg>.-</svg>' do
      local grid = plot:match('class=grid d="(M0.-)"')
      if grid and plot:find "^[^>]*data%-y" then
        local lines, widest = {}, 0
        for y in grid:gmatch "M0 (%d+)h1000" do lines[#lines + 1] = y / 2.5 end
        for y, text in plot:match('<g class=ty>.*'):gmatch(
          '<text y=([%d.]+)%%>(.-)</text>') do
          checked = checked + 1
          assert.near(table.remove(lines, 1), tonumber(y), 0.5)
          widest = math.max(widest, #text:gsub("[\128-\191]", ""))
        end
        assert.same({}, lines)
        local class = plot:match '^[^>]* l(%d)"'
        assert.equal(12 + 7 * widest, tonumber(class and page:match(("%%.l%s "
          .. "{ %%-%%-l: (%%d+)px"):format(class))
          or plot:match "%-%-l:(%d+)px"))
      end
    end
    assert.is_true(checked > 20)
  end)

  it("has no prefix of a unit beside a tick at zero", function()
    assert.truthy(page:find(">2\194\160k</text>", 1, true))
    assert.is_nil(page:find(">0\194\160k</text>", 1, true))
  end)

  it("rules off the percentiles, all that are in sight", function()
    local rules = html.render(fixtures.many(1)):match(
      '<path class=median d="(.-)"')
    assert.equal(3, count(rules, "v250"))
  end)

  it("has the samples in a strip below their distribution", function()
    local data = fixtures.many(1)
    local rug = dots(html.render(data), "s1 rug")
    local heights = {}
    for _, dot in ipairs(rug) do
      assert.is_true(dot.y > 828 and dot.y < 1000, dot.y) -- 0 is at 828
      heights[#heights + 1] = dot.y
    end
    table.sort(heights)
    assert.is_true(#heights > 20, #heights)
    assert.is_true(heights[#heights] - heights[1] > 100)
  end)

  it("shades the quickest of each size, and none of one series", function()
    assert.equal(7, count(page, ' best"'))
    local one = fixtures.report()
    one.sweeps[1].series = { one.sweeps[1].series[1] }
    one.sweeps[1].crossovers = {}
    assert.equal(0, count(html.render(one), ' best"'))
  end)

  -- What the glossary explains: titles, and its text.
  local function glossary(data)
    local how = html.render(data):match('<details id="how".->(.-)</details>')
    local titles = {}
    for title in how:gmatch "<b>(.-)</b>" do
      titles[#titles + 1] = title
      assert.is_nil(titles[title], title) -- each once
      titles[title] = true
    end
    return titles, read(how)
  end

  it("explains the figures, warnings and marks that it shows, each once",
    function()
      local data = fixtures.report()
      for _, one in ipairs(data.results) do one.warnings = { "drift" } end
      local titles, how = glossary(data)
      for _, part in ipairs { "1.61 times as fast", "comparing two",
        "Lua instructions column instr: ", "speed drifted Later" } do
        assert.is_truthy(how:find(part, 1, true), part)
      end
      local facts = 0
      for list in page:gsub('<section id="env".*', "")
        :gmatch '<ul class="facts">(.-)</ul>' do
        for fact in list:gmatch "<b>(.-)</b>" do
          assert.is_true(titles[fact], fact)
          facts = facts + 1
        end
      end
      assert.is_true(facts > 50)
    end)

  it("explains nothing that it does not show", function()
    local titles = glossary(fixtures.many(1))
    for _, absent in ipairs { "gc", "allocs", "ipc", "too noisy", "compared",
      "1.61 times as fast (1.58 to 1.64)", "speed drifted" } do
      assert.is_nil(titles[absent], absent)
    end
    assert.is_true(titles["time \194\1772%"])
  end)

  it("has the explanations at its end, folded", function()
    local at = page:find('<details id="how" class="more"><summary>', 1, true)
    assert.is_true(at > page:find('<section id="env">', 1, true))
    assert.is_true(at > page:find('<div class="plots">', 1, true))
  end)

  it("breaks no line between a number and its unit", function()
    assert.is_nil(page:gsub("<[^>]*>", ""):find "%d \194\181s")
    assert.truthy(page:find("%d\194\160\194\181s"))
  end)

  it("breaks no line in a range or an option", function()
    assert.equal(0, count(page:gsub("<[^>]*>", ""), "(2.01 to"))
    assert.truthy(page:find("(2.01\194\160to\194\1602.07)", 1, true))
    local data = fixtures.many(1)
    data.results[1].warnings = { "not_settled" }
    assert.truthy(html.render(data)
      :find('<span class="option">--warmup</span>', 1, true))
  end)

  it("says how many batches are drawn at the end of an axis", function()
    local data = fixtures.many(1)
    local samples = { iters = {}, wall_ns = {} }
    for i = 1, 100 do
      samples.iters[i], samples.wall_ns[i] = 10, 1000 + i * 37 % 100
    end
    data.results[1].samples = samples
    assert.equal(0, count(html.render(data), "ticks at the edge"))
    samples.wall_ns[99], samples.wall_ns[100] = 1e6, 1e6
    local text = read(html.render(data))
    assert.equal(2, count(text, " 2 far outside: ticks at the edge."))
    assert.truthy(text:find("98 of the 100 are drawn, 2 are far", 1, true))
    samples.wall_ns[99], samples.iters[98] = 1000, 1
    assert.truthy(read(html.render(data)):find("100 batches; 98 of the 99 "
      .. "longer ones are drawn, 1 is far outside.", 1, true))
    samples.wall_ns[100] = 1000
    assert.truthy(read(html.render(data)):find("100 batches; the 99 longer "
      .. "ones are drawn.", 1, true))
  end)

  it("does not stretch the times of batches by long ones whose calls are far "
    .. "slower, but by those with few calls, which carry their start",
    function()
      -- Two batches among others of 800 calls of 1 us.
      for _, case in ipairs {
        { iters = 800, call_ns = 1e6, beyond = 2 },
        { iters = 800, call_ns = 1050 },
        { iters = 100, call_ns = 1e6, beyond = 2 }, -- an eighth of the largest
        { iters = 99, call_ns = 1e6 },
        { iters = 1, call_ns = 1e7 },
      } do
        local data = fixtures.many(1)
        local samples = { iters = {}, wall_ns = {} }
        for i = 1, 100 do
          local is_other = i > 98
          samples.iters[i] = is_other and case.iters or 800
          samples.wall_ns[i] = samples.iters[i]
            * (is_other and case.call_ns or 1000 + i * 37 % 100)
        end
        data.results[1].samples, data.results[1].fits = samples, nil
        local plot = read(html.render(data)):match
          "Time of a batch over its size(.-)Batches in the order"
        assert.equal(case.beyond, tonumber(plot:match " (%d+) far outside"))
      end
    end)

  it("does not stretch a distribution by what was disturbed", function()
    local data, disturbed = fixtures.many(1), {}
    local samples = { iters = {}, wall_ns = {} }
    for i = 1, 100 do
      samples.iters[i] = 10
      samples.wall_ns[i] = 1000 + i * 37 % 100
      if i > 45 then
        samples.wall_ns[i], disturbed[#disturbed + 1] = 1500 + 10 * i, i
      end
    end
    local result = data.results[1]
    result.samples, result.time = samples, { value = 101, low = 100,
      high = 102 }
    local function beyond()
      return tonumber(read(html.render(data)):match "(%d+) are far outside")
    end
    assert.is_nil(beyond())
    result.left_out = disturbed
    assert.equal(55, beyond())
  end)

  it("names the rules of percentiles, above them that of the time", function()
    local data = fixtures.many(1)
    local samples = { iters = {}, wall_ns = {} }
    for i = 1, 100 do
      samples.iters[i] = 10
      samples.wall_ns[i] = i > 60 and 2000 + i * 10 or 1000 + i
    end
    data.results[1].samples, data.results[1].time = samples, nil
    data.results[1].time = { value = 102, low = 101, high = 103 }
    local drawn = html.render(data)
    local place, shown = drawn:match
      '<text class="pt of" x=([%d.]+)%% dy=%-14[^>]*>(.-)</text>'
    assert.equal("102\194\160ns", shown)
    local names, last = {}, -1
    for at, name in drawn:gmatch '<text class="pt" x=([%d.]+)%%[^>]*>(.-)<' do
      names[#names + 1] = name
      assert.is_true(tonumber(at) > last)
      last = tonumber(at)
    end
    assert.equal("p5", names[1])
    assert.equal("p95", names[#names])
    assert.is_true(tonumber(place) < last)
    local pauses = page:match "Pauses of the collector.-</figure>"
    for _, name in ipairs { "median", "p95", "p99" } do
      assert.equal(1, count(pauses, ">" .. name .. "</text>"), name)
    end
  end)

  it("draws an interval as far as its plot goes", function()
    local ax = scale.linear(0, 1)
    assert.equal(markup.band(ax, 0.5, 1), markup.band(ax, 0.5, 9))
    assert.equal(markup.band(ax, 0, 0.5), markup.band(ax, -9, 0.5))
    assert.not_equal(markup.band(ax, 0, 0.5), markup.band(ax, 0.1, 0.5))
    assert.not_equal(markup.band(ax, 0.5, 0.9), markup.band(ax, 0.5, 1))
  end)

  it("draws the median along the run from its beginning to its end", function()
    local result = fixtures.result("s", "b", { ns = 1000, noise = 0.01 })
    result.samples = { iters = {}, wall_ns = {} }
    for i = 1, 120 do
      result.samples.iters[i], result.samples.wall_ns[i] = 1, 1000 + i % 7
    end
    result.time = { value = 1003 }
    local line = html.render { results = { result } }
      :match '<path class=running d="([^"]+)"'
    local places, x = {}, 0
    for step in line:gmatch "[Ml](%-?%d+)" do -- from one to the next
      x = x + step
      places[#places + 1] = x
    end
    assert.equal(12, #places)
    for i, place in ipairs(places) do
      assert.near(1000 * (i - 0.5) / 12, place, 25)
    end
  end)

  it("places names of percentiles where each has room", function()
    -- Of rules at these places of a plot; of the middle one, or an end.
    local function placed(...)
      local names, list = { { 0.05, "p5" }, { 0.5, "median" },
        { 0.95, "p95" } }, {}
      local texts = markup.named_percentiles(scale.linear(0, 1), { ... }, names)
      for text in texts:gmatch "<text.-</text>" do
        local at, more, name = text:match
          '^<text class="pt" x=(%d+)%%([^>]*)>(.*)</text>$'
        list[#list + 1] = ("%s %s %s"):format(name, at, more == "" and "middle"
          or more == ' dx=3 style="text-anchor:start"' and "from there"
          or more == ' dx=-3 style="text-anchor:end"' and "up to there" or more)
      end
      return table.concat(list, ", ")
    end
    assert.equal("p5 30 up to there, median 50 middle, p95 70 from there",
      placed(0.3, 0.5, 0.7))
    assert.equal("p5 1 from there, median 50 middle, p95 70 from there",
      placed(0.01, 0.5, 0.7)) -- at the left end
    assert.equal("p5 30 up to there, median 50 middle, p95 99 middle",
      placed(0.3, 0.5, 0.99)) -- at the right end
    assert.equal("p5 30 up to there, median 36 from there, p95 70 from there",
      placed(0.3, 0.36, 0.7))
    assert.equal("p5 30 up to there, p95 56 from there",
      placed(0.3, 0.5, 0.56)) -- no room for the one between
    assert.equal("median 50 middle", placed(-0.1, 0.5, 1.2)) -- out of sight
    assert.equal("median 5 middle, p95 90 from there", placed(0.02, 0.05, 0.9))
  end)

  it("draws pauses where four or more are of one length", function()
    local data = fixtures.many(1)
    local passes = fixtures.report().results[5].passes
    data.results[1].passes = passes
    local function is_drawn(...)
      passes.paced.pauses.histogram = { counts = { ... },
        edges_ns = { 1e3, 2e3, 4e3, 8e3 } }
      return html.render(data):find("Pauses of the collector", 1, true) ~= nil
    end
    assert.is_true(is_drawn(1, 4, 1))
    assert.is_false(is_drawn(3, 3, 3))
    assert.is_false(is_drawn())
  end)

  it("draws the interval of a time behind it, no further than zero", function()
    local function band(low, high)
      local data = fixtures.many(1)
      data.results[1].samples = { iters = { 1, 1, 1 },
        wall_ns = { 10, 11, 12 } }
      data.results[1].time = { value = 11, low = low, high = high }
      local drawn = part_of(html.render(data), 1)
      return count(drawn, "class=interval")
    end
    assert.equal(1, band(10.5, 11.5))
    assert.equal(0, band(nil, nil))
  end)

  it("says why a bench has nothing of the collector, where it is known",
    function()
      local data = fixtures.many(3)
      data.results[1].bytes = { value = 0, unit = "bytes" }
      data.results[2].warnings = { "few_cycles" }
      data.results[3].bytes = { value = 16, unit = "bytes" }
      local drawn = html.render(data)
      local function why(i)
        return read(part_of(drawn, i))
          :match "No figure of the collector: (.-)%."
      end
      assert.equal("a call allocates nothing", why(1))
      assert.equal("the run saw too few collections", why(2))
      assert.is_nil(why(3))
      assert.equal(0, count(page, "No figure of the collector"))
    end)

  -- The part of a page about a bench whose fit on calls and collections has
  -- this coefficient of the calls.
  local function fitted(calls)
    local data = fixtures.many(1)
    local one = fixtures.report().results[5]
    one.fits[2].coefficients.iters = calls
    one.fits[2].coefficients.intercept = { value = -50, low = -90, high = 20 }
    data.results = { one }
    return read(part_of(html.render(data), 1))
  end

  it("draws and names no cost of a call that may be below zero", function()
    for _, calls in ipairs { { value = -26.6e6, low = -30e6, high = -20e6 },
      { value = 944, low = -342, high = 1810 }, { value = -5 } } do
      local text = fitted(calls)
      assert.is_nil(text:find("per call without collections", 1, true))
      assert.is_truthy(text:find("Fit of time ~ iters + gc_minor + gc_major: "
        .. "no line, as the batches differ more by chance than by their number "
        .. "of calls", 1, true))
      assert.is_nil(text:find "[%s(]%-%d")
    end
  end)

  it("says of an intercept that may be below zero what it is at most",
    function()
      local text = fitted { value = 255, low = 250, high = 260 }
      assert.is_truthy(text:find("per call without collections", 1, true))
      assert.is_truthy(text:find("iters 255 ns (250 to 260 ns)", 1, true))
      assert.is_truthy(text:find("intercept at most 20.0 ns", 1, true), text)
      assert.is_nil(text:find "[%s(]%-%d")
    end)

  it("lists environment and options, nested ones too", function()
    assert.truthy(page:find("<li><b>collector mode</b>generational", 1, true))
    assert.truthy(page:find("<li><b>resamples</b>10000", 1, true))
  end)

  it("calls every figure by words, and says its unit", function()
    local data = fixtures.report()
    data.env.clock = { reference_ghz = 2.5 }
    data.env.memory_bytes, data.options.memory_cap = 2 ^ 31, 2 ^ 30
    data.options.confidence = 0.95
    local drawn = html.render(data)
    for list in drawn:gmatch '<ul class="facts">(.-)</ul>' do
      for name in list:gmatch "<li><b>(.-)</b>" do
        assert.is_nil(name:find "[_.]%l", name)
      end
    end
    local text = read(drawn)
    for _, part in ipairs { "median batch", "quickest batch",
      "blocks allocated 4 ", "minor collections in 1,000 calls 0.760 ",
      "clock reference 2.50 GHz ",
      "memory 2.000 GiB ", "memory cap 1.000 GiB ", "confidence 0.95 " } do
      assert.is_truthy(text:find(part, 1, true), part)
    end
    for _, name in ipairs(columns.names()) do
      local words = columns.find(name).words
      assert.is_true(name == "bench" or type(words) == "string", name)
    end
  end)

  it("tells the environments of a merged Report apart", function()
    local merged = fixtures.many(3)
    merged.envs = { { lua = "Lua 5.4" }, { lua = "Lua 5.4" },
      { lua = "LuaJIT" } }
    for i, result in ipairs(merged.results) do result.env_index = i end
    local text = html.render(merged)
    assert.equal(1, count(text, "<summary>Environment 1</summary>"))
    assert.equal(1, count(text, "<summary>Environment 2</summary>"))
    assert.equal(2, count(text, ">environment 1</span>"))
    assert.equal(1, count(part_of(text, 3), ">environment 2</span>"))
    assert.equal(0, count(page, ">environment 1</span>"))
  end)

  it("is below 540 kB for 81 benches of all kinds", function()
    local data, kinds = fixtures.many(0), fixtures.report().results
    for i = 1, 81 do
      local copy, one = {}, kinds[i % 5 + 1]
      for key, value in pairs(one) do copy[key] = value end
      copy.id, copy.name = "tables/fill" .. i, "fill" .. i
      copy.warnings = { "drift", "two_speeds", "crowded" }
      data.results[i] = copy
    end
    local size = #html.render(data)
    assert.is_true(size < 540e3, size)
  end)

  it("is the same page each time, and leaves the Report as it was", function()
    local data = fixtures.report()
    assert.equal(page, html.render(data))
    assert.same(fixtures.report(), data)
  end)

  it("renders a Report without results", function()
    local empty = html.render { schema = "tare/1", results = {} }
    assert.truthy(empty:find("Nothing was measured", 1, true))
  end)

  it("shows few benches unfolded, many folded", function()
    local few = { results = { fixtures.result("a", "b") } }
    assert.truthy(html.render(few):find('id="r1" open>', 1, true))
    assert.truthy(html.render(fixtures.many(17)):find('id="r1">', 1, true))
    assert.truthy(html.render(few, { title = "<x>" })
      :find("<h1>&lt;x&gt;</h1>", 1, true))
  end)

  it("shows benches that only a table of changes shows in full", function()
    local data = fixtures.many(2)
    data.comparisons = { { a = data.results[1].id, b = data.results[1].id,
      between = "reports", verdict = "same", metric = "time",
      ratio = { value = 1, low = 0.99, high = 1.01 } } }
    local text = html.render(data, { against = { name = "old",
      results = data.results } })
    assert.equal(1, count(text, 'id="r1"'))
    assert.truthy(read(text):find("old -> this run", 1, true))
    -- and no line of its title ends within a day, nor a name's within a part
    local day = html.render(data, { against = { name = "old",
      results = data.results, report = { results = data.results,
        started = "2026-11-22 14:04 UTC" } } })
    assert.equal(3, count(day, '<span class="whole">2026-11-22</span>'))
    assert.truthy(html.render { results = { data.results[1] } }:find(
      "<h1>suite1/<wbr>bench1</h1>", 1, true))
  end)

  -- A page of benches that were 'ratios' times as slow as in another run.
  local function page_of(ratios, failures, change)
    local data, old = fixtures.many(#ratios), fixtures.many(#ratios)
    for i, ratio in ipairs(ratios) do
      local id = data.results[i].id
      data.results[i].time = { value = 2000 * ratio }
      old.results[i].time = { value = 2000 }
      data.comparisons[i] = { a = id, b = id, between = "reports",
        verdict = ratio > 1 and "slower" or ratio < 1 and "faster" or "same",
        metric = "time", ratio = { value = ratio, low = ratio * 0.99,
        high = ratio * 1.01 } }
    end
    if change then change(data.results) end
    return html.render(data, { failures = failures, against = {
      name = "old", results = old.results } })
  end

  -- The summary of such a page.
  local function compared(ratios, failures)
    return read(page_of(ratios, failures)
      :match '<section id="summary">(.-)</section>')
  end

  -- The benches of a page in the order in which they are shown in full.
  local function order_of(drawn)
    local list = {}
    for place in drawn:gmatch '<details class="result" id="r(%d+)"' do
      list[#list + 1] = tonumber(place)
    end
    return list
  end

  it("shows what failed, was stopped by a gate or became slower first",
    function()
      assert.same({ 4, 1, 2, 3 }, order_of(page_of { 1, 0.5, 1, 1.5 }))
      local stopped = fixtures.many(3).results[3]
      local drawn = page_of({ 1, 1.2, 1, 1, 1.5 }, { { id = stopped.id,
        message = stopped.id .. ": bytes rose" } }, function(results)
        results[4].error = "no"
      end)
      assert.same({ 4, 3, 2, 5, 1 }, order_of(drawn))
      local at = assert(drawn:find('id="r4"', 1, true))
      assert.is_true(at > drawn:find('<table class="changes', 1, true))
      assert.is_true(at > drawn:find('<section id="rest"', 1, true))
      assert.equal(1, count(drawn, '<section id="rest"'))
      for i, how in ipairs { [2] = "slower than it was",
        [3] = "stopped by a gate" } do
        assert.truthy(part_of(drawn, i):find('bad">' .. how, 1, true))
      end
      assert.equal(4, count(drawn, '" open>'))
    end)

  it("keeps the order of benches where there is nothing to fail", function()
    local data = fixtures.many(3)
    data.results[2].error, data.results[2].time = "no", nil
    assert.same({ 1, 2, 3 }, order_of(html.render(data)))
  end)

  it("says by how much benches changed that are few", function()
    local top = compared { 1, 1.5, 1 }
    assert.truthy(top:find("1 slower , 2 same ", 1, true), top)
    assert.is_nil(top:find("%f[%d]0 %l"))
    assert.truthy(top:find("bench2 : 2.0 µs → 3.0 µs, 1.50 times as slow "
      .. "(1.48 to 1.52)", 1, true), top)
    assert.equal(1, count(top, "times as"))
  end)

  it("says of a bench that failed a gate only that", function()
    local id = fixtures.many(1).results[1].id
    local top = compared({ 1.5, 1.3 }, { { id = id,
      message = id .. ": time rose by 50%" } })
    assert.equal(1, count(top, "bench1 "), top)
    assert.truthy(top:find("bench2 : 2.0 µs → 2.6 µs", 1, true), top)
  end)

  it("names what changed most, three slower benches before three quicker ones",
    function()
      local function named_of(ratios)
        local named = {}
        for name in compared(ratios):gmatch "bench(%d) :" do
          named[#named + 1] = tonumber(name)
        end
        return named
      end
      assert.same({ 4, 2, 1, 3 }, named_of { 1.1, 1.5, 0.25, 3, 1 })
      assert.same({ 4, 1, 2, 3 }, named_of { 0.2, 0.3, 0.4, 1.5, 0.5, 1 })
    end)

  it("draws points of a sweep that are too noisy hollow, with a legend",
    function()
      assert.equal(0, count(page, 'hollow" d='))
      local noisy = fixtures.report()
      local point = noisy.sweeps[1].series[1].points[3]
      for _, result in ipairs(noisy.results) do
        if result.id == point.id then result.warnings = { "crowded_run" } end
      end
      local out = html.render(noisy)
      local log = out:match('<svg class="plot log".-</svg>')
      assert.equal(1, #dots(log, "m1 hollow"))
      assert.same(dots(log, "m1 big")[3], dots(log, "m1 hollow")[1])
      assert.equal(1, count(out, '<span class="key dot hollow">too noisy'))
    end)

  it("has no filter of one bench, and no button for axes it has not", function()
    local one = html.render(fixtures.many(1))
    assert.equal(0, count(one, '<input id="filter"'))
    assert.equal(0, count(one, '<button id="scale"'))
    assert.equal(1, count(page, '<input id="filter"'))
    assert.equal(1, count(page, '<button id="scale"'))
  end)

  it("writes thousands in one way, on axes and in figures", function()
    local data = fixtures.many(1)
    data.results[1].cycles = { value = 14790, low = 14700, high = 14900 }
    for i, iters in ipairs(data.results[1].samples.iters) do
      data.results[1].samples.iters[i] = iters * 100
    end
    local out = html.render(data):gsub('<section id="env".*', "")
    local text = read(out)
    assert.is_nil(text:find("%f[%d,.]%d%d%d%d+%f[^%d]"), text)
    assert.is_truthy(text:find("%d k%f[%W]"), text)
  end)

  it("lists the rows of a sweep that is too wide for a phone", function()
    assert.equal(1, count(page, '<table class="sweep">'))
    local wide = fixtures.report()
    for _, series in ipairs(wide.sweeps[1].series) do
      series.label = "impl=" .. ("a long name"):rep(2) .. series.label
    end
    local out = html.render(wide)
    assert.equal(1, count(out, '<table class="sweep listed">'))
    assert.is_truthy(out:find('data-t="n">1,000</th>', 1, true))
  end)

  it("wraps a long id between its parts", function()
    assert.is_truthy(page:find("vec/<wbr>fill{<wbr>impl=append,<wbr>n=10}", 1,
      true))
  end)

  it("says in the row of a bench and at the top that it is too noisy",
    function()
      local data = fixtures.many(3)
      for _, i in ipairs { 1, 3 } do
        data.results[i].time = { value = 2000, low = 900, high = 4000 }
      end
      local drawn = html.render(data)
      for i = 1, 3 do
        local row = read(drawn:match('<tr id="b' .. i .. '".-</tr>'))
        assert.equal(i == 2 and 0 or 1, count(row, "too noisy"), row)
        assert.is_nil(row:find("!", 1, true))
      end
      local top = drawn:match '<section id="summary">(.-)</section>'
      assert.matches("1 ok , 2 too noisy too noisy: suite1/bench1 , "
        .. "suite1/bench3 ", read(top))
      for target in top:gmatch 'href="#([^"]+)"' do
        assert.equal(1, count(drawn, ' id="' .. target .. '"'), target)
      end
      assert.equal(2, count(top, 'href="#b'))
      assert.is_nil(html.render(fixtures.many(3)):find(">too noisy", 1, true))
    end)

  it("names in a sweep's cell what is too noisy, and leads to it", function()
    local noisy = fixtures.report()
    local point = noisy.sweeps[1].series[1].points[3]
    for _, result in ipairs(noisy.results) do
      if result.id == point.id then result.warnings = { "crowded_run" } end
    end
    local out = html.render(noisy)
    local target = out:match '<section id="summary">.-href="#(b%d+)"'
    local cell = out:match('<td id="' .. target .. '"[^>]*>(.-)</td>')
    assert.truthy(cell:find(">too noisy</span>", 1, true))
  end)

  it("says below a table what two times in a cell are, and its numbers",
    function()
      local data = fixtures.many(2)
      data.results[1].groups = { { value = 100, share = 0.6 },
        { value = 200, share = 0.4 } }
      local drawn = html.render(data)
      local row = drawn:match '<tr id="b1".-</tr>'
      assert.matches('<a class="warn" href="#n1" title="processes differ '
        .. 'much: [^"]+">%[1%]</a>', row)
      assert.equal(1, count(drawn, '<li id="n1">'))
      local below = read(drawn:match '</table></div><p class="note">(.-)</p>')
      assert.truthy(below:find("[1] processes differ much", 1, true), below)
      assert.truthy(below:find("bench1 has two values, for its processes "
        .. "differ: 100 ns in 60% of the processes, 200 ns in 40%; which is "
        .. "usual is not known", 1, true), below)
    end)

  it("has the groups into which processes fall with their bench", function()
    local data = fixtures.many(2)
    data.results[1].groups, data.results[1].launches = { { value = 1200,
      share = 0.7 }, { value = 1250, share = 0.3 } }, 10
    local drawn = html.render(data)
    assert.truthy(read(part_of(drawn, 1)):find("processes differ 1.20 "
      .. "\194\181s in 7 of 10 processes, 1.25 \194\181s in 3", 1, true))
    assert.is_nil(read(part_of(drawn, 2)):find("\194\181s in 3", 1, true))
    assert.truthy(read(drawn):find("column groups: the groups into which the "
      .. "processes fall", 1, true))
    data.results[1].warnings = { "crowded_run" }
    assert.is_nil(read(html.render(data)):find("\194\181s in 3", 1, true))
  end)

  it("says by which clock times are, and how long was waited", function()
    local data = fixtures.many(2)
    data.env.clock, data.options.quota = { from = "none" }, { ns = 1e9 }
    for _, result in ipairs(data.results) do
      result.time_from, result.waited_ns = "wall", 1.15e9
    end
    local text = read(html.render(data))
    assert.truthy(text:find("Example 9, 4 cores wall time: the core's clock "
      .. "can't be read here", 1, true), text:sub(1, 600))
    assert.truthy(text:find("machine: waited 2.3 s for a free core.", 1, true))
    data.results[1].time_from = "cycles"
    text = read(html.render(data))
    assert.is_nil(text:find("can't be read here", 1, true))
    assert.truthy(text:find("[1] wall time", 1, true))
  end)

  it("says over the figures what the time is", function()
    local data = fixtures.many(1)
    data.results[1].clean_batches = 50
    local text = read(part_of(html.render(data), 1))
    assert.truthy(text:find("is what one call more adds to a batch, by the 50 "
      .. "undisturbed batches. Below are figures of all batches, and by other "
      .. "clocks.", 1, true), text)
    data.results[1].time_from = "cycles"
    assert.truthy(read(html.render(data)):find("undisturbed batches, at the "
      .. "reference clock. Below", 1, true))
  end)

  it("says that the line of a chart is no fit, where there is none", function()
    local text = fitted { value = -5 }
    assert.truthy(text:find("number of calls; the line in the chart is the "
      .. "time times the calls, no fit", 1, true))
    assert.is_nil(fitted { value = 255, low = 250, high = 260 }
      :find("line in the chart", 1, true))
  end)

  it("says of no line of the chart that has none, or is of another pass",
    function()
      local function said(change)
        local data = fixtures.many(1)
        local one = fixtures.report().results[5]
        one.fits[2].coefficients.iters = { value = -5 }
        change(one)
        data.results = { one }
        return read(part_of(html.render(data), 1)):find("line in the chart", 1,
          true) ~= nil
      end
      assert.is_true(said(function() end))
      assert.is_false(said(function(one) one.time = nil end))
      assert.is_false(said(function(one) one.time = { value = 0 } end))
      assert.is_false(said(function(one)
        one.samples = { iters = {}, wall_ns = {} }
      end))
      assert.is_false(said(function(one)
        one.fits[2].pass = "counts"
        one.passes = one.passes or {}
        one.passes.counts = { samples = one.samples }
      end))
    end)

  it("says of all benches only what is the same in all", function()
    local data = fixtures.many(2)
    for _, result in ipairs(data.results) do
      result.loop, result.gc = "inline", "natural"
      result.gc_mode = "generational"
    end
    local function all()
      return read(html.render(data)):match "All benches: .-%."
    end
    assert.matches("loop: inline", all())
    assert.matches("All benches: .*<summary>Environment", html.render(data))
    assert.matches("collector: natural, mode of the collector: generational",
      all())
    data.results[2].gc, data.results[2].gc_mode = "stopped", "incremental"
    assert.matches("loop: inline", all())
    assert.is_nil(all():find("collector", 1, true))
  end)

  it("begins the axis of sizes where the batches are, if they are alike",
    function()
      local function low_of(most)
        local data = fixtures.many(1)
        local samples = { iters = {}, wall_ns = {} }
        for i = 1, 60 do
          samples.iters[i] = 1000 + i * (most - 1000) / 60
          samples.wall_ns[i] = samples.iters[i] * 100
        end
        data.results[1].samples, data.results[1].fits = samples, nil
        local low = html.render(data):match
          'Time of a batch over its size.-data%-x="(%S+) '
        return tonumber(low)
      end
      assert.equal(0, low_of(4000))
      local low = low_of(1500)
      assert.is_true(low > 900 and low < 1017, low)
    end)

  it("colours what happened, and has below it that no gate was set", function()
    local data = fixtures.many(2)
    local id = data.results[1].id
    data.comparisons = { { a = id, b = id, between = "reports",
      verdict = "slower", metric = "time",
      ratio = { value = 1.5, low = 1.4, high = 1.6 } } }
    local top = html.render(data, { exit_code = 0, against = { name = "old",
      results = { data.results[1] } } })
      :match '<section id="summary">(.-)</section>'
    local closing, aside = top:match '<p class="closing %l+">(.-)</p>(.-</p>)'
    assert.equal('<span class="bad">1 slower</span>, 1 new', closing)
    assert.equal(" no gate was set ( --fail-on ) ", read(aside))
  end)

  it("colours each phrase of the closing line by what it counts", function()
    local data = fixtures.many(2)
    local id = data.results[1].id
    local function closing(failures)
      return html.render(data, { exit_code = failures[1] and 3 or 0,
        failures = failures, checked = 2, unchecked = 0, gates = {
          { metric = "time", text = "time>5%", checked = 2, unclear = 0,
            unchecked = 0 },
          { metric = "net", text = "net>5%", checked = 2, unclear = 1,
            unchecked = 0 } } }):match '<p class="closing %l+">(.-)</p>'
    end
    assert.equal('<span class="good">2 ok</span>, <span class="good">1 gate '
      .. 'passed</span>, <span class="warn">1 could not be decided</span>; '
      .. '<span class="warn">what is undecided does not fail: exit code '
      .. "0</span>", closing {})
    assert.equal('<span class="good">1 ok</span>, <span class="bad">1 worse'
      .. '</span>, <span class="bad">1 gate failed</span>; <span class="warn">'
      .. "exit code 3 (what is undecided does not fail)</span>",
      closing { { id = id, rule = "time>5%", message = "x" } })
  end)

  it("has words where tables for a terminal have signs", function()
    local data = fixtures.report()
    for _, point in ipairs(data.sweeps[1].series[1].points) do
      for _, result in ipairs(data.results) do
        if result.id == point.id and point.x > 300 then
          result.time.low, result.time.high = 1, 1e9
        end
      end
    end
    local below = read((html.render(data):match
      '<table class="sweep.-<p class="note">(.-)</p>'))
    assert.matches("^shaded: the quickest; ", below)
    assert.matches("; too noisy to rely on, ranked", below)
    assert.matches("; other times: ", below)
  end)

  it("may draw one point of many", function()
    assert.is_string(html.render(fixtures.report(), { points = 1 }))
  end)

  it("proposes in words what is no command", function()
    local data = fixtures.many(1)
    data.options = { quota = { ns = 2e8 } }
    data.results[1].time = { value = 2000, low = 900, high = 4000 }
    local function next_of(words)
      return html.render(data, { command = { program = { "tare" },
        words = words } }):match '<section id="summary">(.-)</section>'
    end
    assert.matches('<pre class="command">tare run x_bench.lua ',
      next_of { "run", "x_bench.lua" })
    local long = next_of { "run", ("x"):rep(200) .. "_bench.lua" }
    assert.is_nil(long:find("<pre", 1, true))
    assert.matches("Next, to .-: the same command with <code><span "
      .. 'class="option">%-%-quota</span> %d+m?s</code>%.', long)
  end)

  it("says of a bench without a baseline that there is none", function()
    local data = fixtures.report()
    local list = data.results
    -- Two sets, each with a baseline, and a bench that is in none.
    local results, comparisons = {}, {}
    for i = 1, 5 do
      local one = fixtures.result("s", "b" .. i, { ns = 100 * i })
      one.group, one.baseline = { "g" }, i == 1 or i == 3
      one.id, one.compared = "s/g/b" .. i, "s/g"
      results[i] = one
    end
    for i = 1, 3, 2 do
      comparisons[#comparisons + 1] = { a = results[i + 1].id,
        b = results[i].id, verdict = "slower", metric = "time",
        ratio = { value = 2, low = 1.9, high = 2.1 } }
    end
    data.results, data.comparisons, data.sweeps = results, comparisons, {}
    assert.is_true(#list > 0)
    local drawn = html.render(data)
    assert.equal(1, count(drawn, ">no baseline</td>"), read(drawn))
    assert.matches('title="no baseline has[^"]*"[^>]*>no baseline', drawn)
  end)

  it("has words for every column, for where there is no table", function()
    for _, name in ipairs(columns.names()) do
      assert.is_string(name == "bench" and "" or columns.find(name).words,
        name)
    end
  end)

  it("names every control and column", function()
    for box in page:gmatch '<input[^>]*class="pick"[^>]*>' do
      assert.matches(' title="compare[^"]*" aria%-label="compare [^"]+"', box)
    end
    for head in page:gmatch '<th scope="col"[^>]*>' do
      assert.matches(' title="[^"]+"', head)
    end
  end)

  it("explains the columns at the top as the terminal does", function()
    local legend = report.render(fixtures.report(), "text"):match
      "\n(per call: [^\n]*)"
    for _, part in ipairs { "bytes (allocated)", "gc: ",
      "same: the whole range is within " } do
      assert.truthy(legend:find(part, 1, true), part)
    end
    assert.truthy(read(page):find(" " .. legend .. " ", 1, true), legend)
    local in_markdown = report.render(fixtures.report(), "markdown")
    assert.truthy(in_markdown:find("\n\n" .. legend .. "\n\n", 1, true),
      in_markdown)
  end)

  -- How bright a colour is, and how far from another one (WCAG 2.1).
  local function bright(c)
    local sum = 0
    for i, weight in ipairs { 0.2126, 0.7152, 0.0722 } do
      local v = c[i] / 255
      sum = sum + weight * (v <= 0.03928 and v / 12.92
        or ((v + 0.055) / 1.055) ^ 2.4)
    end
    return sum
  end
  local function contrast(a, b)
    local x, y = bright(a) + 0.05, bright(b) + 0.05
    return math.max(x, y) / math.min(x, y)
  end
  local function blend(c, share, ground)
    local out = {}
    for i = 1, 3 do out[i] = c[i] * share + ground[i] * (1 - share) end
    return out
  end

  it("has texts and drawings that can be seen, in light and dark", function()
    local style, themes = page:match "<style>(.-)</style>", {}
    for block in style:gmatch ":root{(.-)}" do
      local theme = {}
      for name, r, g, b in block:gmatch
        "%-%-([%w]+):%s*#(%x%x)(%x%x)(%x%x)%f[^%x]" do
        theme[name] = { tonumber(r, 16), tonumber(g, 16), tonumber(b, 16) }
      end
      if theme.soft then themes[#themes + 1] = theme end
    end
    assert.equal(2, #themes)
    local function opacity(pattern)
      return tonumber((assert(style:match(pattern), pattern)))
    end
    local shares = { opacity "opacity:(%.%d+);%s*}%s*%.spot i::after",
      opacity "%.dots{[^}]-stroke%-opacity:(%.%d+)",
      opacity "%.rug{[^}]-stroke%-opacity:(%.%d+)" }
    for i, theme in ipairs(themes) do
      for _, ground in ipairs { "card", "paper", "faint", "shade" } do
        for _, name in ipairs { "ink", "soft", "good", "bad", "warn" } do
          local ratio = contrast(theme[name], theme[ground])
          assert.is_true(ratio >= 4.5, ("%d %s on %s: %.2f"):format(i, name,
            ground, ratio))
        end
      end
      assert.is_true(contrast(theme.grid, theme.card) >= 3, contrast(
        theme.grid, theme.card))
      for k = 1, 2 do
        for _, share in ipairs(shares) do
          local ratio = contrast(blend(theme["c" .. k], share, theme.card),
            theme.card)
          assert.is_true(ratio >= 3, ("%d c%d at %.2f: %.2f"):format(i, k,
            share, ratio))
        end
      end
    end
  end)

  it("shows a time that is too noisy muted, with the reason, and no other",
    function()
      local data = fixtures.many(2)
      data.results[1].time = { value = 2000, low = 900, high = 4000 }
      local drawn = html.render(data)
      local function head(i)
        return (part_of(drawn, i):match '<span class="head">(.-)</span></summ')
      end
      assert.matches('^<span class="dim">2.0[^<]*</span> <span '
        .. 'class="warn">too noisy', head(1))
      assert.matches("^<b>100", head(2))
      data.results[2] = nil
      assert.matches('<div class="single"><p><span class="dim">2.0[^<]*</span>'
        .. '<span class="warn">too noisy', html.render(data))
      data.results[1].time = { value = 2000, low = 1990, high = 2010 }
      assert.matches('<div class="single"><p><span>2.0', html.render(data))
    end)

  it("refuses columns that there are not", function()
    local none, message = report.render(fixtures.many(1), "html",
      { columns = "x" })
    assert.is_nil(none)
    assert.matches("no column 'x'", message)
  end)
end)
