#!/usr/bin/env bash
# Installs the Debian packages that a part of the project needs: tools/deps.sh [--dry-run] GROUP...
#
# Groups: build, test, rust, python (to build one), cross, fuzz, valgrind, lint, chroot, sdk (of Debian 11), browser,
# prometheus, perfetto, runtime, runtime-ffmpeg7 (the last of Debian 13). What is installed already is left alone, so a
# second call does nothing and needs no network. On other systems, Ubuntu among them, it checks that pkg-config finds the
# libraries.
set -euo pipefail

declare -A packages=(
    [build]="ca-certificates git gcc libc6-dev make pkg-config libjpeg62-turbo-dev libpng-dev
             libdeflate-dev libwebp-dev libgif-dev libavif-dev libdav1d-dev liblcms2-dev
             libopenjp2-7-dev libvips-dev libavcodec-dev libavdevice-dev libavfilter-dev libavformat-dev libavutil-dev
             libswresample-dev libswscale-dev"
    [test]="ffmpeg g++ python3-venv python3-pip"
    [rust]="rustc"
    [python]="gcc libc6-dev make libbz2-dev libffi-dev liblzma-dev libsqlite3-dev libssl-dev zlib1g-dev"
    [cross]="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user qemu-user-static"
    [fuzz]="clang libclang-rt-dev"
    [valgrind]="valgrind libc6-dbg python3"
    [lint]="clang-format shellcheck python3-venv"
    [chroot]="debootstrap advancecomp"
    [sdk]="ca-certificates gcc g++ make pkg-config nasm ninja-build python3 python3-distutils python3-packaging patch xz-utils
           bzip2 git perl gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
    [browser]="chromium"
    [prometheus]="prometheus"
    [perfetto]="nodejs python3-venv python3-pip"
    [runtime]="libjpeg62-turbo libpng16-16 libdeflate0 libwebp7 libwebpdemux2 libgif7 libavif15
               libdav1d6 liblcms2-2 libopenjp2-7 libvips42 libavcodec59 libavdevice59 libavfilter8 libavformat59
               libavutil57 libswresample4 libswscale6"
    [runtime-ffmpeg7]="libjpeg62-turbo libpng16-16t64 libdeflate0 libwebp7 libwebpdemux2 libgif7 libavif16
               libdav1d7 liblcms2-2 libopenjp2-7 libvips42t64 libavcodec61 libavdevice61 libavfilter10 libavformat61
               libavutil59 libswresample5 libswscale8"
)
libraries="libjpeg libpng libdeflate libwebp libwebpdemux libavif dav1d lcms2 libopenjp2 vips libavcodec libavdevice libavfilter libavformat libavutil libswresample libswscale"

say() { echo "deps: $*"; }

dry_run=
if [ "${1:-}" = --dry-run ]; then
    dry_run=yes
    shift
fi

wanted=()
for group in "$@"; do
    if [ -z "${packages[$group]:-}" ]; then
        say "no group $group; there are: ${!packages[*]}" >&2
        exit 2
    fi
    read -r -d '' -a more <<<"${packages[$group]}" || true
    wanted+=("${more[@]}")
done

# Ubuntu has apt-get, but not all libraries under these names, and no FFmpeg that fits.
here=$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release 2>/dev/null || true)
if ! command -v apt-get >/dev/null ||
    [[ ${wanted[*]} = *libjpeg62-turbo* ]] && grep -q '^ID\(_LIKE\)\?=.*ubuntu' /etc/os-release; then
    # shellcheck disable=SC2086 # one word a library
    if command -v pkg-config >/dev/null && pkg-config --exists --print-errors $libraries; then
        say "this is ${here:-Linux}, and pkg-config finds the libraries"
        exec "$(dirname "$0")/ffmpeg.sh"
    fi
    say "this is ${here:-Linux}, not Debian 12 or 13. Install what stands for these packages of Debian 12: ${wanted[*]}" >&2
    say "or use the wheel or the tarball, which need no libraries: docs/install.md; for Go programs see docs/go.md" >&2
    exit 1
fi

missing=()
for package in "${wanted[@]}"; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    say "all of $* is installed"
    exit 0
fi
say "installing ${missing[*]}"
[ -z "$dry_run" ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        say "neither root nor sudo; run as root: apt-get install --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() { "$@" </dev/null >"$log" 2>&1 || { cat "$log" >&2 && say "failed: $*" >&2 && exit 1; }; }
quietly "${as_root[@]}" apt-get update -qq
quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}"
say "done"
