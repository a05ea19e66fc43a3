package latetimers_test

import (
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"

	_ "github.com/spoolmedia/spool/cbridge/call/latetimers"
)

func Example() {
	slack := map[int]int{}
	var mutex sync.Mutex
	var all, done sync.WaitGroup
	const threads = 8
	all.Add(threads)
	for range threads {
		done.Go(func() {
			runtime.LockOSThread() // never unlocked: each goroutine has its own thread
			nanoseconds, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
			all.Done()
			all.Wait()
			mutex.Lock()
			defer mutex.Unlock()
			if err == nil {
				slack[nanoseconds]++
			}
		})
	}
	done.Wait()
	fmt.Println(slack)
	// Output: map[1000000:8]
}
