package resample

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Format is the type of a sample, in native byte order. Full scale is 1 in F32 and F64. Integers have swresample's
// scale: 128 is silence in U8, and 32768 would be 1 in S16.
type Format uint8

const (
	U8 Format = 1 + iota
	S16
	S32
	S64 // read only
	F32
	F64
	S24   // three bytes, the lowest first; read only, as are the following
	ALaw  // ITU-T G.711
	MuLaw // ITU-T G.711
	formats
)

// Size returns the size of a sample in bytes.
func (f Format) Size() int { return [...]int{0, 1, 2, 4, 8, 4, 8, 3, 1, 1, 0}[min(f, formats)] }

// Samples is audio in memory, of Go or C and of any alignment, borrowed for one call. Planes has one plane for each
// channel, or a single one with interleaved channels.
type Samples struct {
	Format   Format
	Channels int
	Len      int // samples of each channel
	Planes   []unsafe.Pointer
}

// Number is a Go type of samples.
type Number interface {
	uint8 | int16 | int32 | int64 | float32 | float64
}

func formatOf[T Number]() Format {
	var zero T
	switch any(zero).(type) {
	case uint8:
		return U8
	case int16:
		return S16
	case int32:
		return S32
	case int64:
		return S64
	case float32:
		return F32
	}
	return F64
}

// Interleaved returns audio with interleaved channels. An incomplete last sample of data is ignored.
func Interleaved[T Number](channels int, data []T) Samples {
	return Samples{Format: formatOf[T](), Channels: channels, Len: len(data) / max(channels, 1),
		Planes: []unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(data))}}
}

// Separate returns audio with a slice for each channel, as long as the shortest of them.
func Separate[T Number](channels ...[]T) Samples {
	s := Samples{Format: formatOf[T](), Channels: len(channels)}
	for i, plane := range channels {
		s.Planes = append(s.Planes, unsafe.Pointer(unsafe.SliceData(plane)))
		if i == 0 || len(plane) < s.Len {
			s.Len = len(plane)
		}
	}
	return s
}

// maxLen is the largest number of samples of a channel in one call.
const maxLen = 1<<31 - 1

func (s *Samples) validate() error {
	switch {
	case s.Format.Size() == 0:
		return fmt.Errorf("%w: resample: samples of format %d", spool.ErrOptions, s.Format)
	case s.Channels < 1 || s.Channels > MaxChannels:
		return fmt.Errorf("%w: resample: samples of %d channels", spool.ErrOptions, s.Channels)
	case s.Len < 0 || s.Len > maxLen:
		return fmt.Errorf("%w: resample: %d samples", spool.ErrOptions, s.Len)
	case len(s.Planes) != 1 && len(s.Planes) != s.Channels:
		return fmt.Errorf("%w: resample: %d channels in %d planes", spool.ErrShape, s.Channels, len(s.Planes))
	}
	return nil
}

// pin pins the planes, so that they can be passed to C.
func (s *Samples) pin(pins *runtime.Pinner) {
	if len(s.Planes) > 1 {
		for _, plane := range s.Planes {
			pins.Pin(plane)
		}
	}
}

// Planes is audio as float32, full scale 1, in one block of memory: the samples of channel i begin at Data[i*Stride].
// It is borrowed for one call.
type Planes struct {
	Data   []float32
	Stride int
}

// holds reports whether the planes have n samples of each channel.
func (p *Planes) holds(channels, n int) bool {
	return n == 0 || p.Stride >= 0 && (channels == 1 || n <= p.Stride && p.Stride <= len(p.Data)) &&
		(channels-1)*p.Stride+n <= len(p.Data)
}
