#!/usr/bin/env bash
# Prints the path of a Python interpreter with the packages that the tests need. It is that of python/.venv, which is
# created again when requirements-test.txt has changed. PYTHON names the interpreter to create it with.
set -euo pipefail
cd "$(dirname "$0")"

python=${PYTHON:-python3}
want=$("$python" --version; sha256sum requirements-test.txt)
if [ "$(cat .venv/complete 2>/dev/null)" != "$want" ]; then
    echo "python: installing requirements-test.txt into python/.venv" >&2
    if ! "$python" -m venv --clear .venv >&2; then
        echo "python: is the package python3-venv installed?" >&2
        exit 1
    fi
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements-test.txt >&2
    echo "$want" >.venv/complete
fi
echo "$PWD/.venv/bin/python"
