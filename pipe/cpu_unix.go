//go:build unix

package pipe

import (
	"syscall"
	"time"
)

// cpuTime is what this process has used, in user and system mode, in all of its threads; 0 if it may not be
// known.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
