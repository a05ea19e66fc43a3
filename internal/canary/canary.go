// Package canary shows whether a file or a server was touched, for tests of media that name files and servers.
package canary

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// Canary is a file that must not be opened, and a server that must not be asked.
type Canary struct {
	Path    string
	Address string // of the server

	t        testing.TB
	events   int // inotify
	listener *net.TCPListener
}

// New watches an existing file, by any of its names, and listens on a port of this machine, until the test ends.
func New(t testing.TB, path string) *Canary {
	t.Helper()
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	check(t, err)
	events, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	check(t, err)
	_, err = syscall.InotifyAddWatch(events, path, syscall.IN_OPEN)
	check(t, err)
	t.Cleanup(func() { check(t, errors.Join(syscall.Close(events), listener.Close())) })
	return &Canary{Path: path, Address: listener.Addr().String(), t: t, events: events, listener: listener}
}

// Opened reports whether the file was opened since the last call.
func (c *Canary) Opened() bool {
	c.t.Helper()
	n, err := syscall.Read(c.events, make([]byte, 4096))
	if !errors.Is(err, syscall.EAGAIN) {
		check(c.t, err)
	}
	return n > 0
}

// Asked reports whether a connection to the server was made since the last call.
func (c *Canary) Asked() bool {
	c.t.Helper()
	raw, err := c.listener.SyscallConn()
	check(c.t, err)
	asked := false
	check(c.t, raw.Control(func(file uintptr) {
		for {
			connection, _, err := syscall.Accept(int(file))
			if errors.Is(err, syscall.EAGAIN) {
				return
			}
			check(c.t, err)
			check(c.t, syscall.Close(connection))
			asked = true
		}
	}))
	return asked
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
