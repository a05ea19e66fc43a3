#!/usr/bin/env bash
# Prints the folder of the SDK: all C libraries of spool, static, with headers, .pc files and licences. Builds it if the
# cache does not have it, in a Debian 11 chroot: some 40 minutes of CPU time. Needs root and the network then.
#
#   tools/sdk/sdk.sh           builds if necessary
#   tools/sdk/sdk.sh --cached  fails with 75 if the cache does not have it
#
# The cache is XDG_CACHE_HOME/spool. Its key is a digest of the lock file, the recipes and the compiler.
set -euo pipefail
cd "$(dirname "$0")/../.."

cache=${XDG_CACHE_HOME:-$HOME/.cache}/spool
key=$(cat tools/sdk/{sources.json,recipes.sh,build.sh,glibc.h} | sha256sum | cut -c1-12)
root=${SPOOL_DEBIAN:-$cache}/debian11/root
prefix=$root/sdk/$key-$(uname -m) # in the chroot, where the libraries are also linked
if [ ! -e "$prefix/complete" ]; then
    if [ "${1:-}" = --cached ]; then exit 75; fi
    python3 tools/sdk/lock.py check >&2
    python3 tools/sdk/lock.py fetch "$cache/sources" >&2
    tools/debian.sh 11 true >&2
    mkdir -p "$root/sdk/sources" "$root/sdk/prefix"
    cp -u "$cache"/sources/* "$root/sdk/sources/"
    # Always in the same folder, so that the files do not depend on the key. A build of other recipes is thrown away.
    if [ "$(cat "$root/sdk/prefix/key" 2>/dev/null)" != "$key" ]; then
        rm -rf "$root/sdk/prefix"
        mkdir "$root/sdk/prefix"
        echo "$key" >"$root/sdk/prefix/key"
    fi
    tools/debian.sh 11 tools/sdk/build.sh /sdk/sources /sdk/prefix >&2
    rm -rf "$prefix"
    mv "$root/sdk/prefix" "$prefix"
    touch "$prefix/complete"
fi
echo "$prefix"
