package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Machine describes the machine that a result was measured on.
type Machine struct {
	CPU    string  `json:"cpu"`
	Cores  int     `json:"cores"`
	Kernel string  `json:"kernel"`
	Load   float64 `json:"load"` // over the last minute, when the comparison began
}

// ThisMachine describes the current machine. Values that Linux does not provide are empty.
func ThisMachine() Machine {
	m := Machine{CPU: runtime.GOARCH, Cores: runtime.NumCPU(), Load: Load()}
	if kernel, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel = string(bytes.TrimSpace(kernel))
	}
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			key, value, _ := strings.Cut(line, ":")
			if strings.TrimSpace(key) == "model name" { // absent on arm64
				m.CPU = strings.TrimSpace(value)
				break
			}
		}
	}
	return m
}

// Load returns the average number of processes that ran or waited for a CPU, over the last minute.
func Load() float64 {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	minute, _, _ := strings.Cut(string(data), " ")
	load, err := strconv.ParseFloat(minute, 64)
	if err != nil {
		return 0
	}
	return load
}

// Quiet is the highest load at which a comparison begins. Figures that began above it are marked as noisy.
const Quiet = 0.5

// AwaitQuiet waits until the load is at most Quiet, but not longer than most. If it is not, out has a warning. It
// returns the load, for the record: what prepares the runs adds to it later.
func AwaitQuiet(ctx context.Context, out io.Writer, most time.Duration, load func() float64) float64 {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	now := load()
	for ; now > Quiet; now = load() {
		select {
		case <-ctx.Done():
			fmt.Fprintf(out, "bench: the load is %.2f: figures will be noisy\n", now)
			return now
		case <-time.After(5 * time.Second): // Linux updates it every 5 seconds
		}
	}
	return now
}

// CPUTime returns the CPU time of this process, in user and system mode.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
