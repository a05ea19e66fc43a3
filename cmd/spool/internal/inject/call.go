package inject

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// Call is a system call that a thread of the command is about to make.
type Call struct {
	Name   string // as "openat"
	Path   string // the file that it opens or renames, or that its descriptor refers to; empty if there is none
	Origin Origin
	Args   [6]uint64

	thread int
}

// Origin is the code that makes a call.
type Origin int

const (
	Library Origin = iota // a shared library, the C library included
	Program               // the command itself, including Go's runtime
	Linker                // the dynamic linker
)

// Process returns the id of the process that makes the call.
func (c *Call) Process() int {
	id, err := field(fmt.Sprintf("/proc/%d/status", c.thread), "Tgid:")
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(id) // the kernel wrote it
	return n
}

// Outcome is a test's decision on a call. The zero value lets it go on.
type Outcome struct {
	Err   syscall.Errno // the call fails with it
	Short int           // read, pread64, write and pwrite64 of a file transfer at most this number of bytes
	Clock time.Time     // the time that clock_gettime returns
}

// regular reports whether the call concerns a file: a read of a socket may wait, and all calls with it.
func (c *Call) regular() bool { return strings.HasPrefix(c.Path, "/") }

// field returns the value of a line in a file of /proc.
func field(file, name string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimSpace(rest), nil
		}
	}
	return "", errors.New(file + " has no " + name)
}

// pathArguments are the arguments that hold the address of a path.
var pathArguments = map[string]int{"open": 0, "openat": 1, "rename": 1, "renameat": 3, "renameat2": 3, "mkdirat": 1,
	"unlinkat": 1, "execve": 0}

// noFile are the calls that concern no file.
var noFile = []string{"memfd_create", "socketpair", "socket", clockCall}

// describe sets the path and the origin of a call.
func (c *Call) describe(maps *mappings, pointer uint64) {
	c.Origin = maps.origin(c.thread, pointer)
	if at, ok := pathArguments[c.Name]; ok {
		c.Path = c.text(c.Args[at])
		return
	}
	if slices.Contains(noFile, c.Name) {
		return
	}
	descriptor := c.Args[0]
	if c.Name == "mmap" {
		if c.Args[3]&unix.MAP_ANONYMOUS != 0 {
			return
		}
		descriptor = c.Args[4]
	}
	c.Path, _ = os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", c.thread, int32(descriptor))) // closed: no path
}

// text returns a string in the memory of the thread.
func (c *Call) text(address uint64) string {
	const longest = 4096
	all := make([]byte, 0, longest)
	for len(all) < longest { // page by page: the next page may not exist
		part := make([]byte, 4096-address%4096)
		n, err := unix.ProcessVMReadv(c.thread, iovec(part), remote(address, len(part)), 0)
		if err != nil {
			break
		}
		if end := bytes.IndexByte(part[:n], 0); end >= 0 {
			return string(append(all, part[:end]...))
		}
		all, address = append(all, part[:n]...), address+uint64(n)
	}
	return string(all)
}

func iovec(p []byte) []unix.Iovec {
	v := []unix.Iovec{{Base: &p[0]}}
	v[0].SetLen(len(p))
	return v
}

func remote(address uint64, n int) []unix.RemoteIovec {
	return []unix.RemoteIovec{{Base: uintptr(address), Len: n}}
}

// short makes the call with fewer bytes in place of the thread, and returns its result.
func (c *Call) short(most int) (n int, err error) {
	process, err := unix.PidfdOpen(c.Process(), 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = unix.Close(process) }()
	file, err := unix.PidfdGetfd(process, int(int32(c.Args[0])), 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = unix.Close(file) }()
	p := make([]byte, max(1, min(most, int(c.Args[2]))))
	switch c.Name {
	case "read":
		n, err = unix.Read(file, p)
	case "pread64":
		n, err = unix.Pread(file, p, int64(c.Args[3]))
	case "write", "pwrite64":
		if _, err = unix.ProcessVMReadv(c.thread, iovec(p), remote(c.Args[1], len(p)), 0); err != nil {
			return 0, err
		}
		if c.Name == "write" {
			return unix.Write(file, p)
		}
		return unix.Pwrite(file, p, int64(c.Args[3]))
	default:
		return 0, errors.New(c.Name + " has no short form")
	}
	if err == nil && n > 0 {
		_, err = unix.ProcessVMWritev(c.thread, iovec(p[:n]), remote(c.Args[1], n), 0)
	}
	return n, err
}

// clockCall is announced for the wall clock only: see install.
const clockCall = "clock_gettime"

// show writes a time to the memory of the thread that asks for it.
func (c *Call) show(now time.Time) error {
	t := unix.NsecToTimespec(now.UnixNano())
	p := unsafe.Slice((*byte)(unsafe.Pointer(&t)), unsafe.Sizeof(t))
	_, err := unix.ProcessVMWritev(c.thread, iovec(p), remote(c.Args[1], len(p)), 0)
	return err
}

// numbers returns the system calls of these names that the machine has.
func numbers(names []string) (map[int]string, error) {
	machine, err := arch.GetInfo("")
	if err != nil {
		return nil, err
	}
	known := map[int]string{}
	for _, name := range names {
		if n, ok := machine.SyscallNames[name]; ok {
			known[n] = name
		}
	}
	return known, nil
}
