#!/usr/bin/env bash
# Does what docs/go.md says, as a user of Go: tools/sdk/gouser.sh [12|13|elsewhere]...
#
# Each is a Debian of its own with git and this machine's Go, where go get finds the last commit of this repository at
# its address. 12 and 13 install the libraries that the page names. elsewhere is a Debian 12 with a C compiler and
# pkg-config, and uses the tarball that tools/sdk/gosdk.sh has packed. All three must print what the page says. Needs
# root and the network.
set -euo pipefail
cd "$(dirname "$0")/../.."

cache=${XDG_CACHE_HOME:-$HOME/.cache}/spool
page=docs/go.md
binding=github.com/asticode/go-astiav

block() { tools/sdk/block.sh "$page" "$@"; } # LANGUAGE HEADING

inside() { # ROOT COMMANDS: in the user's folder, whose name has a space
    tools/chroot.sh run --bind "$(go env GOROOT):/usr/local/go" "$1" \
        PATH=/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 GOPATH=/go \
        GOCACHE=/go/cache GOTOOLCHAIN=local GOPRIVATE=github.com/spoolmedia DEBIAN_FRONTEND=noninteractive \
        sh -ec "cd \"/home/a user\" && $2" </dev/null
}

try() { # 12|13|elsewhere
    local heading release packages=ca-certificates,git root
    case $1 in
    12) heading='## Debian 12' release=bookworm ;;
    13) heading='## Debian 13' release=trixie ;;
    elsewhere) heading='## Elsewhere' release=bookworm packages+=,gcc,libc6-dev,pkg-config,xz-utils ;;
    esac
    root=$cache/go-$1
    tools/chroot.sh make "$root" --include="$packages" "$release"
    local home="$root/home/a user"
    rm -rf "$home" "$root/srv/spool.git"
    mkdir -p "$home"
    git clone --quiet --bare --depth 1 "file://$PWD" "$root/srv/spool.git"
    git config --file "$root/root/.gitconfig" url.file:///srv/spool.git.insteadOf https://github.com/spoolmedia/spool
    git archive HEAD testdata/photos/animal testdata/video testdata/audio | tar -x -C "$home"
    block go '# Installing for Go' >"$home/main.go"
    if [ "$1" = elsewhere ]; then cp dist/spool-sdk-*.tar.xz "$home/"; fi
    block console "$heading" >"$home/commands"
    inside "$root" '. ./commands >printed'
    grep '^uint8\|^float32' "$home/printed" | diff - <(block text '# Installing for Go')
    case $1 in
    13) # what the page says of the binding's default version
        if inside "$root" "go get $binding@v0.16.0 && go build" >"$home/refused" 2>&1; then return 1; fi
        grep --fixed-strings "$(grep '^could not determine' "$page")" "$home/refused"
        ;;
    elsewhere) # glibc only, and nothing of the libraries for others
        local needed
        needed=$(readelf --dynamic --wide "$home/digest" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
        echo "needs ${needed//$'\n'/ }"
        if grep -v '^lib\(c\|m\|pthread\|dl\|rt\|resolv\)\.so\|^ld-linux' <<<"$needed"; then return 1; fi
        if nm --dynamic --defined-only "$home/digest" | grep ' av_\| vips_\| jpeg_'; then return 1; fi
        ;;
    esac
}

if [ $# -eq 0 ]; then set -- 12 13 elsewhere; fi
for system in "$@"; do
    start=$SECONDS
    printf '\n== go, %s\n' "$system"
    try "$system"
    echo "== go, $system passed after $((SECONDS - start)) s"
done
