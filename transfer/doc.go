// Package transfer brings batches to a device: pinned memory for decoders to write into, a ring of slabs on the device,
// and a stream of its own that copies, so that batch n+1 comes while batch n is used.
//
//	device, err := transfer.Open("cuda:0", transfer.DeviceOptions{})
//	pool, err := spool.NewPool(spool.PoolOptions{Allocator: transfer.NewPinned(device)})
//	// ... batches with slabs of that pool ...
//	copier, err := transfer.NewCopier(device, transfer.CopierOptions{})
//	b, err := copier.Copy(ctx, decoded) // returns at once, unless the consumer holds the whole ring
//	err = b.WaitOn(stream)              // the stream waits, the host does not
//	// ... queue what uses b.Arrays() in the stream ...
//	b.Release()                         // at once: the slab is used again when the stream is through
//
// # Devices
//
// "cuda:N" is a device of the CUDA driver, which is loaded when a device is opened: a program neither needs it to be built nor to
// start. "host" has the same types without a device: batches are passed on as they are. "pinned" is that with
// memory for programs that bring batches to a device by themselves.
//
// # Work on the device
//
// A [Normalizer] brings uint8 pictures and has floats of them made there, behind the copy and in its stream, so that the batch is what
// the event stands for; [Frames] does that with planes of video. Their batches are batches of the copier's: the same ring, and the
// same rules. On "host" and "pinned" the host computes the same bytes, in the time of Copy. [Copier.Fill] is for other
// work.
//
//	normalizer, err := transfer.NewNormalizer(copier, transfer.NormalizerOptions{DType: spool.Float16, Mean: mean, Std: std})
//	b, err := normalizer.Copy(ctx, decoded, flips) // in place of copier.Copy
//
// # Ownership
//
// A copier owns a batch from [Copier.Copy] on and releases it once it is copied; its [Batch] is the
// caller's, until Release. What a stream of the consumer's uses is kept until an event behind it, which Release records in
// every stream that [Batch.WaitOn] was called for, is reached. There is no other rule of how long a batch has to be held.
//
// # Other libraries
//
// [Batch.DLPack] and [Array.DLPack] make tensors that NumPy, PyTorch, JAX, CuPy or a program in C take without a copy, [Batch.CUDAArray]
// what Python's __cuda_array_interface__ says. A tensor is another owner of its batch; the streams that it is used in
// are named when it is made. Programs that use gorgonia.org/cu have transfer/gorgonia, a module of its own.
//
// # A device that is lost
//
// The driver tells errors of the device in any later call. The first one ends a copier: every call gives it, with the
// device named, waiting ones too; Close and Release still have to be called, and leave nothing behind. A device
// that neither answers nor fails holds the copier's goroutine in the driver, and the memory that it may write, and Close
// with it.
package transfer
