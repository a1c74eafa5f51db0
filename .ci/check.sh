#!/bin/sh
# check.sh PHASE...: make targets, one after the other, each with its seconds.
# A phase that fails does not keep the others from running; all must pass. What
# failed is told once more at the end: of a long record only that may be kept.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed='' began=$(date +%s)
for phase in "$@"; do
  echo "== make $phase"
  start=$(date +%s)
  { ${MAKE:-make} --no-print-directory "$phase" 2>&1
    echo $? >"$folder/code"; } | tee "$folder/$phase"
  if [ "$(cat "$folder/code")" = 0 ]; then how=passed; else
    how=FAILED failed="$failed $phase"
  fi
  seconds="$(($(date +%s) - start)) s"
  echo "== $phase $how, $seconds"
  table="${table:-}$(printf '%-15s %-7s %7s' "$phase" $how "$seconds")
"
done
for phase in $failed; do
  printf '\n== what failed in %s\n' "$phase"
  # A spec's file, what it says, and where; of other phases the last lines.
  grep -nE -A 6 '^(-- |Failure ->|Error ->|AGAIN: )' "$folder/$phase" |
    tail -60 | cut -c1-200
  tail -8 "$folder/$phase" | cut -c1-200
done
printf '\n%s%-23s %7s\n' "${table:-}" all "$(($(date +%s) - began)) s"
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
