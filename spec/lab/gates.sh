#!/bin/sh
# How often a gate passes and fails as it should (minutes).
# The same suite against its own baseline has to pass, and with one more table per
# call in one bench it has to fail.
#   gates.sh [RUNS = 20] [QUOTA = 1s]
set -u
runs=${1:-20} quota=${2:-1s}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
suite() { # suite EXTRA: the text of a bench file
  cat <<EOF
local suite = require "tare".suite "s"
suite:bench("fill", function()
  local t = {}
  for i = 1, 20 do t[i] = { i } end
  return t
end)
suite:bench("pair", function() return { {}, {} $1 } end)
suite:bench("text", function() return ("x"):rep(40):upper() end)
suite:bench("sum", function()
  local s = 0
  for i = 1, 100 do s = s + i % 7 end
  return s
end)
return suite
EOF
}
suite '' >"$dir/same_bench.lua"
suite ', {}' >"$dir/more_bench.lua"
gate='time>5%,allocs>0,instructions>0.5%'

judge() { # on the interpreter LUA
  ./tare run "$dir/same_bench.lua" --quota "$quota" --quiet --instructions \
    --save "$dir/base.json" || return 1
  passed=0 failed=0 i=0
  while [ $i -lt "$runs" ]; do
    i=$((i + 1))
    ./tare run "$dir/same_bench.lua" --quota "$quota" --quiet \
      --baseline "$dir/base.json" --fail-on "$gate" >"$dir/same" 2>&1
    [ $? = 0 ] && passed=$((passed + 1)) || cat "$dir/same"
    ./tare run "$dir/more_bench.lua" --quota "$quota" --quiet \
      --baseline "$dir/base.json" --fail-on "$gate" >"$dir/more" 2>&1
    [ $? = 3 ] && grep -q 's/pair: allocs rose' "$dir/more" &&
      failed=$((failed + 1)) || cat "$dir/more"
  done
  echo "$LUA: the same suite passed in $passed of $runs runs;" \
    "with one more table per call, $failed of $runs failed and named it"
  [ "$passed" -ge $((runs * 19 / 20)) ] && [ "$failed" = "$runs" ]
}

for LUA in ${LUAS:-lua5.4 luajit}; do
  export LUA
  judge || exit 1
done
