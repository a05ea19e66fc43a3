package record_test

import (
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record"
)

// segments is a schema of parts of videos, two of which may be of one file.
var segments = record.Schema{
	{Name: "left", Input: "file", Kind: record.Video{Spec: small, Frames: 2, Start: record.Time{Input: "start"}}},
	{Name: "right", Input: "file", Kind: record.Video{Spec: small, Frames: 3, Start: record.Time{Input: "start"}}}}

func openFiles(t testing.TB, o record.OpenFilesOptions) *record.OpenFiles {
	t.Helper()
	open, err := record.NewOpenFiles(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, open.Close()) })
	return open
}

func segment(t testing.TB, set *decoders.Set, open *record.OpenFiles, file string, start float64) decoded {
	t.Helper()
	got, err := decodeAll(t, set, open, segments[:1], map[string]any{"file": "video/" + file,
		"start": []byte(strconv.FormatFloat(start, 'g', -1, 64))}, order.Draw{})
	require.NoError(t, err)
	return got
}

// Records of one file have one open video, whose frames are those of a video that was just opened.
func TestOpenVideos(t *testing.T) {
	set := newDecoders(t)
	open := openFiles(t, record.OpenFilesOptions{})
	for _, start := range []float64{0.4, 0, 0.8, 0.2, 0.2} {
		assert.Equal(t, segment(t, set, nil, "bframes.mp4", start).arrays, segment(t, set, open, "bframes.mp4", start).arrays)
	}
	s := open.Stats()
	assert.Equal(t, [3]int64{1, 4, 1}, [3]int64{s.Opened, s.Reused, int64(s.Idle)})
	assert.EqualValues(t, 64*48*3/2*16, s.Bytes)
	require.NoError(t, open.Close())
	segment(t, set, open, "bframes.mp4", 0)
	assert.Zero(t, open.Stats().Idle, "closed ones keep nothing")
}

// The video that was unused for the longest time is closed.
func TestOpenVideosLimits(t *testing.T) {
	set := newDecoders(t)
	for _, o := range []record.OpenFilesOptions{{Max: 2}, {MaxBytes: 2 * 64 * 48 * 3 / 2 * 16}} {
		open := openFiles(t, o)
		for _, file := range []string{"bframes", "opengop", "bframes", "refresh", "bframes", "opengop"} {
			segment(t, set, open, file+".mp4", 0.2)
		}
		s := open.Stats()
		assert.Equal(t, [3]int64{4, 2, 2}, [3]int64{s.Opened, s.Reused, int64(s.Idle)})
	}
	_, err := record.NewOpenFiles(record.OpenFilesOptions{Max: -1, MaxBytes: -1})
	require.ErrorIs(t, err, spool.ErrOptions)
	require.ErrorContains(t, err, "MaxBytes -1")
}

// Two fields of one record have the file at once. Its object is closed once, and later than both videos.
func TestOpenVideosOfOneRecord(t *testing.T) {
	set := newDecoders(t)
	open := openFiles(t, record.OpenFilesOptions{})
	for range 3 {
		got, err := decodeAll(t, set, open, segments, map[string]any{"file": "video/bframes.mp4", "start": []byte("0.5")},
			order.Draw{})
		require.NoError(t, err)
		assert.Equal(t, []int{16, 22}, got.integers("left.index"), "of 12 frames from 13 on: the 4th and the 10th")
		assert.Equal(t, []int{15, 19, 23}, got.integers("right.index"))
	}
	s := open.Stats()
	assert.Equal(t, [2]int64{2, 4}, [2]int64{s.Opened, s.Reused})
}

// Concurrent records of one file each have a video, and a bad one loses none.
func TestOpenVideosConcurrently(t *testing.T) {
	set := newDecoders(t)
	open := openFiles(t, record.OpenFilesOptions{Max: 2})
	want := segment(t, set, nil, "bframes.mp4", 0.2).arrays
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				assert.Equal(t, want, segment(t, set, open, "bframes.mp4", 0.2).arrays)
				_, err := decodeAll(t, set, open, segments[:1], map[string]any{"file": "video/bframes.mp4",
					"start": []byte("7")}, order.Draw{})
				assert.ErrorIs(t, err, spool.ErrNoSuchFrame)
			}
		})
	}
	wg.Wait()
	assert.LessOrEqual(t, open.Stats().Idle, 2)
}

// A loader of video opens and returns videos itself.
func TestOpenAndReturn(t *testing.T) {
	set := newDecoders(t)
	open := openFiles(t, record.OpenFilesOptions{})
	get := func(kept *record.OpenFiles, stream *int) *record.OpenVideo {
		object, err := spool.File("../testdata/video/languages.mkv").OpenParts(t.Context(), 0, 0)
		require.NoError(t, err)
		v, err := kept.Video(t.Context(), set.Videos, object, video.OpenOptions{Stream: stream})
		require.NoError(t, err)
		return v
	}
	first := get(open, nil)
	require.NoError(t, first.Return(nil))
	same := get(open, nil)
	assert.Same(t, first.Video, same.Video)
	other := get(open, new(1))
	assert.NotSame(t, first.Video, other.Video, "of another stream")
	require.NoError(t, same.Return(spool.ErrCorrupt))
	require.NoError(t, other.Return(nil))
	s := open.Stats()
	assert.Equal(t, [3]int64{2, 1, 1}, [3]int64{s.Opened, s.Reused, int64(s.Idle)}, "a video that failed is not kept")
	alone := get(nil, nil)
	require.NoError(t, alone.Return(nil))
	assert.Equal(t, s, open.Stats())
}
