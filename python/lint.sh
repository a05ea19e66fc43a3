#!/usr/bin/env bash
# Checks the format, style and types of the package.
set -euo pipefail
cd "$(dirname "$0")"

python=$(./venv.sh)
"$python" -m ruff check .
"$python" -m ruff format --check .
"$python" keywords.py --check
# Scripts elsewhere are not formatted, but have no longer lines either. Those of decode/ are being moved.
"$python" -m ruff check --isolated --select E501 --line-length 120 --exclude decode ..
"$python" -m mypy
"$python" -m pyright --pythonpath "$python"
