package helper

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/internal/proc"
)

// Each helper maps the largest input and output here, too. Where the address space is limited (ulimit -v), this process
// keeps room for its own needs: Go's runtime ends a process that cannot start a thread.
const (
	keptSpace  = 2 << 30   // when the number of helpers is chosen; package limits has what the command needs
	leastSpace = 512 << 20 // when a helper is started
)

// space returns how much address space this process may still take; false if it is not limited.
func space() (left int64, limited bool) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur > math.MaxInt64 {
		return 0, false
	}
	size, _, err := proc.Memory()
	if err != nil {
		return 0, false
	}
	return int64(limit.Cur) - size, true
}

// mostTasks returns how many tasks a helper has at a time: one that it does and the next one, so it need not wait for
// this process. Where address space is limited, it has one.
func mostTasks() int {
	if _, limited := space(); limited {
		return 1
	}
	return 2
}

// mostProcesses returns how many of n helpers, but at least one, have room for areas of so many bytes.
func mostProcesses(n int, bytes int64) int {
	if left, limited := space(); limited {
		return int(max(1, min(int64(n), (left-keptSpace)/max(1, bytes))))
	}
	return n
}

// room returns an error if there is no room to map so many bytes for a helper.
func room(bytes int64) error {
	if left, limited := space(); limited && left < bytes+leastSpace {
		return fmt.Errorf("the limit on address space (ulimit -v) leaves %d MiB: a helper needs %d MiB, of which %d MiB "+
			"are the limits of a file and of a decode's memory", max(0, left)>>20, (bytes+leastSpace)>>20, bytes>>20)
	}
	return nil
}
