package kernels

// #include "params.h"
import "C"

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

// Frames makes RGB of a video's frames: uint8, [n h w c], or planes of floats, [n c h w]. The planes of all frames lie
// alike; whoever has frames in several places converts them one by one.
type Frames struct {
	Frames, Height, Width int
	SubX, SubY            int // samples of luma to one of chroma: 1 or 2; odd sides have half a sample more
	kernel.Video              // Deep does not matter
	Scale                     // or a DType of Uint8 alone

	// In bytes: from row to row of a plane, and from a frame's plane to the next frame's. Pack sets them.
	LumaPitch, ChromaPitch int
	LumaFrame, ChromaFrame int
}

// Pack has the frames lie without gaps: luma, then U, then V, or pairs of these, then the next frame. It says where in a
// frame U and V begin, and how large it is.
func (f *Frames) Pack() (u, v, bytes int) {
	width, height := f.chromaSize()
	f.LumaPitch, f.ChromaPitch = f.Width*f.sample(), width*f.step()*f.sample()
	u = f.LumaPitch * f.Height
	v, bytes = u+f.ChromaPitch*height, u+f.ChromaPitch*height
	if f.Chroma == kernel.Separate {
		bytes += f.ChromaPitch * height
	}
	f.LumaFrame, f.ChromaFrame = bytes, bytes
	return u, v, bytes
}

// sample is the bytes of one.
func (f *Frames) sample() int {
	if f.Bits > 8 {
		return 2
	}
	return 1
}

// step is from a sample of U to the next.
func (f *Frames) step() int {
	if f.Chroma != kernel.Separate {
		return 2
	}
	return 1
}

func (f *Frames) chromaSize() (width, height int) {
	return (f.Width + f.SubX - 1) / f.SubX, (f.Height + f.SubY - 1) / f.SubY
}

// Validate reports everything that is wrong, as spool.ErrOptions.
func (f *Frames) Validate() error {
	p := problems{of: "frames"}
	p.require(f.Frames > 0 && f.Frames <= math.MaxInt32 && fits(f.Width, f.Height), fmt.Sprintf("%d frames of %dx%d", f.Frames, f.Width, f.Height))
	p.require((f.SubX == 1 || f.SubX == 2) && (f.SubY == 1 || f.SubY == 2), fmt.Sprintf("SubX %d and SubY %d are not 1 or 2", f.SubX, f.SubY))
	p.require(f.Bits == 0 || 8 <= f.Bits && f.Bits <= 16, fmt.Sprintf("Bits of %d", f.Bits))
	p.require(f.Chroma <= kernel.PairsVU, fmt.Sprintf("Chroma of %d", f.Chroma))
	p.require(f.LumaPitch >= 0 && f.ChromaPitch >= 0 && f.LumaFrame >= 0 && f.ChromaFrame >= 0, "planes that go backwards")
	p.require((f.LumaPitch|f.ChromaPitch|f.LumaFrame|f.ChromaFrame)%f.sample() == 0, "planes that do not begin at a sample")
	if f.DType == spool.Uint8 {
		p.require(f.Mean == nil && f.Std == nil, "Mean or Std of uint8")
	} else {
		f.validate(3, &p)
	}
	return errors.Join(p.list...)
}

// Frames queues it: y, u and v are the planes of the first frame, and out gets the pixels. Of pairs u is where they begin, and v
// is not looked at. Widths that are a multiple of 16, of float16 8 and of float32 4, with out on a multiple of 16, are quickest.
func (k *Kernels) Frames(s cuda.Stream, f *Frames, y, u, v, out cuda.Pointer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	sample, size := f.sample(), f.DType.Size()
	switch second := u + cuda.Pointer(sample); f.Chroma {
	case kernel.PairsUV:
		v = second
	case kernel.PairsVU:
		u, v = second, u
	}
	c := f.Coefficients()
	launch := C.spool_frames_launch{y: C.ulonglong(y), u: C.ulonglong(u), v: C.ulonglong(v), out: C.ulonglong(out), p: C.spool_frames{
		luma_pitch: C.ulonglong(f.LumaPitch), chroma_pitch: C.ulonglong(f.ChromaPitch),
		luma_frame: C.ulonglong(f.LumaFrame), chroma_frame: C.ulonglong(f.ChromaFrame),
		frames: C.uint(f.Frames), width: C.uint(f.Width), height: C.uint(f.Height),
		chroma_x: C.uint(bits.TrailingZeros(uint(f.SubX))), chroma_y: C.uint(bits.TrailingZeros(uint(f.SubY))), step: C.uint(f.step()),
		luma: C.int(c.Luma), bias: C.int(c.Bias), red_v: C.int(c.RedV), green_u: C.int(c.GreenU), green_v: C.int(c.GreenV), blue_u: C.int(c.BlueU),
		scale: f.Scale.c(),
	}}
	if !f.High {
		launch.p.shift = C.uint(16 - max(f.Bits, 8))
	}
	units := f.Width * f.Height
	if unit := C.SPOOL_UNIT / size; f.Width%unit == 0 && out%C.SPOOL_UNIT == 0 {
		launch.p.wide, units = 1, units/unit
	}
	return k.launch(s, fmt.Sprintf("frames_%d_%d", sample, size), units, min(f.Frames, math.MaxUint16), unsafe.Pointer(&launch), unsafe.Sizeof(launch))
}

// OnHost does the same as Kernels.Frames, in the caller's time.
func (f *Frames) OnHost(y, u, v, out []byte) error {
	if err := f.Validate(); err != nil {
		return err
	}
	sample, size, pixels := f.sample(), f.DType.Size(), f.Width*f.Height
	switch f.Chroma {
	case kernel.PairsUV:
		v = u[min(sample, len(u)):]
	case kernel.PairsVU:
		u, v = u[min(sample, len(u)):], u
	}
	width, height := f.chromaSize()
	chroma := (f.Frames-1)*f.ChromaFrame + (height-1)*f.ChromaPitch + ((width-1)*f.step()+1)*sample
	luma := (f.Frames-1)*f.LumaFrame + (f.Height-1)*f.LumaPitch + f.Width*sample
	if len(y) < luma || min(len(u), len(v)) < chroma || len(out) != f.Frames*pixels*3*size {
		return fmt.Errorf("%w: frames: planes of %d, %d and %d bytes into %d for %d of %dx%d", spool.ErrShape, len(y), len(u), len(v), len(out), f.Frames, f.Width, f.Height)
	}
	var table *elements
	if size > 1 {
		table = f.table(3)
	}
	c, rgb := f.colors(), make([]byte, 3*f.Width)
	for n := range f.Frames {
		for row := range f.Height {
			at := n*f.ChromaFrame + row/f.SubY*f.ChromaPitch
			line := rgb
			if size == 1 {
				line = out[(n*f.Height+row)*3*f.Width:][:3*f.Width]
			}
			f.row(&c, y[n*f.LumaFrame+row*f.LumaPitch:], u[at:], v[at:], line)
			if size == 1 {
				continue
			}
			for channel := range 3 {
				plane := out[((n*3+channel)*f.Height+row)*f.Width*size:][:f.Width*size]
				if size == 2 {
					halves(plane, rgb, &table[channel], channel, 3)
				} else {
					words(plane, rgb, &table[channel], channel, 3)
				}
			}
		}
	}
	return nil
}

// row makes a row of pixels.
func (f *Frames) row(c *colors, luma, u, v, out []byte) {
	sample, step := f.sample(), f.step()
	var red, green, blue int
	for x := range f.Width {
		if x%f.SubX == 0 {
			at := x / f.SubX * step * sample
			red, green, blue = c.chroma(c.at(u[at:]), c.at(v[at:]))
		}
		y := c.luma(c.at(luma[x*sample:]))
		pixel := out[3*x : 3*x+3]
		pixel[0], pixel[1], pixel[2] = c.clamp(y+red), c.clamp(y+green), c.clamp(y+blue)
	}
}

// colors is the arithmetic of a video's colours: of bytes, or of words.
type colors struct {
	words                                     bool
	shift                                     int // of words, to the top
	factor, bias, redV, greenU, greenV, blueU int
}

func (f *Frames) colors() colors {
	c := f.Coefficients()
	to := colors{words: f.sample() == 2, factor: int(c.Luma), bias: int(c.Bias),
		redV: int(c.RedV), greenU: int(c.GreenU), greenV: int(c.GreenV), blueU: int(c.BlueU)}
	if to.words && !f.High {
		to.shift = 16 - f.Bits
	}
	return to
}

// at is a sample.
func (c *colors) at(p []byte) int {
	if !c.words {
		return int(p[0])
	}
	return int(binary.NativeEndian.Uint16(p) << c.shift)
}

// cut is a product of a byte, cut off as swscale does.
func cut(sample, zero, factor int) int { return (sample*8 + zero) * factor >> 16 }

// luma is what a sample of luma adds to each colour.
func (c *colors) luma(y int) int {
	if c.words {
		return y*c.factor + c.bias
	}
	return cut(y, c.bias, c.factor)
}

// chroma is what samples of chroma add to red, green and blue.
func (c *colors) chroma(u, v int) (red, green, blue int) {
	if c.words {
		u, v = u-1<<15, v-1<<15
		return v * c.redV, u*c.greenU + v*c.greenV, u * c.blueU
	}
	const zero = -128 * 8
	return cut(v, zero, c.redV), cut(u, zero, c.greenU) + cut(v, zero, c.greenV), cut(u, zero, c.blueU)
}

func (c *colors) clamp(v int) byte {
	if c.words {
		v >>= 21
	}
	return byte(min(max(v, 0), 255))
}
