package av_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/short"
)

// mp4Box returns an MP4 box.
func mp4Box(kind string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8)), append([]byte(kind), body...)...)
}

// words returns big-endian 32-bit numbers.
func words(values ...uint32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

// mp4Claim describes a file whose tables claim samples of one size, all in one chunk, with a payload of the given
// number of bytes.
type mp4Claim struct {
	handler, entry string // such as "vide", "avc1"
	samples, size  uint32
	ticks          uint32 // of each sample
	shown          uint32 // ticks shown by an edit list; 0: no edit list
	key            bool   // only the first sample is a key frame
	payload        int
}

func (m mp4Claim) file() []byte {
	head := mp4Box("ftyp", []byte("isom"), words(512), []byte("isom"))
	moov := m.moov(0)
	return bytes.Join([][]byte{head, m.moov(uint32(len(head) + len(moov) + 8)), mp4Box("mdat", make([]byte, m.payload))},
		nil)
}

// compressed returns the file with deflated tables, as in QuickTime.
func (m mp4Claim) compressed() []byte {
	var deflated bytes.Buffer
	w := zlib.NewWriter(&deflated)
	moov := m.moov(0)
	_, _ = w.Write(moov) // both never fail
	_ = w.Close()
	return bytes.Join([][]byte{mp4Box("ftyp", []byte("qt  "), words(512), []byte("qt  ")),
		mp4Box("moov", mp4Box("cmov", mp4Box("dcom", []byte("zlib")),
			mp4Box("cmvd", words(uint32(len(moov))), deflated.Bytes()))),
		mp4Box("mdat", make([]byte, m.payload))}, nil)
}

func (m mp4Claim) moov(offset uint32) []byte {
	matrix := words(1<<16, 0, 0, 0, 1<<16, 0, 0, 0, 1<<30)
	length := m.samples * m.ticks
	entry, header := mp4Box(m.entry, make([]byte, 6), []byte{0, 1}, make([]byte, 16), []byte{0, 64, 0, 64},
		words(72<<16, 72<<16, 0),
		[]byte{0, 1}, make([]byte, 32), []byte{0, 24, 255, 255}), mp4Box("vmhd", words(1, 0, 0))
	if m.handler == "soun" {
		entry, header = mp4Box(m.entry, make([]byte, 6), []byte{0, 1}, words(0, 0), []byte{0, 1, 0, 16},
			words(0, 8000<<16)), mp4Box("smhd", words(0, 0))
	}
	stbl := [][]byte{mp4Box("stsd", words(0, 1), entry), mp4Box("stts", words(0, 1, m.samples, m.ticks)),
		mp4Box("stsz", words(0, m.size, m.samples)),
		mp4Box("stsc", words(0, 1, 1, m.samples, 1)), mp4Box("stco", words(0, 1, offset))}
	if m.key {
		stbl = append(stbl, mp4Box("stss", words(0, 1, 1)))
	}
	var edits []byte
	if m.shown > 0 {
		edits = mp4Box("edts", mp4Box("elst", words(0, 1, m.shown, 0, 1<<16)))
	}
	return mp4Box("moov",
		mp4Box("mvhd", words(0, 0, 0, 8000, length, 1<<16, 1<<24, 0, 0), matrix, make([]byte, 24), words(2)),
		mp4Box("trak", mp4Box("tkhd", words(3, 0, 0, 1, 0, length, 0, 0, 0, 0), matrix, words(64<<16, 64<<16)), edits,
			mp4Box("mdia", mp4Box("mdhd", words(0, 0, 0, 8000, length, 0x55c4<<16)),
				mp4Box("hdlr", words(0, 0), []byte(m.handler), words(0, 0, 0, 0)),
				mp4Box("minf", header, mp4Box("dinf", mp4Box("dref", words(0, 1), mp4Box("url ", words(1)))),
					mp4Box("stbl", stbl...)))))
}

// fragment returns a file of one fragment whose samples have a default size, so their number takes no space in the
// file.
func fragment(samples, size uint32) []byte {
	m := mp4Claim{handler: "vide", entry: "png ", ticks: 1}
	moov := m.moov(0)
	moov = mp4Box("moov", moov[8:], mp4Box("mvex", mp4Box("trex", words(0, 1, 1, 1, size, 0))))
	return bytes.Join([][]byte{mp4Box("ftyp", []byte("isom"), words(512), []byte("isom")), moov,
		mp4Box("moof", mp4Box("mfhd", words(0, 1)),
			mp4Box("traf", mp4Box("tfhd", words(0x20000, 1)), mp4Box("trun", words(0, samples)))),
		mp4Box("mdat", make([]byte, 1000))}, nil)
}

// overclaimed returns files whose tables claim more samples than the files have bytes.
func overclaimed() map[string][]byte {
	video := mp4Claim{handler: "vide", entry: "png ", samples: 300000, size: 1, ticks: 512, shown: 8000, key: true,
		payload: 5000}
	files := map[string][]byte{"video": video.file()}
	video.samples, video.size = 10_000_000, 0
	files["video of no bytes"] = video.file()
	files["audio"] = mp4Claim{handler: "soun", entry: "ulaw", samples: 300000, size: 1, ticks: 1024, payload: 5000}.file()
	files["audio of packets"] = mp4Claim{handler: "soun", entry: "ulaw", samples: 1 << 31, size: 1, ticks: 1,
		payload: 5000}.file()
	video.samples, video.size = 300_000, 1
	files["compressed tables"] = video.compressed()
	files["fragment"] = fragment(1<<27, 1)
	files["fragment of no bytes"] = fragment(10_000_000, 0)
	return files
}

// openedWays returns objects for bytes in memory, in a file and from a reader.
func openedWays(t *testing.T, data []byte) map[string]spool.Object {
	path := filepath.Join(t.TempDir(), "file.mp4")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return map[string]spool.Object{"data": spool.Bytes{Data: data}, "path": spool.File(path),
		"object": object{read: readerAt(data), size: len(data)}}
}

// More samples than a file can hold are rejected before FFmpeg allocates a table for them: 300,000 of one byte in 6 KB.
func TestOverclaimedTables(t *testing.T) {
	c := enter(t, t.Context())
	for name, data := range overclaimed() {
		for way, source := range openedWays(t, data) {
			for _, o := range []av.InputOptions{{}, {NoProbe: true}} {
				_, err := av.Open(c, source, o)
				require.ErrorIs(t, err, spool.ErrCorrupt, "%s, %s", name, way)
				assert.ErrorContains(t, err, "more than the file can hold", "%s, %s", name, way)
			}
		}
	}
}

// Tables that fit the file are accepted, even if the file is truncated.
func TestClaimsThatHold(t *testing.T) {
	c := enter(t, t.Context())
	audio := mp4Claim{handler: "soun", entry: "ulaw", samples: 50000, size: 1, ticks: 1, payload: 50000}
	for name, data := range map[string][]byte{"audio": audio.file(), "cut": audio.file()[:20000],
		"raw video": mp4Claim{handler: "vide", entry: "raw ", samples: 1000, size: 64 * 64 * 3, ticks: 512,
			payload: 64 * 64 * 3 * 3}.file()} {
		for way, source := range openedWays(t, data) {
			in := open(t, c, source, av.InputOptions{NoProbe: true})
			entries, err := in.Scan(c, 0)
			require.NoError(t, err, "%s, %s", name, way)
			assert.NotEmpty(t, entries, "%s, %s", name, way)
		}
	}
}

// The time of a seek past samples hidden by an edit list grows with their number. If it grew with the square, the seeks
// of this test would take many minutes. Packets keep their flags.
func TestSeekPastHiddenSamples(t *testing.T) {
	samples := short.Of(600_000, 60_000)
	c := enter(t, t.Context())
	data := mp4Claim{handler: "vide", entry: "png ", samples: uint32(samples), size: 1, ticks: 512, shown: 25 * 512,
		key: true, payload: samples}.file()
	in := open(t, c, spool.Bytes{Data: data}, av.InputOptions{NoProbe: true})
	before, err := in.Scan(c, 0)
	require.NoError(t, err)
	require.Greater(t, len(before), samples/2)
	hidden := 0
	for _, e := range before {
		if e.Discard {
			hidden++
		}
	}
	require.Greater(t, hidden, samples/2)
	for _, ts := range []int64{0, 512, 10 * 512, 1000 * 512, 0} {
		require.NoError(t, in.Seek(c, 0, ts))
		after, err := in.Scan(c, 0)
		require.NoError(t, err)
		require.Equal(t, before, after, "the only key is the first sample")
	}
}

// FuzzTables reads boxes of any size and number, and checks that the demuxer starts at the same position as without the
// check.
func FuzzTables(f *testing.F) {
	for _, data := range overclaimed() {
		f.Add(data)
	}
	f.Add(mp4Claim{handler: "soun", entry: "ulaw", samples: 100, size: 1, ticks: 1, payload: 100}.file())
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		c := enter(t, t.Context())
		in, err := av.Open(c, spool.Bytes{Data: data}, av.InputOptions{NoProbe: true})
		if err != nil {
			return
		}
		fuzzed.Accept()
		defer in.Close()
		p, err := av.NewPacket()
		require.NoError(t, err)
		defer p.Release()
		for range 10 {
			if err := in.Read(c, p); err != nil {
				break
			}
		}
		_ = in.Seek(c, 0, 0) // any result is valid
	})
}

// A cancelled call ends while tables are read and during a seek.
func TestCancelledTables(t *testing.T) {
	const samples = 300_000
	data := mp4Claim{handler: "vide", entry: "png ", samples: samples, size: 1, ticks: 512, shown: 25 * 512, key: true,
		payload: samples}.file()
	for _, at := range []int{1, 3, 8} { // reads of the source before the cancel
		ctx, cancel := context.WithCancel(t.Context())
		reads, most := 0, 0
		source := object{size: len(data), read: func(_ context.Context, p []byte, off int64) (int, error) {
			if reads++; reads == at {
				cancel()
			}
			most = reads
			if off >= int64(len(data)) {
				return 0, io.EOF
			}
			return bytes.NewReader(data).ReadAt(p, off)
		}}
		c := enter(t, ctx)
		in, err := av.Open(c, source, av.InputOptions{NoProbe: true})
		if err == nil {
			_, err = in.Scan(c, 0)
			require.NoError(t, in.Close())
		}
		require.ErrorIs(t, err, spool.ErrCanceled, strings.Repeat("read ", at))
		assert.LessOrEqual(t, most, at+1, "reads after the cancel")
		cancel()
	}
}
