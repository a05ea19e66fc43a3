// Package cuda calls the CUDA driver, which it loads at run time: neither building nor starting a program needs
// anything of CUDA, and a machine without a driver gives an error from [Load] that says so.
//
// # Contexts and threads
//
// A [Context] is a device's primary one, which every library in the process shares. Each call pushes it, does one
// thing and pops it, within one call into C and so on one thread: what was current on the caller's thread is current
// afterwards, and no goroutine is bound to a thread.
//
// # Handles
//
// [Pointer], [Stream], [Event], [Module] and [Function] are the driver's own handles, as numbers: those of other libraries in the process
// (a CUstream, a CUdeviceptr) are converted, and nothing is checked. Whoever makes one ends it; [InUse] counts what
// is left.
//
// # Errors
//
// Errors are a *spool.Error of class device with the driver's number as its code and the name of the call, the name of
// the code and the driver's text; its cause is a [Code]. Any call can report what an earlier one left running.
// A call that ends something (Free, Unregister, CloseStream, CloseEvent, CloseModule, Close) has ended it also where it
// reports an error.
//
// # Concurrency
//
// All methods are safe for concurrent use, save that a handle must not be used while it is ended. [Context.Finish] and
// [Context.Wait] hold a thread until the device is through; the others return at once, or in the time of a system call.
//
// Packages of this module only: no compatibility promise.
package cuda
