-- Benches that misbehave in one way each: a name and the bench as Lua source.
-- What becomes of them is their own affair; the benches beside them must be
-- measured and stored (spec/e2e_hostile_spec.lua, which has others with what
-- they end in).
local kinds = {}

local function add(name, text) kinds[#kinds + 1] = { name, text } end
local function call(name, body) add(name, "function() " .. body .. " end") end
local function setup(name, body)
  add(name, "{ setup = function() " .. body
    .. " end, run = function() return {} end }")
end

-- A line of the shell, with the number of the worker's process (os_getpid of
-- luv) or of its launch (os_getppid): 5.3 and later would write it as 12.0.
local function shell(line, of)
  return ("os.execute((%q):format(require('luv').%s()))"):format(line, of)
end

-- Limits of the resources of such a process.
local function limited(limit, of)
  return shell(("prlimit --%s --pid=%%d"):format(limit), of)
end

-- WHAT IS WRITTEN INTO THE WORKER'S LINK
for name, text in pairs {
  ["a string for a number"] = '{"wall_ns":"x","iters":1}\\n',
  ["a table for a number"] = '{"wall_ns":{},"spent_ns":{}}\\n',
  ["an empty line"] = "\\n", null = "null\\n", ["a list"] = "[1]\\n",
  ["an answer twice"] = '{"wall_ns":5,"iters":1}\\n{"wall_ns":5,"iters":1}\\n',
  ["half an answer"] = '{"wall_ns":', ["bytes"] = "\\0\\1\\255\\n",
  ["a time below zero"] = '{"wall_ns":-5,"iters":1,"spent_ns":-1e300}\\n',
  ["figures of 1e308"] = '{"wall_ns":1e308,"iters":1e308}\\n',
  ["an unknown column"] = '{"wall_ns":1,"iters":1,"unknown":7}\\n',
  ["an error that is a table"] = '{"error":{}}\\n',
  ["deep tables"] = ("["):rep(5000) .. "\\n",
  ["a worker of its own"] = '{"worker":1}\\n', ["cells"] = '{"cells":[]}\\n',
} do
  call("writes " .. name, ("require('luv').fs_write(3, '%s')"):format(text))
  setup("writes in its setup " .. name,
    ("require('luv').fs_write(3, '%s')"):format(text))
end
table.sort(kinds, function(a, b) return a[1] < b[1] end)
call("writes a megabyte", "require('luv').fs_write(3, ('x'):rep(2^20))")
call("reads its requests", "require('luv').fs_read(3, 1)")

-- THE PROCESS
call("closes all descriptors",
  "for fd = 0, 20 do pcall(require('luv').fs_close, fd) end")
call("kills itself", "require('luv').kill(require('luv').os_getpid(), 9)")
for _, signal in ipairs { "sigterm", "sighup", "sigquit", "sigint", "sigsegv",
  "sigabrt", "sigpipe", "sigusr1", "sigalrm" } do
  call("sends itself " .. signal,
    ("require('luv').kill(require('luv').os_getpid(), %q)"):format(signal))
end
call("kills its launch",
  "require('luv').kill(require('luv').os_getppid(), 'sigkill')")
setup("kills its launch in its setup",
  "require('luv').kill(require('luv').os_getppid(), 'sigkill')")
call("stops its launch", "local uv = require('luv') local l = uv.os_getppid() "
  .. "uv.kill(l, 'sigstop') uv.kill(l, 'sigcont')")
call("may use no more processor time", limited("cpu=0:0", "os_getpid"))
setup("may open no files", limited("nofile=4:4", "os_getpid"))
setup("may have no more memory", limited("as=1:1", "os_getpid"))
setup("may start no processes", limited("nproc=0:0", "os_getpid"))
setup("may write no files", limited("fsize=0:0", "os_getpid"))
setup("has a small stack", limited("stack=8192:8192", "os_getpid"))
call("leaves children", "os.execute('sleep 3 &')")
call("leaves a pipe open", "pipe = pipe or io.popen('cat', 'w')")
call("reads a pipe that ends", "local p = io.popen('true') p:read('*a') "
  .. "p:close()")
call("changes to a folder that is not there",
  "pcall(require('luv').chdir, '/none')")
call("takes its environment away", "local uv = require('luv') "
  .. "for name in pairs(uv.os_environ()) do uv.os_unsetenv(name) end")
setup("has no user's rights to write", "require('luv').fs_open('/', 'w', 0)")
call("sleeps", "os.execute('sleep 0.01')")

-- WHAT IS OPEN
for _, name in ipairs { "stdin", "stdout", "stderr" } do
  setup("closes " .. name, ("io.%s:close()"):format(name))
  setup("replaces " .. name, ("io.%s = nil"):format(name))
end
call("prints bytes", "io.stderr:write('\\27]0;x\\7\\0')")
call("writes to a closed file",
  "local f = io.tmpfile() f:close() f:write('x')")
setup("sets the default output to a closed file",
  "local f = io.tmpfile() io.output(f) f:close()")

-- THE EVENT LOOP
setup("leaves a timer that raises", "require('luv').new_timer():start(0, 1, "
  .. "function() error 'late' end)")
call("runs a timer that raises", "local uv = require('luv') "
  .. "uv.new_timer():start(0, 0, function() error 'late' end) uv.run()")
call("stops the loop", "require('luv').stop()")
setup("leaves an idle handle",
  "require('luv').new_idle():start(function() end)")
setup("catches signals", "local uv = require('luv') "
  .. "uv.new_signal():start('sigterm', function() end)")
call("leaves a thread", "require('luv').new_thread(function() end):join()")

-- LUA
for _, name in ipairs { "string", "table", "math", "os", "io", "debug",
  "coroutine", "package" } do
  call("takes the library away: " .. name, ("%s = nil"):format(name))
  call("empties the library: " .. name,
    ("for k in pairs(%s) do %s[k] = nil end"):format(name, name))
end
for _, name in ipairs { "pairs", "next", "pcall", "error", "type", "tostring",
  "select", "setmetatable", "require", "collectgarbage", "rawget" } do
  call("replaces " .. name, ("%s = function() error('mine', 0) end"):format(
    name))
end
call("empties package.loaded",
  "for k in pairs(package.loaded) do package.loaded[k] = nil end")
call("empties the registry", "for k in pairs(debug.getregistry()) do "
  .. "if type(k) ~= 'number' then debug.getregistry()[k] = nil end end")
call("empties the globals", "for k in pairs(_G) do _G[k] = nil end")
for _, name in ipairs { "nil", "true", "0", "function() end",
  "coroutine.create(function() end)" } do
  call("gives a metatable to " .. name, ("debug.setmetatable(%s, { __index = "
    .. "function() error('meta', 0) end, __call = error, __add = error, "
    .. "__lt = error, __concat = error })"):format(name))
end
call("changes tare itself",
  "for k in pairs(require 'tare') do require('tare')[k] = nil end")
call("changes tare's core",
  "for k in pairs(require 'tare.core') do require('tare.core')[k] = nil end")
call("changes the worker", "local w = require 'tare.worker' "
  .. "w.run = function() return 1 end w.__index = nil")
call("changes its own file's cells",
  "package.loaded['tare.bench.suite'] = 1")
call("makes finalizers without end", "local function again() "
  .. "local p = newproxy and newproxy(true) "
  .. "or setmetatable({}, { __gc = again }) if newproxy then "
  .. "getmetatable(p).__gc = again end end again()")
call("has a finalizer that raises", "local gc = function() error('gc', 0) end "
  .. "if newproxy then getmetatable(newproxy(true)).__gc = gc "
  .. "else setmetatable({}, { __gc = gc }) end")
call("has a finalizer that collects",
  "local gc = function() collectgarbage() end if newproxy then "
  .. "getmetatable(newproxy(true)).__gc = gc "
  .. "else setmetatable({}, { __gc = gc }) end")
for _, value in ipairs { "nil", "false", "0/0", "{}", "print",
  "coroutine.create(print)", "('x'):rep(1e5)", "'\\27[31m\\0'" } do
  call("raises " .. value, ("error(%s)"):format(value))
end
for _, event in ipairs { "c", "r", "l" } do
  setup("leaves a hook that raises: " .. event,
    ("debug.sethook(function() error('hooked', 0) end, %q)"):format(event))
end
setup("leaves a hook for each instruction",
  "debug.sethook(function() end, '', 1)")
for _, option in ipairs { "stop", "restart", "collect", "step", "setpause",
  "setstepmul" } do
  call("collectgarbage " .. option, ("collectgarbage(%q)"):format(option))
end
call("sets a locale that is not there", "os.setlocale('none')")
call("never ends", "while true do end")
call("never ends inside a string function",
  "(('a'):rep(40)):find(('a-'):rep(40) .. 'b')")
call("never ends in a coroutine",
  "coroutine.wrap(function() while true do end end)()")
add("leaves a hook that raises in its teardown", "{ run = function() end, "
  .. "teardown = function() debug.sethook(function() error('late', 0) end, 'l')"
  .. " end }")
add("has a teardown that raises",
  "{ run = function() end, teardown = function() error('down', 0) end }")
add("has a teardown that never ends",
  "{ run = function() end, teardown = function() while true do end end }")
add("has a setup that never ends",
  "{ run = function() end, setup = function() while true do end end }")
for _, hook in ipairs { "before_batch", "after_batch", "before_each",
  "after_each" } do
  add("has a hook that raises: " .. hook,
    ("{ run = function() end, %s = function() error('hook', 0) end }"):format(
      hook))
end
add("has arguments that raise",
  "{ run = function() end, args = function() error('args', 0) end }")
add("grows without end", "(function() local kept = {} return function() "
  .. "for i = 1, 1000 do kept[#kept + 1] = {} end end end)()")
add("has a batch that does nothing", "{ batch = function() end }")

-- MORE OF THEM, BY WHAT THEY TOUCH
-- What the process is.
call("stops its launch for good", "require('luv').kill("
  .. "require('luv').os_getppid(), 'sigstop')")
setup("stops its launch for good in its setup", "require('luv').kill("
  .. "require('luv').os_getppid(), 'sigstop')")
call("stops its whole group for a moment",
  "os.execute('(sleep 0.05; kill -CONT 0) & kill -STOP $PPID')")
call("ignores what would end it", "os.execute('trap \"\" TERM HUP INT; true')")
setup("leaves a child that ignores signals",
  "os.execute('(trap \"\" TERM HUP INT; sleep 2) >/dev/null 2>&1 &')")
setup("leaves a child that holds its link",
  "pipe = io.popen('sleep 2; echo x', 'r')")
setup("leaves a child that prints for ever",
  "os.execute('(while :; do echo x; sleep 0.01; done) &')")
call("writes into its launch's memory", "local f = io.open(('/proc/%d/mem')"
  .. ":format(require('luv').os_getppid()), 'r+b') "
  .. "if f then f:seek('set', 4096) f:write('x') f:close() end")
call("writes into its own memory", "local f = io.open('/proc/self/mem', 'r+b')"
  .. " if f then local at = tonumber(tostring(print):match('0x(%x+)'), 16) "
  .. "if at then f:seek('set', at) f:write(('x'):rep(64)) end f:close() end "
  .. "print()")
setup("wants to be killed first", "local f = io.open("
  .. "'/proc/self/oom_score_adj', 'w') if f then f:write('1000') f:close() end")
setup("moves to another core", shell("taskset -cp 0 %d >/dev/null",
  "os_getpid"))
setup("is the last of all", shell("renice -n 19 -p %d >/dev/null",
  "os_getpid"))
setup("leaves its group", "os.execute('setsid sleep 1 &')")
for _, limit in ipairs { "core=0", "memlock=0", "data=1", "rss=1",
  "sigpending=0", "locks=0", "msgqueue=0", "nofile=0", "cpu=1" } do
  setup("is limited: " .. limit, limited(limit .. ":" .. limit:match "%d+",
    "os_getpid"))
end
setup("limits its launch: no files", limited("nofile=0:0", "os_getppid"))
setup("limits its launch: no processes", limited("nproc=0:0", "os_getppid"))
setup("limits its launch: no processor", limited("cpu=0:0", "os_getppid"))
setup("limits its launch: no memory", limited("as=1:1", "os_getppid"))
for _, signal in ipairs { "sigterm", "sigsegv", "sigpipe", "sighup", "sigint",
  "sigtstp", "sigttou", "sigalrm" } do
  call("sends its launch " .. signal, ("require('luv').kill("
    .. "require('luv').os_getppid(), %q)"):format(signal))
end
for _, signal in ipairs { "TSTP", "TTIN", "XCPU", "VTALRM", "PROF", "BUS",
  "FPE", "ILL", "SYS", "RTMIN", "RTMAX", "CHLD", "WINCH", "URG", "TRAP" } do
  call("is sent " .. signal, ("os.execute('kill -%s $PPID')"):format(signal))
end

call("kills its whole group", "os.execute('kill -9 0')")
setup("leaves its group, and never ends", "os.execute('setsid sleep 4')")

-- What is open.
local ops = "local O = require('tare.worker').OPS "
local long = "('x'):rep(2^21)"
for _, one in ipairs {
  { "a null in a table", "local census = O.census O.census = function(...) "
    .. "local t, a, b = census(...) if t then t.junk = { 0/0 } end "
    .. "return t, a, b end" },
  { "a loop of megabytes", "require('tare.bench.fixture').loop_name = "
    .. "function() return " .. long .. " end" },
  { "a name of megabytes", "local prepare = O.prepare O.prepare = "
    .. "function(...) local t, a, b = prepare(...) "
    .. "if t then t.throughput = { [" .. long .. "] = 1 } end "
    .. "return t, a, b end" },
  { "an error of megabytes", "O.time = function() return nil, " .. long
    .. " end" },
  { "that it was interrupted", "O.time = function() "
    .. "return nil, 'x', 'interrupted' end" },
  { "a code that is none", "O.time = function() return nil, 'x', 'y' end" },
  { "cycles of no time", "local F = require('tare.bench.fixture') "
    .. "local time = F.time F.time = function(self, m, s, n) "
    .. "local ok, e = time(self, m, s, n) if ok then s:set(-1, 'cycle_ns', 0) "
    .. "end return ok, e end" },
  { "a tenth of a gigabyte", "require('luv').fs_write(3, '[' .. "
    .. "('0,'):rep(5e7) .. '0]\\n')" },
} do
  setup("answers " .. one[1], ops .. one[2])
end
call("uses up all descriptors", "kept = kept or {} for i = 1, 5000 do "
  .. "local f = io.open('/dev/null') if not f then break end "
  .. "kept[#kept + 1] = f end")
call("closes descriptors from 3 on", "for fd = 3, 64 do "
  .. "pcall(require('luv').fs_close, fd) end")
call("closes and opens again its link's descriptor", "local uv = "
  .. "require('luv') uv.fs_close(3) uv.fs_open('/dev/null', 'r+', 0)")
setup("leaves its link to a child, and ends", "local uv = require('luv') "
  .. "uv.spawn('sleep', { args = { '5' }, detached = true, "
  .. "stdio = { nil, nil, nil, 3 } }) uv.kill(uv.os_getpid(), 'sigkill')")
call("answers in its worker's place", "local core = require('tare.core') "
  .. "local link, iters = core.link(3), 1 while iters do link:send(("
  .. "'{\"wall_ns\":0,\"spent_ns\":0,\"iters\":%d}'):format(iters)) "
  .. "iters = select(2, link:receive()) end")
call("makes what it prints to a terabyte",
  "require('luv').fs_ftruncate(1, 2^40) print 'x'")
call("prints without end",
  "while true do io.stderr:write(('\\0'):rep(1e6)) end")
call("reads its standard input for ever", "io.stdin:read('*a')")
setup("has a buffer that is never written",
  "io.stdout:setvbuf('full') io.write(('x'):rep(1000))")
call("makes names of temporary files", "for _ = 1, 50 do "
  .. "os.remove(os.tmpname()) end")
setup("has no name for a temporary file",
  "os.tmpname = function() error('none', 0) end io.tmpfile = os.tmpname")
setup("seeks in what is no file", "io.stdout:seek('set', 1e9)")
call("opens a folder", "local f = io.open('/') if f then f:read(1) end")
call("opens a pipe without a writer", "os.execute('mkfifo -m 600 '"
  .. " .. os.tmpname() .. '.p 2>/dev/null')")
call("writes with a locale of nobody",
  "os.setlocale('C.UTF-8') os.setlocale('POSIX', 'numeric')")
setup("sets TZ, LC_ALL and LANG", "local uv = require('luv') "
  .. "for _, n in ipairs { 'TZ', 'LC_ALL', 'LANG', 'LUA_PATH', 'LUA_INIT', "
  .. "'TMPDIR', 'HOME', 'PATH' } do uv.os_setenv(n, '@/none') end")

-- Lua.
for _, name in ipairs { "__index", "__newindex", "__gc", "__len", "__eq",
  "__close", "__mode", "__name", "__tostring", "__metatable" } do
  call("gives strings a " .. name, ("local m = debug.getmetatable('') "
    .. "m.%s = function() error('string', 0) end"):format(name))
  call("gives globals a " .. name, ("setmetatable(_G, { %s = function() "
    .. "error('global', 0) end })"):format(name))
end
call("makes all keys weak", "setmetatable(package.loaded, { __mode = 'kv' }) "
  .. "collectgarbage()")
call("closes a coroutine that is running", "local c c = coroutine.wrap("
  .. "function() if coroutine.close then coroutine.close("
  .. "coroutine.running()) end end) c()")
call("leaves suspended coroutines", "local c = coroutine.create(function() "
  .. "local t = setmetatable({}, { __gc = error, __close = error }) "
  .. "coroutine.yield(t) end) coroutine.resume(c)")
call("leaves ten thousand coroutines", "for _ = 1, 100 do coroutine.resume("
  .. "coroutine.create(function() coroutine.yield() end)) end")
call("nests coroutines until C is full", "local function go() "
  .. "return coroutine.wrap(go)() end go()")
call("nests pcall until C is full",
  "local function go() return pcall(go) end go()")
call("nests require", "package.loaders = nil package.searchers = nil "
  .. "require 'nothing.at.all'")
call("nests string.gsub", "local s = ('x'):rep(1e6) s:gsub('.', '%0%0')")
call("nests load", "local s = ('('):rep(1e5) assert((loadstring or load)(s))")
call("loads bytes that are no function", "local dump = string.dump("
  .. "function() return 1 end) assert((loadstring or load)("
  .. "dump:sub(1, -9) .. ('\\255'):rep(8)))()")
call("has a finalizer that never ends", "local gc = function() while true do "
  .. "end end if newproxy then getmetatable(newproxy(true)).__gc = gc "
  .. "else setmetatable({}, { __gc = gc }) end collectgarbage()")
call("has a finalizer that exits", "local gc = function() os.exit(0) end "
  .. "if newproxy then getmetatable(newproxy(true)).__gc = gc "
  .. "else setmetatable({}, { __gc = gc }) end collectgarbage()")
call("has ten thousand finalizers that raise", "local gc = function() "
  .. "error({}) end for _ = 1, 100 do if newproxy then "
  .. "getmetatable(newproxy(true)).__gc = gc "
  .. "else setmetatable({}, { __gc = gc }) end end")
call("has a finalizer that closes its streams", "local gc = function() "
  .. "io.stdout:close() io.stderr:close() end if newproxy then "
  .. "getmetatable(newproxy(true)).__gc = gc "
  .. "else setmetatable({}, { __gc = gc }) end")
call("has a finalizer that yields", "local gc = function() "
  .. "coroutine.yield() end if newproxy then "
  .. "getmetatable(newproxy(true)).__gc = gc "
  .. "else setmetatable({}, { __gc = gc }) end collectgarbage()")
call("has a finalizer that hooks", "local gc = function() debug.sethook("
  .. "function() error('late', 0) end, '', 1) end if newproxy then "
  .. "getmetatable(newproxy(true)).__gc = gc "
  .. "else setmetatable({}, { __gc = gc }) end collectgarbage()")
call("warns", "if warn then warn('@on') warn('\\27[31m') warn('@off') end")
call("changes the collector's kind", "pcall(collectgarbage, 'generational') "
  .. "pcall(collectgarbage, 'incremental', 1, 1, 1)")
call("sets a pause of 0", "pcall(collectgarbage, 'setpause', 0) "
  .. "pcall(collectgarbage, 'setstepmul', 0)")
call("sets a pause of 1e9", "pcall(collectgarbage, 'setpause', 1e9)")
call("sets the interpreter's limits", "if debug.setcstacklimit then "
  .. "debug.setcstacklimit(100) end")
call("changes its caller's locals", "for level = 1, 20 do "
  .. "if not debug.getinfo(level, 'f') then break end for i = 1, 250 do "
  .. "if not debug.setlocal(level, i, nil) then break end end end")
call("changes all upvalues of its callers", "for level = 2, 20 do "
  .. "local info = debug.getinfo(level, 'f') if not info then break end "
  .. "for i = 1, 60 do debug.setupvalue(info.func, i, nil) end end")
call("breaks metatables of userdata", "for _, v in pairs("
  .. "debug.getregistry()) do if type(v) == 'table' then v.__gc = nil "
  .. "v.__index = nil end end")
call("empties the numbers of the registry", "local r = debug.getregistry() "
  .. "for i = 3, #r + 20 do r[i] = nil end")
call("raises an error with a metatable that raises", "error(setmetatable({}, "
  .. "{ __index = error, __tostring = error, __name = 5, __concat = error }))")
call("returns a million values", "return (unpack or table.unpack)({}, 1, 7000)")
call("takes a string of 100 MB", "return ('x'):rep(1e8):len()")
call("asks for more memory than there is", "return ('x'):rep(1e15)")
call("sorts without an order",
  "local t = {} for i = 1, 100 do t[i] = i % 7 end "
  .. "table.sort(t, function() return true end)")
call("formats without end", "return ('%99.99f'):format(1e308)")
call("seeds the generator", "math.randomseed(0) math.random = nil")
call("turns its clock back", "os.clock = function() return -1 end "
  .. "os.time = os.clock os.date = os.clock")
call("waits for another day", "os.date('!%c', 0) os.time({ year = 2200, "
  .. "month = 1, day = 1 })")

-- The event loop.
call("closes every handle of the loop", "local uv = require('luv') "
  .. "uv.walk(function(h) if not h:is_closing() then h:close() end end) "
  .. "uv.run()")
call("leaves a thread that never ends",
  "thread = thread or require('luv').new_thread(function() "
  .. "while true do end end)")
call("leaves work that raises", "local uv = require('luv') "
  .. "uv.new_work(function() error('work') end, function() end):queue() "
  .. "uv.run()")
setup("has a process's exit to wait for", "require('luv').spawn('sleep', "
  .. "{ args = { '1' } }, function() error 'exit' end)")
call("closes the loop", "require('luv').loop_close()")

-- LuaJIT.
for _, kind in ipairs {
  { "turns it off in the middle", "jit.off() jit.on() jit.flush()" },
  { "turns it off for all that calls", "for level = 1, 9 do local i = "
    .. "debug.getinfo(level, 'f') if i then "
    .. "pcall(jit.off, i.func, true) end end" },
  { "has few traces",
    "jit.opt.start('maxtrace=1', 'maxmcode=1', 'hotloop=1')" },
  { "attaches a handler that raises", "jit.attach(function() error('jit') "
    .. "end, 'trace')" },
  { "attaches a handler that flushes", "jit.attach(function() jit.flush() "
    .. "end, 'trace')" },
  { "calls C wrongly", "local ffi = require('ffi') ffi.cdef('int raise(int);')"
    .. " ffi.C.raise(11)" },
  { "writes to address 1", "require('ffi').cast('char *', 1)[0] = 1" },
  { "leaves by _exit", "local ffi = require('ffi') pcall(ffi.cdef, "
    .. "'void _exit(int);') ffi.C._exit(0)" },
  { "forks", "local ffi = require('ffi') pcall(ffi.cdef, 'int fork(void);') "
    .. "ffi.C.fork()" },
  { "forks, and its child ends at once", "local ffi = require('ffi') "
    .. "pcall(ffi.cdef, 'int fork(void); void _exit(int);') "
    .. "if ffi.C.fork() == 0 then ffi.C._exit(0) end" },
  { "closes its own state", "local ffi = require('ffi') pcall(ffi.cdef, "
    .. "'void lua_close(void *);') ffi.C.lua_close(nil)" },
  { "cuts its link's input short", "local ffi = require('ffi') "
    .. "pcall(ffi.cdef, 'int shutdown(int, int);') ffi.C.shutdown(3, 0)" },
  { "cuts its link's output short", "local ffi = require('ffi') "
    .. "pcall(ffi.cdef, 'int shutdown(int, int);') ffi.C.shutdown(3, 1)" },
  { "blocks all signals", "local ffi = require('ffi') pcall(ffi.cdef, "
    .. "'int sigprocmask(int, void *, void *);') local s = ffi.new("
    .. "'char[128]', ('\\255'):rep(127)) ffi.C.sigprocmask(0, s, nil)" },
  { "holds its launch", "local ffi = require('ffi') pcall(ffi.cdef, "
    .. "'int getppid(void); long ptrace(long, long, void *, void *);') "
    .. "ffi.C.ptrace(16, ffi.C.getppid(), nil, nil)" },
  { "leaves the group", "local ffi = require('ffi') pcall(ffi.cdef, "
    .. "'int setsid(void);') ffi.C.setsid() while true do end" },
  { "lends its memory to a child", "local ffi = require('ffi') pcall(ffi.cdef, "
    .. "'int vfork(void); int sleep(int);') if ffi.C.vfork() == 0 then "
    .. "while true do ffi.C.sleep(1) end end" },
  { "shares its output's flags", "local ffi = require('ffi') pcall(ffi.cdef, "
    .. "'int fcntl(int, int, ...);') "
    .. "ffi.C.fcntl(1, 4, ffi.cast('int', 2048))" },
  { "sets an alarm", "local ffi = require('ffi') pcall(ffi.cdef, "
    .. "'unsigned alarm(unsigned);') ffi.C.alarm(1)" },
  { "is no child of its launch", "local ffi = require('ffi') "
    .. "pcall(ffi.cdef, 'int prctl(int, long, long, long, long);') "
    .. "ffi.C.prctl(1, 0, 0, 0, 0)" },
  { "may call hardly anything", "local ffi = require('ffi') "
    .. "pcall(ffi.cdef, 'int prctl(int, long, long, long, long);') "
    .. "ffi.C.prctl(22, 1, 0, 0, 0)" },
} do
  call("LuaJIT: " .. kind[1], "if jit then " .. kind[2] .. " end")
end

-- What a stranger thought of in an hour.
setup("names itself like a process that has ended", "local f = io.open("
  .. "'/proc/self/comm', 'w') if f then f:write('x) Z 1 (') f:close() end")
setup("names its launch like a process that has ended", "local f = io.open("
  .. "('/proc/%d/comm'):format(require('luv').os_getppid()), 'w') "
  .. "if f then f:write('x) Z 1 (') f:close() end")
call("leaves what holds a pipe that it closes",
  "local p = io.popen('sleep 0.1 & echo x') p:read('*l') p:close()")
setup("empties what its launch has open", "os.execute(("
  .. "'for f in /proc/%d/fd/*; do [ -f $f ] && : >$f; done 2>/dev/null')"
  .. ":format(require('luv').os_getppid()))")
for _, name in ipairs { "nil", "true", "0", "''", "print" } do
  setup("makes tostring of this never end: " .. name, ("debug.setmetatable(%s, "
    .. "{ __tostring = function() while true do end end, __name = 7 })")
    :format(name))
  setup("makes this yield: " .. name, ("local m = {} for _, n in ipairs { "
    .. "'__index', '__newindex', '__call', '__add', '__lt', '__le', "
    .. "'__concat', '__close', '__pairs' } do m[n] = coroutine.yield end "
    .. "debug.setmetatable(%s, m)"):format(name))
end
setup("calls each global in a coroutine that yields", "local w = "
  .. "coroutine.wrap for k, v in pairs(_G) do if type(v) == 'function' and "
  .. "k ~= 'error' then _G[k] = function(...) return w(function(...) "
  .. "coroutine.yield() return v(...) end)(...) end end end")
call("has a variable whose closing raises", "local f = load [[local x <close> "
  .. "= setmetatable({}, { __close = function() error('c', 0) end }) "
  .. "error({})]] if f then f() end")
call("raises a metatable of itself", "local t = {} setmetatable(t, t) "
  .. "t.__index, t.__tostring, t.__name = t, t, t error(t)")
call("raises what ends its process when it becomes a string",
  "error(setmetatable({}, { __tostring = function() "
  .. "os.execute('kill -9 $PPID') end }))")
call("raises bytes that are no text",
  "error('\\255\\254\\237\\160\\128\\0', 0)")
add("fails in each tenth call", "(function() local n = 0 return function() "
  .. "n = n + 1 if n % 10 == 0 then error('tenth') end end end)()")
add("takes twice as long with each call", "(function() local n = 1 "
  .. "return function() n = n * 2 for _ = 1, n % 1e9 do end end end)()")
add("processes no number of bytes",
  "{ run = function() end, throughput = { bytes = 0 / 0 } }")
for _, kind in ipairs {
  { "puts its link where its streams were", "for i = 0, 2 do "
    .. "ffi.C.dup2(3, i) end print 'x'" },
  { "makes its link not wait", "ffi.C.fcntl(3, 4, ffi.cast('int', 2048))" },
  { "has its launch killed by its link", "ffi.C.fcntl(3, 8, ffi.cast('int', "
    .. "ffi.C.getppid())) ffi.C.fcntl(3, 10, ffi.cast('int', 9)) "
    .. "ffi.C.fcntl(3, 4, ffi.cast('int', 0x2000))" },
  { "joins the group of its launch",
    "ffi.C.setpgid(0, ffi.C.getpgid(ffi.C.getppid()))" },
  { "takes its launch into its group",
    "ffi.C.setpgid(ffi.C.getppid(), ffi.C.getpid())" },
  { "may not read the clock", "ffi.C.prctl(26, 2, 0, 0, 0)" },
  { "forks, and both answer, the child first",
    "if ffi.C.fork() ~= 0 then os.execute('sleep 0.5') end" },
  { "is sent a signal each 0.1 ms", "ffi.C.setitimer(2, "
    .. "ffi.new('long[4]', { 0, 100, 0, 100 }), nil)" },
} do
  setup("LuaJIT: " .. kind[1], "if jit then local ffi = require('ffi') "
    .. "pcall(ffi.cdef, [[int dup2(int, int); int fcntl(int, int, ...); "
    .. "int getppid(void); int getpid(void); int setpgid(int, int); "
    .. "int getpgid(int); int fork(void); int setitimer(int, const void *, "
    .. "void *); int prctl(int, long, long, long, long);]]) " .. kind[2]
    .. " end")
end

return kinds
