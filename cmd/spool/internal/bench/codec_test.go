package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/bench/codec"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/settings"
)

func TestBenchCodec(t *testing.T) {
	chart := filepath.Join(t.TempDir(), "chart.svg")
	args := []string{"bench", "codec", "jpeg", "--files", clitest.Photo, "--repeat", "1", "--size", "32"}
	var steps []string
	for i, line := range clitest.Lines(tool.Done(t, append(args, "--json", "--plot", chart)...)) {
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
	assert.Subset(t, steps, []string{"header", "decode", "decode+exact", "decode+pillow", "decode+fast", "decode+tensor",
		"resize-exact", "resize+tensor",
		"bare-entropy", "own-unstuff", "own-entropy", "own-planes", "own-convert", "turbo", "turbo+exact"})

	drawn, err := os.ReadFile(chart)
	require.NoError(t, err)
	for _, step := range []string{"bare-rgb 1.00", "decode+exact", "resize-exact", "turbo"} {
		assert.Contains(t, string(drawn), ">"+step)
	}
	assert.NotContains(t, string(drawn), ">header", "its time is independent of the pixels")

	table := tool.Done(t, append(args, clitest.Photo)...)
	assert.Len(t, clitest.Lines(table), 1+len(steps))
	assert.Regexp(t, `^sequential, small: 2 files\nbare-rgb +[0-9.]+ ns/pixel +1.000 of the floor`, table)
	assert.Regexp(t, `(?m)^decode\+exact +[0-9.]+ ns/pixel +[0-9.]+ of the floor +spool, jpeg`, table)
	assert.Regexp(t, `(?m)^header +[0-9.]+ us/item `, table)
}

// A file that cannot be measured prints a line, and the others are measured.
func TestBenchCodecRefuses(t *testing.T) {
	o := tool.Run("bench", "codec", "jpeg", clitest.Photo, clitest.Empty, clitest.Media+"/hard/good/palette.png",
		"--repeat", "1", "--size", "8")
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.NotEmpty(t, o.Stdout)
	lines := clitest.Lines(o.Stderr)
	require.Len(t, lines, 2)
	assert.Contains(t, lines[0], clitest.Empty+": empty: ")
	assert.Contains(t, lines[1], "unsupported: png where jpeg is measured")
	tool.Refused(t, cli.ExitInput, []string{"spool: " + clitest.Empty + ": empty: zero bytes"}, "bench", "codec", "jpeg",
		clitest.Empty)

	names := codec.MediaCodecs()
	for _, c := range codec.All() {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	tool.Refused(t, cli.ExitUsage, []string{`spool: usage: unknown codec "wma": use ` + settings.AnyOf(names)}, "bench",
		"codec", "wma", "--files", clitest.Photo)
}
