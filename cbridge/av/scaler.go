package av

/*
#include "av.h"
*/
import "C"

import (
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool/cbridge/call"
)

// Scaler converts frames to RGB at their own size, by swscale. It keeps contexts that are not in use, by their parameters, because making one
// takes as long as converting several small frames. It is safe for concurrent use. The zero value is ready;
// the owner MUST Close it.
type Scaler struct {
	mutex sync.Mutex
	idle  []scaling // the one used last at the end
}

// Conversion says how frames become RGB. The zero value is the conversion of "ffmpeg -pix_fmt rgb24" without further
// options, to the last bit: chroma is interpolated bicubically, matrix and range are the frame's, BT.601 where it has no
// matrix.
type Conversion struct {
	Deep     bool // RGB of 16 bits ("rgb48"), whatever the frame has
	Bilinear bool // chroma is interpolated bilinearly, as decord does
}

// scaling is a context of swscale's.
type scaling struct {
	key C.spool_av_scaling
	c   *C.spool_av_scaler
}

func (s scaling) free() { C.spool_av_scaler_close(s.c) }

// maxIdle bounds the contexts that are kept, at some 100 KB each.
const maxIdle = 32

// Rows pushes the rows that a sink wants, a spool_sink of cbridge/kernel's sink.h for the frame's size.
//
//	Ownership:    the sink is lent.
//	Cancellation: within 16 rows; of a Bayer pattern before the frame only.
//	Errors:       unsupported where swscale does not know the frame's format; spool.ErrShape where the
//	              sink is not made for the frame.
func (s *Scaler) Rows(c *call.Call, f *Frame, sink unsafe.Pointer, o Conversion) error {
	if f.frame == nil {
		return closed("frame")
	}
	defer runtime.KeepAlive(f)
	context, err := s.take(c, f, o)
	if err != nil {
		return err
	}
	defer s.give(context)
	return f.pushed(c, C.spool_av_scaler_rows(context.c, f.frame.UnsafePointer(), (*C.spool_sink)(sink), (*C.int32_t)(c.Flag())))
}

// take gives a context for the frame, one that is idle if there is.
func (s *Scaler) take(c *call.Call, f *Frame, o Conversion) (scaling, error) {
	var key C.spool_av_scaling
	C.spool_av_scaling_of(f.frame.UnsafePointer(), &key)
	key.deep, key.bilinear = boolean(o.Deep), boolean(o.Bilinear)
	s.mutex.Lock()
	for i, found := range slices.Backward(s.idle) {
		if found.key == key {
			s.idle = slices.Delete(s.idle, i, i+1)
			s.mutex.Unlock()
			return found, nil
		}
	}
	s.mutex.Unlock()
	made := scaling{key: key}
	if code := C.spool_av_scaler_open(&key, &made.c); code < 0 {
		return scaling{}, failure(c, opDecode, astiav.Error(code))
	}
	handles.Add(1)
	return made, nil
}

func (s *Scaler) give(back scaling) {
	s.mutex.Lock()
	s.idle = append(s.idle, back)
	var oldest []scaling
	if n := len(s.idle) - maxIdle; n > 0 {
		oldest = slices.Clone(s.idle[:n])
		s.idle = slices.Delete(s.idle, 0, n)
	}
	s.mutex.Unlock()
	for _, o := range oldest {
		release(o)
	}
}

// Close frees the contexts that are idle. It returns nil; the scaler can be used, and closed, again.
func (s *Scaler) Close() error {
	s.mutex.Lock()
	idle := s.idle
	s.idle = nil
	s.mutex.Unlock()
	for _, i := range idle {
		release(i)
	}
	return nil
}
