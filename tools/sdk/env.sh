# shellcheck shell=bash
# Sets up Go for static linking with the SDK's libraries, inside the Debian 11 of the SDK: . tools/sdk/env.sh SDK
#
# SDK is the folder that tools/sdk/sdk.sh prints, which ends with the architecture.
# Afterwards `go build -tags spool_static -ldflags "$ldflags -extldflags '$static'"` links them.

# shellcheck source=tools/sdk/target.sh
. tools/sdk/target.sh "${1##*-}"
# cgo takes no arguments in PKG_CONFIG.
mkdir -p /tmp/sdk
printf '#!/bin/sh\nexec /usr/bin/pkg-config --static "$@"\n' >/tmp/sdk/pkg-config
chmod +x /tmp/sdk/pkg-config
export PKG_CONFIG=/tmp/sdk/pkg-config PKG_CONFIG_LIBDIR=$1/lib/pkgconfig:$1/share/pkgconfig
export CGO_CFLAGS="-O2 -ffp-contract=off -ffunction-sections -fdata-sections -include $1/include/spool_glibc.h"
# GCC 10 splits loads and stores of 32 bytes on x86-64, unless it is told not to. Later versions do not.
if [ -z "$cross" ]; then
    CGO_CFLAGS+=" -mno-avx256-split-unaligned-load -mno-avx256-split-unaligned-store"
fi
export CGO_CFLAGS_ALLOW='.*' CGO_LDFLAGS_ALLOW='.*' GOFLAGS="-buildvcs=false -trimpath -modfile=$PWD/bin/static/go.mod"

# expr without the methods of values, for which the linker would keep every method of the program.
rm -rf bin/static
mkdir -p bin/static
cp go.ffmpeg7.mod bin/static/go.mod
cp go.ffmpeg7.sum bin/static/go.sum
expr=github.com/expr-lang/expr
go mod download "$expr"
cp -r --no-preserve=mode "$(go list -m -f '{{.Dir}}' "$expr")" bin/static/expr
patch --silent --directory=bin/static/expr --strip=1 <tools/sdk/expr.patch
go mod edit -replace="$expr=./bin/static/expr" bin/static/go.mod

# Static libraries need each other in any order.
archives=("$1"/lib/*.a)
# shellcheck disable=SC2034 # for the caller
static="-Wl,--start-group ${archives[*]} -l:libstdc++.a -Wl,--end-group -static-libgcc -lm -lpthread -ldl -lrt"
static+=" -Wl,-z,defs -Wl,--gc-sections -Wl,--build-id=none"
# Not -s: with it, ld 2.35 writes R_X86_64_NONE for R_X86_64_IRELATIVE, so calls of libvips' target clones go to address 0.
# shellcheck disable=SC2034
ldflags="-w -buildid= -linkmode external"
