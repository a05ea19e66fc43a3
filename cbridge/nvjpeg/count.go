package nvjpeg

import "sync/atomic"

var codecs, states atomic.Int64 // for the whole process, like the memory of devices

// Usage counts the objects that were created by this package and are not closed.
type Usage struct{ Codecs, States int64 }

// InUse returns the current counts. They are not read atomically together.
func InUse() Usage { return Usage{codecs.Load(), states.Load()} }
