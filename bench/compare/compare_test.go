package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
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
bench) case "$*" in
*fast*) echo '{"peer":"spool","items":64,"rate":50,"ttfb_s":0.1,"cpu_ms":1,"rss_mb":80,"wall_s":0.4}' ;;
*) echo '{"peer":"spool","items":64,"rate":500,"ttfb_s":0.1,"cpu_ms":1,"rss_mb":80,"wall_s":0.4}' ;;
esac ;;
esac`
	pythonScript = `case "$2 $*" in
versions*) echo '{"torchvision":"0.29"}' ;;
batches*) echo '0 0 aa'; echo '0 1 bb' ;;
agree*) echo '{"worst":0.002,"file":"clip.mp4"}' ;;
*cv2-area*) echo 'no module named cv2' >&2; exit 1 ;;
*--peer\ dali*) echo '{"peer":"dali","error":"no GPU"}' ;;
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
		works: "images,train", names: "torchvision,cv2_area,dali", out: t.TempDir(), goBench: gobench, pictures: 1, batch: 32, size: 224, workers: 2, rounds: 2}
	var out bytes.Buffer
	require.NoError(t, s.run(context.Background(), &out))

	all, err := bench.Current(s.out)
	require.NoError(t, err)
	require.Len(t, all, 1)
	r := all[0]
	assert.Equal(t, "0123456789abcdef", r.Commit)
	assert.Equal(t, map[string]string{"Go": "go1", "FFmpeg": "5.1", "torchvision": "0.29"}, r.Versions)
	require.Len(t, r.Works, 2)
	images, train := r.Works[0], r.Works[1]
	assert.Equal(t, "images", images.Work.Name)
	assert.Equal(t, "train", train.Work.Name)
	assert.Positive(t, images.Verified)
	assert.Equal(t, images.Work.Pictures, images.Verified)
	assert.Zero(t, train.Verified, "random pictures cannot be verified")
	assert.InDelta(t, 0.2, images.Work.Megapixels, 0.15)

	var pairs, problems []string
	for _, p := range images.Pairs {
		pairs, problems = append(pairs, p.Own.Peer+"/"+p.Other.Peer), append(problems, p.Other.Error)
	}
	round := []string{"spool/torchvision", "spool_fast/torchvision", "spool/dali", "spool/cv2_area"}
	assert.Equal(t, slices.Concat(round, round), pairs)
	assert.Equal(t, "no GPU", problems[2])
	assert.Contains(t, problems[3], "no module named cv2")
	assert.Equal(t, []bench.Summary{
		{Peer: "spool", Label: "spool, exact", Rate: 500, TTFB: 0.1, CPU: 1, RSS: 80},
		{Peer: "spool_fast", Label: "spool, fast", Rate: 50, TTFB: 0.1, CPU: 1, RSS: 80},
		{Peer: "torchvision", Label: "torchvision, DataLoader", Rate: 100, TTFB: 1.5, CPU: 3, RSS: 1500},
	}, images.Contestants)
	assert.Equal(t, bench.Duel{Own: "spool", Other: "torchvision", Ratio: 5, CPURatio: 3, Goal: 2.9}, images.Duels[0])
	assert.Zero(t, images.Duels[2].Ratio)
	kept, err := os.ReadFile(filepath.Join(s.out, r.Name()+".txt"))
	require.NoError(t, err)
	assert.Equal(t, "pkg: x\n", string(kept))

	printed := out.String()
	assert.Contains(t, printed, "spool / torchvision       5.000  in CPU time 3.000  >= 2.90: held\n")
	assert.Contains(t, printed, "spool / dali              0.000  in CPU time 0.000  >= 5.00: MISSED\n")
	assert.Contains(t, printed, "compare: 4 goals missed\n")
	var order []string
	for line := range bytes.Lines(out.Bytes()) {
		var run bench.Run
		if json.Unmarshal(line, &run) == nil {
			order = append(order, run.Peer)
		}
	}
	assert.Equal(t, []string{"spool", "torchvision", "spool_fast", "torchvision", "spool", "dali", "spool", "cv2_area", "torchvision", "spool"}, order[:10])
}

func TestRunRefusesOtherPixels(t *testing.T) {
	t.Chdir("../..")
	for name, digests := range map[string]string{"other": "echo '0 0 aa'; echo '0 1 cc'", "fewer": "echo '0 0 aa'"} {
		t.Run(name, func(t *testing.T) {
			s := settings{spool: fake(t, "spool", `case "$1" in doctor) echo '{}' ;; run) `+digests+` ;; esac`), python: fake(t, "python", pythonScript),
				reference: "reference.py", works: "images", out: t.TempDir(), rounds: 1}
			err := s.run(context.Background(), new(bytes.Buffer))
			require.ErrorContains(t, err, "batch 1 ")
			_, err = bench.Current(s.out)
			assert.ErrorIs(t, err, os.ErrNotExist, "something was timed")
		})
	}
}

// Video has to be torchcodec's to the last bit, sound nearly.
func TestRunVerifiesMedia(t *testing.T) {
	s := settings{spool: "spool", python: fake(t, "python", pythonScript), reference: "reference.py"}
	set := bench.Set{Files: []string{"a", "b"}}
	n, what, err := s.verify(t.Context(), task{work: work{kind: audio}, set: set})
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	assert.Equal(t, "torchcodec's sound", what)
	_, _, err = s.verify(t.Context(), task{work: work{kind: video}, set: set})
	require.ErrorContains(t, err, "clip.mp4 is 0.002 from torchcodec's, 0 is allowed")
}

func TestDuels(t *testing.T) {
	others := func(s settings, w work) (names []string) {
		chosen, err := s.duelsOf(w)
		require.NoError(t, err)
		for _, d := range chosen {
			names = append(names, d.Other)
		}
		return names
	}
	images := works()[0]
	assert.Equal(t, []string{"floor", "floor", "floor", "spool_1"}, others(settings{}, images), "nothing to run peers with")
	assert.Len(t, others(settings{python: "python"}, images), len(images.duels))
	assert.Equal(t, []string{"pil"}, others(settings{python: "python", names: "pil"}, images))

	_, err := (&settings{names: "nobody"}).duelsOf(images)
	require.ErrorContains(t, err, `"nobody"`)
	_, err = (&settings{names: "pil"}).duelsOf(images)
	require.ErrorContains(t, err, "nobody to compare")
	_, err = (&settings{works: "images,sewing"}).wanted()
	require.ErrorContains(t, err, `"sewing"`)

	known := all()
	for _, w := range works() {
		for _, d := range w.duels {
			assert.Contains(t, known, d.Own, w.name)
			assert.Contains(t, known, d.Other, w.name)
		}
	}
}

func TestFloor(t *testing.T) {
	for name, files := range map[string][]string{
		"jpeg-rgb":    {"../../testdata/photos/animal/00.jpg", "../../testdata/photos/animal/01.jpg"},
		"png-rgb":     {"../../testdata/hard/good/rgb.png"},
		"webp-planes": {"../../testdata/hard/good/lossy.webp"},
		"video":       {"../../testdata/video/bframes.mp4", "../../testdata/video/mjpeg.mov"},
	} {
		var out bytes.Buffer
		require.NoError(t, runFloor(t.Context(), &out, name, files, 3, 2), name)
		var run bench.Run
		require.NoError(t, json.Unmarshal(out.Bytes(), &run))
		if name == "video" {
			assert.Greater(t, run.Items, float64(3*len(files)), "frames are counted")
		} else {
			assert.Equal(t, float64(3*len(files)), run.Items)
		}
		assert.Positive(t, run.Rate)
		assert.Positive(t, run.CPU)
	}
	require.Error(t, runFloor(t.Context(), new(bytes.Buffer), "jpeg-rgb", []string{"../../testdata/hard/bad/text.jpg"}, 1, 1))
	require.Error(t, runFloor(t.Context(), new(bytes.Buffer), "none", nil, 1, 1))
	for _, c := range all() {
		command := c.command(&settings{}, task{})
		if i := slices.Index(command, "-floor"); i > 0 {
			assert.True(t, command[i+1] == video || floors[command[i+1]] != nil, command[i+1])
		}
	}
}
