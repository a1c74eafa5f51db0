---@meta tare.core
-- The C core, `require "tare.core"`: what tare itself is built on.

---@class tare.core
---@field version string
---@field stats tare.stats
---@field build table lua, compiler, arch, pointer_bits, optimized, asserts
local core = {}

---Monotonic time of the machine.
---Raises nothing.
---@return number ns nanoseconds, from any origin
function core.now_ns() end

---CPU time that this process has used.
---Raises nothing.
---@return number ns nanoseconds
function core.cpu_ns() end

---The smallest step of a clock.
---Raises at any other kind.
---@param kind string? "wall" (default) or "cpu"
---@return number ns nanoseconds; 0 if the clock stands still
function core.clock_resolution(kind) end

---Reads the software cycle counter: a chain of operations of known latency.
---Raises unless steps are in [1, 1e9].
---@param steps integer? length of the chain, in steps
---@return number? cycle_ns nanoseconds a core cycle; nil if the clock stood
---@return number? width operations a cycle that there was room for
---@return number? spread slowest part over the quickest, a ratio
function core.chain_read(steps) end

---Times one kind of chain.
---Raises at any other kind, or unless steps are in [1, 1e9].
---@param kind string "add", "multiply" or "wide"
---@param steps integer? length of the chain, in steps
---@return number ns nanoseconds a step
---@return number? cycles core cycles a step is taken to need; nil of "wide"
function core.chain_step_ns(kind, steps) end

---Steps of a reading that suit a clock.
---Raises if the resolution is no number.
---@param resolution_ns number? nanoseconds; the wall clock's unless given
---@return number? steps length of the chain; nil where the clock is too coarse
function core.chain_steps(resolution_ns) end

---A hash of a text: FNV-1a of 64 bits.
---Raises if it is no text.
---@param text string
---@return string digits 16 hexadecimal ones
function core.hash(text) end

---Hardware counters of this process, where there are any; counting from now on.
---For scripts: a report's cycles come from the software chain.
---Raises nothing; what the system refuses is nil and a message.
---@return tare.Counters? counters
---@return string? message why there are none
function core.perf() end

---Sends standard output to standard error.
---Raises nothing; what the system refuses is nil and a message.
---@return integer? saved a descriptor (no unit), for restore_stdout
---@return string? message
function core.divert_stdout() end

---Puts standard output back.
---Raises if it is given no number.
---@param saved integer of divert_stdout (no unit)
function core.restore_stdout(saved) end

---A counter of collections.
---Raises where there is no memory.
---@return tare.Watch watch not yet armed
function core.gcwatch() end

---How the collector is set, as far as this Lua has it: mode, pause,
---step_multiplier, step_size, minor_multiplier, major_multiplier, running. To
---find the mode, 5.4 does a few steps of the collector.
---Raises nothing.
---@return table settings
function core.gc_state() end

---Sets what is there of the fields of gc_state(). To change the mode is a full
---collection.
---Raises at a number outside of [0, 1000], or an unknown mode.
---@param settings table fields of gc_state()
---@return true? applied nil where this Lua has no such collector
---@return string? message
function core.gc_apply(settings) end

---The same as gc_apply, for what gc_state() told.
---Raises at a number outside of [0, 1000], or an unknown mode.
---@param settings table of gc_state()
---@return true? applied nil where this Lua has no such collector
---@return string? message
function core.gc_restore(settings) end

---What is told without a step of the collector.
---Raises nothing.
---@return integer pause percent
---@return integer step_multiplier percent
---@return boolean running
function core.gc_settings() end

---Lets the collector run or stops it, unless that is so already.
---Raises if it is given no boolean.
---@param running boolean
function core.gc_run(running) end

---Puts back what gc_settings() told; needs no memory.
---Raises unless the arguments are of their types.
---@param pause integer percent
---@param step_multiplier integer percent
---@param running boolean
function core.gc_put(pause, step_multiplier, running) end

---pcall(f, ...), after which the hook is what it was before, and what
---gc_settings() tells.
---Raises nothing.
---@param f function
---@param ... any arguments of f
---@return boolean ok
---@return any ... results of f, or what it raised
function core.guard(f, ...) end

---guard(), after which the rest of gc_state() is what it was, too.
---Raises nothing.
---@param f function
---@param ... any arguments of f
---@return boolean ok
---@return any ... results of f, or what it raised
function core.guard_all(f, ...) end

---Calls a function so often and counts what is allocated meanwhile. A block
---that grows counts its growth as bytes, but not as an allocation.
---Raises if f is no function, or unless iters are in [1, 2^53].
---@param f function
---@param iters integer calls
---@param ... any arguments of f
---@return tare.Census? census totals; nil if f raised an error
---@return any error what f raised
function core.census(f, iters, ...) end

---Calls a function so often and counts the instructions of the virtual machine,
---without those of the loop, which is in C. Not available while LuaJIT's
---compiler is on.
---Raises if f is no function, or unless iters are in [1, 2^53].
---@param f function
---@param iters integer calls
---@param ... any arguments of f
---@return number? instructions in all; nil if f raised an error
---@return any error what f raised, or why there is no count
function core.instructions(f, iters, ...) end

---A store of rows of named columns, outside of the Lua heap. When it is full,
---every other row goes.
---Raises unless the capacity is in [2, 1e7], and where there is no memory.
---@param capacity integer rows
---@return tare.Samples store
function core.samples(capacity) end

---A clock with the counters beside it. Settings: 'manual_tick_ns' (its clock
---moves only by advance, in such ticks), 'cpu' (read CPU time), 'watch' (count
---collections), 'chain_steps' (tell the length of a core cycle).
---Raises if a setting is not of its type.
---@param settings table? see above
---@return tare.Meter meter
function core.meter(settings) end

---Ends a call that does not return, by a hook that is set once it is late (PUC
---Lua on Linux). Raises unless the time is in [1, 9e18).
---@param ns number nanoseconds
---@return tare.Deadline? deadline
---@return string? message why there can be none
function core.deadline(ns) end

---What times mutator and collector apart.
---Raises where there is no memory.
---@return tare.Pacer pacer
function core.pacer() end

return core
