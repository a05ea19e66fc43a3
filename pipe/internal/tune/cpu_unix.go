//go:build unix

package tune

import (
	"syscall"
	"time"
)

// CPUTime returns the CPU time of this process, in user and system mode, of all its threads. It returns 0 if that is
// unknown.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
