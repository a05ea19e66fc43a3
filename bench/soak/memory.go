package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// memory is that of a process and of its children in MB.
type memory struct {
	// resident counts pages that processes share, such as the code of libraries, once for each of them. It does not count
	// the page cache, except files that are mapped into memory.
	resident float64
	private  float64 // the anonymous pages among them: heaps and stacks, what a leak would take
}

// look is the memory at some time.
type look struct {
	seconds float64
	memory
}

// memoryOf returns the memory of a process that has not ended, and of its children.
func memoryOf(pid int) (m memory, ok bool) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return m, false
	}
	all := []string{strconv.Itoa(pid)}
	for _, task := range tasks {
		text, _ := os.ReadFile(task) // a thread may have ended
		all = append(all, strings.Fields(string(text))...)
	}
	for i, p := range all {
		one, known := status(p)
		if !known && i == 0 {
			return m, false
		}
		m.resident += one.resident
		m.private += one.private
	}
	return m, m.resident > 0
}

// status reads the memory of one process. A process that has ended has none.
func status(pid string) (m memory, ok bool) {
	text, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return m, false
	}
	for line := range strings.Lines(string(text)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, "RssAnon: %f kB", &kib); n == 1 {
			m.private = kib * 1024 / 1e6
		}
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kib); n == 1 {
			m.resident = kib * 1024 / 1e6
		}
	}
	return m, true
}
