#!/bin/sh
# Runs every spec on each named interpreter and closes with one line of
# totals: 'N passed, N failed'. SPECS= picks spec files. With --valgrind each
# file has a process of its own, so that none waits for memory of another.
set -u
valgrind=
[ "${1:-}" = --valgrind ] && { valgrind=1; shift; }
prefix=${BUILD_PREFIX:-build/}
log=$(mktemp)
passed=0 failed=0
busted=$(command -v busted)
preload=${LD_PRELOAD:-}
unset LD_PRELOAD
busted_with() { # interpreter, files
  lua=$1
  shift
  run="$lua"
  [ -n "$valgrind" ] && run="valgrind -q --error-exitcode=9 $lua"
  env ${preload:+LD_PRELOAD="$preload"} TARE_LUA="$lua" \
    TARE_BUILD="$prefix$lua" \
    LUA_PATH="lua/?.lua;lua/?/init.lua;./?.lua;;" \
    LUA_CPATH="$prefix$lua/?.so;;" \
    timeout ${SPEC_TIMEOUT:-600} $run "$busted" --ignore-lua "$@" >"$log" 2>&1
}
run_specs() { # interpreter, files
  busted_with "$@"
  code=$?
  # One run in fifty dies of LuaJIT's own issue 829 (docs/reliability.md). What
  # is our fault dies again.
  if [ "$1 $code" = "luajit 139" ]; then
    echo "luajit died of SIGSEGV; once more"
    busted_with "$@"
    code=$?
  fi
  shift
  line=$(grep -E '^[0-9]+ success' "$log" | tail -1)
  if [ "$code" != 0 ] || [ -z "$line" ]; then cat "$log"; else
    grep -o 'the manual: .*' "$log"
    echo "$line${valgrind:+ $*}"
  fi
  [ -n "$line" ] || { failed=$((failed + 1)); return; }
  # "12 successes / 0 failures / 0 errors / 0 pending : 0.1 seconds"
  read -r ok _ _ bad _ _ err _ <<EOF
$line
EOF
  passed=$((passed + ok)) failed=$((failed + bad + err))
  [ "$code" = 0 ] || [ $((bad + err)) -gt 0 ] || failed=$((failed + 1))
}
for lua in "$@"; do
  echo "== $lua"
  if [ -z "$valgrind" ]; then run_specs "$lua" ${SPECS:-}; continue; fi
  for spec in $SPECS; do run_specs "$lua" "$spec"; done
done
rm -f "$log"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
