#!/bin/sh
# Runs the command of the tarball that user.sh unpacked, where no file can be written. tools/sdk/test.sh calls it.
set -eu
if touch "$PWD/written" 2>/dev/null; then
    echo "the file system can be written"
    exit 1
fi
id
command=$(echo run/*/*/bin/spool)
"$command" doctor
"$command" run images sources/testdata/photos --batch 16 --size 224
