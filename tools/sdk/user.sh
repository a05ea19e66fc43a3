#!/bin/sh
# What a user does with the artefacts, in an empty folder: user.sh PYTHON SOURCES WHEEL TARBALL [PYTEST_FLAG...]
#
# SOURCES has the tests and their data. EMULATED is set under an emulator, for isolated.py. tools/sdk/test.sh calls it.
set -eu
python=$1 sources=$2 wheel=$3 tarball=$4
shift 4
"$python" -m venv venv
grep -E '^(numpy|pytest)==' "$sources/python/requirements-test.txt" >requirements.txt
venv/bin/python -m pip install --quiet --disable-pip-version-check "$wheel" \
    --requirement requirements.txt
venv/bin/python -m pip check
venv/bin/python -X importtime -c 'import spool' 2>&1 | tail -n 1
size=$(du -sk venv/lib/python*/site-packages/spool | cut -f 1)
echo "installed: $((size / 1024)) MiB"
[ "$size" -lt 61440 ]
# The README's Python block.
# shellcheck disable=SC2016 # the backticks are Markdown's
sed -n '/^```python$/,/^```$/p' "$sources/README.md" | sed '/^```/d' >readme.py
(cd "$sources" && "$OLDPWD/venv/bin/python" -I "$OLDPWD/readme.py")
venv/bin/python -I -m spool doctor >doctor.txt
# The tarball, where it was unpacked, in a folder with a space.
mkdir 'a folder'
tar -xzf "$tarball" -C 'a folder'
command=$(echo 'a folder'/*/bin/spool)
"$command" doctor >doctor.txt
grep '^does not encode.*h264' doctor.txt
"$command" run images "$sources/testdata/photos" --batch 16 --size 224 --epochs 2
sh "$sources/tools/sdk/digests.sh" "$command" "$sources/testdata" >digests.txt
HOME=$PWD/home sh 'a folder'/*/install.sh
home/.local/bin/spool --version
version=$(home/.local/bin/spool --version | cut -d ' ' -f 2)
[ "$(venv/bin/python -c 'import spool; print(spool.__version__)')" = "$version" ]
# Helper processes, with the library of the wheel and of the tarball.
for library in '' "$PWD/home/.local/lib/libspool.so"; do
    SPOOL_LIBRARY=$library venv/bin/python -I "$sources/tools/sdk/isolated.py" "$sources/testdata/photos/animal/00.jpg"
done
# The tests of the package, against the installed wheel; those of its sources have no sources here.
cd "$sources/python/tests"
"$OLDPWD/venv/bin/python" -m pytest -q -p no:cacheprovider --ignore test_build.py --ignore test_docstrings.py "$@"
