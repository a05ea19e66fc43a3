package parity

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/resize"
)

// gifOf returns a file of one frame without pixels.
func gifOf(screen, background, flags, left, frame, local, bits byte) []byte {
	table := func(flags byte) []byte {
		if flags < 0x80 {
			return nil
		}
		return make([]byte, 3*(2<<(flags&7)))
	}
	data := append([]byte("GIF89a"), screen, 0, screen, 0, flags, background, 0)
	data = append(append(data, table(flags)...), "!\xf9\x04\x00\x00\x00\x00\x00"...)
	data = append(data, ',', left, 0, 0, 0, frame, 0, frame, 0, local)
	return append(append(data, table(local)...), bits, 0, ';')
}

// progressive returns the headers of a progressive JPEG of one component, whose scans leave out these last bits.
func progressive(scans ...[3]byte) []byte {
	data := []byte("\xff\xd8\xff\xc2\x00\x0b\x08\x00\x10\x00\x10\x01\x07\x11\x00")
	for _, s := range scans {
		data = append(data, 0xff, 0xda, 0, 8, 1, 7, 0, s[0], s[1], s[2], 1, 2, 0xff, 0)
	}
	return append(data, 0xff, 0xd9)
}

// jp2Of returns the beginning of a file of 3 components. The last one has depth+1 bits, and pixels step apart.
func jp2Of(box string, depth, step byte) []byte {
	data := append([]byte(box+"\xff\x4f\xff\x51\x00\x2f\x00\x00"), make([]byte, 32)...)
	return append(data, 0, 3, 7, 1, 1, 7, 1, 1, depth, step, step)
}

// tiffOf returns a file whose page has three samples of so many bits, and this planar configuration.
func tiffOf(bits, planes byte) []byte {
	return []byte{'M', 'M', 0, 42, 0, 0, 0, 8, 0, 2, 1, 2, 0, 3, 0, 0, 0, 3, 0, 0, 0, 34, 1, 28, 0, 3, 0, 0, 0, 1, 0,
		planes, 0, 0, 0, bits, 0, bits, 0, bits}
}

// floatTIFFOf returns a file whose page has one sample of this kind: 1 is an integer, 3 a floating-point number.
func floatTIFFOf(kind byte) []byte {
	return []byte{'I', 'I', 42, 0, 8, 0, 0, 0, 2, 0, 2, 1, 3, 0, 1, 0, 0, 0, 32, 0, 0, 0, 0x53, 1, 3, 0, 1, 0, 0, 0, kind,
		0, 0, 0}
}

// pngOf returns chunks of no meaning, whose checksums are wrong by so much.
func pngOf(wrong uint32) (data []byte) {
	data = []byte("\x89PNG\r\n\x1a\n")
	for _, chunk := range []string{"IDAT pixels", "IEND"} {
		data = append(binary.BigEndian.AppendUint32(data, uint32(len(chunk)-4)), chunk...)
		data = binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE([]byte(chunk))+wrong)
	}
	return data
}

func TestParityRules(t *testing.T) {
	apart := &Figures{Max: 3}
	whole := [][3]byte{{0, 0, 0}, {1, 5, 2}, {6, 63, 0}, {1, 5, 0x21}, {1, 5, 0x10}}
	for _, c := range []struct {
		rule string
		c    comparison
	}{
		{"unsupported", comparison{refusal: spool.ErrUnsupported}},
		{"no-signature", comparison{refusal: spool.ErrNotMedia}},
		{"", comparison{refusal: spool.ErrTooLarge}},
		{"", comparison{refusal: spool.ErrCorrupt}},
		{"pillow-alone", comparison{refusal: spool.ErrCorrupt, format: format.PNG, against: "torchvision", Reader: "pillow"}},
		{"pillow-alone", comparison{Figures: apart, format: format.GIF, against: "torchvision", Reader: "pillow"}},
		{"", comparison{refusal: spool.ErrCorrupt, format: format.PNG, against: "torchvision", Reader: "torchvision"}},
		{"", comparison{refusal: spool.ErrCorrupt, format: format.PNG, against: "pillow", Reader: "pillow"}},
		{"", comparison{Figures: apart, format: format.BMP, against: "torchvision", Reader: "pillow"}},
		{"premature-end", comparison{refusal: spool.ErrTruncated, format: format.JPEG}},
		{"smoothing", comparison{Figures: apart, format: format.JPEG, data: progressive(whole[:3]...)}},
		{"smoothing", comparison{Figures: apart, format: format.JPEG, data: progressive(whole[0])}},
		{"", comparison{Figures: apart, format: format.JPEG, data: progressive(whole...)}},
		{"", comparison{Figures: apart, format: format.JPEG,
			data: bytes.Replace(progressive(whole[0]), []byte{0xc2}, []byte{0xc0}, 1)}},
		{"gif-damage", comparison{refusal: spool.ErrCorrupt, format: format.GIF, data: gifOf(8, 0, 0x81, 0, 8, 0, 11)}},
		{"gif-beyond-screen", comparison{Error: map[string]string{"size": "1x2"}, format: format.GIF,
			data: gifOf(8, 0, 0x81, 1, 8, 0, 2)}},
		{"gif-beyond-table", comparison{Figures: apart, format: format.GIF, data: gifOf(8, 0, 0x80, 0, 8, 0, 2)}},
		{"gif-beyond-table", comparison{Figures: apart, format: format.GIF, data: gifOf(8, 4, 0x81, 0, 8, 0x82, 3)}},
		{"", comparison{Figures: apart, format: format.GIF, data: gifOf(8, 3, 0x81, 0, 8, 0x82, 3)}},
		{"tiff-strip-bytes", comparison{refusal: spool.ErrTruncated, format: format.TIFF}},
		{"bmp-rle", comparison{Figures: apart, format: format.BMP,
			data: binary.LittleEndian.AppendUint32(make([]byte, 30), 1)}},
		{"", comparison{Figures: apart, format: format.BMP, data: make([]byte, 60)}},
		{"jpeg-2000", comparison{Figures: apart, format: format.JP2, data: jp2Of("pclr", 7, 1)}},
		{"jpeg-2000", comparison{Figures: apart, format: format.JP2, data: jp2Of("", 11, 1)}},
		{"jpeg-2000", comparison{Figures: apart, format: format.JP2, data: jp2Of("", 7, 2)}},
		{"", comparison{Figures: apart, format: format.JP2, data: jp2Of("", 7, 1)}},
		{"jpeg-2000-corrupt", comparison{refusal: spool.ErrCorrupt, format: format.JP2}},
		{"", comparison{refusal: spool.ErrTruncated, format: format.JP2, data: jp2Of("pclr", 7, 1)}},
		{"tiff-deep-planes", comparison{Figures: apart, format: format.TIFF, data: tiffOf(16, 2)}},
		{"", comparison{Figures: apart, format: format.TIFF, data: tiffOf(8, 2)}},
		{"", comparison{Figures: apart, format: format.TIFF, data: tiffOf(16, 1)}},
		{"tiff-float", comparison{Figures: apart, format: format.TIFF, data: floatTIFFOf(3)}},
		{"", comparison{Figures: apart, format: format.TIFF, data: floatTIFFOf(1)}},
		{"png-checksum", comparison{refusal: spool.ErrCorrupt, format: format.PNG, against: "pillow", Reader: "pillow",
			data: pngOf(1)}},
		{"", comparison{refusal: spool.ErrCorrupt, format: format.PNG, against: "pillow", Reader: "pillow", data: pngOf(0)}},
		{"", comparison{refusal: spool.ErrTruncated, format: format.PNG, Reader: "pillow", data: pngOf(1)}},
		{"", comparison{refusal: spool.ErrCorrupt, format: format.PNG, Reader: "torchvision", data: pngOf(1)}},
		{"orientation-elsewhere", comparison{Figures: apart, format: format.PNG, Reader: "pillow",
			data: []byte(`tiff:Orientation="6"`)}},
		{"", comparison{Figures: apart, format: format.PNG, Reader: "pillow", stored: true,
			data: []byte(`tiff:Orientation="6"`)}},
		{"", comparison{Figures: apart, format: format.PNG, Reader: "torchvision", data: []byte(`tiff:Orientation="6"`)}},
	} {
		assert.Equal(t, c.rule, ruleOf(c.c), "%+v", c.c)
	}
}

// Damaged files change only the result.
func TestParityRulesTakeAnything(*testing.T) {
	for _, data := range [][]byte{gifOf(8, 0, 0x81, 0, 8, 0x82, 3), progressive([3]byte{0, 0, 0}, [3]byte{200, 255, 255}),
		jp2Of("pclr", 7, 1), tiffOf(16, 2), floatTIFFOf(3), pngOf(1), []byte("BM")} {
		for n := range data {
			for _, f := range []format.Format{format.GIF, format.JPEG, format.BMP, format.JP2, format.TIFF} {
				ruleOf(comparison{Figures: new(Figures), format: f, data: data[:n]})
			}
			ruleOf(comparison{refusal: spool.ErrCorrupt, format: format.PNG, Reader: "pillow", data: data[:n]})
		}
	}
}

// Each rule has its line in the documentation, and what follows one breaks no promise.
func TestParityRulesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/parity.md")
	require.NoError(t, err)
	for _, rule := range rules {
		assert.Equal(t, 1, strings.Count(string(text), "| `"+rule.name+"` |"), rule.name)
	}
	r := &report{Against: "torchvision"}
	one := newComparison("a.dds", format.DDS, resize.Spec{})
	one.Error["spool"], one.refusal = "unsupported: no decoder", spool.ErrUnsupported
	require.NoError(t, r.add(one, nil))
	two := newComparison("b.png", format.PNG, resize.Spec{})
	two.Error["spool"], two.refusal = "corrupt: no", spool.ErrCorrupt
	require.NoError(t, r.add(two, nil))
	r.finish()
	assert.Equal(t, 1, r.Broken)
	assert.Equal(t, map[string]int{"unsupported": 1}, r.Rules)
	var out bytes.Buffer
	require.NoError(t, r.print(&out))
	assert.Contains(t, out.String(), "excused by the rule unsupported of docs/parity.md: 1")
}
