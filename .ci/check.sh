#!/bin/sh
# check.sh PHASE...: make targets, one after the other, each with its seconds.
# A phase that fails does not keep the others from running; all must pass.
set -u
failed='' began=$(date +%s)
for phase in "$@"; do
  echo "== make $phase"
  start=$(date +%s)
  if ${MAKE:-make} --no-print-directory "$phase"; then how=passed; else
    how=FAILED failed="$failed $phase"
  fi
  seconds="$(($(date +%s) - start)) s"
  echo "== $phase $how, $seconds"
  table="${table:-}$(printf '%-15s %-7s %7s' "$phase" $how "$seconds")
"
done
printf '\n%s%-23s %7s\n' "${table:-}" all "$(($(date +%s) - began)) s"
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
