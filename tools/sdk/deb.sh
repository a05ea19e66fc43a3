#!/bin/sh
# What an administrator does with the Debian package, as root in a bare Debian: deb.sh PACKAGE SOURCES
#
# SOURCES has the media and the documentation. tools/sdk/test.sh calls it.
set -eu
package=$1 sources=$2
version=$(dpkg-deb --field "$package" Version)
export DEBIAN_FRONTEND=noninteractive

files() { find / -xdev -path /var/lib/dpkg -prune -o -path /var/log -prune -o -print | sort; }

dpkg-deb --info "$package"
[ "$(dpkg-deb --field "$package" Depends)" = "libc6 (>= 2.28)" ]
before=$(files)
dpkg --install "$package"
[ -z "$(dpkg --verify spool)" ]
runuser -u user -- spool --version | grep -F "spool $version ("
runuser -u user -- spool doctor
runuser -u user -- spool run images "$sources/testdata/photos" --batch 16 --size 224
[ -s /usr/share/bash-completion/completions/spool ]
dpkg --purge spool
[ "$(files)" = "$before" ]
# The library, for a program in C.
apt-get update -qq
apt-get install -y -qq --no-install-recommends gcc libc6-dev man-db pkg-config >/dev/null
dpkg --install "$package"
[ "$(pkg-config --modversion spool)" = "$version" ]
# shellcheck disable=SC2016 # the backticks are Markdown's
sed -n '/^```c$/,/^```$/p' "$sources/docs/capi.md" | sed '/^```/d' >/tmp/batch.c
# shellcheck disable=SC2046 # one word a flag
gcc -Wall -Werror /tmp/batch.c $(pkg-config --cflags --libs spool) -o /tmp/batch
/tmp/batch "$sources/testdata/photos/animal/00.jpg" >/tmp/batch.txt
cat /tmp/batch.txt
# The same in a helper process.
sed 's/{\\"size\\"/{\\"isolate\\": \\"all\\", \\"size\\"/' /tmp/batch.c >/tmp/isolated.c
# shellcheck disable=SC2046 # one word a flag
gcc -Wall -Werror /tmp/isolated.c $(pkg-config --cflags --libs spool) -o /tmp/isolated
grep -q isolate /tmp/isolated
/tmp/isolated "$sources/testdata/photos/animal/00.jpg" | cmp - /tmp/batch.txt
# The manual, in the index of all pages.
mandb --quiet
whatis spool spool-run-images
echo "man pages: $(find /usr/share/man -name 'spool*.1.gz' | wc -l)"
