package wav_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/wav"
)

var eight = []byte{1, 2, 3, 4, 5, 6, 7, 8}

func TestReadHeader(t *testing.T) {
	junk := chunk("JUNK", make([]byte, 27)) // and a pad byte
	pcm := description(1, 2, 44100, 16)
	tests := []struct {
		name string
		file []byte
		want wav.Header
	}{
		{"plain", riff(pcm, chunk("data", eight)),
			wav.Header{Encoding: wav.Int16, Channels: 2, Rate: 44100, Bits: 16, Offset: 44, Bytes: 8}},
		{"odd chunks", riff(junk, pcm, junk, chunk("data", eight), junk),
			wav.Header{Encoding: wav.Int16, Channels: 2, Rate: 44100, Bits: 16, Offset: 116, Bytes: 8}},
		{"without bits", riff(chunk("fmt ", plain(7, 1, 8000, 8)[:14]), chunk("data", eight)),
			wav.Header{Encoding: wav.MuLaw, Channels: 1, Rate: 8000, Bits: 8, Offset: 42, Bytes: 8}},
		{"size 0", riff(pcm, sized(0, eight)),
			wav.Header{Encoding: wav.Int16, Channels: 2, Rate: 44100, Bits: 16, Offset: 44, Bytes: wav.Unknown}},
		{"size 0xFFFFFFFF", riff(pcm, sized(0xffffffff, eight)),
			wav.Header{Encoding: wav.Int16, Channels: 2, Rate: 44100, Bits: 16, Offset: 44, Bytes: wav.Unknown}},
		{"RF64", rf64("RF64", 1<<33, pcm, sized(0xffffffff, eight)),
			wav.Header{Encoding: wav.Int16, Channels: 2, Rate: 44100, Bits: 16, Offset: 80, Bytes: 1 << 33}},
		{"BW64", rf64("BW64", 8, pcm, sized(0xffffffff, eight)),
			wav.Header{Encoding: wav.Int16, Channels: 2, Rate: 44100, Bits: 16, Offset: 80, Bytes: 8}},
		{"RF64 with a small chunk", rf64("RF64", 1<<33, pcm, chunk("data", eight)),
			wav.Header{Encoding: wav.Int16, Channels: 2, Rate: 44100, Bits: 16, Offset: 80, Bytes: 8}},
		{"RF64 without sizes", rf64("RF64", 0, pcm, sized(0xffffffff, eight)),
			wav.Header{Encoding: wav.Int16, Channels: 2, Rate: 44100, Bits: 16, Offset: 80, Bytes: wav.Unknown}},
		{"RF64 of an impossible size", rf64("RF64", 1<<63, pcm, sized(0xffffffff, eight)),
			wav.Header{Encoding: wav.Int16, Channels: 2, Rate: 44100, Bits: 16, Offset: 80, Bytes: wav.Unknown}},
		{"extensible", riff(extensible(1, 6, 48000, 24, 20, 0x3f), chunk("data", eight)),
			wav.Header{Encoding: wav.Int24, Channels: 6, Rate: 48000, Bits: 20, Speakers: 0x3f, Offset: 68, Bytes: 8}},
		{"extensible float", riff(extensible(3, 1, 48000, 64, 0, 4), chunk("data", eight)),
			wav.Header{Encoding: wav.Float64, Channels: 1, Rate: 48000, Bits: 64, Speakers: 4, Offset: 68, Bytes: 8}},
		{"12 bits in two bytes", riff(description(1, 1, 8000, 12), chunk("data", eight)),
			wav.Header{Encoding: wav.Int16, Channels: 1, Rate: 8000, Bits: 12, Offset: 44, Bytes: 8}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.True(t, wav.Is(tt.file))
			for name, r := range map[string]io.Reader{"seeker": bytes.NewReader(tt.file),
				"stream": stream{bytes.NewReader(tt.file)},
				"slow":   iotest.OneByteReader(bytes.NewReader(tt.file))} {
				got, err := wav.ReadHeader(r)
				require.NoError(t, err, name)
				assert.Equal(t, tt.want, got, name)
				rest, err := io.ReadAll(r)
				require.NoError(t, err)
				assert.Equal(t, tt.file[tt.want.Offset:], rest, "%s: the samples come next", name)
			}
		})
	}
}

func TestReadHeaderRefuses(t *testing.T) {
	pcm := description(1, 2, 44100, 16)
	block := bytes.Clone(pcm)
	binary.LittleEndian.PutUint16(block[20:], 6)
	guid := extensible(1, 1, 8000, 16, 16, 4)
	guid[len(guid)-1] ^= 1
	tests := []struct {
		name  string
		file  []byte
		class spool.Class
	}{
		{"nothing", nil, spool.ErrTruncated},
		{"text", []byte("a text that is no sound"), spool.ErrNotMedia},
		{"another RIFF file", append([]byte("RIFF\x10\x00\x00\x00AVI "), eight...), spool.ErrNotMedia},
		{"big endian", append([]byte("RIFX\x10\x00\x00\x00WAVE"), eight...), spool.ErrNotMedia},
		{"no samples", riff(pcm), spool.ErrTruncated},
		{"ends within the description", riff(pcm)[:20], spool.ErrTruncated},
		{"ends within a chunk", riff(pcm, chunk("LIST", eight))[:46], spool.ErrTruncated},
		{"a chunk of 4 GiB", append(riff(), "LIST\xff\xff\xff\xffabc"...), spool.ErrTruncated},
		{"samples first", riff(chunk("data", eight), pcm), spool.ErrUnsupported},
		{"short description", riff(chunk("fmt ", eight), chunk("data", eight)), spool.ErrCorrupt},
		{"short 64-bit sizes", append([]byte("RF64\xff\xff\xff\xffWAVE"), chunk("ds64", eight)...), spool.ErrCorrupt},
		{"no channels", riff(description(1, 0, 8000, 16), chunk("data", eight)), spool.ErrCorrupt},
		{"no rate", riff(description(1, 1, 0, 16), chunk("data", eight)), spool.ErrCorrupt},
		{"rate of 2^31", riff(description(1, 1, 1<<31, 16), chunk("data", eight)), spool.ErrCorrupt},
		{"no bits", riff(description(1, 1, 8000, 0), chunk("data", eight)), spool.ErrUnsupported},
		{"64-bit integers", riff(description(1, 1, 8000, 64), chunk("data", eight)), spool.ErrUnsupported},
		{"half floats", riff(description(3, 1, 8000, 16), chunk("data", eight)), spool.ErrUnsupported},
		{"ADPCM", riff(description(2, 1, 8000, 4), chunk("data", eight)), spool.ErrUnsupported},
		{"padded samples", riff(block, chunk("data", eight)), spool.ErrUnsupported},
		{"another GUID", riff(guid, chunk("data", eight)), spool.ErrUnsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{"seeker": bytes.NewReader(tt.file),
				"stream": stream{bytes.NewReader(tt.file)}} {
				_, err := wav.ReadHeader(r)
				assert.ErrorIs(t, err, tt.class, name)
			}
		})
	}
}

func TestReadHeaderPassesErrorsOn(t *testing.T) {
	broken := errors.New("the disk is gone")
	file := riff(chunk("JUNK", make([]byte, 100)), description(1, 1, 8000, 16), chunk("data", eight))
	for n := range len(file) - len(eight) {
		_, err := wav.ReadHeader(io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(broken)))
		assert.ErrorIs(t, err, broken, "after %d bytes", n)
		_, err = wav.ReadHeader(stream{bytes.NewReader(file[:n])})
		assert.ErrorIs(t, err, spool.ErrTruncated, "after %d bytes", n)
	}
}

func TestWithin(t *testing.T) {
	h := wav.Header{Encoding: wav.Int24, Channels: 2, Offset: 44, Bytes: 60} // ten samples
	tests := []struct {
		size, want int64
		truncated  bool
	}{
		{104, 10, false}, {1000, 10, false}, {103, 9, true}, {50, 1, true}, {49, 0, true}, {44, 0, true}, {0, 0, true},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, h.Within(tt.size), "%d", tt.size)
		assert.Equal(t, tt.truncated, h.Truncated(tt.size), "%d", tt.size)
	}
	h.Bytes = wav.Unknown
	assert.Equal(t, int64(2), h.Within(44+17))
	assert.False(t, h.Truncated(44+17))
	assert.Zero(t, h.Within(0))
}

func TestIs(t *testing.T) {
	assert.False(t, wav.Is([]byte("RIFF\x00\x00\x00\x00WAV")))
	assert.False(t, wav.Is([]byte("RIFF\x00\x00\x00\x00AVI ")))
	assert.False(t, wav.Is([]byte("RIFX\x00\x00\x00\x00WAVE")))
	assert.False(t, wav.Is(nil))
}
