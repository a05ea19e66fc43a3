package transfer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/transfer"
)

const nowhere = "/nowhere/libcuda.so.1"

func TestDevices(t *testing.T) {
	needsFake(t)
	f := fake.New(t, fake.Settings{Devices: 2, Memory: 1 << 20})
	version, list, err := transfer.Devices(transfer.DeviceOptions{Driver: f.File})
	require.NoError(t, err)
	assert.Equal(t, "12.4", version)
	require.Len(t, list, 2)
	assert.Equal(t, transfer.DeviceInfo{Name: "cuda:1", Model: "Fake Device 1", Bytes: 1 << 20, Capability: "8.6",
		Bus: "fa4e:01:00.0"}, list[1])

	d, err := transfer.Open("cuda:1", transfer.DeviceOptions{Driver: f.File})
	require.NoError(t, err)
	assert.Equal(t, list[1], d.Info())
	assert.Equal(t, "cuda:1", d.Name())
	free, total, err := d.Memory()
	require.NoError(t, err)
	assert.Equal(t, [2]int64{1 << 20, 1 << 20}, [2]int64{free, total})
	require.NoError(t, d.Close())

	_, _, err = transfer.Devices(transfer.DeviceOptions{Driver: nowhere})
	require.ErrorIs(t, err, spool.ErrDevice)
}

func TestDevicesThatAreNone(t *testing.T) {
	needsFake(t)
	f := fake.New(t, fake.Settings{})
	for _, c := range []struct{ name, driver, text string }{
		{"cuda:0", nowhere, "load cuda:0: device: dlopen: /nowhere/libcuda.so.1: cannot open shared object file: No such " +
			"file or directory (libcuda)"},
		{"cuda:1", f.File, "open cuda:1: device: no device 1: there are 1"},
	} {
		_, err := transfer.Open(c.name, transfer.DeviceOptions{Driver: c.driver})
		require.ErrorIs(t, err, spool.ErrDevice)
		assert.EqualError(t, err, c.text)
	}
	for _, name := range []string{"", "gpu", "cuda:", "cuda:x", "cuda:-1", "host:0", "cuda0"} {
		_, err := transfer.Open(name, transfer.DeviceOptions{Driver: f.File})
		require.ErrorIs(t, err, spool.ErrOptions, "%q", name)
	}
	none := fake.New(t, fake.Settings{Devices: -1})
	_, err := transfer.Open("cuda:0", transfer.DeviceOptions{Driver: none.File})
	assert.ErrorContains(t, err, "CUDA_ERROR_NO_DEVICE")
}

// Memory is locked as well as possible, and Stats reports how.
func TestPinnedMemory(t *testing.T) {
	needsFake(t)
	const n = 1 << 16
	for _, c := range []struct {
		name, device string
		settings     fake.Settings
		driver       bool
		registered   bool
		why          string
	}{
		{"a device", "cuda:0", fake.Settings{}, true, true, ""},
		{"for programs of their own", "pinned", fake.Settings{}, true, true, ""},
		{"a driver that refuses", "cuda:0", fake.Settings{Lockable: -1}, true, false, "register cuda:0"},
		{"no driver", "pinned", fake.Settings{}, false, false, "cannot open shared object file"},
		{"no device", "pinned", fake.Settings{Devices: -1}, true, false, "CUDA_ERROR_NO_DEVICE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, file := fake.New(t, c.settings), nowhere
			if c.driver {
				file = f.File
			}
			d, err := transfer.Open(c.device, transfer.DeviceOptions{Driver: file})
			require.NoError(t, err)
			p := transfer.NewPinnedMemory(d)
			memory, err := p.Alloc(n)
			require.NoError(t, err)
			memory[0], memory[n-1] = 1, 2
			s := p.Stats()
			assert.EqualValues(t, n, s.Registered+s.Locked+s.Plain)
			if c.registered {
				require.NoError(t, s.Why)
				assert.EqualValues(t, n, f.Counters().RegisteredBytes)
				require.ErrorIs(t, d.Close(), spool.ErrLeaked)
			} else {
				assert.Zero(t, s.Registered)
				assert.ErrorContains(t, s.Why, c.why)
			}
			require.NoError(t, p.Free(memory))
			require.ErrorIs(t, p.Free(make([]byte, 10)), spool.ErrInternal)
			s = p.Stats()
			assert.Zero(t, s.Registered+s.Locked+s.Plain)
			require.NoError(t, d.Close())
		})
	}
	host, err := transfer.Open("host", transfer.DeviceOptions{})
	require.NoError(t, err)
	p := transfer.NewPinnedMemory(host)
	memory, err := p.Alloc(n)
	require.NoError(t, err)
	assert.Equal(t, transfer.PinnedStats{Plain: n}, p.Stats())
	require.NoError(t, p.Free(memory))
	_, _, err = host.Memory()
	require.ErrorIs(t, err, spool.ErrOptions)
	require.NoError(t, host.Close())
}
