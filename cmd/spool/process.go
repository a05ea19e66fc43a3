package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/spoolmedia/spool/loader"
)

// cpuTime is what this process has used, in user and system mode.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// spareProcessors gives Go one processor more for each worker, or with Auto for each core, until restore is called. A worker in a call to C keeps
// the one it has, or loses it and has to wait for one when it comes back, with a core idle meanwhile: WebP pictures
// come 6 % faster by it. What the user has set in the environment holds.
func spareProcessors(workers int) (restore func()) {
	if os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	before := runtime.GOMAXPROCS(0)
	if workers == loader.Auto {
		workers = before
	}
	runtime.GOMAXPROCS(before + workers)
	return func() { runtime.GOMAXPROCS(before) }
}

// peakRSS is the most memory this process has had resident, in bytes; 0 if unknown. Not by getrusage: that
// counts what the process that started this one had.
func peakRSS() int64 {
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

// machineMemory is the machine's memory in bytes; 0 if unknown.
func machineMemory() int64 {
	var i syscall.Sysinfo_t
	if err := syscall.Sysinfo(&i); err != nil {
		return 0
	}
	return int64(i.Totalram) * int64(i.Unit)
}
