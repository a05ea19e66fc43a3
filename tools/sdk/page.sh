#!/bin/sh
# Does what docs/install.md says, as a user who may call sudo, in a bare Debian: page.sh SOURCES
#
# SOURCES has the page, dist and the media. tools/sdk/test.sh calls it.
set -eu
sources=$1 page=$1/docs/install.md
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends gcc libc6-dev man-db pkg-config sudo >/dev/null
echo 'user ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/user
home=/home/user/page
mkdir "$home"
cp -r "$sources/dist" "$home/"
sh "$sources/tools/sdk/block.sh" "$sources/docs/capi.md" c '# The C interface' >"$home/batch.c"
{
    for heading in '## Python' '## The command' '## Debian and Ubuntu' '## C'; do
        sh "$sources/tools/sdk/block.sh" "$page" console "$heading"
        case $heading in
        *command) echo 'spool doctor; /usr/local/bin/spool --version; man spool-run-images >manual' ;;
        *C) echo "./batch '$sources/testdata/photos/animal/00.jpg'" ;;
        esac
    done
} >"$home/commands"
chown -R user:user "$home"
cd "$home"
PATH=/home/user/.local/bin:$PATH runuser -u user -- env HOME=/home/user bash -exo pipefail commands
