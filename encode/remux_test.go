package encode_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/internal/short"
)

// hashes are digests of the decoded frames of a stream, in order.
func hashes(t *testing.T, path, stream string) []string {
	t.Helper()
	var list []string
	for line := range strings.SplitSeq(string(ffmpeg(t, nil, "-i", path, "-map", "0:"+stream, "-fps_mode", "passthrough",
		"-f", "framemd5", "-")), "\n") {
		if fields := strings.Split(line, ","); len(fields) == 6 && !strings.HasPrefix(line, "#") {
			list = append(list, strings.TrimSpace(fields[5]))
		}
	}
	return list
}

// video25 is a video file with a key frame every 10 frames, at 25 frames a second, with audio.
func video25(t *testing.T, ending string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "video."+ending)
	args = append([]string{"-loglevel", "error", "-f", "lavfi", "-i", "testsrc=r=25:d=4:s=64x48", "-f", "lavfi", "-i",
		"sine=r=16000:d=4",
		"-c:v", "libx264", "-g", "10", "-sc_threshold", "0", "-c:a", "aac", "-pix_fmt", "yuv420p"}, args...)
	require.NoError(t, exec.CommandContext(t.Context(), "ffmpeg", append(args, path)...).Run())
	return path
}

// The frames are those of the source in every container.
func TestRemuxKeepsFrames(t *testing.T) {
	source := video25(t, "mp4")
	want, audio := hashes(t, source, "v"), hashes(t, source, "a")
	require.Len(t, want, 100)
	folder := t.TempDir()
	for _, name := range []string{"a.mkv", "b.mov", "c.ts", "d.mp4"} {
		path := filepath.Join(folder, name)
		require.NoError(t, encode.Remux(t.Context(), path, spool.File(source), encode.RemuxOptions{}))
		assert.Equal(t, want, hashes(t, path, "v"), name)
		assert.Subset(t, hashes(t, path, "a"), audio[1:len(audio)-1], name) // the encoder's delay is stored differently
		if name != "c.ts" {
			continue
		}
		back := filepath.Join(folder, "e.mp4") // start codes are removed again
		require.NoError(t, encode.Remux(t.Context(), back, spool.File(path),
			encode.RemuxOptions{FormatOptions: map[string]string{"movflags": "faststart"}}))
		assert.Equal(t, want, hashes(t, back, "v"))
	}
	data, err := os.ReadFile(source)
	require.NoError(t, err)
	path := filepath.Join(folder, "audio.m4a")
	require.NoError(t, encode.Remux(t.Context(), path, spool.Bytes{Data: data}, encode.RemuxOptions{Streams: []int{1}}))
	assert.Equal(t, audio, hashes(t, path, "a"))
	s := ffprobe(t, path).Streams
	require.Len(t, s, 1)
	assert.Equal(t, "aac", s[0].CodecName)
	requireOnlyFiles(t, folder, "a.mkv", "b.mov", "c.ts", "d.mp4", "e.mp4", "audio.m4a")
}

func TestRemuxKeepsRotationAndLanguages(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "turned.mov")
	require.NoError(t, encode.Remux(t.Context(), path, spool.File("../testdata/video/turned.mp4"), encode.RemuxOptions{}))
	want, got := ffprobe(t, "../testdata/video/turned.mp4").Streams[0], ffprobe(t, path).Streams[0]
	require.NotEmpty(t, want.SideData)
	assert.Equal(t, want.SideData, got.SideData)
	path = filepath.Join(folder, "languages.mp4")
	require.NoError(t, encode.Remux(t.Context(), path, spool.File("../testdata/video/languages.mkv"),
		encode.RemuxOptions{}))
	languages := func(p probed) (list []string) {
		for _, s := range p.Streams {
			if s.CodecName != "subrip" {
				list = append(list, strings.TrimPrefix(s.Tags["language"], "und"))
			}
		}
		return list
	}
	assert.Equal(t, languages(ffprobe(t, "../testdata/video/languages.mkv")), languages(ffprobe(t, path)))
}

// A window consists of whole GOPs: from the key frame before its start to the key frame after its end.
func TestRemuxOfAWindow(t *testing.T) {
	for _, ending := range []string{"mp4", "ts", "mkv"} {
		source := video25(t, ending)
		all := hashes(t, source, "v")
		start, err := strconv.ParseFloat(ffprobe(t, source).Streams[0].Start, 64) // some muxers shift it by the audio's delay
		require.NoError(t, err)
		for _, c := range short.Some([]struct {
			start, end  float64
			first, last int
		}{{0, 0.1, 0, 10}, {0.9, 1.7, 20, 50}, {1.25, 1.55, 30, 40}, {3.5, 9, 80, 100}}, 3) {
			path := filepath.Join(t.TempDir(), "part.mp4")
			require.NoError(t, encode.Remux(t.Context(), path, spool.File(source),
				encode.RemuxOptions{Start: start + c.start, End: start + c.end}))
			assert.Equal(t, all[c.first:c.last], hashes(t, path, "v"), "%s %v", ending, c)
			s := ffprobe(t, path).Streams
			require.Len(t, s, 2)
			assert.Equal(t, "aac", s[1].CodecName)
		}
	}
	path := filepath.Join(t.TempDir(), "part.flac")
	require.NoError(t, encode.Remux(t.Context(), path, spool.File("../testdata/audio/flac.flac"),
		encode.RemuxOptions{Start: 0.2, End: 0.5}))
	assert.NotEmpty(t, hashes(t, path, "a"))
}

func TestRemuxRefusals(t *testing.T) {
	source := spool.File("../testdata/video/bframes.mp4")
	experiment := spool.File(filepath.Join(t.TempDir(), "audio.thd")) // FFmpeg calls TrueHD in MP4 experimental
	ffmpeg(t, nil, "-f", "lavfi", "-i", "sine=r=48000:d=1", "-ac", "2", "-c:a", "truehd", "-strict", "experimental",
		string(experiment))
	for name, c := range map[string]struct {
		file string
		in   spool.Object
		o    encode.RemuxOptions
		want error
	}{
		"no input":      {"a.mkv", nil, encode.RemuxOptions{}, spool.ErrOptions},
		"no window":     {"a.mkv", source, encode.RemuxOptions{Start: 2, End: 1}, spool.ErrOptions},
		"twice":         {"a.mkv", source, encode.RemuxOptions{Streams: []int{0, 0}}, spool.ErrOptions},
		"no stream":     {"a.mkv", source, encode.RemuxOptions{Streams: []int{7}}, spool.ErrNoSuchFrame},
		"no format":     {"a.clip", source, encode.RemuxOptions{}, spool.ErrUnsupported},
		"not for it":    {"a.wav", source, encode.RemuxOptions{}, spool.ErrUnsupported},
		"no times":      {"a.mp4", spool.File("../testdata/video/raw.h264"), encode.RemuxOptions{}, spool.ErrUnsupported},
		"no pts":        {"a.mkv", spool.File("../testdata/video/mpeg4.avi"), encode.RemuxOptions{}, spool.ErrUnsupported},
		"an experiment": {"a.mp4", experiment, encode.RemuxOptions{}, spool.ErrUnsupported},
		"no file":       {"a.mp4", spool.File("missing.mp4"), encode.RemuxOptions{}, spool.ErrNotFound},
		"no media":      {"a.mp4", spool.Bytes{Data: []byte("what is this?")}, encode.RemuxOptions{}, spool.ErrNotMedia},
		"no such option": {"a.mp4", source, encode.RemuxOptions{FormatOptions: map[string]string{"mov": "1"}},
			spool.ErrOptions},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			require.ErrorIs(t, encode.Remux(t.Context(), filepath.Join(folder, c.file), c.in, c.o), c.want)
			requireOnlyFiles(t, folder)
		})
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "truehd.mp4")
	require.NoError(t, encode.Remux(t.Context(), path, experiment,
		encode.RemuxOptions{FormatOptions: map[string]string{"strict": "experimental"}}))
	requireOnlyFiles(t, folder, "truehd.mp4")
	folder = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, encode.Remux(ctx, filepath.Join(folder, "a.mkv"), source, encode.RemuxOptions{}), spool.ErrCanceled)
	requireOnlyFiles(t, folder)
}
