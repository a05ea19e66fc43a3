//go:build !unix

package tune

import "time"

// CPUTime returns 0, because the CPU time is unknown here.
func CPUTime() time.Duration { return 0 }
