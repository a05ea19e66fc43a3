package flac

/*
#cgo CFLAGS: -O3 -Wall -Wextra -Werror
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

// Decoder decodes the frames of one stream, in any order. It belongs to one goroutine at a time.
type Decoder struct {
	stream C.spool_flac_stream
	memory C.spool_flac_memory // C's
	bytes  int
	planes []unsafe.Pointer
}

// Frame is what has become of a frame's data.
type Frame struct {
	Samples int // of each channel
	Bytes   int // of data
}

// New makes a decoder for the stream that h is the header of. The caller MUST call Close. The error is
// spool.ErrOutOfMemory.
func New(h Header) (*Decoder, error) {
	d := &Decoder{stream: C.spool_flac_stream{rate: C.int32_t(h.Rate), channels: C.int32_t(h.Channels), bits: C.int32_t(h.Bits),
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

// Size is how many bytes a sample of Planes has: 2 where the stream has up to 16 bits, or 4. The samples are on top, and zeros below.
func (h *Header) Size() int {
	if h.Bits <= 16 {
		return 2
	}
	return 4
}

// Planes are where Decode leaves the samples of each channel, valid until Close.
func (d *Decoder) Planes() []unsafe.Pointer { return d.planes }

// Decode decodes the frame that begins at data, and whose first sample is number first of the stream. The frame at 0 is to be the first
// one, and tells how the others are numbered. For a Reason other than Decoded there are no samples; of End more data may help.
func (d *Decoder) Decode(data []byte, first int64) (Frame, Reason) {
	var f C.spool_flac_frame
	status := C.spool_flac_decode(&d.stream, &d.memory, (*C.uint8_t)(unsafe.SliceData(data)), C.size_t(len(data)), C.int64_t(first), &f)
	return Frame{int(f.samples), int(f.bytes)}, Reason(status)
}

// Find looks for a place that could be the beginning of a frame, by the checksum of its header. It gives the number of
// the frame's first sample, and reports false where there is none. The decoder has to have decoded the frame at 0.
func (d *Decoder) Find(data []byte) (offset int, first int64, ok bool) {
	var number C.int64_t
	at := int(C.spool_flac_find(&d.stream, (*C.uint8_t)(unsafe.SliceData(data)), C.size_t(len(data)), &number))
	return at, int64(number), at < len(data)
}

// Close frees the decoder's memory. It is idempotent, and the planes are not to be used any more.
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
