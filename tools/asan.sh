#!/usr/bin/env bash
# Runs a program of tests under the address sanitizer, for go test -exec: tools/asan.sh PROGRAM [ARGUMENT...]
#
# When a program ends, GCC 12's LeakSanitizer reads the thread-local storage of all threads. It sometimes crashes there
# after a library was unloaded, as the fake drivers are. Such a run says nothing about leaks, and is repeated.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for _ in 1 2 3 4; do
    "$@" >"$log" 2>&1
    code=$?
    grep -q 'LeakSanitizer has encountered a fatal error' "$log" || break
done
cat "$log"
exit "$code"
