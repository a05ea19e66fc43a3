package inject

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Allocator counts the allocations of a command in C, and makes one fail.
type Allocator struct {
	library, file string
	counts        *counts
}

// counts is what the library and the test share: see testdata/malloc.c.
type counts struct {
	From, Fail, Lasting uint64
	Made, Failed        uint64
	Where               [4000]byte
}

// NewAllocator builds the library with a C compiler, in a folder for temporary files. source is that of
// testdata/malloc.c.
func NewAllocator(compiler, source, folder string) (*Allocator, error) {
	a := &Allocator{library: filepath.Join(folder, "malloc.so"), file: filepath.Join(folder, "counts")}
	err := build(compiler, source, a.library, "-fno-optimize-sibling-calls", "-fno-omit-frame-pointer",
		"-Wno-frame-address", fmt.Sprintf("-DCOUNTS=%q", a.file))
	if err != nil {
		return nil, err
	}
	file, err := os.Create(a.file)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	size := int(unsafe.Sizeof(counts{}))
	if err := file.Truncate(int64(size)); err != nil {
		return nil, err
	}
	memory, err := unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	a.counts = (*counts)(unsafe.Pointer(&memory[0]))
	return a, nil
}

// Environment has a command use the library.
func (a *Allocator) Environment() []string {
	return []string{"LD_PRELOAD=" + a.library}
}

// Fail makes allocation n of the program's own code or of its libraries fail in the next command, and all later ones
// if it is lasting. 0 only counts.
func (a *Allocator) Fail(n int, libraries, lasting bool) {
	*a.counts = counts{Fail: uint64(n)}
	if libraries {
		a.counts.From = 1
	}
	if lasting {
		a.counts.Lasting = 1
	}
}

// Failed returns how many allocations have failed since Fail, and the code that made the first of them.
func (a *Allocator) Failed() (n int, where string) {
	where, _, _ = strings.Cut(string(a.counts.Where[:]), "\x00")
	return int(a.counts.Failed), where
}

// Made returns how many allocations counted since Fail.
func (a *Allocator) Made() int { return int(a.counts.Made) }
