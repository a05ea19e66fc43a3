package loader_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// minute is a video of 60 s with a key frame each second. All tests share it.
func minute(t testing.TB) []byte {
	t.Helper()
	need.Command(t, "ffmpeg")
	data, err := minuteOnce()
	require.NoError(t, err)
	return data
}

var minuteOnce = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "spool-minute")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "video.mp4")
	out, err := exec.CommandContext(context.Background(), "ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i",
		"testsrc2=size=480x270:rate=30:duration=60",
		"-c:v", "libx264", "-preset", "ultrafast", "-g", "30", "-sc_threshold", "0", name).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(name)
})

func clips(t *testing.T, src source.Source, o loader.VideoOptions) (pixels []byte, err error) {
	t.Helper()
	o.Spec = video.Spec{Resize: resize.Spec{Width: 64, Height: 64}}
	o.Batch = 2
	l, err := loader.Videos(src, o)
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	for b, err := range l.Batches(t.Context()) {
		if err != nil {
			return nil, err
		}
		pixels = append(pixels, b.Bytes()...)
		b.Release()
	}
	return pixels, nil
}

// Clips of remote files equal those of local files, and read only the ranges that they need.
func TestRemoteClips(t *testing.T) {
	data := minute(t)
	folder := t.TempDir()
	files, names := map[string][]byte{}, []string{}
	for _, name := range short.Some([]string{"/a.mp4", "/b.mp4", "/c.mp4", "/d.mp4", "/e.mp4", "/f.mp4"}, 3) {
		files[name] = data
		names = append(names, filepath.Join(folder, name))
		require.NoError(t, os.WriteFile(names[len(names)-1], data, 0o600))
	}
	for _, o := range []loader.VideoOptions{{}, {Random: true, Stride: 3, Options: loader.Options{Seed: 7}},
		{Options: loader.Options{Fetching: loader.Fetching{Memory: 1000}}}} {
		want, err := clips(t, source.Files(names...), o)
		require.NoError(t, err)
		w := serve(t, files, object.Options{})
		w.latency = 20 * time.Millisecond
		got, err := clips(t, w.listed(t, source.Options{Medium: source.Videos}), o)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want, got))
		s := w.Stats()
		t.Logf("%d files of %d bytes: %d bytes by %d requests, %d at a time", len(names), len(data), s.Bytes, s.Requests,
			w.most.Load())
		assert.LessOrEqual(t, float64(s.Bytes), 0.35*float64(len(names)*len(data)))
	}
}

// Ranges of remote clips are counted once, within Fetching.Memory: a clip's memory is set aside before it is opened. No
// clip waits for another one when the loop ends early.
func TestRemoteClipsMemory(t *testing.T) {
	data := minute(t)
	files := map[string][]byte{}
	for i := range 12 {
		files[fmt.Sprintf("/%d.mp4", i)] = data
	}
	for _, ahead := range []int64{1, 40 << 20} {
		w := serve(t, files, object.Options{HedgeShare: -1})
		o := loader.VideoOptions{Spec: video.Spec{Resize: resize.Spec{Width: 32, Height: 32}}, Frames: 4,
			Options: loader.Options{Batch: 1, Fetching: loader.Fetching{Memory: ahead}}}
		l, err := loader.Videos(w.listed(t, source.Options{Medium: source.Videos}), o)
		require.NoError(t, err)
		batches := 0
		for b, err := range l.Batches(t.Context()) {
			require.NoError(t, err)
			b.Release()
			if batches++; batches == 8 {
				break
			}
		}
		s := l.Files()
		assert.LessOrEqual(t, s.PeakBytes, max(ahead, 16<<20), "a clip takes up to 16 MiB, alone if that is more than Ahead")
		assert.Greater(t, s.PeakBytes, int64(1<<20))
		assert.Empty(t, s.Use)
		require.NoError(t, l.Close())
	}
}

// A file that is replaced after it was opened is a failure with a name, and so is a file on a server without ranges.
func TestRemoteClipsFail(t *testing.T) {
	data := minute(t)
	for what, spoil := range map[string]func(http.ResponseWriter, *http.Request, []byte) bool{
		"overwritten": func(rw http.ResponseWriter, r *http.Request, _ []byte) bool {
			if r.Header.Get("Range") == "" || r.Header.Get("Range")[:8] == "bytes=0-" {
				return false
			}
			rw.WriteHeader(http.StatusPreconditionFailed)
			return true
		},
		"does not support range requests": func(rw http.ResponseWriter, r *http.Request, data []byte) bool {
			if r.Method == http.MethodHead {
				return false
			}
			_, _ = rw.Write(data)
			return true
		},
	} {
		t.Run(what, func(t *testing.T) {
			w := serve(t, map[string][]byte{"/a.mp4": data}, object.Options{RetryTime: time.Second})
			w.spoil = spoil
			var ledger pipe.MemoryLedger
			_, err := clips(t, w.listed(t, source.Options{Medium: source.Videos}),
				loader.VideoOptions{Options: loader.Options{Failures: loader.Failures{Ledger: &ledger}}})
			require.ErrorIs(t, err, spool.ErrEmpty)
			require.Len(t, ledger.Failures(), 1)
			assert.Contains(t, ledger.Failures()[0].Text, what)
			assert.Contains(t, ledger.Failures()[0].File, "a.mp4")
		})
	}
}
