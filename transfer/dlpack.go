package transfer

import (
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/dlpack"
)

// NoStream names no stream, as -1 does in DLPack: the consumer waits for the batch by itself, and is through with it
// when it lets go.
const NoStream = ^Stream(0)

// DLPackOptions say what an array becomes.
type DLPackOptions struct {
	// Versioned makes a DLManagedTensorVersioned of DLPack 1.x, for consumers that say that they know it; the default is a
	// DLManagedTensor.
	Versioned bool
	ReadOnly  bool // the consumer must not write. Versioned only
	Copied    bool // nobody else has the memory. Versioned only
	// Plain calls pinned memory plain: some consumers, PyTorch among them, know no other.
	Plain bool
}

// DLPack makes a tensor of an array for another library: the address of a DLManagedTensor, or DLManagedTensorVersioned, in C's
// memory, whose deleter calls release. Nothing is copied. Of a buffer and of slot i of a batch:
//
//		transfer.Array{Desc: buffer.Desc(), Bytes: buffer.Bytes()}.DLPack(o, buffer.Retain().Release)
//		transfer.Array{Desc: sample, Bytes: batch.Slot(i)}.DLPack(o, batch.Share().Release)
//
//	  - Ownership: the tensor is the caller's, and keeps the memory until its deleter is called, which the consumer does: once, on
//	    any thread. One that no consumer takes is ended by [DeleteDLPack]. On error release is not called.
//	  - Forks: in a child of the process the deleter does nothing.
//	  - Errors: spool.ErrShape of more than 8 dimensions, or more elements than Bytes has; spool.ErrUnsupported of
//	    a type that DLPack does not know; spool.ErrOptions where ReadOnly or Copied cannot be said.
func (a Array) DLPack(o DLPackOptions, release func()) (unsafe.Pointer, error) {
	d := dlpack.Array{Desc: a.Desc, Bytes: a.Bytes, Pointer: a.Pointer, Device: dlpack.CPU}
	switch {
	case a.Device == nil:
	case a.Device.kind == CUDA:
		d.Device, d.Number = dlpack.CUDA, a.Device.number
	case a.Device.kind == Pinned && a.Device.held != nil && !o.Plain:
		d.Device = dlpack.CUDAHost
	}
	return dlpack.New(d, dlpack.Options{Versioned: o.Versioned, ReadOnly: o.ReadOnly, Copied: o.Copied}, release)
}

// DLPack makes a tensor of array i, for a consumer that uses it in stream s, or in streams that follow that one when the
// deleter is called. [Batch.WaitOn] is called for it: s is what DLPack's consumers pass to __dlpack__, with 0 for None.
// The stream has to be there still then. On "host" and "pinned" it does not count. The tensor is another owner of the batch,
// which may be released at once.
// See [Array.DLPack] for the rest.
func (b *Batch) DLPack(i int, s Stream, o DLPackOptions) (unsafe.Pointer, error) {
	b.check("DLPack")
	a, err := b.array(i)
	if err != nil {
		return nil, err
	}
	owner := b.Share()
	if err = owner.use(s); err == nil {
		var tensor unsafe.Pointer
		if tensor, err = a.DLPack(o, owner.Release); err == nil {
			return tensor, nil
		}
	}
	owner.Release()
	return nil, err
}

// DeleteDLPack ends a tensor that no consumer took.
func DeleteDLPack(tensor unsafe.Pointer) { dlpack.Delete(tensor) }

// use is WaitOn for a stream that somebody else named, who may let go on another thread. What is queued in a thread's own
// default stream is ordered with the legacy one, whose number is the same on all threads.
func (b *Batch) use(s Stream) error {
	const legacy, perThread = 1, 2
	switch s {
	case NoStream:
		return nil
	case perThread:
		s = legacy
	}
	return b.WaitOn(s)
}
