#!/usr/bin/env bash
# Runs the Dockerfile where there is no container engine: tools/check-image.sh [STAGE]...
#
# Each stage becomes a folder with a minimal Debian or Ubuntu (debootstrap), in which the stage's own
# instructions are executed by chroot; the golang image is that Debian with this machine's Go, and
# NVIDIA's images are that Ubuntu without CUDA. Each STAGE (default: runtime) and what it is made from are
# built, from the last commit and dist. An image with an entrypoint then runs as its user, with a
# read-only file system, with and without helper processes; that of PyTorch starts one from Python. Needs
# root, debootstrap and some 5 GB in TMPDIR. It shows that the steps work and that the image has what the
# command loads; it does not show that the base images are what we take them for.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -eq 0 ]; then set -- runtime; fi

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
git clone --quiet --no-hardlinks . "$work/context"
if [ -d dist ]; then cp -r dist "$work/context/"; fi

declare -A directory user environment entrypoint
stage=

base_of() { # IMAGE
    local suite=bookworm
    local mirror=()
    case $1 in
    *trixie | debian:13*) suite=trixie ;;
    nvidia/cuda:*-ubuntu24.04 | nvcr.io/nvidia/pytorch:*)
        # By the script for all Ubuntus, which knows more of them than debootstrap. Debian has no key to check it with.
        suite=noble mirror=(http://archive.ubuntu.com/ubuntu gutsy)
        if ! curl --silent --fail --max-time 30 --output "$work/Release" "${mirror[0]}/dists/$suite/Release"; then
            echo "-- no Ubuntu here: Debian 13 stands for it"
            suite=trixie mirror=()
        fi
        ;;
    esac
    local debian=$work/debian-$suite
    if [ ! -d "$debian" ]; then
        tools/chroot.sh make "$debian" --components="main${mirror:+,universe}" "$suite" "${mirror[@]}"
        # as the official images do: no documentation, and no archives left behind
        printf 'path-exclude /usr/share/%s/*\n' doc info locale man >"$debian/etc/dpkg/dpkg.cfg.d/slim"
        echo 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };' >"$debian/etc/apt/apt.conf.d/clean"
        rm -rf "$debian"/usr/share/{doc,info,locale,man}/* "$debian"/var/cache/apt/archives/*.deb
    fi
    cp -a "$debian" "$work/$stage"
    case $1 in
    debian:* | nvidia/cuda:*) ;;
    nvcr.io/nvidia/pytorch:*)
        inside "apt-get update -qq && apt-get install -y -qq --no-install-recommends \
            python3-pip python3-numpy python-is-python3 >/dev/null && rm -f /usr/lib/python3*/EXTERNALLY-MANAGED"
        ;;
    golang:*) cp -a "$(go env GOROOT)" "$work/$stage/usr/local/go" ;;
    *) echo "check-image: no stand-in for the image $1" >&2 && exit 1 ;;
    esac
}

inside() { # COMMAND, in the current stage
    local variables
    read -r -a variables <<<"${environment[$stage]:-}"
    tools/chroot.sh run --user "${user[$stage]}" "$work/$stage" \
        PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root GOTOOLCHAIN=local \
        "${variables[@]}" sh -c "cd '${directory[$stage]}' && $1"
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
declare -A needed
for stage in "$@"; do needed[$stage]=yes; done
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
    ENV) environment[$stage]+=" $arguments" ;;
    ENTRYPOINT) entrypoint[$stage]=$(tr -d '[]",' <<<"$arguments") ;;
    '#'* | '') ;;
    *) echo "check-image: cannot do $instruction" >&2 && exit 1 ;;
    esac
done < <(sed -e ':join; /\\$/ { N; s/\\\n//; b join }' -e '/^#/d' Dockerfile)

# Like docker run --read-only -v "$PWD/testdata/photos:/media:ro" IMAGE COMMAND.
run() { # STAGE COMMAND
    echo "-- $2"
    tools/chroot.sh run --user "${user[$1]}" --read-only testdata/photos:/media --read-only tools/sdk:/mnt --seal "$work/$1" \
        sh -ec "cd /media; if touch /tmp/x 2>/dev/null; then echo the file system can be written; exit 1; fi; $2" \
        </dev/null
}

for stage in "$@"; do
    echo "== $stage: $(du -sh "$work/$stage" | cut -f1)"
    program=${entrypoint[$stage]:-}
    if [ -n "$program" ]; then
        run "$stage" "$program doctor"
        run "$stage" "$program run images /media --batch 16 --size 224"
        run "$stage" "$program run images /media --batch 16 --size 224 --isolate all"
    fi
    case $stage in
    slim | cuda) # the library's program of helpers runs, but serves nobody but a library
        run "$stage" "/usr/local/lib/spool-helper 2>&1 || true" | tee /dev/stderr | grep --quiet 'started by spool'
        ;;
    pytorch)
        user[$stage]=nobody:nogroup
        run "$stage" 'python -I /mnt/isolated.py animal/00.jpg'
        ;;
    esac
done
