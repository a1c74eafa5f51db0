#!/bin/sh
# The CI matrix of docs/sweeps.md, run here as it is written there.
# Each job in a clean clone of its own, one after the other, artifacts as folders
# by name.
#   matrix.sh                              LUA= picks the interpreter
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
block() { # block LANGUAGE PATTERN: the first block of the page that has it
  awk -v start="^\`\`\`$1" -v pattern="$2" '
    /^```/ && inside { if (text ~ pattern) { printf "%s", text; exit }
      inside = 0; next }
    $0 ~ start { inside = 1; text = ""; next }
    inside { text = text $0 "\n" }' docs/sweeps.md
}
block yaml 'matrix:' >"$dir/recipe.yml"
value() { # value JOB KEY SHARD: what stands after a key in a job, line by line
  awk -v job="$1:" -v key="$2" '/^  [a-z]+:$/ { now = $1 }
    now == job && (at = index($0, key)) { print substr($0, at + length(key)) }' \
    "$dir/recipe.yml" | sed "s/\${{ matrix.shard }}/$3/g"
}
steps() { # steps JOB SHARD: its commands, in a clone
  git clone -q "$dir/repository" "$dir/$1-$2"
  value "$1" '- run: ' "$2" >"$dir/commands"
  echo "$1 $2:"; sed 's/^/  /' "$dir/commands"
  (cd "$dir/$1-$2" && { [ "$1" != merge ] || cp -R "$dir/artifacts/." .; } &&
    sh -e "$dir/commands" >"$dir/log" 2>&1) || { cat "$dir/log"; exit 1; }
}
git clone -q . "$dir/repository"
block lua 'suite "sweep"' | sed 1d >"$dir/repository/fill_bench.lua"
(cd "$dir/repository" && git add fill_bench.lua &&
  git -c user.name=tare -c user.email=tare@localhost commit -qm "A bench")
mkdir "$dir/artifacts"
shards=$(value sweep 'shard: [' 0 | tr -d '],}')
for shard in $shards; do
  steps sweep "$shard"
  name=$(value sweep 'name: "' "$shard" | sed 's/".*//')
  path=$(value sweep 'path: ' "$shard" | tr -d ' }')
  mkdir "$dir/artifacts/$name"
  cp "$dir/sweep-$shard/$path" "$dir/artifacts/$name/"
done
steps merge 0
cd "$dir/merge-0"
./tare list fill_bench.lua | sort >"$dir/listed"
./tare report all.json --format csv | tail -n +2 | sed 's/^"\([^"]*\)".*/\1/' |
  sort >"$dir/merged"
cmp "$dir/listed" "$dir/merged" && [ -s all.html ]
count=$(wc -l <"$dir/listed")
echo "${LUA:-lua5.4}: $(echo $shards | wc -w) jobs in clean clones and their" \
  "merge: all $count cells, each once"
