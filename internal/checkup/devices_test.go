package checkup

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	nvjpegfake "github.com/spoolmedia/spool/cbridge/nvjpeg/fake"
	"github.com/spoolmedia/spool/transfer"
)

// An empty list of devices comes with a reason.
func TestWithoutDevices(t *testing.T) {
	found := findDevices(transfer.DeviceOptions{Driver: "/nowhere/libcuda.so.1"})
	assert.Equal(t, Devices{List: []Device{},
		Why: "dlopen: /nowhere/libcuda.so.1: cannot open shared object file: No such file or directory (libcuda)"}, found)
	none := fake.New(t, fake.Settings{Devices: -1})
	assert.Contains(t, findDevices(transfer.DeviceOptions{Driver: none.File}).Why, "CUDA_ERROR_NO_DEVICE")
}

// A device decoder that can be loaded has a version, and any other the reason why it cannot be used.
func TestDeviceDecoders(t *testing.T) {
	found := findDecoders("/nowhere/libnvjpeg.so.12")
	assert.Equal(t, DeviceDecoder{Why: "dlopen: /nowhere/libnvjpeg.so.12: cannot open shared object file: No such file " +
		"or directory (libnvjpeg)"}, found.NvJPEG)
	l := nvjpegfake.New(t, fake.New(t, fake.Settings{}), nvjpegfake.Settings{})
	assert.Equal(t, DeviceDecoder{Version: "12.4.0"}, findDecoders(l.File).NvJPEG)
}
