package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/internal/short"
)

// Frames have the same pixels, times and states as in Go.
func TestVideos(t *testing.T) {
	program := compile(t, "testdata/video.c", sanitized...)
	for _, c := range short.Some([]struct{ file, spec string }{
		{"bframes.mp4", `{}`},
		{"vfr.mp4", `{"times": [0.3, 0.1], "size": [20, 30], "layout": "nchw", "dtype": "float32"}`},
		{"turned.mp4", `{"range": "3:12:4", "color": "gray"}`},
		{"damaged.mp4", `{"on_damage": "repeat"}`},
		{"damaged.mp4", `{"on_damage": "skip", "sample": 12}`},
		{"deep.mp4", `{"start": 0.2, "end": 0.3, "dtype": "uint16"}`},
		{"late.mkv", `{"frames": [24, 0, 24], "planes": "planar"}`},
		{"languages.mkv", `{"stream": 1, "threads": 2}`},
	}, 2) {
		t.Run(c.file+c.spec, func(t *testing.T) {
			path, out := filepath.Join(testdata, "video", c.file), filepath.Join(t.TempDir(), "out")
			lines := strings.Split(strings.TrimSuffix(start(t, "", program, "decode", path, c.spec, out), "\n"), "\n")
			got, err := os.ReadFile(out)
			require.NoError(t, err)
			info, frames, pixels := videoInGo(t, c.spec, path)
			assert.Equal(t, frames, lines[1:])
			assert.Equal(t, pixels, got)
			var told videoInfo
			require.NoError(t, json.Unmarshal([]byte(lines[0]), &told))
			width, height := info.Oriented()
			assert.Equal(t, []any{info.Codec, info.Frames, width, height, info.Start, info.End, info.Stream},
				[]any{told.Codec, told.Frames, told.Width, told.Height, told.Start, told.End, told.Stream})
			assert.Positive(t, told.Bytes)
		})
	}
}

// videoInGo returns what testdata/video.c prints and writes, from package decode.
func videoInGo(t *testing.T, json, path string) (info video.Info, frames []string, pixels []byte) {
	t.Helper()
	var (
		s settings.Set
		o settings.DecodeVideo
	)
	judge := s.DecodeVideo(&o)
	s.JSON([]byte(json))
	judge()
	require.NoError(t, s.Err())
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	v, err := d.Videos.Open(context.Background(), spool.File(path), o.Open)
	require.NoError(t, err)
	defer func() { require.NoError(t, v.Close()) }()
	wanted, all, err := o.Frames.Of(v)
	require.NoError(t, err)
	for i := 0; all && i < v.Len(); i++ {
		wanted = append(wanted, i)
	}
	clip, err := v.Frames(context.Background(), wanted, o.Spec)
	require.NoError(t, err)
	defer clip.Release()
	size := len(clip.Bytes()) / len(clip.Frames)
	for i, f := range clip.Frames {
		if o.Skip && f.State == video.Missing {
			continue
		}
		frames = append(frames, fmt.Sprintf("%d %.17g %.17g %d", f.Index, f.PTS, f.Duration, f.State))
		pixels = append(pixels, clip.Bytes()[i*size:(i+1)*size]...)
	}
	return v.Info(), frames, pixels
}

// Frames that could not be decoded are removed from a clip, with their pixels.
func TestLeave(t *testing.T) {
	states := []video.FrameState{video.Missing, video.Whole, video.Missing, video.Damaged, video.Whole, video.Missing}
	c := clip{memory: []byte{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}}
	c.report.Desc.Shape = []int{6, 1, 2, 1}
	for i, s := range states {
		c.report.Frames = append(c.report.Frames, video.Frame{Index: i, State: s})
	}
	shape := c.report.Desc.Shape
	c.dropMissing()
	assert.Equal(t, []byte{1, 1, 3, 3, 4, 4}, c.memory[:6])
	assert.Equal(t, "[3 1 2 1]", fmt.Sprint(c.report.Desc.Shape))
	assert.Equal(t, 6, shape[0])
	for i, want := range []int{1, 3, 4} {
		assert.Equal(t, want, c.report.Frames[i].Index)
	}
	var none clip
	none.report.Desc.Shape = []int{0, 1, 2, 1}
	none.dropMissing()
	assert.Empty(t, none.report.Frames)
}

func TestVideoCalls(t *testing.T) {
	start(t, "", compile(t, "testdata/video.c", sanitized...), "calls", filepath.Join(testdata, "video/bframes.mp4"))
}

func TestAudioCalls(t *testing.T) {
	start(t, "", compile(t, "testdata/audio.c", sanitized...), filepath.Join(testdata, "audio/s16.wav"),
		filepath.Join(testdata, "video/bframes.mp4"))
}
