package flac

/*
#cgo CFLAGS: -O3 -g1 -Wall -Wextra -Werror
#cgo noescape spool_flac_decode
#cgo nocallback spool_flac_decode
#cgo noescape spool_flac_find
#cgo nocallback spool_flac_find
#include "flac.h"
*/
import "C"

import (
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/mem"
)

// Decoder decodes the frames of one stream, in any order. It may be used by one goroutine at a time.
type Decoder struct {
	stream C.spool_flac_stream
	memory C.spool_flac_memory // C memory
	bytes  int
	planes []unsafe.Pointer
}

// Frame is the size of a decoded frame.
type Frame struct {
	Samples int // per channel
	Bytes   int // of encoded data
}

// New creates a decoder for the stream described by h. The caller MUST call Close. The only error is
// spool.ErrOutOfMemory.
func New(h Header) (*Decoder, error) {
	d := &Decoder{stream: C.spool_flac_stream{rate: C.int32_t(h.Rate), channels: C.int32_t(h.Channels),
		bits:    C.int32_t(h.Bits),
		largest: C.int32_t(h.Largest), variable: -1}}
	work, wide, plane := 4*h.Channels*h.Largest, 0, h.Size()*h.Largest
	if h.Bits == 32 {
		wide = 8 * h.Largest
	}
	d.bytes = wide + work + h.Channels*plane
	memory, err := mem.Alloc(mem.Scratch, d.bytes)
	if err != nil {
		return nil, err
	}
	planes := unsafe.Add(memory, wide+work)
	d.memory = C.spool_flac_memory{work: (*C.int32_t)(unsafe.Add(memory, wide)), planes: planes}
	if wide > 0 {
		d.memory.wide = (*C.int64_t)(memory)
	}
	for c := range h.Channels {
		d.planes = append(d.planes, unsafe.Add(planes, c*plane))
	}
	return d, nil
}

// Size returns the bytes of a sample in Planes: 2 if the stream has up to 16 bits, otherwise 4. The sample is in the
// high bits, and the low bits are zero.
func (h *Header) Size() int {
	if h.Bits <= 16 {
		return 2
	}
	return 4
}

// Planes returns the buffers that Decode writes the samples to, one per channel. They are valid until Close.
func (d *Decoder) Planes() []unsafe.Pointer { return d.planes }

// Decode decodes the frame at the start of data, whose first sample is number first of the stream. The frame with first
// 0 must be decoded before any other: it determines how frames are numbered. If the Reason is not Decoded, there are no
// samples. After End, a call with more data may succeed.
func (d *Decoder) Decode(data []byte, first int64) (Frame, Reason) {
	var f C.spool_flac_frame
	status := C.spool_flac_decode(&d.stream, &d.memory, (*C.uint8_t)(unsafe.SliceData(data)), C.size_t(len(data)),
		C.int64_t(first), &f)
	return Frame{int(f.samples), int(f.bytes)}, Reason(status)
}

// Find searches for the header of a frame, using the header's checksum, so it can find a false one. It returns the
// header's offset and the number of the frame's first sample. ok is false if there is none. The frame at 0 must have
// been decoded before.
func (d *Decoder) Find(data []byte) (offset int, first int64, ok bool) {
	var number C.int64_t
	at := int(C.spool_flac_find(&d.stream, (*C.uint8_t)(unsafe.SliceData(data)), C.size_t(len(data)), &number))
	return at, int64(number), at < len(data)
}

// Close frees the decoder's memory. The planes must not be used afterwards. A second Close does nothing. It returns
// nil.
func (d *Decoder) Close() error {
	if d.bytes > 0 {
		first := unsafe.Pointer(d.memory.work)
		if d.memory.wide != nil {
			first = unsafe.Pointer(d.memory.wide)
		}
		mem.Free(mem.Scratch, first, d.bytes)
		*d = Decoder{}
	}
	return nil
}
