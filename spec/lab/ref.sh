#!/bin/sh
# Does 'compare --ref HEAD' call a clean tree different, and find 2 %? (a minute a run)
# A repository of its own with twelve functions: RUNS comparisons of a clean tree,
# then as many with a loop of 51 additions instead of 50 in the work tree.
#   ref.sh [RUNS = 10] [QUOTA = 2s]
set -u
runs=${1:-10} quota=${2:-2s}
here=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tree"
cp spec/lab/twins/twelve_bench.lua spec/lab/twins/twelve_functions.lua "$dir/tree"
cd "$dir/tree" || exit 1
git init -q .
git add .
git -c user.name=lab -c user.email=lab@localhost commit -qm lab
export TARE_LAB=.
compare() { # compare OUT [OPTION...]
  out=$1
  shift
  "$here/tare" compare --ref HEAD twelve_bench.lua --quota "$quota" --quiet \
    --format json -o "$out" "$@" >/dev/null
}
for LUA in $LUAS; do
  export LUA
  for run in $(seq "$runs"); do
    compare "$dir/$LUA-same-$run.json"
    sed -i 's/for i = 1, 50 do sum/for i = 1, 51 do sum/' twelve_functions.lua
    compare "$dir/$LUA-more-$run.json" --filter '*50 additions*'
    git checkout -q .
  done
  echo "== $LUA"
  "$LUA" "$here/spec/lab/ref/verdicts.lua" "$dir/$LUA"-same-*.json
  echo "with 51 additions:"
  "$LUA" "$here/spec/lab/ref/verdicts.lua" "$dir/$LUA"-more-*.json
done
