package video_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
)

// riff is a chunk of an AVI file.
func riff(id string, parts ...[]byte) []byte {
	data := bytes.Join(parts, nil)
	chunk := append([]byte(id), binary.LittleEndian.AppendUint32(nil, uint32(len(data)))...)
	return append(chunk, append(data, make([]byte, len(data)%2)...)...)
}

// chunkAt is the first chunk of an AVI file with an id, with its head.
func chunkAt(t testing.TB, file []byte, id string) []byte {
	t.Helper()
	at := bytes.Index(file, []byte(id))
	require.Positive(t, at, id)
	if id == "hdrl" || id == "movi" {
		at -= 8 // LIST and its size
	}
	return file[at : at+8+int(binary.LittleEndian.Uint32(file[at+4:]))]
}

// vop begins an MPEG-4 image. notCoded is an image that is not coded: P, its time, vop_coded 0, stuffing.
var (
	vop      = []byte{0, 0, 1, 0xb6}
	notCoded = append(slices.Clone(vop), 0x51, 0x4f)
)

// kindOf is 0 for an I image, 1 for P, 2 for B.
func kindOf(p []byte) byte { return p[bytes.Index(p, vop)+4] >> 6 }

// remade is an MPEG-4 AVI file with edited packets.
func remade(t testing.TB, file []byte, edit func(n int, packets [][]byte) []byte) []byte {
	t.Helper()
	var packets [][]byte
	for rest := chunkAt(t, file, "movi")[12:]; len(rest) >= 8; {
		size := int(binary.LittleEndian.Uint32(rest[4:]))
		if string(rest[:4]) == "00dc" {
			packets = append(packets, rest[8:8+size])
		}
		rest = rest[min(8+size+size%2, len(rest)):]
	}
	movi, index, offset := [][]byte{[]byte("movi")}, []byte{}, uint32(4)
	for n := range packets {
		packet, flags := edit(n, packets), uint32(0)
		if kindOf(packet) == 0 {
			flags = 0x10 // AVIIF_KEYFRAME
		}
		index = append(index, "00dc"...)
		for _, n := range []uint32{flags, offset, uint32(len(packet))} {
			index = binary.LittleEndian.AppendUint32(index, n)
		}
		chunk := riff("00dc", packet)
		movi, offset = append(movi, chunk), offset+uint32(len(chunk))
	}
	return riff("RIFF", []byte("AVI "), chunkAt(t, file, "hdrl"), riff("LIST", movi...), riff("idx1", index))
}

// packed packs images as DivX does: a B image goes into the packet of its preceding reference, and an image that is not
// coded takes its place.
func packed(n int, packets [][]byte) []byte {
	p := packets[n]
	if kindOf(p) == 2 {
		return notCoded
	}
	if n == 0 {
		at := bytes.Index(p, vop)
		p = slices.Concat(p[:at], []byte("\x00\x00\x01\xb2DivX503b1393p"), p[at:])
	}
	if n+1 < len(packets) && kindOf(packets[n+1]) == 2 {
		p = slices.Concat(p, packets[n+1])
	}
	return p
}

// Images that are not coded give no frame, with and without time stamps.
func TestFramesNotCoded(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain.avi")
	raw(t, filepath.Join(media, "video", "bframes.mp4"), "yuv420p", "-c:v", "mpeg4", "-g", "9", "-qscale:v", "8", "-flags",
		"+bitexact", plain)
	file := remade(t, decodetest.ReadFile(t, plain), func(n int, packets [][]byte) []byte {
		if n == 5 || n == 13 {
			return notCoded
		}
		return packets[n]
	})
	sparse := filepath.Join(dir, "sparse.avi")
	require.NoError(t, os.WriteFile(sparse, file, 0o600))
	timed := filepath.Join(dir, "sparse.mp4")
	raw(t, sparse, "yuv420p", "-c:v", "copy", timed)
	d := decodetest.New(t, decoders.Options{})
	for _, path := range []string{sparse, timed} {
		want := raw(t, path, "rgb24", "-f", "rawvideo", "-")
		size := 64 * 48 * 3
		require.Equal(t, 23, len(want)/size)
		v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
		require.Equal(t, 23, v.Len(), path)
		times := probed(t, path, 0)
		for n := range 23 {
			got, _ := decodetest.Frames(t, v, []int{22 - n}, video.Spec{})
			require.True(t, bytes.Equal(want[(22-n)*size:][:size], got), "frame %d of %s", 22-n, path)
			if path == timed {
				require.InDelta(t, times[n], v.Index().Time(n), 1e-6)
			}
		}
	}
}

// B images that are packed into other packets come as they do from separate packets.
func TestPackedFrames(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain.avi")
	raw(t, filepath.Join(media, "video", "bframes.mp4"), "yuv420p", "-c:v", "mpeg4", "-bf", "1", "-g", "9", "-qscale:v",
		"8", "-flags", "+bitexact", plain)
	file := remade(t, decodetest.ReadFile(t, plain), packed)
	path := filepath.Join(t.TempDir(), "packed.avi")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	want := raw(t, plain, "rgb24", "-f", "rawvideo", "-")
	size := 64 * 48 * 3
	require.Equal(t, 25, len(want)/size)
	require.True(t, bytes.Equal(want, raw(t, path, "rgb24", "-f", "rawvideo", "-")), "the packed file is as it should be")

	d := decodetest.New(t, decoders.Options{})
	v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
	require.Equal(t, 25, v.Len())
	for n := range 25 {
		got, report := decodetest.Frames(t, v, []int{(n * 7) % 25}, video.Spec{})
		require.True(t, bytes.Equal(want[(n*7)%25*size:][:size], got), "frame %d", (n*7)%25)
		assert.Equal(t, video.Whole, report.Frames[0].State)
	}
	got, _ := decodetest.Frames(t, v, []int{3, 20, 4, 4, 0}, video.Spec{})
	for i, n := range []int{3, 20, 4, 4, 0} {
		assert.True(t, bytes.Equal(want[n*size:][:size], got[i*size:][:size]), "frame %d", n)
	}
}
