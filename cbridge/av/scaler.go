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

// Scaler converts frames to RGB at their own size, with swscale. It caches idle contexts by their parameters, because
// creating one takes as long as converting several small frames. It is safe for concurrent use. The zero value is
// ready; the owner MUST Close it.
type Scaler struct {
	mutex sync.Mutex
	idle  []scaling // least recently used first
}

// Conversion describes the conversion of frames to RGB. The zero value is bit-exact with "ffmpeg -pix_fmt rgb24"
// without further options: chroma is interpolated bicubically. Matrix and range are those of the frame, and BT.601 if
// it has no matrix.
type Conversion struct {
	Deep     bool // 16-bit RGB ("rgb48"), for frames of any depth
	Bilinear bool // chroma is interpolated bilinearly, as in decord
}

// scaling is a swscale context.
type scaling struct {
	key C.spool_av_scaling
	age age
	c   *C.spool_av_scaler
}

func (s scaling) free() { C.spool_av_scaler_close(s.c) }

// maxIdle bounds the cached contexts. Each takes about 100 KB.
const maxIdle = 32

// Rows converts a frame and pushes the rows that a sink needs. The sink is a spool_sink of cbridge/kernel's sink.h for
// the frame's size.
//
//   - Ownership: the sink is borrowed for the call.
//   - Cancellation: within 16 rows; for a Bayer pattern only before the frame.
//   - Errors: unsupported if swscale does not support the frame's format; spool.ErrShape if the sink is not for such a
//     frame.
func (s *Scaler) Rows(c *call.Call, f *Frame, sink unsafe.Pointer, o Conversion) (err error) {
	defer c.Part("libswscale: convert", c.Begin())
	if f.frame == nil {
		return closed("frame")
	}
	defer runtime.KeepAlive(f)
	context, err := s.get(c, f, o)
	if err != nil {
		return err
	}
	defer s.put(context)
	defer context.age.verify(&err)
	return f.pushed(c, C.spool_av_scaler_rows(context.c, f.frame.UnsafePointer(), (*C.spool_sink)(sink),
		(*C.int32_t)(c.Flag())))
}

// get returns an idle context for the frame, or a new one.
func (s *Scaler) get(c *call.Call, f *Frame, o Conversion) (scaling, error) {
	key := C.spool_av_scaling{width: C.int32_t(f.Width), height: C.int32_t(f.Height), format: C.int32_t(f.PixelFormat),
		matrix: C.int32_t(f.Color.Matrix), _range: C.int32_t(f.Color.Range),
		deep: boolean(o.Deep), bilinear: boolean(o.Bilinear)}
	s.mutex.Lock()
	for i, found := range slices.Backward(s.idle) {
		if found.key == key && !found.age.stale() {
			s.idle = slices.Delete(s.idle, i, i+1)
			s.mutex.Unlock()
			return found, nil
		}
	}
	s.mutex.Unlock()
	made := scaling{key: key, age: now()}
	code := C.spool_av_scaler_open(&key, &made.c)
	if err := made.age.err(); err != nil {
		if code >= 0 {
			made.free()
		}
		return scaling{}, err
	}
	if code < 0 {
		return scaling{}, failure(c, opDecode, astiav.Error(code))
	}
	handles.Add(1)
	return made, nil
}

func (s *Scaler) put(back scaling) {
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

// Close frees the idle contexts. It returns nil. The scaler can be used again, and closed again.
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
