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

// Settings are the properties that the library pretends to have. The zero value has no JPEG engine and no failures.
type Settings struct {
	Hardware bool   // the device has a JPEG engine
	Version  [3]int // 0.0.0 means 12.4.0

	FailCall   int // this call fails with FailStatus, counted from 1; 0: none
	FailStatus int // 0 means 6, execution failed
}

// Counters are the events since Reset, and the objects in use now.
type Counters struct {
	Calls, Batches, Images   int64
	Handles, States, Headers int64 // in use
	Violations               int64
	Violation                string // the first violation
	FailedCall               string // the name of the call that FailCall made fail
}

// InUse returns the number of objects that have not been destroyed.
func (c Counters) InUse() int64 { return c.Handles + c.States + c.Headers }

// Library is a loaded simulated nvJPEG.
type Library struct {
	File    string // for nvjpeg.Load
	driver  *fake.Driver
	library C.fake_nvjpeg_library
}

// compiled returns the bytes of the shared library.
var compiled = sync.OnceValues(func() ([]byte, error) {
	return fake.Compile("cbridge/nvjpeg/fake/build.sh", "libnvjpeg.so.12")
})

// New returns a new library for a test, on top of a simulated driver. When the test ends, it fails if an object is in
// use or a violation was recorded.
func New(t testing.TB, driver *fake.Driver, s Settings) *Library {
	t.Helper()
	l, err := Load(t.TempDir(), driver)
	if err != nil {
		t.Fatal("no fake nvJPEG: ", err)
	}
	l.Reset(t, s)
	t.Cleanup(func() { l.Check(t) })
	return l
}

// Load writes a library to a folder, where it must stay, and loads it.
func Load(folder string, driver *fake.Driver) (*Library, error) {
	bytes, err := compiled()
	if err != nil {
		return nil, err
	}
	l := &Library{File: filepath.Join(folder, "libnvjpeg.so.12"), driver: driver}
	if err := os.WriteFile(l.File, bytes, 0o600); err != nil {
		return nil, err
	}
	name := C.CString(l.File)
	defer C.free(unsafe.Pointer(name))
	if C.fake_nvjpeg_load(&l.library, name) != 0 {
		return nil, errors.New("it cannot be loaded")
	}
	return l, nil
}

// Check fails the test if an object is in use or a violation was recorded.
func (l *Library) Check(t testing.TB) {
	t.Helper()
	c := l.Counters()
	if c.Violations > 0 {
		t.Errorf("the fake nvJPEG saw %d violations, the first: %s", c.Violations, c.Violation)
	}
	if c.InUse() > 0 {
		t.Errorf("still in use in the fake nvJPEG: %+v", c)
	}
}

// Reset sets the settings and clears the counters. It fails the test if an object is in use.
func (l *Library) Reset(t testing.TB, s Settings) {
	t.Helper()
	if s.Version == [3]int{} {
		s.Version = [3]int{12, 4, 0}
	}
	if s.FailStatus == 0 {
		s.FailStatus = 6
	}
	driver := C.CString(l.driver.File)
	defer C.free(unsafe.Pointer(driver))
	set := (*C.fake_nvjpeg_settings)(C.calloc(1, C.sizeof_fake_nvjpeg_settings)) // in C memory because it holds a pointer
	defer C.free(unsafe.Pointer(set))
	*set = C.fake_nvjpeg_settings{driver: driver, fail_call: C.int64_t(s.FailCall), fail_status: C.int32_t(s.FailStatus)}
	for i, v := range s.Version {
		set.version[i] = C.int32_t(v)
	}
	if s.Hardware {
		set.hardware = 1
	}
	if C.fake_nvjpeg_call_reset(&l.library, set) != 0 {
		t.Fatalf("the fake nvJPEG is still in use, or its driver is not a fake one: %+v", l.Counters())
	}
}

// Counters returns the library's counters.
func (l *Library) Counters() Counters {
	var c C.fake_nvjpeg_counters
	C.fake_nvjpeg_call_count(&l.library, &c)
	return Counters{Calls: int64(c.calls), Batches: int64(c.batches), Images: int64(c.images),
		Handles: int64(c.handles),
		States:  int64(c.states), Headers: int64(c.headers), Violations: int64(c.violations),
		Violation: C.GoString(&c.violation[0]), FailedCall: C.GoString(&c.failed_call[0])}
}
