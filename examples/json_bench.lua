-- What does JSON cost with a library in C, and what with one in Lua, on
-- documents as people have them? ISO's code lists, as Debian ships them.
local tare = require "tare"
local cjson = require "cjson"
local dkjson = require "dkjson"

local function document(name)
  for _, prefix in ipairs { "/usr", "/usr/local", "/opt/homebrew" } do
    local path = ("%s/share/iso-codes/json/iso_%s.json"):format(prefix, name)
    local file = io.open(path, "rb")
    if file then
      local text = file:read("*a")
      file:close()
      return text
    end
  end
  error("json_bench: needs the documents of the package 'iso-codes'", 0)
end

local documents = {
  { label = "families", value = document "639-5" }, -- 8 kB
  { label = "currencies", value = document "4217" }, -- 17 kB
  { label = "languages", value = document "639-2" }, -- 37 kB
  { label = "subdivisions", value = document "3166-2" }, -- 501 kB
}

-- Leaves out documents that would take longer than a few milliseconds.
local function above(limit)
  return function(p) return #p.doc > limit end
end

local function text_of(p) return p.doc end
local function value_of(p) return cjson.decode(p.doc) end
local bytes = { bytes = function(p) return #p.doc end }

local suite = tare.suite "json"

suite:group("decode", function(group)
  group:bench("cjson", { run = cjson.decode, args = text_of, baseline = true,
    params = { doc = documents }, exclude = above(1e5), throughput = bytes })
  group:bench("dkjson", { run = dkjson.decode, args = text_of,
    params = { doc = documents }, exclude = above(2e4), throughput = bytes })
end)

suite:group("encode", function(group)
  group:bench("cjson", { run = cjson.encode, args = value_of, baseline = true,
    params = { doc = documents }, throughput = bytes })
  group:bench("dkjson", { run = dkjson.encode, args = value_of,
    params = { doc = documents }, exclude = above(1e5), throughput = bytes })
end)

return tare.main(suite, ...)
