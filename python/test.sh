#!/usr/bin/env bash
# Installs the package as a user would, and runs its tests against the installed package. Arguments are pytest's.
set -euo pipefail
cd "$(dirname "$0")"

python=$(./venv.sh)
exec 8<pyproject.toml
flock 8 # until the tests end: another run would install the package under them
rm -rf build # setuptools would install deleted files from it
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall .
cd tests
"$python" -c 'import os, spool, sys; sys.exit(not os.path.dirname(spool.__file__).startswith(sys.prefix))'
exec "$python" -m pytest "$@"
