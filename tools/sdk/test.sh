#!/usr/bin/env bash
# Tests what tools/sdk/artefacts.sh built, as users install it: tools/sdk/test.sh [bookworm|trixie|sid|here|files]...
#
# files checks what the library and the command need and export. The other names are Debian releases, each a chroot of
# its own with python3 and pip only, where an unprivileged user installs the wheel and unpacks the tarball. here does the
# same on this machine, for each Python from 3.10 to 3.14 that it has. All but sid are the default. Needs root and the
# network.
set -euo pipefail
cd "$(dirname "$0")/../.."

wheel=$(ls "$PWD"/dist/*.whl)
tarball=$(ls "$PWD"/dist/*.tar.gz)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/spool
failed=()

try() { # NAME COMMAND...
    local name=$1 start=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    if "$@"; then echo "== $name passed after $((SECONDS - start)) s"; else failed+=("$name") && echo "== $name FAILED"; fi
}

files() {
    tools/sdk/check.py --map capi/spool.map bin/artefacts/libspool.so && tools/sdk/check.py bin/artefacts/spool &&
        [ "$(stat -c %s "$wheel")" -le $((25 << 20)) ] && ls -l "$wheel" "$tarball" &&
        (cd dist && sha256sum --check --quiet SHA256SUMS)
}

sources() { # FOLDER: the tests and their data, without the package, which is under test
    git archive HEAD | tar -x -C "$1"
    rm -rf "$1/python/spool"
    mkdir "$1/bin"
    cp bin/artefacts/spool "$1/bin/"
}

debian() { # RELEASE
    local root=$cache/bare-$1
    if [ ! -e "$root.made" ]; then
        rm -rf --one-file-system "$root"
        debootstrap --variant=minbase --include=python3,python3-pip,python3-venv,ca-certificates "$1" "$root" >"$root.log"
        chroot "$root" useradd --create-home user
        if [ "$1" = bullseye ]; then tools/sdk/python.sh "$root" || return; fi
        touch "$root.made"
    fi
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

if [ $# -eq 0 ]; then set -- files here bookworm trixie; fi
for what in "$@"; do
    case $what in
    files) try files files ;;
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
