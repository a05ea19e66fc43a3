#!/usr/bin/env bash
# Prints the folder of the SDK: all C libraries of spool, static, with headers and .pc files. Builds it if the cache
# does not have it, in a Debian 11 chroot: some 40 minutes of CPU time. Needs root and the network then.
#
#   tools/sdk/sdk.sh [ARCHITECTURE]           builds if necessary, for x86_64 (the default) or aarch64
#   tools/sdk/sdk.sh --cached [ARCHITECTURE]  fails with 75 if the cache does not have it
#   tools/sdk/sdk.sh --again [ARCHITECTURE]   builds once more, and fails if a file differs from the cache's
#
# The cache is XDG_CACHE_HOME/spool. Its key is a digest of the lock file, the recipes and the compiler.
set -euo pipefail
cd "$(dirname "$0")/../.."

how=
case ${1:-} in
--cached | --again) how=$1 && shift ;;
esac
arch=${1:-x86_64}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/spool
key=$(cat tools/sdk/{sources.json,recipes.sh,build.sh,target.sh,aarch64.cmake,aarch64.ini,glibc.h} | sha256sum | cut -c1-12)
root=${SPOOL_DEBIAN:-$cache}/debian11/root
prefix=$root/sdk/$key-$arch # in the chroot, where the libraries are also linked
# Always built in the same folder, so that the files do not depend on the key.
made=/sdk/prefix
if [ "$arch" != x86_64 ]; then made+=-$arch; fi

build() {
    python3 tools/sdk/lock.py check
    python3 tools/sdk/lock.py fetch "$cache/sources"
    tools/debian.sh 11 true
    mkdir -p "$root/sdk/sources" "$root$made"
    cp -u "$cache"/sources/* "$root/sdk/sources/"
    # A build of other recipes is thrown away.
    if [ "$(cat "$root$made/key" 2>/dev/null)" != "$key" ]; then
        rm -rf "${root:?}$made"
        mkdir "$root$made"
        echo "$key" >"$root$made/key"
    fi
    tools/debian.sh 11 tools/sdk/build.sh "$arch" /sdk/sources "$made"
}

if [ ! -e "$prefix/complete" ]; then
    if [ "$how" = --cached ]; then exit 75; fi
    build >&2
    rm -rf "$prefix"
    mv "$root$made" "$prefix"
    touch "$prefix/complete"
elif [ "$how" = --again ]; then
    build >&2
    diff --recursive --brief --exclude=complete "$prefix" "$root$made" >&2
    echo "sdk: $(find "$prefix" -type f | wc -l) files, built twice, are the same" >&2
    rm -r "${root:?}$made"
fi
echo "$prefix"
