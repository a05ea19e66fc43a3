package index_test

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/internal/fuzzed"
)

// odd is an index with all fields that the format stores.
func odd(t testing.TB) *index.Index {
	t.Helper()
	x, err := index.New(
		index.File{Size: 1 << 40, Version: `"etag-7"`},
		index.Stream{Format: "mpegts", Number: 3, Best: true, Codec: "h264", Width: 1920, Height: 1080,
			PixelFormat: "yuv420p", Rotation: -90, Mirrored: true, Cut: true, Base: index.Ratio{Num: 1, Den: 90000},
			Rate: index.Ratio{Num: 30000, Den: 1001}, Parameters: []byte{0, 1, 2, 255}, Numbered: true},
		[]index.Packet{
			{PTS: 0, DTS: -3003, Duration: 3003, Pos: 48, Size: 70000, Flags: index.Key},
			{PTS: 12012, DTS: 0, Duration: 3003, Pos: 70048, Size: 100},
			{PTS: 6006, DTS: index.NoPTS, Duration: 3003, Pos: -1, Size: 90, Flags: index.Damaged},
			{PTS: index.NoPTS, DTS: 6006, Pos: 1 << 39, Size: 80, Flags: index.Discard},
			{PTS: index.NoPTS, DTS: index.NoPTS, Duration: -1, Pos: 5, Size: 0, Flags: index.Hidden | index.Field},
			{PTS: math.MaxInt64, DTS: math.MinInt64 + 1, Duration: math.MaxInt64, Pos: math.MaxInt64, Size: math.MaxInt32,
				Flags: index.Key},
			{PTS: 1, DTS: 2, Duration: 3, Pos: 4, Size: 5},
		})
	require.NoError(t, err)
	return x
}

func encode(t testing.TB, x *index.Index) []byte {
	t.Helper()
	data, err := x.MarshalBinary()
	require.NoError(t, err)
	return data
}

func TestFileKeepsEverything(t *testing.T) {
	for _, x := range []*index.Index{odd(t), steady(t, 1000, 25, 12), steady(t, 0, 25, 1)} {
		got, err := index.Unmarshal(encode(t, x))
		require.NoError(t, err)
		assert.Equal(t, x, got)
	}
	assert.Less(t, len(encode(t, steady(t, 1000, 25, 12))), 9000, "bytes of 1000 packets")
}

// A 32-bit CRC detects every burst of up to 32 bits, so such damage is always refused.
func TestDamagedFilesAreRefused(t *testing.T) {
	whole := encode(t, odd(t))
	for n := range whole {
		_, err := index.Unmarshal(whole[:n])
		require.Error(t, err, "%d bytes", n)
		for _, flip := range []byte{1, 0x80, 0xff} {
			damaged := append([]byte(nil), whole...)
			damaged[n] ^= flip
			_, err := index.Unmarshal(damaged)
			require.Error(t, err, "byte %d", n)
		}
	}
	for _, test := range []struct {
		data  []byte
		class spool.Class
	}{
		{nil, spool.ErrNotMedia}, {[]byte("RIFF....WAVEfmt "), spool.ErrNotMedia}, {whole[:20], spool.ErrCorrupt},
		{append(append([]byte(nil), whole[:8]...), 9, 0, 0, 0), spool.ErrUnsupported},
	} {
		_, err := index.Unmarshal(test.data)
		assert.ErrorIs(t, err, test.class)
	}
}

// sealed replaces the checksum by the right one.
func sealed(data []byte) []byte {
	body := data[:len(data)-4]
	return binary.LittleEndian.AppendUint32(append([]byte(nil), body...),
		crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
}

// A packet count that the bytes cannot hold allocates no memory.
func TestPromisesCostNothing(t *testing.T) {
	data := []byte("spoolidx\x02\x00\x00\x00" + "\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x02\x02\x00\x00" + "\x00\x00\x00" + "\xff\xff\xff\xff\x0f" + "....")
	allocated := testing.AllocsPerRun(10, func() {
		_, err := index.Unmarshal(sealed(data))
		require.ErrorIs(t, err, spool.ErrTruncated)
	})
	assert.Less(t, allocated, 30.0)
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(f, odd(f)))
	f.Add(encode(f, steady(f, 5, 25, 2)))
	f.Add([]byte("spoolidx"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) >= 4 {
			data = sealed(data) // otherwise the checksum would refuse it
		}
		x, err := index.Unmarshal(data)
		if err != nil {
			if x != nil || spool.ClassOf(err) == "" {
				t.Fatalf("%v, %v", x, err)
			}
			return
		}
		fuzzed.Accept()
		again, err := x.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		y, err := index.Unmarshal(again)
		if err != nil {
			t.Fatal(err)
		}
		if third, _ := y.MarshalBinary(); string(third) != string(again) || y.Len() != x.Len() {
			t.Fatalf("%d frames, then %d", x.Len(), y.Len())
		}
		if x.Len() == 0 {
			return
		}
		rng := rand.New(rand.NewPCG(uint64(len(data)), 0))
		frames := []int{0, x.Len() - 1, rng.IntN(x.Len())}
		for _, run := range x.Plan(frames).Runs {
			if run.First < 0 || run.First > run.Last || run.Last >= len(x.Packets) {
				t.Fatalf("run %+v of %d packets", run, len(x.Packets))
			}
		}
		x.ReadOn(0, len(x.Packets)-1)
		for _, n := range frames {
			x.Duration(n)
			_, _ = x.At(x.Time(n))
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	x := steady(b, 300, 30, 250)
	data := encode(b, x)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := index.Unmarshal(data); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/300, "ns/packet")
}
