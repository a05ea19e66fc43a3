package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/cmd/spool/internal/inject"
	"github.com/spoolmedia/spool/internal/need"
)

// hungry are calls that allocate in C: each decoder and encoder of ours, libraries in this process and in helpers, and
// runs with all that they write.
func hungry(t *testing.T) []*operation {
	t.Helper()
	return append(decodes(t), runs(t)...)
}

// decodes are calls that read a few files.
func decodes(t *testing.T) []*operation {
	t.Helper()
	image := func(name, file string, more ...string) *operation {
		args := []string{"decode", "image", clitest.Good + file, "--size", "64x64"}
		return &operation{name: name, args: clitest.With(args, clitest.With(more, "--out", "FOLDER/out.npy")...),
			check: wholeOutput(t, args...)}
	}
	sound := func(name, file string, more ...string) *operation {
		args := clitest.With([]string{"decode", "audio", clitest.Media + "/audio/" + file}, more...)
		return &operation{name: name, args: clitest.With(args, "--out", "FOLDER/out.npy"), check: wholeOutput(t, args...)}
	}
	helped := []string{"--isolate", "all"}
	return []*operation{
		image("png", "rgb.png"),
		image("interlaced png", "interlaced.png"),
		image("webp", "lossy.webp"),
		image("gif", "anim.gif"),
		image("jpeg", "progressive.jpg"),
		image("jpeg isolated", "progressive.jpg", helped...),
		image("avif isolated", "lossy.avif", helped...),
		image("tiff isolated", "deflate.tiff", helped...),
		image("jp2 isolated", "lossless.jp2", helped...),
		{name: "video isolated", args: []string{"decode", "video", clitest.Clip, "--isolate", "all", "--out",
			"FOLDER/out.npy"}, check: wholeOutput(t, "decode", "video", clitest.Clip)},
		{name: "video", args: []string{"decode", "video", clitest.Clip, "--out", "FOLDER/out.npy"},
			check: wholeOutput(t, "decode", "video", clitest.Clip)},
		{name: "video threads", args: []string{"decode", "video", clitest.Clip, "--threads", "4", "--out", "FOLDER/out.npy"},
			check: wholeOutput(t, "decode", "video", clitest.Clip)},
		{name: "audio", args: []string{"decode", "audio", clitest.Song, "--out", "FOLDER/out.npy"},
			check: wholeOutput(t, "decode", "audio", clitest.Song)},
		{name: "probe", args: []string{"probe", clitest.Photo, clitest.Clip, clitest.Song, clitest.Good + "rgb.png",
			"--json"}},
		sound("flac", "stereo.flac"),
		sound("wav", "s24.wav"),
		sound("resampled", "stereo.flac", "--rate", "8000", "--channels", "1"),
	}
}

// runs are those of operations that load, index or write samples. Each sample of a run has a batch of its own, so that
// one which is delivered can be compared.
func runs(t *testing.T) (all []*operation) {
	t.Helper()
	names := []string{"run images", "run isolated", "run video", "run audio", "shard", "state", "ledger", "disk cache",
		"index", "pack", "packets"}
	for _, o := range operations(t) {
		if !slices.Contains(names, o.name) {
			continue
		}
		if o.args[0] == "run" && o.name != "state" { // which is resumed
			o.args = clitest.With(o.args, "--batch", "1")
		}
		all = append(all, o)
	}
	media := clitest.Media
	return append(all,
		&operation{name: "encode images", before: photoList, args: []string{"pack", "@FOLDER/list", "--out", "FOLDER/shards",
			"--convert", "webp", "--resize-shorter", "32"}, keeps: true, check: packed},
		&operation{name: "encode video", args: []string{"pack", clitest.Clip, "--kind", "video", "--video-codec", "mpeg4",
			"--out", "FOLDER/shards"}, keeps: true, check: packed},
		&operation{name: "encode audio", args: []string{"pack", media + "/audio/stereo.flac", "--kind", "audio",
			"--audio-codec", "flac", "--rate", "8000", "--out", "FOLDER/shards"}, keeps: true, check: packed})
}

// stopped are the last words of code that does not go on without memory: Go's runtime, when it starts a thread, asks
// for its stack or copies a string to C; and GLib. docs/isolation.md says so.
var stopped = []string{"runtime/cgo: out of memory", "runtime/cgo: malloc failed", "runtime: C malloc failed",
	"pthread_create failed",
	"libc.so.6 pthread_attr_setaffinity_np", // in pthread_getattr_np, whose error Go's runtime does not look at
	"GLib-ERROR", "failed to allocate", "std::bad_alloc"}

// stops are how code ends that does not go on without memory. Go's runtime ends with 2 if it gives up before main runs,
// and with a signal if it took its thread's stack from an attribute that pthread_getattr_np could not set.
var stops = []int{cli.ExitInternal, 2, -int(unix.SIGSEGV)}

// TestFaultsOfMemory has allocations in C fail in the command, one in each run, or one and all after it. Nothing
// crashes but code of others, and that only its helper if the call is isolated.
func TestFaultsOfMemory(t *testing.T) {
	withoutRace(t)
	allocator, err := inject.NewAllocator(need.Command(t, "cc"), "internal/inject/testdata/malloc.c", t.TempDir())
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	t.Setenv("SPOOL_HELPER", self) // of calls in this process
	eachOperation(t, "allocations", hungry(t), func(t *testing.T, i int, o *operation, tallies map[string]*faultTally) {
		whole := o.whole(t)
		for j, k := range []struct {
			name               string
			libraries, lasting bool
		}{{"ours", false, false}, {"ours lasting", false, true}, {"libraries", true, false}} {
			if !*faultAll && (i+j)%3 == 2 {
				continue
			}
			tally := &faultTally{}
			tallies[k.name] = tally
			allocator.Fail(0, k.libraries, false)
			require.Equal(t, whole, o.starve(t, allocator, o.folder(t)))
			all := allocator.Made()
			step := 1
			if k.libraries { // thousands, most of them alike
				step = max(1, all/200)
			}
			for n := 1; n <= all; n += step {
				if *faultAll || n == 1+(all-1)/step/2*step {
					allocator.Fail(n, k.libraries, k.lasting)
					o.injectMemory(t, whole, allocator, fmt.Sprintf("%s: allocation %d of %s", o.name, n, k.name), tally)
				}
			}
		}
	})
}

// starve runs the command in a folder, with the allocator.
func (o *operation) starve(t *testing.T, a *inject.Allocator, folder string) ended {
	t.Helper()
	c := o.faulty(t, folder)
	c.Env = append(c.Env, a.Environment()...)
	return o.run(t, c, nil)
}

func (o *operation) injectMemory(t *testing.T, whole ended, a *inject.Allocator, context string, tally *faultTally) {
	t.Helper()
	folder := o.folder(t)
	got := o.starve(t, a, folder)
	failed, where := a.Failed()
	if failed == 0 {
		return
	}
	tally.Injected++
	context = fmt.Sprintf("%s, at %s\n%s", context, where, got.stderr)
	for _, words := range stopped {
		late := got.code == cli.ExitInput && strings.Contains(got.stderr, words) // main has returned meanwhile
		if late || slices.Contains(stops, got.code) && strings.Contains(got.stderr+where, words) {
			tally.Stopped++
			got.code = -int(unix.SIGABRT) // as of any signal, for which there is no time to remove a file
			o.recover(t, whole, folder, got, context)
			return
		}
	}
	o.judge(t, whole, got, folder, context, tally)
	o.recover(t, whole, folder, got, context)
	switch {
	case o.name == "state": // resumed, and so of two samples
	case o.args[0] == "run":
		o.compareBatches(t, whole, got, context)
	case got.code == cli.ExitDone:
		assert.Equal(t, whole.stdout, got.stdout, context)
	}
}

// compareBatches checks that each batch of one sample that was delivered is one of the whole run.
func (o *operation) compareBatches(t *testing.T, whole, got ended, context string) {
	t.Helper()
	digest := func(line string) string { return strings.Fields(line)[2] }
	right := map[string]bool{}
	for _, line := range clitest.Digests(whole.stdout) {
		right[digest(line)] = true
	}
	for _, line := range clitest.Digests(got.stdout) {
		assert.True(t, right[digest(line)], "other bytes in %s\n%s", line, context)
	}
}
