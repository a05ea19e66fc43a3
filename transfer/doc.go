// Package transfer copies batches to a device. It has pinned memory that decoders write to, a ring of slabs on the
// device, and its own stream for copies, so that batch n+1 is copied while batch n is used.
//
//	device, err := transfer.Open("cuda:0", transfer.DeviceOptions{})
//	pool, err := spool.NewPool(spool.PoolOptions{Allocator: transfer.NewPinnedMemory(device)})
//	// ... batches with slabs of that pool ...
//	copier, err := transfer.NewCopier(device, transfer.CopierOptions{})
//	b, err := copier.Copy(ctx, decoded) // returns at once, unless the consumer holds the whole ring
//	err = b.WaitOn(stream)              // the stream waits, the host does not
//	// ... queue work on b.Arrays() in the stream ...
//	b.Release()                         // immediately: the slab is used again after the stream's work
//
// # Devices
//
// "cuda:N" is a device of the CUDA driver. The driver is loaded when a device is opened: programs need it neither to
// build nor to start. "host" has the same types without a device: batches are passed on unchanged. "pinned" is like
// "host", with locked memory for programs that copy batches to a device themselves.
//
// # Work on the device
//
// A [Normalizer] copies uint8 images and converts them to floats on the device, after the copy and in its stream. The
// event of the batch covers the conversion. [Frames] does the same with video planes. Their batches are batches of the
// copier, with the same ring and the same rules. On "host" and "pinned" the host computes the same bytes, during Copy.
// [Copier.Fill] is for other work.
//
//	normalizer, err := transfer.NewNormalizer(copier,
//		transfer.NormalizerOptions{DType: spool.Float16, Mean: mean, Std: std})
//	b, err := normalizer.Copy(ctx, decoded, flips) // in place of copier.Copy
//
// # Ownership
//
// A copier owns a batch from [Copier.Copy] on and releases it after the copy. The resulting [Batch] belongs to the
// caller, until Release. Release records an event in every stream of [Batch.WaitOn], and the memory is kept until these
// events are reached. No other rule limits the lifetime of a batch.
//
// # Other libraries
//
// [Batch.DLPack] and [Array.DLPack] make tensors that NumPy, PyTorch, JAX, CuPy or a C program use without a copy.
// [Batch.CUDAArray] supports Python's __cuda_array_interface__. A tensor is another owner of its batch; the streams
// that use it are named when it is made. Programs that use gorgonia.org/cu have transfer/gorgonia, a separate module.
//
// # Loss of a device
//
// The driver reports errors of the device in any later call. The first one stops a copier: every call returns it, with
// the name of the device, including waiting calls. Close and Release still have to be called, and free everything. A
// device that neither answers nor fails blocks the copier's goroutine in the driver, the memory that the device may
// write, and Close.
package transfer
