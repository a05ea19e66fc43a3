package cuda

/*
#cgo CFLAGS: -O3 -Wall -Wextra -Werror
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Driver is a loaded and initialized driver. It needs no Close: an initialized driver stays loaded until the process
// ends.
type Driver struct {
	entries C.spool_cuda
	version int
	devices int
}

// Load loads the driver from a file that dlopen finds. "" means libcuda.so.1, the system's driver. Load fails if there
// is no driver, if it is older than CUDA 11, or if it does not start, as on a machine without a device.
func Load(file string) (*Driver, error) {
	if file == "" {
		file = "libcuda.so.1"
	}
	if strings.ContainsRune(file, 0) {
		return nil, fmt.Errorf("%w: cuda: driver %q", spool.ErrOptions, file)
	}
	name := C.CString(file)
	defer C.free(unsafe.Pointer(name))
	var d Driver
	var f C.spool_cuda_failure
	if C.spool_cuda_load(&d.entries, name, &f) != 0 {
		return nil, failure("load", &f)
	}
	var version, devices C.int
	if C.spool_cuda_init(&d.entries, &version, &devices, &f) != C.CUDA_SUCCESS {
		return nil, failure("load", &f)
	}
	d.version, d.devices = int(version), int(devices)
	return &d, nil
}

// Version returns the newest CUDA version that the driver supports, such as "12.4".
func (d *Driver) Version() string { return fmt.Sprintf("%d.%d", d.version/1000, d.version%1000/10) }

// Devices returns the number of devices.
func (d *Driver) Devices() int { return d.devices }

// Device has the properties of a device. Reading them does not initialize the device.
type Device struct {
	Name  string
	Bus   string // PCI address, such as "0000:01:00.0"
	Bytes int64  // of memory
	Major int    // compute capability
	Minor int

	Bandwidth int64 // of its memory, in bytes per second, from its clock and width; 0 if unknown
}

// Device returns the properties of device n.
func (d *Driver) Device(n int) (Device, error) {
	if err := d.check(n); err != nil {
		return Device{}, err
	}
	var out C.spool_cuda_device
	var f C.spool_cuda_failure
	if C.spool_cuda_describe(&d.entries, C.int(n), &out, &f) != C.CUDA_SUCCESS {
		return Device{}, failure("describe", &f)
	}
	return Device{Name: C.GoString(&out.name[0]), Bus: strings.ToLower(C.GoString(&out.bus[0])), Bytes: int64(out.bytes),
		Major: int(out.major), Minor: int(out.minor),
		Bandwidth: 2 * 1000 * int64(out.memory_khz) * int64(out.memory_bits) / 8}, nil
}

func (d *Driver) check(n int) error {
	if n >= 0 && n < d.devices {
		return nil
	}
	return &spool.Error{Op: "open", Class: spool.ErrDevice, Text: fmt.Sprintf("no device %d: there are %d", n, d.devices)}
}
