#!/usr/bin/env bash
# Builds libspool.so and the command with the SDK's libraries, inside the Debian 11 of the SDK:
#
#   tools/sdk/link.sh SDK FOLDER VERSION    writes FOLDER/libspool.so, spool-helper, spool and licenses
#
# Both need glibc 2.28 and nothing else. libspool.so exports the functions of spool.h only.
set -euo pipefail
sdk=$1 folder=$2 version=$3
mkdir -p "$folder/licenses/go"
# shellcheck source=tools/sdk/env.sh
. tools/sdk/env.sh "$sdk"

ldflags+=" -X github.com/spoolmedia/spool/internal/checkup.release=$version"
go build -tags spool_static -buildmode=c-shared -o "$folder/libspool.so" \
    -ldflags "$ldflags -extldflags '-Wl,--version-script=$PWD/capi/spool.map -Wl,-T,$PWD/tools/sdk/unwind.ld $static'" \
    ./capi
go build -tags spool_static -o "$folder/spool" -ldflags "$ldflags -extldflags '$static'" ./cmd/spool
rm "$folder/libspool.h"
"${cross}strip" --strip-all "$folder/libspool.so" "$folder/spool"
capi/helper/build.sh "$folder"

# The licences of the Go modules, and of Go's own packages.
cp "$(go env GOROOT)/LICENSE" "$folder/licenses/go/LICENSE"
go list -tags spool_static -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./capi ./cmd/spool |
    sort -u | while read -r module directory; do
    mkdir -p "$folder/licenses/$module"
    find "$directory" -maxdepth 1 -type f -iregex '.*/\(licen[cs]e\|copying\|notice\|patents\)[^/]*' \
        -exec cp --no-preserve=mode {} "$folder/licenses/$module/" \;
done
