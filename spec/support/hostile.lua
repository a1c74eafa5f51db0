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
call("may use no more processor time", "os.execute('prlimit --cpu=0:0 --pid='"
  .. " .. require('luv').os_getpid())")
setup("may open no files", "os.execute('prlimit --nofile=4:4 --pid='"
  .. " .. require('luv').os_getpid())")
setup("may have no more memory", "os.execute('prlimit --as=1:1 --pid='"
  .. " .. require('luv').os_getpid())")
setup("may start no processes", "os.execute('prlimit --nproc=0:0 --pid='"
  .. " .. require('luv').os_getpid())")
setup("may write no files", "os.execute('prlimit --fsize=0:0 --pid='"
  .. " .. require('luv').os_getpid())")
setup("has a small stack", "os.execute('prlimit --stack=8192:8192 --pid='"
  .. " .. require('luv').os_getpid())")
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

return kinds
