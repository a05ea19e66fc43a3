package resize_test

import (
	"slices"

	"github.com/spoolmedia/spool/resize"
)

// image is an image with interleaved uint8 pixels.
type image struct {
	width, height, channels int
	pixels                  []byte
}

func newImage(width, height, channels int) image {
	return image{width, height, channels, make([]byte, width*height*channels)}
}

func (p image) at(x, y int) []byte {
	i := (y*p.width + x) * p.channels
	return p.pixels[i : i+p.channels]
}

// render executes a plan, literally by the documentation of Plan and Axis.
func render(plan resize.Plan, in image, pad [3]uint8) image {
	part := newImage(plan.Right-plan.Left, plan.Bottom-plan.Top, in.channels)
	for y := range part.height {
		copy(part.pixels[y*part.width*part.channels:(y+1)*part.width*part.channels],
			in.pixels[((plan.Top+y)*in.width+plan.Left)*in.channels:])
	}
	if plan.VerticalFirst {
		part = horizontal(plan.Horizontal, vertical(plan.Vertical, part))
	} else {
		part = vertical(plan.Vertical, horizontal(plan.Horizontal, part))
	}
	out := newImage(plan.OutWidth, plan.OutHeight, in.channels)
	for i := range out.pixels {
		out.pixels[i] = pad[i%out.channels%3]
	}
	for y := range plan.H {
		for x := range plan.W {
			copy(out.at(plan.X+x, plan.Y+y), part.at(x, y))
		}
	}
	return flip(out, plan.FlipX, plan.FlipY)
}

func flip(in image, flipX, flipY bool) image {
	out := newImage(in.width, in.height, in.channels)
	for y := range in.height {
		for x := range in.width {
			toX, toY := x, y
			if flipX {
				toX = in.width - 1 - x
			}
			if flipY {
				toY = in.height - 1 - y
			}
			copy(out.at(toX, toY), in.at(x, y))
		}
	}
	return out
}

func horizontal(a *resize.Axis, in image) image {
	if a.Start == nil {
		return in
	}
	out := newImage(a.Out, in.height, in.channels)
	weights := allWeights(a)
	for y := range in.height {
		pass(a, weights, in.pixels[y*in.width*in.channels:], in.channels, in.channels,
			out.pixels[y*out.width*out.channels:], out.channels)
	}
	return out
}

func vertical(a *resize.Axis, in image) image {
	if a.Start == nil {
		return in
	}
	out := newImage(in.width, a.Out, in.channels)
	row := in.width * in.channels
	pass(a, allWeights(a), in.pixels, row, row, out.pixels, row)
	return out
}

// allWeights returns the weights of an axis, Stride for each output.
func allWeights(a *resize.Axis) []int32 {
	if a.Wide != nil {
		return a.Wide
	}
	weights := make([]int32, len(a.Weights))
	for i, w := range a.Weights {
		weights[i] = int32(w)
	}
	return weights
}

// pass filters n adjacent samples at a time, which have the same taps. It is exempt from the race detector, which would
// take most of the tests' time: a single goroutine owns all of the memory.
//
//go:norace
func pass(a *resize.Axis, weights []int32, in []byte, inStride, n int, out []byte, outStride int) {
	for i := range a.Out {
		window := weights[i*a.Stride:][:a.Count[i]]
		from := in[int(a.Start[i])*inStride:]
		to := out[i*outStride:][:n]
		for k := range to {
			sum := int32(1) << (a.Precision - 1)
			for j, w := range window {
				sum += w * int32(from[j*inStride+k])
			}
			to[k] = uint8(min(max(sum>>a.Precision, 0), 255))
		}
	}
}

// premultiply returns the image with its colors weighted by alpha, as in Pillow's convert("RGBa").
func (p image) premultiply() image {
	return p.eachPixel(func(rgb []byte, alpha int) {
		for c, v := range rgb {
			x := int(v)*alpha + 128
			rgb[c] = uint8((x>>8 + x) >> 8)
		}
	})
}

// unpremultiply reverts the weights, as in Pillow's convert("RGBA").
func (p image) unpremultiply() image {
	return p.eachPixel(func(rgb []byte, alpha int) {
		for c, v := range rgb {
			if alpha > 0 {
				rgb[c] = uint8(min(255*int(v)/alpha, 255))
			}
		}
	})
}

func (p image) eachPixel(change func(rgb []byte, alpha int)) image {
	out := image{p.width, p.height, p.channels, slices.Clone(p.pixels)}
	for i := 0; i < len(out.pixels); i += 4 {
		change(out.pixels[i:i+3], int(out.pixels[i+3]))
	}
	return out
}
