#!/usr/bin/env bash
# Builds libspool.so and spool-helper for the Python package: capi/build.sh FOLDER
#
# The folder has a file that names what the library was made of, and nothing is written if that is unchanged.
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
# For a named output go build also writes a C header. For that it recompiles all C below capi, some 50 seconds of CPU
# time, although all packages are in its cache. So the library is taken out of the folder that -work keeps. The map
# hides all names but those of capi/spool*.h, which are the headers for users.
GOTMPDIR=$(mktemp -d)
export GOTMPDIR
trap 'rm -rf "$GOTMPDIR"' EXIT
go build -work -buildvcs=auto -trimpath -buildmode=c-shared \
    -ldflags "-s -w -extldflags=-Wl,--version-script=$PWD/capi/spool.map" -o /dev/null ./capi \
    2> >(grep -v '^WORK=' >&2)
mv "$GOTMPDIR"/go-build*/b001/exe/a.out "$folder/libspool.so"
capi/helper/build.sh "$folder"
echo "$key" >"$folder/made-of"
