package cuda

import "sync/atomic"

// The counters belong to the process, as the devices' memory does.
var contexts, blocks, registered, queues, marks, modules atomic.Int64

// Usage is what was made here and has not been ended.
type Usage struct {
	Contexts   int64 // opened
	Blocks     int64 // of devices' memory
	Registered int64 // bytes of the host's memory
	Streams    int64
	Events     int64
	Modules    int64
}

// InUse is what is in use. Counters are read one by one: a snapshot taken while others work need not be of one instant.
func InUse() Usage {
	return Usage{contexts.Load(), blocks.Load(), registered.Load(), queues.Load(), marks.Load(), modules.Load()}
}
