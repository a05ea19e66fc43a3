package video_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/packets"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/seed"
)

// keptVideos have all variants of packets and time stamps.
var keptVideos = []string{"bframes.mp4", "bframes.ts", "opengop.mp4", "edited.mp4", "raw.h264", "altref.webm",
	"av1.mkv", "interlaced.mp4",
	"mpeg4.avi", "mpeg2.mpg", "late.mkv", "vfr.mp4", "mjpeg.mov", "ffv1.mkv", "turned.mp4", "deep.mp4"}

// packetCopies are the ways to copy packets.
var packetCopies = map[string]func(t *testing.T, p *packets.Packets) *packets.Packets{
	"kept": clone,
	"copied": func(t *testing.T, p *packets.Packets) *packets.Packets {
		data, err := p.MarshalBinary()
		require.NoError(t, err)
		copied, err := packets.Unmarshal(data)
		require.NoError(t, err)
		clear(data)
		return copied
	},
	"viewed": func(t *testing.T, p *packets.Packets) *packets.Packets {
		data, err := p.AppendBinary([]byte("odd"))
		require.NoError(t, err)
		view, err := packets.View(data[3:])
		require.NoError(t, err)
		defer view.Release()
		return clone(t, view) // which keeps the bytes pinned
	},
}

func clone(t *testing.T, p *packets.Packets) *packets.Packets {
	t.Helper()
	c, err := p.Clone()
	require.NoError(t, err)
	return c
}

// Frames of a window are the same from the file and from its packets.
func TestPacketsGiveTheFramesOfTheirWindow(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range keptVideos {
		t.Run(name, func(t *testing.T) {
			v := decodetest.OpenVideo(t, d, spool.File(filepath.Join(media, "video", name)), video.OpenOptions{})
			info := v.Info()
			for _, window := range [][2]float64{{math.Inf(-1), math.Inf(1)}, {info.Start + 0.3, info.Start + 0.62}} {
				first, n := v.Index().Window(window[0], window[1])
				require.Positive(t, n)
				list := decodetest.EveryFrame(n)
				for i := range list {
					list[i] += first
				}
				want, wanted := decodetest.Frames(t, v, list, video.Spec{})
				p, err := v.Packets(t.Context(), window[0], window[1])
				require.NoError(t, err)
				require.Equal(t, n, p.Len())
				for way, send := range packetCopies {
					there := send(t, p)
					w, err := d.Videos.OpenPackets(t.Context(), there, video.OpenOptions{})
					require.NoError(t, err, way)
					there.Release()
					require.Equal(t, n, w.Len(), way)
					got, report := decodetest.Frames(t, w, decodetest.EveryFrame(n), video.Spec{})
					assert.True(t, bytes.Equal(want, got), way)
					for i := range report.Frames {
						require.Equal(t, wanted.Frames[i].PTS, report.Frames[i].PTS)
					}
					last, _ := decodetest.Frames(t, w, []int{n - 1, 0}, video.Spec{}) // back and forth
					size := len(want) / n
					assert.True(t, bytes.Equal(want[len(want)-size:], last[:size]), way)
					assert.True(t, bytes.Equal(want[:size], last[size:]), way)
					assert.Equal(t, info.Orientation, w.Info().Orientation)
					require.NoError(t, w.Close())
				}
				p.Release()
				p.Release()
				again, _ := decodetest.Frames(t, v, list[:1], video.Spec{}) // the video is still usable
				assert.True(t, bytes.Equal(want[:len(again)], again))
			}
		})
	}
}

// SPDL's table: which frames of a video at 25 frames a second begin in a window.
func TestPacketsOfAWindow(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	path := filepath.Join(t.TempDir(), "25.mp4")
	require.NoError(t, exec.CommandContext(t.Context(), need.Command(t, "ffmpeg"), "-loglevel", "error", "-f", "lavfi",
		"-i", "testsrc=r=25:d=2:s=32x32", path).Run())
	v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
	for _, c := range []struct {
		start, end float64
		want       []float64
	}{
		{0, 0, nil}, {1, 1, nil}, {0, .04, []float64{0}}, {0, .08, []float64{0, .04}}, {.04, .08, []float64{.04}},
		{0, .02, []float64{0}}, {.02, .04, nil},
		{.04, .06, []float64{.04}}, {.01, .08, []float64{.04}}, {.03, .12, []float64{.04, .08}}, {0, .041, []float64{0, .04}},
		{0, .081, []float64{0, .04, .08}},
		{9, 10, nil},
	} {
		p, err := v.Packets(t.Context(), c.start, c.end)
		require.NoError(t, err)
		require.Equal(t, len(c.want), p.Len(), "%v", c)
		if p.Len() == 0 {
			_, err := d.Videos.OpenPackets(t.Context(), p, video.OpenOptions{})
			require.ErrorIs(t, err, spool.ErrEmpty)
		}
		var pts []float64
		for _, packet := range p.All() {
			if !packet.Outside {
				pts = append(pts, packet.PTS)
			}
		}
		require.Len(t, pts, len(c.want))
		p.Release()
	}
	_, err := v.Packets(t.Context(), 1, 0)
	require.ErrorIs(t, err, spool.ErrOptions)
	_, err = v.Packets(t.Context(), math.NaN(), 0)
	require.ErrorIs(t, err, spool.ErrOptions)
}

// The packets hold the bytes that the ffmpeg command copies out of the file.
func TestBitstreamFilters(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	path := filepath.Join(media, "video", "bframes.mp4")
	v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
	p, err := v.Packets(t.Context(), math.Inf(-1), math.Inf(1))
	require.NoError(t, err)
	defer p.Release()
	raw := func(p *packets.Packets) (data []byte) {
		for _, packet := range p.All() {
			data = append(data, packet.Data...)
		}
		return data
	}
	command := func(args ...string) []byte {
		out, err := exec.CommandContext(t.Context(), need.Command(t, "ffmpeg"),
			append([]string{"-loglevel", "error", "-i", path, "-c", "copy"}, args...)...).Output()
		require.NoError(t, err)
		return out
	}
	annexB, err := p.Filter(t.Context(), "h264_mp4toannexb")
	require.NoError(t, err)
	defer annexB.Release()
	assert.True(t, bytes.Equal(command("-f", "h264", "-"), raw(annexB)))
	chain, err := p.Filter(t.Context(), "h264_mp4toannexb,h264_metadata=aud=insert")
	require.NoError(t, err)
	defer chain.Release()
	assert.True(t, bytes.Equal(command("-bsf:v", "h264_mp4toannexb,h264_metadata=aud=insert", "-f", "h264", "-"),
		raw(chain)))

	want, _ := decodetest.Frames(t, v, decodetest.EveryFrame(v.Len()), video.Spec{})
	for _, filtered := range []*packets.Packets{annexB, chain} {
		w, err := d.Videos.OpenPackets(t.Context(), filtered, video.OpenOptions{})
		require.NoError(t, err)
		got, _ := decodetest.Frames(t, w, decodetest.EveryFrame(w.Len()), video.Spec{})
		assert.True(t, bytes.Equal(want, got))
		require.NoError(t, w.Close())
	}

	for filters, class := range map[string]error{"": spool.ErrOptions, "no_such": spool.ErrOptions,
		"h264_metadata=nothing=1": spool.ErrOptions, "hevc_mp4toannexb": spool.ErrUnsupported} {
		_, err := p.Filter(t.Context(), filters)
		require.ErrorIs(t, err, class, filters)
	}
}

// A view works on memory that is not Go's, like that of another process.
func TestPacketsInSharedMemory(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	v := decodetest.OpenVideo(t, d, spool.File(filepath.Join(media, "video", "opengop.mp4")), video.OpenOptions{})
	p, err := v.Packets(t.Context(), 0, 1)
	require.NoError(t, err)
	defer p.Release()
	data, err := p.MarshalBinary()
	require.NoError(t, err)
	file, err := os.Create(filepath.Join(t.TempDir(), "packets"))
	require.NoError(t, err)
	defer file.Close()
	_, err = file.Write(data)
	require.NoError(t, err)
	// a write would end the test
	shared, err := syscall.Mmap(int(file.Fd()), 0, len(data), syscall.PROT_READ, syscall.MAP_SHARED)
	require.NoError(t, err)
	view, err := packets.View(shared)
	require.NoError(t, err)
	w, err := d.Videos.OpenPackets(t.Context(), view, video.OpenOptions{Threads: 2})
	require.NoError(t, err)
	view.Release()
	want, _ := decodetest.Frames(t, v, decodetest.EveryFrame(p.Len()), video.Spec{})
	got, _ := decodetest.Frames(t, w, decodetest.EveryFrame(p.Len()), video.Spec{})
	assert.True(t, bytes.Equal(want, got))
	require.NoError(t, w.Close())
	require.NoError(t, syscall.Munmap(shared))
}

func marshaled(t testing.TB, name string) []byte {
	t.Helper()
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer d.Close()
	v, err := d.Videos.Open(t.Context(), spool.File(filepath.Join(media, "video", name)), video.OpenOptions{})
	require.NoError(t, err)
	defer v.Close()
	p, err := v.Packets(t.Context(), 0, 0.2)
	require.NoError(t, err)
	defer p.Release()
	data, err := p.MarshalBinary()
	require.NoError(t, err)
	return data
}

// sum corrects the checksum of damaged bytes.
func sum(data []byte) []byte {
	if len(data) >= 4 {
		end := len(data) - 4
		binary.LittleEndian.PutUint32(data[end:], crc32.Checksum(data[:end], crc32.MakeTable(crc32.Castagnoli)))
	}
	return data
}

// Damaged bytes give an error, or packets that can be inspected.
func TestDamagedPackets(t *testing.T) {
	whole := marshaled(t, "bframes.mp4")
	for n := range whole {
		_, err := packets.Unmarshal(whole[:n])
		require.Error(t, err, n)
		if spool.ClassOf(err) == "" {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
	random := seed.Rand(t)
	for range 300 {
		data := bytes.Clone(whole)
		data[random.IntN(len(data))] ^= byte(1 + random.IntN(255))
		_, err := packets.Unmarshal(data)
		require.Error(t, err)
	}
	data := bytes.Clone(whole)
	data[8]++
	_, err := packets.View(sum(data))
	require.ErrorIs(t, err, spool.ErrUnsupported)
	_, err = packets.View(nil)
	require.ErrorIs(t, err, spool.ErrNotMedia)
}

// FuzzPackets reads and decodes packets with damage: see mended.
func FuzzPackets(f *testing.F) {
	var files [][]byte
	for _, name := range []string{"bframes.mp4", "altref.webm", "mjpeg.mov"} {
		data := marshaled(f, name)
		end := 40 + binary.LittleEndian.Uint16(data[32:])
		files = append(files, slices.Concat(data[end:len(data)-4], data[40:end], data[32:34]))
	}
	d, err := decoders.New(decoders.Options{Limits: decode.Limits{MaxPixels: 1 << 20, MaxMemory: 1 << 26}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = d.Close() })
	mutate.Fuzz(f, files, func(t testing.TB, data []byte, knobs uint64) {
		p, err := packets.View(mended(data))
		if err != nil {
			requireClass(t, err)
			return
		}
		defer p.Release()
		for _, packet := range p.All() {
			_ = packet.Data
		}
		v, err := d.Videos.OpenPackets(t.Context(), p, video.OpenOptions{Threads: 1 + int(knobs&1)})
		if err != nil {
			requireClass(t, err)
			return
		}
		defer v.Close()
		fuzzed.Accept()
		clip, err := v.Frames(t.Context(), []int{0, v.Len() - 1}, video.Spec{OnDamage: decode.MarkDamage})
		if err != nil {
			requireClass(t, err)
			return
		}
		clip.Release()
	})
}

// mended makes a file of packets from the part after the index, the index, and the index's length. The head is whole,
// the checksums are right, and zeros stand for missing packets at the end: else nearly all damage would be refused
// early. The index does not come first, since most damage is at the start.
func mended(data []byte) []byte {
	var n uint16
	if end := len(data) - 2; end >= 0 {
		n, data = binary.LittleEndian.Uint16(data[end:]), data[:end]
	}
	rest := max(0, len(data)-int(n))
	index := sum(append([]byte("spoolidx\x02\x00\x00\x00"), data[min(rest+12, len(data)):]...))
	b := []byte("spoolpkt\x01\x00\x00\x00\x01\x00\x00\x00")                         // version 1, video
	for _, number := range []uint64{0, math.Float64bits(0.2), uint64(len(index))} { // the window, and the length
		b = binary.LittleEndian.AppendUint64(b, number)
	}
	return sum(slices.Concat(b, index, data[:rest], make([]byte, 4<<10)))
}

// requireClass fails for an error whose class does not name a fault of the input or of the request.
func requireClass(t testing.TB, err error) {
	t.Helper()
	if spool.ClassOf(err) == "" {
		t.Fatal(err)
	}
}
