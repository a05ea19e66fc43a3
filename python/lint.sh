#!/usr/bin/env bash
# Checks the format, style and types of the package.
set -euo pipefail
cd "$(dirname "$0")"

python=$(./venv.sh)
"$python" -m ruff check .
"$python" -m ruff format --check .
"$python" -m mypy
"$python" -m pyright --pythonpath "$python"
