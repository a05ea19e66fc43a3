package fake

/*
#cgo CFLAGS: -O1 -Wall -Wextra -Werror
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "control.h"
*/
import "C"

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/cuda/fake"
)

// Settings configure the simulated NVDEC. The zero value decodes everything up to 8192x8192.
type Settings struct {
	Refuse   bool // rejects every codec
	Largest  int  // maximum width or height; 0 means 8192
	FailCall int  // this call, counted from 1, fails with an unknown error; 0 means none
}

// Counters count calls since Reset, and resources in use.
type Counters struct {
	Calls, Created, Frames, Mapped int64 // Created counts decoders
	Decoders, Surfaces             int64 // in use
	Most                           int64 // maximum of surfaces
	Violations                     int64
	Violation                      string // the first violation
	FailedCall                     string // the name of call FailCall
}

// Device is a simulated driver with NVDEC.
type Device struct {
	Driver  *fake.Driver
	library C.fake_nvcuvid_library
}

const build = "cbridge/av/fake/build.sh"

// loaded loads the libraries once for the process.
var loaded = sync.OnceValues(func() (*Device, error) {
	folder, err := os.MkdirTemp("", "spool-fake-nvdec")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder) // loaded libraries remain
	d := new(Device)
	for _, name := range []string{"libcuda.so.1", "libnvcuvid.so.1"} {
		bytes, err := fake.Compile(build, name)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, bytes, 0o600); err != nil {
			return nil, err
		}
		if name == "libcuda.so.1" {
			if d.Driver, err = fake.Open(file); err != nil {
				return nil, err
			}
			d.Driver.File = name // its name for later loads
			continue
		}
		text := C.CString(file)
		defer C.free(unsafe.Pointer(text))
		if C.fake_nvcuvid_load(&d.library, text) != 0 {
			return nil, errors.New("the simulated NVDEC cannot be loaded")
		}
	}
	return d, nil
})

// New resets the process's driver and NVDEC for a test. At the test's end it fails the test if resources are in use or
// a violation was recorded. Tests that use it MUST NOT run in parallel.
func New(t testing.TB, driver fake.Settings, s Settings) *Device {
	t.Helper()
	d, err := loaded()
	if err != nil {
		t.Fatal("no simulated NVDEC: ", err)
	}
	d.Reset(t, driver, s)
	t.Cleanup(func() { d.Check(t) })
	return d
}

// Check fails the test if resources are in use or a violation was recorded.
func (d *Device) Check(t testing.TB) {
	t.Helper()
	d.Driver.Check(t)
	c := d.Counters()
	if c.Violations > 0 {
		t.Errorf("the simulated NVDEC saw %d violations, the first: %s", c.Violations, c.Violation)
	}
	if c.Decoders+c.Surfaces > 0 {
		t.Errorf("resources of the simulated NVDEC are still in use: %+v", c)
	}
}

// Reset sets counters to zero and applies settings. It fails the test if resources are in use.
func (d *Device) Reset(t testing.TB, driver fake.Settings, s Settings) {
	t.Helper()
	d.Driver.Reset(t, driver)
	if s.Largest == 0 {
		s.Largest = 8192
	}
	set := C.fake_nvcuvid_settings{largest: C.int32_t(s.Largest), fail_call: C.int64_t(s.FailCall)}
	if s.Refuse {
		set.refuse = 1
	}
	if C.fake_nvcuvid_call_reset(&d.library, &set) != 0 {
		t.Fatalf("resources of the simulated NVDEC are still in use: %+v", d.Counters())
	}
}

// Counters returns NVDEC's counters.
func (d *Device) Counters() Counters {
	var c C.fake_nvcuvid_counters
	C.fake_nvcuvid_call_count(&d.library, &c)
	return Counters{Calls: int64(c.calls), Created: int64(c.created), Frames: int64(c.frames), Mapped: int64(c.mapped),
		Decoders: int64(c.decoders), Surfaces: int64(c.surfaces), Most: int64(c.most), Violations: int64(c.violations),
		Violation: C.GoString(&c.violation[0]), FailedCall: C.GoString(&c.failed_call[0])}
}
