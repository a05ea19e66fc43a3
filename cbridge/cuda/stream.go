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
#cgo noescape spool_cuda_reached
#cgo nocallback spool_cuda_reached
#include "bridge.h"
*/
import "C"

import "unsafe"

// Stream is a queue of a device's work, a CUstream. 0 and 1 are the context's default stream. 2 is the calling thread's
// default stream, useful only for goroutines that are locked to their thread.
type Stream uintptr

// Event is a point in a stream, a CUevent.
type Event uintptr

// NewStream creates a stream that does not synchronize with the default stream.
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
	streams.Add(1)
	return Stream(out), nil
}

// CloseStream releases a stream. Queued work is still done.
func (c *Context) CloseStream(s Stream) error {
	streams.Add(-1)
	return c.closeStream(C.uintptr_t(s))
}

func (c *Context) closeStream(s C.uintptr_t) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_close_stream(&c.driver.entries, c.handle, s, &f) != C.CUDA_SUCCESS {
		return failure("close stream", &f)
	}
	return nil
}

// Finish waits until all work queued so far is done.
func (c *Context) Finish(s Stream) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_finish(&c.driver.entries, c.handle, C.uintptr_t(s), &f) != C.CUDA_SUCCESS {
		return failure("finish stream", &f)
	}
	return nil
}

// ToDevice queues a copy of from to the device. from MUST NOT change or move until the copy is done. If it is not
// registered, the driver may copy it first, within the call.
func (c *Context) ToDevice(to Pointer, from []byte, s Stream) error {
	var f C.spool_cuda_failure
	at := unsafe.Pointer(unsafe.SliceData(from))
	if C.spool_cuda_to_device(&c.driver.entries, c.handle, C.CUdeviceptr(to), at, C.size_t(len(from)), C.uintptr_t(s),
		&f) != C.CUDA_SUCCESS {
		return failure("copy to device", &f)
	}
	return nil
}

// ToHost queues a copy from the device that fills to. to MUST NOT move until the copy is done.
func (c *Context) ToHost(to []byte, from Pointer, s Stream) error {
	var f C.spool_cuda_failure
	at := unsafe.Pointer(unsafe.SliceData(to))
	if C.spool_cuda_to_host(&c.driver.entries, c.handle, at, C.CUdeviceptr(from), C.size_t(len(to)), C.uintptr_t(s),
		&f) != C.CUDA_SUCCESS {
		return failure("copy to host", &f)
	}
	return nil
}

// NewEvent creates an event. Until it is recorded, waits for it return at once.
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
	events.Add(1)
	return Event(out), nil
}

// CloseEvent releases an event. Waits that have started for it are completed.
func (c *Context) CloseEvent(e Event) error {
	events.Add(-1)
	return c.closeEvent(C.uintptr_t(e))
}

func (c *Context) closeEvent(e C.uintptr_t) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_close_event(&c.driver.entries, c.handle, e, &f) != C.CUDA_SUCCESS {
		return failure("close event", &f)
	}
	return nil
}

// Record sets the event to complete when all work queued in the stream so far is done.
func (c *Context) Record(e Event, s Stream) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_record(&c.driver.entries, c.handle, C.uintptr_t(e), C.uintptr_t(s), &f) != C.CUDA_SUCCESS {
		return failure("record event", &f)
	}
	return nil
}

// Follow makes all later work of the stream wait for the last Record of the event. The host does not wait.
func (c *Context) Follow(s Stream, e Event) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_wait_event(&c.driver.entries, c.handle, C.uintptr_t(s), C.uintptr_t(e), &f) != C.CUDA_SUCCESS {
		return failure("wait for event", &f)
	}
	return nil
}

// Wait waits until the last Record of the event is complete.
func (c *Context) Wait(e Event) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_wait(&c.driver.entries, c.handle, C.uintptr_t(e), &f) != C.CUDA_SUCCESS {
		return failure("wait for event", &f)
	}
	return nil
}

// Reached reports whether the last Record of the event is complete. It does not wait.
func (c *Context) Reached(e Event) (bool, error) {
	var f C.spool_cuda_failure
	var out C.int
	if C.spool_cuda_reached(&c.driver.entries, c.handle, C.uintptr_t(e), &out, &f) != C.CUDA_SUCCESS {
		return false, failure("look for event", &f)
	}
	return out != 0, nil
}
