package transfer

import (
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/dlpack"
)

// NoStream stands for no stream, like -1 in DLPack. The consumer itself waits for the batch, and has finished with it
// when it calls the deleter.
const NoStream = ^spool.DeviceStream(0)

// DLPackOptions are the properties of a tensor.
type DLPackOptions struct {
	// Versioned makes a DLManagedTensorVersioned of DLPack 1.x, for consumers that declare support; the default is a
	// DLManagedTensor.
	Versioned bool
	ReadOnly  bool // the consumer must not write. Versioned only
	Copied    bool // no other owner has the memory. Versioned only
	// Plain declares pinned memory as CPU memory: some consumers, such as PyTorch, accept no other.
	Plain bool
}

// DLPack makes a tensor of an array for another library. It returns the address of a DLManagedTensor, or
// DLManagedTensorVersioned, in C memory, whose deleter calls release. Nothing is copied. For a buffer, and for slot i
// of a batch:
//
//	transfer.Array{Desc: buffer.Desc(), Bytes: buffer.Bytes()}.DLPack(o, buffer.Retain().Release)
//	transfer.Array{Desc: sample, Bytes: batch.Slot(i)}.DLPack(o, batch.Retain().Release)
//
// Properties:
//
//   - Ownership: the caller owns the tensor, which keeps the memory until the consumer calls its deleter: once, on any
//     thread. A tensor without a consumer is freed by [DeleteDLPack]. On error release is not called.
//   - Forks: in a child of the process the deleter does nothing.
//   - Errors: spool.ErrShape for more than 8 dimensions, or more elements than Bytes has; spool.ErrUnsupported for a
//     type that DLPack lacks; spool.ErrOptions for ReadOnly or Copied without Versioned.
func (a Array) DLPack(o DLPackOptions, release func()) (unsafe.Pointer, error) {
	d := dlpack.Array{Desc: a.Desc, Bytes: a.Bytes, Pointer: a.Pointer, Device: dlpack.CPU}
	switch {
	case a.Device == nil:
	case a.Device.kind == CUDA:
		d.Device, d.Number = dlpack.CUDA, a.Device.number
	case a.Device.kind == Pinned && a.Device.lease != nil && !o.Plain:
		d.Device = dlpack.CUDAHost
	}
	return dlpack.New(d, dlpack.Options{Versioned: o.Versioned, ReadOnly: o.ReadOnly, Copied: o.Copied}, release)
}

// DLPack makes a tensor of array i for a consumer that uses it in stream s, or in streams that follow s when the
// deleter is called. It calls [Batch.WaitOn] for s, which is the value that DLPack's consumers pass to __dlpack__, with
// 0 for None. The stream has to exist until the deleter is called. On "host" and "pinned" it is ignored. The tensor is
// another owner of the batch: the caller may release its own immediately. See [Array.DLPack] for the rest.
func (b *Batch) DLPack(i int, s spool.DeviceStream, o DLPackOptions) (unsafe.Pointer, error) {
	b.check("DLPack")
	a, err := b.array(i)
	if err != nil {
		return nil, err
	}
	owner := b.Retain()
	if err = owner.use(s); err == nil {
		var tensor unsafe.Pointer
		if tensor, err = a.DLPack(o, owner.Release); err == nil {
			return tensor, nil
		}
	}
	owner.Release()
	return nil, err
}

// DeleteDLPack frees a tensor that no consumer took.
func DeleteDLPack(tensor unsafe.Pointer) { dlpack.Delete(tensor) }

// use is WaitOn for a stream that an external consumer named, which may release the batch on another thread. Work in a
// thread's own default stream is ordered with the legacy stream, whose number is the same on all threads.
func (b *Batch) use(s spool.DeviceStream) error {
	const legacy, perThread = 1, 2
	switch s {
	case NoStream:
		return nil
	case perThread:
		s = legacy
	}
	return b.WaitOn(s)
}
