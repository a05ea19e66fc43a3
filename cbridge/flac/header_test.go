package flac_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/flac"
)

// block returns a metadata block.
func block(kind byte, last bool, data []byte) []byte {
	if last {
		kind |= 0x80
	}
	return append([]byte{kind, byte(len(data) >> 16), byte(len(data) >> 8), byte(len(data))}, data...)
}

// info returns a STREAMINFO of 16 bits and two channels.
func info() []byte {
	b := make([]byte, 34)
	binary.BigEndian.PutUint16(b, 4096)
	binary.BigEndian.PutUint16(b[2:], 4096)
	binary.BigEndian.PutUint64(b[10:], 44100<<44|1<<41|15<<36|100000)
	return b
}

func point(sample, offset uint64) []byte {
	return append(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, sample), offset), 16, 0)
}

func comments(lines ...string) []byte {
	b := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 0), uint32(len(lines)))
	for _, line := range lines {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(line))), line...)
	}
	return b
}

var tag = append([]byte("ID3\x04\x00\x10\x00\x00\x00\x05"), make([]byte, 15)...) // five bytes and a footer

func TestHeader(t *testing.T) {
	all := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	mark := []byte("fLaC")
	plain := flac.Header{Rate: 44100, Channels: 2, Bits: 16, Samples: 100000, Largest: 4096, Start: 42}
	with := func(change func(*flac.Header)) flac.Header {
		h := plain
		change(&h)
		return h
	}
	for _, x := range []struct {
		name   string
		file   []byte
		want   flac.Header
		reason flac.Reason
	}{
		{"plain", all(mark, block(0, true, info())), plain, flac.Decoded},
		{"tags", all(tag, tag, mark, block(0, true, info())), with(func(h *flac.Header) { h.Start = 92 }), flac.Decoded},
		{"padding and unknown", all(mark, block(0, false, info()), block(1, false, make([]byte, 10)), block(77, true, nil)),
			with(func(h *flac.Header) { h.Start = 60 }), flac.Decoded},
		{"seek points", all(mark, block(0, false, info()),
			block(3, true, all(point(0, 0), point(8192, 500), point(4096, 300), point(1<<64-1, 0)))),
			with(func(h *flac.Header) { h.Start, h.Points = 118, []flac.Point{{0, 118}, {8192, 618}} }), flac.Decoded},
		{"places", all(mark, block(0, false, info()),
			block(4, true, comments("Title=\xffx", "waveformatextensible_channel_mask=0x30"))),
			with(func(h *flac.Header) { h.Start, h.Speakers = 42+4+8+4+8+4+38, 0x30 }), flac.Decoded},
		{"places twice", all(mark, block(0, false, info()),
			block(4, true, comments("WAVEFORMATEXTENSIBLE_CHANNEL_MASK=3", "WAVEFORMATEXTENSIBLE_CHANNEL_MASK=4"))),
			flac.Header{}, flac.Metadata},
		{"no places", all(mark, block(0, false, info()), block(4, true, comments("WAVEFORMATEXTENSIBLE_CHANNEL_MASK=left"))),
			flac.Header{}, flac.Metadata},
		{"not first", all(mark, block(1, false, nil), block(0, true, info())), flac.Header{}, flac.Metadata},
		{"twice", all(mark, block(0, false, info()), block(0, true, info())), flac.Header{}, flac.Metadata},
		{"forbidden", all(mark, block(0, false, info()), block(127, true, nil)), flac.Header{}, flac.Metadata},
		{"short", all(mark, block(0, true, info()[:33])), flac.Header{}, flac.Metadata},
		{"no last one", all(mark, block(0, false, info())), flac.Header{}, flac.Metadata},
		{"another", []byte("RIFF"), flac.Header{}, flac.Metadata},
		{"nothing", nil, flac.Header{}, flac.Metadata},
	} {
		t.Run(x.name, func(t *testing.T) {
			h, reason, err := flac.ReadHeader(viewOf(x.file))
			require.NoError(t, err)
			assert.Equal(t, x.reason, reason)
			assert.Equal(t, x.want, h)
		})
	}
}

func TestIs(t *testing.T) {
	mark := []byte("fLaC")
	for _, x := range []struct {
		head []byte
		want bool
	}{{mark, true}, {append(bytes.Clone(tag), mark...), true}, {tag, false},
		{append(bytes.Clone(tag), 0xFF, 0xFB, 0x90, 0x64), false},
		{[]byte("ID3\x04\x00\x00\x7f\x7f\x7f\x7ffLaC"), false}, {[]byte("fLa"), false}, {nil, false}} {
		assert.Equal(t, x.want, flac.Is(x.head), "%q", x.head)
	}
}

func TestReasons(t *testing.T) {
	words := map[string]bool{}
	for r := range flac.Reasons {
		words[flac.Reason(r).String()] = true
	}
	assert.Len(t, words, flac.Reasons, "each has a word of its own")
	assert.False(t, words["unknown"])
	assert.Equal(t, "unknown", flac.Reason(200).String())
}
