//go:build unix

package pipe

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time of this process, in user and system mode, of all its threads. It returns 0 if that is
// unknown.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
