package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/cmd/spool/internal/inject"
	"github.com/spoolmedia/spool/internal/short"
)

// changing is a call whose only input changes while it is read.
type changing struct {
	name        string
	file, other string   // media: the input, and what takes its place
	args        []string // the third is the input, FOLDER/in with an extension; FOLDER/out.npy is the output
}

// changings has a call for each reader: our own, FFmpeg's, and those that ask on behalf of a helper.
func changings() []*changing {
	decode := func(what, file, other string, more ...string) *changing {
		args := []string{"decode", what, "FOLDER/in" + filepath.Ext(file), "--out", "FOLDER/out.npy"}
		return &changing{name: strings.Join(append([]string{file}, more...), " "), file: file, other: other,
			args: clitest.With(args, more...)}
	}
	return []*changing{
		decode("image", "photos/animal/00.jpg", "photos/plant/00.jpg", "--size", "32x32"),
		decode("image", "photos/animal/00.jpg", "photos/plant/00.jpg", "--size", "32x32", "--isolate", "all"),
		decode("video", "video/bframes.mp4", "video/turned.mp4", "--size", "32x32"),
		decode("video", "video/bframes.mp4", "video/turned.mp4", "--size", "32x32", "--isolate", "all"),
		decode("audio", "audio/mp3.mp3", "audio/low.mp3"),
		decode("audio", "audio/aac.m4a", "audio/alac.m4a"),
		decode("audio", "audio/stereo.flac", "audio/flac.flac"),
		decode("audio", "audio/s16.wav", "audio/mulaw.wav"),
	}
}

// fileChanges are what happens to a file before one of the calls that concern it.
var fileChanges = []struct {
	name   string
	change func(file, other string) error
}{
	{"cut", func(file, _ string) error {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		return os.Truncate(file, info.Size()/2)
	}},
	{"emptied", func(file, _ string) error { return os.Truncate(file, 0) }},
	{"removed", func(file, _ string) error { return os.Remove(file) }},
	{"replaced", func(file, other string) error { return os.Rename(other, file) }},
}

// TestFilesThatChange has the input of a call change before each of the calls that concern it. The result is that of
// the file as it was at one time, or there is an error. Nothing crashes, and no output is left in parts.
func TestFilesThatChange(t *testing.T) {
	withoutRace(t)
	for i, x := range short.Some(changings(), 3) {
		t.Run(x.name, func(t *testing.T) {
			whole := clitest.Content(t, x.file)
			var results [][]byte
			for _, content := range [][]byte{whole, clitest.Content(t, x.other), whole[:len(whole)/2]} {
				result, e := x.decode(t, x.place(t, content), nil)
				if e.code == cli.ExitDone { // half a sound is a shorter sound
					results = append(results, result)
				}
			}
			require.GreaterOrEqual(t, len(results), 2)
			for j, change := range fileChanges {
				calls := 0
				for n := 1; x.change(t, change.name, change.change, n, results); n++ {
					calls++
					if testing.Short() && n > (i+j)%3 {
						break
					}
				}
				assert.Positive(t, calls)
			}
		})
	}
}

// change has the input change before call n that concerns it, and checks the result. It returns false if there are
// fewer calls.
func (x *changing) change(t *testing.T, name string, change func(file, other string) error, n int,
	results [][]byte) bool {
	t.Helper()
	folder, seen := x.place(t, clitest.Content(t, x.file)), 0
	file, other := filepath.Join(folder, filepath.Base(x.args[2])), filepath.Join(folder, "other")
	require.NoError(t, os.WriteFile(other, clitest.Content(t, x.other), 0o600))
	got, e := x.decode(t, folder, func(c *inject.Call) (o inject.Outcome) {
		if seen < n && c.Path == file {
			if seen++; seen == n {
				assert.NoError(t, change(file, other))
			}
		}
		return o
	})
	if seen < n {
		return false
	}
	context := fmt.Sprintf("%s is %s before call %d\n%s", x.name, name, n, e.stderr)
	switch e.code {
	case cli.ExitDone:
		assert.Contains(t, results, got, context)
	case cli.ExitInput:
		assert.Nil(t, got, context)
		assert.Regexp(t, `^spool: \S+/in\.\w+: (truncated|corrupt|empty|io|not-media|not-found|unsupported): .*\n$`,
			e.stderr, context)
	default:
		assert.Fail(t, fmt.Sprintf("exit code %d", e.code), context)
	}
	return true
}

// place makes a folder with a file as the input.
func (x *changing) place(t *testing.T, content []byte) (folder string) {
	t.Helper()
	folder = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(x.args[2])), content, 0o600))
	return folder
}

// decode runs the call, and returns what it wrote.
func (x *changing) decode(t *testing.T, folder string, decide func(*inject.Call) inject.Outcome) (out []byte, e ended) {
	t.Helper()
	o := &operation{name: x.name, args: x.args}
	e = o.run(t, o.faulty(t, folder), decide)
	out, err := os.ReadFile(filepath.Join(folder, "out.npy"))
	if err != nil {
		assert.ErrorIs(t, err, os.ErrNotExist)
		return nil, e
	}
	return out, e
}
