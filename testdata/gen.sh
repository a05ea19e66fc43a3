#!/usr/bin/env bash
# Makes the media of this folder again: testdata/gen.sh [photos]
#
# Without an argument: video/, audio/, hard/, records/, expected.json and SHA256SUMS, from the committed photos. With `photos`:
# the photos as well, from the packages that README.md lists (Debian 12, about 40 MB are fetched).
# Needs python3 with venv and the package index, cjpeg (libjpeg-turbo-progs) and ffmpeg; PYTHON=... names an
# interpreter that has the pinned packages already. The same versions write the same bytes, so `git status` is clean afterwards.
set -euo pipefail
cd "$(dirname "$0")"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "${PYTHON:-}" ]; then
    python3 -m venv "$work/venv"
    PYTHON=$work/venv/bin/python
    "$PYTHON" -m pip install --quiet --requirement gen/requirements.txt
fi

fetch_originals() {
    (
        cd "$work"
        apt-get download lomiri-wallpapers-16.04=20.04.0-2
        dpkg-deb --extract lomiri-wallpapers-16.04_*.deb debian
        "$PYTHON" -m pip download --quiet --no-deps scikit-image==0.26.0 scikit-learn==1.9.1
        for wheel in scikit_*.whl; do "$PYTHON" -m zipfile --extract "$wheel" wheels; done
        mkdir originals
        cp debian/usr/share/backgrounds/*.jpg wheels/skimage/data/*.png wheels/skimage/data/*.jpg \
            wheels/sklearn/datasets/images/*.jpg originals
    )
}

if [ "${1:-}" = photos ]; then
    fetch_originals
    rm -rf photos
    "$PYTHON" gen/photos.py "$work/originals" photos
fi
rm -rf hard
"$PYTHON" gen/hard.py photos hard
"$PYTHON" gen/variants.py photos hard
rm -rf video
mkdir video
gen/video.sh video
rm -rf audio
mkdir audio
gen/audio.sh audio
rm -rf records
"$PYTHON" gen/records.py photos records
mkdir -p expected
"$PYTHON" gen/expected.py . >expected.json
find photos hard video audio records expected expected.json -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum >SHA256SUMS
