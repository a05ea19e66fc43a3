package decode

import (
	"bytes"
	"fmt"
	"math"
	"slices"
)

// tiffLevel is a page of a TIFF file at a lower resolution.
type tiffLevel struct {
	page, subIFD  int // as in vips.Header
	width, height int
}

// maxLevels is more than any image has: each level is half of the one before.
const maxLevels = 32

// tiffLevels finds a page's lower resolutions: its subdirectories, as in the supplement to TIFF 6.0, or the following
// pages that are marked as reduced. Directories that differ from the page in more than the size, or whose size is not a
// half, a quarter and so on, are ignored. The largest comes first.
func tiffLevels(data []byte, page int) (levels []tiffLevel) {
	whole, ok := tiffPage(data, page)
	if !ok || whole.cut {
		return nil
	}
	add := func(t tiff, page, subIFD int) {
		w, h := int(t.number(tiffWidth, 0)), int(t.number(tiffLength, 0))
		if t.alike(whole) && halves(int(whole.number(tiffWidth, 0)), w) && halves(int(whole.number(tiffLength, 0)), h) {
			levels = append(levels, tiffLevel{page, subIFD, w, h})
		}
	}
	e, offsets := whole.find(tiffSubIFDs)
	for i := 1; i <= maxLevels; i++ {
		at, ok := whole.next(&offsets, e.kind)
		if !ok {
			break
		}
		if t, ok := whole.directory(at); ok && !t.cut {
			add(t, page, i)
		}
	}
	t := whole
	for i := page + 1; i <= page+maxLevels; i++ {
		const reduced = 1
		if t, ok = t.nextPage(); !ok || t.cut || t.number(tiffSubfileType, 0)&reduced == 0 {
			break
		}
		add(t, i, 0)
	}
	slices.SortStableFunc(levels, func(a, b tiffLevel) int { return b.width - a.width })
	return levels
}

// alike reports whether two directories describe samples of the same type.
func (t tiff) alike(other tiff) bool {
	for _, tag := range []uint16{tiffBits, tiffCompression, tiffPhotometric, tiffSamples, tiffExtraSamples, tiffSampleFormat} {
		_, a := t.find(tag)
		_, b := other.find(tag)
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

// tiffUndecodable names what libtiff or libvips cannot decode of a page. It is empty where all can be decoded. The
// libraries report this as if it were damage.
func tiffUndecodable(data []byte, page int) string {
	t, ok := tiffPage(data, page)
	if !ok || t.cut {
		return ""
	}
	switch bits := t.number(tiffBits, 1); bits {
	case 1, 2, 4, 8, 16, 32:
	default:
		return fmt.Sprintf("samples of %d bits", bits)
	}
	compression, photometric := t.number(tiffCompression, 1), t.number(tiffPhotometric, math.MaxUint64)
	switch compression {
	case 1, 2, 3, 4, 5, tiffJPEG, 8, 32773, 32946: // those of TIFF 6.0, and Deflate
	case tiffOldJPEG:
		return "JPEG of the old style (compression 6)"
	default:
		return fmt.Sprintf("compression %d", compression)
	}
	switch {
	case photometric == math.MaxUint64:
		return "no photometric interpretation"
	case t.number(tiffPlanes, 1) == 2 && t.has(tiffTileOffsets):
		return "tiles of separate planes"
	}
	return ""
}

// Values of tiffExtraSamples.
const (
	tiffAssociatedAlpha   = 1
	tiffUnassociatedAlpha = 2
)

// tiffAssociated are the values of tiffExtraSamples, within the data, of an RGB page whose colors are premultiplied
// with alpha. It is nil for other pages.
func tiffAssociated(data []byte, page int) (t tiff, extra []byte) {
	const rgb, short = 2, 3
	t, ok := tiffPage(data, page)
	if !ok || t.cut || t.number(tiffPhotometric, 0) != rgb {
		return t, nil
	}
	e, extra := t.find(tiffExtraSamples)
	if e.kind != short || len(extra) < 2 || t.order.Uint16(extra) != tiffAssociatedAlpha {
		return t, nil
	}
	return t, extra
}

// tiffUnassociate changes such a page in place to declare that its colors are not premultiplied.
func tiffUnassociate(data []byte, page int) {
	if t, extra := tiffAssociated(data, page); extra != nil {
		t.order.PutUint16(extra, tiffUnassociatedAlpha)
	}
}
