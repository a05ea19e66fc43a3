#!/usr/bin/env bash
# Builds libspool.so and spool-helper for the Python package: capi/build.sh FOLDER
#
# go build recompiles every package that has C each time for a shared library, some 50 seconds of CPU time. So the folder
# has a file that names what the library was made of, and nothing is written if that is unchanged.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1

# What packages are compiled from, compilers and flags included, is in their build IDs.
made_of() {
    go list -export -deps -f '{{.ImportPath}} {{.BuildID}}' ./capi
    echo "${CC:-} $(go env GOFLAGS CGO_CFLAGS CGO_LDFLAGS GOARCH)"
    git rev-parse HEAD 2>/dev/null || true # the version, which is changed or not
    [ -z "$(git status --porcelain 2>/dev/null)" ] || echo changed
    sha256sum capi/spool.map capi/build.sh capi/helper/* cbridge/mem/counted/counted.c
}

key=$(made_of | sha256sum)
if [ "$(cat "$folder/made-of" 2>/dev/null)" = "$key" ] && [ -e "$folder/libspool.so" ] && [ -x "$folder/spool-helper" ]; then
    exit
fi
rm -f "$folder/made-of"
# The map hides all names but those of capi/spool*.h, which are the headers for users, and not the one that Go writes.
go build -buildvcs=auto -trimpath -buildmode=c-shared \
    -ldflags "-s -w -extldflags=-Wl,--version-script=$PWD/capi/spool.map" -o "$folder/libspool.so" ./capi
rm -f "$folder/libspool.h"
capi/helper/build.sh "$folder"
echo "$key" >"$folder/made-of"
