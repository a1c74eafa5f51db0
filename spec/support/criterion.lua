-- Real benchmark runs with the results that criterion published for them; the
-- data stand beside the checkout and are not part of it.
local criterion = { path = "../shared/data/criterion-reports.json" }

--- Iterates over every run: iters, seconds, expected; and per_iteration, the
--- seconds an iteration of the samples of at least 30 ms, which is what
--- criterion's summary (not its regression) is over. Where the file is absent
--- there is no run, and 'pending' (busted's) is told so.
---@param pending fun(name: string)
---@return fun(): integer|nil, table
function criterion.runs(pending)
  local file = io.open(criterion.path)
  if not file then
    pending("(skipped: no " .. criterion.path .. ")")
    return ipairs {}
  end
  local runs = require("cjson").decode(file:read("*a"))
  file:close()
  for _, run in ipairs(runs) do
    local kept = {}
    for i, seconds in ipairs(run.seconds) do
      if seconds >= 0.03 then kept[#kept + 1] = seconds / run.iters[i] end
    end
    run.per_iteration = kept
  end
  return ipairs(runs)
end

return criterion
