#!/usr/bin/env bash
# Builds libspool.so and the command with the SDK's libraries, inside the Debian 11 of the SDK:
#
#   tools/sdk/link.sh SDK FOLDER VERSION    writes FOLDER/libspool.so and FOLDER/spool
#
# Both need glibc 2.28 and nothing else. libspool.so exports the functions of spool.h only.
set -euo pipefail
sdk=$1 folder=$2 version=$3
mkdir -p "$folder"

# cgo takes no arguments in PKG_CONFIG.
printf '#!/bin/sh\nexec /usr/bin/pkg-config --static "$@"\n' >"$folder/pkg-config"
chmod +x "$folder/pkg-config"
export PKG_CONFIG=$folder/pkg-config PKG_CONFIG_LIBDIR=$sdk/lib/pkgconfig:$sdk/share/pkgconfig
export CGO_CFLAGS="-O2 -ffp-contract=off -ffunction-sections -fdata-sections -include $sdk/include/spool_glibc.h"
export CGO_CFLAGS_ALLOW='.*' CGO_LDFLAGS_ALLOW='.*' GOFLAGS="-buildvcs=false -trimpath -modfile=$PWD/go.ffmpeg7.mod"

# Static libraries need each other in any order.
archives=("$sdk"/lib/*.a)
static="-Wl,--start-group ${archives[*]} -l:libstdc++.a -Wl,--end-group -static-libgcc -lm -lpthread -ldl -lrt"
static+=" -Wl,-z,defs -Wl,--gc-sections -Wl,--build-id=none"
version="-X github.com/spoolmedia/spool/internal/checkup.release=$version"
go build -tags spool_static -buildmode=c-shared -o "$folder/libspool.so" \
    -ldflags "-s -w -buildid= $version -extldflags '-Wl,--version-script=$PWD/capi/spool.map $static'" ./capi
go build -tags spool_static -o "$folder/spool" \
    -ldflags "-s -w -buildid= $version -linkmode external -extldflags '$static'" ./cmd/spool
rm "$folder/pkg-config" "$folder/libspool.h"

# The licences of the Go modules, and of Go's own packages.
mkdir -p "$folder/licenses/go"
cp "$(go env GOROOT)/LICENSE" "$folder/licenses/go/LICENSE"
go list -tags spool_static -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./capi ./cmd/spool |
    sort -u | while read -r module directory; do
    mkdir -p "$folder/licenses/$module"
    find "$directory" -maxdepth 1 -type f -iregex '.*/\(licen[cs]e\|copying\|notice\|patents\)[^/]*' \
        -exec cp --no-preserve=mode {} "$folder/licenses/$module/" \;
done
