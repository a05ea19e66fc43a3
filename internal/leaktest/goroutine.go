package leaktest

import (
	"runtime"
	"strings"
)

// goroutine is one entry of a stack dump.
type goroutine struct {
	number string // never reused in a process
	stack  string // in the runtime's format
}

// goroutines lists all goroutines except the caller's and the runtime's.
func goroutines() []goroutine {
	dump := make([]byte, 64<<10)
	n := runtime.Stack(dump, true)
	for n == len(dump) { // truncated
		dump = make([]byte, 2*len(dump))
		n = runtime.Stack(dump, true)
	}
	var list []goroutine
	for i, stack := range strings.Split(strings.TrimSpace(string(dump[:n])), "\n\n") {
		if i == 0 {
			continue // the caller is first
		}
		number, _, _ := strings.Cut(strings.TrimPrefix(stack, "goroutine "), " ")
		list = append(list, goroutine{number: number, stack: stack})
	}
	return list
}

// ownedByTesting reports whether the goroutine was started by the machinery that runs tests (another test's goroutine,
// a profile's writer, a fuzzing worker's pipes) or by the runtime.
func (g goroutine) ownedByTesting() bool {
	at := strings.LastIndex(g.stack, "\ncreated by ")
	if at < 0 {
		return false
	}
	creator := g.stack[at+len("\ncreated by "):]
	for _, prefix := range []string{"testing.", "internal/fuzz.", "runtime.", "runtime/", "os/signal."} {
		if strings.HasPrefix(creator, prefix) {
			return true
		}
	}
	return false
}
