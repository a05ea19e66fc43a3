#!/usr/bin/env bash
# Builds spool-helper beside libspool.so: capi/helper/build.sh FOLDER. CC is the compiler.
set -euo pipefail
# The library is found beside the program. Its own libraries are looked for when it is loaded.
# shellcheck disable=SC2016 # the dynamic linker reads $ORIGIN
"${CC:-cc}" -O2 -Wall -Wextra -Werror -s -o "$1/spool-helper" "$(dirname "$0")/helper.c" -L"$1" -l:libspool.so \
    -Wl,-rpath,'$ORIGIN',--unresolved-symbols=ignore-in-shared-libs
