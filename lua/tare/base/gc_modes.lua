-- The modes of Lua's own collector: the values of --gc-mode, in the order in
-- which messages name them. The C core has them, too (csrc/bind/bind_gc.c). A
-- new one needs a line here, and what docs/architecture.md lists.
--
--   whole          its usual collections run in one piece, within a call; else
--                  they are spread over many. (Major ones of generational mode
--                  run in steps on 5.5.)
--   share_of_heap  bytes allocated between two collections, as a share of the
--                  heap, with the default settings: a guess where too few
--                  collections were seen
--   setting        the option that sets this share, in percent, from 'base' on;
--                  no less than 'least': while a collection is spread over many
--                  calls, these allocate, too
--   unused         options that it ignores, or nearly
local modes = {
  { name = "incremental", whole = false, share_of_heap = 1,
    setting = "gc_pause", base = 100, least = 0.1,
    unused = { "gc_minor_multiplier", "gc_major_multiplier" } },
  { name = "generational", whole = true, share_of_heap = 0.2,
    setting = "gc_minor_multiplier", base = 0, least = 0.01,
    unused = { "gc_pause", "gc_step_multiplier", "gc_step_size" } },
}

local by_name, names = {}, {}
for i, mode in ipairs(modes) do
  by_name[mode.name], names[i] = mode, mode.name
end

local gc_modes = { names = names }

--- The mode of a name.
---@param name string?
---@return table mode the incremental one where a Lua has no modes (nil), and
---  for an unknown name, which a stored report may have
function gc_modes.of(name) return by_name[name] or modes[1] end

--- Bytes allocated between two collections, as a share of the heap.
---@param heap { gc_mode: string?, gc_pause: number?, gc_minor_multiplier:
---  number? } the mode, and its settings as options, where they are given
---@return number share
function gc_modes.share_of_heap(heap)
  local mode = gc_modes.of(heap.gc_mode)
  local percent = heap[mode.setting]
  return percent and math.max(mode.least, (percent - mode.base) / 100)
    or mode.share_of_heap
end

--- Whether there is such a mode.
---@param name any
---@return boolean
function gc_modes.has(name) return by_name[name] ~= nil end

return gc_modes
