package parity

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

// Both JPEG engines give the same for every file, including errors, and files are counted by their engine.
func TestParityAgainstTurbo(t *testing.T) {
	files := short.Of([]string{clitest.Media + "/photos/animal", clitest.Media + "/hard"},
		[]string{clitest.Photo, clitest.Good + "progressive.jpg", clitest.Good + "exif*.jpg", clitest.Good + "q1*.jpg",
			clitest.Good + "s42*.jpg", clitest.Good + "scans.jpg", clitest.Good + "arithmetic.jpg", clitest.Media + "/hard/bad"})
	args := clitest.With([]string{"parity", "--against", "turbo", "--profile", "pillow,exact", "--strict"}, files...)
	each, all := parityLines(t, tool.Done(t, append(args, "--json")...))
	assert.Zero(t, all.Broken)
	assert.Empty(t, all.Python)
	assert.Contains(t, all.Versions, "libjpeg-turbo")
	engines, sizes := map[string]string{}, map[string]int{}
	for _, c := range each {
		assert.Contains(t, []string{"jpeg", "unknown"}, c.Format)
		assert.Equal(t, c.Figures == nil, len(c.Error) > 0)
		assert.Equal(t, c.Error["turbo"], c.Error["spool"])
		assert.Equal(t, c.Engine == "turbo", c.Reason != "")
		engines[filepath.Base(c.File)] = c.Engine + " " + c.Reason
		sizes[c.Size]++
	}
	assert.Equal(t, sizes["own"], sizes["224x224"])
	assert.Len(t, sizes, 2)
	assert.Equal(t, "own ", engines["00.jpg"])
	assert.Equal(t, "own ", engines["progressive.jpg"])
	assert.Equal(t, "turbo scans", engines["scans.jpg"])
	assert.Equal(t, "turbo overrun", engines["truncated60.jpg"])
	assert.Greater(t, all.JPEG.Own, all.JPEG.Turbo)
	assert.Greater(t, all.JPEG.Left["overrun"], int64(1))
	for _, p := range all.Profiles {
		assert.Equal(t, p.Compared, p.Equals)
		assert.Positive(t, p.RefusedByBoth)
	}
	table := tool.Done(t, args...)
	assert.Contains(t, table, ", own size and to 224x224, bilinear\n")
	assert.Contains(t, table, "promises the bytes, errors and warnings of libjpeg-turbo: kept")
	assert.Regexp(t, `\nof \d+ files \d+ by our engine, \d+ left to libjpeg-turbo: .*frame \d+.*; \d+ are no JPEG\n$`,
		table)
}

func TestParityAgainstTurboAtRandom(t *testing.T) {
	each, all := parityLines(t, tool.Done(t, "parity", clitest.Photo, "--against", "turbo", "--profile", "exact",
		"--random", "20", "--json", "--strict"))
	assert.Len(t, each, 20)
	assert.EqualValues(t, 1, all.JPEG.Own)
	assert.Equal(t, 20, all.Profiles[0].Equals)

	chart := filepath.Join(t.TempDir(), "chart.svg")
	each, _ = parityLines(t, tool.Done(t, "parity", clitest.Photo, "--against", "turbo", "--size", "50x40", "--mode",
		"fit", "--filter", "box", "--json", "--plot", chart))
	assert.Len(t, each, 3)
	assert.Equal(t, "50x40 fit", each[0].Size)
	assert.FileExists(t, chart)

	o := tool.Run("parity", clitest.Good+"rgb.png", "--against", "turbo")
	assert.Equal(t, cli.ExitInput, o.Code, "nothing was compared")
	assert.Contains(t, o.Stdout, "of 0 files 0 by our engine, 0 left to libjpeg-turbo; 1 are no JPEG\n")
	o = tool.Run("parity", clitest.Photo, "--against", "turbo", "--max-pixels", "10")
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Contains(t, o.Stdout, "refused by both: 2")
}

// A warning or an error of one side only breaks the promise, with and without pixels.
func TestParityAgainstTurboBroken(t *testing.T) {
	r := &report{Against: turbo, JPEG: &image.JPEGCounts{Left: map[string]int64{}}}
	one := newComparison("a.jpg", format.JPEG, resize.Spec{})
	one.Error["spool"], one.Error[turbo] = "truncated: a", "truncated: b"
	require.NoError(t, r.add(one, nil))
	one = newComparison("b.jpg", format.JPEG, resize.Spec{})
	one.Error["spool"] = "0 warnings () instead of 1 (odd)"
	require.NoError(t, r.add(one, nil))
	apart := new(difference)
	apart.add([]byte{1, 2, 3}, []byte{1, 2, 4})
	require.NoError(t, r.add(newComparison("c.jpg", format.JPEG, resize.Spec{}), apart))
	r.finish()
	assert.Equal(t, 3, r.Broken)
	var out bytes.Buffer
	require.NoError(t, r.print(&out))
	for _, words := range []string{"BROKEN in 3", "a.jpg: spool: truncated: a", "a.jpg: turbo: truncated: b",
		"b.jpg: spool: 0 warnings () instead of 1 (odd)", "c.jpg: mean 0.3333"} {
		assert.Contains(t, out.String(), words)
	}
}
