-- What LuaJIT compiled of benches and what it gave up, with a sentence of what
-- to do for each common reason.
local escape = require "tare.report.escape"
local figures = require "tare.report.figures"
local lists = require "tare.base.lists"
local profiles = require "tare.report.profiles"
local width = require "tare.report.width"

local traces = {}

local MOST = 12 -- places in a table
local MOST_SAMPLED = 6
local LONGEST = 44

-- Parts of LuaJIT's reasons, the first that matches, and what to do.
local ADVICE = {
  { "NYI: FastFunc", "The compiler can't compile this library function: call "
    .. "it outside of the loop, or write it in Lua." },
  { "NYI: C function", "The compiler can't compile calls of C functions: call "
    .. "it outside of the loop, or through the FFI." },
  { "NYI: bytecode FNEW", "A function is made inside the loop: make it once, "
    .. "before it." },
  { "NYI: bytecode UCLO", "A loop ends that made closures over its variables: "
    .. "make them outside of it." },
  { "NYI: bytecode VARG", "Variable arguments can't be compiled here: use a "
    .. "fixed number of them, or select('#', ...) of a fixed count." },
  { "NYI: bytecode TSETM", "A table is made of all results of a call, or of "
    .. "'...': assign them one by one." },
  { "NYI: bytecode ITERN", "pairs() and next() are not compiled by this "
    .. "LuaJIT: loop over an array with a numeric 'for'." },
  { "NYI: bytecode ISNEXT", "pairs() and next() are not compiled by this "
    .. "LuaJIT: loop over an array with a numeric 'for'." },
  { "NYI: bytecode", "The compiler can't compile this instruction: take it "
    .. "out of the loop." },
  { "NYI: return to lower frame", "A loop begins in one function and returns "
    .. "into another: let the outer one be hot, or join them." },
  { "leaving loop in root trace", "The loop ended while it was recorded: it is "
    .. "too short to be compiled by itself; a longer one around it may be." },
  { "inner loop in root trace", "There is a loop inside, which is compiled "
    .. "first: nothing to do, unless it fails too." },
  { "loop unroll limit", "An inner loop with few turns each time is unrolled "
    .. "too often: unroll it by hand, or make it longer." },
  { "call unroll limit", "Calls go too deep, or recur: write the recursion as "
    .. "a loop." },
  { "down%-recursion", "A recursion returns: write it as a loop." },
  { "too many snapshots", "There are too many branches in one loop: split it."
  },
  { "trace too long", "The loop's body is too long: split it into functions "
    .. "or loops." },
  { "too many spill slots", "There are too many live variables: fewer locals "
    .. "in the loop, or a loop of less." },
  { "blacklisted", "It reaches code that the compiler has given up: the other "
    .. "lines say why." },
  { "error thrown", "An error was raised (and caught) while it was recorded: "
    .. "keep errors out of hot code." },
  { "failed to allocate mcode", "There is no memory for compiled code near by: "
    .. "raise maxmcode (jit.opt)." },
  { "bad argument type", "A call with a wrong type is hot: convert the "
    .. "argument before." },
  { "store with nil", "A store under nil raises an error: keep such keys out "
    .. "of hot code." },
  { "missing metamethod", "An operation on a value that has none raises an "
    .. "error: keep it out of hot code." },
  { "guard would always fail", "What was recorded can't happen again: a type "
    .. "that changes with each turn." },
  { "compilation disabled", "jit.off() was called for this function, or the "
    .. "compiler gave it up." },
  { "persistent type instability", "A variable changes its type from turn to "
    .. "turn: give it one type." },
  { "NYI: metamethod", "This metamethod can't be compiled: call a function "
    .. "instead." },
  { "NYI", "The compiler can't compile this: take it out of the loop." },
}

--- What to do where a trace is given up for a reason.
---@param reason string LuaJIT's words
---@return string? sentence
function traces.advice(reason)
  for _, entry in ipairs(ADVICE) do
    if reason:find(entry[1]) then return entry[2] end
  end
end

local function place_of(at)
  return escape.visible(("%s:%d"):format(profiles.file(at.source), at.line))
end

local function column(key, title, explain, align)
  return { key = key, title = title, explain = explain,
    align = align or "left" }
end

-- What a table says that does not show all of a list.
local function legend_of(list)
  return list[MOST + 1] and { { text = ("%d more"):format(#list - MOST) } }
end

local function aborts_table(found)
  local made = { columns = { column("abort", "line",
    "where the compiler gave up"),
    column("bytecode", "bytecode", "the instruction there"),
    column("tries", "tries", "how often it tried", "right"),
    column("reason", "reason", "LuaJIT's reason") }, rows = {},
    legend = legend_of(found.aborts) }
  for i = 1, math.min(#found.aborts, MOST) do
    local abort = found.aborts[i]
    made.rows[i] = { cells = { { text = place_of(abort) },
      { text = escape.visible(abort.bytecode or "-") },
      { text = figures.exact(abort.count, "tries"), value = abort.count },
      { text = width.cut(escape.visible(abort.reason), LONGEST, "...")
        .. (abort.blacklisted and " (for good)" or ""),
        style = abort.blacklisted and "warn" or nil } } }
  end
  return made.rows[1] and made
end

-- Compiled code by the line at which it begins.
local function roots_table(found)
  local list = lists.copy(found.roots or {})
  local made = { columns = { column("root", "line", "where the code begins"),
    column("traces", "traces", "traces compiled, side traces included",
      "right"),
    column("side", "side", "of them, those that begin at another's exit",
      "right"),
    column("exits", "exits", "ways out of these traces", "right"),
    column("taken", "taken", "how often a call of the bench leaves by one",
      "right") }, rows = {}, legend = legend_of(list) }
  table.sort(list, function(a, b)
    if a.taken ~= b.taken then return a.taken > b.taken end
    if a.traces ~= b.traces then return a.traces > b.traces end
    if a.source ~= b.source then return a.source < b.source end
    return a.line < b.line
  end)
  for i = 1, math.min(#list, MOST) do
    local root, cells = list[i], { { text = place_of(list[i]) } }
    for _, name in ipairs { "traces", "side", "exits" } do
      cells[#cells + 1] = { text = figures.exact(root[name], "traces"),
        value = root[name] }
    end
    cells[#cells + 1] = { text = figures.quantity(root.taken, "exits"),
      value = root.taken }
    made.rows[i] = { cells = cells }
  end
  return made.rows[1] and made
end

local function sampled_sentence(sampled)
  local parts = {}
  for i = 1, math.min(MOST_SAMPLED, #sampled.lines) do
    local line = sampled.lines[i]
    parts[i] = ("%s %s"):format(place_of(line), figures.percent(line.share))
  end
  return ("Compiled code runs for %s of the time; by line: %s (%s samples)."):
    format(figures.percent(sampled.compiled), table.concat(parts, ", "),
      figures.exact(sampled.samples, "samples"))
end

local function sentences_of(found)
  local list, said = {}, {}
  local blacklisted = #lists.those(found.aborts, function(abort)
    return abort.blacklisted
  end)
  list[1] = { text = ("%d traces were compiled (%d of them side traces); the "
    .. "compiler gave up at %d %s%s."):format(found.compiled or 0,
    found.side or 0,
    #found.aborts, #found.aborts == 1 and "place" or "places",
    blacklisted > 0 and (", at %d of them for good"):format(blacklisted)
    or "") }
  for _, abort in ipairs(found.aborts) do
    local advice = traces.advice(abort.reason)
    if advice and not said[advice] then
      said[advice] = true
      list[#list + 1] = { text = ("%s: %s"):format(
        escape.visible(abort.reason), advice) }
    end
  end
  if found.sampled and found.sampled.lines[1] then
    list[#list + 1] = { text = sampled_sentence(found.sampled) }
  end
  return list
end

--- The sections of results of which LuaJIT's traces were recorded.
---@return table[] sections
function traces.sections(report)
  local sections = {}
  for _, result in ipairs(report.results) do
    if result.traces and result.traces.aborts then
      sections[#sections + 1] = { kind = "profile",
        title = "Traces of " .. escape.visible(result.id),
        table = aborts_table(result.traces) or nil,
        sentences = sentences_of(result.traces) }
      local roots = roots_table(result.traces)
      sections[#sections + 1] = roots and { kind = "profile", table = roots,
        title = "Compiled code in " .. escape.visible(result.id) }
    end
  end
  return sections
end

return traces
