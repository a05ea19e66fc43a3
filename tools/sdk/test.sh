#!/usr/bin/env bash
# Tests what tools/sdk/artefacts.sh built, as users install it:
#
#   tools/sdk/test.sh [files|here|deb|page|bullseye|bookworm|trixie|sid|jammy|noble|aarch64]...
#
# files checks what the libraries and the commands need and export, and the versions, of each architecture in dist.
# The names of releases of Debian and Ubuntu stand for a chroot of their own with python3 and pip only, where an
# unprivileged user installs the wheel and unpacks the tarball. here does the same on this machine, for each Python from
# 3.10 to 3.14 that it has. deb installs and removes the package in the chroot of bookworm, and page does there what
# docs/install.md says. aarch64 is bookworm for arm64 under an emulator, and compares digests of samples with those of
# the command for x86-64. The default is files, here, deb, page, bookworm and trixie. Needs root and the network, and
# aarch64 Linux 6.7.
set -euo pipefail
cd "$(dirname "$0")/../.."

cache=${XDG_CACHE_HOME:-$HOME/.cache}/spool
failed=()

try() { # NAME COMMAND...
    local name=$1 start=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    if "$@"; then echo "== $name passed after $((SECONDS - start)) s"; else failed+=("$name") && echo "== $name FAILED"; fi
}

files() {
    local wheel arch
    for wheel in dist/*.whl; do
        arch=${wheel##*manylinux_2_28_}
        files_of "${arch%.whl}" "$wheel" || return
    done
    tools/sdk/notices.py check dist/*.whl dist/*.deb dist/*.tar.* && (cd dist && sha256sum --check --quiet SHA256SUMS)
}

# What Debian calls them.
declare -A named=([x86_64]=amd64 [aarch64]=arm64)

files_of() { # ARCHITECTURE WHEEL
    local built=bin/artefacts/$1 version unpacked libdir deb
    version=$(tools/sdk/run.sh "$1" "$built/spool" --version | sed -n 's/^spool \([^ ]*\) .*/\1/p')
    unpacked=$(echo "$PWD/$built"/spool-*-linux-"$1")
    libdir=$(PKG_CONFIG_PATH=$unpacked/lib/pkgconfig pkg-config --variable=libdir spool)
    deb=$(echo dist/spool_*_"${named[$1]}".deb)
    tools/sdk/check.py --map capi/spool.map "$1" "$built/libspool.so" && tools/sdk/check.py "$1" "$built/spool" &&
        tools/sdk/check.py --helper "$1" "$built/spool-helper" && helpers "$built/spool-helper" "$2" "$deb" \
        dist/spool-*-linux-"$1".tar.gz &&
        [ "$(stat -c %s "$2")" -le $((25 << 20)) ] && ls -l "$2" dist/spool-*-linux-"$1".tar.gz "$deb" &&
        [ "$(dpkg-deb --field "$deb" Architecture)" = "${named[$1]}" ] &&
        dpkg-deb --fsys-tarfile "$deb" | tar -xO ./usr/bin/spool | cmp - "$built/spool" &&
        [ "$libdir/libspool.so" -ef "$unpacked/lib/libspool.so" ] && tools/release/agree.sh "$version" &&
        audit "$1" "$2"
}

# Each artefact has the helper beside the library: HELPER WHEEL DEB TARBALL
helpers() {
    local work beside failures=0
    work=$(mktemp -d)
    mkdir "$work/tarball"
    python3 -m zipfile -e "$2" "$work/wheel" && chmod +x "$work/wheel/spool/_lib/spool-helper" && # as pip does
        dpkg-deb --extract "$3" "$work/deb" && tar -xzf "$4" -C "$work/tarball" --strip-components=1
    for beside in wheel/spool/_lib deb/usr/lib tarball/lib; do
        if ! { [ -e "$work/$beside/libspool.so" ] && [ -x "$work/$beside/spool-helper" ] &&
            cmp "$1" "$work/$beside/spool-helper"; }; then
            echo "no helper beside the library: $beside"
            failures=1
        fi
    done
    rm -rf "$work"
    return $failures
}

# The tag of the wheel, by PyPA's auditwheel: ARCHITECTURE WHEEL
audit() {
    local python said
    if python=$(SPOOL_PEERS_PYTHON='' bench/peers/venv.sh tools/sdk/auditwheel.txt); then
        said=$("$python" -m auditwheel show "$2") || return
        echo "$said"
        said=$(tr -s '[:space:]' ' ' <<<"$said") # without its line breaks
        [[ $said = *"consistent with the following platform tag: \"manylinux_2_28_$1\""* ]]
    elif [[ ",${SPOOL_REQUIRE:-}," = *,tools,* ]]; then
        echo "needs tools, which SPOOL_REQUIRE has: auditwheel"
        return 1
    else
        echo "auditwheel cannot be installed here: SKIPPED"
    fi
}

sources() { # FOLDER ARCHITECTURE: the tests and their data, without the package, which is under test
    git archive HEAD | tar -x -C "$1"
    rm -rf "$1/python/spool"
    mkdir "$1/bin"
    cp "bin/artefacts/$2/spool" "$1/bin/"
}

packages=python3,python3-pip,python3-venv,ca-certificates

# A Debian or Ubuntu with python3 and pip only, and a user: RELEASE FOLDER
made() {
    local from=("$1")
    case $1 in # debootstrap's script for all Ubuntus, since it may not know the newest ones
    jammy | noble) from=("--components=main,universe" "$1" http://archive.ubuntu.com/ubuntu gutsy) ;;
    esac
    tools/chroot.sh make "$2" --include="$packages" "${from[@]}" || return
    if [ ! -e "$2/home/user" ]; then chroot "$2" useradd --create-home user || return; fi
    if [ "$1" = bullseye ] && [ ! -e "$2/usr/local/bin/python3" ]; then tools/sdk/python.sh "$2"; fi
}

# The same for aarch64. Its packages are unpacked and not configured, which these do not need.
made_aarch64() {
    tools/chroot.sh make "$2" --arch=arm64 --foreign --include="$packages" "$1" || return
    if [ -e "$2/home/user" ]; then return; fi
    local package
    for package in "$2"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$2" || return; done
    cp /etc/resolv.conf "$2/etc/"
    mkdir "$2/home/user"
}

debian() { # RELEASE [ARCHITECTURE]
    local arch=${2:-x86_64} root=$cache/bare-$1 flags='' emulated='' run=(run --user user:user)
    if [ "$arch" = x86_64 ]; then
        made "$1" "$root" || return
    else
        run=(emulate "$(command -v qemu-aarch64-static)") || return
        # A limit of CPU time, and helper processes, which do not start there.
        flags='--deselect tests/test_process.py::test_import_is_quick --ignore test_isolate.py' emulated=yes
        root+=-$arch
        made_aarch64 "$1" "$root" || return
    fi
    local home=$root/home/user/work
    rm -rf "$home"
    mkdir -p "$home/sources" "$home/run"
    sources "$home/sources" "$arch"
    cp dist/*_"$arch".whl dist/*-"$arch".tar.gz tools/sdk/user.sh "$home/"
    if [ "$arch" = x86_64 ]; then chroot "$root" chown -R user:user /home/user; fi
    tools/chroot.sh "${run[@]}" --read-only "$home/sources:/home/user/work/sources" "$root" \
        HOME=/home/user LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 EMULATED=$emulated \
        sh -ec "cd /home/user/work/run && sh ../user.sh python3 ../sources ../*.whl ../*.tar.gz $flags" 2>&1 &&
        tools/chroot.sh "${run[@]}" --seal "$root" EMULATED=$emulated \
            sh -ec "cd /home/user/work && sh sources/tools/sdk/sealed.sh" 2>&1
}

emulated() {
    local emulated=$cache/bare-bookworm-aarch64/home/user/work/run/digests.txt
    debian bookworm aarch64 && tools/sdk/digests.sh bin/artefacts/x86_64/spool testdata | diff - "$emulated"
}

# The package is packed again first, and has the same bytes.
deb() {
    local root=$cache/bare-bookworm
    tools/release/deb.sh bin/artefacts/x86_64/spool-*-linux-x86_64 &&
        (cd dist && sha256sum --check --quiet SHA256SUMS) && made bookworm "$root" &&
        tools/chroot.sh run --scratch --read-only .:/mnt "$root" HOME=/root LC_ALL=C.UTF-8 \
            sh -c 'sh /mnt/tools/sdk/deb.sh /mnt/dist/*_amd64.deb /mnt' 2>&1
}

page() {
    local root=$cache/bare-bookworm
    made bookworm "$root" &&
        tools/chroot.sh run --scratch --read-only .:/mnt "$root" HOME=/root LC_ALL=C.UTF-8 sh /mnt/tools/sdk/page.sh /mnt 2>&1
}

here() {
    local python=$1 work
    work=$(mktemp -d)
    mkdir "$work/sources" "$work/run"
    sources "$work/sources" x86_64
    (cd "$work/run" && env -i PATH=/usr/bin:/bin HOME="$work" LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 \
        sh -e "$OLDPWD/tools/sdk/user.sh" "$python" "$work/sources" \
        "$OLDPWD"/dist/*_x86_64.whl "$OLDPWD"/dist/*-x86_64.tar.gz 2>&1)
    local status=$?
    rm -rf "$work"
    return $status
}

if [ $# -eq 0 ]; then set -- files here deb page bookworm trixie; fi
for what in "$@"; do
    case $what in
    files) try files files ;;
    deb | page) try "$what" "$what" ;;
    here)
        for minor in 10 11 12 13 14; do
            python=$(compgen -G "$HOME/.pyenv/versions/3.$minor.*/bin/python" | tail -n 1 || command -v "python3.$minor" || true)
            if [ -n "$python" ]; then try "python 3.$minor" here "$python"; else echo "no Python 3.$minor here: SKIPPED"; fi
        done
        ;;
    aarch64) try aarch64 emulated ;;
    *) try "$what" debian "$what" ;;
    esac
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "failed: ${failed[*]}" >&2
    exit 1
fi
