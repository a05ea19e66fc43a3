package onearena_test

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/spoolmedia/spool/cbridge/mem"
	_ "github.com/spoolmedia/spool/cbridge/mem/onearena"
)

// moreArenas counts the heaps beside the first one: glibc reserves an aligned 64 MiB for each.
func moreArenas() (n int) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return -1
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var first, last uint64
		var access string
		_, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &first, &last, &access)
		if err == nil && strings.HasPrefix(access, "rw") && first%(64<<20) == 0 && last-first < 64<<20 && !strings.Contains(lines.Text(), "[") && first>>40 == 0x7f {
			n++
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
			all.Wait() // no two of them on one thread
			if err == nil {
				mem.Free(mem.Scratch, p, 1000)
			}
		})
	}
	done.Wait()
	fmt.Println(moreArenas(), "more heaps")
	// Output: 0 more heaps
}
