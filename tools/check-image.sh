#!/usr/bin/env bash
# Runs the Dockerfile where there is no container engine: tools/check-image.sh [STAGE]
#
# Each stage becomes a folder with a minimal Debian (debootstrap), in which the stage's own
# instructions are executed by chroot; the golang image is that Debian with this machine's Go. STAGE
# (default: runtime) and what it is made from are built, from the last commit. Needs root, debootstrap
# and some 5 GB in TMPDIR. It shows that the steps work and that the runtime stage has
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
    local suite=bookworm
    case $1 in *trixie | debian:13*) suite=trixie ;; esac
    local debian=$work/debian-$suite
    if [ ! -d "$debian" ]; then
        debootstrap --variant=minbase "$suite" "$debian" >"$work/debootstrap.log"
        mkdir -p "$debian/etc/ssl/certs"
        # as the official images do: no documentation, and no archives left behind
        printf 'path-exclude /usr/share/%s/*\n' doc info locale man >"$debian/etc/dpkg/dpkg.cfg.d/slim"
        echo 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };' >"$debian/etc/apt/apt.conf.d/clean"
        rm -rf "$debian"/usr/share/{doc,info,locale,man}/* "$debian"/var/cache/apt/archives/*.deb
    fi
    cp -a "$debian" "$work/$stage"
    case $1 in
    debian:*) ;;
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

# The Dockerfile read backwards: a stage needs its image, and the stages that it copies from.
declare -A needed=([$last]=yes)
from=()
while read -r instruction arguments; do
    case $instruction in
    COPY) if [[ $arguments =~ ^--from=([^ ]+) ]]; then from+=("${BASH_REMATCH[1]}"); fi ;;
    FROM)
        read -r image _ stage <<<"$arguments"
        if [ -n "${needed[$stage]:-}" ]; then
            for other in "$image" "${from[@]}"; do needed[$other]=yes; done
        fi
        from=()
        ;;
    esac
done < <(tac Dockerfile)

skip=
while read -r instruction arguments; do
    [ "$instruction" = FROM ] || [ -z "$skip" ] || continue
    case $instruction in
    FROM)
        read -r image _ stage <<<"$arguments"
        skip=
        if [ -z "${needed[$stage]:-}" ]; then
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
