package image

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/raster"
	"github.com/spoolmedia/spool/decode/internal/tiff"
)

// indexed copies an image file and replaces its palette so that color i is gray level i. Decoded to gray by any lane,
// the copy gives its indices. palette is false without a palette, or for a format whose palettes are not handled here.
func indexed(data []byte, f format.Format, page int) (copied []byte, palette bool) {
	switch f {
	case format.PNG:
		return indexedPNG(data)
	case format.GIF:
		return indexedGIF(data)
	case format.BMP:
		return indexedBMP(data)
	case format.TIFF:
		return indexedTIFF(data, page)
	}
	return data, false
}

// ramp is a palette of n gray colors, color i with level i, with entry bytes a color.
func ramp(n, entry int) []byte {
	colors := make([]byte, n*entry)
	for i := range n {
		for k := range 3 {
			colors[i*entry+k] = byte(i)
		}
	}
	return colors
}

// indexedPNG replaces the first PLTE chunk.
func indexedPNG(data []byte) ([]byte, bool) {
	const signature, frame, paletted = 8, 12, 3 // bytes; bytes of a chunk besides its data; a color type
	be := binary.BigEndian
	depth := 0
	for at := signature; len(data)-at >= frame; {
		length := int64(be.Uint32(data[at:]))
		if length > int64(len(data)-at-frame) {
			break
		}
		end := at + frame + int(length)
		body := data[at+4 : end-4] // the chunk's name and data
		switch name := string(body[:4]); {
		case name == "IHDR" && length == 13 && body[4+9] == paletted && body[4+8] <= 8:
			depth = int(body[4+8])
		case name == "IDAT", name == "PLTE" && crc32.ChecksumIEEE(body) != be.Uint32(data[end-4:]):
			return data, false
		case name == "PLTE" && depth > 0:
			chunk := append([]byte("PLTE"), ramp(1<<depth, 3)...)
			head := be.AppendUint32(bytes.Clone(data[:at]), uint32(len(chunk)-4))
			copied := be.AppendUint32(append(head, chunk...), crc32.ChecksumIEEE(chunk))
			return append(copied, data[end:]...), true
		}
		at = end
	}
	return data, false
}

// indexedGIF changes the color tables that apply to the first frame. cbridge/gif extends a ramp of any length to all
// 256 indices.
func indexedGIF(data []byte) ([]byte, bool) {
	// two lengths in bytes; the first bytes of two blocks
	const screen, descriptor, extension, trailer = 13, 10, 0x21, 0x3b
	if len(data) < screen {
		return data, false
	}
	copied := bytes.Clone(data)
	at := screen
	table := func(flags byte) {
		if n := 2 << (flags & 7); flags&0x80 != 0 {
			at += copy(copied[min(at, len(copied)):], ramp(n, 3))
		}
	}
	table(data[10])
	for at < len(data) && data[at] == extension {
		for at += 2; at < len(data) && data[at] != 0; {
			at += 1 + int(data[at])
		}
		at++
	}
	if at+descriptor > len(data) || data[at] == trailer {
		return data, false
	}
	flags := data[at+descriptor-1]
	at += descriptor
	table(flags)
	return copied, true
}

// indexedBMP writes a palette of all indices, and the new offset of the pixels.
func indexedBMP(data []byte) ([]byte, bool) {
	h, err := raster.ParseBMP(data)
	if err != nil || h.Palette == nil {
		return data, false
	}
	const colors = 32 // offset of the number of colors in a Windows header
	le := binary.LittleEndian
	size := int(le.Uint32(data[raster.BMPFileHeader:]))
	end, entry := raster.BMPFileHeader+size, 4
	if size == 12 {
		entry = 3
	}
	copied := bytes.Clone(data[:end])
	if size > 12 {
		le.PutUint32(copied[raster.BMPFileHeader+colors:], 1<<h.Depth)
	}
	if h.Compression == raster.BMPBitFields && size == 40 {
		copied = append(copied, data[end:end+12]...)
	}
	copied = append(copied, ramp(1<<h.Depth, entry)...)
	le.PutUint32(copied[10:], uint32(len(copied)))
	return append(copied, h.Pixels...), true
}

// indexedTIFF changes the color map of a page: 16-bit values, first all red, then green, then blue.
func indexedTIFF(data []byte, page int) ([]byte, bool) {
	const paletted, short = 3, 3 // a photometric interpretation; a field type
	copied := bytes.Clone(data)
	t, ok := tiff.Page(copied, page)
	if !ok || t.Cut || t.Number(tiff.TagPhotometric, 0) != paletted {
		return data, false
	}
	n := 1 << min(t.Number(tiff.TagBits, 1), 16)
	e, values := t.Find(tiff.TagColorMap)
	if e.Kind != short || len(values) != 2*3*n || n > 256 {
		return data, false
	}
	for i := range 3 * n {
		t.Order.PutUint16(values[2*i:], uint16(i%n*257))
	}
	return copied, true
}

// errNoIndices reports an image without indices whose samples cannot serve as indices.
func errNoIndices(i Info) error {
	return &spool.Error{Op: "decode", Class: spool.ErrUnsupported,
		Text: "no indices in this " + i.Format.String() + ": it has no palette, and is not gray of up to 8 bits; choose " +
			"another color"}
}
