#!/bin/sh
# What --profile costs: the slowdown of each of its passes, how long they take,
# and whether timed figures are the same with it and without.
#   profile.sh [PAIRS [QUOTA]]   3 pairs of runs of ten benches at 300ms each
set -eu
pairs=${1:-3} quota=${2:-300ms}
bench=spec/lab/machine/ten_bench.lua
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

run() { # NAME OPTION...
  name=$1; shift
  ./tare run "$bench" -q --quota "$quota" --progress never --save "$folder/$name.json" "$@"
}
seconds() { # COMMAND...: how long it takes
  began=$(date +%s.%N)
  "$@" >/dev/null
  echo "$began $(date +%s.%N)" | awk '{ printf "%.1f", $2 - $1 }'
}

for LUA in ${LUAS:-lua5.4 luajit}; do
  export LUA
  echo "== $LUA"
  LUA_CPATH="build/$LUA/?.so;;" "$LUA" spec/lab/profile/slowdown.lua

  echo "seconds of a run of ten benches, one call each:"
  for words in "" --profile --machine-instructions; do
    printf '  %-24s %s\n' "${words:-plain}" "$(seconds ./tare run "$bench" -q \
      --quota 5ms --launches 1 --no-split --progress never $words)"
  done

  i=0
  while [ $i -lt "$pairs" ]; do
    i=$((i + 1))
    run without$i
    run with$i --profile
    run again$i
  done
  for other in with again; do
    i=0
    while [ $i -lt "$pairs" ]; do
      i=$((i + 1))
      ./tare compare "$folder/$other$i.json" "$folder/without$i.json" -f json
    done >"$folder/$other.txt"
    for verdict in same unclear faster slower; do
      printf '%s %s ' "$(grep -o "\"verdict\": *\"$verdict\"" \
        "$folder/$other.txt" | wc -l)" "$verdict"
    done
    echo "of $other a profile, against runs without"
  done
  ./tare compare "$folder/with1.json" "$folder/without1.json" --columns time || true
done
