package parity

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image/format"
)

// rule is a difference that docs/parity.md explains. It is recognized by a file's content, never by its name.
type rule struct {
	name    string // as in the table of that page
	applies func(c comparison) bool
}

var rules = []rule{
	{"unsupported", func(c comparison) bool { return c.refusal == spool.ErrUnsupported }},
	{"no-signature", func(c comparison) bool { return c.refusal == spool.ErrNotMedia }},
	{"pillow-alone", func(c comparison) bool {
		return c.against == "torchvision" && c.byPillow() && readByTorchvision(c.format)
	}},
	{"premature-end", func(c comparison) bool { return c.refusal == spool.ErrTruncated && c.format == format.JPEG }},
	{"smoothing", func(c comparison) bool { return c.Figures != nil && c.format == format.JPEG && smoothedJPEG(c.data) }},
	{"gif-damage", func(c comparison) bool { return c.refusal != "" && c.format == format.GIF && damagedGIF(c.data) }},
	{"gif-beyond-screen", func(c comparison) bool {
		return c.refusal == "" && c.format == format.GIF && firstOfGIF(c.data).beyond()
	}},
	{"gif-beyond-table", func(c comparison) bool {
		return c.Figures != nil && c.format == format.GIF && firstOfGIF(c.data).short()
	}},
	{"tiff-strip-bytes", func(c comparison) bool { return c.refusal == spool.ErrTruncated && c.format == format.TIFF }},
	{"tiff-deep-planes", func(c comparison) bool {
		return c.Figures != nil && c.format == format.TIFF && deepPlanes(c.data)
	}},
	{"tiff-float", func(c comparison) bool { return c.Figures != nil && c.format == format.TIFF && floatTIFF(c.data) }},
	{"png-checksum", func(c comparison) bool {
		return c.refusal == spool.ErrCorrupt && c.format == format.PNG && c.byPillow() && wrongSums(c.data)
	}},
	{"bmp-rle", func(c comparison) bool { return c.Figures != nil && c.format == format.BMP && runLengthBMP(c.data) }},
	{"jpeg-2000", func(c comparison) bool { return c.Figures != nil && c.format == format.JP2 && oddJP2(c.data) }},
	{"jpeg-2000-corrupt", func(c comparison) bool { return c.refusal == spool.ErrCorrupt && c.format == format.JP2 }},
	{"orientation-elsewhere", func(c comparison) bool {
		return c.refusal == "" && !c.stored && c.byPillow() && orientedElsewhere(c.data)
	}},
}

// ruleOf returns the name of the rule for a comparison that breaks the promise; empty: none.
func ruleOf(c comparison) string {
	for _, rule := range rules {
		if rule.applies(c) {
			return rule.name
		}
	}
	return ""
}

// byPillow reports whether Pillow decoded the file on the other side.
func (c comparison) byPillow() bool { return strings.HasPrefix(c.Reader, "pillow") }

func readByTorchvision(f format.Format) bool {
	switch f {
	case format.JPEG, format.PNG, format.WebP, format.GIF:
		return true
	}
	return false
}

// wrongSums reports whether a chunk of a PNG file before IEND has another CRC-32 than the file states.
func wrongSums(data []byte) bool {
	const signature, around = 8, 12 // a chunk's length, type and checksum
	for data = data[min(signature, len(data)):]; len(data) >= around; {
		end := int64(binary.BigEndian.Uint32(data)) + around
		if end > int64(len(data)) {
			return false
		}
		chunk := data[4 : end-4]
		if crc32.ChecksumIEEE(chunk) != binary.BigEndian.Uint32(data[end-4:]) {
			return true
		}
		if string(chunk[:4]) == "IEND" {
			return false
		}
		data = data[end:]
	}
	return false
}

// runLengthBMP reports whether a BMP file is compressed with RLE8 or RLE4.
func runLengthBMP(data []byte) bool {
	const compression = 30
	return len(data) > compression && (data[compression] == 1 || data[compression] == 2)
}

// orientedElsewhere reports whether a file may give its orientation in XMP or in ImageMagick's text chunk.
func orientedElsewhere(data []byte) bool {
	for _, mark := range []string{"tiff:Orientation", "Raw profile type exif", "Raw profile type APP1"} {
		if bytes.Contains(data, []byte(mark)) {
			return true
		}
	}
	return false
}
