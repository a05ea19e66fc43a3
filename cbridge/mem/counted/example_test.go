//go:build !asan

package counted_test

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/mem"
	_ "github.com/spoolmedia/spool/cbridge/mem/counted"
)

// limited runs work with 8 GiB of address space besides what the process has.
func limited(work func()) error {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &before); err != nil {
		return err
	}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	var pages uint64
	if _, err := fmt.Sscan(string(statm), &pages); err != nil {
		return err
	}
	limit := unix.Rlimit{Cur: min(pages*uint64(os.Getpagesize())+8<<30, before.Max), Max: before.Max}
	if err := unix.Setrlimit(unix.RLIMIT_AS, &limit); err != nil {
		return err
	}
	work()
	return unix.Setrlimit(unix.RLIMIT_AS, &before)
}

func Example() {
	err := limited(func() {
		before := mem.Failures()
		_, err := mem.Alloc(mem.Scratch, 64<<30)
		fmt.Println(errors.Is(err, spool.ErrOutOfMemory), mem.Failures()-before)
	})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(mem.FailuresCount())
	// Output:
	// true 1
	// true
}
