-- A strict reader of RFC 4180: lines end with CR LF, all records are equally
-- long, a quote stands only where the grammar lets it.
local csv = {}

local function read_quoted(text, at)
  local out = {}
  while true do
    local stop = assert(text:find('"', at, true), "a quote is left open")
    out[#out + 1] = text:sub(at, stop - 1)
    if text:sub(stop + 1, stop + 1) ~= '"' then
      return table.concat(out), stop + 1
    end
    out[#out + 1], at = '"', stop + 2
  end
end

local function read_field(text, at)
  if text:sub(at, at) == '"' then return read_quoted(text, at + 1) end
  local stop = text:find("[,\r\n]", at) or #text + 1
  local field = text:sub(at, stop - 1)
  assert(not field:find('"', 1, true), "a quote inside a plain field")
  return field, stop
end

--- Records as lists of strings; raises where the text is no RFC 4180.
function csv.parse(text)
  local records, record, at = {}, {}, 1
  while at <= #text do
    local field
    field, at = read_field(text, at)
    record[#record + 1] = field
    if text:sub(at, at) == "," then
      at = at + 1
    else
      assert(text:sub(at, at + 1) == "\r\n", "a line must end with CR LF")
      assert(#record == #(records[1] or record), "records differ in length")
      records[#records + 1], record, at = record, {}, at + 2
    end
  end
  return records
end

--- Records after the first as tables by the names in the first.
function csv.rows(text)
  local records, rows = csv.parse(text), {}
  for i = 2, #records do
    rows[i - 1] = {}
    for k, name in ipairs(records[1]) do rows[i - 1][name] = records[i][k] end
  end
  return rows
end

return csv
