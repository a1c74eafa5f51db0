#!/bin/sh
# Costs, ratios and intervals against the truth (half an hour).
# Every part is a piece of each round, and the rounds are spread over the time it
# takes, so that all parts see the machine as it changes.
#   accuracy.sh [ROUNDS = 100]
#   LUAS=   interpreters, measured at the same time, each the other's neighbour
#   BUSY=   loops that keep a core busy beside all of it (0)
#   ONLY=   parts: duty costs ratios coverage
#   ROUND_S= seconds that a round takes at least (12: 100 rounds in 20 minutes)
set -u
rounds=${1:-100} luas=${LUAS:-lua5.4 luajit} busy=${BUSY:-0}
only=${ONLY:-duty costs ratios coverage} round_s=${ROUND_S:-12}
root=build/accuracy-busy$busy
export LUA_PATH='./?.lua;lua/?.lua;lua/?/init.lua;;'

wanted() { case " $only " in *" $1 "*) true ;; *) false ;; esac; }

measure() { # measure LUA: all rounds of an interpreter
  TARE_LUA=$1 LUA_CPATH="build/$1/?.so;;" dir=$root/$1
  export TARE_LUA LUA_CPATH
  rm -rf "$dir"
  mkdir -p "$dir"
  wanted duty && "$1" spec/lab/accuracy/duty.lua >"$dir/duty"
  round=0
  while [ $round -lt "$rounds" ]; do
    round=$((round + 1)) due=$(($(date +%s) + round_s))
    wanted coverage &&
      "$1" spec/lab/accuracy/coverage.lua collect "$dir" $round
    wanted ratios && "$1" spec/lab/accuracy/ratios.lua collect "$dir/ratios"
    wanted costs && [ $((round % 5)) = 0 ] &&
      "$1" spec/lab/accuracy/costs.lua collect "$dir/costs"
    while [ "$(date +%s)" -lt "$due" ]; do sleep 1; done
  done
}

judge() { # judge LUA
  LUA_CPATH="build/$1/?.so;;" dir=$root/$1
  export LUA_CPATH
  echo "== $1, $busy busy loops beside it"
  wanted duty && cat "$dir/duty"
  wanted costs && "$1" spec/lab/accuracy/costs.lua judge "$dir/costs"
  wanted ratios && "$1" spec/lab/accuracy/ratios.lua judge "$dir/ratios"
  wanted coverage && "$1" spec/lab/accuracy/coverage.lua judge "$dir"
  true
}

others=
i=0
while [ $i -lt "$busy" ]; do
  i=$((i + 1))
  (while :; do :; done) &
  others="$others $!"
done
trap '[ -z "$others" ] || kill $others' EXIT
began=$(date +%s) measuring=
for l in $luas; do measure "$l" & measuring="$measuring $!"; done
# shellcheck disable=SC2086 # a list of numbers
wait $measuring
echo "$rounds rounds in $((($(date +%s) - began) / 60)) minutes"
for l in $luas; do judge "$l"; done
