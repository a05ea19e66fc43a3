package cuda

import "sync/atomic"

// The counters are global to the process, like the devices.
var contexts, blocks, registered, streams, events, modules atomic.Int64

// Usage counts the resources that this package has created and not yet released.
type Usage struct {
	Contexts   int64 // open
	Blocks     int64 // of device memory
	Registered int64 // bytes of host memory
	Streams    int64
	Events     int64
	Modules    int64
}

// InUse returns the resources in use. Counters are read one by one, so a snapshot is not atomic while others work.
func InUse() Usage {
	return Usage{contexts.Load(), blocks.Load(), registered.Load(), streams.Load(), events.Load(), modules.Load()}
}
