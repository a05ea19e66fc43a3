package tiff

import (
	"bytes"
	"fmt"
	"math"
	"slices"
)

// Level is a page of a TIFF file at a lower resolution.
type Level struct {
	Page, SubIFD  int // as in vips.Header
	Width, Height int
}

// maxLevels is more than any image has, because each level has half the size of the previous level.
const maxLevels = 32

// Levels finds a page's lower resolutions: its subdirectories, as in the supplement to TIFF 6.0, or the following
// pages that are marked as reduced. Directories that differ from the page in more than the size, or whose size is not a
// half, a quarter and so on, are ignored. The largest comes first.
func Levels(data []byte, page int) (levels []Level) {
	whole, ok := Page(data, page)
	if !ok || whole.Cut {
		return nil
	}
	add := func(t Directory, page, subIFD int) {
		w, h := int(t.Number(tagWidth, 0)), int(t.Number(tagLength, 0))
		if t.alike(whole) && halves(int(whole.Number(tagWidth, 0)), w) && halves(int(whole.Number(tagLength, 0)), h) {
			levels = append(levels, Level{page, subIFD, w, h})
		}
	}
	e, offsets := whole.Find(tagSubIFDs)
	for i := 1; i <= maxLevels; i++ {
		at, ok := whole.next(&offsets, e.Kind)
		if !ok {
			break
		}
		if t, ok := whole.directory(at); ok && !t.Cut {
			add(t, page, i)
		}
	}
	t := whole
	for i := page + 1; i <= page+maxLevels; i++ {
		const reduced = 1
		if t, ok = t.nextPage(); !ok || t.Cut || t.Number(tagSubfileType, 0)&reduced == 0 {
			break
		}
		add(t, i, 0)
	}
	slices.SortStableFunc(levels, func(a, b Level) int { return b.Width - a.Width })
	return levels
}

// alike reports whether two directories describe samples of the same type.
func (t Directory) alike(other Directory) bool {
	for _, tag := range []uint16{TagBits, tagCompression, TagPhotometric, tagSamples, tagExtraSamples, tagSampleFormat} {
		_, a := t.Find(tag)
		_, b := other.Find(tag)
		if !bytes.Equal(a, b) {
			return false
		}
	}
	return true
}

// halves reports whether n is half of whole, or half of that, and so on, with any rounding.
func halves(whole, n int) bool {
	for low, high := whole, whole; n > 0 && high > n; {
		low, high = low/2, (high+1)/2
		if low <= n && n <= high {
			return true
		}
	}
	return false
}

// Undecodable names what libtiff or libvips cannot decode of a page. It is empty where all can be decoded. The
// libraries report this as if it were damage.
func Undecodable(data []byte, page int) string {
	t, ok := Page(data, page)
	if !ok || t.Cut {
		return ""
	}
	switch bits := t.Number(TagBits, 1); bits {
	case 1, 2, 4, 8, 16, 32:
	default:
		return fmt.Sprintf("samples of %d bits", bits)
	}
	compression, photometric := t.Number(tagCompression, 1), t.Number(TagPhotometric, math.MaxUint64)
	switch compression {
	case 1, 2, 3, 4, 5, jpegCompression, 8, 32773, 32946: // those of TIFF 6.0, and Deflate
	case oldJPEG:
		return "JPEG of the old style (compression 6)"
	default:
		return fmt.Sprintf("compression %d", compression)
	}
	switch {
	case photometric == math.MaxUint64:
		return "no photometric interpretation"
	case t.Number(tagPlanes, 1) == 2 && t.has(TagTileOffsets):
		return "tiles of separate planes"
	}
	return ""
}

// Values of tiffExtraSamples.
const (
	tiffAssociatedAlpha   = 1
	tiffUnassociatedAlpha = 2
)

// Associated are the values of tiffExtraSamples, within the data, of an RGB page whose colors are premultiplied
// with alpha. It is nil for other pages.
func Associated(data []byte, page int) (t Directory, extra []byte) {
	const rgb, short = 2, 3
	t, ok := Page(data, page)
	if !ok || t.Cut || t.Number(TagPhotometric, 0) != rgb {
		return t, nil
	}
	e, extra := t.Find(tagExtraSamples)
	if e.Kind != short || len(extra) < 2 || t.Order.Uint16(extra) != tiffAssociatedAlpha {
		return t, nil
	}
	return t, extra
}

// Unassociate changes such a page in place to declare that its colors are not premultiplied.
func Unassociate(data []byte, page int) {
	if t, extra := Associated(data, page); extra != nil {
		t.Order.PutUint16(extra, tiffUnassociatedAlpha)
	}
}
