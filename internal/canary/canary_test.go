package canary_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/canary"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestCanary(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "file"), filepath.Join(folder, "link")
	require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
	require.NoError(t, os.Link(path, link))
	c := canary.New(t, path)
	assert.False(t, c.Opened())
	assert.False(t, c.Asked())
	for _, name := range []string{path, link} {
		_, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.True(t, c.Opened())
		assert.False(t, c.Opened())
	}
	for range 2 {
		connection, err := net.Dial("tcp", c.Address)
		require.NoError(t, err)
		require.NoError(t, connection.Close())
	}
	assert.True(t, c.Asked())
	assert.False(t, c.Asked())
}

func TestPort(t *testing.T) {
	p := canary.NewPort(t)
	assert.False(t, p.Bound())
	for network, address := range map[string]net.IP{"udp4": net.IPv4(127, 0, 0, 1), "udp6": net.IPv6loopback} {
		socket, err := net.ListenUDP(network, &net.UDPAddr{IP: address, Port: p.Number})
		if err != nil && network == "udp6" {
			continue // a system without IPv6
		}
		require.NoError(t, err)
		assert.True(t, p.Bound(), network)
		require.NoError(t, socket.Close())
		assert.False(t, p.Bound(), network)
	}
}
