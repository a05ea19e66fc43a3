package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
}

// What the fakes print: a loader twice as fast as the other, which fails to load in one variant.
const (
	spoolScript = `case "$1" in
doctor) echo '{"spool":"0123456789abcdef","go":"go1","versions":{"FFmpeg":"5.1"}}' ;;
run) echo '0 0 aa'; echo '0 1 bb'; echo '{"samples":64}' ;;
bench) echo '{"peer":"spool","items":64,"rate":200,"ttfb_s":0.1,"cpu_ms":1,"rss_mb":80,"wall_s":0.4}' ;;
esac`
	pythonScript = `case "$2 $*" in
versions*) echo '{"torchvision":"0.29"}' ;;
batches*) echo '0 0 aa'; echo '0 1 bb' ;;
*cv2-area*) echo 'no module named cv2' >&2; exit 1 ;;
*dali*) echo '{"peer":"dali","error":"no GPU"}' ;;
*) echo '{"peer":"x","items":64.0,"rate":100,"ttfb_s":1.5,"cpu_ms":3,"rss_mb":1500,"wall_s":0.8}' ;;
esac`
)

// fake makes a command out of a shell script.
func fake(t *testing.T, name, script string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	return path
}

func TestRun(t *testing.T) {
	t.Chdir("../..")
	gobench := filepath.Join(t.TempDir(), "gobench")
	require.NoError(t, os.WriteFile(gobench, []byte("pkg: x\n"), 0o600))
	s := settings{spool: fake(t, "spool", spoolScript), python: fake(t, "python", pythonScript), script: "peers.py", reference: "reference.py",
		names: "torchvision,cv2_area,dali", out: t.TempDir(), goBench: gobench, repeat: 1, batch: 32, size: 224, workers: 2, rounds: 2}
	var out bytes.Buffer
	require.NoError(t, s.run(context.Background(), &out))

	path, r, err := bench.Newest(s.out)
	require.NoError(t, err)
	assert.Equal(t, "0123456789abcdef", r.Commit)
	assert.Equal(t, map[string]string{"Go": "go1", "FFmpeg": "5.1", "torchvision": "0.29"}, r.Versions)
	assert.Positive(t, r.Verified)
	assert.Equal(t, r.Work.Pictures, r.Verified)
	assert.InDelta(t, 0.2, r.Work.Megapixels, 0.15)

	var names, problems []string
	for _, run := range r.Runs {
		names, problems = append(names, run.Peer), append(problems, run.Error)
	}
	assert.Equal(t, []string{"spool", "torchvision", "spool", "dali", "spool", "cv2_area"}, names[:6])
	assert.Equal(t, names[:6], names[6:])
	assert.Equal(t, "no GPU", problems[3])
	assert.Contains(t, problems[5], "no module named cv2")
	assert.Equal(t, []bench.Summary{
		{Peer: "spool", Label: "spool", Rate: 200, TTFB: 0.1, CPU: 1, RSS: 80, RateRatio: 1, CPURatio: 1},
		{Peer: "torchvision", Label: "torchvision, DataLoader", Rate: 100, TTFB: 1.5, CPU: 3, RSS: 1500, RateRatio: 2, CPURatio: 3},
	}, r.Peers)
	kept, err := os.ReadFile(path[:len(path)-len(".json")] + ".txt")
	require.NoError(t, err)
	assert.Equal(t, "pkg: x\n", string(kept))
}

func TestRunRefusesOtherPixels(t *testing.T) {
	t.Chdir("../..")
	for name, digests := range map[string]string{"other": "echo '0 0 aa'; echo '0 1 cc'", "fewer": "echo '0 0 aa'"} {
		t.Run(name, func(t *testing.T) {
			s := settings{spool: fake(t, "spool", `case "$1" in doctor) echo '{}' ;; run) `+digests+` ;; esac`), python: fake(t, "python", pythonScript),
				reference: "reference.py", out: t.TempDir(), rounds: 1}
			err := s.run(context.Background(), new(bytes.Buffer))
			require.ErrorContains(t, err, "batch 1 ")
			_, _, err = bench.Newest(s.out)
			assert.ErrorIs(t, err, os.ErrNotExist, "something was timed")
		})
	}
}

func TestContestants(t *testing.T) {
	names := func(s settings) (names []string) {
		chosen, err := s.contestants()
		require.NoError(t, err)
		for _, c := range chosen {
			names = append(names, c.Name)
		}
		return names
	}
	assert.Equal(t, []string{"spool", "floor"}, names(settings{}), "nothing to run peers with")
	assert.Len(t, names(settings{python: "python"}), len(all()))
	assert.Equal(t, []string{"spool", "pil"}, names(settings{python: "python", names: "pil,spool"}))

	_, err := (&settings{names: "nobody"}).contestants()
	require.ErrorContains(t, err, `"nobody"`)
	_, err = (&settings{names: "pil"}).contestants()
	require.ErrorContains(t, err, "nobody to compare")
}

func TestFloor(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, runFloor(&out, []string{"../../testdata/photos/animal/00.jpg", "../../testdata/photos/animal/01.jpg"}, 3, 2))
	var run bench.Run
	require.NoError(t, json.Unmarshal(out.Bytes(), &run))
	assert.Equal(t, 6.0, run.Items)
	assert.Positive(t, run.Rate)
	assert.Positive(t, run.CPU)
	require.Error(t, runFloor(&out, []string{"../../testdata/hard/bad/text.jpg"}, 1, 1))
}
