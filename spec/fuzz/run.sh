#!/bin/sh
# Runs the fuzzers, two at a time, each for so long, from the small corpora in
# spec/fuzz/corpus; says how many inputs each has tried. Needs clang.
#   run.sh SECONDS [FUZZER...]
set -u
seconds=$1
shift
[ $# -gt 0 ] || set -- stored arguments options numbers answers
build=build/fuzz
export LUA_PATH='./?.lua;lua/?.lua;lua/?/init.lua;;'
# Where a block came from is worth its time only once there is a finding.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:\
malloc_context_size=0:quarantine_size_mb=8

fuzz() {
  mkdir -p "$build/$1" "spec/fuzz/corpus/$1"
  TARE_FUZZ=spec/fuzz/$1.lua "$build/fuzz" "$build/$1" "spec/fuzz/corpus/$1" \
    -max_total_time="$seconds" -max_len=4096 -timeout=20 \
    -rss_limit_mb=3000 -entropic_scale_per_exec_time=1 -dict=spec/fuzz/words.dict -print_final_stats=1 \
    -artifact_prefix="$build/$1-" -verbosity=1 >"$build/$1.log" 2>&1
  code=$?
  tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$1.log")
  kept=$(ls "$build/$1" | wc -l)
  echo "fuzz $1: ${tried:-?} inputs in $seconds s, $kept kept;" \
    "$([ $code = 0 ] && echo no finding || echo "FOUND, see $build/$1.log")"
  return $code
}

failed=0
while [ $# -gt 0 ]; do
  fuzz "$1" & first=$!
  shift
  if [ $# -gt 0 ]; then
    fuzz "$1" || failed=1
    shift
  fi
  wait $first || failed=1
done
exit $failed
