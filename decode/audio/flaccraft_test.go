package audio_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/flac"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/internal/short"
)

// flacBits is a bit writer, most significant bit first.
type flacBits struct {
	bytes []byte
	n     int // used bits of the last byte; 0: all
}

func (w *flacBits) put(v int64, n int) {
	for n--; n >= 0; n-- {
		if w.n == 0 {
			w.bytes = append(w.bytes, 0)
		}
		w.bytes[len(w.bytes)-1] |= byte(v >> n & 1 << (7 - w.n))
		w.n = (w.n + 1) % 8
	}
}

// flacSum is a CRC of width bits.
func flacSum(data []byte, width int, polynomial uint32) uint32 {
	var sum uint32
	for _, b := range data {
		sum ^= uint32(b) << (width - 8)
		for range 8 {
			sum <<= 1
			if sum>>width == 1 {
				sum ^= 1<<width | polynomial
			}
		}
	}
	return sum
}

func flacSum8(data []byte) byte    { return byte(flacSum(data, 8, 0x07)) }
func flacSum16(data []byte) uint16 { return uint16(flacSum(data, 16, 0x8005)) }

// Channel assignments of a FLAC frame with two channels.
const (
	flacLeftSide = 8 + iota
	flacSideRight
	flacMidSide
)

// flacOf is a file of one frame with two channels, stored as given. The side channel has one more bit.
func flacOf(depth, mode int, a, b []int64) []byte {
	n := int64(len(a))
	w := &flacBits{bytes: []byte("fLaC")}
	w.put(0x80, 8)
	w.put(34, 24)
	w.put(n, 16)
	w.put(n, 16)
	w.put(0, 48)
	w.put(44100, 20)
	w.put(1, 3)
	w.put(int64(depth-1), 5)
	w.put(n, 36)
	w.bytes = append(w.bytes, make([]byte, 16)...)
	start := len(w.bytes)
	w.put(0xFFF8, 16)
	w.put(7, 4) // the number of samples follows
	w.put(9, 4)
	w.put(int64(mode), 4)
	w.put(0, 4) // the sample size of the stream
	w.put(0, 8) // number of the frame
	w.put(n-1, 16)
	w.put(int64(flacSum8(w.bytes[start:])), 8)
	for c, x := range [][]int64{a, b} {
		bits := depth
		if c == 1 && mode != flacSideRight || c == 0 && mode == flacSideRight {
			bits++
		}
		w.put(1<<1, 8)
		for _, v := range x {
			w.put(v, bits)
		}
	}
	w.n = 0
	return binary.BigEndian.AppendUint16(w.bytes, flacSum16(w.bytes[start:]))
}

// flacSides are pairs of stored values. With beyond, some decode to samples outside of the depth.
func flacSides(depth, mode int, beyond bool) (a, b []int64) {
	top := int64(1)<<(depth-1) - 1
	edges := []int64{top, -top - 1, 0, 1, -1, top / 2, -top / 2}
	sides := append([]int64{2*top + 1, -2*top - 1, -2*top - 2, top + 1}, edges...)
	inside := func(v int64) bool { return v >= -top-1 && v <= top }
	for _, x := range edges {
		for _, side := range sides {
			left, right := x, x-side
			switch mode {
			case flacSideRight:
				left, right = x+side, x
			case flacMidSide:
				right = x - side>>1
				left = right + side
			}
			if !beyond && (!inside(left) || !inside(right)) {
				continue
			}
			if mode == flacSideRight {
				a, b = append(a, side), append(b, x)
			} else {
				a, b = append(a, x), append(b, side)
			}
		}
	}
	return a, b
}

// Samples outside of the stream's depth, after undoing the stereo decorrelation, are decoded by FFmpeg, whose result
// depends on the CPU.
func TestFLACBeyondDepth(t *testing.T) {
	own, ffmpeg := flacEngines(t, decode.Limits{})
	for _, depth := range []int{8, 12, 16, 20, 24, 32} {
		for mode := flacLeftSide; mode <= flacMidSide; mode++ {
			for _, beyond := range []bool{false, true} {
				a, b := flacSides(depth, mode, beyond)
				data := flacOf(depth, mode, a, b)
				x, err := own.Audios.Open(ctx, spool.Bytes{Data: data}, audio.OpenOptions{})
				if depth == 32 && err != nil {
					require.ErrorIs(t, err, spool.ErrUnsupported, "FFmpeg 5.1 knows no 32 bits")
					continue
				}
				require.NoError(t, err, "%d bits, mode %d, beyond %v", depth, mode, beyond)
				got, _ := audioBytes(t, x, audio.Spec{DType: spool.Int32})
				engine := map[bool]audio.Trace{false: {Engine: "own"}, true: {Engine: "ffmpeg", Reason: "range"}}[beyond]
				assert.Equal(t, engine, x.Trace(), "%d bits, mode %d", depth, mode)
				require.NoError(t, x.Close())
				if y, err := ffmpeg.Audios.Open(ctx, spool.Bytes{Data: data}, audio.OpenOptions{}); err == nil {
					want, _ := audioBytes(t, y, audio.Spec{DType: spool.Int32})
					assert.True(t, bytes.Equal(want, got), "%d bits, mode %d, beyond %v", depth, mode, beyond)
					require.NoError(t, y.Close())
				} else {
					require.Equal(t, 32, depth)
				}
			}
		}
	}
}

// flacHeader returns where the checksum is of what may be the header of a frame, at the beginning of at least 16 bytes;
// 0 if it is none.
func flacHeader(data []byte) int {
	if data[0] != 0xFF || data[1]&0xFE != 0xF8 {
		return 0
	}
	for n := 5; n < 16; n++ {
		if flacSum8(data[:n]) == data[n] {
			return n
		}
	}
	return 0
}

// flacHides reports whether a whole frame holds the header of another one: FFmpeg's parser divides the file there, and
// finds two damaged frames.
func flacHides(t testing.TB, data []byte) bool {
	h, reason, err := flac.ReadHeader(func(offset int64, _ int) ([]byte, error) {
		return data[min(int(offset), len(data)):], nil
	})
	if err != nil || reason != flac.Decoded {
		return false
	}
	d, err := flac.New(h)
	require.NoError(t, err)
	defer d.Close()
	first := int64(0)
	for rest := data[min(int(h.Start), len(data)):]; ; {
		f, reason := d.Decode(rest, first)
		if reason != flac.Decoded {
			return false
		}
		for i := 1; i < f.Bytes && i+16 < len(rest); i++ {
			if flacHeader(rest[i:]) > 0 {
				return true
			}
		}
		first, rest = first+int64(f.Samples), rest[f.Bytes:]
	}
}

// flacSeeds are files to mutate: real ones, and frames in which changed bits change samples.
func flacSeeds(t testing.TB) [][]byte {
	var seeds [][]byte
	for _, name := range []string{"stereo.flac", "flac.flac", "damaged.flac"} {
		data, err := os.ReadFile(ours(name))
		require.NoError(t, err)
		seeds = append(seeds, data)
	}
	for _, depth := range []int{12, 16, 24} {
		for mode := flacLeftSide; mode <= flacMidSide; mode++ {
			a, b := flacSides(depth, mode, false)
			seeds = append(seeds, flacOf(depth, mode, a, b))
		}
	}
	return seeds
}

// flacClaim is how many samples the header of a FLAC file claims.
func flacClaim(data []byte) uint64 {
	if len(data) < 26 {
		return 0
	}
	return binary.BigEndian.Uint64(data[18:]) & (1<<36 - 1)
}

// Both engines give the same result for mutated files with valid checksums.
func TestFLACMutants(t *testing.T) {
	own, ffmpeg := flacEngines(t, fuzzLimits)
	seeds := flacSeeds(t)
	tested := int64(0)
	for i := range short.Of[uint64](1500, 300) {
		data, _ := mutate.Case(seeds, 18, i)
		data = mutate.Sealed(data)
		if testing.Short() && flacClaim(data) > 1<<17 { // the race detector takes long to allocate the claimed memory
			continue
		}
		flacSame(t, own, ffmpeg, data, decode.Damage(rand.New(rand.NewPCG(i, 1)).IntN(2)))
		tested++
	}
	counts := own.Audios.FLAC()
	assert.Greater(t, counts.Own, tested/15, "%v", counts)
	assert.Greater(t, counts.Left["range"], tested/75, "%v", counts)
}

// flacSame compares the results of both engines.
func flacSame(t testing.TB, own, ffmpeg *decoders.Set, data []byte, onDamage decode.Damage) {
	read := func(d *decoders.Set) (info audio.Info, report audio.Report, samples []byte, class spool.Class) {
		a, err := d.Audios.Open(ctx, spool.Bytes{Data: data}, audio.OpenOptions{})
		if err != nil {
			return info, report, nil, spool.ClassOf(err)
		}
		defer a.Close()
		s, err := a.Read(ctx, audio.Spec{OnDamage: onDamage})
		if err != nil {
			return info, report, nil, spool.ClassOf(err)
		}
		defer s.Release()
		return a.Info(), s.Report, bytes.Clone(s.Bytes()), ""
	}
	info, report, samples, class := read(own)
	if class == "" {
		fuzzed.Accept()
	}
	info2, report2, samples2, class2 := read(ffmpeg)
	const divided = "FFmpeg divides a frame that holds another header"
	switch {
	case class == "" && class2 != "" && flacHides(t, data):
		fuzzed.Disagree(divided)
	case class != class2:
		t.Fatalf("class %q, with FFmpeg %q", class, class2)
	case info != info2:
		t.Fatalf("%+v, with FFmpeg %+v", info, info2)
	case len(report.Damage) < len(report2.Damage) && flacHides(t, data):
		fuzzed.Disagree(divided)
	case report.Samples != report2.Samples || len(report.Damage) != len(report2.Damage):
		t.Fatalf("%+v, with FFmpeg %+v", report, report2)
	case !bytes.Equal(samples, samples2):
		t.Fatal("other samples")
	}
}
