package encode_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/encode"
)

// write makes a file with one video.
func write(t testing.TB, path string, v encode.Video, pixels []byte, d spool.Desc) {
	t.Helper()
	w, err := encode.Create(t.Context(), path, encode.Options{Video: &v})
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, w.Frames(t.Context(), pixels, d))
	require.NoError(t, w.Finish(t.Context()))
}

// Lossless video is decoded to the original pixels.
func TestLosslessVideoComesBack(t *testing.T) {
	for name, v := range map[string]encode.Video{
		"rgb.mkv":   {Codec: "ffv1"},
		"rgb.mp4":   {Codec: "libx264rgb", Stored: "rgb24", CodecOptions: map[string]string{"crf": "0"}},
		"gray.mkv":  {Codec: "ffv1", Pixels: encode.Gray},
		"rgba.mkv":  {Codec: "ffv1", Pixels: encode.RGBA},
		"odd.mkv":   {Codec: "ffv1", Width: 37, Height: 23},
		"yuv.mkv":   {Codec: "ffv1", Pixels: encode.YUV420P},
		"yuv.mp4":   {Codec: "libx264", Pixels: encode.YUV420P, CodecOptions: map[string]string{"crf": "0"}},
		"three.mkv": {Codec: "ffv1", Threads: 3},
	} {
		t.Run(name, func(t *testing.T) {
			if v.Width == 0 {
				v.Width, v.Height = 48, 36
			}
			channels := map[encode.Pixels]int{encode.Gray: 1, encode.RGBA: 4}[v.Pixels]
			if channels == 0 {
				channels = 3
			}
			pixels, d := movingFrames(5, v.Height, v.Width, channels)
			if v.Pixels == encode.YUV420P {
				pixels = pixels[:5*v.Width*v.Height*3/2]
				d = spool.Desc{Shape: spool.Shape{5, v.Height * 3 / 2, v.Width, 1}, Layout: spool.NHWC}
			}
			path := filepath.Join(t.TempDir(), name)
			write(t, path, v, pixels, d)
			got := ffmpeg(t, nil, "-i", path, "-f", "rawvideo", "-pix_fmt", v.Pixels.String(), "-")
			assert.True(t, bytes.Equal(pixels, got), "%d bytes, %d came back", len(pixels), len(got))
			s := ffprobe(t, path).Streams
			require.Len(t, s, 1)
			assert.Equal(t, "25/1", s[0].Rate)
			assert.Equal(t, "5", s[0].Frames)
		})
	}
}

// RGB is converted to the same YUV as by the ffmpeg command.
func TestColoursAreThoseOfTheCommand(t *testing.T) {
	for _, size := range [][2]int{{96, 64}, {1280, 720}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			width, height := size[0], size[1]
			matrix, tag := "bt601", "smpte170m"
			if height >= 720 {
				matrix, tag = "bt709", "bt709"
			}
			pixels, d := movingFrames(2, height, width, 3)
			path := filepath.Join(t.TempDir(), "a.mkv")
			write(t, path, encode.Video{Width: width, Height: height, Codec: "ffv1", Stored: "yuv420p"}, pixels, d)
			want := ffmpeg(t, pixels, "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", fmt.Sprintf("%dx%d", width, height), "-i",
				"-",
				"-vf", "scale=out_color_matrix="+matrix, "-pix_fmt", "yuv420p", "-f", "rawvideo", "-")
			got := ffmpeg(t, nil, "-i", path, "-f", "rawvideo", "-")
			assert.True(t, bytes.Equal(want, got), "%d bytes, %d came back", len(want), len(got))
			s := ffprobe(t, path).Streams[0]
			assert.Equal(t, [3]string{"yuv420p", tag, "tv"}, [3]string{s.PixFmt, s.ColorSpace, s.ColorRange})
		})
	}
}

// Every container with FFmpeg's default codecs for it, and with some others; the loss is small.
func TestContainersAndCodecs(t *testing.T) {
	for name, c := range map[string]struct {
		video        encode.Video
		codec, store string
		mean         float64 // largest mean difference from the original
	}{
		"a.mp4":  {encode.Video{}, "h264", "yuv420p", 6},
		"b.mkv":  {encode.Video{}, "h264", "yuv420p", 6},
		"c.webm": {encode.Video{CodecOptions: map[string]string{"b": "2M", "cpu-used": "8"}}, "vp9", "yuv420p", 8},
		"d.mp4":  {encode.Video{Width: 51, Height: 35, CodecOptions: map[string]string{"crf": "10"}}, "h264", "yuv444p", 3},
		"e.mov":  {encode.Video{Codec: "mjpeg", CodecOptions: map[string]string{"b": "10M"}}, "mjpeg", "yuvj420p", 6},
		"f.mp4": {encode.Video{Codec: "mpeg4", CodecOptions: map[string]string{"b": "4M"}, Rate: 29.97}, "mpeg4", "yuv420p",
			6},
		"g.mkv": {encode.Video{Codec: "hevc",
			CodecOptions: map[string]string{"preset": "ultrafast", "x265-params": "log-level=none:pools=none"}}, "hevc",
			"yuv420p", 9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := c.video
			if v.Width == 0 {
				v.Width, v.Height = 64, 48
			}
			pixels, d := movingFrames(9, v.Height, v.Width, 3)
			path := filepath.Join(t.TempDir(), name)
			write(t, path, v, pixels, d)
			s := ffprobe(t, path).Streams[0]
			assert.Equal(t, [4]any{c.codec, c.store, v.Width, v.Height}, [4]any{s.CodecName, s.PixFmt, s.Width, s.Height})
			assert.Equal(t, "9", s.Frames)
			if v.Rate == 29.97 {
				assert.Equal(t, "30000/1001", s.Rate)
			}
			got := ffmpeg(t, nil, "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
			require.Len(t, got, len(pixels))
			assert.Less(t, meanDifference(pixels, got), c.mean)
		})
	}
}

func meanDifference(a, b []byte) float64 {
	sum := 0
	for i := range a {
		sum += max(int(a[i])-int(b[i]), int(b[i])-int(a[i]))
	}
	return float64(sum) / float64(len(a))
}

// sine is n samples of a tone in each channel, of a type.
func sine(dtype spool.DType, layout spool.Layout, channels, n int) ([]byte, spool.Desc) {
	at := func(c, i int) float64 { return 0.5 * math.Sin(float64(i)*0.05*float64(c+1)) }
	var samples []byte
	add := func(c, i int) {
		switch v := at(c, i); dtype {
		case spool.Float32:
			samples = binary.LittleEndian.AppendUint32(samples, math.Float32bits(float32(v)))
		case spool.Int16:
			samples = binary.LittleEndian.AppendUint16(samples, uint16(int16(v*32767)))
		case spool.Int32:
			samples = binary.LittleEndian.AppendUint32(samples, uint32(int32(v*(1<<23-1))<<8))
		}
	}
	shape := spool.Shape{channels, n}
	if layout == spool.TC {
		shape = spool.Shape{n, channels}
		for i := range n {
			for c := range channels {
				add(c, i)
			}
		}
	} else {
		for c := range channels {
			for i := range n {
				add(c, i)
			}
		}
	}
	return samples, spool.Desc{Shape: shape, DType: dtype, Layout: layout}
}

// Lossless audio is decoded to the original samples, whatever the sizes of the writes.
func TestLosslessAudioComesBack(t *testing.T) {
	for name, a := range map[string]encode.Audio{
		"float.wav":  {DType: spool.Float32, Codec: "pcm_f32le", Channels: 2},
		"short.wav":  {DType: spool.Int16, Layout: spool.TC, Channels: 1},
		"short.flac": {DType: spool.Int16, Channels: 2},
		"int.flac":   {DType: spool.Int32, Layout: spool.TC, Channels: 6},
		"int.mkv":    {DType: spool.Int32, Codec: "pcm_s32le", Channels: 3},
	} {
		t.Run(name, func(t *testing.T) {
			a.Rate = 22050
			path := filepath.Join(t.TempDir(), name)
			w, err := encode.Create(t.Context(), path, encode.Options{Audio: &a})
			require.NoError(t, err)
			defer w.Close()
			var want []byte
			for _, n := range []int{1, 5000, 0, 70000, 17} {
				samples, d := sine(a.DType, a.Layout, a.Channels, n)
				if a.Layout == spool.Flat {
					d.Layout = spool.CT
				}
				require.NoError(t, w.Samples(t.Context(), samples, d))
				interleaved, _ := sine(a.DType, spool.TC, a.Channels, n)
				want = append(want, interleaved...)
			}
			require.NoError(t, w.Finish(t.Context()))
			codec := map[spool.DType]string{spool.Float32: "f32le", spool.Int16: "s16le", spool.Int32: "s32le"}[a.DType]
			got := ffmpeg(t, nil, "-i", path, "-f", codec, "-")
			assert.True(t, bytes.Equal(want, got), "%d bytes, %d came back", len(want), len(got))
			assert.Equal(t, a.Channels, ffprobe(t, path).Streams[0].Channels)
		})
	}
}

// Floats are converted to the same integers as by the ffmpeg command.
func TestSamplesAreThoseOfTheCommand(t *testing.T) {
	samples, d := sine(spool.Float32, spool.TC, 2, 12345)
	for _, name := range []string{"a.wav", "a.flac"} {
		path := filepath.Join(t.TempDir(), name)
		w, err := encode.Create(t.Context(), path,
			encode.Options{Audio: &encode.Audio{Rate: 48000, Channels: 2, Layout: spool.TC}})
		require.NoError(t, err)
		defer w.Close()
		require.NoError(t, w.Samples(t.Context(), samples, d))
		require.NoError(t, w.Finish(t.Context()))
		want := ffmpeg(t, samples, "-f", "f32le", "-ar", "48000", "-ac", "2", "-i", "-", "-f", "s16le", "-")
		got := ffmpeg(t, nil, "-i", path, "-f", "s16le", "-")
		assert.True(t, bytes.Equal(want, got), name)
	}
}

// Video and audio in one file: in memory and on disk, the bytes are the same.
func TestBothInOneFile(t *testing.T) {
	o := encode.Options{Video: &encode.Video{Width: 64, Height: 48, Rate: 10, Codec: "mpeg4"},
		Audio:  &encode.Audio{Rate: 16000, Channels: 1},
		Format: "mp4", FormatOptions: map[string]string{"fflags": "+bitexact"}}
	fill := func(w *encode.Writer) {
		for i := range 10 {
			pixels, d := movingFrames(1, 48, 64, 3)
			d.Shape, d.Layout = d.Shape[1:], spool.HWC
			require.NoError(t, w.Frames(t.Context(), pixels, d), i)
			samples, s := sine(spool.Float32, spool.CT, 1, 1600)
			require.NoError(t, w.Samples(t.Context(), samples, s), i)
		}
		require.NoError(t, w.Finish(t.Context()))
		require.NoError(t, w.Close())
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "both.video")
	w, err := encode.Create(t.Context(), path, o)
	require.NoError(t, err)
	fill(w)
	requireOnlyFiles(t, folder, "both.video")
	var memory bytes.Buffer
	w, err = encode.New(t.Context(), &memory, o)
	require.NoError(t, err)
	fill(w)
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(file, memory.Bytes()))
	s := ffprobe(t, path).Streams
	require.Len(t, s, 2)
	assert.Equal(t, [2]string{"mpeg4", "aac"}, [2]string{s[0].CodecName, s[1].CodecName})
	assert.Equal(t, "10", s[0].Frames)
	packets, err := strconv.Atoi(s[1].Packets)
	require.NoError(t, err)
	assert.InDelta(t, 17, packets, 1) // 16000 / 1024, and what the encoder adds at the front
}

// The container's options are applied: moving the index to the front reads the file again.
func TestFastStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mp4")
	w, err := encode.Create(t.Context(), path,
		encode.Options{Video: &encode.Video{Width: 64, Height: 48},
			FormatOptions: map[string]string{"movflags": "faststart"}})
	require.NoError(t, err)
	defer w.Close()
	pixels, d := movingFrames(4, 48, 64, 3)
	require.NoError(t, w.Frames(t.Context(), pixels, d))
	require.NoError(t, w.Finish(t.Context()))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	index, media := bytes.Index(data, []byte("moov")), bytes.Index(data, []byte("mdat"))
	assert.Positive(t, index)
	assert.Less(t, index, media)
	assert.Equal(t, "4", ffprobe(t, path).Streams[0].Frames)
}

// A file appears complete or not at all.
func TestWholeOrNotAtAll(t *testing.T) {
	o := encode.Options{Video: &encode.Video{Width: 32, Height: 32}}
	pixels, d := movingFrames(3, 32, 32, 3)
	t.Run("closed early", func(t *testing.T) {
		folder := t.TempDir()
		path := filepath.Join(folder, "a.mp4")
		require.NoError(t, os.WriteFile(path, []byte("before"), 0o600))
		w, err := encode.Create(t.Context(), path, o)
		require.NoError(t, err)
		require.NoError(t, w.Frames(t.Context(), pixels, d))
		require.NoError(t, w.Close())
		require.NoError(t, w.Close())
		require.ErrorIs(t, w.Frames(t.Context(), pixels, d), spool.ErrClosed)
		require.ErrorIs(t, w.Finish(t.Context()), spool.ErrClosed)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "before", string(data))
		requireOnlyFiles(t, folder, "a.mp4")
	})
	t.Run("nothing written", func(t *testing.T) {
		folder := t.TempDir()
		w, err := encode.Create(t.Context(), filepath.Join(folder, "a.mp4"), o)
		require.NoError(t, err)
		require.ErrorIs(t, w.Finish(t.Context()), spool.ErrEmpty)
		require.NoError(t, w.Close())
		requireOnlyFiles(t, folder)
	})
	t.Run("cancelled", func(t *testing.T) {
		folder := t.TempDir()
		w, err := encode.Create(t.Context(), filepath.Join(folder, "a.mp4"), o)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		require.NoError(t, w.Frames(ctx, pixels, d))
		cancel()
		err = w.Frames(ctx, pixels, d)
		require.ErrorIs(t, err, spool.ErrCanceled)
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, w.Close())
		requireOnlyFiles(t, folder)
	})
}

func TestRefusals(t *testing.T) {
	video := &encode.Video{Width: 32, Height: 32}
	for name, c := range map[string]struct {
		file string
		o    encode.Options
		want error
		text string
	}{
		"nothing": {"a.mp4", encode.Options{}, spool.ErrOptions, "neither video nor audio"},
		"no size": {"a.mp4", encode.Options{Video: &encode.Video{Rate: -1}, Audio: &encode.Audio{Channels: 1}},
			spool.ErrOptions, "Video.Width 0 and Video.Height 0"},
		"all at once": {"a.mp4", encode.Options{Video: &encode.Video{Rate: -1}, Audio: &encode.Audio{Channels: 1}},
			spool.ErrOptions, "Audio.Rate 0"},
		"no encoder": {"a.mp4", encode.Options{Video: &encode.Video{Width: 32, Height: 32, Codec: "cinepak9"}},
			spool.ErrUnsupported, "libx264"},
		"audio for video": {"a.mp4", encode.Options{Video: &encode.Video{Width: 32, Height: 32, Codec: "aac"}},
			spool.ErrUnsupported, "no video encoder"},
		"no format":      {"a.clip", encode.Options{Video: video}, spool.ErrUnsupported, "a.clip"},
		"several files":  {"a.m3u8", encode.Options{Video: video}, spool.ErrUnsupported, "several files"},
		"no such stream": {"a.wav", encode.Options{Video: video}, spool.ErrUnsupported, "wav has no video"},
		"not in container": {"a.webm", encode.Options{Video: &encode.Video{Width: 32, Height: 32, Codec: "h264"}},
			spool.ErrUnsupported, "container"},
		"no such option": {"a.mp4", encode.Options{Video: &encode.Video{Width: 32, Height: 32,
			CodecOptions: map[string]string{"crfff": "1"}}}, spool.ErrOptions, "crfff"},
		"bad option": {"a.mp4", encode.Options{Video: &encode.Video{Width: 32, Height: 32,
			CodecOptions: map[string]string{"crf": "much"}}}, spool.ErrOptions, "much"},
		"no such pixels": {"a.mp4", encode.Options{Video: &encode.Video{Width: 32, Height: 32, Stored: "rgb48le"}},
			spool.ErrUnsupported, "rgb48le"},
		"no such rate": {"a.webm", encode.Options{Audio: &encode.Audio{Rate: 44100, Channels: 1}}, spool.ErrUnsupported,
			"48000, 24000"},
		"odd 4:2:0": {"a.mp4", encode.Options{Video: &encode.Video{Width: 33, Height: 32, Stored: "yuv420p"}},
			spool.ErrOptions, "33x32"},
		"no folder": {"missing/a.mp4", encode.Options{Video: video}, spool.ErrNotFound, "a.mp4"},
		"muxer's option": {"a.mp4", encode.Options{Video: video, FormatOptions: map[string]string{"movflagz": "x"}},
			spool.ErrOptions, "movflagz"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			w, err := encode.Create(t.Context(), filepath.Join(folder, c.file), c.o)
			require.ErrorIs(t, err, c.want)
			assert.ErrorContains(t, err, c.text)
			assert.Nil(t, w)
			requireOnlyFiles(t, folder)
		})
	}
	_, err := encode.New(t.Context(), nil, encode.Options{})
	require.ErrorIs(t, err, spool.ErrOptions)
	assert.ErrorContains(t, err, "no writer")
	assert.ErrorContains(t, err, "needs a format")
}

func TestShapes(t *testing.T) {
	w, err := encode.New(t.Context(), &bytes.Buffer{}, encode.Options{Format: "matroska",
		Video: &encode.Video{Width: 8, Height: 6, Codec: "ffv1"},
		Audio: &encode.Audio{Rate: 8000, Channels: 2, Codec: "pcm_f32le"}})
	require.NoError(t, err)
	defer w.Close()
	frame := make([]byte, 8*6*3)
	for _, d := range []spool.Desc{
		{Shape: spool.Shape{8, 6, 3}, Layout: spool.HWC},
		{Shape: spool.Shape{3, 6, 8}, Layout: spool.CHW},
		{Shape: spool.Shape{6, 8, 3}, Layout: spool.HWC, DType: spool.Float32},
		{Shape: spool.Shape{6, 8, 4}, Layout: spool.HWC},
		{Shape: spool.Shape{8 * 6 * 3}},
	} {
		assert.ErrorIs(t, w.Frames(t.Context(), frame, d), spool.ErrShape, "%v", d)
	}
	assert.NoError(t, w.Frames(t.Context(), nil, spool.Desc{Shape: spool.Shape{0, 6, 8, 3}, Layout: spool.NHWC}))
	samples := make([]byte, 4*2*10)
	for _, d := range []spool.Desc{
		{Shape: spool.Shape{10, 2}, Layout: spool.TC, DType: spool.Float32},
		{Shape: spool.Shape{2, 10}, Layout: spool.CT, DType: spool.Int32},
		{Shape: spool.Shape{4, 5}, Layout: spool.CT, DType: spool.Float32},
		{Shape: spool.Shape{20}, DType: spool.Float32},
	} {
		assert.ErrorIs(t, w.Samples(t.Context(), samples, d), spool.ErrShape, "%v", d)
	}
	require.NoError(t, w.Frames(t.Context(), frame, spool.Desc{Shape: spool.Shape{6, 8, 3}, Layout: spool.HWC}))
	require.NoError(t, w.Samples(t.Context(), samples,
		spool.Desc{Shape: spool.Shape{2, 10}, Layout: spool.CT, DType: spool.Float32}))
	require.NoError(t, w.Finish(t.Context()))
	require.ErrorIs(t, w.Finish(t.Context()), spool.ErrClosed)
}
