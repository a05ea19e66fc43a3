#!/usr/bin/env bash
# Runs the Dockerfile where there is no container engine: tools/check-image.sh [STAGE]
#
# Each stage becomes a folder with a minimal Debian 12 (debootstrap), in which the stage's own
# instructions are executed by chroot; the golang image is that Debian with this machine's Go. The
# stages up to STAGE (default: runtime) are built, from the last commit. Needs root, debootstrap and
# some 5 GB in TMPDIR. It shows that the steps work and that the runtime stage has
# what the command loads; it does not show that the two base images are what we take them for.
set -euo pipefail
cd "$(dirname "$0")/.."
last=${1:-runtime}

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
git clone --quiet --no-hardlinks . "$work/context"

declare -A directory user
stage=

base_of() { # IMAGE
    if [ ! -d "$work/debian" ]; then
        debootstrap --variant=minbase bookworm "$work/debian" >"$work/debootstrap.log"
        mkdir -p "$work/debian/etc/ssl/certs"
        # as the official images do: no documentation, and no archives left behind
        printf 'path-exclude /usr/share/%s/*\n' doc info locale man >"$work/debian/etc/dpkg/dpkg.cfg.d/slim"
        echo 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };' >"$work/debian/etc/apt/apt.conf.d/clean"
        rm -rf "$work"/debian/usr/share/{doc,info,locale,man}/* "$work"/debian/var/cache/apt/archives/*.deb
    fi
    cp -a "$work/debian" "$work/$stage"
    case $1 in
    debian:12*) ;;
    golang:*) cp -a "$(go env GOROOT)" "$work/$stage/usr/local/go" ;;
    *) echo "check-image: no stand-in for the image $1" >&2 && exit 1 ;;
    esac
}

inside() { # COMMAND, in the current stage
    # networks may have certificates of their own
    if [ -s /etc/ssl/certs/ca-certificates.crt ]; then
        cp -L /etc/ssl/certs/ca-certificates.crt "$work/$stage/etc/ssl/certs/"
    fi
    env -i PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root GOTOOLCHAIN=local \
        unshare --mount --pid --fork --mount-proc="$work/$stage/proc" \
        chroot --userspec="${user[$stage]}" "$work/$stage" sh -c "cd '${directory[$stage]}' && $1"
}

copy() { # [--from=STAGE] SOURCE... TARGET
    local from=$work/context target=${*: -1}
    case $1 in
    --from=*) from=$work/${1#--from=} && shift ;;
    esac
    [[ $target = /* ]] || target=${directory[$stage]}/$target
    [[ $target = */ || $target = */. ]] && mkdir -p "$work/$stage$target"
    for source in "${@:1:$#-1}"; do
        if [ -d "$from/$source" ]; then source=$source/.; fi # a folder's contents, as COPY does
        cp -a "$from/$source" "$work/$stage$target"
    done
}

skip=
while read -r instruction arguments; do
    [ "$instruction" = FROM ] || [ -z "$skip" ] || continue
    case $instruction in
    FROM)
        [ "$stage" != "$last" ] || break
        read -r image _ stage <<<"$arguments"
        skip=
        if [ "$stage" = test ] && [ "$last" != test ]; then # long, and nothing is made from it
            skip=yes
            continue
        fi
        echo "== $stage, from $image"
        directory[$stage]=/ user[$stage]=root
        if [ -d "$work/$image" ]; then
            cp -a "$work/$image" "$work/$stage"
            directory[$stage]=${directory[$image]} user[$stage]=${user[$image]}
        else
            base_of "$image"
        fi
        ;;
    WORKDIR)
        directory[$stage]=$arguments
        mkdir -p "$work/$stage$arguments"
        ;;
    COPY)
        echo "-- COPY $arguments"
        # shellcheck disable=SC2086 # one word a path
        copy $arguments
        ;;
    RUN)
        echo "-- RUN $arguments"
        inside "$arguments" </dev/null
        ;;
    USER) user[$stage]=$arguments ;;
    ENTRYPOINT | '#'* | '') ;;
    *) echo "check-image: cannot do $instruction" >&2 && exit 1 ;;
    esac
done < <(sed -e ':join; /\\$/ { N; s/\\\n//; b join }' -e '/^#/d' Dockerfile)
echo "== $last: $(du -sh "$work/$last" | cut -f1)"
