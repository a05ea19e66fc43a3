package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/transfer"
)

// Doctor finds the driver that the system has.
func TestDoctorFindsDevices(t *testing.T) {
	f, err := fake.Load(t.TempDir())
	require.NoError(t, err)
	c := process(t, "doctor", "--json")
	c.Env = append(c.Env, "LD_LIBRARY_PATH="+filepath.Dir(f.File))
	out, err := c.Output()
	require.NoError(t, err)
	var found checkup
	require.NoError(t, json.Unmarshal(out, &found))
	want := devices{CUDA: "12.4", List: []device{{"cuda:0", "Fake Device 0", 1 << 30, "8.6", "fa4e:00:00.0"}}}
	assert.Equal(t, want, found.Devices)

	var lines strings.Builder
	want.rows(&lines)
	assert.Equal(t, "cuda:0\tFake Device 0, 1073741824 (1024 MiB), compute capability 8.6, driver for CUDA 12.4\n", lines.String())
}

// And says why there are none.
func TestDoctorWithoutDevices(t *testing.T) {
	found := findDevices(transfer.DeviceOptions{Driver: "/nowhere/libcuda.so.1"})
	assert.Equal(t, devices{List: []device{}, Why: "dlopen: /nowhere/libcuda.so.1: cannot open shared object file: No such file or directory (libcuda)"}, found)
	none := fake.New(t, fake.Settings{Devices: -1})
	found = findDevices(transfer.DeviceOptions{Driver: none.File})
	assert.Contains(t, found.Why, "CUDA_ERROR_NO_DEVICE")
	var lines strings.Builder
	found.rows(&lines)
	assert.Equal(t, "devices\tnone: "+found.Why+"\n", lines.String())
}
