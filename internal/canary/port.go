package canary

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
)

// Port is a UDP port of this machine at which nothing must listen.
type Port struct {
	Number int

	t testing.TB
}

// NewPort finds an even port, as RTP needs it, that is free together with the next one.
func NewPort(t testing.TB) *Port {
	t.Helper()
	for range 1000 {
		socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		check(t, err)
		p := &Port{socket.LocalAddr().(*net.UDPAddr).Port, t}
		check(t, socket.Close())
		next := Port{p.Number + 1, t}
		if p.Number%2 == 0 && !p.Bound() && !next.Bound() {
			return p
		}
	}
	t.Fatal("no free ports")
	return nil
}

// Bound reports whether a socket listens at the port now.
func (p *Port) Bound() bool {
	p.t.Helper()
	for _, table := range []string{"/proc/net/udp", "/proc/net/udp6"} {
		sockets, err := os.ReadFile(table)
		if os.IsNotExist(err) { // a system without IPv6
			continue
		}
		check(p.t, err)
		if strings.Contains(string(sockets), fmt.Sprintf(":%04X ", p.Number)) {
			return true
		}
	}
	return false
}
