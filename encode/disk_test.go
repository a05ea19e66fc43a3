package encode_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/internal/need"
)

// smallFiles is set in a process that cannot write more than 4096 bytes to a file, as if the disk were full.
const smallFiles = "SPOOL_SMALL_FILES"

// A full disk gives an error, and no file.
func TestFullDisk(t *testing.T) {
	if os.Getenv(smallFiles) == "" {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$")
		c.Env = append(os.Environ(), smallFiles+"=yes")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	folder := t.TempDir()
	signal.Ignore(syscall.SIGXFSZ)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}))
	noise, d := movingFrames(1, 100, 100, 3)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	still := spool.Desc{Shape: d.Shape[1:], Layout: spool.HWC}
	for _, name := range []string{"a.png", "a.jpg", "a.webp"} {
		require.ErrorIs(t, encode.ImageFile(t.Context(), filepath.Join(folder, name), noise, still, encode.ImageOptions{}),
			spool.ErrIO, name)
	}
	for _, name := range []string{"a.mkv", "a.mp4", "a.mov"} {
		w, err := encode.Create(t.Context(), filepath.Join(folder, name),
			encode.Options{Video: &encode.Video{Width: 100, Height: 100, Codec: "mjpeg"}})
		require.NoError(t, err)
		for n := 0; err == nil && n < 100; n++ {
			err = w.Frames(t.Context(), noise, d)
		}
		if err == nil {
			err = w.Finish(t.Context())
		}
		require.ErrorIs(t, err, spool.ErrIO, name)
		require.ErrorIs(t, w.Finish(t.Context()), spool.ErrClosed)
		require.NoError(t, w.Close())
	}
	for _, file := range []string{"video/mjpeg.mov", "audio/flac.flac"} {
		require.ErrorIs(t, encode.Remux(t.Context(), filepath.Join(folder, "a.mkv"), spool.File("../testdata/"+file),
			encode.RemuxOptions{}), spool.ErrIO)
	}
	requireOnlyFiles(t, folder)
}

// A folder without write permission gives a permission error.
func TestForbiddenFolder(t *testing.T) {
	const folder = "/sys"
	if _, err := os.CreateTemp(folder, ""); !os.IsPermission(err) {
		need.Skip(t, need.System, "a folder like that is not: %v", err)
	}
	pixels, d := movingFrames(1, 8, 8, 3)
	err := encode.ImageFile(t.Context(), folder+"/a.png", pixels, spool.Desc{Shape: d.Shape[1:], Layout: spool.HWC},
		encode.ImageOptions{})
	require.ErrorIs(t, err, spool.ErrPermission)
	_, err = encode.Create(t.Context(), folder+"/a.mp4", encode.Options{Video: &encode.Video{Width: 8, Height: 8}})
	require.ErrorIs(t, err, spool.ErrPermission)
	err = encode.Remux(t.Context(), folder+"/a.mkv", spool.File("../testdata/video/bframes.mp4"), encode.RemuxOptions{})
	require.ErrorIs(t, err, spool.ErrPermission)
	assert.ErrorContains(t, err, folder+"/a.mkv")
}
