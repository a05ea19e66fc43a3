package loader_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// metered is a source that counts the bytes read from its objects.
type metered struct {
	source.Source
	read *atomic.Int64
}

func (m metered) Open(ctx context.Context, i int) (spool.Object, error) {
	o, err := m.Source.Open(ctx, i)
	return meteredObject{o, m.read}, err
}

type meteredObject struct {
	spool.Object
	read *atomic.Int64
}

func (o meteredObject) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	n, err := o.Object.ReadAt(ctx, p, off)
	o.read.Add(int64(n))
	return n, err
}

// A loader of local files scans a file's packets once, and not at all with a saved index.
func TestIndexOfLocalFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "video.mp4")
	out, err := exec.CommandContext(t.Context(), need.Command(t, "ffmpeg"), "-v", "error", "-nostdin", "-f", "lavfi",
		"-i", "testsrc2=size=480x270:rate=30:duration=30", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "4", "-g", "30",
		"-sc_threshold", "0", name).CombinedOutput()
	require.NoError(t, err, string(out))
	file, err := os.Stat(name)
	require.NoError(t, err)
	require.Greater(t, file.Size(), int64(8<<20), "smaller files are read whole")

	read := func(epochs int) ([]byte, int64) {
		src := metered{source.Files(name), new(atomic.Int64)}
		pixels, err := clips(t, src, loader.VideoOptions{Frames: 2, Options: loader.Options{Epochs: epochs}})
		require.NoError(t, err)
		return pixels, src.read.Load()
	}
	want, scanned := read(1)
	assert.Greater(t, scanned, file.Size())
	_, twice := read(2)
	assert.Less(t, twice-scanned, file.Size()/3, "the second epoch knows the index")

	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer d.Close()
	v, err := d.Videos.Open(t.Context(), spool.File(name), video.OpenOptions{})
	require.NoError(t, err)
	_, err = v.SaveIndex("")
	require.NoError(t, err)
	require.NoError(t, v.Close())

	got, planned := read(1)
	assert.True(t, bytes.Equal(want, got))
	assert.Less(t, planned, file.Size()/3)
}

// Small files are read whole. The decoder gets their identity, so that it scans them once.
func TestSmallFilesHaveAnIdentity(t *testing.T) {
	src := source.Files("../testdata/video/bframes.mp4")
	o, err := src.Open(t.Context(), 0)
	require.NoError(t, err)
	defer o.Close()
	l, err := loader.Videos(src, loader.VideoOptions{Spec: video.Spec{Resize: resize.Spec{Width: 8, Height: 8}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	in, release, err := l.Input(t.Context(), 0)
	require.NoError(t, err)
	defer release()
	assert.IsType(t, spool.Bytes{}, in)
	assert.NotEmpty(t, in.Info().Identity)
	assert.Equal(t, o.Info().Identity, in.Info().Identity)
	assert.Equal(t, o.Info().Size, in.Info().Size)
}
