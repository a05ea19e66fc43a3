package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/internal/checkup"
)

// Doctor finds the system's driver.
func TestDoctorFindsDevices(t *testing.T) {
	f, err := fake.Load(t.TempDir())
	require.NoError(t, err)
	c := process(t, "doctor", "--json")
	c.Env = append(c.Env, "LD_LIBRARY_PATH="+filepath.Dir(f.File))
	out, err := c.Output()
	require.NoError(t, err)
	var found checkup.Checkup
	require.NoError(t, json.Unmarshal(out, &found))
	want := checkup.Devices{CUDA: "12.4",
		List: []checkup.Device{{Name: "cuda:0", Model: "Fake Device 0", MemoryBytes: 1 << 30, Capability: "8.6",
			Bus: "fa4e:00:00.0"}}}
	assert.Equal(t, want, found.Devices)

	var lines strings.Builder
	deviceRows(&lines, want)
	assert.Equal(t, "cuda:0\tFake Device 0, 1073741824 (1024 MiB), compute capability 8.6, driver for CUDA 12.4\n",
		lines.String())
}

// Doctor reports why there are no devices.
func TestDoctorWithoutDevices(t *testing.T) {
	var lines strings.Builder
	deviceRows(&lines, checkup.Devices{Why: "no driver"})
	assert.Equal(t, "devices\tnone: no driver\n", lines.String())
	lines.Reset()
	decoderRow(&lines, "nvJPEG", checkup.DeviceDecoder{Version: "12.4.0"})
	decoderRow(&lines, "NVDEC", checkup.DeviceDecoder{})
	decoderRow(&lines, "NVDEC", checkup.DeviceDecoder{Why: "no library"})
	assert.Equal(t, "nvJPEG\t12.4.0\nNVDEC\tfound\nNVDEC\tnone: no library\n", lines.String())
}
