package wav

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// Sample is a type to which samples are converted.
type Sample interface{ float32 | int16 | int32 }

// Interleaved converts len(dst) samples of all channels, in the order of the file, from the beginning of src. It panics
// if src has fewer.
func Interleaved[T Sample](h Header, dst []T, src []byte) {
	convert(h.Encoding, dst, src, h.Encoding.Size())
}

// Channel converts len(dst) samples of one channel. src begins with a sample of the first channel. It panics if src has
// fewer.
func Channel[T Sample](h Header, dst []T, src []byte, channel int) {
	convert(h.Encoding, dst, src[channel*h.Encoding.Size():], h.Stride())
}

// View returns the samples of src without a copy: all channels, interleaved. src consists of whole samples. It reports
// false if they are stored as another type or at an unaligned address, or if the machine is not little endian.
func View[T Sample](h Header, src []byte) ([]T, bool) {
	var stored Encoding
	switch any(T(0)).(type) {
	case float32:
		stored = Float32
	case int16:
		stored = Int16
	case int32:
		stored = Int32
	}
	n := len(src) / stored.Size()
	if h.Encoding != stored || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, false
	}
	if n == 0 {
		return []T{}, true
	}
	at := unsafe.Pointer(unsafe.SliceData(src))
	if uintptr(at)%unsafe.Alignof(T(0)) != 0 {
		return nil, false
	}
	return unsafe.Slice((*T)(at), n), true
}

// convert converts len(dst) samples at a distance of step bytes.
func convert[T Sample](e Encoding, dst []T, src []byte, step int) {
	if len(dst) == 0 {
		return
	}
	_ = src[(len(dst)-1)*step+e.Size()-1]
	switch out := any(dst).(type) { // fast paths for the most common files and types
	case []float32:
		if e == Int16 {
			floats16(out, src, step)
			return
		}
	case []int32:
		switch e {
		case Int24:
			ints24(out, src, step)
			return
		case ALaw, MuLaw:
			expanded(out, src, step, e)
			return
		}
	}
	var block [512]float64 // exact for every encoding
	for len(dst) > 0 {
		n := min(len(dst), len(block))
		e.expand(block[:n], src, step)
		store(dst[:n], block[:n], e != Float32 && e != Float64)
		dst = dst[n:]
		src = src[min(n*step, len(src)):]
	}
}

func floats16(dst []float32, src []byte, step int) {
	for i := range dst {
		dst[i] = float32(int16(binary.LittleEndian.Uint16(src[i*step:]))) * (1.0 / (1 << 15))
	}
}

func ints24(dst []int32, src []byte, step int) {
	dst[0] = int32(uint32(src[0])<<8 | uint32(src[1])<<16 | uint32(src[2])<<24)
	i := 1
	if step == 3 { // four samples at a time; the bytes around them are ignored
		for ; i+6 <= len(dst); i += 4 {
			b := src[3*i-1:][:16]
			low, high := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[6:])
			four := dst[i:][:4]
			four[0], four[1] = int32(uint32(low)&^0xff), int32(uint32(low>>24)&^0xff)
			four[2], four[3] = int32(uint32(high)&^0xff), int32(uint32(high>>24)&^0xff)
		}
	}
	for ; i < len(dst); i++ {
		dst[i] = int32(binary.LittleEndian.Uint32(src[i*step-1:]) &^ 0xff)
	}
}

// expanded converts samples of G.711.
func expanded(dst []int32, src []byte, step int, e Encoding) {
	expand := expandALaw
	if e == MuLaw {
		expand = expandMuLaw
	}
	var values [256]int32
	for i := range values {
		values[i] = int32(expand(byte(i))) << 16
	}
	for i := range dst {
		dst[i] = values[src[i*step]]
	}
}

// expand converts samples to a full scale of 1.
func (e Encoding) expand(dst []float64, src []byte, step int) {
	switch e {
	case Uint8:
		for i := range dst {
			dst[i] = float64(int(src[i*step])-128) * (1.0 / (1 << 7))
		}
	case Int16:
		for i := range dst {
			dst[i] = float64(int16(binary.LittleEndian.Uint16(src[i*step:]))) * (1.0 / (1 << 15))
		}
	case Int24:
		for i := range dst {
			b := src[i*step:][:3]
			dst[i] = float64(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)) * (1.0 / (1 << 31))
		}
	case Int32:
		for i := range dst {
			dst[i] = float64(int32(binary.LittleEndian.Uint32(src[i*step:]))) * (1.0 / (1 << 31))
		}
	case Float32:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(src[i*step:])))
		}
	case Float64:
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(src[i*step:]))
		}
	case ALaw:
		for i := range dst {
			dst[i] = float64(expandALaw(src[i*step])) * (1.0 / (1 << 15))
		}
	case MuLaw:
		for i := range dst {
			dst[i] = float64(expandMuLaw(src[i*step])) * (1.0 / (1 << 15))
		}
	}
}

// store stores values. The integers of narrower types are the high bits of values that were integers of at most 32
// bits. For values of any range they are the nearest ones, and NaN becomes silence.
func store[T Sample](dst []T, values []float64, integers bool) {
	switch dst := any(dst).(type) {
	case []float32:
		for i, v := range values {
			dst[i] = float32(v)
		}
	case []int16:
		for i, v := range values {
			if integers {
				dst[i] = int16(int32(v*(1<<31)) >> 16)
			} else {
				dst[i] = int16(nearest(v*(1<<15), math.MinInt16, math.MaxInt16))
			}
		}
	case []int32:
		for i, v := range values {
			if integers {
				dst[i] = int32(v * (1 << 31))
			} else {
				dst[i] = int32(nearest(v*(1<<31), math.MinInt32, math.MaxInt32))
			}
		}
	}
}

func nearest(v, low, high float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(math.RoundToEven(v), low), high)
}
