package kernels

/*
#cgo CFLAGS: -Wall -Wextra -Werror
#cgo LDFLAGS: -lm
#include "params.h"
#define INLINE static inline
#define FUSED(a, b, c) __builtin_fmaf(a, b, c)
#include "scaled.h"

// Sets the inverses, and whether they give the results of divisions.
static void spool_invert(spool_scale *s)
{
	s->exact = 1;
	for (int c = 0; c < 4; c++) {
		s->inverse[c] = 1 / s->std[c];
		for (unsigned int x = 0; x < 256; x++) {
			const union { float value; unsigned int bits; }
				product = {scaled(x, s->mean[c], s->std[c], s->inverse[c])},
				quotient = {((float)x / 255 - s->mean[c]) / s->std[c]};
			s->exact &= product.bits == quotient.bits;
		}
	}
}
*/
import "C"

import (
	"errors"
	"fmt"
	"math"

	"github.com/spoolmedia/spool"
)

// Scale is the conversion of bytes to floats: (x / 255 - mean) / std.
type Scale struct {
	DType     spool.DType // Float32, Float16 or BFloat16
	Mean, Std []float32   // one value for all channels or one per channel; nil means 0 and 1
}

// Validate returns all problems for a number of channels, as spool.ErrOptions.
func (s *Scale) Validate(channels int) error {
	p := problems{of: "scale"}
	s.validate(channels, &p)
	return errors.Join(p.list...)
}

// problems collects what is wrong with options.
type problems struct {
	of   string
	list []error
}

func (p *problems) require(ok bool, format string, values ...any) {
	if !ok {
		p.list = append(p.list, fmt.Errorf("%w: %s: %s", spool.ErrOptions, p.of, fmt.Sprintf(format, values...)))
	}
}

func (s *Scale) validate(channels int, p *problems) {
	p.require(s.floats(), "DType %v is not float16, bfloat16 or float32", s.DType)
	for _, list := range []struct {
		name   string
		values []float32
	}{{"Mean", s.Mean}, {"Std", s.Std}} {
		p.require(len(list.values) <= 1 || len(list.values) == channels,
			"%s has %d values for %d channels", list.name, len(list.values), channels)
		for _, v := range list.values {
			p.require(!math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0), "%s of %v", list.name, v)
			p.require(list.name != "Std" || v != 0, "Std of 0")
		}
	}
}

func (s *Scale) floats() bool {
	return s.DType == spool.Float32 || s.DType == spool.Float16 || s.DType == spool.BFloat16
}

// scale returns the scale for a kernel. It tries all bytes, which takes some microseconds, so the last scale is kept.
func (k *Kernels) scale(s *Scale) C.spool_scale {
	var c C.spool_scale
	for i := range c.mean {
		mean, std := s.channel(i)
		c.mean[i], c.std[i] = C.float(mean), C.float(std)
	}
	if last := k.last.Load(); last != nil && last.mean == c.mean && last.std == c.std {
		return *last
	}
	C.spool_invert(&c)
	k.last.Store(&c)
	return c
}

// kind returns the number of a type in the names of kernels.
func kind(t spool.DType) int {
	return map[spool.DType]int{spool.Float32: C.SPOOL_FLOAT32, spool.Float16: C.SPOOL_FLOAT16,
		spool.BFloat16: C.SPOOL_BFLOAT16, spool.Uint8: C.SPOOL_UINT8}[t]
}

// channel returns mean and std of a channel.
func (s *Scale) channel(i int) (mean, std float32) {
	value := func(values []float32, none float32) float32 {
		switch len(values) {
		case 0:
			return none
		case 1:
			return values[0]
		}
		return values[min(i, len(values)-1)]
	}
	return value(s.Mean, 0), value(s.Std, 1)
}

// element returns the bits of byte x, converted for a channel.
func (s *Scale) element(channel int, x byte) uint32 {
	mean, std := s.channel(channel)
	value := (float32(x)/255 - mean) / std
	switch s.DType {
	case spool.Float16:
		return rounded(value, 10, 5)
	case spool.BFloat16:
		return rounded(value, 7, 8)
	}
	return math.Float32bits(value)
}

// rounded returns the bits of the nearest floating-point number with the given bits of fraction and exponent, as in
// IEEE 754. Ties go to even.
func rounded(v float32, fraction, exponent int) uint32 {
	sign := math.Float32bits(v) >> 31 << (fraction + exponent)
	least := 2 - 1<<(exponent-1) // exponent of the smallest normal number
	size := math.Abs(float64(v))
	if math.IsInf(size, 0) {
		return sign | (1<<exponent-1)<<fraction
	}
	e := max(math.Ilogb(size), least)
	steps := uint32(math.RoundToEven(math.Ldexp(size, fraction-e))) // at least 2^fraction for normal numbers
	return sign | min(uint32(e-least)<<fraction+steps, (1<<exponent-1)<<fraction)
}

// elements has the converted values of all bytes, by channel.
type elements [4][256]uint32

func (s *Scale) table(channels int) *elements {
	var t elements
	for c := range channels {
		for x := range 256 {
			t[c][x] = s.element(c, byte(x))
		}
	}
	return &t
}
