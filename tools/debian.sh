#!/usr/bin/env bash
# Runs a command in the root of this tree, in a Debian of its own: tools/debian.sh RELEASE COMMAND...
#
#   11  what tools/sdk needs, to build libraries that run with an old glibc
#   13  what the build and the tests need, to test with its FFmpeg and libvips
#
# The first call makes the Debian with debootstrap, in a folder outside of the tree (SPOOL_DEBIAN; by default in the
# user's cache), and installs its packages. Later calls use it again, and update it when tools/deps.sh has changed. Go is
# this machine's. Its modules and build cache are kept in the same folder. It needs root and some 5 GB. The exit status
# is 75 if the Debian cannot be made: no root, no network.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
11) name=bullseye groups=(sdk) ;;
13) name=trixie groups=(build test) ;;
*)
    echo "usage: debian.sh 11|13 COMMAND..." >&2
    exit 2
    ;;
esac
release=$1
shift
home=${SPOOL_DEBIAN:-${XDG_CACHE_HOME:-$HOME/.cache}/spool}/debian$release
root=$home/root

cannot() {
    echo "debian: $*" >&2
    exit 75 # EX_TEMPFAIL of sysexits.h
}

inside() { # COMMAND...
    local shared=()
    if [ -d ../shared ]; then shared=(--bind ../shared:/src/shared); fi # which some tests look for
    # shellcheck disable=SC2016 # expanded by the inner shell
    tools/chroot.sh run --bind "$(go env GOROOT):/usr/local/go" --bind .:/src/spool "${shared[@]}" "$root" \
        PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        HOME=/root GOPATH=/go GOCACHE=/go/cache GOTOOLCHAIN=local GOFLAGS=-buildvcs=false \
        DEBIAN_FRONTEND=noninteractive SPOOL_REQUIRE="${SPOOL_REQUIRE:-}" GOTESTSUM_FORMAT="${GOTESTSUM_FORMAT:-}" \
        sh -c 'cd /src/spool && exec "$@"' sh "$@"
}

[ "$(id -u)" -eq 0 ] || cannot "needs root, for chroot"
if [ ! -e "$root" ]; then echo "debian: making a Debian $release in $home"; fi
tools/chroot.sh make "$root" $name || cannot "debootstrap failed"
if ! cmp --quiet tools/deps.sh "$home/deps.sh"; then
    inside tools/deps.sh "${groups[@]}" || cannot "the packages cannot be installed"
    cp tools/deps.sh "$home/deps.sh"
fi
inside "$@"
