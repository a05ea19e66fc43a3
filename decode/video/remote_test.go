package video_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/probe"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/internal/timing"
)

// remoteObject is a remote object; each read of it has a latency.
type remoteObject struct {
	name    string
	data    []byte
	latency time.Duration
	fail    atomic.Pointer[error] // returned instead of data

	mu       sync.Mutex
	requests int
	bytes    int64
}

func (f *remoteObject) Info() spool.ObjectInfo {
	return spool.ObjectInfo{Name: f.name, Size: int64(len(f.data)), Version: "v1", Remote: true}
}

func (f *remoteObject) Close() error { return nil }

func (f *remoteObject) named(name string) *remoteObject {
	f.name = name
	return f
}

func (f *remoteObject) ReadRange(ctx context.Context, p []byte, off int64) (int, error) {
	return f.ReadAt(ctx, p, off)
}

func (f *remoteObject) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	select {
	case <-time.After(f.latency):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	if err := f.fail.Load(); err != nil {
		return 0, *err
	}
	n, err := bytes.NewReader(f.data).ReadAt(p, off)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	f.bytes += int64(n)
	return n, err
}

var minuteVideos sync.Map // by container

// ffmpeg runs the ffmpeg command.
func ffmpeg(t testing.TB, args ...string) {
	t.Helper()
	command := need.Command(t, "ffmpeg")
	out, err := exec.CommandContext(t.Context(), command,
		append([]string{"-v", "error", "-y", "-nostdin"}, args...)...).CombinedOutput()
	require.NoError(t, err, string(out))
}

// minuteVideo is a video of 60 s with a key frame every second, in a container.
func minuteVideo(t testing.TB, container string) []byte {
	t.Helper()
	if data, ok := minuteVideos.Load(container); ok {
		return data.([]byte)
	}
	folder := t.TempDir()
	name := filepath.Join(folder, container)
	if container == base {
		ffmpeg(t, "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=30:duration=60", "-f", "lavfi", "-i",
			"sine=440:duration=60", "-c:v", "libx264",
			"-preset", "ultrafast", "-bf", "2", "-g", "30", "-sc_threshold", "0", "-c:a", "aac", "-b:a", "64k", name)
	} else {
		from := filepath.Join(folder, base)
		require.NoError(t, os.WriteFile(from, minuteVideo(t, base), 0o600))
		args := []string{"-i", from, "-c", "copy"}
		switch container {
		case "front.mp4":
			args = append(args, "-movflags", "+faststart")
		case "fragments.mp4":
			args = append(args, "-movflags", "+frag_keyframe+empty_moov")
		}
		ffmpeg(t, append(args, name)...)
	}
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	minuteVideos.Store(container, data)
	return data
}

// base has its tables at the end of the file.
const base = "base.mp4"

// leastRead is how much a request has to read at least: the packets of its plan, and the bytes outside of packets.
func leastRead(data []byte, x *index.Index, frames []int) (packets, rest int64) {
	for _, run := range x.Plan(frames).Runs {
		for _, p := range x.Packets[run.First : run.Last+1] {
			packets += int64(p.Size)
		}
	}
	rest = int64(len(data))
	for i := range x.Packets {
		rest -= int64(x.Packets[i].Size)
	}
	return packets, min(rest, 128<<10)
}

// inMemory is a decoder, and its results for a video in memory.
func inMemory(t *testing.T, data []byte, frames []int) (*decoders.Set, *video.Video, *video.Clip) {
	t.Helper()
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	v, err := d.Videos.Open(t.Context(), spool.Bytes{Data: data}, video.OpenOptions{})
	require.NoError(t, err)
	clip, err := v.Frames(t.Context(), frames, video.Spec{})
	require.NoError(t, err)
	t.Cleanup(func() {
		clip.Release()
		require.NoError(t, v.Close())
		require.NoError(t, d.Close())
	})
	return d, v, clip
}

func TestRemoteVideo(t *testing.T) {
	for _, container := range short.Some([]string{base, "front.mp4", "fragments.mp4", "video.mkv", "video.ts"}, 3) {
		t.Run(container, func(t *testing.T) {
			data := minuteVideo(t, container)
			frames := index.Even(1800, 16)
			d, local, want := inMemory(t, data, frames)
			f := &remoteObject{data: data, latency: 20 * time.Millisecond}
			began := time.Now()
			v, err := d.Videos.Open(t.Context(), f.named("s3://b/"+container), video.OpenOptions{})
			require.NoError(t, err)
			opened := time.Since(began)
			require.Equal(t, local.Len(), v.Len())
			for n := range local.Len() {
				require.Equal(t, local.Index().Ticks(n), v.Index().Ticks(n))
			}
			clip, err := v.Frames(t.Context(), frames, video.Spec{})
			require.NoError(t, err)
			defer clip.Release()
			assert.True(t, bytes.Equal(want.Bytes(), clip.Bytes()), "pixels")
			assert.Equal(t, want.Work.Skipped, clip.Work.Skipped)
			assert.Positive(t, clip.Work.Skipped)
			got := v.Fetched()
			require.NoError(t, v.Close())
			assert.Equal(t, int64(len(data)), got.Size)
			packets, rest := leastRead(data, local.Index(), frames)
			t.Logf("%d bytes, %d fetched by %d requests (%.3f of the file); the plan's packets %d, header and tables %d; "+
				"opened in %v, all in %v",
				got.Size, got.Bytes, got.Requests, float64(got.Bytes)/float64(got.Size), packets, rest, opened, time.Since(began))
			assert.LessOrEqual(t, float64(got.Bytes), 1.1*float64(got.Size))
			if container == "front.mp4" || container == base {
				assert.LessOrEqual(t, float64(got.Bytes), 0.35*float64(got.Size))
				assert.LessOrEqual(t, float64(got.Bytes), 1.1*float64(packets+rest))
			}
		})
	}
}

// Frames far apart are decoded in parallel, with the same pixels in the same order. An error of one worker fails the
// request, and nothing leaks.
func TestRemoteVideoWorkers(t *testing.T) {
	data := minuteVideo(t, "front.mp4")
	frames := []int{1700, 20, 900, 320, 900, 1399, 333, 1111} // in any order
	d, _, want := inMemory(t, data, frames)
	for _, workers := range []int{1, 3} {
		f := &remoteObject{data: data}
		v, err := d.Videos.Open(t.Context(), f.named("s3://b/video.mp4"), video.OpenOptions{Workers: workers})
		require.NoError(t, err)
		clip, err := v.Frames(t.Context(), frames, video.Spec{})
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want.Bytes(), clip.Bytes()), "%d workers", workers)
		for i, n := range frames {
			assert.Equal(t, n, clip.Report.Frames[i].Index)
		}
		assert.Equal(t, want.Work.Skipped, clip.Work.Skipped)
		assert.LessOrEqual(t, want.Work.Decoded, clip.Work.Decoded)
		assert.LessOrEqual(t, float64(v.Fetched().Bytes), 0.35*float64(len(data)), "handles share what was read")
		clip.Release()
		gone := error(&spool.Error{Op: "read", Class: spool.ErrIO, Text: "gone"})
		f.fail.Store(&gone)
		_, err = v.Frames(t.Context(), []int{100, 500, 1000, 1500, 1790}, video.Spec{})
		require.ErrorIs(t, err, spool.ErrIO)
		require.NoError(t, v.Close())
	}
	_, err := d.Videos.Open(t.Context(), spool.Bytes{Data: data}, video.OpenOptions{Workers: -1})
	require.ErrorIs(t, err, spool.ErrOptions)
}

// With a saved index, containers without tables are read in parts, too.
func TestRemoteVideoWithIndex(t *testing.T) {
	for _, container := range short.Of([]string{base, "video.mkv", "fragments.mp4"}, []string{"video.mkv"}) {
		t.Run(container, func(t *testing.T) {
			data := minuteVideo(t, container)
			d, err := decoders.New(decoders.Options{})
			require.NoError(t, err)
			defer d.Close()
			folder := t.TempDir()
			in := &remoteObject{name: "s3://b/" + container, data: data}
			v, err := d.Videos.Open(t.Context(), in, video.OpenOptions{})
			require.NoError(t, err)
			_, err = v.SaveIndex(folder)
			require.NoError(t, err)
			frames := index.Even(v.Len(), 16)
			want, err := v.Frames(t.Context(), frames, video.Spec{})
			require.NoError(t, err)
			defer want.Release()
			packets, rest := leastRead(data, v.Index(), frames)
			require.NoError(t, v.Close())

			v, err = d.Videos.Open(t.Context(), in, video.OpenOptions{IndexDir: folder})
			require.NoError(t, err)
			defer v.Close()
			require.True(t, v.Info().Saved)
			clip, err := v.Frames(t.Context(), frames, video.Spec{})
			require.NoError(t, err)
			defer clip.Release()
			assert.True(t, bytes.Equal(want.Bytes(), clip.Bytes()), "pixels")
			got := v.Fetched()
			t.Logf("%d bytes, %d fetched by %d requests; the plan's packets %d, header and tables %d", got.Size, got.Bytes,
				got.Requests, packets, rest)
			assert.LessOrEqual(t, float64(got.Bytes), 0.4*float64(got.Size))
		})
	}
}

func TestRemoteVideoFails(t *testing.T) {
	data := minuteVideo(t, base)
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer d.Close()
	t.Run("changed", func(t *testing.T) {
		f := &remoteObject{data: data}
		v, err := d.Videos.Open(t.Context(), f.named("s3://b/video.mp4"), video.OpenOptions{})
		require.NoError(t, err)
		defer v.Close()
		changed := error(&spool.Error{Op: "read", File: "s3://b/video.mp4", Class: spool.ErrIO,
			Text: "the object was written anew"})
		f.fail.Store(&changed)
		_, err = v.Frames(t.Context(), []int{900, 1700}, video.Spec{})
		require.ErrorIs(t, err, spool.ErrIO)
		assert.Contains(t, err.Error(), "written anew")
	})
	t.Run("cancelled", func(t *testing.T) {
		f := &remoteObject{data: data}
		v, err := d.Videos.Open(t.Context(), f.named("s3://b/video.mp4"), video.OpenOptions{})
		require.NoError(t, err)
		f.latency = time.Hour
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer stop()
		began := time.Now()
		_, err = v.Frames(ctx, []int{900, 1700}, video.Spec{})
		require.ErrorIs(t, err, spool.ErrTimeout)
		require.NoError(t, v.Close())
		timing.Within(t, time.Since(began), 10*time.Second, "a call whose time is over")
	})
	t.Run("gone", func(t *testing.T) {
		f := &remoteObject{data: data}
		gone := errors.New("gone")
		f.fail.Store(&gone)
		_, err := d.Videos.Open(t.Context(), f.named("s3://b/video.mp4"), video.OpenOptions{})
		require.ErrorIs(t, err, gone)
	})
	t.Run("cut", func(t *testing.T) {
		for _, n := range []int{4, 40, 100_000, len(data) - 1000} {
			local, errLocal := d.Videos.Open(t.Context(), spool.Bytes{Data: data[:n]}, video.OpenOptions{})
			v, err := d.Videos.Open(t.Context(), &remoteObject{data: data[:n]}, video.OpenOptions{})
			assert.Equal(t, spool.ClassOf(errLocal), spool.ClassOf(err), "%d: %v, %v", n, errLocal, err)
			if err == nil {
				assert.Equal(t, local.Len(), v.Len())
				require.NoError(t, errors.Join(local.Close(), v.Close()))
			}
		}
	})
}

func TestRemoteProbe(t *testing.T) {
	data := minuteVideo(t, "front.mp4")
	want, err := probe.Probe(t.Context(), spool.Bytes{Data: data}, decode.Limits{})
	require.NoError(t, err)
	got, err := probe.Probe(t.Context(), &remoteObject{data: data}, decode.Limits{})
	require.NoError(t, err)
	assert.Less(t, got.Fetched.Bytes, got.Fetched.Size/5)
	got.Fetched = decode.Fetched{}
	assert.Equal(t, want, got)
}

// A window of long audio reads only the bytes of that window.
func TestRemoteAudio(t *testing.T) {
	for _, test := range short.Some([]struct {
		name string
		near bool
		most float64 // of the file
		args []string
	}{
		{"audio.wav", false, 0.1, []string{"-c:a", "pcm_s16le"}},
		{"audio.flac", false, 0.45, []string{"-c:a", "flac"}},
		{"audio.mp3", false, 1, []string{"-c:a", "libmp3lame"}},
		{"audio.m4a", true, 0.6, []string{"-c:a", "aac", "-b:a", "128k"}},
	}, 3) {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), test.name)
			ffmpeg(t, append([]string{"-f", "lavfi", "-i", "anoisesrc=d=120:r=44100:a=0.3"}, append(test.args, name)...)...)
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			d, err := decoders.New(decoders.Options{})
			require.NoError(t, err)
			defer d.Close()
			spec := audio.Spec{Start: 80, End: 85}
			read := func(in spool.Object) (*audio.Samples, decode.Fetched) {
				a, err := d.Audios.Open(t.Context(), in, audio.OpenOptions{Near: test.near})
				require.NoError(t, err)
				s, err := a.Read(t.Context(), spec)
				require.NoError(t, err)
				defer a.Close()
				return s, a.Fetched()
			}
			want, none := read(spool.Bytes{Data: data})
			defer want.Release()
			assert.Zero(t, none)
			s, got := read(&remoteObject{name: "s3://b/audio", data: data})
			defer s.Release()
			assert.True(t, bytes.Equal(want.Bytes(), s.Bytes()))
			t.Logf("%d bytes, %d fetched by %d requests", got.Size, got.Bytes, got.Requests)
			assert.LessOrEqual(t, float64(got.Bytes), test.most*float64(got.Size))
		})
	}
}
