#!/usr/bin/env bash
# Makes a Debian in a folder, and runs commands in it. Needs root.
#
#   tools/chroot.sh make FOLDER [FLAG...] SUITE [MIRROR SCRIPT]    by debootstrap, if there is no FOLDER yet
#   tools/chroot.sh run [OPTION...] FOLDER [NAME=VALUE...] COMMAND...
#   tools/chroot.sh emulate EMULATOR [OPTION...] FOLDER [NAME=VALUE...] COMMAND...
#
# A FOLDER is complete: make works in FOLDER.part, and writes FOLDER.log. run gives the command a /proc and a /dev/shm of
# its own, this machine's certificates, and no variables but PATH and those named. Its options:
#
#   --user NAME:GROUP       the command is theirs, not root's
#   --bind FROM:TO          FROM of this machine is TO there
#   --read-only FROM:TO     the same, but it cannot be written
#   --seal                  nothing else can be written either, but for /dev/shm
#   --scratch               what is written is thrown away
#
# emulate does the same in a Debian for aarch64. A user namespace has a binfmt_misc of its own (Linux 6.7), so the machine
# does not learn of the emulator. There is one user, root.
set -euo pipefail

make() { # FOLDER [FLAG...] SUITE [MIRROR SCRIPT]
    local folder=$1 flags=()
    shift
    if [ -e "$folder" ]; then return; fi
    while [[ $1 = --* ]]; do flags+=("$1") && shift; done
    command -v debootstrap >/dev/null || "$(dirname "$0")/deps.sh" chroot || return
    mkdir -p "$(dirname "$folder")"
    rm -rf --one-file-system "$folder.part"
    debootstrap --variant=minbase "${flags[@]}" "$1" "$folder.part" "${@:2}" >"$folder.log" 2>&1 ||
        { tail -n 1 "$folder.log" >&2 && return 1; }
    mv "$folder.part" "$folder"
}

run() { # [OPTION...] FOLDER [NAME=VALUE...] COMMAND...
    in_namespaces --mount --pid --fork -- "$@"
}

emulate() { # EMULATOR, then as run
    export emulator=$1
    in_namespaces --mount --pid --fork --user --map-root-user -- "${@:2}"
}

in_namespaces() { # FLAG... -- as run
    local flags=()
    while [ "$1" != -- ]; do flags+=("$1") && shift; done
    work=$(mktemp -d) # for the layers of --scratch
    export work
    trap 'rm -rf --one-file-system "$work"' EXIT
    unshare "${flags[@]}" "$0" inside "${@:2}"
}

inside() { # as run, in the namespaces
    local user=() binds=() seal='' scratch='' bind
    while [[ $1 = --* ]]; do
        case $1 in
        --user) user=("--userspec=$2") && shift ;;
        --bind) binds+=("rw:$2") && shift ;;
        --read-only) binds+=("ro:$2") && shift ;;
        --seal) seal=yes ;;
        --scratch) scratch=yes ;;
        *) echo "chroot: no option $1" >&2 && exit 2 ;;
        esac
        shift
    done
    local root=$1
    shift
    if [ -n "$scratch" ]; then
        mkdir "$work"/{upper,work,root}
        mount -t overlay -o "lowerdir=$root,upperdir=$work/upper,workdir=$work/work" overlay "$work/root"
        root=$work/root
    else
        mount --bind "$root" "$root" # so that it can be sealed
    fi
    mkdir -p "$root"/{proc,dev/shm,etc/ssl/certs}
    # networks may have certificates of their own
    if [ -s /etc/ssl/certs/ca-certificates.crt ]; then cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"; fi
    mount -t proc proc "$root/proc"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
    for bind in "${binds[@]}"; do
        local how=${bind%%:*} from=${bind#*:}
        local to=$root${from##*:}
        from=${from%:*}
        mkdir -p "$to"
        mount --bind "$from" "$to"
        if [ "$how" = ro ]; then mount -o remount,bind,ro "$to"; fi
    done
    if [ -n "$seal" ]; then mount -o remount,bind,ro "$root"; fi
    if [ -n "${emulator:-}" ]; then
        mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
        # ELF of 64 bits, little endian, for aarch64
        local any='\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00'
        printf %s ":aarch64:M::\x7fELF\x02\x01............\xb7\x00:\xff\xff\xff\xff\xff\xff$any\xff\xff:$emulator:OF" \
            >/proc/sys/fs/binfmt_misc/register
    fi
    exec chroot "${user[@]}" "$root" \
        /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

case ${1:-} in
make | run | emulate | inside) "$@" ;;
*)
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2
    exit 2
    ;;
esac
