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
  { label = "currencies", value = document "4217" }, -- 17 kB
  { label = "languages", value = document "639-2" }, -- 37 kB
  { label = "subdivisions", value = document "3166-2" }, -- 501 kB
}

local function text_of(p) return p.doc end
local function value_of(p) return cjson.decode(p.doc) end
local function is_large(p) return #p.doc > 1e5 end -- a call would take 50 ms
local bytes = { bytes = function(p) return #p.doc end }

local suite = tare.suite "json"

suite:group("decode", function(group)
  group:bench("cjson", { run = cjson.decode, args = text_of, baseline = true,
    params = { doc = documents }, throughput = bytes })
  group:bench("dkjson", { run = dkjson.decode, args = text_of,
    params = { doc = documents }, throughput = bytes, exclude = is_large })
end)

suite:group("encode", function(group)
  group:bench("cjson", { run = cjson.encode, args = value_of, baseline = true,
    params = { doc = documents }, throughput = bytes })
  group:bench("dkjson", { run = dkjson.encode, args = value_of,
    params = { doc = documents }, throughput = bytes, exclude = is_large })
end)

return tare.main(suite, ...)
