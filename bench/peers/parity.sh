#!/usr/bin/env bash
# Checks the promises of each profile with torchvision and Pillow: bench/peers/parity.sh PYTHON [FILE...]
#
# The FILEs are compared at their own size. They and random images are compared at random sizes, filters and boxes: 2,250
# cases for each profile without any FILE. Each run has the same cases; SEED=N gives others. SPOOL_COMMAND names another
# command than bin/spool.
set -euo pipefail
cd "$(dirname "$0")/../.."

python=$1
shift
seed=${SEED:-1}
echo "parity: SEED=$seed"
images=$(mktemp -d)
trap 'rm -rf "$images"' EXIT
"$python" bench/peers/random_images.py "$images" --seed "$seed" --count 450

broken=0
hold() {
    echo
    "${SPOOL_COMMAND:-bin/spool}" parity --strict --python "$python" "$@" || broken=1
}

if [ $# -gt 0 ]; then
    hold --against torchvision --profile exact,fast "$@"
    hold --against pillow --profile pillow "$@"
    hold --against torchvision --profile fast --random 6 --seed "$seed" "$@"
fi
# The promise of fast holds for photos, and random images are not photos. So it is measured, but not checked.
hold --against torchvision --profile exact --random 5 --seed "$seed" "$images" "$@"
hold --against pillow --profile pillow --random 5 --seed "$seed" "$images" "$@"
echo
"${SPOOL_COMMAND:-bin/spool}" parity --against torchvision --profile fast --random 5 --seed "$seed" --python "$python" "$images"

exit $broken
