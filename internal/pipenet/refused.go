package pipenet

import (
	"fmt"
	"syscall"
	"testing"
)

// Refused returns an address that refuses connections. A socket that does not listen holds its port until the test
// ends: the port of a closed socket could be taken by another process.
func Refused(t testing.TB) string {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	address, _ := bound.(*syscall.SockaddrInet4)
	return fmt.Sprintf("127.0.0.1:%d", address.Port)
}
