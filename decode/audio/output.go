package audio

import (
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/decode/wav"
)

// output is memory for a result. It is written from the first sample on.
type output struct {
	bytes    []byte
	dtype    spool.DType
	planar   bool // CT
	channels int
	room     int // samples of each channel that fit
	n        int // samples of each channel that are written
}

// newSheet makes a sheet for the result of a spec, whose Channels is set.
func newSheet(memory []byte, spec Spec) output {
	s := output{bytes: memory, dtype: spec.dtype(), planar: spec.Layout != spool.TC || spec.Channels == 1,
		channels: spec.Channels}
	s.room = len(memory) / s.step()
	return s
}

// step is the size in bytes of one sample of all channels.
func (s *output) step() int { return s.channels * s.dtype.Size() }

// left is the number of samples that still fit.
func (s *output) left() int { return s.room - s.n }

// planes is the unwritten memory as float32 planes. It is false for other results, and for memory that is not aligned.
func (s *output) planes() (resample.Planes, bool) {
	at := unsafe.Pointer(unsafe.SliceData(s.bytes))
	if s.dtype != spool.Float32 || !s.planar || uintptr(at)%4 != 0 || s.left() == 0 {
		return resample.Planes{}, false
	}
	return resample.Planes{Data: unsafe.Slice((*float32)(at), s.room*s.channels)[s.n:], Stride: s.room}, true
}

// place is the memory of the next n samples.
func (s *output) place(n int) resample.Samples {
	at := resample.Samples{Channels: s.channels, Len: n}
	switch s.dtype {
	case spool.Float32:
		at.Format = resample.F32
	case spool.Int16:
		at.Format = resample.S16
	case spool.Int32:
		at.Format = resample.S32
	}
	begin := unsafe.Pointer(unsafe.SliceData(s.bytes))
	if !s.planar {
		at.Planes = []unsafe.Pointer{unsafe.Add(begin, s.n*s.step())}
		return at
	}
	size := s.dtype.Size()
	for c := range s.channels {
		at.Planes = append(at.Planes, unsafe.Add(begin, (c*s.room+s.n)*size))
	}
	return at
}

// store writes n samples of planes.
func (s *output) store(c *call.Call, from resample.Planes, n int) error {
	if n == 0 {
		return nil
	}
	if err := resample.Store(c, s.place(n), from); err != nil {
		return err
	}
	s.n += n
	return nil
}

// exact writes 24-bit and 32-bit integers and 64-bit floats as integers. These do not pass through float32, which is
// too narrow, or would round where the high bits are kept. It returns false for all other conversions.
func (s *output) exact(src resample.Samples) bool {
	var e wav.Encoding
	switch {
	case src.Format == resample.S32 && s.dtype != spool.Float32:
		e = wav.Int32
	case src.Format == resample.S24 && s.dtype != spool.Float32:
		e = wav.Int24
	case src.Format == resample.F64 && s.dtype != spool.Float32:
		e = wav.Float64
	default:
		return false
	}
	for c := range s.channels {
		h, plane, channel := wav.Header{Encoding: e, Channels: 1}, src.Planes[0], 0
		if len(src.Planes) > 1 {
			plane = src.Planes[c]
		} else {
			h.Channels, channel = s.channels, c
		}
		samples := unsafe.Slice((*byte)(plane), src.Len*h.Stride())
		if s.dtype == spool.Int32 {
			spread[int32](s, c, h, samples, channel, src.Len)
		} else {
			spread[int16](s, c, h, samples, channel, src.Len)
		}
	}
	s.n += src.Len
	return true
}

// spread converts n samples of a channel and writes them to the sheet.
func spread[T int16 | int32](s *output, c int, h wav.Header, samples []byte, channel, n int) {
	all := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(s.bytes))), s.room*s.channels)
	if s.planar {
		wav.Channel(h, all[c*s.room+s.n:][:n], samples, channel)
		return
	}
	values := make([]T, n)
	wav.Channel(h, values, samples, channel)
	for i, v := range values {
		all[(s.n+i)*s.channels+c] = v
	}
}

// silence writes zeros to the next n samples.
func (s *output) silence(n int) {
	if !s.planar {
		clear(s.bytes[s.n*s.step():][:n*s.step()])
		return
	}
	size := s.dtype.Size()
	for c := range s.channels {
		clear(s.bytes[(c*s.room+s.n)*size:][:n*size])
	}
}

// closeUp removes unused room between the channels, so that the result is a prefix of the memory, and returns its
// length in bytes.
func (s *output) closeUp() int {
	size := s.dtype.Size()
	if s.planar && s.n < s.room {
		for c := 1; c < s.channels; c++ {
			copy(s.bytes[c*s.n*size:][:s.n*size], s.bytes[c*s.room*size:])
		}
	}
	s.room = s.n
	return s.n * s.step()
}

// move copies the written samples to larger memory.
func (s *output) move(memory []byte) {
	old := *s
	s.bytes, s.room = memory, len(memory)/s.step()
	if !s.planar {
		copy(s.bytes, old.bytes[:old.n*old.step()])
		return
	}
	size := s.dtype.Size()
	for c := range s.channels {
		copy(s.bytes[c*s.room*size:], old.bytes[c*old.room*size:][:old.n*size])
	}
}
