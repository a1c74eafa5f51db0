#!/bin/sh
# Runs every spec on each named interpreter and closes with one line of
# totals: 'N passed, N failed'. SPECS= picks spec files.
set -u
valgrind=
[ "${1:-}" = --valgrind ] && { valgrind=1; shift; }
prefix=${BUILD_PREFIX:-build/}
log=$(mktemp)
passed=0 failed=0
busted=$(command -v busted)
preload=${LD_PRELOAD:-}
unset LD_PRELOAD
for lua in "$@"; do
  echo "== $lua"
  run="$lua"
  [ -n "$valgrind" ] && run="valgrind -q --error-exitcode=9 $lua"
  env ${preload:+LD_PRELOAD="$preload"} TARE_LUA="$lua" \
    TARE_BUILD="$prefix$lua" \
    LUA_PATH="lua/?.lua;lua/?/init.lua;./?.lua;;" \
    LUA_CPATH="$prefix$lua/?.so;;" \
    timeout ${SPEC_TIMEOUT:-600} $run "$busted" --ignore-lua ${SPECS:-} >"$log" 2>&1
  code=$?
  line=$(grep -E '^[0-9]+ success' "$log" | tail -1)
  if [ "$code" != 0 ] || [ -z "$line" ]; then cat "$log"; else
    grep -o 'the manual: .*' "$log"
    echo "$line"
  fi
  [ -n "$line" ] || { failed=$((failed + 1)); continue; }
  # "12 successes / 0 failures / 0 errors / 0 pending : 0.1 seconds"
  read -r ok _ _ bad _ _ err _ <<EOF
$line
EOF
  passed=$((passed + ok)) failed=$((failed + bad + err))
  [ "$code" = 0 ] || [ $((bad + err)) -gt 0 ] || failed=$((failed + 1))
done
rm -f "$log"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
