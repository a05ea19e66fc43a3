#!/usr/bin/env bash
# Builds spool-helper beside libspool.so: capi/helper/build.sh FOLDER. CC is the compiler.
set -euo pipefail
here=$(dirname "$0")
sources=("$here/helper.c")
# A library with the C libraries inside counts their failed allocations itself.
if nm -D "$1/libspool.so" | grep "w spool_failed_allocations" >/dev/null; then
    sources+=("$here/../../cbridge/mem/counted/counted.c")
fi
# The library is found beside the program. Its own libraries are looked for when it is loaded.
# shellcheck disable=SC2016 # the dynamic linker reads $ORIGIN
"${CC:-cc}" -O2 -Wall -Wextra -Werror -s -o "$1/spool-helper" "${sources[@]}" -L"$1" -l:libspool.so \
    -Wl,-rpath,'$ORIGIN',--unresolved-symbols=ignore-in-shared-libs
