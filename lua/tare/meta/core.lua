---@meta tare.core
-- The C core, `require "tare.core"`: what tare itself is built on.

---@class tare.core
---@field version string
---@field sources string? checksum of the C files that it was built from; none
---  by LuaRocks and in the amalgamation
---@field stats tare.stats
---@field build table lua, compiler, arch, pointer_bits, optimized, asserts
local core = {}

---Monotonic time of the machine.
---Raises nothing.
---@return number ns nanoseconds, from any origin
function core.now_ns() end

---CPU time that this process has used. For specs: batches read it in C.
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
---@return number? cycle_ns nanoseconds per core cycle; nil if the clock stood
---@return number? width operations per cycle that the core had room for
---@return number? spread time of the slowest part over the quickest, a ratio
function core.chain_read(steps) end

---Times one kind of chain. For specs: these show that no compiler folded it.
---Raises at any other kind, or unless steps are in [1, 1e9].
---@param kind string "add", "multiply" or "wide"
---@param steps integer? length of the chain, in steps
---@return number ns nanoseconds per step
---@return number? cycles core cycles a step is taken to need; nil for "wide"
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

---Locks an open file for this process; false if another has it locked. The
---lock goes with the descriptor.
---Raises if the descriptor is none.
---@param fd integer descriptor of the system, no unit
---@return boolean locked false if another run has the same file locked
function core.lock_file(fd) end

---Opens a new file that has no name. It is deleted when it is closed, unless it
---is given a name.
---Raises if the folder is no text, or the mode no permissions.
---@param folder string
---@param mode integer permissions, no unit: 438 is 0666
---@return integer? fd descriptor, no unit; nil where there are no such files
function core.unnamed_file(folder, mode) end

---Gives a name to a file without one. There must be no file of that name yet.
---Raises if the descriptor is none.
---@param fd integer descriptor of the system, no unit
---@param name string
---@return boolean? ok
---@return string? message why it can't have the name
function core.name_file(fd, name) end

---A number as JSON writes it, whatever the locale's decimal point: it reads
---back as the same double.
---Raises if it is no number.
---@param x number of any unit
---@return string text "null" for NaN and infinities
function core.json_number(x) end

---A list of numbers as JSON.
---Raises if it is no table.
---@param list number[] of any unit
---@return string? text "[1,2.5,null]"; nil where an item is no number
function core.json_numbers(list) end

---The worker's end of its link to a run's conductor. Absent where the core is
---part of a host.
---Raises if it is no descriptor.
---@param fd integer number of an open descriptor
---@return tare.Link link
function core.link(fd) end

---Joins free blocks of memory and gives free pages back to the system, before
---workers are forked (glibc; elsewhere it does nothing). Absent where the core
---is part of a host.
---Raises nothing.
function core.join_free_memory() end

---Hardware counters of this process, where there are any; counting from now on.
---For scripts: a report's cycles come from the software chain.
---Raises nothing; what the system refuses is nil and a message.
---@return tare.Counters? counters
---@return string? message why there are none
function core.perf() end

---A counter of collections.
---Raises where there is no memory.
---@return tare.Watch watch not yet armed
function core.gcwatch() end

---How the collector is set, as far as this Lua has it: mode, pause,
---step_multiplier, step_size, minor_multiplier, major_multiplier, step_bytes,
---back_multiplier, running. To find the mode, 5.4 and 5.5 do a few steps of the
---collector.
---Raises nothing.
---@return table settings
function core.gc_state() end

---Sets the fields of gc_state() that the table has. To change the mode runs a
---full collection.
---Raises at a number outside of [0, 1000000], or an unknown mode.
---@param settings table fields of gc_state()
---@return true? applied nil where this Lua has no such collector
---@return string? message
function core.gc_apply(settings) end

---Restores what gc_state() returned. 5.4 can't report step_size and the
---multipliers of generations: of these, it restores those that tare has set
---since.
---Raises at a number outside of [0, 2147483647], or an unknown mode.
---@param settings table of gc_state()
function core.gc_restore(settings) end

---The settings that can be read without a step of the collector.
---Raises nothing.
---@return integer pause percent
---@return integer step_multiplier percent
---@return boolean running
function core.gc_settings() end

---Lets the collector run or stops it, unless it is in that state already.
---Raises if it is given no boolean.
---@param running boolean
function core.gc_run(running) end

---Restores what gc_settings() returned; needs no memory.
---Raises unless the arguments are of their types, and at a number that an int
---of C can't hold.
---@param pause integer percent
---@param step_multiplier integer percent
---@param running boolean
function core.gc_put(pause, step_multiplier, running) end

---pcall(f, ...), which then restores the hook and the settings that
---gc_settings() returns.
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

---Calls a function 'iters' times and counts what is allocated meanwhile. A
---block that grows counts its growth as bytes, but not as an allocation.
---Raises if f is no function, or unless iters are in [1, 2^53].
---@param f function
---@param iters integer calls
---@param ... any arguments of f
---@return tare.Census? census totals; nil if f raised an error
---@return any error what f raised
function core.census(f, iters, ...) end

---Calls a function 'iters' times and counts the instructions of the virtual
---machine, without those of the loop, which is in C. Not available while
---LuaJIT's compiler is on.
---Raises if f is no function, or unless iters are in [1, 2^53].
---@param f function
---@param iters integer calls
---@param ... any arguments of f
---@return number? instructions in all; nil if f raised an error
---@return any error what f raised, or why there is no count
function core.instructions(f, iters, ...) end

---Calls f(...) once, in a function that valgrind's callgrind knows by its name,
---to count what the processor executes in it.
---Raises if f is no function.
---@param f function
---@param ... any arguments of f
---@return true? done nil if f raised an error
---@return any error what f raised
function core.counted(f, ...) end

---Calls a function 'iters' times and counts instructions and allocations by
---source line and call stack. Needs LuaJIT's compiler off.
---Raises if f is no function, names no table, or the numbers are out of range.
---@param f function
---@param iters integer calls that are counted
---@param warmup integer calls before them
---@param names table<function, string> how functions are called
---@param ... any arguments of f
---@return table? profile callees: functions {name?, source?, line, is_c, calls,
---ns?}; places: lines in stacks {parent?, callee?, line, calls, instructions,
---allocs, bytes, freed_bytes}, the first outside of all functions; totals
---@return any error what f raised
function core.profile(f, iters, warmup, names, ...) end

---Profiles the next frames of a recorder, which does not record them.
---Raises unless there are 1 to 1e9 of them, while a profile is under way, where
---there is no memory, and in a finalizer that runs while the recorder works.
---@param recorder tare.Frames
---@param count integer of frames, no unit
---@param names table<function, string> how functions are called
---@param after fun()? is called when they have ended
function core.frames_profile(recorder, count, names, after) end

---The profile of frames, in the form of core.profile; the recorder forgets it.
---Raises where there was not enough memory for it, and in a finalizer that runs
---while the recorder works.
---@param recorder tare.Frames
---@return table? profile nil while they are profiled, and where none is
---@return number? frames number of frames that have been profiled
---@return number? wanted number of frames asked for, while they are profiled;
---then their time in nanoseconds
function core.frames_profiled(recorder) end

---A store of rows of named columns, outside of the Lua heap. When it is full,
---every other row is dropped.
---Raises unless the capacity is in [2, 1e7], and where there is no memory.
---@param capacity integer rows
---@return tare.Samples store
function core.samples(capacity) end

---A clock with the counters beside it. Settings: 'manual_tick_ns' (its clock
---moves only by advance, in such ticks), 'by_cpu' (its clock is the CPU time of
---this process), 'cpu' (read CPU time), 'watch' (count collections),
---'chain_steps' (measure the length of a core cycle), 'stolen_ns' (look this
---long for stolen time, after each batch of at least four times that length).
---Raises if a setting is not of its type.
---@param settings table? see above
---@return tare.Meter meter
function core.meter(settings) end

---A recorder of frames, whose memory does not grow: what tare.frames gives.
---Raises unless the budget is in (0, 1e12] and the rows are in [1, 1e7], and
---where there is no memory.
---@param budget_ms number milliseconds
---@param rows integer how many of the latest frames are kept one by one
---@param meter tare.Meter? by its clock; else by that of the host
---@param paced boolean? whether the collector's steps run, timed, where scopes
---and frames end
---@return tare.Frames? recorder
---@return string? message why frames can't be paced in this Lua
function core.frames(budget_ms, rows, meter, paced) end

---The latest frames, their scopes and marks one by one.
---Raises unless the format is one of the two, and the record a table.
---@param format string "csv" or "perfetto"
---@param record table what recorder:record() gave
---@return string text
function core.frames_trace(format, record) end

---Ends a call that does not return, by a hook that is set once it is late (PUC
---Lua on Linux). Raises unless the time is in [1, 9e18).
---@param ns number nanoseconds
---@return tare.Deadline? deadline
---@return string? message why there can be none
function core.deadline(ns) end

---Calls f(...), in which a yield is an error, and returns its results. Raises
---what it raises, and where there is no 'f'.
---@param f function
---@param ... any
---@return any ...
function core.without_yields(f, ...) end

---Times the function and the collector separately.
---Raises where there is no memory.
---@return tare.Pacer pacer
function core.pacer() end

---The pauses of several pacers, or of several launches, as if one had counted
---them all: what Pacer:pauses() returns.
---Raises where one is no such table.
---@param list table[] each of Pacer:pauses()
---@return table? pauses nil if there were none
function core.pauses(list) end

return core
