//go:build !unix

package pipe

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
