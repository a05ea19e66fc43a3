package helper

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// socket is this process's end. A goroutine that waits for it takes no thread.
type socket struct {
	file *os.File
	raw  syscall.RawConn
}

func newSocket(fd int) (socket, error) {
	err := unix.SetNonblock(fd, true)
	s := socket{file: os.NewFile(uintptr(fd), "socket to a helper")}
	if err == nil {
		s.raw, err = s.file.SyscallConn()
	}
	if err != nil {
		return socket{}, errors.Join(err, s.file.Close())
	}
	return s, nil
}

func (s socket) Read(p []byte) (int, error) { return s.file.Read(p) }

// Write writes all of p. If the helper has ended, it fails and sends no signal, which would end a program that is not
// written in Go.
func (s socket) Write(p []byte) (done int, err error) {
	for done < len(p) && err == nil {
		n := 0
		failed := s.raw.Write(func(fd uintptr) bool {
			n, err = unix.SendmsgN(int(fd), p[done:], nil, nil, unix.MSG_NOSIGNAL)
			return !errors.Is(err, unix.EAGAIN)
		})
		if err = errors.Join(err, failed); errors.Is(err, unix.EINTR) {
			n, err = 0, nil
		}
		done += max(n, 0)
	}
	return done, err
}

func (s socket) Close() error { return s.file.Close() }
