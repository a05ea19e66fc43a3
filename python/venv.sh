#!/usr/bin/env bash
# Prints the path of a Python interpreter with the packages that tests and linters need. It is that of python/.venv,
# which is created again when these have changed. PYTHON names another interpreter, for tests only: python/.venv-NAME.
set -euo pipefail
cd "$(dirname "$0")"

python=${PYTHON:-python3}
venv=.venv${PYTHON:+-${PYTHON##*/}}
packages=(requirements-test.txt)
if [ -z "${PYTHON:-}" ]; then packages+=(requirements-lint.txt); fi
want=$("$python" --version; sha256sum "${packages[@]}")
current() { [ "$(cat "$venv/complete" 2>/dev/null)" = "$want" ]; }
if ! current; then
    exec 9<"${packages[0]}"
    flock 9 # another process may install it, and have completed it by now
fi
if ! current; then
    echo "python: installing ${packages[*]} into python/$venv" >&2
    if ! "$python" -m venv --clear "$venv" >&2; then
        echo "python: is the package python3-venv installed?" >&2
        exit 1
    fi
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "${packages[@]/#/--requirement=}" >&2
    echo "$want" >"$venv/complete"
fi
echo "$PWD/$venv/bin/python"
