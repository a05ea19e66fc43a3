package av

/*
#include <stdlib.h>
#include "bitstream.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

const opFilter = "filter"

// Bitstream changes packets without decoding them, with a chain of FFmpeg's bitstream filters: "h264_mp4toannexb",
// "a,b=option=value". It may be used by one goroutine at a time.
type Bitstream struct {
	context unsafe.Pointer // nil after Close
	age     age
	cleanup runtime.Cleanup
}

type bitstreamResource struct{ context unsafe.Pointer }

func (b bitstreamResource) free() { C.spool_av_bitstream_close(b.context) }

// NewBitstream opens a chain for a stream. The caller MUST Close it.
//
//   - Errors: spool.ErrOptions if this FFmpeg does not have the filters or their options; unsupported if the filters
//     are not for the stream's codec.
func NewBitstream(c *call.Call, filters string, p Parameters) (*Bitstream, error) {
	if err := cancelled(c, opFilter); err != nil {
		return nil, err
	}
	silence()
	parameters := astiav.AllocCodecParameters()
	if parameters == nil {
		return nil, fmt.Errorf("%w: av: parameters", spool.ErrOutOfMemory)
	}
	defer parameters.Free()
	if err := p.fill(parameters); err != nil {
		return nil, failure(c, opFilter, err)
	}
	text := C.CString(filters)
	defer C.free(unsafe.Pointer(text))
	b := &Bitstream{age: now()}
	code := astiav.Error(C.spool_av_bitstream_open(text, pointer(parameters), C.int(p.TimeBase.Num),
		C.int(p.TimeBase.Den), &b.context))
	if err := b.age.err(); err != nil {
		if code >= 0 {
			bitstreamResource{b.context}.free()
		}
		return nil, err
	}
	switch {
	case errors.Is(code, astiav.ErrBsfNotFound), errors.Is(code, astiav.ErrOptionNotFound):
		return nil, fmt.Errorf("%w: av: no bitstream filters %q: %w", spool.ErrOptions, filters, code)
	case errors.Is(code, posix(syscall.EINVAL)):
		return nil, &spool.Error{Op: opFilter, Class: spool.ErrUnsupported, Lib: library, Code: int(code),
			Text: fmt.Sprintf("%s: not for %s, or not with these options", filters, p.Codec)}
	case code < 0:
		return nil, failure(c, opFilter, code)
	}
	handles.Add(1)
	b.cleanup = runtime.AddCleanup(b, forget, resource(bitstreamResource{b.context}))
	return b, nil
}

// Parameters returns the stream's parameters after the filters.
func (b *Bitstream) Parameters() Parameters {
	if b.context == nil {
		return Parameters{}
	}
	defer runtime.KeepAlive(b)
	var p C.spool_av_parameters
	C.spool_av_bitstream_parameters(b.context, &p)
	return parametersOf(&p)
}

// Send passes a packet to the filters. Its payload moves to them. nil ends the input, and releases packets that the
// filters hold back. After each Send, all available packets must be received.
func (b *Bitstream) Send(c *call.Call, p *Packet) error {
	var packet unsafe.Pointer
	if p != nil {
		if p.packet == nil {
			return closed("packet")
		}
		packet = pointer(p.packet)
		defer runtime.KeepAlive(p)
	}
	_, err := b.do(c, func() C.int { return C.spool_av_bitstream_send(b.context, packet) })
	return err
}

// Receive returns the next packet. It returns false if the filters need another packet, or at the end.
func (b *Bitstream) Receive(c *call.Call, p *Packet) (bool, error) {
	if p.packet == nil {
		return false, closed("packet")
	}
	defer runtime.KeepAlive(p)
	return b.do(c, func() C.int { return C.spool_av_bitstream_receive(b.context, pointer(p.packet)) })
}

func (b *Bitstream) do(c *call.Call, work func() C.int) (bool, error) {
	code, err := do(c, opFilter, "bitstream filter", b.context != nil, work)
	b.age.verify(&err)
	runtime.KeepAlive(b)
	return code > 0, err
}

// Close frees the filters. It returns nil. A second Close does nothing.
func (b *Bitstream) Close() error {
	if b.context != nil {
		b.cleanup.Stop()
		release(bitstreamResource{b.context})
		b.context = nil
	}
	return nil
}
