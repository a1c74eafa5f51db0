-- tare compare --ref REV FILE...: the benches of the working tree and those of
-- git revisions, in lockstep: each revision is checked out beside the tree, as
-- another variant.
local EXIT = require "tare.cli.exit"
local files = require "tare.cli.files"
local measure = require "tare.cli.measure"
local run = require "tare.cli.run"
local signals = require "tare.cli.signals"
local verdicts = require "tare.cli.verdicts"
local Worktree = require "tare.cli.worktree"

local ref = {}

local function read(given)
  local asked, message = run.rules_and_settings(given)
  if not asked then return nil, message end
  if asked.settings.launches == 0 then
    return nil, "--launches: revisions need processes of their own"
  end
  local seen = {}
  for _, revision in ipairs(given.ref) do
    if seen[revision] then
      return nil, ("--ref: names '%s' twice"):format(revision)
    end
    seen[revision] = true
  end
  asked.files, message, asked.names = files.expand(given.files, given)
  if not asked.files then return nil, message end
  message = run.outputs(asked)
  return not message and asked or nil, message
end

-- The files that a revision has too, each where it is there; a file that is new
-- is measured, but has nothing to be compared with.
local function variant_of(tree, revision, asked, complain)
  local placed, names = {}, {}
  for _, file in ipairs(asked.files) do
    local path, message = tree:place(file)
    if not path then return nil, message end
    if require("luv").fs_stat(path) then
      placed[#placed + 1], names[path] = path, asked.names[file]
    else
      complain(("note: not in %s, so not compared: %s"):format(revision, file))
    end
  end
  return { parameter = "ref", name = revision, folder = tree.folder,
    checkout = { of = tree.top, path = tree.path }, files = placed,
    names = names, is_baseline = true }
end

local function measured(asked, trees, remove_trees, complain)
  local variants = { { files = asked.files, label = "the working tree" } }
  for i, revision in ipairs(asked.given.ref) do
    if #trees[i].submodules > 0 then
      complain(("note: the checkout of %s is without its submodules: %s")
        :format(revision, table.concat(trees[i].submodules, ", ")))
    end
    local variant, message = variant_of(trees[i], revision, asked, complain)
    if not variant then return nil, message end
    if #variant.files > 0 then variants[#variants + 1] = variant end
  end
  asked.variants = variants
  local opened, message, code = measure.open(asked, complain)
  if not opened then return nil, message, code end
  local ok, result, why = pcall(run.finish, opened, opened.cells, asked,
    complain, function(report)
      remove_trees()
      report.refs = {}
      for i, revision in ipairs(asked.given.ref) do
        report.refs[revision] = trees[i].hash
      end
      -- The gates on the working tree's cells against the revisions'. The
      -- comparisons of the report become those with the revisions.
      local verdict
      report.comparisons, verdict = verdicts.of_revisions(report, asked.rules,
        asked.settings.tolerance)
      return verdict, {}
    end)
  opened:close()
  if not ok then error(result, 0) end
  return result, why
end

--- Runs the command; what it returns is read in tare.cli.
function ref.run(given, complain)
  local asked, message = read(given)
  if not asked then return nil, message end
  local trees = {}
  local stops = signals.watch() -- checkouts go on every path
  local function remove_trees() -- before the report is written, which may last
    for _, tree in ipairs(trees) do tree:remove() end
    trees = {}
    stops:close()
  end
  for i, revision in ipairs(given.ref) do
    trees[i], message = Worktree.add(revision, stops)
    if not trees[i] then
      message = "--ref: " .. message
      break
    end
  end
  local ok, result, why, code = true, nil, message, nil
  if stops:seen() then
    result = EXIT.interrupted
  elseif not message then
    ok, result, why, code = pcall(measured, asked, trees, remove_trees,
      complain)
  end
  remove_trees()
  if not ok then error(result, 0) end
  return result, why, code
end

return ref
