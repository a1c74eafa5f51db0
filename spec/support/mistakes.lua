-- Mistakes that people make with tare, and what it answers: each answer names
-- what was wrong, where, and what would be right. Data; run by
-- spec/e2e_mistakes_spec.lua.
--
-- 'files' are made in a folder whose name '@' stands for. An entry has the
-- words after 'tare' as a shell reads them, the exit code, and texts that the
-- answer has. Where nothing was measured (codes 0 and 1) the answer is one line
-- on stderr; 'measures = true' is for those that go on with what is sound.
local files, mistakes = {}, {}

-- A bench file of a suite 's' that these statements fill.
local function suite(text)
  return ('local tare = require "tare"\nlocal s = tare.suite "s"\n%s\nreturn s')
    :format(text)
end

-- The same with one bench 'a' that has these fields.
local function bench(fields)
  return suite(('s:bench("a", { %s })'):format(fields))
end

files["two_bench.lua"] = suite [[
s:bench("table", function() return {} end)
s:bench("sum", function()
  local x = 0 for i = 1, 10 do x = x + i end return x end)]]
files["bytes_bench.lua"] = suite [[
s:bench("\255", print) s:bench("\254", print)]]
files["copy_bench.lua"] = files["two_bench.lua"]
files["sweep_bench.lua"] = bench [[params = { n = { 10, 100 },
  impl = { a = 1, b = 2 } }, run = function(p) return { p.n } end]]
files["folder/x_bench.lua"] = bench "run = function() return {} end"
files["broken/a_bench.lua"] = "local x =\nlocal y"
files["broken/b_bench.lua"] = bench "run = function() return {} end"
files["none/notes.txt"] = "no bench"
files["bad.json"] = "{"
files["begun.json"] = '{"schema":"tare/1","env":{"lua":"Lua 5'
files["page.html"] = "<!DOCTYPE html>\n<html><body></body></html>"
files["text.json"] = "hello"
files["zero.json"] = ""
files["other.json"] = '{"a":1}'
files["old.json"] = '{"schema":"tare/1","env":{},"options":{},"results":[\n'
  .. '{"id":"s/gone","suite":"s","name":"gone","params":{},"warnings":[],'
  .. '"time":{"value":5,"unit":"ns"},"samples":{}}\n],"comparisons":[]}'
files["cut.json"] = '{"schema":"tare/1","env":{},"options":{},"results":[\n'
  .. '{"id":"s/gone","suite":"s","na'

-- WORDS AND OPTIONS ----------------------------------------------------------

local function add(line, code, ...)
  mistakes[#mistakes + 1] = { line = line, code = code, says = { ... } }
  return mistakes[#mistakes]
end

-- The same where what is sound is measured, or listed, all the same.
local function add_measured(...) add(...).measures = true end

local TWO = "run @/two_bench.lua "

add("rnu", 1, "unknown command 'rnu'", "did you mean 'run'?")
add("hepl", 1, "unknown command 'hepl'; did you mean 'help'?")
add("frobnicate", 1, "unknown command 'frobnicate'", "are run, list, compare")
add("measure", 1, "unknown command 'measure'; did you mean 'run'?")
add("diff @/old.json @/old.json", 1, "did you mean 'compare'?")
add("@/two", 1, "; to measure it: tare run @/two_bench.lua")
add("@/folder", 1, "; to measure it: tare run @/folder")
add("'return {}'", 1, "; to measure an expression: tare -e 'return {}'")
add("run 'return {}'", 1, "return {}: no such file or folder; an expression "
  .. "is given with -e")
add("@/two_bench.lua", 1, "; to measure it: tare run @/two_bench.lua")
add("help rnu", 1, "unknown command 'rnu'")
add("run", 1, "names no bench file, like 'tare run x_bench.lua'", "-e 'LUA'")
add("list", 1, "missing argument 'files'", "'tare list --help'")
add("report", 1, "missing argument 'file'", "'tare report --help'")
add("init --ci @/folder", 1, "'@/folder' is one argument too many")
add("env @/two_bench.lua", 1, "'@/two_bench.lua' is one argument too many")
add("-v", 1, "unknown option '-v'")
add("--verison", 1, "unknown option '--verison'. Did you mean '--version'?")
add("completion tcsh", 1, "must be one of 'bash', 'zsh', 'fish'")
add(TWO .. "--time 5", 1, "unknown option '--time'; did you mean '--quota 2s'?")
add(TWO .. "-n 5", 1, "unknown option '-n'; did you mean '--quota 1000x'?")
add(TWO .. "--repeat 3", 1, "did you mean '--launches 3'?")
add(TWO .. "-j 4", 1, "would disturb each other; for several machines there is "
  .. "--shard 1/4")
add(TWO .. "\226\128\148quota 2s", 1, "it begins with a dash that is no '-'; "
  .. "did you mean '--quota'?")
add(TWO .. "\226\128\147q", 1, "did you mean '-q'?")
add(TWO .. "--json", 1, "did you mean '--format json'?")
add(TWO .. "--compare @/old.json", 1, "did you mean '--baseline FILE.json'?")
add("report @/old.json --fail-on 'time>5%'", 1,
  "it is an option of 'tare run' and 'tare compare'")
add("list @/two_bench.lua --json", 1, "it is an option of 'tare env'")
add(TWO .. "--quotta 1s", 1, "'--quotta'. Did you mean '--quota'?")
files["flags_bench.lua"] = [[local tare = require "tare"
local flags = { list_size = 10 }
local s = tare.suite "s"
s:bench("a", print)
return tare.main(s, { flags = flags }, ...)]]
add("run @/flags_bench.lua --list-size 5", 1, "unknown option '--list-size'",
  "where it runs by itself: lua @/flags_bench.lua --list-size")
add(TWO .. "--quota", 1, "option '--quota' requires an argument")
add(TWO .. "--quota soon", 1, "--quota: 'soon' is not a duration (like 2s")
add(TWO .. "--quota -1s", 1, "--quota: '-1s' is not a duration (like 2s")
add(TWO .. "--tolerance -1", 1, "--tolerance: '-1' is not a share from 0 to")
add(TWO .. "--quota 0", 1, "--quota: '0' is not a duration")
add(TWO .. "--precision 200%", 1, "--precision: '200%' is not a share",
  "(like 1% or 0.01)")
add(TWO .. "--confidence 95", 1, "--confidence: '95' is not a share",
  "did you mean 0.95 (95%)?")
add(TWO .. "--precision 5", 1, "did you mean 0.05 (5%)?")
add(TWO .. "--launches many", 1, "--launches: 'many' is not auto or a whole")
add(TWO .. "--timeout 0", 1, "--timeout: '0' is not above zero")
add(TWO .. "--gc fast", 1, "--gc: 'fast' is not one of natural, paced")
add(TWO .. "--gc-mode gen", 1, "--gc-mode: 'gen' is not one of incremental")
add(TWO .. "--gc-set puse=200", 1, "--gc-set: 'puse=200'",
  "did you mean 'pause'?")
add(TWO .. "--gc-set pause=x", 1, "--gc-set pause: 'x' is not a whole number")
add(TWO .. "-X gc_pause=x", 1, "-X gc_pause: 'x' is not a whole number")
add(TWO .. "-X lop=call", 1, "-X: no such option: 'lop'; did you mean 'loop'?")
add("frames @/old.json --columns p99", 1, "unknown option '--columns'; it is "
  .. "an option of 'tare run' and")
add(TWO .. "-X profile=banana", 1, "-X profile: 'banana' is not on or off")
add(TWO .. "-X seed", 1, "-X: 'seed' needs a value, like -X seed=N")
add(TWO .. "--loop outline", 1, "--loop: 'outline' is not one of inline, call")
add(TWO .. "--iters x", 1, "--iters: 'x' is not a number of calls")
for _, given in ipairs { "--save @/a.json", "-o @/a.html", "-f csv",
  "--baseline @/old.json", "--resume @/a.json" } do
  add(TWO .. "--iters 5 " .. given, 1, "--iters: measures nothing, so "
    .. given:match "^%S+":gsub("^%-f", "--format"))
end
add(TWO .. "--dry-run --save @/a.json", 1, "--dry-run: measures nothing, so")
add(TWO .. "--shard 5/4", 1, "--shard: '5/4' is not a shard (like 1/4)")
add(TWO .. "--confirm x", 1, "--confirm: 'x' is not a whole number")
add(TWO .. "--confirm -1", 1, "--confirm: '-1' is not a whole number")
add(TWO .. "--width wide", 1, "--width: 'wide' is not a whole number")
add(TWO .. "--color yes", 1, "'--color' must be one of 'auto', 'always'")
add(TWO .. "--match regex", 1, "'--match' must be one of 'glob', 'prefix'")
add(TWO .. "--lua luaX", 1, "luaX: can't be started: no such file")
add(TWO .. "--lua lua5.4 --launches 0", 1,
  "--lua: interpreters need processes of their own")
add(TWO .. "--lua 5.4", 1, "'5.4' is no command; did you mean 'lua5.4'?")
add(TWO .. "--lua 'lua5.4 luajit'", 1, "a comma is between two interpreters")
add(TWO .. "--tolerance 5", 1, "--tolerance: '5' is not a share",
  "did you mean 0.05 (5%)?")
add(TWO .. "--lua ,", 1, "--lua: names no interpreter")
add(TWO .. "--regress tme:iters", 1, "no variable 'tme'; did you mean 'time'?")
add(TWO .. "--regress bytes:iters", 1, "bytes are counted exactly per call",
  "growth_bytes")
add(TWO .. "--regress time:instr", 1, "instructions are counted exactly")
local NO_CYCLES = TWO .. "--filter sum --quota 100x --gc stopped "
  .. "--regress time:gc_major"
add_measured(NO_CYCLES, 0,
  "s/sum can't be fitted: gc_major is zero in every batch")
add_measured(NO_CYCLES .. " -f csv", 0, ",gc_major is zero in every batch")
add_measured(NO_CYCLES .. " -f markdown", 0,
  "s/sum can't be fitted: gc\\_major is zero in every")
add(TWO .. "--regress time:fish", 1, "no variable 'fish'; there are",
  "gc_major")
add(TWO .. "--regress time", 1,
  "is not a regression (like time:iters,gc_major)")

-- WHICH BENCHES --------------------------------------------------------------

add(TWO .. "--filter tabel", 1,
  "no bench matches 'tabel'; did you mean 'table'?")
add(TWO .. "--filter s/table --filter '!table'", 1,
  "what '!' leaves out is all that the others choose")
add(TWO .. "--filter TABLE", 1,
  "no bench matches 'TABLE'; did you mean 'table'?")
add(TWO .. "--filter table,sum", 1, "give each name its own --filter")
add("run @/two_bench", 1, "no such file or folder; did you mean '@/two_bench.l")
add("run @/two", 1, "did you mean '@/two_bench.lua'?")
add("version", 1, "unknown command 'version'; did you mean '--version'?")
add(TWO .. "-f html,json", 1, "no format 'html,json'; each needs a --format")
add(TWO .. "--filter 'su?'", 1, "a glob covers a whole id, like */name*",
  "did you mean 'sum'?")
add("run @/two_bench.lua:concat", 1, "no bench matches 'concat'",
  "there are: s/table, s/sum")
add(TWO .. "--filter '!*'", 1, "no bench matches '!*'")
add(TWO .. "--match pattern --filter '['", 1, "'[' is not a Lua pattern")
add(TWO .. "--match pattern --filter 'a['", 1,
  "--filter: 'a[' is not a Lua pattern")
add(TWO .. "--param n=3", 1, "no chosen bench has a parameter 'n'")
add("run @/sweep_bench.lua --param n", 1, "--param: 'n' is not NAME=VALUE")
add("run @/sweep_bench.lua --param n=3,x", 1,
  "@/sweep_bench.lua: s/a: axis 'n'",
  "takes numbers, got 'x'")
add("run @/sweep_bench.lua --param impl=q", 1, "has no 'q'; it has a, b")
add("run @/two_bench.lua @/copy_bench.lua", 1,
  "@/copy_bench.lua: 's/table' is in @/two_bench.lua too",
  "needs a name of its own")
add("run @/bytes_bench.lua", 1, "two benches have this name, but for bytes "
  .. "that are no UTF-8")

-- EXPRESSIONS ----------------------------------------------------------------

add("-e 'x ='", 1, "-e: (-e):1: unexpected symbol")
add_measured("-e '-5 % 3' --quota 100x", 0, "-5 % 3")
add_measured("-e 'function() return {} end' --quota 100x", 0,
  "note: -e: each call makes this function and does not call it")
add("-e ''", 1, "-e: an expression is empty")
add("-e @/two_bench.lua", 1, "-e: @/two_bench.lua is a file; 'tare run "
  .. "@/two_bench.lua' measures its benches")
add("-e '#t' -s setup.lua", 1, "-s: (-s):2:", "; a file is run with -s 'dofile "
  .. '"setup.lua"\'')
add("-s 'local t = {}'", 1, "--setup: needs an expression to measure: -e 'LUA'")
add("-e 'return t' -s 'local t ='", 1, "-s: (-s):")
add("-e 'foo()' --quota 5ms", 2, "FAILED", "global 'foo'", "-s 'local foo = ")
add("-", 1, "standard input: returns no suite (end it with 'return suite'); "
  .. "an expression is given with -e")

-- TABLES AND GATES -----------------------------------------------------------

add(TWO .. "--columns tim", 1,
  "--columns: no column 'tim'; did you mean 'time'?")
add(TWO .. "--columns fish", 1, "no column 'fish'", "'--columns all'")
add(TWO .. "--columns Time", 1, "no column 'Time'; did you mean 'time'?")
add(TWO .. "--columns time p99", 1,
  "p99: no such file or folder; a comma is between columns: --columns time,p99")
add("report @/old.json --columns time p99", 1,
  "'p99' is one argument too many; a comma is between columns")
add(TWO .. "--sort -tmie", 1,
  "--sort: can't sort by 'tmie'; did you mean 'time'?")
add(TWO .. "--format HTML", 1, "no format 'HTML'; did you mean 'html'?")
add(TWO .. "--format jsn", 1, "--format: no format 'jsn'; did you mean 'json'?")
add(TWO .. "--format pdf", 1, "no format 'pdf'; there are: action")
add(TWO .. "--fail-on 'time>5%'", 1, "--fail-on: needs --baseline")
add(TWO .. "--baseline @/old.json --fail-on 'tme>5%'", 1,
  "--fail-on: no metric 'tme'; did you mean 'time'?")
add(TWO .. "--baseline @/old.json --fail-on 'fish>5%'", 1, "no metric 'fish'",
  "there are time, bytes, allocs")
add(TWO .. "--baseline @/old.json --fail-on 'time 5%'", 1,
  "'time 5%' is not a rule (like time>5% or allocs>0)")
add(TWO .. "--baseline @/old.json --fail-on time", 1, "'time' is not a rule",
  "in a shell '>' needs quotes")
add(TWO .. "--baseline @/old.json --fail-on 'time>5%' 'allocs>0'", 1,
  "allocs>0: no such file or folder; a comma is between rules: --fail-on "
  .. "'time>5%,allocs>0'")
add(TWO .. "--baseline @/old.json --fail-on 'time<5%'", 1,
  "a rule says what would be too much, as in time>5%")
add(TWO .. "--baseline @/old.json --fail-on 'time>5'", 1,
  "'5' needs a unit (like 5% or 100ns)")
add(TWO .. "--baseline @/old.json --fail-on 'mean>5%'", 1,
  "--fail-on: 'mean' has no interval to be judged by; gates can be on time")
add(TWO .. "--baseline @/old.json --fail-on 'min>5%'", 1,
  "'min' has no interval to be judged by")

add(TWO .. "--baseline @/old.json --baseline @/old.json", 1,
  "'--baseline' can be given once, but was given 2 times: @/old.json, "
    .. "@/old.json")
add(TWO .. "--baseline @/old.json --fail-on 'tme>5%' --fail-on 'allocs>0'", 1,
  "--fail-on: no metric 'tme'")
add(TWO .. "--save @/a.json --save @/b.json", 1,
  "'--save' can be given once, but was given 2 times: @/a.json, @/b.json")

-- FILES ----------------------------------------------------------------------

add("run @/nope_bench.lua", 1, "@/nope_bench.lua: no such file or folder")
add("run @/none", 1, "@/none: no *_bench.lua in this folder")
files["odd/bench_x.lua"] = "return 1"
add("run @/odd", 1, "@/odd: no *_bench.lua in this folder; files of other "
  .. "names are given one by one, like @/odd/bench_x.lua")
add_measured("compare @/old.json @/old.json", 0, "@/old.json is compared with "
  .. "itself")
add("run @/old.json", 1, "is a stored report, no bench file",
  "'tare report @/old.json' shows it")
add("list @/old.json", 1, "is a stored report, no bench file")
add("report @/two_bench.lua", 1, "is a bench file, no stored report",
  "'tare run @/two_bench.lua --save FILE.json' makes one")
add("compare @/two_bench.lua @/old.json", 1, "is a bench file")
add(TWO .. "--baseline @/two_bench.lua", 1, "--baseline: @/two_bench.lua: is a")
add("compare @/old.json", 1, "needs two stored reports, NEW.json OLD.json",
  "got 1 file")
add("report @/cut.json", 1, "@/cut.json: its end is missing; 0 results")
add(TWO .. "--baseline @/cut.json", 1, "--baseline: @/cut.json: its end is")
add("report @/bad.json", 1, "@/bad.json: ends in the midst; the file is incom")
add("report @/begun.json", 1, "@/begun.json: ends in the midst")
add("compare @/old.json @/bad.json", 1, "@/bad.json: ends in the midst")
add("report @/text.json", 1, "@/text.json: not JSON",
  "a stored report is the JSON that --save writes")
add("report @/page.html", 1, "@/page.html: is an HTML page, not JSON",
  "a stored report is the JSON that --save writes")
add(TWO .. "--baseline @/page.html", 1, "@/page.html: is an HTML page")
add("report @/zero.json", 1, "@/zero.json: not a tare report: it is empty")
add("report @/other.json", 1, "not a tare report: 'schema' is not 'tare/1'")
add("report @/nope.json", 1, "@/nope.json: No such file or directory")
add("report @/old", 1, "did you mean '@/old.json'?")
add(TWO .. "--baseline sum", 1, "it takes a report that --save wrote")
add("report @/old.json @/bad.json", 1, "'@/bad.json' is one argument too many",
  "'tare compare NEW.json OLD.json' shows two reports")
add("compare @/old.json @/old.json --filter s", 1,
  "--filter: only with --ref")
add("compare @/old.json @/old.json -q --save @/new.json", 1,
  "--save: only with --ref; stored reports are not measured")
add("compare @/old.json @/old.json --quota 1s", 1, "--quota: only with --ref")
add("compare @/old.json @/old.json --confidence 99%", 1,
  "--confidence: only with --ref; stored figures are compared as they are")
add("compare @/old.json @/old.json --discard gc", 1, "--discard: only with")
add(TWO .. "--resume @/old.json --save @/new.json", 1,
  "--save: can't be combined with --resume, which adds to @/old.json")
add("@/old.json", 1, "to show a stored report: tare report @/old.json")
add("compare", 1, "needs two stored reports, NEW.json OLD.json, or --ref")
add("compare --ref @/two_bench.lua", 1,
  "names no bench file beside --ref @/two_bench.lua")
add(TWO .. "--save @/a.html", 1, "--save @/a.html: stores JSON; for html: -o")
add(TWO .. "-o json", 1, "-o json: takes a file; the format is --format json")
add("report @/folder", 1, "@/folder: Is a directory")
add("merge @/old.json @/old.json", 1, "'s/gone' is in @/old.json and in",
  "shards have different benches")
add("merge @/old.json -o @/old.json", 1, "-o @/old.json: this file is read")
add("report @/old.json -f json -o @/old.json", 1, "would be overwritten")
add(TWO .. "--save @/two_bench.lua", 1, "--save @/two_bench.lua: this file is")
add("run @/folder --save @/folder/x_bench.lua", 1, "this file is read")
add(TWO .. "-o @/a.html -o @/a.html", 1, "-o writes to this file already")
add(TWO .. "--save @/a.json -o @/a.json", 1, "writes to this file already")
add(TWO .. "-o @/a.xyz", 1, "its ending says no format; give --format as well")
add(TWO .. "--save @/no/a.json", 1, "@/no/a.json: cannot write: no such file")
if io.open "/proc/version" then
  for _, place in ipairs { "/proc/x.json", "/proc/version" } do
    add(TWO .. "--quota 1h -f json -o " .. place, 1,
      place .. ": cannot write: ")
  end
end
add(TWO .. "--resume @/res.csv", 1, "--resume @/res.csv: stores JSON; for csv: "
  .. "-o @/res.csv")
add("report @/old.json -f json -f csv", 1, "--format csv: stdout takes "
  .. "--format json already; -o after a format says which file it goes to")
add("compare --ref HEAD --ref HEAD @/two_bench.lua", 1,
  "--ref: names 'HEAD' twice")
add(TWO .. "--resume @/other.json", 1, "--resume: @/other.json: not a tare")
add(TWO .. "--resume @/old.json --quota 20ms", 1, " differs: ",
  "; give the option as it was, or another file")
add_measured("run @/broken --quota 100x", 1, "@/broken/a_bench.lua:2:",
  "s/a", ", 1 file broken; exit code 1\n")
add_measured("run @/broken --quota 100x -f markdown", 1,
  ", 1 file broken; exit code 1**\n")
add_measured("list @/broken", 1, "@/broken/a_bench.lua:2:", "s/a\n")
add_measured("run @/broken --dry-run", 1, "a_bench.lua:2:", "s/a: ok")

-- BENCH FILES ----------------------------------------------------------------

local function file(name, text, code, ...)
  files[name .. "_bench.lua"] = text
  add(("run @/%s_bench.lua --quota 100x"):format(name), code, ...)
  if code == 0 then mistakes[#mistakes].measures = true end
end

file("syntax", "local x =\nlocal y", 1, "@/syntax_bench.lua:2:")
file("raises", "error 'oh no'", 1, "@/raises_bench.lua:1: oh no")
file("exits", "os.exit(0)", 1, "@/exits_bench.lua:1: it called os.exit(0)")
file("missing", 'require "no.such"', 1, "module 'no.such' not found",
  "LUA_PATH")
file("nosuite", "return 1", 1, "returns no suite (end it with 'return suite')")
file("notsuite", "return { { name = 'a', run = print } }", 1,
  "@/notsuite_bench.lua: returns a table that is no suite", "suite:bench(name")
file("empty", suite "", 1, "@/empty_bench.lua: there are no benches in it")
file("excluded", bench [[params = { n = { 1 } }, run = print,
  exclude = function() return true end]], 1, "'exclude' and 'where' may leave")
file("dot", suite 's.bench("a", print)', 1, "@/dot_bench.lua:3:",
  "call it with a colon, suite:bench(name, ...)")
file("method", suite 's:bnech("a", print)', 1, "@/method_bench.lua:3:",
  "a suite has no 'bnech'; did you mean 'bench'?")
file("colon", 'return require "tare":suite "s"', 1, "tare.suite(name)")
file("twice", suite 's:bench("a", print) s:bench("a", print)', 1,
  "bench 'a' stands twice in 's'")
file("misspelt", bench "rnu = print", 1, "@/misspelt_bench.lua:3:",
  "no such field: 'rnu'; did you mean 'run'?")
file("of_fn", bench "fn = print", 1,
  "no such field: 'fn'; the function to measure is 'run'")
file("nameless", bench "print", 1, "the function to measure is 'run'")
file("nameless2", bench "'x'", 1, "have names, like run = function() ... end")
file("unrequired", 'local s = tare.suite "s"\nreturn s', 1,
  '; a bench file begins with local tare = require "tare"')
file("ofrun", bench "launches = 3, run = print", 1,
  "'launches' is an option of a run, not of a bench")
file("third", suite 's:bench("a", print, { baseline = true })', 1,
  "@/third_bench.lua:3:", "options go into the table: { run = function")
file("called", suite 's:bench("a", tostring(1))', 1,
  "expected a function or a table, got string")
file("both", bench "run = print, batch = print", 1, "both 'run' and 'batch'")
file("novalues", bench "params = { n = {} }, run = print", 1,
  "axis 'n' has no values")
file("list", bench "params = { 10, 100 }, run = print", 1,
  "must be { name, values }, got 10")
file("soon", bench 'quota = "soon", run = print', 1, "'quota': 'soon' is not")
file("throughput", bench "throughput = { byte = 3 }, run = print", 1,
  "'throughput' has 'bytes' and 'items', no 'byte'")
file("twosetups", suite "s:setup(print) s:setup(print)", 1,
  "@/twosetups_bench.lua:3: tare: setup: 's' has one already")
file("twoinputs", bench "inputs = print, before_each = print, run = print", 1,
  "it has both 'inputs' and 'before_each'")
file("baselines", suite [[s:bench("a", { baseline = true, run = print })
  s:bench("b", { baseline = true, run = print })]], 1, "@/baselines_bench.lua:",
  "'baseline' is set here and in 's/a'", "one can be the baseline")
file("group", suite "local g = s:group 'g'", 1, "@/group_bench.lua:3:",
  "like suite:group(name, function(group) ... end), got nil")
file("noimpl", bench [[params = { impl = { x = 1, y = 2 } }, baseline = "z",
  run = print]], 1, "baseline 'z' is not what is compared")

-- BENCHES THAT FAIL ----------------------------------------------------------

file("setup", bench 'setup = function() error "no data" end, run = print', 2,
  "FAILED s/a: in setup: @/setup_bench.lua:3: no data")
file("args", bench 'args = function() error "no data" end, run = print', 2,
  "FAILED s/a: in args: @/args_bench.lua:3: no data")
file("run", bench "run = function() return foo.bar end", 2,
  "FAILED s/a: @/run_bench.lua:3: attempt to index", "foo")
file("hook", bench [[before_batch = function() error "no data" end,
  run = function() return {} end]], 2, "in before_batch: @/hook_bench.lua:3:")
file("teardown", bench [[teardown = function() error "still open" end,
  run = function() return {} end]], 2, "in teardown: @/teardown_bench.lua:3:",
  "  a ", " B") -- what was measured is kept
file("table", bench "run = function() error { code = 3, why = 'gone' } end", 2,
  "an error that is a table: code = 3, why = 'gone'")
file("nil", bench "run = function() error() end", 2, "an error that is nil")
file("rate", bench [[throughput = { bytes = function() return "x" end },
  run = print]], 2, "'bytes' must be a number from 0 on, got string")
files["noloop_bench.lua"] = bench "batch = function(n) return {} end"
add("frames @/noloop_bench.lua", 1, "is no capture of frames (tare.render(")
add("run @/noloop_bench.lua --quota 300ms", 2, "batch(n) took",
  "it must make n calls (for _ = 1, n do ... end)")
file("leaves", suite [[s:bench("a", function() os.exit(3) end)
  s:bench("b", function() return {} end)]], 2, "it called os.exit(3)", "  b ")
files["endless_bench.lua"] = bench "run = function() while true do end end"
add("run @/endless_bench.lua --timeout 100ms", 2,
  "had not returned after 0.1 s")
file("prints",
  bench [[run = function() io.stdout:write "noise\n" return {} end]],
  0, "s/a")
files["loadprints_bench.lua"] = 'print "noise"\n'
  .. bench "run = function() return {} end"
add_measured("list @/loadprints_bench.lua", 0, "s/a\n")

if rawget(_G, "jit") then
  add(TWO .. "--gc-mode generational --quota 5ms", 2,
    "FAILED s/table, s/sum: this Lua has no generational collector")
end

return { files = files, mistakes = mistakes }
