#!/usr/bin/env bash
# Reads files with libvips under valgrind: tools/valgrind.sh FILE...
#
# For the loaders of libvips that spool uses, which the address sanitizer does not see inside. Each file has a process of
# its own. Prints the files that were read with errors of memory, or that ended the process; exits with 1 if there are any.
# The reports stay in bin/valgrind. Needs valgrind, and takes some seconds for a file.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
logs=$root/bin/valgrind
mkdir -p "$logs"
rm -f "$logs"/*.log
# shellcheck disable=SC2046 # one word a flag
cc -g -O1 -Wall -Wextra -Werror -o "$logs/read" "$root/tools/valgrind.c" $(pkg-config --cflags --libs vips)

read=0 refused=0 failed=0
for file in "$@"; do
    log=$logs/$(basename "$file").log
    code=0
    # GLib's slices would hide reads beyond small blocks.
    G_SLICE=always-malloc valgrind --quiet --error-exitcode=99 --leak-check=no "$logs/read" "$file" >"$log" 2>&1 || code=$?
    case $code in
    0) read=$((read + 1)) ;;
    1) refused=$((refused + 1)) ;;
    *)
        failed=$((failed + 1))
        echo "FAILED $file, exit status $code: $log"
        ;;
    esac
done
echo "valgrind: $read files read, $refused refused, $failed with errors"
[ "$failed" -eq 0 ]
