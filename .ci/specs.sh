#!/bin/sh
# specs.sh [--valgrind] LUA...: runs every spec file on each interpreter, each in
# a process of its own, two at a time (JOBS=); then, one at a time, those that
# time or interrupt what they start. Closes with one line of totals:
# 'N passed, N failed'.
#   SPECS=          only these files
#   WITHOUT=        patterns of LUA/FILE that are not run
#   BARE=           interpreters of LUA without luv, lpeg and expat: specs that
#                   need these are not run
#   BUILD_PREFIX=   build/asan- for the sanitized builds
#   COMMAND_LUA=    the interpreter that the command runs on, where it is not the
#                   one of the specs
#   BUSTED=         its script, where it is not the one in PATH
#   SPEC_TIMEOUT=   seconds for a file (600)
#   AGAIN=no        does not run files that failed again
#   LD_PRELOAD=     is for the interpreters, not for the tools that run them
set -u
self=$0

timed=' assert c_deadline e2e_endings e2e_judge e2e_launch '
timed="$timed frames session conductor library restore "
is_timed() { # FILE
  case $timed in *" $(basename "$1" _spec.lua) "*) return 0 ;; esac
  return 1
}
# What starts and times processes may meet a machine that stands still for a
# second; LuaJIT compiles other code in each process and allocates for it, and
# one run in fifty dies of its issue 829 (docs/reliability.md); in one of six
# under Wine a file ended without a word: these are run once more. All others
# follow from seeds.
may_run_again() { # LUA FILE RESULT: its last line, '' where there is none
  case $1-$2 in
    luajit-* | *-spec/e2e_* | *-spec/c_pacer_spec.lua) return 0 ;;
  esac
  case $1-$3 in lua-wine*-) return 0 ;; esac
  is_timed "$2"
}

# One file on one interpreter; leaves 'passed failed pending' in FOLDER. AS says
# which run of the file it is, first or last.
one() { # AS FOLDER LUA FILE
  as=$1 folder=$2 lua=$3 file=$4
  name=$lua-$(basename "$file" .lua)
  log=$folder/$name.log
  run="$lua"
  [ -z "${VALGRIND:-}" ] || run="valgrind -q --error-exitcode=9 $lua"
  # The command remembers how wide this machine's cores are. Specs that measure in
  # their own process know nothing of that, and a busy machine fails none.
  case $name in *-e2e_*) state=$PWD/build/state ;; *) state=/dev/null ;; esac
  # shellcheck disable=SC2086 # words
  env ${PRELOAD:+LD_PRELOAD="$PRELOAD"} TARE_LUA="${COMMAND_LUA:-$lua}" \
    XDG_STATE_HOME="$state" \
    TARE_BUILD="$BUILD_PREFIX$lua" \
    LUA_PATH="lua/?.lua;lua/?/init.lua;./?.lua;${LUA_PATH:-;}" \
    LUA_CPATH="$BUILD_PREFIX$lua/?.so;${LUA_CPATH:-;}" \
    timeout "${SPEC_TIMEOUT:-600}" $run "$BUSTED" --ignore-lua "$file" \
    >"$log" 2>&1
  code=$?
  # "12 successes / 0 failures / 0 errors / 0 pending : 0.1 seconds"
  line=$(grep -E '^[0-9]+ success' "$log" | tail -1)
  # shellcheck disable=SC2086 # words
  set -- ${line:-0 x x 0 x x 0 x x 0}
  passed=$1 failed=$(($4 + $7)) pending=${10}
  # It crashed, ran too long, or ended without a word, which may be with 0.
  { [ "$code" = 0 ] && [ -n "$line" ]; } || [ $failed -gt 0 ] || failed=1
  echo "$passed $failed $pending" >"$folder/$name.sum"
  if [ $failed -gt 0 ] && [ "$as" = first ] &&
    may_run_again "$lua" "$file" "$line"; then
    echo "AGAIN: $lua $file failed ($code), will be run once more:"
    sed -n '/^\(Failure\|Error\) ->/,$p' "$log" | head -30
    echo "$folder $lua $file" >>"$folder/again"
    return
  fi
  [ $failed = 0 ] || { echo "-- $lua $file"; cat "$log"; }
  grep -o 'the manual: .*' "$log"
  [ "$pending" = 0 ] ||
    grep -A 2 '^Pending' "$log" |
    sed -n "s|^[^ ]*:[0-9]*: |$lua $file waits: |p"
  true
}
if [ "${1:-}" = --one ]; then shift; one "$@"; exit; fi

VALGRIND=
if [ "${1:-}" = --valgrind ]; then VALGRIND=1; shift; fi
BUSTED=${BUSTED:-$(command -v busted)} PRELOAD=${LD_PRELOAD:-}
BUILD_PREFIX=${BUILD_PREFIX:-build/}
unset LD_PRELOAD
export VALGRIND BUSTED PRELOAD BUILD_PREFIX
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The files that take longest come first, so that no processor waits at the end.
slow='spec/e2e_embed_spec.lua spec/e2e_docs_spec.lua spec/e2e_*_spec.lua'
slow="$slow spec/c_hosts_spec.lua spec/c_pacer_spec.lua spec/amalgam_spec.lua"
# shellcheck disable=SC2086 # patterns
specs=${SPECS:-$(printf '%s\n' $slow spec/*_spec.lua | awk '!seen[$0]++')}
needs_more='e2e_* cli_output_* conductor_spec.lua conductor_callgrind_*'
needs_more="$needs_more conductor_group_* cli_printed_* cli_env_*"
needs_more="$needs_more store_file_* store_old_* store_merge_* store_spec.lua"
needs_more="$needs_more examples_* report_junit_* c_link_*"
is_left_out() { # LUA FILE
  case " ${BARE:-} " in *" $1 "*)
    for pattern in $needs_more; do
      # shellcheck disable=SC2254 # a pattern
      case $(basename "$2") in $pattern) return 0 ;; esac
    done ;;
  esac
  for pattern in ${WITHOUT:-}; do
    # shellcheck disable=SC2254 # a pattern
    case $1/$(basename "$2") in $pattern) return 0 ;; esac
  done
  return 1
}
set -f # the patterns of WITHOUT are not those of files
for file in $specs; do
  for lua in "$@"; do
    is_left_out "$lua" "$file" && continue
    list=any
    is_timed "$file" && list=timed
    echo "$folder $lua $file" >>"$folder/$list"
  done
done
set +f
run() { # LIST JOBS AS
  [ ! -f "$folder/$1" ] ||
    xargs -P "$2" -L 1 sh "$self" --one "$3" <"$folder/$1"
}
first=first
[ "${AGAIN:-yes}" = yes ] || first=last
run any "${JOBS:-2}" $first
run timed 1 $first
run again 1 last

all_passed=0 all_failed=0
# A file without a sum was not run to its end.
cat "$folder/any" "$folder/timed" 2>/dev/null | while read -r _ lua file; do
  sum=$folder/$lua-$(basename "$file" .lua).sum
  [ -f "$sum" ] || { echo "$lua $file was not run"; echo 0 1 0 >"$sum"; }
done
for lua in "$@"; do
  read -r passed failed pending <<SUM
$(cat "$folder/$lua"-*.sum | awk '{ p += $1; f += $2; w += $3 }
    END { print p + 0, f + 0, w + 0 }')
SUM
  echo "== $lua: $passed passed, $failed failed, $pending pending"
  all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed))
done
[ ! -f "$folder/again" ] ||
  echo "run twice: $(cut -d' ' -f2- "$folder/again" | paste -sd,)"
echo "$all_passed passed, $all_failed failed"
[ "$all_failed" = 0 ] && [ "$all_passed" -gt 0 ]
