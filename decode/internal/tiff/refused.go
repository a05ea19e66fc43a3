package tiff

import (
	"iter"

	"github.com/spoolmedia/spool"
)

// Refuse refuses pages that the installed libvips may decode, but not as spool promises:
//
//   - JPEG 2000 in strips or tiles would be decoded by libopenjp2 without its limits or ours.
//   - YCbCr that is not JPEG is decoded by libvips 8.16 with chroma subsampling where Pillow has none; libvips 8.14
//     refuses it.
func Refuse(data []byte, page int) error {
	t, ok := Page(data, page)
	if !ok {
		return nil
	}
	unsupported := func(text string) error {
		return &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Text: text}
	}
	jpeg := false
	for compression := range t.each(tagCompression) {
		switch compression {
		case 33003, 33004, 33005, 34712:
			return unsupported("JPEG 2000 in TIFF")
		case oldJPEG, jpegCompression:
			jpeg = true
		}
	}
	if t.Number(TagPhotometric, 0) == yCbCr && !jpeg {
		return unsupported("YCbCr that is not JPEG")
	}
	return nil
}

// each yields the values of all entries with a tag: libtiff uses the first entry, other readers the last.
func (t Directory) each(tag uint16) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := range t.Count {
			e, whole := t.Entry(i)
			if !whole {
				return
			}
			if e.Tag != tag {
				continue
			}
			values, _ := t.values(e)
			for n, more := t.next(&values, e.Kind); more; n, more = t.next(&values, e.Kind) {
				if !yield(n) {
					return
				}
			}
		}
	}
}
