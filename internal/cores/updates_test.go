//go:build linux

package cores_test

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/need"
)

// mask has a bit for each processor.
type mask [16]uint64

// affinity calls the system to get or set the processors of a thread.
func affinity(call uintptr, thread int, of *mask) error {
	_, _, failed := syscall.RawSyscall(call, uintptr(thread), unsafe.Sizeof(*of), uintptr(unsafe.Pointer(of)))
	if failed != 0 && failed != syscall.ESRCH { // the thread has ended
		return failed
	}
	return nil
}

// restrict has all threads of this process run on some processors.
func restrict(t *testing.T, to *mask) {
	tasks, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	for _, task := range tasks {
		id, err := strconv.Atoi(task.Name())
		require.NoError(t, err)
		require.NoError(t, affinity(syscall.SYS_SCHED_SETAFFINITY, id, to))
	}
}

// follows reports whether GOMAXPROCS follows the affinity of the process, which becomes one processor.
func follows(t *testing.T) bool {
	var all, one mask
	require.NoError(t, affinity(syscall.SYS_SCHED_GETAFFINITY, 0, &all))
	for i, word := range all {
		if word != 0 {
			one[i] = word & -word
			break
		}
	}
	defer restrict(t, &all)
	restrict(t, &one)
	for begin := time.Now(); time.Since(begin) < 5*time.Second; runtime.Gosched() { // updates come while Go is busy
		if runtime.GOMAXPROCS(0) == 1 {
			return true
		}
	}
	return false
}

// After the last user, Go updates GOMAXPROCS again.
func TestGoUpdatesTheProcessorsAfterwards(t *testing.T) {
	if os.Getenv("GOMAXPROCS") != "" || runtime.NumCPU() == 1 {
		need.Skip(t, need.System, "GOMAXPROCS is set, or cannot become less")
	}
	t.Cleanup(runtime.SetDefaultGOMAXPROCS)
	first, second := cores.Spare(1), cores.Spare(2)
	first()
	second()
	assert.True(t, follows(t))
}

// What the program has set stays, before and after the spare processors.
func TestProcessorsOfTheProgramStay(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	t.Cleanup(runtime.SetDefaultGOMAXPROCS)
	own := runtime.NumCPU() + 1
	runtime.GOMAXPROCS(own)
	cores.Spare(2)()
	assert.Equal(t, own, runtime.GOMAXPROCS(0))
	runtime.SetDefaultGOMAXPROCS()

	restore := cores.Spare(2)
	runtime.GOMAXPROCS(own + 2)
	restore()
	assert.Equal(t, own, runtime.GOMAXPROCS(0))
}
