package cuda

/*
#cgo noescape spool_cuda_to_device
#cgo nocallback spool_cuda_to_device
#cgo noescape spool_cuda_to_host
#cgo nocallback spool_cuda_to_host
#cgo noescape spool_cuda_stream
#cgo nocallback spool_cuda_stream
#cgo noescape spool_cuda_close_stream
#cgo nocallback spool_cuda_close_stream
#cgo noescape spool_cuda_finish
#cgo nocallback spool_cuda_finish
#cgo noescape spool_cuda_wait_event
#cgo nocallback spool_cuda_wait_event
#cgo noescape spool_cuda_event
#cgo nocallback spool_cuda_event
#cgo noescape spool_cuda_close_event
#cgo nocallback spool_cuda_close_event
#cgo noescape spool_cuda_record
#cgo nocallback spool_cuda_record
#cgo noescape spool_cuda_wait
#cgo nocallback spool_cuda_wait
#include "bridge.h"
*/
import "C"

import "unsafe"

// Stream is a queue of a device's work, a CUstream. 0 and 1 are the context's default stream, 2 the calling
// thread's own one, of use only to goroutines that are locked to theirs.
type Stream uintptr

// Event is a mark in a stream, a CUevent.
type Event uintptr

// NewStream makes a stream that does not wait for the default one.
func (c *Context) NewStream() (Stream, error) {
	var out C.uintptr_t
	var f C.spool_cuda_failure
	if C.spool_cuda_stream(&c.driver.entries, c.handle, &out, &f) != C.CUDA_SUCCESS {
		err := failure("open stream", &f)
		if f.done != 0 {
			_ = c.closeStream(out)
		}
		return 0, err
	}
	queues.Add(1)
	return Stream(out), nil
}

// CloseStream ends a stream; what is queued is still done.
func (c *Context) CloseStream(s Stream) error {
	queues.Add(-1)
	return c.closeStream(C.uintptr_t(s))
}

func (c *Context) closeStream(s C.uintptr_t) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_close_stream(&c.driver.entries, c.handle, s, &f) != C.CUDA_SUCCESS {
		return failure("close stream", &f)
	}
	return nil
}

// Finish waits until everything queued so far is done.
func (c *Context) Finish(s Stream) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_finish(&c.driver.entries, c.handle, C.uintptr_t(s), &f) != C.CUDA_SUCCESS {
		return failure("finish stream", &f)
	}
	return nil
}

// ToDevice queues a copy of from to the device. From MUST stay as it is and where it is until the copy is done; of
// memory that is not registered the driver may make a copy first, in the caller's time.
func (c *Context) ToDevice(to Pointer, from []byte, s Stream) error {
	var f C.spool_cuda_failure
	at := unsafe.Pointer(unsafe.SliceData(from))
	if C.spool_cuda_to_device(&c.driver.entries, c.handle, C.CUdeviceptr(to), at, C.size_t(len(from)), C.uintptr_t(s), &f) != C.CUDA_SUCCESS {
		return failure("copy to device", &f)
	}
	return nil
}

// ToHost queues a copy from the device that fills to. To MUST stay where it is until the copy is done.
func (c *Context) ToHost(to []byte, from Pointer, s Stream) error {
	var f C.spool_cuda_failure
	at := unsafe.Pointer(unsafe.SliceData(to))
	if C.spool_cuda_to_host(&c.driver.entries, c.handle, at, C.CUdeviceptr(from), C.size_t(len(to)), C.uintptr_t(s), &f) != C.CUDA_SUCCESS {
		return failure("copy to host", &f)
	}
	return nil
}

// NewEvent makes an event, which counts as reached until it is recorded.
func (c *Context) NewEvent() (Event, error) {
	var out C.uintptr_t
	var f C.spool_cuda_failure
	if C.spool_cuda_event(&c.driver.entries, c.handle, &out, &f) != C.CUDA_SUCCESS {
		err := failure("open event", &f)
		if f.done != 0 {
			_ = c.closeEvent(out)
		}
		return 0, err
	}
	marks.Add(1)
	return Event(out), nil
}

// CloseEvent ends an event; who waits for it already is served.
func (c *Context) CloseEvent(e Event) error {
	marks.Add(-1)
	return c.closeEvent(C.uintptr_t(e))
}

func (c *Context) closeEvent(e C.uintptr_t) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_close_event(&c.driver.entries, c.handle, e, &f) != C.CUDA_SUCCESS {
		return failure("close event", &f)
	}
	return nil
}

// Record has the event reached when everything queued in the stream so far is done.
func (c *Context) Record(e Event, s Stream) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_record(&c.driver.entries, c.handle, C.uintptr_t(e), C.uintptr_t(s), &f) != C.CUDA_SUCCESS {
		return failure("record event", &f)
	}
	return nil
}

// Follow has what is queued in the stream from now on wait for the event as it was recorded last. The host does not wait.
func (c *Context) Follow(s Stream, e Event) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_wait_event(&c.driver.entries, c.handle, C.uintptr_t(s), C.uintptr_t(e), &f) != C.CUDA_SUCCESS {
		return failure("wait for event", &f)
	}
	return nil
}

// Wait waits until the event, as it was recorded last, is reached.
func (c *Context) Wait(e Event) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_wait(&c.driver.entries, c.handle, C.uintptr_t(e), &f) != C.CUDA_SUCCESS {
		return failure("wait for event", &f)
	}
	return nil
}
