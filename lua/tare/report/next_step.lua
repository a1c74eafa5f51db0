-- What to do after a report has been read: one command, made of the one that
-- was given, and what it is for. Where all is well there is none: what is
-- always there is not read where it matters.
local columns = require "tare.report.columns"
local escape = require "tare.report.escape"
local groups = require "tare.report.groups"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"
local numerals = require "tare.base.numerals"
local trouble = require "tare.report.trouble"
local unicode = require "tare.base.unicode"
local unpack = require("tare.base.compat").unpack
local id_without = require("tare.base.ids").without

local next_step = {}

-- A longer quota is proposed up to so many seconds.
local LONGEST = 120

local LONGEST_COMMAND = 160 -- letters that are repeated with what is added

-- Where so many batches were shared, a longer run is no remedy; from where on a
-- machine is busy.
local CROWDED, BUSY = 0.5, 0.1

-- Options, with their values, that belong to the run and not to the next one.
local OUTPUT = { ["--save"] = true, ["-o"] = true, ["--output"] = true,
  ["-f"] = true, ["--format"] = true, ["--fail-on"] = true }

-- And those that what measures nothing can't use either.
local COMPARED = { ["--baseline"] = true, ["--resume"] = true,
  ["--ref"] = true }

-- Lua on the command line, which may look like an option.
local CODE = { ["-e"] = true, ["--expression"] = true, ["-s"] = true,
  ["--setup"] = true }

-- The words without some options, in all spellings: "--save x", "--save=x",
-- "-o x", "-ox", and without --quiet, which would hide what the next command is
-- for; "-qf" is "-f".
local function without(words, dropped)
  local kept, before = {}, nil -- the option whose value comes next
  for _, word in ipairs(words) do
    if before then
      kept[#kept + 1] = not dropped[before] and word or nil
      before = nil
    else
      word = word:gsub("^%-q(%a)", "-%1")
      local name, value = word:match("^(%-%-[%w%-]+)=(.*)$")
      if not name then name, value = word:match("^(%-[fo])(.+)$") end
      name = name or word
      if value == nil and (dropped[name] or CODE[name]) then before = name end
      if not dropped[name] and name ~= "-q" and name ~= "--quiet" then
        kept[#kept + 1] = word
      end
    end
  end
  return kept
end

-- A word as a shell takes it; cmd.exe knows no single quotes, and there
-- backslashes before a quote are doubled.
local function quoted(word, on_windows)
  if word:find("^[%w._/:=,+@-]+$") then return word end
  if on_windows then
    word = word:gsub('(\\*)"', '%1%1\\"'):gsub("\\+$", "%0%0")
    return '"' .. word .. '"'
  end
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

-- The command with words in place of others; what is added alone, where it is
-- long or can't be given again.
local function command_of(given, words, added)
  local function line(list)
    local parts = {}
    for i, word in ipairs(list) do parts[i] = quoted(word, given.on_windows) end
    return table.concat(parts, " ")
  end
  local all = lists.copy(given.program)
  lists.append(all, words)
  lists.append(all, added)
  local text = line(all)
  if #text > LONGEST_COMMAND or text:find("[%c]") or text:find(" %- ") then
    return "the same command with " .. line(added)
  end
  return text
end

-- "4s", "500ms"; in seconds, rounded up to one digit that a person would type;
-- and how many times a given quota that is.
local function quota_text(ns, given_ns)
  local text, rounded_ns
  if ns < 1e9 then
    rounded_ns = math.ceil(ns / 1e8) * 1e8
    text = ("%dms"):format(rounded_ns / 1e6)
  else
    local seconds = math.ceil(ns / 1e9)
    if seconds > 10 then seconds = math.ceil(seconds / 5) * 5 end
    text, rounded_ns = ("%ds"):format(seconds), seconds * 1e9
  end
  local times = rounded_ns / given_ns
  return text, numerals.format(times < 10 and "%.2g" or "%.0f", times)
end

-- How many times as long a run has to be until a comparison's interval, which
-- shrinks with the square root, either lies on one side of 1 or within the
-- tolerance of it.
local function factor_of(c, tolerance)
  if not (metrics.has_interval(c.ratio) and c.ratio.low > 0) then return nil end
  local width = math.log(c.ratio.high / c.ratio.low) / 2
  local off = math.abs(math.log(c.ratio.high * c.ratio.low) / 2)
  local to_differ = (width / math.max(off, 1e-9)) ^ 2
  local room = tolerance - off
  local to_be_same = room > 0 and (width / room) ^ 2 or 1/0
  return math.max(2, 1.3 * math.min(to_differ, to_be_same))
end

-- The factors of what is unclear, and the number of those; what is too noisy is
-- counted as that, as in the closing line.
local function unclear_in(report, relations, tolerance)
  local most, count, seen = 0, 0, {}
  local function add(c)
    if not (c and c.verdict == "unclear") or seen[c.a] then return end
    local result = relations.by_id[c.a]
    if result and columns.noise_of(result, report.options) then return end
    seen[c.a], count = true, count + 1
    local factor = factor_of(c, tolerance)
    if factor and factor <= columns.MOST_LONGER then
      most = math.max(most, factor)
    end
  end
  for _, result in ipairs(report.results) do
    add(relations:to_reference(result))
  end
  for _, c in ipairs(report.comparisons or {}) do
    if groups.is_change(c) then add(c) end
  end
  return most, count
end

-- The longest quota that a time asks for which is too noisy, how many ask for
-- one, how many are too noisy at all, and whether one had a crowded core.
local function needed_by_noisy(report)
  local most, asking, count, has_crowded = 0, 0, 0, false
  for _, result in ipairs(report.results) do
    if columns.noise_of(result, report.options) then
      local needed_ns = columns.needed_ns(result, report.options)
      most, asking = math.max(most, needed_ns or 0),
        asking + (needed_ns and 1 or 0)
      count = count + 1
      has_crowded = has_crowded or lists.has(result.warnings, "crowded_run")
    end
  end
  return most, asking, count, has_crowded
end

local function is_measuring(given)
  local words = given.words
  if words[1] ~= "compare" then return words[1] ~= "report" end
  return lists.first(words, function(word) return word:find "^%-%-ref" end)
end

local MOST_NAMED = 3 -- benches that a command names one by one

local FILTER = { ["--filter"] = true, ["--match"] = true }

-- The words without what chooses benches: such options, and the names of
-- "x_bench.lua:NAME" and "FOLDER:NAME"; each file once.
local function without_choice(given, words)
  local plain, seen = {}, {}
  for _, word in ipairs(without(words, FILTER)) do
    local file = (given.files or {})[word]
    if not (file and seen[file]) then plain[#plain + 1] = file or word end
    if file then seen[file] = true end
  end
  return plain
end

-- The id by which a bench is chosen: that without the variant, which the run
-- adds.
local function chosen_by(id)
  return id_without(id_without(id, "ref"), "lua")
end

-- How options name some benches and no other of the report: by nothing where
-- they are all, by what their ids have in common, or one by one, of many the
-- first; and how many these are.
local function filters_of(ids, report)
  local wanted, is_all, common = {}, true, ids[1]
  for _, id in ipairs(ids) do
    wanted[id] = true
    while id:sub(1, #common) ~= common do common = common:sub(1, -2) end
  end
  if unicode.repair(common) ~= common then -- it ends in the midst of a letter
    common = common:gsub("[\192-\255][\128-\191]*$", "")
  end
  local is_exact = #common > 1 and not common:find("[*?]")
    and common:sub(1, 1) ~= "!"
  for _, result in ipairs(report.results) do
    local id = chosen_by(result.id)
    is_all = is_all and wanted[id] ~= nil
    is_exact = is_exact and (wanted[id] or not id:find(common, 1, true))
  end
  if is_all and ids[2] then return {}, #ids end
  if is_exact and ids[2] then return { "--filter", common }, #ids end
  local words = {}
  for i = 1, math.min(#ids, MOST_NAMED) do
    words[#words + 1], words[#words + 2] = "--filter", ids[i]
  end
  return words, math.min(#ids, MOST_NAMED)
end

local function say(given, why, words, ...)
  return { why = why, command = command_of(given, words, { ... }) }
end

-- To measure what an interrupted run has left, in the same file.
local function to_finish(report, given, file)
  local short = lists.those(report.results, function(result)
    return lists.has(result.warnings, "interrupted")
  end)
  local notes = {}
  notes[1] = #short < #report.results
    and "what was finished is not measured again" or nil
  notes[#notes + 1] = short[1] and "what was cut short is measured anew, in "
    .. "place of its figures" or nil
  local what = "to finish the run" .. (notes[1]
    and (" (%s)"):format(table.concat(notes, "; ")) or "")
  local dropped = { ["--save"] = true, ["--resume"] = true }
  for _, word in ipairs(without(given.words, { ["--save"] = true })) do
    if word:sub(-#file) == file then -- it was -o that wrote it
      for name in pairs(OUTPUT) do
        dropped[name] = dropped[name] or name ~= "--fail-on"
      end
    end
  end
  return say(given, what, without(given.words, dropped), "--resume", file)
end

-- Ids of benches that failed, that a gate stopped, and that became slower. What
-- failed in another revision is none of them: the code that the next command
-- would call is not the one that failed.
local function lists_of_trouble(report, failures, relations)
  local broken, stopped, slower = {}, {}, {}
  local function add(list, id)
    id = chosen_by(id)
    if not list[id] then list[id], list[#list + 1] = true, id end
  end
  for _, result in ipairs(report.results) do
    if result.error and (result.params or {}).ref == nil then
      add(broken, result.id)
    end
  end
  for _, failure in ipairs(failures or {}) do
    if failure.id then add(stopped, failure.id) end
  end
  for _, c in ipairs(report.comparisons or {}) do
    if groups.is_change(c) and c.verdict == "slower"
      and relations.by_id[c.a] then add(slower, c.a) end
  end
  return broken, stopped, slower
end

-- The global that an expression (-e) used and nothing has set; nil where none
-- failed so.
local function unset_global(report)
  for _, result in ipairs(report.results) do
    local name = result.suite == "expressions"
      and tostring(result.error):match "global '([%a_][%w_]*)'"
    if name then return name end
  end
end

local function has(words, options)
  for _, word in ipairs(words) do
    if options[word:match "^%-%-[%w%-]+" or word:sub(1, 2)] then return true end
  end
  return false
end

-- What gates ask for that could not be decided: how many times as long this run
-- has to be, and the other report where that does not do alone; how many these
-- gates are.
local function undecided_in(gates)
  local most, most_of_both, count = 0, 0, 0
  for _, rule in ipairs(gates or {}) do
    local asks = false
    for _, one in ipairs(rule.undecided) do
      local alone, both = one.alone or 1/0, one.both or 1/0
      if alone <= columns.MOST_LONGER then
        most, asks = math.max(most, 2, alone), true
      elseif both <= columns.MOST_LONGER then
        most, asks = math.max(most, 2, both), true
        most_of_both = math.max(most_of_both, 2, both)
      end
    end
    count = count + (asks and 1 or 0)
  end
  return most, most_of_both, count
end

-- To find out why benches failed, were stopped by a gate, or became slower; nil
-- where none did. Also whether they only became slower.
local function to_find_out(report, given, failures, relations)
  local plain = without(given.words, OUTPUT)
  -- The command for some benches: why for one, and for several.
  local function say_of(ids, one, many, option)
    local words, count = filters_of(ids, report)
    local why = not ids[2] and one or many:format(count < #ids
      and ("first %d of %d"):format(count, #ids) or ("%d"):format(#ids))
    words[#words + 1] = option
    return say(given, why, words[2] and without_choice(given, plain) or plain,
      unpack(words))
  end
  local broken, stopped, slower = lists_of_trouble(report, failures, relations)
  local unset = broken[1] and unset_global(report)
  if unset and not has(given.words, { ["-s"] = true, ["--setup"] = true }) then
    return say(given, ("to set '%s' beforehand"):format(unset),
      given.words, "-s", ("local %s = ..."):format(unset))
  elseif broken[1] then
    plain = without(plain, COMPARED)
    if plain[1] == "compare" then plain[1] = "run" end
    return say_of(broken, "to call the bench that failed once, without "
      .. "measuring", "to call the %s benches that failed once, without "
      .. "measuring", "--dry-run")
  elseif stopped[1] then
    return say_of(stopped, ("to find the costliest lines of %s"):format(
      escape.visible(stopped[1])),
      "to find the costliest lines of the %s that failed", "--profile")
  elseif slower[1] then
    return say_of(slower, "to find the costliest lines of what is slower",
      "to find the costliest lines of the %s slower ones", "--profile"), true
  end
end

-- To measure longer, where that may help; else on a quieter machine. Also
-- whether that is about a gate.
local function to_settle(report, given, relations, options)
  local env = type(report.env) == "table" and report.env or {}
  local crowded = math.max(tonumber(env.crowded) or 0,
    trouble.left_out(report) or 0)
  local asked = report.options or {}
  local quota = type(asked.quota) == "table" and tonumber(asked.quota.ns)
  local factor, unclear = unclear_in(report, relations,
    tonumber(asked.tolerance) or 0.01)
  local needed_ns, asking, noisy, has_crowded = needed_by_noisy(report)
  local of_gates, of_both, undecided = undecided_in(options.gates)
  factor = math.max(factor, of_gates)
  local wanted = math.max(needed_ns, quota and factor * quota or 0)
  if quota and wanted > quota and wanted <= LONGEST * 1e9 and not has_crowded
    and crowded < CROWDED then
    local parts = {}
    for _, one in ipairs { { asking, "noisy time" },
      { unclear, "unclear comparison" }, { undecided, "undecided gate" } } do
      local count, what = one[1], one[2]
      parts[#parts + 1] = count == 1 and "the " .. what
        or count > 1 and ("the %d %ss"):format(count, what) or nil
    end
    local text, times = quota_text(wanted, quota)
    local other = of_both > 0 and (" (if %s is measured again %s times as "
      .. "long, too)"):format(escape.visible((options.against or {}).name
      or "the other report"), times) or ""
    return say(given, ("to measure %s times as long, which may settle %s%s")
      :format(times, lists.sentence(parts), other),
      without(given.words, { ["--quota"] = true }), "--quota", text),
      undecided > 0
  elseif (crowded >= BUSY or has_crowded) and noisy + unclear + undecided > 0
  then
    return { why = "to see what keeps this machine busy",
      command = "tare env" }
  end
end

--- What to do now; nil where nothing is left to do, or nobody knows which
--- command was given.
---@param options table of the document: 'command' = { program, words,
---  files, on_windows }, 'failures', 'gates', 'against', 'interrupted'
---@param relations table of tare.report.groups
---@return { why: string, command: string }?
function next_step.of(report, options, relations)
  local given, kept = options.command, options.interrupted
  if not given or not is_measuring(given) then return nil end
  if kept and kept.file and trouble.can_resume(report) then
    return to_finish(report, given, kept.file)
  end
  local found, is_slower = to_find_out(report, given, options.failures,
    relations)
  if kept or found and not is_slower then return found end
  local settled, decides = to_settle(report, given, relations, options)
  return decides and settled or found or settled
end

return next_step
