package graph_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/graph"
	"github.com/spoolmedia/spool/decode/packets"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
)

// command is the standard output of ffmpeg.
func command(t *testing.T, args ...string) []byte {
	t.Helper()
	var complaints bytes.Buffer
	c := exec.CommandContext(t.Context(), "ffmpeg", append([]string{"-loglevel", "error"}, args...)...)
	c.Stderr = &complaints
	out, err := c.Output()
	require.NoError(t, err, complaints.String())
	return out
}

// filtered is all results of a graph, by output.
func filtered(t *testing.T, d *decoders.Set, spec graph.Spec) (data map[string][]byte, times map[string][]float64) {
	t.Helper()
	g, err := graphs(d).Open(t.Context(), spec)
	require.NoError(t, err)
	defer g.Close()
	data, times = map[string][]byte{}, map[string][]float64{}
	for f, err := range g.All(t.Context()) {
		require.NoError(t, err)
		data[f.Label] = append(data[f.Label], f.Bytes()...)
		times[f.Label] = append(times[f.Label], f.PTS)
		f.Release()
	}
	return data, times
}

func clipFile(name string) string  { return filepath.Join(media, "video", name) }
func audioFile(name string) string { return filepath.Join(media, "audio", name) }

// A graph gives the bytes of the ffmpeg command.
func TestGraphsAreThoseOfTheCommand(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	a, b := clipFile("bframes.mp4"), clipFile("opengop.mp4")
	video := func(label, path string) graph.Input {
		return graph.Input{Label: label, Object: spool.File(path)}
	}
	audioInput := func(label, path string) graph.Input {
		return graph.Input{Label: label, Medium: decode.Audio, Object: spool.File(path)}
	}
	rgb := []string{"-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"}
	for name, c := range map[string]struct {
		spec graph.Spec
		args []string
	}{
		"nothing": {graph.Spec{Description: "null", Inputs: []graph.Input{video("", a)}},
			append([]string{"-i", a, "-vf", "null"}, rgb...)},
		"scaled and cropped": {graph.Spec{Description: "scale=96:80:force_original_aspect_ratio=increase,crop=64:64,hflip",
			Inputs: []graph.Input{video("", a)}},
			append([]string{"-i", a, "-vf", "scale=96:80:force_original_aspect_ratio=increase,crop=64:64,hflip"}, rgb...)},
		"another rate": {graph.Spec{Description: "fps=7", Inputs: []graph.Input{video("", clipFile("vfr.mp4"))}},
			append([]string{"-i", clipFile("vfr.mp4"), "-vf", "fps=7"}, rgb...)},
		"two to one": {graph.Spec{Description: "[x][y]vstack", Inputs: []graph.Input{video("y", b), video("x", a)}},
			append([]string{"-i", a, "-i", b, "-filter_complex", "[0:v][1:v]vstack"}, rgb...)},
		"gray": {graph.Spec{Description: "[in]negate", Inputs: []graph.Input{video("in", b)}, Color: decode.Gray},
			[]string{"-i", b, "-vf", "negate", "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "gray", "-"}},
		"a set number of frames": {graph.Spec{Description: "tpad=stop=-1:stop_mode=clone,trim=end_frame=40",
			Inputs: []graph.Input{video("", a)}},
			append([]string{"-i", a, "-vf", "tpad=stop=-1:stop_mode=clone,trim=end_frame=40"}, rgb...)},
		"without times": {graph.Spec{Description: "null", Inputs: []graph.Input{video("", clipFile("raw.h264"))}},
			append([]string{"-i", clipFile("raw.h264"), "-vf", "null"}, rgb...)},
		"audio": {graph.Spec{Description: "anull", Layout: spool.TC,
			Inputs: []graph.Input{audioInput("", audioFile("mp3.mp3"))}},
			[]string{"-i", audioFile("mp3.mp3"), "-f", "f32le", "-"}},
		"audio in shorts": {graph.Spec{Description: "aresample=16000,volume=0.5", DType: spool.Int16, Layout: spool.TC,
			Inputs: []graph.Input{audioInput("", audioFile("flac.flac"))}},
			[]string{"-i", audioFile("flac.flac"), "-af", "aresample=16000,volume=0.5", "-f", "s16le", "-"}},
		"six channels": {graph.Spec{Description: "pan=stereo|c0=c2|c1=c3", Layout: spool.TC,
			Inputs: []graph.Input{audioInput("", audioFile("six.wav"))}},
			[]string{"-i", audioFile("six.wav"), "-af", "pan=stereo|c0=c2|c1=c3", "-f", "f32le", "-"}},
		"audio to video": {graph.Spec{Description: "showwaves=s=64x32:r=10",
			Inputs: []graph.Input{audioInput("", audioFile("flac.flac"))}},
			append([]string{"-i", audioFile("flac.flac"), "-filter_complex", "showwaves=s=64x32:r=10"}, rgb...)},
	} {
		t.Run(name, func(t *testing.T) {
			want := command(t, c.args...)
			got, _ := filtered(t, d, c.spec)
			require.Len(t, got, 1)
			require.NotEmpty(t, want)
			assert.True(t, bytes.Equal(want, got[""]), "%d bytes, not %d", len(got[""]), len(want))
		})
	}
}

// Several outputs, of frames and audio together; a source without inputs.
func TestOutputsOfAGraph(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	a := clipFile("bframes.mp4")
	spec := graph.Spec{Description: "[v]split[big][s];[s]scale=16:16[small];[a]asplit[left][right]", Layout: spool.TC,
		Inputs: []graph.Input{
			{Label: "v", Object: spool.File(a)},
			{Label: "a", Medium: decode.Audio, Object: spool.Bytes{Data: decodetest.ReadFile(t, audioFile("flac.flac"))}}}}
	g, err := graphs(d).Open(t.Context(), spec)
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"big", "small", "left", "right"}, g.Outputs())
	require.NoError(t, g.Close())
	require.NoError(t, g.Close())
	_, err = g.Next(t.Context())
	require.ErrorIs(t, err, spool.ErrClosed)

	got, times := filtered(t, d, spec)
	assert.Equal(t, command(t, "-i", a, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"),
		got["big"])
	assert.Equal(t, command(t, "-i", a, "-vf", "scale=16:16", "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt",
		"rgb24", "-"), got["small"])
	assert.Equal(t, command(t, "-i", audioFile("flac.flac"), "-f", "f32le", "-"), got["left"])
	assert.Equal(t, got["left"], got["right"])
	v := decodetest.OpenVideo(t, d, spool.File(a), video.OpenOptions{})
	require.Len(t, times["big"], v.Len())
	for i, pts := range times["big"] {
		assert.InDelta(t, v.Index().Time(i), pts, 1e-9)
	}

	g, err = graphs(d).Open(t.Context(), graph.Spec{Description: "testsrc2=size=32x24:rate=5:duration=1"})
	require.NoError(t, err)
	defer g.Close()
	for i := range 5 {
		f, err := g.Next(t.Context())
		require.NoError(t, err)
		assert.Equal(t, spool.Desc{Shape: spool.Shape{24, 32, 3}, Layout: spool.HWC}, f.Desc())
		assert.InDelta(t, float64(i)/5, f.PTS, 1e-9)
		f.Release()
	}
	_, err = g.Next(t.Context())
	require.Equal(t, io.EOF, err)
}

// A window selects the video frames that begin in it, and the audio samples in it, both for files and for kept packets.
func TestWindowsOfGraphs(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"bframes.mp4", "bframes.ts", "opengop.mp4", "late.mkv"} {
		v := decodetest.OpenVideo(t, d, spool.File(clipFile(name)), video.OpenOptions{})
		start, end := v.Info().Start+0.25, v.Info().Start+0.6
		first, n := v.Index().Window(start, end)
		list := decodetest.EveryFrame(n)
		for i := range list {
			list[i] += first
		}
		want, _ := decodetest.Frames(t, v, list, video.Spec{})
		got, times := filtered(t, d, graph.Spec{Description: "null",
			Inputs: []graph.Input{{Object: spool.File(clipFile(name)), Start: start, End: end}}})
		assert.True(t, bytes.Equal(want, got[""]), name)
		assert.Len(t, times[""], n)
		p, err := v.Packets(t.Context(), start, end)
		require.NoError(t, err)
		kept, _ := filtered(t, d, graph.Spec{Description: "null", Inputs: []graph.Input{{Packets: p}}})
		assert.True(t, bytes.Equal(want, kept[""]), name)
		p.Release()
	}
	for _, name := range []string{"flac.flac", "mp3.mp3", "opus.opus", "aac.m4a"} {
		t.Run(name, func(t *testing.T) {
			in := spool.File(audioFile(name))
			trim := fmt.Sprintf("atrim=start=%v:end=%v", 0.9, 1.3)
			want := command(t, "-i", string(in), "-af", trim, "-f", "f32le", "-copyts", "-")
			require.NotEmpty(t, want)
			got, times := filtered(t, d, graph.Spec{Description: "anull", Layout: spool.TC,
				Inputs: []graph.Input{{Medium: decode.Audio, Object: in, Start: 0.9, End: 1.3}}})
			assert.True(t, bytes.Equal(want, got[""]), "%d bytes, not %d", len(got[""]), len(want))
			assert.InDelta(t, 0.9, times[""][0], 1e-4)

			p, err := d.Audios.Packets(t.Context(), in, audio.OpenOptions{}, 0.9, 1.3)
			require.NoError(t, err)
			data, err := p.MarshalBinary()
			require.NoError(t, err)
			p.Release()
			there, err := packets.View(data)
			require.NoError(t, err)
			defer there.Release()
			assert.Equal(t, decode.Audio, there.Info().Medium)
			kept, _ := filtered(t, d, graph.Spec{Description: "anull", Layout: spool.TC,
				Inputs: []graph.Input{{Packets: there}}})
			assert.True(t, bytes.Equal(want, kept[""]))
			_, err = d.Videos.OpenPackets(t.Context(), there, video.OpenOptions{})
			require.ErrorIs(t, err, spool.ErrOptions)

			all, err := d.Audios.Packets(t.Context(), in, audio.OpenOptions{}, math.Inf(-1), math.Inf(1))
			require.NoError(t, err)
			data, err = all.MarshalBinary()
			require.NoError(t, err)
			all.Release()
			all, err = packets.Unmarshal(data) // side data hold the number of samples that the encoder added at the front
			require.NoError(t, err)
			defer all.Release()
			whole, _ := filtered(t, d, graph.Spec{Description: "anull", Layout: spool.TC, Inputs: []graph.Input{{Packets: all}}})
			assert.True(t, bytes.Equal(command(t, "-i", string(in), "-f", "f32le", "-"), whole[""]))
		})
	}
}

func TestGraphsThatAreNone(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	in := spool.File(clipFile("bframes.mp4"))
	one := []graph.Input{{Label: "a", Object: in}}
	for name, c := range map[string]struct {
		spec graph.Spec
		want error
		text string
	}{
		"empty": {graph.Spec{}, spool.ErrOptions, "without a description"},
		"all at once": {graph.Spec{Description: "null", DType: spool.Int64,
			Inputs: []graph.Input{{Medium: "picture", Start: 2, End: 1}}}, spool.ErrOptions, "int64"},
		"all at once, 2": {graph.Spec{Description: "null", DType: spool.Int64,
			Inputs: []graph.Input{{Medium: "picture", Start: 2, End: 1}}}, spool.ErrOptions, "from 2 to 1"},
		"no filter":      {graph.Spec{Description: "[a]frobnicate", Inputs: one}, spool.ErrOptions, "frobnicate"},
		"no option":      {graph.Spec{Description: "[a]scale=foo=1", Inputs: one}, spool.ErrOptions, "scale"},
		"no syntax":      {graph.Spec{Description: "[a]scale=[[", Inputs: one}, spool.ErrOptions, "[["},
		"another label":  {graph.Spec{Description: "[b]null", Inputs: one}, spool.ErrOptions, "end b"},
		"one is missing": {graph.Spec{Description: "[a][b]vstack", Inputs: one}, spool.ErrOptions, "end b"},
		"one too many": {graph.Spec{Description: "[a]null", Inputs: append(one, graph.Input{Label: "c", Object: in})},
			spool.ErrOptions, `input "c"`},
		"another kind": {graph.Spec{Description: "[a]anull", Inputs: one}, spool.ErrOptions, "video where"},
		"no audio": {graph.Spec{Description: "anull", Inputs: []graph.Input{{Medium: decode.Audio, Object: in}}},
			spool.ErrNotMedia, ""},
		"no file": {graph.Spec{Description: "null", Inputs: []graph.Input{{Object: spool.File("missing.mp4")}}},
			spool.ErrNotFound, "missing.mp4"},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := graphs(d).Open(t.Context(), c.spec)
			require.ErrorIs(t, err, c.want)
			assert.ErrorContains(t, err, c.text)
			assert.Nil(t, g)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	g, err := graphs(d).Open(ctx, graph.Spec{Description: "null", Inputs: []graph.Input{{Object: in}}})
	require.NoError(t, err)
	defer g.Close()
	cancel()
	_, err = g.Next(ctx)
	require.ErrorIs(t, err, spool.ErrCanceled)
}

// The processor time of a frame is limited. A limit of a nanosecond is spent at the first poll.
func TestProcessorTimeIsLimited(t *testing.T) {
	d := decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxCPU: 1}})
	g, err := graphs(d).Open(t.Context(), graph.Spec{Description: "null",
		Inputs: []graph.Input{{Object: spool.File(clipFile("bframes.mp4"))}}})
	require.NoError(t, err)
	defer g.Close()
	_, err = g.Next(t.Context())
	require.ErrorIs(t, err, spool.ErrTimeout)
	require.ErrorContains(t, err, "more than 1ns of processor time")
}

// Damage is an error, or its output is dropped.
func TestDamageInAGraph(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	whole, _ := filtered(t, d, graph.Spec{Description: "null",
		Inputs: []graph.Input{{Object: spool.File(clipFile("bframes.mp4"))}}})
	data := decodetest.ReadFile(t, clipFile("bframes.mp4"))
	v := decodetest.OpenVideo(t, d, spool.Bytes{Data: data}, video.OpenOptions{})
	for n, p := range v.Index().Packets { // clear the second half of every other packet
		if n%2 == 1 {
			clear(data[p.Pos+6 : p.Pos+int64(p.Size)])
		}
	}
	in := []graph.Input{{Object: spool.Bytes{Data: data}}}
	g, err := graphs(d).Open(t.Context(), graph.Spec{Description: "null", Inputs: in})
	for err == nil {
		var f *graph.Output
		if f, err = g.Next(t.Context()); err == nil {
			f.Release()
		}
	}
	if g != nil {
		require.NoError(t, g.Close())
	}
	require.ErrorIs(t, err, spool.ErrCorrupt)
	got, _ := filtered(t, d, graph.Spec{Description: "null", Inputs: in, SkipDamage: true})
	assert.NotEmpty(t, got[""])
	assert.Less(t, len(got[""]), len(whole[""])+1)
}
