package record_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/resize"
)

var small = video.Spec{Resize: resize.Spec{Width: 64, Height: 48}}

// framesOf decodes frames of a file of testdata/video by their numbers.
func framesOf(t testing.TB, set *decoders.Set, name string, frames []int) []byte {
	t.Helper()
	v, err := set.Videos.Open(ctx, spool.File(media+"/video/"+name), video.OpenOptions{})
	require.NoError(t, err)
	defer v.Close()
	c, err := v.Frames(ctx, frames, small)
	require.NoError(t, err)
	defer c.Release()
	return append([]byte(nil), c.Bytes()...)
}

// bframes.mp4 has 25 frames at 25 frames a second, from 0 on.
func TestClips(t *testing.T) {
	set := newDecoders(t)
	window := map[string]any{"start": []byte("0.2"), "end": []byte(" 0.6\n")}
	start, end := record.Time{Input: "start"}, record.Time{Input: "end"}
	for name, c := range map[string]struct {
		kind   record.Video
		values map[string]any
		frames []int
		valid  []byte
	}{
		"even": {kind: record.Video{Frames: 4}, frames: []int{3, 9, 15, 21}},
		"window": {kind: record.Video{Frames: 5, Start: start, End: end}, values: window,
			frames: []int{6, 8, 10, 12, 14}},
		"constant window": {kind: record.Video{Frames: 2, Start: record.Time{Seconds: 0.8}}, frames: []int{21, 23}},
		"clips":           {kind: record.Video{Frames: 2, Clips: 2}, frames: []int{3, 9, 15, 21}},
		"stride": {kind: record.Video{Frames: 4, Stride: 3, Start: start}, values: map[string]any{"start": []byte("0.8")},
			frames: []int{20, 23, 23, 23}, valid: []byte{1, 1, 0, 0}},
		"loop": {kind: record.Video{Frames: 5, Stride: 3, Pad: record.PadLoop, Start: record.Time{Seconds: 0.8}},
			frames: []int{20, 23, 20, 23, 20}, valid: []byte{1, 1, 0, 0, 0}},
		"strided clips": {kind: record.Video{Frames: 2, Stride: 4, Clips: 3}, frames: []int{0, 4, 10, 14, 20, 24}},
		"rate": {kind: record.Video{Frames: 5, FPS: 10, Start: record.Time{Seconds: 0.5}},
			frames: []int{13, 15, 17, 20, 22}},
		"rate from a frame": {kind: record.Video{Frames: 5, FPS: 10, Start: record.Time{Seconds: 0.2}},
			frames: []int{5, 7, 10, 12, 15}},
		"rate beyond the end": {kind: record.Video{Frames: 4, FPS: 10, Start: record.Time{Seconds: 0.8}},
			frames: []int{20, 22, 22, 22}, valid: []byte{1, 1, 0, 0}},
		"clips at a rate": {kind: record.Video{Frames: 2, FPS: 10, Clips: 2}, frames: []int{0, 2, 20, 22}},
		"times": {kind: record.Video{Times: []float64{-0.04, 0, 0.04}, At: record.Time{Input: "at"}},
			values: map[string]any{"at": []byte("0.52")}, frames: []int{12, 13, 14}},
		"times of an episode": {kind: record.Video{Times: []float64{-0.08, 0, 0.2}, At: record.Time{Input: "at"},
			Start: start, End: end, Tolerance: 1e-4}, values: map[string]any{"at": []byte("0.2"), "start": []byte("0.4"),
			"end": []byte("0.8")}, frames: []int{13, 15, 19}, valid: []byte{1, 1, 0}},
		"times before an episode": {kind: record.Video{Times: []float64{-0.08, 0}, Start: start}, values: window,
			frames: []int{5, 5}, valid: []byte{0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			c.kind.Spec = small
			values := map[string]any{"clip": "video/bframes.mp4"}
			maps.Copy(values, c.values)
			got, err := decodeAll(t, set, nil, record.Schema{{Name: "clip", Kind: c.kind}}, values, order.Draw{})
			require.NoError(t, err)
			var pixels, valid []byte
			var numbers []int
			var pts []float64
			for view := range max(1, c.kind.Clips) {
				name := "clip"
				if c.kind.Clips > 0 {
					name = fmt.Sprintf("clip.%d", view)
				}
				pixels = append(pixels, got.arrays[name]...)
				valid = append(valid, got.arrays[name+".valid"]...)
				numbers = append(numbers, got.integers(name+".index")...)
				pts = append(pts, got.floats(name+".pts")...)
			}
			assert.Equal(t, c.frames, numbers)
			if c.valid == nil {
				c.valid = make([]byte, len(c.frames))
				for i := range c.valid {
					c.valid[i] = 1
				}
			}
			assert.Equal(t, c.valid, valid)
			for i, n := range numbers {
				assert.InDelta(t, float64(n)/25, pts[i], 1e-9)
			}
			assert.Equal(t, framesOf(t, set, "bframes.mp4", c.frames), pixels)
		})
	}
}

// The clock of late.mkv begins at 7.5 s.
func TestClipOfLateVideo(t *testing.T) {
	set := newDecoders(t)
	for name, k := range map[string]record.Video{
		"from the first frame": {Spec: small, Times: []float64{0, 0.04}},
		"by the file's clock":  {Spec: small, Times: []float64{0, 0.04}, Start: record.Time{Seconds: 7.5}},
		"from before it":       {Spec: small, Times: []float64{7.5, 7.54}, Start: record.Time{Input: "zero"}},
	} {
		got, err := decodeAll(t, set, nil, record.Schema{{Name: "late", Kind: k}},
			map[string]any{"late": "video/late.mkv", "zero": []byte("0")}, order.Draw{})
		require.NoError(t, err, name)
		assert.Equal(t, []int{0, 1}, got.integers("late.index"), name)
		assert.Equal(t, []byte{1, 1}, got.arrays["late.valid"], name)
	}
}

// PadFill gives frames of the fill color in place of those that pad.
func TestClipFilled(t *testing.T) {
	set := newDecoders(t)
	spec := small
	spec.Fill = &decode.RGB8{R: 10, G: 20, B: 30}
	got, err := decodeAll(t, set, nil, record.Schema{{Name: "x", Kind: record.Video{Spec: spec, Times: []float64{-1, 0.2},
		Pad: record.PadFill}}}, map[string]any{"x": "video/bframes.mp4"}, order.Draw{})
	require.NoError(t, err)
	half := len(got.arrays["x"]) / 2
	for i := 0; i < half; i += 3 {
		require.Equal(t, []byte{10, 20, 30}, got.arrays["x"][i:i+3])
	}
	assert.Equal(t, framesOf(t, set, "bframes.mp4", []int{5}), got.arrays["x"][half:])
}

// The stream of a clip and of audio comes from an input.
func TestStreams(t *testing.T) {
	set := newDecoders(t)
	spec := audio.Spec{Rate: 8000, Channels: 1, Length: 800}
	s := record.Schema{{Name: "clip", Input: "file", Kind: record.Video{Spec: small, Frames: 2, Stream: "picture"}},
		{Name: "sound", Input: "file", Kind: record.Audio{Spec: spec, Stream: "sound"}}}
	open, err := record.NewOpenFiles(record.OpenFilesOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, open.Close()) }()
	for video1, sound := range map[int]int{0: 3, 1: 2} {
		got, err := decodeAll(t, set, open, s, map[string]any{"file": "video/languages.mkv",
			"picture": fmt.Append(nil, video1), "sound": fmt.Append(nil, sound)}, order.Draw{})
		require.NoError(t, err)
		v, err := set.Videos.Open(ctx, spool.File(media+"/video/languages.mkv"), video.OpenOptions{Stream: &video1})
		require.NoError(t, err)
		want, err := v.Frames(ctx, got.integers("clip.index"), small)
		require.NoError(t, err)
		assert.Equal(t, want.Bytes(), got.arrays["clip"])
		want.Release()
		require.NoError(t, v.Close())
		a, err := set.Audios.Open(ctx, spool.File(media+"/video/languages.mkv"), audio.OpenOptions{Stream: &sound})
		require.NoError(t, err)
		samples, err := a.Read(ctx, spec)
		require.NoError(t, err)
		assert.Equal(t, samples.Bytes(), got.arrays["sound"])
		samples.Release()
		require.NoError(t, a.Close())
	}
	for text, class := range map[string]error{"7": spool.ErrNoSuchFrame, "-1": spool.ErrCorrupt, "0.5": spool.ErrCorrupt,
		"first": spool.ErrCorrupt} {
		_, err := decodeAll(t, set, nil, s, map[string]any{"file": "video/languages.mkv", "picture": []byte(text),
			"sound": []byte("2")}, order.Draw{})
		assert.ErrorIs(t, err, class, text)
	}
	k := s[0].Kind.(record.Video)
	k.Open.Stream = new(int)
	err = record.Schema{{Name: "clip", Kind: k}}.Validate()
	assert.ErrorContains(t, err, "Stream picture excludes Open.Stream and Open.Language")
}

// Random clips of a window stay in it, and each view and occurrence has its own.
func TestRandomClips(t *testing.T) {
	set := newDecoders(t)
	s := record.Schema{{Name: "x", Kind: record.Video{Spec: small, Frames: 2, Random: true, Clips: 3,
		Start: record.Time{Seconds: 0.2}, End: record.Time{Seconds: 0.8}}}}
	firsts := map[int]bool{}
	for id := range uint64(6) {
		got, err := decodeAll(t, set, nil, s, map[string]any{"x": "video/bframes.mp4"}, order.Draw{Seed: 3, ID: id})
		require.NoError(t, err)
		again, err := decodeAll(t, set, nil, s, map[string]any{"x": "video/bframes.mp4"}, order.Draw{Seed: 3, ID: id})
		require.NoError(t, err)
		assert.Equal(t, got.arrays, again.arrays)
		for view := range 3 {
			frames := got.integers(fmt.Sprintf("x.%d.index", view))
			assert.Equal(t, frames[0]+1, frames[1])
			assert.GreaterOrEqual(t, frames[0], 5)
			assert.Less(t, frames[1], 20)
			firsts[frames[0]] = true
		}
	}
	assert.Greater(t, len(firsts), 4, "18 draws of 14 positions")
}

func TestClipErrors(t *testing.T) {
	set := newDecoders(t)
	start := record.Time{Input: "start"}
	for name, c := range map[string]struct {
		kind  record.Video
		start any
		class error
		text  string
	}{
		"outside":    {record.Video{Start: start}, []byte("3"), spool.ErrNoSuchFrame, "no frame begins in [3, 1)"},
		"no number":  {record.Video{Start: start}, []byte("soon"), spool.ErrCorrupt, "start is no number"},
		"not finite": {record.Video{Start: start}, []byte("NaN"), spool.ErrCorrupt, "start is no number"},
		"absent":     {record.Video{Start: start}, nil, spool.ErrNotFound, "the sample lacks start"},
		"beyond": {record.Video{Start: start, Stride: 9, Pad: record.PadRefuse}, []byte("0.9"),
			spool.ErrNoSuchFrame, "frame"},
		"beyond, rate": {record.Video{Start: start, FPS: 9, Pad: record.PadRefuse}, []byte("0.9"),
			spool.ErrNoSuchFrame, "end after 1"},
		"tolerance": {record.Video{Start: start, Times: []float64{0.01}, Tolerance: 1e-4}, []byte("0.2"),
			spool.ErrNoSuchFrame, "no frame within 0.0001 s of 0.21000000000000002: the nearest is at 0.2"},
	} {
		t.Run(name, func(t *testing.T) {
			c.kind.Spec = small
			_, err := decodeAll(t, set, nil, record.Schema{{Name: "clip", Kind: c.kind}},
				map[string]any{"clip": "video/bframes.mp4", "start": c.start}, order.Draw{})
			require.ErrorIs(t, err, c.class)
			require.ErrorContains(t, err, "field clip: ")
			require.ErrorContains(t, err, c.text)
		})
	}
}

func TestVideoOptions(t *testing.T) {
	bad := record.Video{Frames: -2, Clips: -1, Stride: -1, FPS: math.Inf(1), Tolerance: math.NaN(), Pad: 9,
		Start: record.Time{Input: "a", Seconds: 1}, End: record.Time{Seconds: math.NaN()}}
	err := record.Schema{{Name: "v", Kind: bad}, {Name: "a", Kind: record.Audio{Like: "v", Random: true}},
		{Name: "t", Kind: record.Video{Spec: small, Times: []float64{0}, FPS: 3}},
		{Name: "e", Kind: record.Video{Spec: small, Start: record.Time{Seconds: 2}, End: record.Time{Seconds: 1}}},
		{Name: "w", Kind: record.Audio{Like: "t", Spec: audio.Spec{Length: 3, Start: 1}}},
		{Name: "x", Kind: record.Audio{Like: "nothing"}}}.Validate()
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, part := range []string{"Frames -2", "Clips -1", "Stride -1", "FPS +Inf", "Tolerance NaN", "Pad 9",
		"Start.Input excludes Start.Seconds", "End.Seconds NaN: must be finite", "must give all frames of a batch one size",
		"Like v excludes Random", "Times excludes Random", "End.Seconds 1: must be after Start",
		"set Spec.Length, Spec.Rate and Spec.Channels", "Start and End are the window",
		"Like nothing: no field has this name"} {
		assert.ErrorContains(t, err, part)
	}
}

// Audio that follows a video has the samples of the same time.
func TestAudioFollowsVideo(t *testing.T) {
	set := newDecoders(t)
	spec := audio.Spec{Rate: 16000, Channels: 1, Length: 4000}
	s := record.Schema{
		{Name: "clip", Kind: record.Video{Spec: small, Frames: 5, FPS: 20, Clips: 2, Start: record.Time{Input: "start"}}},
		{Name: "sound", Input: "audio", Kind: record.Audio{Spec: spec, Like: "clip"}},
	}
	got, err := decodeAll(t, set, nil, s, map[string]any{"clip": "video/bframes.mp4", "audio": "audio/alac.m4a",
		"start": []byte("0.1")}, order.Draw{})
	require.NoError(t, err)
	a, err := set.Audios.Open(ctx, spool.File(media+"/audio/alac.m4a"), audio.OpenOptions{})
	require.NoError(t, err)
	defer a.Close()
	info := a.Info()
	require.Greater(t, info.Duration(), 0.45, "for the first window")
	for view, begin := range []float64{0.1, 0.75} { // 2 clips of 0.25 s in [0.1, 1)
		name := fmt.Sprintf("sound.%d", view)
		window := spec
		window.Start, window.End, window.Clock = begin, begin+0.25, true
		want, err := a.Read(ctx, window)
		require.NoError(t, err)
		assert.Equal(t, want.Bytes(), got.arrays[name])
		assert.Equal(t, uint64(want.Report.Samples), binary.NativeEndian.Uint64(got.arrays[name+".length"]))
		assert.InDelta(t, want.Report.Start(), got.floats(name + ".start")[0], 1e-9)
		want.Release()
	}
}

// Audio of a window from a table, and a random part of it.
func TestAudioWindows(t *testing.T) {
	set := newDecoders(t)
	spec := audio.Spec{Rate: 8000, Channels: 1, Length: 800}
	k := record.Audio{Spec: spec, Start: record.Time{Input: "start"}, End: record.Time{Input: "end"}}
	values := map[string]any{"a": "audio/flac.flac", "start": []byte("0.1"), "end": []byte("0.15")}
	got, err := decodeAll(t, set, nil, record.Schema{{Name: "a", Kind: k}}, values, order.Draw{})
	require.NoError(t, err)
	assert.Equal(t, []int{400}, got.integers("a.length"), "0.05 s")
	assert.InDelta(t, 0.1, got.floats("a.start")[0], 1e-9)

	k.Random = true
	values["end"] = []byte("0.4")
	begins := map[float64]bool{}
	for id := range uint64(5) {
		got, err := decodeAll(t, set, nil, record.Schema{{Name: "a", Kind: k}}, values, order.Draw{ID: id})
		require.NoError(t, err)
		begin := got.floats("a.start")[0]
		assert.GreaterOrEqual(t, begin, 0.1)
		assert.LessOrEqual(t, begin, 0.3)
		assert.Equal(t, []int{800}, got.integers("a.length"))
		begins[begin] = true
	}
	assert.Greater(t, len(begins), 3)
}

// An optional clip without its file or its time is filled.
func TestAbsentClip(t *testing.T) {
	set := newDecoders(t)
	s := record.Schema{
		{Name: "clip", Optional: true, Kind: record.Video{Spec: small, Frames: 2, Start: record.Time{Input: "start"}}},
		{Name: "sound", Optional: true, Kind: record.Audio{Spec: audio.Spec{Rate: 8000, Channels: 1, Length: 8}}}}
	for _, values := range []map[string]any{{}, {"clip": "video/bframes.mp4"}, {"start": []byte("1")}} {
		got, err := decodeAll(t, set, nil, s, values, order.Draw{})
		require.NoError(t, err)
		assert.Equal(t, []string{"clip", "sound"}, got.Absent)
		for _, b := range got.arrays["clip"] {
			require.EqualValues(t, 0x80, b)
		}
		assert.Equal(t, []byte{0, 0}, got.arrays["clip.valid"])
		assert.Equal(t, make([]byte, 32), got.arrays["sound"])
	}
}
