package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spoolmedia/spool/bench"
)

// part is a run over very many samples.
type part struct {
	name    string
	sources []string // patterns of its files; the first that matches any is used
	args    []string // of the command, LIST stands for the list of the files
	samples int
	limit   float64 // MB of the command at its peak; 0 is none
}

// isolated is the end of the names of parts whose media are decoded in helper processes.
const isolated = "-isolated"

// longVideo is the part that is one video of two hours, with 180,000 frames, which the ffmpeg command makes.
const longVideo = "long-video"

// parts are all parts, those that take the least time first.
func parts() []part {
	train := func(medium string, more ...string) []string {
		return append([]string{"run", medium, "@LIST", "--train", "--shuffle", "--workers=2", "--max-failures=100%"}, more...)
	}
	// 180,000 windows of two seconds are 100 hours.
	all := []part{
		{name: "audio", sources: []string{bench.Media + "/audio/*", "testdata/audio/*"}, samples: 180_000, limit: 200,
			args: train("audio", "--duration=2")},
		{name: "damaged", sources: []string{"testdata/hard/*/*"}, samples: 200_000, limit: 200,
			args: train("images", "--size=224")},
		{name: "photos", sources: []string{bench.Media + "/photos/*", "testdata/photos/*/*"}, samples: 1_000_000, limit: 150,
			args: train("images", "--size=224")},
		{name: "mixed", sources: []string{bench.Media + "/mixed/*", "testdata/photos/*/*"}, samples: 100_000, limit: 600,
			args: train("images", "--size=224")},
		{name: "clips", sources: []string{bench.Media + "/video/*", "testdata/video/bframes.mp4"}, samples: 100_000,
			limit: 300, args: train("video", "--size=112", "--frames=16")},
	}
	for i, p := range all {
		all[i].args = append(slices.Clone(p.args), "--isolate=off")
		p.name += isolated
		p.args = append(slices.Clone(p.args), "--isolate=all")
		p.limit = 0 // the resident memory of helpers includes shared libraries, once for each
		all = append(all, p)
	}
	return append(all, part{name: longVideo, args: []string{"bench", "videofull", "--files=LIST"}, samples: 180_000,
		limit: 200})
}

func names() (all []string) {
	for _, p := range parts() {
		all = append(all, p.name)
	}
	return all
}

// epoch is the least samples of an epoch: few files are listed repeatedly.
const epoch = 1000

// files returns the files of a part.
func (p *part) files(ctx context.Context, folder string, share float64) ([]string, error) {
	if p.name == longVideo {
		file := filepath.Join(folder, "long.mp4")
		//nolint:gosec // of our own making
		c := exec.CommandContext(ctx, "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
			fmt.Sprintf("testsrc2=size=320x240:rate=25:duration=%.0f", max(1, share*float64(p.samples)/25)),
			"-c:v", "mpeg4", "-q:v", "20", "-g", "250", file)
		c.Stderr = os.Stderr
		return []string{file}, c.Run()
	}
	for _, pattern := range p.sources {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, errors.New("no files")
}

// list writes the list of an epoch, and returns its number of samples.
func list(path string, files []string) (int, error) {
	file, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	w, n := bufio.NewWriter(file), 0
	for n < epoch {
		for _, f := range files {
			absolute, err := filepath.Abs(f)
			if err != nil {
				return 0, errors.Join(err, file.Close())
			}
			fmt.Fprintln(w, absolute)
			n++
		}
	}
	return n, errors.Join(w.Flush(), file.Close())
}
