package video_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/probe"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

// videos are the readable files of the tests and of the folder shared.
func videos(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{media + "/video/*", shared + "/video/*", shared + "/torchcodec/*.mp4",
		shared + "/torchcodec/*.mkv", shared + "/torchcodec/*.webm"} {
		if testing.Short() && strings.HasPrefix(pattern, shared) {
			continue
		}
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range found {
			switch {
			case filepath.Base(path) == "truncated.mp4", filepath.Base(path) == "noindex.mp4": // no video remains
			case filepath.Base(path) == "resized.ts": // frames of different sizes
			case strings.HasPrefix(path, shared) && strings.Contains(path, "nasa_13013.mp4.audio"):
			default:
				all = append(all, path)
			}
		}
	}
	require.GreaterOrEqual(t, len(all), 25)
	return all
}

// probed are the times of a file's frames from ffprobe, NaN where it has none.
func probed(t testing.TB, path string, stream int) []float64 {
	t.Helper()
	need.Command(t, "ffprobe")
	out, err := exec.Command("ffprobe", "-v", "quiet", "-select_streams", strconv.Itoa(stream), "-show_entries",
		"frame=pts_time", "-of", "csv=p=0", path).Output()
	require.NoError(t, err)
	var times []float64
	for line := range strings.Lines(string(out)) {
		field, _, _ := strings.Cut(strings.TrimSpace(line), ",")
		if field == "" {
			continue
		}
		pts, err := strconv.ParseFloat(field, 64)
		if field == "N/A" {
			pts, err = math.NaN(), nil
		}
		require.NoError(t, err)
		times = append(times, pts)
	}
	return times
}

// The frames are those that ffprobe finds by decoding, at its times.
func TestFramesAreFFprobes(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, path := range short.Some(videos(t), 3) {
		if filepath.Base(path) == "damaged.mp4" {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
			want := probed(t, path, v.Info().Stream)
			require.Len(t, want, v.Len())
			m, err := probe.Probe(ctx, spool.File(path), decode.Limits{})
			require.NoError(t, err)
			best := slices.IndexFunc(m.Container.Streams, func(s probe.Stream) bool {
				return s.Best && s.Medium == decode.Video
			})
			if counted := m.Container.Streams[best].Frames; counted > 0 || !v.Index().Stream.Numbered {
				assert.Equal(t, int64(v.Len()), counted, "as Probe says")
			}
			for n, pts := range want {
				if !math.IsNaN(pts) {
					require.InDelta(t, pts, v.Index().Time(n), 1e-6, "frame %d", n)
				}
			}
		})
	}
}

// Frames in order and in random order equal those of the ffmpeg command. This includes fields, hidden frames, key
// packets that do not start a GOP, and packets without time stamps.
func TestFramesAreFFmpegs(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	tested := 0
	for _, path := range short.Some(videos(t), 3) {
		v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
		info := v.Info()
		if !strings.HasPrefix(path, media) || info.PixelFormat != "yuv420p" || strings.Contains(path, "damaged") ||
			strings.Contains(path, "truncated") {
			continue
		}
		tested++
		want := raw(t, path, "rgb24", "-map", "-0", "-map", fmt.Sprint("0:", info.Stream), "-f", "rawvideo", "-")
		size := info.Width * info.Height * 3
		require.Equal(t, v.Len(), len(want)/size, path)
		order := rand.New(rand.NewPCG(8, 8)).Perm(v.Len())
		got, _ := decodetest.Frames(t, v, order[:min(len(order), 12)], video.Spec{Stored: true})
		for i := range len(got) / size {
			require.True(t, bytes.Equal(want[order[i]*size:][:size], got[i*size:][:size]), "%s: frame %d", path, order[i])
		}
		n := 0
		for clip, err := range v.Chunks(ctx, 7, video.Spec{Stored: true}) {
			require.NoError(t, err)
			require.True(t, bytes.Equal(want[n:][:clip.Len()], clip.Bytes()), "%s: frames from %d on", path, n/size)
			n += clip.Len()
			clip.Release()
		}
	}
	assert.Greater(t, tested, short.Of(15, 5))
}

// small is a size at which many frames can be compared.
var small = video.Spec{Resize: resize.Spec{Width: 40, Height: 30}, OnDamage: decode.MarkDamage}

// whole decodes a video from front to back: pixels and state of each frame.
func whole(t testing.TB, v *video.Video, spec video.Spec) (pixels [][]byte, states []video.FrameState) {
	t.Helper()
	for clip, err := range v.Chunks(t.Context(), 16, spec) {
		require.NoError(t, err)
		all, n := clip.Bytes(), len(clip.Frames)
		for i, f := range clip.Frames {
			require.Equal(t, len(pixels), f.Index)
			pixels, states = append(pixels, bytes.Clone(all[i*len(all)/n:(i+1)*len(all)/n])), append(states, f.State)
		}
		clip.Release()
	}
	return pixels, states
}

var accessRounds = flag.Int("video.rounds", 12,
	"opens of a video in each of TestRandomAccess's 16 handles, of 3 requests each")

// Frame n is the same however it is reached: by random requests, by number and by time, with 16 handles in parallel.
func TestRandomAccess(t *testing.T) {
	const handles = 16
	d := decodetest.New(t, decoders.Options{})
	type reference struct {
		path   string
		pixels [][]byte
		states []video.FrameState
	}
	var references []reference
	for _, path := range videos(t) {
		v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
		pixels, states := whole(t, v, small)
		require.Len(t, pixels, v.Len(), path)
		references = append(references, reference{path, pixels, states})
	}
	seed := uint64(20261121)
	t.Logf("seed %d", seed)
	var group sync.WaitGroup
	failures := make(chan error, handles)
	for h := range handles {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(h)))
			for range *accessRounds {
				ref := references[rng.IntN(len(references))]
				v, err := d.Videos.Open(t.Context(), spool.File(ref.path), video.OpenOptions{})
				if err != nil {
					failures <- err
					return
				}
				for range 3 {
					if err := request(v, rng, ref.pixels, ref.states); err != nil {
						failures <- fmt.Errorf("%s: %w", ref.path, errors.Join(err, v.Close()))
						return
					}
				}
				if err := v.Close(); err != nil {
					failures <- err
				}
			}
		})
	}
	group.Wait()
	close(failures)
	for err := range failures {
		assert.NoError(t, err)
	}
}

// request asks for a few frames, by number or by time, and compares them with those of the whole video.
func request(v *video.Video, rng *rand.Rand, pixels [][]byte, states []video.FrameState) error {
	wanted := make([]int, 1+rng.IntN(6))
	first := rng.IntN(v.Len())
	for i := range wanted {
		switch rng.IntN(3) {
		case 0:
			wanted[i] = rng.IntN(v.Len())
		case 1:
			wanted[i] = min(first+i, v.Len()-1)
		default:
			x := v.Index()
			t := x.Time(0) + rng.Float64()*(x.End(x.Len()-1)-x.Time(0))
			n, err := x.At(t)
			if err != nil || x.Time(n) > t || x.End(n) <= t {
				return fmt.Errorf("at %v: frame %d, %w", t, n, err)
			}
			wanted[i] = n
		}
	}
	clip, err := v.Frames(ctx, wanted, small)
	if err != nil {
		return fmt.Errorf("frames %v: %w", wanted, err)
	}
	defer clip.Release()
	size := clip.Len() / len(wanted)
	for i, n := range wanted {
		if clip.Frames[i].Index != n || clip.Frames[i].State != states[n] || clip.Frames[i].PTS != v.Index().Time(n) {
			return fmt.Errorf("frame %d of %v: %+v, the state should be %d", n, wanted, clip.Frames[i], states[n])
		}
		if states[n] == video.Whole && !bytes.Equal(clip.Bytes()[i*size:][:size], pixels[n]) {
			return fmt.Errorf("frame %d of %v has other pixels: %+v", n, wanted, clip.Work)
		}
	}
	return nil
}

// A video that was cut gives the frames before the cut, without a policy that accepts damage.
func TestTruncated(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, path := range []string{media + "/video/truncated.ts", shared + "/video/truncated.ts",
		media + "/video/truncated.mp4"} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
		all := make([]int, v.Len())
		for i := range all {
			all[i] = i
		}
		_, report := decodetest.Frames(t, v, all, video.Spec{})
		for _, f := range report.Frames[:v.Len()-1] {
			assert.Equal(t, video.Whole, f.State)
		}
		assert.True(t, v.Info().Cut, path)
		_, err := v.Frames(ctx, []int{v.Len()}, video.Spec{})
		require.ErrorIs(t, err, spool.ErrNoSuchFrame)
		assert.ErrorContains(t, err, fmt.Sprint("the video's frame count is ", v.Len()))
	}
}
