package main

import (
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/bench/codec"
)

func TestBenchCodec(t *testing.T) {
	chart := filepath.Join(t.TempDir(), "chart.png")
	args := []string{"bench", "codec", "jpeg", "--files", photo, "--repeat", "1", "--size", "32"}
	var steps []string
	for i, line := range linesOf(done(t, append(args, "--json", "--plot", chart)...)) {
		var r codec.Result
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		steps = append(steps, r.Step)
		assert.Equal(t, "jpeg", r.Codec)
		assert.Positive(t, r.FloorRatio)
		if i == 0 {
			assert.Contains(t, r.Engine, "libjpeg-turbo ")
		}
	}
	assert.Equal(t, "bare-rgb", steps[0])
	assert.Subset(t, steps, []string{"header", "decode", "decode+exact", "decode+pillow", "decode+fast", "decode+tensor", "resize-exact", "resize+tensor",
		"bare-entropy", "own-unstuff", "own-entropy", "own-planes", "own-convert", "turbo", "turbo+exact"})

	file, err := os.Open(chart)
	require.NoError(t, err)
	defer file.Close()
	drawn, err := png.Decode(file)
	require.NoError(t, err)
	assert.Greater(t, drawn.Bounds().Dy(), 20*len(steps))

	table := done(t, append(args, photo)...)
	assert.Len(t, linesOf(table), 1+len(steps))
	assert.Regexp(t, `^sequential, small: 2 files\nbare-rgb +[0-9.]+ ns/pixel +1.000 of the floor`, table)
	assert.Regexp(t, `(?m)^decode\+exact +[0-9.]+ ns/pixel +[0-9.]+ of the floor +spool, jpeg`, table)
	assert.Regexp(t, `(?m)^header +[0-9.]+ us/item `, table)
}

// A file that cannot be measured has its line, and the others are measured.
func TestBenchCodecRefuses(t *testing.T) {
	o := command("bench", "codec", "jpeg", photo, empty, media+"/hard/good/palette.png", "--repeat", "1", "--size", "8")
	assert.Equal(t, exitInput, o.code)
	assert.NotEmpty(t, o.stdout)
	lines := linesOf(o.stderr)
	require.Len(t, lines, 2)
	assert.Contains(t, lines[0], empty+": empty: ")
	assert.Contains(t, lines[1], "unsupported: png where jpeg is measured")
	refused(t, exitInput, []string{"spool: " + empty + ": empty: zero bytes"}, "bench", "codec", "jpeg", empty)

	names := codec.MediaCodecs()
	for _, c := range codec.All() {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	refused(t, exitUsage, []string{`spool: usage: no codec "wma"; there is ` + strings.Join(names, ", ")}, "bench", "codec", "wma", "--files", photo)
}
