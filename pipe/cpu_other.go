//go:build !unix

package pipe

import "time"

// cpuTime returns 0, because the CPU time is unknown here.
func cpuTime() time.Duration { return 0 }
