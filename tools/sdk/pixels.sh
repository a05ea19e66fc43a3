#!/usr/bin/env bash
# Runs the tests of pixels, frames and samples with the SDK's libraries, inside the Debian 11 of the SDK:
#
#   tools/sdk/pixels.sh SDK [PACKAGE...]
#
# PACKAGE is a folder of this repository. A test that needs ImageMagick is left out. Code for aarch64 is emulated.
set -euo pipefail
sdk=$1
shift
if [ $# -eq 0 ]; then set -- decode/image decode/video decode/audio; fi
# shellcheck source=tools/sdk/env.sh
. tools/sdk/env.sh "$sdk"
for package in "$@"; do
    # Not `go test` alone, which links with -s (see env.sh).
    go test -tags spool_static -c -ldflags "$ldflags -extldflags '$static'" -o /tmp/sdk/run.test "./$package"
    (cd "$package" && "${emulator[@]}" /tmp/sdk/run.test -test.timeout 40m -test.skip 'TestAskedFor')
done
