package spool

// DeviceStream is a stream of a CUDA device: a CUstream of any library, whose work runs in order. 0 is the default
// stream. 2, the default stream of the calling thread, requires goroutines that are locked to their thread for as long
// as they use it.
type DeviceStream uintptr
