// Package proc queries the operating system and the Go runtime about this process.
package proc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

// CPUTime returns the CPU time of this process, in user and system mode.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// PeakRSS returns the peak resident memory of this process in bytes, or 0 if unknown. It does not use getrusage, whose
// value includes the peak of the process that started this one.
func PeakRSS() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(status)); lines.Scan(); {
		var kib int64
		if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}

// Memory returns the memory of this process in bytes, including C memory: the size of its address space, and the
// resident part of it.
func Memory() (size, resident int64, err error) { return MemoryOf("self") }

// MemoryOf is Memory for the process of a number.
func MemoryOf(pid string) (size, resident int64, err error) {
	text, err := os.ReadFile("/proc/" + pid + "/statm")
	if err == nil {
		_, err = fmt.Sscan(string(text), &size, &resident)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("cannot read the memory of the process: %w", err)
	}
	page := int64(os.Getpagesize())
	return size * page, resident * page, nil
}

// Files returns how many files this process has open, and how many it may have.
func Files() (open int, limit uint64, err error) {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0, 0, fmt.Errorf("cannot count the open files of the process: %w", err)
	}
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0, 0, fmt.Errorf("cannot read the limit of open files: %w", err)
	}
	return len(names) - 1, l.Cur, nil // without that of the folder itself
}

// userHZ is the number of ticks in a second of /proc, on all systems that Go supports.
const userHZ = 100

// Started returns when this process was started.
func Started() (time.Time, error) {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return time.Time{}, fmt.Errorf("cannot read the start of the process: %w", err)
	}
	// The name of the program, in parentheses, may have spaces. The start is the 20th word after it.
	words := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(words) < 20 {
		return time.Time{}, errors.New("cannot read the start of the process: /proc/self/stat is too short")
	}
	ticks, err := strconv.ParseInt(string(words[19]), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("cannot read the start of the process: %w", err)
	}
	text, err = os.ReadFile("/proc/stat")
	if err != nil {
		return time.Time{}, fmt.Errorf("cannot read the start of the system: %w", err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var boot int64
		if n, _ := fmt.Sscanf(lines.Text(), "btime %d", &boot); n == 1 {
			return time.Unix(boot, ticks*int64(time.Second/userHZ)), nil
		}
	}
	return time.Time{}, errors.New("cannot read the start of the system: /proc/stat has no btime")
}
