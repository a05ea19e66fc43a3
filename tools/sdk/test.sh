#!/usr/bin/env bash
# Tests what tools/sdk/artefacts.sh built, as users install it:
#
#   tools/sdk/test.sh [files|here|deb|bullseye|bookworm|trixie|sid]...
#
# files checks what the library and the command need and export, and the versions. The names of Debian releases stand
# for a chroot of their own with python3 and pip only, where an unprivileged user installs the wheel and unpacks the
# tarball. here does the same on this machine, for each Python from 3.10 to 3.14 that it has. deb installs and removes
# the package in the chroot of bookworm. All but bullseye and sid are the default. Needs root and the network.
set -euo pipefail
cd "$(dirname "$0")/../.."

wheel=$(ls "$PWD"/dist/*.whl)
tarball=$(ls "$PWD"/dist/spool-*-linux-*.tar.gz)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/spool
failed=()

try() { # NAME COMMAND...
    local name=$1 start=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    if "$@"; then echo "== $name passed after $((SECONDS - start)) s"; else failed+=("$name") && echo "== $name FAILED"; fi
}

files() {
    local version unpacked libdir
    version=$(bin/artefacts/spool --version | cut -d ' ' -f 2)
    unpacked=$(echo "$PWD"/bin/artefacts/spool-*-linux-*)
    libdir=$(PKG_CONFIG_PATH=$unpacked/lib/pkgconfig pkg-config --variable=libdir spool)
    tools/sdk/check.py --map capi/spool.map bin/artefacts/libspool.so && tools/sdk/check.py bin/artefacts/spool &&
        [ "$(stat -c %s "$wheel")" -le $((25 << 20)) ] && ls -l "$wheel" "$tarball" &&
        [ "$libdir/libspool.so" -ef "$unpacked/lib/libspool.so" ] && tools/release/agree.sh "$version" &&
        (cd dist && sha256sum --check --quiet SHA256SUMS) && audit
}

# The tag of the wheel, by PyPA's auditwheel.
audit() {
    local python said
    if python=$(SPOOL_PEERS_PYTHON='' bench/peers/venv.sh tools/sdk/auditwheel.txt); then
        said=$("$python" -m auditwheel show "$wheel") || return
        echo "$said"
        said=$(tr -s '[:space:]' ' ' <<<"$said") # without its line breaks
        [[ $said = *"consistent with the following platform tag: \"manylinux_2_28_$(uname -m)\""* ]]
    elif [[ ",${SPOOL_REQUIRE:-}," = *,tools,* ]]; then
        echo "needs tools, which SPOOL_REQUIRE has: auditwheel"
        return 1
    else
        echo "auditwheel cannot be installed here: SKIPPED"
    fi
}

sources() { # FOLDER: the tests and their data, without the package, which is under test
    git archive HEAD | tar -x -C "$1"
    rm -rf "$1/python/spool"
    mkdir "$1/bin"
    cp bin/artefacts/spool "$1/bin/"
}

# A Debian with python3 and pip only: RELEASE FOLDER
made() {
    if [ -e "$2.made" ]; then return; fi
    rm -rf --one-file-system "$2"
    debootstrap --variant=minbase --include=python3,python3-pip,python3-venv,ca-certificates "$1" "$2" >"$2.log" &&
        chroot "$2" useradd --create-home user || return
    if [ "$1" = bullseye ]; then tools/sdk/python.sh "$2" || return; fi
    touch "$2.made"
}

debian() { # RELEASE
    local root=$cache/bare-$1
    made "$1" "$root" || return
    local home=$root/home/user/work
    rm -rf "$home"
    mkdir -p "$home/sources" "$home/run"
    sources "$home/sources"
    cp "$wheel" "$tarball" tools/sdk/user.sh "$home/"
    if [ -s /etc/ssl/certs/ca-certificates.crt ]; then cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"; fi
    chroot "$root" chown -R user:user /home/user
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare --mount --pid --fork sh -ec '
        root=$1
        mount -t proc proc "$root/proc"
        mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
        mount --bind "$root/home/user/work/sources" "$root/home/user/work/sources"
        mount -o remount,bind,ro "$root/home/user/work/sources"
        exec env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/home/user LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 \
            "$(command -v chroot)" --userspec=user:user "$root" sh -ec "cd /home/user/work/run && sh ../user.sh python3 ../sources ../$2 ../$3" 2>&1
    ' sh "$root" "$(basename "$wheel")" "$(basename "$tarball")"
}

# In an overlay, so that the Debian stays bare. The package is packed again first, and has the same bytes.
deb() {
    local root=$cache/bare-bookworm work status=0
    tools/release/deb.sh bin/artefacts/spool-*-linux-x86_64 &&
        (cd dist && sha256sum --check --quiet SHA256SUMS) && made bookworm "$root" || return
    work=$(mktemp -d)
    mkdir "$work"/{upper,work,root}
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare --mount --pid --fork sh -ec '
        lower=$1 work=$2 root=$2/root
        mount -t overlay -o "lowerdir=$lower,upperdir=$work/upper,workdir=$work/work" overlay "$root"
        mount -t proc proc "$root/proc"
        mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
        mount --bind . "$root/mnt"
        mount -o remount,bind,ro "$root/mnt"
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
            "$(command -v chroot)" "$root" sh -c "sh /mnt/tools/sdk/deb.sh /mnt/dist/*_amd64.deb /mnt" 2>&1
    ' sh "$root" "$work" || status=1
    rm -rf --one-file-system "$work"
    return $status
}

here() {
    local python=$1 work
    work=$(mktemp -d)
    mkdir "$work/sources" "$work/run"
    sources "$work/sources"
    (cd "$work/run" && env -i PATH=/usr/bin:/bin HOME="$work" LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 \
        sh -e "$OLDPWD/tools/sdk/user.sh" "$python" "$work/sources" "$wheel" "$tarball" 2>&1)
    local status=$?
    rm -rf "$work"
    return $status
}

if [ $# -eq 0 ]; then set -- files here deb bookworm trixie; fi
for what in "$@"; do
    case $what in
    files) try files files ;;
    deb) try deb deb ;;
    here)
        for minor in 10 11 12 13 14; do
            python=$(compgen -G "$HOME/.pyenv/versions/3.$minor.*/bin/python" | tail -n 1 || command -v "python3.$minor" || true)
            if [ -n "$python" ]; then try "python 3.$minor" here "$python"; else echo "no Python 3.$minor here: SKIPPED"; fi
        done
        ;;
    *) try "$what" debian "$what" ;;
    esac
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "failed: ${failed[*]}" >&2
    exit 1
fi
