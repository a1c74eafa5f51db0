---@meta tare
-- What `require "tare"` gives. Misuse raises at the caller's line.

---@class tare
---@field _VERSION string "tare X.Y.Z"
---@field stats tare.stats the core's mathematics
local tare = {}

---Measures one function.
---Raises if fn is no function, an option can't be read, or the loop is to be
---'batch'; what fn raises is the result's 'error'.
---@param fn fun() called without arguments
---@param given tare.Options? quota and so on
---@return tare.Result result times in nanoseconds a call
function tare.measure(fn, given) end

---Compares functions in one run, their batches interleaved: each pair once, or
---each against the one that is marked 'baseline'.
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

---Frames against a budget. With a function: runs it as so many frames under
---each collector policy and recommends one. Without: a recorder of the host's
---own frames.
---Raises if there is no such option, or it can't be read; what fn raises is
---passed on.
---@param fn fun(frame: integer)? the host's update
---@param given table? budget_ms (16.67), frames (1000), incremental (settings),
---step_kb
---@return tare.FrameSummary|tare.Frames frames a summary, or a recorder
function tare.frames(fn, given) end

---Ends a bench file that can also run by itself: return tare.main(suite, ...).
---Under `tare run` it hands the suite back; else it runs and exits.
---Raises if it is given no suite.
---@param suite tare.Suite what is measured
---@param ... string|table arguments as on the command line, or the table 'arg'
---@return tare.Suite suite the same
function tare.main(suite, ...) end

---Renders a report.
---Raises if it is no report, or there is no such format, option, column or
---order.
---@param report tare.Report of a session, or a stored one
---@param format string text, markdown, csv, json, html, junit, gbench, pyperf,
---bmf or action
---@param given table? columns, sort, width (characters), color, ascii, explain,
---samples
---@return string text
function tare.render(report, format, given) end

---The numbers from lo to hi, both included where the steps meet hi.
---Raises if the step does not lead there, or at more than 100000 numbers.
---@param lo number first, no unit
---@param hi number last, no unit
---@param step number? no unit; 1 unless told, negative to descend
---@return number[] values no unit
function tare.range(lo, hi, step) end

---The numbers lo, lo * factor, ... and hi; whole where lo and hi are.
---Raises unless 0 < lo <= hi and factor > 1, or at more than 100000 numbers.
---@param lo number first, no unit
---@param hi number last, no unit
---@param factor number? of one number over the one before; 2 unless told
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

---Adds a group: benches of one group are compared with each other.
---Raises if the name is empty or fill is no function; what fill raises is
---passed on.
---@param name string part of the ids
---@param fill fun(group: tare.Suite) adds benches to the group
---@return tare.Suite self
function Suite:group(name, fill) end

---A measurement in a host's own loop. Between steps nothing of the state is
---changed.
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

---The report of what was measured until now: some tens of milliseconds a bench.
---Raises if it is closed, or called from within a step.
---@return tare.Report report
function Session:report() end

---Cancels, and lets go of what was measured. Again does no harm.
---Raises if called from within a step.
function Session:close() end

---A recorder of frames. Recording allocates nothing.
---@class tare.Frames
local Frames = {}

---The host's update begins.
---Raises nothing.
function Frames:begin() end

---The host's update has ended; the frame is recorded.
---Raises without a begin() before it.
---@param collector_ns number? nanoseconds of it that the host spent on
---collecting
function Frames:finish(collector_ns) end

---What the frames said until now.
---Raises nothing.
---@return tare.FrameSummary? summary milliseconds; nil before the first frame
function Frames:result() end

return tare
