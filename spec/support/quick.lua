-- What stands in for tare when the manual is run: the same, in little time.
local quick = {}

-- What the quick tare is: the arguments without the options about time.
quick.TARE = [=[
#!/bin/sh
lua=${LUA:-@LUA@}
[ "$lua" = "@LUA@" ] || LUA_CPATH="@ROOT@/build/$lua/?.so;;"
n=$#
while [ "$n" -gt 0 ]; do
  word=$1; shift; n=$((n - 1))
  case $word in
    --quota | --resamples) shift; n=$((n - 1)) ;;
    --launches) shift; n=$((n - 1)); many=1 ;;
    *) set -- "$@" "$word" ;;
  esac
done
case "$1 $*" in
  run*) set -- "$@" --quota "${QUOTA:-30ms}" --resamples 200
    [ -z "${many:-}" ] || set -- "$@" --launches 2 ;;
  compare*--ref*) set -- "$@" --quota 300ms --launches 2 ;;
esac
exec "$lua" "@ROOT@/lua/tare/cli/bin.lua" "$@"
]=]

-- The same for calls from Lua.
quick.LUA = [=[
local tare = require "tare"
for _, name in ipairs { "measure", "compare", "session" } do
  local call = tare[name]
  tare[name] = function(what, given)
    local options = {}
    for key, value in pairs(given or {}) do options[key] = value end
    options.quota, options.resamples = "30ms", 200
    return call(what, options)
  end
end
]=]

return quick
