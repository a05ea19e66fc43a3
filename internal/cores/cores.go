// Package cores counts the cores of this process, and gives Go more processors than cores while calls are in C.
package cores

import (
	"os"
	"runtime"
	"sync"
)

// spare is how many processors of Go are spare, for the process, because GOMAXPROCS belongs to the process.
var spare struct {
	sync.Mutex
	processors int
	follows    int // GOMAXPROCS before the spare ones, if Go set it and follows the cgroup's quota; otherwise 0
}

// Count returns the number of cores that this process may use: GOMAXPROCS without the spare processors.
func Count() int {
	spare.Lock()
	defer spare.Unlock()
	return runtime.GOMAXPROCS(0) - spare.processors
}

// Spare raises GOMAXPROCS by the number of workers until restore is called, once. If workers is not positive, it adds
// Count. GOMAXPROCS in the environment takes precedence.
//
// Setting GOMAXPROCS ends Go's own updates of it, from the cgroup's quota and the affinity. The last restore begins
// them again, unless the program had set GOMAXPROCS before, or sets it in between.
//
// A worker that returns from a call of C may find that its processor runs another goroutine. Then it waits, and a core
// has nothing to do. In traces of two workers on two busy cores, they waited for a processor in 3 % of the time
// (1 to 16), and with spare ones in 0.7 % (0.1 to 5).
func Spare(workers int) (restore func()) {
	if os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	if workers <= 0 {
		workers = Count()
	}
	add(workers)
	return func() { add(-workers) }
}

// add changes the number of spare processors.
func add(n int) {
	spare.Lock()
	defer spare.Unlock()
	if spare.processors == 0 {
		spare.follows = followed()
	}
	spare.processors += n
	count := runtime.GOMAXPROCS(0) + n
	if spare.processors == 0 && count == spare.follows {
		runtime.SetDefaultGOMAXPROCS()
		return
	}
	runtime.GOMAXPROCS(count)
}

// followed returns GOMAXPROCS if it is Go's default, or 0 if the program has set another number.
func followed() int {
	before := runtime.GOMAXPROCS(0)
	runtime.SetDefaultGOMAXPROCS() // changes nothing, and does not stop the world, where the default holds
	if runtime.GOMAXPROCS(0) == before {
		return before
	}
	runtime.GOMAXPROCS(before)
	return 0
}
