---@meta
-- The userdata that functions of tare.core make.

---Hardware counters.
---@class tare.Counters
local Counters = {}

---What was counted since they were opened.
---Raises nothing.
---@return table<string, number>? counts cycles, instructions, cache_misses...;
---nil where they did not run
function Counters:read() end

---Ends the counting; again does no harm.
---Raises nothing.
function Counters:close() end

---The worker's end of a link: requests come as lines, answers go as lines.
---@class tare.Link
local Link = {}

---The next request; waits for it.
---Raises nothing.
---@return string? word nil when the other side has closed
---@return number? number of calls, or what else the request is about
---@return number? untimed calls that come first
function Link:receive() end

---What follows a request.
---Raises unless the number is in [0, 1e9].
---@param bytes integer how many
---@return string? text nil when the other side has closed
function Link:take(bytes) end

---Sends a text, and the end of a line.
---Raises if it is no text.
---@param text string
---@return boolean sent
function Link:send(text) end

---Sends the last row of a store, as a line of JSON. Allocates nothing.
---Raises if there is no row.
---@param samples tare.Samples
---@return boolean sent
function Link:send_row(samples) end

---Forks this process. The new process gets a new link; the other end of that
---goes to whoever has the other end of this link.
---Raises nothing.
---@return integer? pid number of the new process; 0 in it; nil where it failed
---@return string? message
function Link:fork() end

---Waits for the end of a child; ends it where it does not end by itself.
---Raises if it can't be the number of a child, or a time outside of [0, 1e9].
---@param pid integer number of the child
---@param ms number milliseconds that it has to end
---@return integer? code its exit code, a count; nil if there is no such child
---@return integer? signal number of the signal that ended it, or 0
function Link:reap(pid, ms) end

---From now on this process ends with the one that started it.
---Raises nothing.
function Link:follow() end

---A counter of collections.
---@class tare.Watch
local Watch = {}

---Begins to count.
---Raises where there is no memory.
function Watch:arm() end

---Ends counting; from then on the watch costs the collector nothing.
---Raises nothing.
function Watch:disarm() end

---Collections that ended while it was armed.
---Raises nothing.
---@return integer minor a count
---@return integer major a count
function Watch:counts() end

---A store of rows of named columns; an absent value is NaN. Rows count from 1,
---negative ones from the end. #store is their number.
---@class tare.Samples
local Samples = {}

---Appends a row.
---Raises at an unknown column, or a value that is no number.
---@param row table<string, number> in the units of the columns
function Samples:push(row) end

---A value of a row.
---Raises if there is no such row or column.
---@param row integer from 1, or from -1 down (a row's number)
---@param column string
---@return number value in the column's unit; NaN where absent
function Samples:get(row, column) end

---Sets a value.
---Raises if there is no such row or column.
---@param row integer from 1, or from -1 down (a row's number)
---@param column string
---@param value number in the column's unit
function Samples:set(row, column, value) end

---Fills a table with the values of a row: fields of columns without a value
---become nil, other fields stay. Allocates nothing where the table has had the
---same fields before.
---Raises if there is no such row.
---@param row integer from 1, or from -1 down (a row's number)
---@param into table? a new one if absent
---@return table<string, number> into in the units of the columns
function Samples:row(row, into) end

---A row as one JSON object, without the columns that it has no value in.
---Independent of the locale; a number reads back as the same number.
---Raises if there is no such row.
---@param row integer from 1, or from -1 down (a row's number)
---@return string json on one line
function Samples:json(row) end

---Takes a row back: by default the last, if there is one.
---Raises if there is no such row.
---@param row integer? from 1, or from -1 down (a row's number)
function Samples:drop(row) end

---The columns that have values.
---Raises nothing.
---@return table<string, number[]> columns in their units; NaN where absent
function Samples:columns() end

---How many rows were dropped to keep within the capacity.
---Raises nothing.
---@return number rows that were dropped
function Samples:thinned() end

---What ends a call that does not return.
---@class tare.Deadline
local Deadline = {}

---Calls a function, which is to return in time.
---Raises what it raises, or that it timed out, at the next instruction of Lua.
---@param f function
---@param ... any arguments of f
---@return any first result of f
---@return any second result of f
function Deadline:call(f, ...) end

---Whether the last call was late.
---Raises nothing.
---@return boolean
function Deadline:reached() end

---A clock with the counters beside it: what times a batch.
---@class tare.Meter
local Meter = {}

---Time of its clock.
---Raises nothing.
---@return number ns nanoseconds since it was made
function Meter:now() end

---The smallest step of its clock; for a manual clock, its tick.
---Raises nothing.
---@return number ns nanoseconds
function Meter:resolution() end

---Clears the core's branch predictor of what ran before, so that this does not
---affect what runs next. Takes some 0.1 ms. Raises where it is called on
---anything but a meter.
function Meter:clear_predictor() end

---Moves a manual clock, also back, but not to before it began.
---Raises if the clock is not a manual one, or the time not in [-now, 1e18].
---@param ns number nanoseconds
function Meter:advance(ns) end

---From now on rows of timed batches have the processor's counts for this thread
---in user mode: 'hw_cycles', 'hw_instructions', 'branch_misses',
---'cache_misses'.
---Raises nothing.
---@return true? counting nil where there are no such counters
---@return string? why not
function Meter:counters() end

---From now on a batch that allocates more than this ends with an error. What it
---frees is not subtracted.
---Raises if the number is negative.
---@param bytes number? bytes; without a number there is no limit
function Meter:limit(bytes) end

---Whether the last batch ended at the limit.
---Raises nothing.
---@return boolean reached
function Meter:reached_limit() end

---Calls loop(iters) once, timed, and keeps a row.
---Raises unless the arguments are of their types and iters in [1, 2^53].
---@param samples tare.Samples gets the row
---@param loop fun(iters: integer)
---@param iters integer calls that the loop makes
---@return true? done nil if the loop raised an error
---@return any error what it raised
function Meter:time(samples, loop, iters) end

---Calls f(...) from a loop in C, timed, and keeps a row.
---Raises unless the arguments are of their types and iters in [1, 2^53].
---@param samples tare.Samples gets the row
---@param f function
---@param iters integer calls
---@param ... any arguments of f
---@return true? done nil if f raised an error
---@return any error what it raised
function Meter:time_calls(samples, f, iters, ...) end

---Times the function and the collector separately.
---@class tare.Pacer
local Pacer = {}

---Calls loop(n) several times, with iters calls in all, drives the collector
---between them at its own pace, and keeps a row. With 'inside' it drives the
---collector inside calls, from a hook. This slows the function down, so its
---time is not in the row.
---Raises unless the arguments are of their types and iters in [1, 2^53].
---@param samples tare.Samples gets the row
---@param meter tare.Meter its clock
---@param loop fun(n: integer)
---@param iters integer calls in all
---@param empty fun(n: integer)? called with 0 to time such a call by itself;
---the loop itself by default
---@param inside boolean? whether the collector's steps come inside calls,
---where calls run in the interpreter
---@return true? done nil if the loop raised an error
---@return any error what it raised
function Pacer:run(samples, meter, loop, iters, empty, inside) end

---The collector's steps of all runs: count, p50, p95, p99 and max in
---nanoseconds, and histogram = {edges_ns, counts}.
---Raises nothing.
---@return table? pauses nil if there were none
function Pacer:pauses() end
