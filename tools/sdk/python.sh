#!/usr/bin/env bash
# Installs Python 3.13 in a Debian whose own is too old for the package: tools/sdk/python.sh ROOT
#
# ROOT is the Debian's folder. Python is built from Debian 13's source package in a copy of it with a compiler, so the
# Debian itself gets /usr/local only. The cache keeps the files. Needs root, and the network the first time.
set -euo pipefail
cd "$(dirname "$0")/../.."

root=$1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/spool
codename=$(sed -n 's/^VERSION_CODENAME=//p' "$root/etc/os-release")
built=$cache/python-3.13.5-$codename.tar.gz
if [ ! -e "$built" ]; then
    archive=$(tools/sdk/cpython.sh)
    work=$(mktemp -d)
    trap 'rm -rf --one-file-system "$work"' EXIT
    cp -a "$root/." "$work"
    tar -C "$work/usr/src" -xf "$archive"
    echo "python: building ${archive##*/} for $codename"
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare --mount --pid --fork --mount-proc="$work/proc" chroot "$work" sh -ec '
        mount -t tmpfs -o mode=1777 tmpfs /dev/shm # configure looks for semaphores, which are there
        export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends gcc libc6-dev make \
            libbz2-dev libffi-dev liblzma-dev libsqlite3-dev libssl-dev zlib1g-dev
        cd /usr/src/Python-*
        ./configure --quiet --disable-test-modules --without-ensurepip
        make -s -j2
        make -s install DESTDIR=/built
    ' </dev/null >"$built.log" 2>&1
    tar -C "$work/built" -czf "$built.part" usr
    mv "$built.part" "$built"
fi
tar -C "$root" -xzf "$built"
# Certificates that tools/sdk/test.sh adds to this file are not in the folder that OpenSSL reads by default.
ln -sf /etc/ssl/certs/ca-certificates.crt "$root/usr/lib/ssl/cert.pem"
chroot "$root" /usr/local/bin/python3 - <<'END'
import bz2, ctypes, lzma, multiprocessing.synchronize, sqlite3, ssl, sys, zlib
print("python:", sys.version)
END
