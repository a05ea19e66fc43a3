package fuzzed

import (
	"bytes"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Variable is the environment variable that names the file. The file holds 4096 bytes, with numbers in the machine's
// byte order: 8 bytes for the number of accepted inputs, 56 unused ones, and 63 places of 64 bytes for a reason, filled
// up with zeros, and its number.
const Variable = "SPOOL_FUZZ_ACCEPTED"

const (
	fileSize = 4096
	place    = 64
	longest  = place - 8 // a reason
)

// counts are the numbers in a file that all processes of a target share. They outlive them.
type counts struct {
	file    *os.File
	memory  []byte
	mu      sync.Mutex // of reasons
	reasons map[string]*atomic.Int64
}

var open = sync.OnceValue(func() *counts {
	c := &counts{memory: make([]byte, fileSize), reasons: map[string]*atomic.Int64{}}
	if path := os.Getenv(Variable); path != "" {
		if err := c.share(path); err != nil {
			panic(err) // else a count of 0 would be taken for a result
		}
	}
	return c
})

// Accept counts one input.
func Accept() { open().number(0).Add(1) }

// Disagree counts one input of which a target's oracle has another result than the code under test, for a reason that
// is known. A difference without such a reason fails the target. The reason is a constant of at most 56 bytes.
func Disagree(reason string) {
	if reason == "" || len(reason) > longest {
		panic("fuzzed: a reason has 1 to 56 bytes: " + reason)
	}
	c := open()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reasons[reason] == nil {
		c.reasons[reason] = c.find(reason)
	}
	c.reasons[reason].Add(1)
}

// share maps the file.
func (c *counts) share(path string) (err error) {
	if c.file, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		return err
	}
	c.memory, err = syscall.Mmap(int(c.file.Fd()), 0, fileSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return &os.PathError{Op: "mmap", Path: path, Err: err}
	}
	return nil
}

// number is the number at an offset.
func (c *counts) number(at int) *atomic.Int64 { return (*atomic.Int64)(unsafe.Pointer(&c.memory[at])) }

// find returns the number of a reason, in a place that it takes if no process has. Meanwhile the file is locked.
func (c *counts) find(reason string) *atomic.Int64 {
	if c.file != nil {
		fd := int(c.file.Fd())
		if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
			panic(err)
		}
		defer func() { _ = syscall.Flock(fd, syscall.LOCK_UN) }()
	}
	for at := place; at < fileSize; at += place {
		name := c.memory[at : at+longest]
		if name[0] == 0 {
			copy(name, reason)
		}
		if string(bytes.TrimRight(name, "\x00")) == reason {
			return c.number(at + longest)
		}
	}
	panic("fuzzed: too many reasons")
}
