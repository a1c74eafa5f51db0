-- The fields of a result that were measured: what a record has, and what the
-- command line adds to it. Analysis copies them and computes all else again;
-- in reports that are read they are checked.
--
-- The kind of a field is how tare.store.schema checks it: "text", "number",
-- "flag", or a name there.
local KINDS = {
  -- what was measured, and how
  id = "text", suite = "text", group = "texts", name = "text",
  params = "params", compared = "text", baseline = "flag", lua = "text",
  source = "text", loop = "text", gc = "text", gc_mode = "text", jit = "flag",
  gc_pause = "number", gc_minor_multiplier = "number",
  split = "flag", precision = "number", discard = "texts",
  regress = "regressions", throughput = "numbers by name", in_process = "flag",
  -- what was found
  launches = "number", warmup = "warmup", waited_ns = "number",
  heap_bytes = "number", thinned = "number", error = "text",
  failed_launches = "failed_launches", samples = "columns", passes = "passes",
  profile = "profile", traces = "traces", machine_instructions = "figure",
  -- added by the command line
  sitting = "number", env_index = "number", measured_again = "measured_again",
}

local names = {}
for name in pairs(KINDS) do names[#names + 1] = name end
table.sort(names)

--- SCHEMA: the name of the form that reports have.
return { kinds = KINDS, names = names, SCHEMA = "tare/1" }
