-- Looks into rendered pages.
local pages = {}

--- How often a text stands in a page.
function pages.count(text, plain)
  local found, from = 0, 1
  while true do
    from = text:find(plain, from, true)
    if not from then return found end
    found, from = found + 1, from + #plain
  end
end

--- The part of a page about one result.
function pages.part_of(page, index)
  local from = assert(page:find('<details class="card result" id="r' .. index,
    1, true))
  local to = page:find('<details class="card result"', from + 1, true)
  return page:sub(from, (to or #page + 1) - 1)
end

return pages
