---@meta tare.assert
-- `require "tare.assert"` adds these to luassert, the 'assert' of busted. Each
-- can be negated: assert.is_not_faster_than(fn, other).

---@class luassert
local assert = {}

---Fails if a call allocates more than a limit. Exact: a mean over some calls,
---on LuaJIT of compiled code where the compiler is on.
---Raises the failure, misuse, and what fn raises.
---@param fn fun() called without arguments
---@param limits table bytes?, allocs? (per call); calls? (how many are counted:
---16), warmup? (calls before them: 2, on LuaJIT 200)
---@return tare.Census census totals over 'iters' calls
function assert.allocates_at_most(fn, limits) end

---Fails if a call allocates anything; the message names the lines that do.
---Raises the failure, misuse, and what fn raises.
---@param fn fun() called without arguments
---@param options table? calls (how many are counted: 16), warmup (calls
---before them: 2, on LuaJIT 200)
---@return tare.Census census totals over 'iters' calls
function assert.allocates_nothing(fn, options) end

---Fails if a call executes more instructions of the virtual machine. Exact. On
---LuaJIT the interpreter's are counted: the compiler is off meanwhile.
---Raises the failure, misuse, and what fn raises.
---@param fn fun() called without arguments
---@param limits number|table instructions per call; or {instructions =, calls =
---(1), warmup = (2 calls)}
---@return table counts {iters, instructions}: totals over so many calls
function assert.executes_at_most(fn, limits) end

---Fails if fn surely takes longer than the other's time divided by 'times', by
---more than the margin. Both are measured in turn, in rounds, until that is
---sure or the budget is spent. Negated, fails if fn is surely faster.
---Raises the failure, misuse, and what the functions raise.
---@param fn fun() called without arguments
---@param other fun() called without arguments
---@param options table? times (1), margin ("5%"), budget ("3s", of all rounds)
---@return tare.Comparison comparison of the last round
function assert.faster_than(fn, other, options) end

---Fails if a cost surely grows faster with n than a law. By time, laws that are
---a factor of log n apart are not distinguished; by counts they are.
---Raises the failure, misuse, and what fn raises.
---@param fn fun(n: integer) called with sizes
---@param law string "1", "log n", "n", "n log n", "n^2" or "n^3"
---@param options table? metric ("time", "instructions", "allocs" or "bytes"),
---sizes (five or more; else chosen), budget ("5s"), warmup (calls)
---@return table points {{x, value}...}: nanoseconds or counts per call
function assert.grows_at_most(fn, law, options) end

return assert
