package annotation

import "math"

// box is the coordinates of one box.
type box [4]float32

// convert changes the format: torchvision's convert_bounding_box_format. The rounding of integers depends on the pair
// of formats.
func (b box) convert(from, to Format, integer bool) box {
	x, y, w, h := b[0], b[1], b[2], b[3]
	switch {
	case from == to:
		return b
	case from == XYWH && to == CXCYWH:
		return box{x + half(w, integer), y + half(h, integer), w, h}
	case from == CXCYWH && to == XYWH && !integer:
		return box{x - w/2, y - h/2, w, h}
	case from == XYWH:
		b = box{x, y, x + w, y + h}
	case from == CXCYWH:
		left, top := x-w/2, y-h/2
		b = box{left, top, left + w, top + h}
		if integer {
			b = b.truncate()
		}
	}
	w, h = b[2]-b[0], b[3]-b[1]
	switch to {
	case XYWH:
		return box{b[0], b[1], w, h}
	case CXCYWH:
		return box{half(b[0]*2+w, integer), half(b[1]*2+h, integer), w, h}
	}
	return b
}

// half halves a number. Integers are rounded down.
func half(n float32, integer bool) float32 {
	if integer {
		return float32(math.Floor(float64(n) / 2))
	}
	return n / 2
}

// truncate rounds towards zero.
func (b box) truncate() box {
	for i := range b {
		b[i] = truncate(b[i])
	}
	return b
}

func truncate(n float32) float32 { return float32(math.Trunc(float64(n))) }

// clamp moves all edges into a canvas.
func (b box) clamp(f Format, integer bool, width, height float32) box {
	b = b.convert(f, XYXY, false)
	for i := range b {
		b[i] = min(max(b[i], 0), [...]float32{width, height}[i%2])
	}
	if b = b.convert(XYXY, f, false); integer {
		return b.truncate()
	}
	return b
}

// product rounds a product, which the compiler must not fuse with a sum.
func product(n, factor float32) float32 { return float32(n * factor) }

// move adds to the position.
func (b box) move(f Format, x, y float32) box {
	b[0] += x
	b[1] += y
	if f == XYXY {
		b[2] += x
		b[3] += y
	}
	return b
}

// scale multiplies by the ratios of a resize.
func (b box) scale(integer bool, x, y float32) box {
	b = box{product(b[0], x), product(b[1], y), product(b[2], x), product(b[3], y)}
	if integer {
		return b.truncate()
	}
	return b
}

// flip mirrors one direction, that of coordinates i and i+2, in a canvas of that size.
func (b box) flip(f Format, i int, size float32) box {
	switch f {
	case XYXY:
		b[i], b[i+2] = size-b[i+2], size-b[i]
	case XYWH:
		b[i] = size - (b[i] + b[i+2])
	default:
		b[i] = size - b[i]
	}
	return b
}
