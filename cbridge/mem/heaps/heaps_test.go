package heaps_test

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/spoolmedia/spool/cbridge/mem"
	_ "github.com/spoolmedia/spool/cbridge/mem/heaps"
)

// moreHeaps counts the heaps besides the first. For each, glibc reserves an aligned range of 64 MiB: the part in use
// is writable, and the rest has no access.
func moreHeaps() (n int) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return -1
	}
	defer maps.Close()
	const heap = 64 << 20
	var begin, end uint64 // of the previous mapping, if it can be the first part of a heap
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var first, last uint64
		var access string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &first, &last, &access); err != nil {
			return -1
		}
		if access == "---p" && end == first && last == begin+heap {
			n++
		}
		begin, end = 0, 0
		if access == "rw-p" && first%heap == 0 && first>>40 == 0x7f { // Go's heap has the same access, but other addresses
			begin, end = first, last
		}
	}
	return n
}

func Example() {
	const threads = 16
	var all, done sync.WaitGroup
	all.Add(threads)
	for range threads {
		done.Go(func() {
			runtime.LockOSThread()
			p, err := mem.Alloc(mem.Scratch, 1000)
			all.Done()
			all.Wait() // each on a different thread
			if err == nil {
				mem.Free(mem.Scratch, p, 1000)
			}
		})
	}
	done.Wait()
	fmt.Println("at most one for each processor, and four:", 1+moreHeaps() <= min(runtime.NumCPU(), 4))
	// Output: at most one for each processor, and four: true
}
