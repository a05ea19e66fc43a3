#!/usr/bin/env bash
# Makes dist/spool_media-*.whl of the package with its library, and says where it is: docs/adr/0015 says what its tag
# promises.
set -euo pipefail
cd "$(dirname "$0")"

python=$(./venv.sh)
rm -rf build dist
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .
ls "$PWD"/dist/*.whl
