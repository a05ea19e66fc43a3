package decode

import (
	"iter"

	"github.com/spoolmedia/spool"
)

// refuseTIFF refuses pages that the installed libvips may decode, but not as spool promises:
//
//   - JPEG 2000 in strips or tiles would be decoded by libopenjp2 without its limits or ours.
//   - YCbCr that is not JPEG is decoded by libvips 8.16 with chroma subsampling where Pillow has none; libvips 8.14
//     refuses it.
func refuseTIFF(data []byte, page int) error {
	t, ok := tiffPage(data, page)
	if !ok {
		return nil
	}
	unsupported := func(text string) error {
		return &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Text: text}
	}
	jpeg := false
	for compression := range t.each(tiffCompression) {
		switch compression {
		case 33003, 33004, 33005, 34712:
			return unsupported("JPEG 2000 in TIFF")
		case tiffOldJPEG, tiffJPEG:
			jpeg = true
		}
	}
	if t.number(tiffPhotometric, 0) == tiffYCbCr && !jpeg {
		return unsupported("YCbCr that is not JPEG")
	}
	return nil
}

// each yields the values of all entries with a tag: libtiff uses the first entry, other readers the last.
func (t tiff) each(tag uint16) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := range t.count {
			e, whole := t.entry(i)
			if !whole {
				return
			}
			if e.tag != tag {
				continue
			}
			values, _ := t.values(e)
			for n, more := t.next(&values, e.kind); more; n, more = t.next(&values, e.kind) {
				if !yield(n) {
					return
				}
			}
		}
	}
}
