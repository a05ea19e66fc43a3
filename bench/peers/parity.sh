#!/usr/bin/env bash
# Holds each profile to what it promises of the real torchvision and Pillow: bench/peers/parity.sh PYTHON [FILE...]
#
# The FILEs at their own size, and they and random pictures at random sizes, filters and boxes: 2,250 cases a
# profile without any FILE. The same cases in each run; SEED=N tries others.
set -euo pipefail
cd "$(dirname "$0")/../.."

python=$1
shift
seed=${SEED:-1}
echo "parity: SEED=$seed"
pictures=$(mktemp -d)
trap 'rm -rf "$pictures"' EXIT
"$python" bench/peers/pictures.py "$pictures" --seed "$seed" --count 450

broken=0
hold() {
    echo
    bin/spool parity --strict --python "$python" "$@" || broken=1
}

if [ $# -gt 0 ]; then
    hold --against torchvision --profile exact,fast "$@"
    hold --against pillow --profile pillow "$@"
    hold --against torchvision --profile fast --random 6 --seed "$seed" "$@"
fi
# fast promises something of photos only, and the random pictures are none: it is measured, but not held.
hold --against torchvision --profile exact --random 5 --seed "$seed" "$pictures" "$@"
hold --against pillow --profile pillow --random 5 --seed "$seed" "$pictures" "$@"
echo
bin/spool parity --against torchvision --profile fast --random 5 --seed "$seed" --python "$python" "$pictures"

exit $broken
