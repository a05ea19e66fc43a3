package kernels

// #include "params.h"
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

func (p *problems) require(ok bool, what string) {
	if !ok {
		p.list = append(p.list, fmt.Errorf("%w: %s: %s", spool.ErrOptions, p.of, what))
	}
}

func (s *Scale) validate(channels int, p *problems) {
	p.require(s.floats(), fmt.Sprintf("DType %v is not float16, bfloat16 or float32", s.DType))
	for _, list := range []struct {
		name   string
		values []float32
	}{{"Mean", s.Mean}, {"Std", s.Std}} {
		p.require(len(list.values) <= 1 || len(list.values) == channels,
			fmt.Sprintf("%s has %d values for %d channels", list.name, len(list.values), channels))
		for _, v := range list.values {
			p.require(!math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0), fmt.Sprintf("%s of %v", list.name, v))
			p.require(list.name != "Std" || v != 0, "Std of 0")
		}
	}
}

func (s *Scale) floats() bool {
	return s.DType == spool.Float32 || s.DType == spool.Float16 || s.DType == spool.BFloat16
}

func (s *Scale) c() C.spool_scale {
	c := C.spool_scale{_type: map[spool.DType]C.uint{spool.Float32: C.SPOOL_FLOAT32, spool.Float16: C.SPOOL_FLOAT16,
		spool.BFloat16: C.SPOOL_BFLOAT16}[s.DType]}
	for i := range c.mean {
		mean, std := s.channel(i)
		c.mean[i], c.std[i] = C.float(mean), C.float(std)
	}
	return c
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
