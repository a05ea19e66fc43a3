package loader_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// Loading clips of long local files reads little more than the packets of the clips: the index is made from the
// container's tables, and kept for later epochs. With a saved index it is the same.
func TestIndexOfLocalFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "video.mp4")
	out, err := exec.CommandContext(t.Context(), need.Command(t, "ffmpeg"), "-v", "error", "-nostdin", "-f", "lavfi",
		"-i", "testsrc2=size=640x360:rate=30:duration="+short.Of("30", "18"), "-c:v", "libx264", "-preset", "ultrafast",
		"-qp", "1", "-g", "30", "-sc_threshold", "0", name).CombinedOutput()
	require.NoError(t, err, string(out))
	file, err := os.Stat(name)
	require.NoError(t, err)
	require.Greater(t, file.Size(), int64(8<<20), "smaller files are read whole")

	frames := short.Of(16, 8)
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer d.Close()
	v, err := d.Videos.Open(t.Context(), spool.File(name), video.OpenOptions{})
	require.NoError(t, err)
	defer v.Close()
	planned := int64(0) // bytes of the packets that the clip needs
	for _, run := range v.Index().Plan(index.Even(v.Len(), frames)).Runs {
		for _, p := range v.Index().Packets[run.First : run.Last+1] {
			planned += int64(p.Size)
		}
	}
	require.Less(t, planned, file.Size()/2)

	read := func(epochs int) ([]byte, int64) {
		var read atomic.Int64
		src := watched{source.Files(name), func(n int, _ int64) { read.Add(int64(n)) }}
		pixels, err := clips(t, src, loader.VideoOptions{Frames: frames, Options: loader.Options{Epochs: epochs}})
		require.NoError(t, err)
		return pixels, read.Load()
	}
	want, once := read(1)
	_, twice := read(2)
	t.Logf("%d bytes, the clip's packets %d; the first epoch reads %.3f of these, the second %.3f", file.Size(), planned,
		float64(once)/float64(planned), float64(twice-once)/float64(planned))
	assert.Less(t, once, file.Size()/2, "the first epoch reads the tables")
	assert.LessOrEqual(t, float64(twice-once), 1.1*float64(planned), "the second epoch knows the index")

	// All that the process reads, of many files: their indexes stay in memory. Nothing is mapped.
	copies := make([]string, 20)
	if testing.Short() {
		copies = copies[:4]
	}
	contents, err := os.ReadFile(name)
	require.NoError(t, err)
	for i := range copies {
		copies[i] = filepath.Join(filepath.Dir(name), strconv.Itoa(i)+".mp4")
		require.NoError(t, os.WriteFile(copies[i], contents, 0o600))
	}
	inAll := func(epochs int) int64 {
		before := readByProcess(t)
		o := loader.VideoOptions{Frames: frames, Options: loader.Options{Epochs: epochs}}
		_, err := clips(t, source.Files(copies...), o)
		require.NoError(t, err)
		return readByProcess(t) - before
	}
	once, twice = inAll(1), inAll(2) // a new loader knows no index of another one
	t.Logf("%d files: the second epoch reads %.3f of what their clips need", len(copies),
		float64(twice-once)/float64(planned*int64(len(copies))))
	assert.LessOrEqual(t, float64(twice-once), 1.1*float64(planned)*float64(len(copies)), "the second epoch of many files")

	_, err = v.SaveIndex("")
	require.NoError(t, err)
	got, saved := read(1)
	assert.True(t, bytes.Equal(want, got))
	assert.LessOrEqual(t, float64(saved), 1.1*float64(planned))
}

// readByProcess returns the bytes that the process has read so far, from files and others.
func readByProcess(t *testing.T) (bytes int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	require.NoError(t, err)
	_, err = fmt.Sscanf(string(text), "rchar: %d", &bytes)
	require.NoError(t, err)
	return bytes
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
