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

// Frames converts frames of video to RGB: uint8, [n h w c], or planes of floats, [n c h w]. All frames have the same
// layout and a constant distance in memory. Frames at other addresses must be converted one by one.
type Frames struct {
	Frames, Height, Width int
	SubX, SubY            int // luma samples per chroma sample: 1 or 2; chroma sizes are rounded up
	kernel.Video              // Deep is ignored
	Scale                     // or only a DType of Uint8

	// Bytes between rows of a plane, and between the same planes of two frames. Pack sets them.
	LumaPitch, ChromaPitch int
	LumaFrame, ChromaFrame int
}

// Pack sets the layout to frames without gaps: luma, then U, then V, or U and V as pairs, then the next frame. It
// returns the offsets of U and V in a frame, and the size of a frame.
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

// sample returns the bytes of a sample.
func (f *Frames) sample() int {
	if f.Bits > 8 {
		return 2
	}
	return 1
}

// step returns the distance between samples of U in a row, in samples.
func (f *Frames) step() int {
	if f.Chroma != kernel.Separate {
		return 2
	}
	return 1
}

func (f *Frames) chromaSize() (width, height int) {
	return (f.Width + f.SubX - 1) / f.SubX, (f.Height + f.SubY - 1) / f.SubY
}

// Validate returns all problems, as spool.ErrOptions.
func (f *Frames) Validate() error {
	p := problems{of: "frames"}
	p.require(f.Frames > 0 && f.Frames <= math.MaxInt32 && fits(f.Width, f.Height),
		"%d frames of %dx%d", f.Frames, f.Width, f.Height)
	p.require((f.SubX == 1 || f.SubX == 2) && (f.SubY == 1 || f.SubY == 2),
		"SubX %d and SubY %d are not 1 or 2", f.SubX, f.SubY)
	p.require(f.Bits == 0 || 8 <= f.Bits && f.Bits <= 16, "Bits of %d", f.Bits)
	p.require(f.Chroma <= kernel.PairsVU, "Chroma of %d", f.Chroma)
	p.require(f.LumaPitch >= 0 && f.ChromaPitch >= 0 && f.LumaFrame >= 0 && f.ChromaFrame >= 0,
		"negative distances of planes")
	p.require((f.LumaPitch|f.ChromaPitch|f.LumaFrame|f.ChromaFrame)%f.sample() == 0,
		"distances of planes that are not multiples of a sample")
	if f.DType == spool.Uint8 {
		p.require(f.Mean == nil && f.Std == nil, "Mean or Std of uint8")
	} else {
		f.validate(3, &p)
	}
	return errors.Join(p.list...)
}

// Frames queues the conversion. y, u and v are the planes of the first frame, and out receives the pixels. If chroma
// samples are pairs, u is their address, and v is ignored. It is fastest if addresses, pitches and distances of frames
// are multiples of 16, and the width is a multiple of 16, for float16 and bfloat16 of 8, or for float32 of 4.
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
	launch := C.spool_frames_launch{
		p: C.spool_frames{
			luma_pitch: C.ulonglong(f.LumaPitch), chroma_pitch: C.ulonglong(f.ChromaPitch),
			luma_frame: C.ulonglong(f.LumaFrame), chroma_frame: C.ulonglong(f.ChromaFrame),
			width: C.uint(f.Width), height: C.uint(f.Height),
			chroma_x: C.uint(bits.TrailingZeros(uint(f.SubX))), chroma_y: C.uint(bits.TrailingZeros(uint(f.SubY))),
			step: C.uint(f.step()),
			luma: C.int(c.Luma), bias: C.int(c.Bias), red_v: C.int(c.RedV), green_u: C.int(c.GreenU), green_v: C.int(c.GreenV),
			blue_u: C.int(c.BlueU),
			scale:  k.scale(&f.Scale),
		}}
	if !f.High {
		launch.p.shift = C.uint(16 - max(f.Bits, 8))
	}
	unit, pixels := C.SPOOL_UNIT/size, f.Width*f.Height
	if launch.p.scale.exact != 0 && f.aligned(unit, y, u, v, out) {
		launch.p.wide, pixels = 1, pixels/unit
	}
	name := fmt.Sprintf("frames_%d_%d", sample, kind(f.DType))
	for first := 0; first < f.Frames; first += math.MaxUint16 {
		luma, chroma := cuda.Pointer(first*f.LumaFrame), cuda.Pointer(first*f.ChromaFrame)
		launch.y, launch.u, launch.v = C.ulonglong(y+luma), C.ulonglong(u+chroma), C.ulonglong(v+chroma)
		launch.out = C.ulonglong(out + cuda.Pointer(first)*cuda.Pointer(f.Width*f.Height*3*size))
		if err := k.launch(s, name, blocks(pixels, 1), min(f.Frames-first, math.MaxUint16), unsafe.Pointer(&launch),
			unsafe.Sizeof(launch)); err != nil {
			return err
		}
	}
	return nil
}

// aligned reports whether units of a number of pixels can be loaded and stored as words.
func (f *Frames) aligned(unit int, y, u, v, out cuda.Pointer) bool {
	luma := min(unit*f.sample(), C.SPOOL_UNIT)
	chroma := min(unit/f.SubX*f.step()*f.sample(), C.SPOOL_UNIT)
	if f.Chroma != kernel.Separate {
		u, v = min(u, v), min(u, v)
	}
	return f.Width%unit == 0 && out%C.SPOOL_UNIT == 0 &&
		(int(y)|f.LumaPitch|f.LumaFrame)%luma == 0 && (int(u)|int(v)|f.ChromaPitch|f.ChromaFrame)%chroma == 0
}

// OnHost does the same as Kernels.Frames on the host, synchronously.
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
		return fmt.Errorf("%w: frames: planes of %d, %d and %d bytes into %d for %d of %dx%d", spool.ErrShape, len(y), len(u),
			len(v), len(out), f.Frames, f.Width, f.Height)
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

// row converts a row of pixels.
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

// colors converts YUV to RGB, for samples of bytes or of 16-bit words.
type colors struct {
	words                                     bool
	shift                                     int // left shift of words to 16 bits
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

// at reads a sample.
func (c *colors) at(p []byte) int {
	if !c.words {
		return int(p[0])
	}
	return int(binary.NativeEndian.Uint16(p) << c.shift)
}

// product returns a product of a byte, truncated as in swscale.
func product(sample, zero, factor int) int { return (sample*8 + zero) * factor >> 16 }

// luma returns the contribution of a luma sample to each color.
func (c *colors) luma(y int) int {
	if c.words {
		return y*c.factor + c.bias
	}
	return product(y, c.bias, c.factor)
}

// chroma returns the contributions of chroma samples to red, green and blue.
func (c *colors) chroma(u, v int) (red, green, blue int) {
	if c.words {
		u, v = u-1<<15, v-1<<15
		return v * c.redV, u*c.greenU + v*c.greenV, u * c.blueU
	}
	const zero = -128 * 8
	return product(v, zero, c.redV), product(u, zero, c.greenU) + product(v, zero, c.greenV), product(u, zero, c.blueU)
}

func (c *colors) clamp(v int) byte {
	if c.words {
		v >>= 21
	}
	return byte(min(max(v, 0), 255))
}
