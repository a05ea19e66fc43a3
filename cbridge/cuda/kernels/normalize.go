package kernels

// #include "params.h"
import "C"

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
)

// Flip is how an image is mirrored.
type Flip uint8

// FlipX mirrors left to right, and FlipY top to bottom. Both together rotate by 180 degrees.
const (
	FlipX Flip = C.SPOOL_FLIP_COLUMNS
	FlipY Flip = C.SPOOL_FLIP_ROWS
)

// Normalize converts uint8 images, [n h w c], to planes of floats, [n c h w].
type Normalize struct {
	Samples, Height, Width, Channels int // 1, 3 or 4 channels
	Scale
	Flips []Flip // one per sample; nil for none
}

// Validate returns all problems, as spool.ErrOptions.
func (n *Normalize) Validate() error {
	p := problems{of: "normalize"}
	p.require(n.Channels == 1 || n.Channels == 3 || n.Channels == 4,
		"%d channels; supported are 1, 3 and 4", n.Channels)
	p.require(n.Samples > 0 && fits(n.Width, n.Height), "%d images of %dx%d", n.Samples, n.Width, n.Height)
	p.require(n.Flips == nil || len(n.Flips) == n.Samples, "%d Flips for %d samples", len(n.Flips), n.Samples)
	for i, f := range n.Flips {
		if f > FlipX|FlipY { // there are many
			p.require(false, "Flips[%d] of %d", i, f)
		}
	}
	n.validate(n.Channels, &p)
	return errors.Join(p.list...)
}

// fits reports whether an image's pixels can be counted with the kernels' 31 bits.
func fits(width, height int) bool {
	return width > 0 && height > 0 && height <= math.MaxInt32 && width <= math.MaxInt32/height
}

// flipped reports whether any sample is flipped.
func (n *Normalize) flipped() bool {
	for _, f := range n.Flips {
		if f != 0 {
			return true
		}
	}
	return false
}

// Normalize queues the conversion. in has the bytes, and out receives the elements. It is fastest if both are multiples
// of 16, and the width is a multiple of 8, or of 4 for float32. Without flips it suffices if the number of pixels is
// such a multiple. A launch processes at most 4096 samples.
func (k *Kernels) Normalize(s cuda.Stream, n *Normalize, in, out cuda.Pointer) error {
	if err := n.Validate(); err != nil {
		return err
	}
	size, pixels := n.DType.Size(), n.Width*n.Height
	unit := C.SPOOL_UNIT / size
	run := n.Width
	if !n.flipped() {
		run = pixels
	}
	launch := C.spool_normalize_launch{p: C.spool_normalize{width: C.uint(n.Width), height: C.uint(n.Height),
		scale: k.scale(&n.Scale)}}
	grid := blocks(pixels, C.SPOOL_PIXELS)
	if launch.p.scale.exact != 0 && run%unit == 0 && in%cuda.Pointer(unit) == 0 && out%C.SPOOL_UNIT == 0 {
		launch.p.wide, grid = 1, blocks(pixels/unit, 1)
	}
	name := fmt.Sprintf("normalize_%d_%d", n.Channels, kind(n.DType))
	for first := 0; first < n.Samples; first += C.SPOOL_FLIPS {
		samples := min(n.Samples-first, C.SPOOL_FLIPS)
		before := cuda.Pointer(first) * cuda.Pointer(pixels*n.Channels)
		launch.in, launch.out = C.ulonglong(in+before), C.ulonglong(out+before*cuda.Pointer(size))
		clear(launch.p.flips[:])
		if n.Flips != nil {
			for i, f := range n.Flips[first : first+samples] {
				launch.p.flips[i/16] |= C.uint(f) << (2 * (i % 16))
			}
		}
		if err := k.launch(s, name, grid, samples, unsafe.Pointer(&launch), unsafe.Sizeof(launch)); err != nil {
			return err
		}
	}
	return nil
}

// halves fills a row with elements of 2 bytes, from every step-th byte.
func halves(out, in []byte, table *[256]uint32, at, step int) {
	for ; len(out) >= 2; out, at = out[2:], at+step {
		binary.NativeEndian.PutUint16(out, uint16(table[in[at]]))
	}
}

// words fills a row with elements of 4 bytes, like halves.
func words(out, in []byte, table *[256]uint32, at, step int) {
	for ; len(out) >= 4; out, at = out[4:], at+step {
		binary.NativeEndian.PutUint32(out, table[in[at]])
	}
}

// OnHost does the same as Kernels.Normalize on the host, synchronously.
func (n *Normalize) OnHost(in, out []byte) error {
	if err := n.Validate(); err != nil {
		return err
	}
	size, pixels := n.DType.Size(), n.Width*n.Height
	if len(in) != n.Samples*pixels*n.Channels || len(out) != len(in)*size {
		return fmt.Errorf("%w: normalize: %d bytes into %d for %d images of %dx%d", spool.ErrShape, len(in), len(out),
			n.Samples, n.Width, n.Height)
	}
	table := n.table(n.Channels)
	for i := range n.Samples {
		var flip Flip
		if n.Flips != nil {
			flip = n.Flips[i]
		}
		from, to := in[i*pixels*n.Channels:][:pixels*n.Channels], out[i*pixels*n.Channels*size:][:pixels*n.Channels*size]
		for y := range n.Height {
			row := y
			if flip&FlipY != 0 {
				row = n.Height - 1 - y
			}
			first, step := row*n.Width*n.Channels, n.Channels
			if flip&FlipX != 0 {
				first, step = first+(n.Width-1)*n.Channels, -n.Channels
			}
			for c := range n.Channels {
				line := to[(c*pixels+y*n.Width)*size:][:n.Width*size]
				if size == 2 {
					halves(line, from, &table[c], first+c, step)
				} else {
					words(line, from, &table[c], first+c, step)
				}
			}
		}
	}
	return nil
}
