package run

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/tally"
)

// digested returns the lines of --digest of a run, and its summary.
func digested(t testing.TB, args ...string) ([]string, tally.Tally) {
	t.Helper()
	out := tool.Done(t, append([]string{"run"}, append(args, "--digest", "--json")...)...)
	lines := clitest.Lines(out)
	return lines[:len(lines)-1], clitest.Summarized(t, out)
}

// Batches are the same for any number of workers, and training draws from the seed.
func TestRunVideo(t *testing.T) {
	folder := clitest.SomeVideos(t)
	args := []string{"video", folder, "--frames", "3", "--size", "16", "--batch", "2"}
	want, s := digested(t, append(args, "--workers", "1")...)
	require.Len(t, want, 3)
	assert.Equal(t, []int{5, 3, 1}, []int{s.Samples, s.Batches, s.Epochs})
	got, _ := digested(t, append(args, "--workers", "8")...)
	assert.Equal(t, want, got)
	random, _ := digested(t, append(args, "--train", "--stride", "2", "--epochs", "2", "--shuffle")...)
	again, _ := digested(t, append(args, "--train", "--stride", "2", "--epochs", "2", "--shuffle", "--workers", "5")...)
	assert.Equal(t, random, again)
	other, _ := digested(t, append(args, "--train", "--stride", "2", "--epochs", "2", "--shuffle", "--seed", "1")...)
	assert.NotEqual(t, random, other)
}

// Indexes that spool index puts beside the files are no skipped files.
func TestRunVideoNamesNoIndexes(t *testing.T) {
	folder := clitest.Link(t, map[string]string{"a.mp4": "video/bframes.mp4", "b.mp4": "video/vfr.mp4"})
	tool.Done(t, "index", filepath.Join(folder, "a.mp4"), filepath.Join(folder, "b.mp4"))
	indexes, err := filepath.Glob(filepath.Join(folder, "*.spoolidx"))
	require.NoError(t, err)
	require.Len(t, indexes, 2)
	o := tool.Run("run", "video", folder, "--frames", "2", "--size", "8", "--json")
	require.Zero(t, o.Code, o.Stderr)
	assert.Empty(t, o.Stderr)
	assert.Equal(t, 2, clitest.Summarized(t, o.Stdout).Samples)
}

// A bad file is one line with the words of decode, and a line of the ledger if there is one.
func TestRunVideoSkipsBadFiles(t *testing.T) {
	folder := clitest.SomeVideos(t)
	ledger := filepath.Join(t.TempDir(), "ledger")
	args := []string{"run", "video", folder, clitest.Text, "nowhere.mp4", "--frames", "2", "--size", "8", "--json"}
	o := tool.Run(args...)
	require.Equal(t, cli.ExitInput, o.Code, "a name that is not there ends the listing")
	args[4] = clitest.Empty
	o = tool.Run(args...)
	require.Zero(t, o.Code, o.Stderr)
	assert.Len(t, clitest.Lines(o.Stderr), 2)
	assert.EqualValues(t, 2, clitest.Summarized(t, o.Stdout).Failed)
	tool.Done(t, append(args, "--ledger", ledger)...)
	data, err := os.ReadFile(ledger)
	require.NoError(t, err)
	assert.Equal(t, 2, bytes.Count(data, []byte("\n")))
	assert.Contains(t, string(data), `"class":"not-media"`)
	o = tool.Run(append(args, "--on-error", "fail")...)
	assert.Equal(t, cli.ExitInput, o.Code)
	tool.Refused(t, cli.ExitInput, []string{"spool: " + clitest.Empty + ": empty: zero bytes"}, "run", "video",
		clitest.Empty)
}

// The sheet has one clip per row.
func TestRunVideoSheet(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sheet.png")
	tool.Done(t, "run", "video", clitest.SomeVideos(t), "--frames", "4", "--size", "64x48", "--batch", "3", "--save-first",
		name, "--json")
	sheet := readPNG(t, name)
	assert.Equal(t, 4+4*(64+4), sheet.Bounds().Dx())
	assert.Equal(t, 4+3*(48+14+4), sheet.Bounds().Dy())
}

// Each crop of a clip is a row of the sheet, and all are in a video.
func TestRunVideoCrops(t *testing.T) {
	args := []string{"run", "video", clitest.SomeVideos(t), "--frames", "4", "--size", "80x60", "--crop", "64x48",
		"--crops", "five", "--batch", "3", "--limit", "3"}
	name := filepath.Join(t.TempDir(), "sheet.png")
	tool.Done(t, append(args, "--save-first", name)...)
	sheet := readPNG(t, name)
	assert.Equal(t, 4+4*(64+4), sheet.Bounds().Dx())
	assert.Equal(t, 4+3*5*(48+14+4), sheet.Bounds().Dy())
	reel := filepath.Join(t.TempDir(), "first.mp4")
	tool.Done(t, append(args, "--save-first", reel)...)
	assert.Equal(t, []int{3 * 5 * 4, 48, 64, 3}, tool.Decoded(t, "video", reel).Shape)
}

// If the file is a video, it contains all frames of the clips of the first batch.
func TestRunVideoReel(t *testing.T) {
	name := filepath.Join(t.TempDir(), "first.mp4")
	tool.Done(t, "run", "video", clitest.SomeVideos(t), "--frames", "4", "--size", "64x48", "--batch", "3", "--save-first",
		name, "--json")
	reel := tool.Decoded(t, "video", name)
	assert.Equal(t, []int{12, 48, 64, 3}, reel.Shape)
	assert.InDelta(t, 1.0/8, tool.TimesOf(t, name).Duration[0], 1e-9)
	tool.Refused(t, cli.ExitUsage,
		[]string{"spool: usage: --save-first a.mp4: images are saved as a contact sheet: use a name like sheet.png"}, "run",
		"images", clitest.Photo, "--save-first", "a.mp4")
	tool.Refused(t, cli.ExitInput, []string{"spool: " + clitest.Empty + ": empty: zero bytes"}, "run", "video",
		clitest.Empty, "--save-first", name+".mkv")
	assert.NoFileExists(t, name+".mkv")
}

func TestRunAudio(t *testing.T) {
	folder := clitest.SomeAudio(t)
	fixed := []string{"audio", folder, "--duration", "0.5", "--rate", "8000", "--batch", "4"}
	want, s := digested(t, append(fixed, "--workers", "1")...)
	require.Len(t, want, 2)
	assert.Equal(t, 6, s.Samples)
	got, _ := digested(t, append(fixed, "--workers", "8")...)
	assert.Equal(t, want, got)
	random, _ := digested(t, append(fixed, "--train", "--duration", "0.05")...)
	other, _ := digested(t, append(fixed, "--train", "--duration", "0.05", "--seed", "1")...)
	assert.NotEqual(t, random, other)

	whole := []string{"audio", folder, "--rate", "8000"}
	want, s = digested(t, append(whole, "--workers", "1")...)
	require.Len(t, want, 6, "each file is a batch")
	assert.Equal(t, 6, s.Batches)
	got, _ = digested(t, append(whole, "--workers", "8")...)
	assert.Equal(t, want, got, "in the order of the files")

	o := tool.Run(append([]string{"run"}, append(fixed, clitest.Text, "--on-error", "placeholder", "--json")...)...)
	require.Zero(t, o.Code, o.Stderr)
	assert.Equal(t, 7, clitest.Summarized(t, o.Stdout).Samples)
}
