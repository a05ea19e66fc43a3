package encode_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/packets"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
)

// videoPackets are the packets of a window of a video.
func videoPackets(t *testing.T, path string, start, end float64) *packets.Packets {
	t.Helper()
	d := decodetest.New(t, decoders.Options{})
	v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
	p, err := v.Packets(t.Context(), start, end)
	require.NoError(t, err)
	t.Cleanup(p.Release)
	return p
}

// audioPackets are all packets of an audio stream.
func audioPackets(t *testing.T, path string) *packets.Packets {
	t.Helper()
	d := decodetest.New(t, decoders.Options{})
	p, err := d.Audios.Packets(t.Context(), spool.File(path), audio.OpenOptions{}, math.Inf(-1), math.Inf(1))
	require.NoError(t, err)
	t.Cleanup(p.Release)
	return p
}

// copied is a file with the streams that ffmpeg's codec copy writes.
func copied(t *testing.T, path string, args ...string) []byte {
	t.Helper()
	return ffmpeg(t, nil, append([]string{"-i", path, "-c", "copy"}, args...)...)
}

func TestMuxKeepsFrames(t *testing.T) {
	source := video25(t, "mp4")
	want, sound := hashes(t, source, "v"), hashes(t, source, "a")
	clip, heard := videoPackets(t, source, math.Inf(-1), math.Inf(1)), audioPackets(t, source)
	folder := t.TempDir()
	for _, name := range []string{"a.mkv", "b.mov", "c.ts", "d.mp4"} {
		path := filepath.Join(folder, name)
		require.NoError(t, encode.Mux(t.Context(), path, []*packets.Packets{clip, heard}, encode.MuxOptions{}))
		assert.Equal(t, want, hashes(t, path, "v"), name)
		assert.Subset(t, hashes(t, path, "a"), sound[1:len(sound)-1], name) // the encoder's delay is stored differently
		assert.Equal(t, "25/1", ffprobe(t, path).Streams[0].Rate)
	}
	requireOnlyFiles(t, folder, "a.mkv", "b.mov", "c.ts", "d.mp4")
}

// packet is ffprobe's line of a packet.
type packet struct {
	PTS      int64  `json:"pts"`
	DTS      int64  `json:"dts"`
	Duration int64  `json:"duration"`
	Size     string `json:"size"`
	Flags    string `json:"flags"`
}

func packetsOf(t *testing.T, path string) []packet {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-loglevel", "error", "-of", "json", "-show_packets",
		"-select_streams", "v", path).Output()
	require.NoError(t, err)
	var found struct{ Packets []packet }
	require.NoError(t, json.Unmarshal(out, &found))
	return found.Packets
}

// Times and flags are those of ffmpeg's codec copy.
func TestMuxKeepsTimes(t *testing.T) {
	for _, name := range []string{"bframes.mp4", "vfr.mp4", "opengop.mp4"} {
		source := "../testdata/video/" + name
		want, got := filepath.Join(t.TempDir(), "want.mkv"), filepath.Join(t.TempDir(), "got.mkv")
		copied(t, source, want)
		require.NoError(t, encode.Mux(t.Context(), got,
			[]*packets.Packets{videoPackets(t, source, math.Inf(-1), math.Inf(1))}, encode.MuxOptions{}))
		assert.Equal(t, packetsOf(t, want), packetsOf(t, got), name)
	}
}

// A bitstream filter gives the bytes of ffmpeg's.
func TestMuxOfFilteredPackets(t *testing.T) {
	source := "../testdata/video/bframes.mp4"
	want := copied(t, source, "-bsf:v", "h264_mp4toannexb", "-f", "h264", "-")
	filtered, err := videoPackets(t, source, math.Inf(-1), math.Inf(1)).Filter(t.Context(), "h264_mp4toannexb")
	require.NoError(t, err)
	defer filtered.Release()
	path := filepath.Join(t.TempDir(), "raw")
	require.NoError(t, encode.Mux(t.Context(), path, []*packets.Packets{filtered}, encode.MuxOptions{Format: "h264"}))
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// All orientations are shown as before: ffmpeg rotates and mirrors what it decodes.
func TestMuxKeepsRotation(t *testing.T) {
	file, err := os.ReadFile("../testdata/video/bframes.mp4")
	require.NoError(t, err)
	at := bytes.Index(file, []byte("tkhd"))
	require.Positive(t, at)
	matrix := file[at+4+40:] // of 16.16 fixed point: ISO/IEC 14496-12, 8.3.2
	for _, m := range [][4]int32{{1, 0, 0, 1}, {-1, 0, 0, 1}, {-1, 0, 0, -1}, {1, 0, 0, -1}, {0, 1, 1, 0}, {0, 1, -1, 0},
		{0, -1, -1, 0}, {0, -1, 1, 0}} {
		for i, place := range []int{0, 1, 3, 4} {
			binary.BigEndian.PutUint32(matrix[4*place:], uint32(m[i]<<16))
		}
		source, path := filepath.Join(t.TempDir(), "source.mp4"), filepath.Join(t.TempDir(), "turned.mov")
		require.NoError(t, os.WriteFile(source, file, 0o600))
		require.NoError(t, encode.Mux(t.Context(), path,
			[]*packets.Packets{videoPackets(t, source, math.Inf(-1), math.Inf(1))}, encode.MuxOptions{}))
		assert.Equal(t, hashes(t, source, "v"), hashes(t, path, "v"), m)
	}
}

func TestMuxRefusals(t *testing.T) {
	folder := t.TempDir()
	clip := videoPackets(t, "../testdata/video/bframes.mp4", math.Inf(-1), math.Inf(1))
	for name, c := range map[string]struct {
		file    string
		streams []*packets.Packets
		o       encode.MuxOptions
		want    error
	}{
		"nothing":   {"a.mkv", nil, encode.MuxOptions{}, spool.ErrOptions},
		"no format": {"a.unknown", []*packets.Packets{clip}, encode.MuxOptions{}, spool.ErrUnsupported},
		"not held":  {"a.wav", []*packets.Packets{clip}, encode.MuxOptions{}, spool.ErrUnsupported},
		"no option": {"a.mp4", []*packets.Packets{clip}, encode.MuxOptions{FormatOptions: map[string]string{"x": "1"}},
			spool.ErrOptions},
		"no folder": {"none/a.mp4", []*packets.Packets{clip}, encode.MuxOptions{}, spool.ErrNotFound},
		"no packets": {"a.mkv", []*packets.Packets{videoPackets(t, "../testdata/video/bframes.mp4", 90, 91)},
			encode.MuxOptions{}, spool.ErrEmpty},
	} {
		require.ErrorIs(t, encode.Mux(t.Context(), filepath.Join(folder, c.file), c.streams, c.o), c.want, name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, encode.Mux(ctx, filepath.Join(folder, "a.mkv"), []*packets.Packets{clip}, encode.MuxOptions{}),
		spool.ErrCanceled)
	requireOnlyFiles(t, folder)
}
