---@meta tare
-- What `require "tare"` gives. Misuse raises at the caller's line.

---@class tare
---@field _VERSION string "tare X.Y.Z"
---@field stats tare.stats the core's mathematics
local tare = {}

---Measures one function.
---Raises if fn is no function, an option can't be read, or the loop is
---'batch'; what fn raises is the result's 'error'.
---@param fn fun() called without arguments
---@param given tare.Options? quota and so on
---@return tare.Result result times in nanoseconds per call
function tare.measure(fn, given) end

---Compares functions in one run, their batches interleaved: each pair once, or
---each with the one that is marked 'baseline'. On LuaJIT all compiled code
---of the process is thrown away a dozen times meanwhile, and compiled anew.
---Raises if there are fewer than two, an option can't be read, the order is
---'sequential', or one has a timeout that can't be kept here (LuaJIT).
---@param functions table<string, function|tare.Spec> by their names
---@param given tare.Options? quota and so on
---@return { results: tare.Result[], comparisons: tare.Comparison[] } found
---ratios of time, with intervals and verdicts
function tare.compare(functions, given) end

---A new suite of benches.
---Raises if the name is empty or no string.
---@param name string first part of the ids
---@return tare.Suite suite
function tare.suite(name) end

---A measurement in a host's own loop.
---Raises if it is given no suite, an option can't be read, or a bench has a
---timeout that can't be kept here (LuaJIT).
---@param suite tare.Suite what is measured
---@param given tare.Options? quota and so on
---@return tare.Session session to be stepped
function tare.session(suite, given) end

---Compares frames with a budget. With a function: runs it as so many frames
---under each collector policy and recommends one. Without: a recorder of the
---host's own frames.
---Raises if there is no such option, or it can't be read; what fn raises is
---passed on.
---@param fn fun(frame: integer)? the host's update
---@param given table? budget_ms (16.67), frames (for each policy: as many as it
---takes to tell; of a recorder: how many are kept one by one, 1000),
---incremental (settings), step_kb, scopes (names and their budgets in ms), gc
---(of a recorder: "natural", or "paced": the collector's steps run where scopes
---and frames end, and are timed)
---@return tare.FrameSummary|tare.Frames|nil frames a summary, or a recorder
---@return string? message why frames can't be paced in this Lua
function tare.frames(fn, given) end

---Begins a policy, which drives the collector until it is closed.
---Raises if there is no such policy here, or a setting is impossible.
---@param name string|table automatic, incremental, generational, step or spare;
---or a recommendation of tare.frames
---@param settings table? pause, step_multiplier, step_size, step_kb
---@return tare.Policy policy for the end of each frame
function tare.frames.policy(name, settings) end

---Samples the calls of one of the program's functions from now on. The function
---in the table is replaced until instrument:remove().
---Raises if it is given no table, or no function is there.
---@param place table that holds the function: a module, a class
---@param name any its key
---@return tare.Instrument instrument
function tare.instrument(place, name) end

---Ends a bench file that can also run by itself: return tare.main(suite, ...).
---Under `tare run` it hands the suite back; else it runs and exits.
---Raises if it is given no suite, or flags that can't be read.
---@param suite tare.Suite what is measured
---@param ... string|table arguments as on the command line, or the table 'arg';
---before them may be { flags = { size = 1000 } }: flags of the file with their
---defaults, or { default, help }. The values replace the defaults there
---@return tare.Suite suite the same
function tare.main(suite, ...) end

---Profiles one function, or one bench: instructions of the virtual machine,
---allocations and bytes, exactly, by source line, function and call stack. On
---LuaJIT, of interpreted code. tare.render() shows it.
---Raises if fn is no function or spec, or 'calls' no number of calls, and what
---the function raises.
---@param fn function|tare.Spec called without arguments
---@param given table? calls: how many are profiled (16; 1 of a slow function)
---@return tare.Profile profile counts per call
function tare.profile(fn, given) end

---Renders a report; or frames: a recorder or what it gave, as text, markdown,
---html, json (a capture for `tare frames`), csv or perfetto.
---Raises if it is no report, or there is no such format, option, column or
---order; where a recorder has no frame yet.
---@param report tare.Report|tare.FrameSummary|tare.Frames of a session, or a
---stored one
---@param format string? text (the default), markdown, csv, json, html, junit,
---gbench, pyperf, bmf, action, folded, speedscope or perfetto
---@param given table? columns, sort, width (characters), color, ascii, explain,
---samples
---@return string text
function tare.render(report, format, given) end

---The numbers from lo to hi, both included where the steps meet hi.
---Raises if the step does not lead there, or at more than 100000 numbers.
---@param lo number first, no unit
---@param hi number last, no unit
---@param step number? no unit; 1 by default, negative to descend
---@return number[] values no unit
function tare.range(lo, hi, step) end

---The numbers lo, lo * factor, ... and hi; whole where lo and hi are.
---Raises unless 0 < lo <= hi and factor > 1, or at more than 100000 numbers.
---@param lo number first, no unit
---@param hi number last, no unit
---@param factor number? of one number over the one before; 2 by default
---@return number[] values no unit
function tare.geometric(lo, hi, factor) end

---Axes that advance in step instead of being multiplied, for the list part of
---'params': { tare.zip { rows = { 1, 2 }, columns = { 8, 4 } } }.
---Raises if it is given no table; the bench raises if lengths differ.
---@param spec table<string, any> axes of equal length
---@return table zip an entry of 'params'
function tare.zip(spec) end

---Benches in groups.
---@class tare.Suite
local Suite = {}

---Adds a bench.
---Raises if the name is taken or empty, or the spec can't be read.
---@param name string unique in its group
---@param spec function|tare.Spec what is called
---@return tare.Suite self
function Suite:bench(name, spec) end

---Adds a group: its benches are compared with the one that is its baseline.
---Raises if the name is empty or fill is no function; what fill raises is
---passed on.
---@param name string part of the ids
---@param fill fun(group: tare.Suite) adds benches to the group
---@return tare.Suite self
function Suite:group(name, fill) end

---What the benches of a group share: made once in a process, before the first
---of them that is measured there, and passed first to their setup (or, where
---there is none, to all their functions).
---Raises if it is given no function, or the group has one already.
---@param make fun(outer: any): any gets what the group around it shares
---@return tare.Suite self
function Suite:setup(make) end

---Calls of a function of a running program. Errors and results pass through.
---@class tare.Instrument
local Instrument = {}

---What was counted until now.
---Raises nothing.
---@return tare.Calls calls
function Instrument:result() end

---Forgets what was counted.
---Raises nothing.
function Instrument:reset() end

---Puts the function back. Again does no harm.
---Raises nothing.
---@return boolean? removed nil where something else was put there meanwhile
---@return string? message
function Instrument:remove() end

---A measurement in a host's own loop. Between steps the state is as the host
---left it.
---@class tare.Session
local Session = {}

---Measures for about so long, in whole batches.
---Raises if the budget is no number of at least 0.001, if it is closed, or
---called from within a step. What benches raise is in their results.
---@param budget_ms number milliseconds; may differ from step to step
---@return boolean done whether all is measured
---@return number progress share that is done, in [0, 1]
function Session:step(budget_ms) end

---Ends the measuring; what was measured can be reported. Again does no harm.
---Raises if it is closed, or called from within a step.
function Session:cancel() end

---The report of what was measured until now. Takes some tens of milliseconds
---per bench.
---Raises if it is closed, or called from within a step.
---@return tare.Report report
function Session:report() end

---Cancels, and lets go of what was measured. Again does no harm.
---Raises if called from within a step.
function Session:close() end

---A recorder of frames. To record allocates nothing, and its memory does not
---grow; single frames are dropped from the plot in time, and that is counted.
---@class tare.Frames
local Frames = {}

---The host's frame begins. A frame without finish() is not recorded.
---Raises nothing.
function Frames:begin() end

---The host's frame has ended; it is recorded.
---Raises without a begin() before it, and while a scope is open.
---@param collector_ns number? nanoseconds of it that the host spent on
---collecting
function Frames:finish(collector_ns) end

---Records a frame that the host measured, as if it followed the one before.
---Raises unless the times are numbers of at least 0.
---@param ns number nanoseconds
---@param collector_ns number? nanoseconds of it that were spent on collecting
function Frames:push(ns, collector_ns) end

---The frames from now on are of another level, scene, ...: each of these has
---figures. Of more than 64 marks, the later ones are only counted.
---Raises if the name is no string.
---@param name string at most 47 bytes of it are kept
function Frames:mark(name) end

---A part of the frame. The same name gives the same handle again.
---Raises if the name is no string, if the budget is not a positive number, and
---if there are 32 scopes already.
---@param name string at most 47 bytes of it are kept
---@param budget_ms number? milliseconds that it may take of each frame
---@return integer handle for enter() and leave(), no unit
function Frames:scope(name, budget_ms) end

---A scope begins; scopes may be in others.
---Raises outside of a frame, where the scope is open already, and where 16
---scopes are open.
---@param handle integer what scope() gave, no unit
function Frames:enter(handle) end

---Ends the scope that was entered last.
---Raises if that is another scope.
---@param handle integer what scope() gave, no unit
function Frames:leave(handle) end

---Fills a table with what is known until now: frames, over, stutters (counts),
---p50, p99, low1, low01, max (ms); where that is known, heap_bytes (not in
---finalizers of Lua 5.4 and 5.5), collector_p99 (ms) and collector_share. Makes
---no garbage, and takes as long after an hour as after a second.
---Raises if it is given no table.
---@param now table to be filled
---@return table now the same
function Frames:live(now) end

---Passes each frame, scope and mark from now on, as text, to a function, in
---parts of 8 kB and more (after a frame, never in it). The memory does not grow
---with the session. If the function raises or returns false, the stream ends.
---Without arguments, passes the rest and ends the stream.
---Raises where there is a stream already, or none to end, and if the format or
---the function is none.
---@param format string? "csv", or "perfetto" for ui.perfetto.dev
---@param write (fun(text: string): boolean?)? must not use the recorder
---@return boolean? taken at the end: whether the function took all of it
function Frames:stream(format, write) end

---Profiles the next frames, from begin() to finish(), with the coroutines that
---run in them: lines, stacks, allocations, bytes. These frames are in no other
---figure. LuaJIT's compiler is off meanwhile. Without a number, returns the
---profile, and forgets it.
---Raises unless the number is a whole one from 1 to 1e6, and while a profile is
---under way.
---@param count integer? of frames, no unit
---@return tare.Profile? profile per frame; nil while there is none
---@return string? message how many frames are profiled already
function Frames:profile(count) end

---What is known of the frames as plain data: counts, histograms, blocks, marks.
---Raises nothing.
---@return table record nanoseconds and bytes
function Frames:record() end

---The figures of the frames until now.
---Raises nothing.
---@return tare.FrameSummary? summary milliseconds; nil before the first frame
function Frames:result() end

---A policy of the collector.
---@class tare.Policy
---@field overruns integer frames in which 'spare' took longer than was left
---@field overrun_ms number by how much in all
local Policy = {}

---The end of a frame: collects as the policy does. Makes no garbage.
---Raises nothing.
---@param left_ms number? milliseconds of the frame's budget that are left, for
---'spare'
function Policy:after(left_ms) end

---Gives the collector back as it was found. Again does no harm.
---Raises nothing.
function Policy:close() end

return tare
