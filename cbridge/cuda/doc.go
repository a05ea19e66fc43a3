// Package cuda calls the CUDA driver, which it loads at run time. Programs build and start without CUDA. On a machine
// without a driver, [Load] returns an error that reports it.
//
// # Contexts and threads
//
// A [Context] is a device's primary context, which all libraries of the process share. Each call pushes the context,
// does one operation and pops it, within one C call and therefore on one thread. The context that was current on the
// caller's thread is current again afterwards, and goroutines need not be locked to threads.
//
// # Handles
//
// [Pointer], [Stream], [Event], [Module] and [Function] are the driver's handles as numbers. Handles of other libraries
// in the process (a CUstream, a CUdeviceptr) can be converted, without any check. The creator of a handle must release
// it. [InUse] counts the handles in use.
//
// # Errors
//
// Errors are a *spool.Error of class device. Its code is the driver's number, and its text has the name of the call,
// the name of the code and the driver's text. Its cause is a [Code]. Any call can return an error of an earlier
// asynchronous operation. Free, Unregister, CloseStream, CloseEvent, CloseModule and Close release the resource even if
// they return an error.
//
// # Concurrency
//
// All methods are safe for concurrent use, but a handle must not be used while it is released. [Context.Finish] and
// [Context.Wait] block a thread until the device is done. Other methods return at once, or after a system call.
//
// This package is internal to the module: no compatibility promise.
package cuda
