package av_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/seed"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse},
		leaktest.Count{Name: "handles", Now: av.Handles}, leaktest.Count{Name: "handles forgotten", Now: av.Forgotten})
}

// probe calls av.Probe within a new call.
func probe(ctx context.Context, path string) (av.Media, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return av.Media{}, err
	}
	defer c.Leave()
	return av.Probe(c, path)
}

func ms(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

func TestProbe(t *testing.T) {
	const mp4 = "mov,mp4,m4a,3gp,3g2,mj2"
	h264 := av.Stream{Kind: av.Video, Codec: "h264", Bits: 8, Duration: ms(800), Frames: 8, Best: true,
		Width: 64, Height: 48, PixelFormat: "yuv420p", FrameRate: av.Ratio{Num: 10, Den: 1}}
	with := func(s av.Stream, change func(*av.Stream)) av.Stream {
		change(&s)
		return s
	}
	mp3 := av.Stream{Kind: av.Audio, Codec: "mp3", Start: 69062500, Duration: ms(324), Best: true, Channels: 2,
		Layout: "stereo", Rate: 16000}
	for name, want := range map[string]av.Media{
		"av.mp4": {Format: mp4, Duration: ms(800), Streams: []av.Stream{h264, {
			Index: 1, Kind: av.Audio, Codec: "aac", Duration: ms(250), Frames: 5, Best: true, Channels: 1, Layout: "mono",
			Rate: 16000,
		}}},
		"turned.mp4": {Format: mp4, Duration: ms(800),
			Streams: []av.Stream{with(h264, func(s *av.Stream) { s.Rotation = 90 })}},
		"deep.ts": {Format: "mpegts", Start: ms(1600), Duration: ms(800), Streams: []av.Stream{with(h264, func(s *av.Stream) {
			s.Bits, s.PixelFormat, s.Start, s.Frames = 10, "yuv420p10le", ms(1600), 0
		})}},
		"clip.webm": {Format: "matroska,webm", Duration: ms(800), Streams: []av.Stream{with(h264, func(s *av.Stream) {
			s.Codec, s.Duration, s.Frames = "vp9", 0, 0
		})}},
		"raw.h264": {Format: "h264", Streams: []av.Stream{with(h264, func(s *av.Stream) {
			s.Duration, s.Frames = 0, 0
			if later {
				s.FrameRate = av.Ratio{Num: 25, Den: 1} // FFmpeg's default for a stream without times
			}
		})}},
		"mono.wav": {Format: "wav", Duration: ms(250), Streams: []av.Stream{{
			Kind: av.Audio, Codec: "pcm_s16le", Bits: 16, Duration: ms(250), Best: true, Channels: 1, Rate: 16000,
		}}},
		"six.flac": {Format: "flac", Duration: ms(100), Streams: []av.Stream{{
			Kind: av.Audio, Codec: "flac", Bits: 16, Duration: ms(100), Best: true, Channels: 6, Layout: "5.1", Rate: 16000,
		}}},
		"mono.opus": {Format: "ogg", Duration: ms(256.5), Streams: []av.Stream{{
			Kind: av.Audio, Codec: "opus", Duration: ms(256.5), Best: true, Channels: 1, Layout: "mono", Rate: 48000,
		}}},
		"stereo.mp3": {Format: "mp3", Start: ms(69.063), Duration: ms(324), Streams: []av.Stream{mp3}},
		"cover.mp3": {Format: "mp3", Start: ms(69.063), Duration: ms(324), Streams: []av.Stream{mp3, {
			Index: 1, Kind: av.Other, Codec: "png", Bits: 8, Start: 69066667, Duration: ms(324),
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := probe(t.Context(), filepath.Join("testdata", name))
			require.NoError(t, err)
			for i := range got.Streams { // compared with ffprobe's in another test
				s := &got.Streams[i]
				s.TimeBase, s.StartPTS, s.Default, s.Language = av.Ratio{}, 0, false, ""
			}
			assert.Equal(t, want, got)
		})
	}
}

func TestBest(t *testing.T) {
	m, err := probe(t.Context(), "testdata/av.mp4")
	require.NoError(t, err)
	assert.Equal(t, "h264", m.Best(av.Video).Codec)
	assert.Equal(t, "aac", m.Best(av.Audio).Codec)
	m, err = probe(t.Context(), "testdata/cover.mp3")
	require.NoError(t, err)
	assert.Nil(t, m.Best(av.Video), "a cover is not a video stream")
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o644))
		return path
	}
	clip, err := os.ReadFile("testdata/av.mp4")
	require.NoError(t, err)
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o644))
	playlist := spool.ErrUnsupported
	if later {
		playlist = spool.ErrNotMedia // newer FFmpeg detects playlists only by extension
	}
	for _, test := range []struct {
		path  string
		class spool.Class
	}{
		{filepath.Join(dir, "nothing.mp4"), spool.ErrNotFound},
		{filepath.Join(dir, "no", "folder.mp4"), spool.ErrNotFound},
		{write("file.mp4", clip) + "/below", spool.ErrNotFound},
		{dir, spool.ErrNotAFile},
		{"/dev/null", spool.ErrNotAFile},
		{"/dev/zero", spool.ErrNotAFile},
		{pipe, spool.ErrNotAFile}, // returns without waiting for a writer
		{write("empty.mp4", nil), spool.ErrEmpty},
		{write("text.mp4", []byte("A text that goes on for a while, as texts do.\n")), spool.ErrNotMedia},
		{write("zeros.mp4", make([]byte, 5000)), spool.ErrNotMedia},
		{write("cut.mp4", clip[:len(clip)/3]), spool.ErrCorrupt}, // before the index at the end
		{write("tiny.mp4", clip[:9]), spool.ErrCorrupt},
		{"testdata/picture.png", spool.ErrUnsupported},
		{"testdata/playlist.m3u8", playlist},
		{"testdata/list.ffconcat", spool.ErrUnsupported},
		{"http://127.0.0.1:1/a.mp4", spool.ErrNotFound}, // a path like any other
		{"concat:testdata/av.mp4|testdata/av.mp4", spool.ErrNotFound},
	} {
		t.Run(filepath.Base(test.path), func(t *testing.T) {
			m, err := probe(t.Context(), test.path)
			require.Error(t, err)
			assert.ErrorIs(t, err, test.class)
			assert.Zero(t, m)
			var e *spool.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, test.class, e.Class)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

// The name of a file is ignored, even if it is wrong or looks like a protocol of FFmpeg.
func TestOddNames(t *testing.T) {
	clip, err := os.ReadFile("testdata/clip.webm")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	for _, name := range []string{"clip.jpg", "clip", "pipe:0", "%d.png", "a b\n.webm", "subfile,,start,0,end,9,,:x"} {
		require.NoError(t, os.WriteFile(name, clip, 0o644))
		m, err := probe(t.Context(), name)
		require.NoError(t, err, "%q", name)
		assert.Equal(t, "matroska,webm", m.Format)
	}
}

func TestNoPermission(t *testing.T) {
	dir := t.TempDir()
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		require.NoError(t, os.Chmod(d, 0o755))
	}
	path := filepath.Join(dir, "secret.mp4")
	require.NoError(t, os.WriteFile(path, []byte("secret"), 0o000))
	if os.Geteuid() == 0 { // only for this thread, which ends with the test
		runtime.LockOSThread()
		require.NoError(t, syscall.Setfsuid(65534))
		defer func() {
			require.NoError(t, syscall.Setfsuid(0))
			runtime.UnlockOSThread()
		}()
	}
	_, err := probe(t.Context(), path)
	assert.ErrorIs(t, err, spool.ErrPermission)
}

func TestCancelled(t *testing.T) {
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	c.Leave()
	ctx, cancel := context.WithCancel(t.Context())
	c, err = call.Enter(ctx, 1)
	require.NoError(t, err)
	defer c.Leave()
	cancel()
	for c.Err() == nil {
		runtime.Gosched()
	}
	_, err = av.Probe(c, "testdata/av.mp4")
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, err, spool.ErrCanceled)
}

// A cancelled call returns the full result or the context's error at any moment, and leaks nothing.
func TestCancelAnytime(t *testing.T) {
	leaktest.Check(t, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
	want, err := probe(t.Context(), "testdata/deep.ts")
	require.NoError(t, err)
	random := seed.Rand(t)
	var cancelled int
	for range 300 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(3000))*time.Microsecond)
		got, err := probe(ctx, "testdata/deep.ts")
		cancel()
		if err != nil {
			cancelled++
			require.ErrorIs(t, err, context.DeadlineExceeded)
			continue
		}
		require.Equal(t, want, got)
	}
	t.Logf("%d of 300 were cancelled", cancelled)
}

func TestRandomBytesAreNoMedia(t *testing.T) {
	random := seed.Rand(t)
	path := filepath.Join(t.TempDir(), "noise")
	for range 100 {
		noise := make([]byte, 1+random.IntN(20000))
		for i := range noise {
			noise[i] = byte(random.Uint32())
		}
		require.NoError(t, os.WriteFile(path, noise, 0o644))
		m, err := probe(t.Context(), path)
		require.ErrorIs(t, err, spool.ErrNotMedia, "%d bytes: %+v", len(noise), m)
	}
}

func TestConcurrentProbes(t *testing.T) {
	names := []string{"av.mp4", "turned.mp4", "deep.ts", "clip.webm", "mono.wav", "stereo.mp3", "list.ffconcat",
		"picture.png"}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 40 {
				name := names[(i+j)%len(names)]
				m, err := probe(t.Context(), filepath.Join("testdata", name))
				if err == nil {
					assert.NotEmpty(t, m.Streams, name)
				} else {
					assert.ErrorIs(t, err, spool.ErrUnsupported, name)
				}
			}
		})
	}
	wg.Wait()
}

func Example() {
	c, err := call.Enter(context.Background(), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Leave()
	m, err := av.Probe(c, "testdata/av.mp4")
	if errors.Is(err, spool.ErrNotMedia) {
		fmt.Println("neither video nor audio")
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	v := m.Best(av.Video)
	fmt.Println(v.Codec, v.Width, v.Height, v.FrameRate.Float(), v.Duration)
	// Output: h264 64 48 10 800ms
}
