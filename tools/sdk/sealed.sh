#!/bin/sh
# Runs what user.sh installed where no file can be written: the command of the tarball, and the wheel with a helper
# process. EMULATED is set under an emulator, where the command cannot start itself.
# tools/sdk/test.sh calls it.
set -eu
if touch "$PWD/written" 2>/dev/null; then
    echo "the file system can be written"
    exit 1
fi
id
command=$(echo run/*/*/bin/spool)
"$command" doctor
"$command" run images sources/testdata/photos --batch 16 --size 224
if [ -z "${EMULATED:-}" ]; then "$command" run images sources/testdata/photos --batch 16 --size 224 --isolate all; fi
run/venv/bin/python -I sources/tools/sdk/isolated.py sources/testdata/photos/animal/00.jpg
