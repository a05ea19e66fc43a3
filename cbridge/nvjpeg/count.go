package nvjpeg

import "sync/atomic"

var codecs, states atomic.Int64 // of the process, as the devices' memory is

// Usage is what was made here and has not been ended.
type Usage struct{ Codecs, States int64 }

// InUse is what is in use, read one by one.
func InUse() Usage { return Usage{codecs.Load(), states.Load()} }
