package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// The output of the simulated commands. One loader is five times as fast as the other, which fails in two variants.
const (
	spoolScript = `case "$1" in
doctor) echo '{"spool":"0123456789abcdef","go":"go1","versions":{"FFmpeg":"5.1"}}' ;;
run) echo '0 0 aa'; echo '0 1 bb'; echo '{"samples":64}' ;;
bench) case "$*" in
*fast*) echo '{"peer":"spool","items":64,"rate":50,"ttfb_s":0.1,"cpu_ms":1,"rss_mb":80,"wall_s":0.4}' ;;
*) echo '{"peer":"spool","items":64,"rate":500,"ttfb_s":0.1,"cpu_ms":1,"read_kb":30.5,"out_kb":147,"faults":1.5,
"rss_mb":80,"wall_s":0.4}' ;;
esac ;;
esac`
	pythonScript = `case "$1 $2 $*" in
*versions*) echo '{"torchvision":"0.29"}' ;;
verify.py*) echo '{"what":"exact","files":3,"worst":0,"bound":0,"file":"a.jpg"}' ;;
reference.py*) echo '0 0 aa'; echo '0 1 bb' ;;
*cv2_area*) echo 'no module named cv2' >&2; exit 1 ;;
*--peer\ dali*) echo '{"peer":"dali","error":"no GPU"}' ;;
*) echo '{"peer":"x","items":64.0,"rate":100,"ttfb_s":1.5,"cpu_ms":3,"rss_mb":1500,"wall_s":0.8}' ;;
esac`
)

// fake makes a command of a shell script.
func fake(t *testing.T, name, script string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	return path
}

func TestRun(t *testing.T) {
	t.Chdir("../..")
	gobench := filepath.Join(t.TempDir(), "gobench")
	require.NoError(t, os.WriteFile(gobench, []byte("pkg: x\n"), 0o600))
	media := generated(t)
	s := settings{spool: fake(t, "spool", spoolScript), python: fake(t, "python", pythonScript), script: "peers.py",
		reference: "reference.py", verifier: "verify.py",
		works: "images,train", names: "torchvision,cv2_area,dali", out: t.TempDir(), goBench: gobench, media: media,
		goals: "bench/goals.json", batch: 32, size: 224, workers: 2, rounds: 2}
	var out bytes.Buffer
	require.NoError(t, s.run(context.Background(), &out))

	all, err := bench.ReadAll(s.out)
	require.NoError(t, err)
	require.Len(t, all, 1)
	r := all[0]
	assert.Equal(t, "0123456789abcdef", r.Commit)
	assert.Equal(t, map[string]string{"Go": "go1", "FFmpeg": "5.1", "torchvision": "0.29"}, r.Versions)
	require.Len(t, r.Works, 2)
	images, train := r.Works[0], r.Works[1]
	assert.Equal(t, "images", images.Work.Name)
	assert.Equal(t, "train", train.Work.Name)
	assert.Equal(t, 2, images.Verified)
	assert.True(t, images.Partial, "a selection of contestants is not published")
	assert.Equal(t, []bench.Check{{What: "exact", Files: 3, File: "a.jpg"}, {What: "batches of the command, " +
		"torchvision's bytes", Files: 2, File: filepath.Join(media, "photos/00.jpg")}}, images.Checks)
	assert.Equal(t, "generated photos/*.jpg", images.Work.Set)

	var pairs, problems []string
	for _, p := range images.Pairs {
		pairs, problems = append(pairs, p.Own.Peer+"/"+p.Other.Peer), append(problems, p.Other.Error)
	}
	forwards := []string{"spool_nchw/torchvision", "spool_loader/torchvision", "spool_loader/dali", "spool/dali",
		"spool/cv2_area", "spool_loader/cv2_area", "spool_dataloader/torchvision", "spool_threads/torchvision",
		"spool_transform/torchvision"}
	require.Len(t, pairs, 2*len(forwards))
	assert.ElementsMatch(t, forwards, pairs[:len(forwards)])
	slices.Reverse(pairs[len(forwards):])
	assert.Equal(t, pairs[:len(forwards)], pairs[len(forwards):])
	for i, p := range images.Pairs {
		switch p.Other.Peer {
		case "dali":
			assert.Equal(t, "no GPU", problems[i])
		case "cv2_area":
			assert.Contains(t, problems[i], "no module named cv2")
		default:
			assert.Empty(t, problems[i])
		}
	}
	assert.Equal(t, bench.Summary{Peer: "spool_nchw", Label: "spool, exact, NCHW", Rate: 500, TTFB: 0.1, CPU: 1, RSS: 80,
		Moved: bench.Moved{Read: 30.5, Out: 147, Faults: 1.5}},
		images.Contestants[0])
	assert.Contains(t, images.Contestants,
		bench.Summary{Peer: "torchvision", Label: "torchvision, DataLoader", Rate: 100, TTFB: 1.5, CPU: 3, RSS: 1500})
	assert.Equal(t, bench.Duel{Own: "spool_nchw", Other: "torchvision", Ratio: 5, CPURatio: 3, Low: 5, High: 5, Goal: 3},
		images.Duels[0])
	assert.Zero(t, images.Duels[1].Ratio)
	kept, err := os.ReadFile(filepath.Join(s.out, r.Name()+".txt"))
	require.NoError(t, err)
	assert.Equal(t, "pkg: x\n", string(kept))

	printed := out.String()
	assert.Regexp(t, `spool_nchw / torchvision +5\.000 +\(5\.000 to 5\.000\) +in CPU time 3\.000 +>= 3\.00: held\n`,
		printed)
	assert.Regexp(t, `spool / dali +0\.000 .*>= 5\.00: MISSED\n`, printed)
	assert.Contains(t, printed, "compare: 12 goals missed: images spool/dali, images spool/cv2_area, images "+
		"spool_loader/torchvision, ")
	assert.Contains(t, printed, ", train spool/dali, train spool_loader/torchvision, train spool_loader/dali, train "+
		"spool_dataloader/torchvision\n")
	assert.Contains(t, printed, "compare: commit 0123456789abcdef with the wheel's libraries, "+
		"$0.05 for an hour of a core\n")
	assert.Regexp(t, `spool, exact +500 +1\.000 +72\.0 +30\.5 +147\.0 +1\.50 `, printed)
	var order []string
	for line := range bytes.Lines(out.Bytes()) {
		var run bench.Run
		if json.Unmarshal(line, &run) == nil {
			order = append(order, run.Peer)
		}
	}
	duels, err := s.duelsOf(works()[0])
	require.NoError(t, err)
	n := len(slices.Concat(trails(duels)...))
	assert.Less(t, n, 2*len(forwards), "a run between two others counts for both")
	second := order[n : 2*n]
	slices.Reverse(second)
	assert.Equal(t, order[:n], second, "the other does not begin in the second round")
}

// generated returns a folder of media like the generator's.
func generated(t *testing.T) string {
	folder := filepath.Join(t.TempDir(), "photos")
	require.NoError(t, os.Mkdir(folder, 0o700))
	for _, name := range []string{"00.jpg", "01.jpg"} {
		photo, err := filepath.Abs(filepath.Join("testdata/photos/animal", name))
		require.NoError(t, err)
		require.NoError(t, os.Symlink(photo, filepath.Join(folder, name)))
	}
	return filepath.Dir(folder)
}

// A second call measures what an interrupted one has left. Works that were measured with other settings are left, too.
func TestRunGoesOn(t *testing.T) {
	t.Chdir("../..")
	s := settings{spool: fake(t, "spool", spoolScript), python: fake(t, "python", pythonScript), script: "peers.py",
		reference: "reference.py", verifier: "verify.py", out: t.TempDir(), media: generated(t), goals: "bench/goals.json",
		seconds: 1, batch: 32, size: 224, workers: 2}
	require.NoError(t, os.Mkdir(filepath.Join(s.media, "audio"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(s.media, "audio/a.mp3"), nil, 0o600))
	call := 0
	run := func(works string, rounds int) (measured []string) {
		t.Helper()
		s.works, s.rounds = works, rounds
		require.NoError(t, s.run(t.Context(), new(bytes.Buffer)))
		files, err := filepath.Glob(filepath.Join(s.out, "*-*.json"))
		require.NoError(t, err)
		for _, file := range files {
			r, err := bench.Read(file)
			require.NoError(t, err)
			for _, c := range r.Works {
				measured = append(measured, c.Work.Name)
			}
			call++ // results of the same minute have the same name
			require.NoError(t, os.Rename(file, filepath.Join(s.out, fmt.Sprintf("call%d.json", call))))
		}
		return measured
	}
	assert.Equal(t, []string{"train"}, run("train", 1))
	assert.Equal(t, []string{"mp3"}, run("train,mp3", 1))
	assert.Empty(t, run("train,mp3", 1))
	assert.Equal(t, []string{"train"}, run("train", 2))
	s.names = "torchvision"
	assert.Equal(t, []string{"train"}, run("train", 2), "some contestants only")
}

// Nothing is timed if an output is not as expected.
func TestRunRefusesOtherPixels(t *testing.T) {
	t.Chdir("../..")
	media := generated(t)
	for name, c := range map[string]struct{ script, problem string }{
		"apart": {`echo '{"what":"exact","files":3,"worst":0.002,"bound":0,"file":"clip.mp4"}'`,
			"exact: clip.mp4 differs by 0.002, 0 is allowed"},
		"fails":  {`echo 'no torch' >&2; exit 1`, "no torch"},
		"prints": {`echo nonsense`, `printed "nonsense`},
		"command": {`[ "$1" = verify.py ] || echo '0 0 aa
0 1 cc'`, "the batches of the command are not torchvision's"},
		"nothing": {`true`, "the batches of the command are not torchvision's"},
	} {
		t.Run(name, func(t *testing.T) {
			s := settings{spool: fake(t, "spool", spoolScript),
				python:    fake(t, "python", `case "$1 $2" in *versions) echo '{}' ;; *) `+c.script+` ;; esac`),
				reference: "reference.py", verifier: "verify.py", works: "images", out: t.TempDir(), media: media,
				goals: "bench/goals.json", rounds: 1}
			err := s.run(context.Background(), new(bytes.Buffer))
			require.ErrorContains(t, err, c.problem)
			_, err = bench.ReadAll(s.out)
			assert.ErrorIs(t, err, os.ErrNotExist, "runs were timed")
		})
	}
}

func TestFiles(t *testing.T) {
	t.Chdir("../..")
	s := settings{media: generated(t)}
	set, err := s.files(works()[0])
	require.NoError(t, err)
	assert.Len(t, set.Files, 2)
	_, err = s.files(work{pattern: "large/*.jpg"})
	require.ErrorContains(t, err, "make bench-media")
}

// Each goal is that of a pair that is compared.
func TestGoals(t *testing.T) {
	goals, err := bench.ReadGoals("../goals.json")
	require.NoError(t, err)
	for _, w := range works() {
		for _, d := range w.duels {
			delete(goals[w.name], d.Own+"/"+d.Other)
		}
		assert.Empty(t, goals[w.name], w.name)
		delete(goals, w.name)
	}
	assert.Empty(t, goals)
}

// Each pair with another loader has a goal, which is at least 1.3; Python's loaders are within 3 % of the command.
func TestEachPeerHasAGoal(t *testing.T) {
	goals, err := bench.ReadGoals("../goals.json")
	require.NoError(t, err)
	for _, w := range works() {
		for _, d := range w.duels {
			goal, pair := goals.Of(w.name, d), w.name+" "+d.Own+"/"+d.Other
			switch {
			case d.Other == bench.Spool:
				assert.GreaterOrEqual(t, goal, 0.97, pair)
			case !strings.HasPrefix(d.Other, bench.Spool) && !strings.HasPrefix(d.Other, "floor"):
				assert.GreaterOrEqual(t, goal, 1.3, pair)
			}
		}
	}
}

// Peers are at their best: torchvision's tensors are NCHW, and the command that is paired with it writes NCHW too.
func TestTorchvisionIsPairedWithNCHW(t *testing.T) {
	known, pairs := all(), 0
	for _, w := range works() {
		for _, d := range w.duels {
			if d.Other == "torchvision" && !known[d.Own].peer {
				assert.Equal(t, "spool_nchw", d.Own, w.name)
				pairs++
			}
		}
	}
	assert.Equal(t, 5, pairs, "one for each kind of images")
	nchw := known["spool_nchw"].command(&settings{}, task{})
	assert.Equal(t, []string{"--layout", "nchw"}, nchw[len(nchw)-2:])
	assert.Subset(t, nchw, []string{"--profile", "exact"})
}

// Each work is published, and Python's loader is paired with each loader that may be the fastest.
func TestWorksArePublished(t *testing.T) {
	r := &bench.Result{Commit: "a"}
	for _, w := range works() {
		r.Works = append(r.Works, bench.Comparison{Work: bench.Work{Name: w.name}, Pairs: make([]bench.Pair, 1)})
	}
	files, _ := bench.Publish([]*bench.Result{r})
	require.Len(t, files, 1)
	assert.Empty(t, files[0].Missing)
	assert.Len(t, files[0].Rows, len(works()))

	beside := map[string]bool{}
	for _, d := range works()[0].duels {
		if d.Own == "spool_loader" {
			beside[d.Other] = true
		}
	}
	for _, other := range []string{"torchvision", "spdl", "dali", "cv2", "cv2_area"} {
		assert.True(t, beside[other], other)
	}
	assert.True(t, (&settings{}).partial())
	assert.True(t, (&settings{python: "python", names: "pil"}).partial())
	assert.False(t, (&settings{python: "python"}).partial())
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
	assert.Equal(t, []string{"floor", "floor", "floor", "spool_1"}, others(settings{}, images),
		"peers cannot run without Python")
	assert.Len(t, others(settings{python: "python"}, images), len(images.duels))
	assert.Equal(t, []string{"pil"}, others(settings{python: "python", names: "pil"}, images))

	_, err := (&settings{names: "nobody"}).duelsOf(images)
	require.ErrorContains(t, err, `"nobody"`)
	_, err = (&settings{names: "pil"}).duelsOf(images)
	require.ErrorContains(t, err, "no contestant to compare")
	_, err = (&settings{works: "images,sewing"}).selected()
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
			assert.Greater(t, run.Items, float64(3*len(files)), "frames are not counted")
		} else {
			assert.Equal(t, float64(3*len(files)), run.Items)
		}
		assert.Positive(t, run.Rate)
		assert.Positive(t, run.CPU)
	}
	require.Error(t, runFloor(t.Context(), new(bytes.Buffer), "jpeg-rgb", []string{"../../testdata/hard/bad/text.jpg"}, 1,
		1))
	require.Error(t, runFloor(t.Context(), new(bytes.Buffer), "none", nil, 1, 1))
	for _, c := range all() {
		command := c.command(&settings{}, task{})
		if i := slices.Index(command, "-floor"); i > 0 {
			assert.True(t, command[i+1] == video || floors[command[i+1]] != nil, command[i+1])
		}
	}
}

// A run sets the length of the next ones, whatever its rate is.
func TestLengthOfRuns(t *testing.T) {
	for _, test := range []struct {
		first  bench.Run
		longer float64
	}{
		{bench.Run{Items: 50, Rate: 100, Wall: 1}, 10}, // half of the time went into the start
		{bench.Run{Items: 66, Rate: 1e6, Wall: 0.5}, 100},
		{bench.Run{Items: 0, Rate: 0, Wall: 1}, 1},
	} {
		assert.InDelta(t, test.longer, longer(test.first, 5), 1e-9, "%+v", test.first)
	}
}
