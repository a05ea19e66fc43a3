package av_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/timing"
)

const shared = "../../../shared/media"

// later is true if this FFmpeg is newer than 5.1, which most expectations are for.
var later = !strings.HasPrefix(av.Version(), "5.")

// Media equals torchcodec's metadata of the public and the generated clips.
func TestSharedMedia(t *testing.T) {
	text, err := os.ReadFile(need.Media(t, "expected/index.json"))
	require.NoError(t, err)
	var index map[string]struct {
		Kind, Codec, Rotation string
		Width, Height         int
		Frames                int64
		PTS                   []float64
		Audio                 *struct {
			Rate  int
			Shape []int
		}
	}
	require.NoError(t, json.Unmarshal(text, &index))
	seen := 0
	for name, want := range index {
		if want.Kind != "video" && want.Audio == nil || filepath.Ext(name) == ".jpg" {
			continue
		}
		seen++
		t.Run(name, func(t *testing.T) {
			m, err := probe(t.Context(), filepath.Join(shared, name))
			require.NoError(t, err)
			if want.Kind == "video" {
				v := m.Best(av.Video)
				require.NotNil(t, v)
				width, height := v.Width, v.Height
				if v.Rotation == 90 || v.Rotation == -90 { // torchcodec returns the display size
					width, height = height, width
				}
				assert.Equal(t, want.Codec, v.Codec)
				assert.Equal(t, [2]int{want.Width, want.Height}, [2]int{width, height})
				if want.Rotation != "None" {
					angle, err := strconv.ParseFloat(want.Rotation, 64)
					require.NoError(t, err)
					assert.InDelta(t, angle, v.Rotation, 1e-9)
				}
				if v.Frames > 0 {
					assert.Equal(t, want.Frames, v.Frames)
				}
				if len(want.PTS) > 0 {
					assert.InDelta(t, want.PTS[0], v.Start.Seconds(), 1e-6)
				}
			}
			if want.Audio != nil {
				a := m.Best(av.Audio)
				require.NotNil(t, a)
				assert.Equal(t, want.Audio.Rate, a.Rate)
				assert.Equal(t, want.Audio.Shape[0], a.Channels)
			}
		})
	}
	assert.Greater(t, seen, 40)
}

func TestSharedOddFiles(t *testing.T) {
	need.Media(t)
	radiance := spool.ErrUnsupported // an image format that FFmpeg 5.1 does not support
	if strings.HasPrefix(av.Version(), "5.") {
		radiance = spool.ErrNotMedia
	}
	for name, class := range map[string]spool.Class{
		"video/truncated.ts": "", "video/raw.h264": "", "audio/truncated.mp3": "", "audio/adpcm.wav": "",
		"video/truncated.mp4": spool.ErrCorrupt,
		"hard/empty.jpg":      spool.ErrEmpty,
		"hard/text.jpg":       spool.ErrNotMedia,
		"hard/zeros.jpg":      spool.ErrNotMedia,
		"torchcodec/LICENSE":  spool.ErrNotMedia,
		"libvips/sample.hdr":  radiance,
		"hard/gray.png":       spool.ErrUnsupported,
	} {
		start := time.Now()
		_, err := probe(t.Context(), filepath.Join(shared, name))
		assert.Equal(t, class, spool.ClassOf(err), name)
		timing.Within(t, time.Since(start), 2*time.Second, name)
	}
}

// ffprobe reads the same fields with the same library through other code.
func TestAgainstFFprobe(t *testing.T) {
	ffprobe := need.Command(t, "ffprobe")
	var files []string
	for _, pattern := range []string{"testdata/*.*", shared + "/video/[!c]*", shared + "/audio/*",
		shared + "/torchcodec/*.mp*", shared + "/torchcodec/*.wav", shared + "/torchcodec/*.mkv",
		shared + "/torchcodec/*.webm"} {
		matches, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, matches...)
	}
	for i, file := range files {
		if testing.Short() && i%10 != 0 {
			continue
		}
		m, err := probe(t.Context(), file)
		if err != nil {
			continue // other tests check which files fail
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := exec.CommandContext(t.Context(), ffprobe, "-v", "error", "-of", "json", "-show_format", "-show_streams",
				file).Output()
			require.NoError(t, err)
			var want struct {
				Format  map[string]any
				Streams []map[string]any
			}
			require.NoError(t, json.Unmarshal(text, &want))
			assert.Equal(t, want.Format["format_name"], m.Format)
			sameTime(t, want.Format["start_time"], m.Start)
			sameTime(t, want.Format["duration"], m.Duration)
			require.Len(t, m.Streams, len(want.Streams))
			for i, s := range m.Streams {
				w := want.Streams[i]
				assert.Equal(t, w["codec_name"], s.Codec)
				sameTime(t, w["start_time"], s.Start)
				sameTime(t, w["duration"], s.Duration)
				assert.Equal(t, w["time_base"], strconv.Itoa(s.TimeBase.Num)+"/"+strconv.Itoa(s.TimeBase.Den))
				if start, ok := w["start_pts"].(float64); ok {
					assert.Equal(t, int64(start), s.StartPTS)
				} else {
					assert.Equal(t, int64(av.NoPTS), s.StartPTS)
				}
				disposition, _ := w["disposition"].(map[string]any)
				assert.Equal(t, disposition["default"] == 1.0, s.Default)
				tags, _ := w["tags"].(map[string]any)
				if language, _ := tags["language"].(string); language != "und" {
					assert.Equal(t, language, s.Language)
				}
				frames, _ := w["nb_frames"].(string)
				if frames != "" {
					assert.Equal(t, frames, strconv.FormatInt(s.Frames, 10))
				}
				switch s.Kind {
				case av.Video:
					assert.Equal(t, "video", w["codec_type"])
					assert.Equal(t, w["width"], float64(s.Width))
					assert.Equal(t, w["height"], float64(s.Height))
					assert.Equal(t, w["pix_fmt"], s.PixelFormat)
					assert.Equal(t, w["avg_frame_rate"], strconv.Itoa(s.FrameRate.Num)+"/"+strconv.Itoa(s.FrameRate.Den))
				case av.Audio:
					assert.Equal(t, "audio", w["codec_type"])
					assert.Equal(t, w["channels"], float64(s.Channels))
					layout, _ := w["channel_layout"].(string)
					assert.Equal(t, layout, s.Layout)
					assert.Equal(t, w["sample_rate"], strconv.Itoa(s.Rate))
				}
			}
		})
	}
}

// sameTime compares a time with ffprobe's, which is rounded to a microsecond and missing if unknown.
func sameTime(t *testing.T, want any, got time.Duration) {
	text, _ := want.(string)
	if text == "" {
		text = "0"
	}
	seconds, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	assert.InDelta(t, seconds, got.Seconds(), 1.1e-6)
}
