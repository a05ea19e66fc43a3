package batch

import "github.com/spoolmedia/spool"

// region copies an array to the beginning of a larger one in each dimension, and fills the rest.
type region struct {
	to, from spool.Shape // inner dimensions that are equal are joined
	elem     int         // bytes of one element of the innermost dimension
	fill     []byte      // a value; nil means zeros
}

// newRegion returns the region of an array of shape from in one of shape to, which has elements of elem bytes.
func newRegion(to, from spool.Shape, elem int, fill []byte) region {
	n := len(to)
	for n > 1 && to[n-1] == from[n-1] {
		elem *= to[n-1]
		n--
	}
	return region{to: to[:n], from: from[:n], elem: elem, fill: fill}
}

// write writes the larger array to dst. src is the array itself.
func (r region) write(dst, src []byte) {
	if r.from[0] == 0 {
		repeat(dst, r.fill)
		return
	}
	inner := r.elem
	if len(r.to) > 1 {
		inner = len(dst) / r.to[0]
		rest, own := region{r.to[1:], r.from[1:], r.elem, r.fill}, len(src)/r.from[0]
		for i := range r.from[0] {
			rest.write(dst[i*inner:(i+1)*inner], src[i*own:(i+1)*own])
		}
	} else {
		copy(dst, src)
	}
	repeat(dst[r.from[0]*inner:], r.fill)
}

// repeat fills dst with copies of a value; nil means zeros.
func repeat(dst, value []byte) {
	if value == nil {
		clear(dst)
		return
	}
	for n := copy(dst, value); n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}
