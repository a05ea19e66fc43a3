#!/usr/bin/env bash
# Builds dist/spool_media-*.whl, the package with its library, and prints its path. docs/adr/0015 explains what the tag
# of the wheel promises.
set -euo pipefail
cd "$(dirname "$0")"

python=$(./venv.sh)
rm -rf build dist
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .
ls "$PWD"/dist/*.whl
