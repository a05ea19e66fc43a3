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

// Settings are what the library pretends. The zero value has no JPEG engine and no failures.
type Settings struct {
	Hardware bool   // the device has a JPEG engine
	Version  [3]int // 0.0.0 means 12.4.0

	FailCall   int // this call fails with FailStatus, counted from 1; 0 is none
	FailStatus int // 0 means 6, execution failed
}

// Counters are what has come to pass since Reset, and what is in use now.
type Counters struct {
	Calls, Batches, Pictures int64
	Handles, States, Headers int64 // in use
	Violations               int64
	Violation                string // the first one
	FailedCall               string // which one FailCall was
}

// InUse is how much is in use of everything that has to be ended.
func (c Counters) InUse() int64 { return c.Handles + c.States + c.Headers }

// Library is a fake nvJPEG that was loaded.
type Library struct {
	File    string // to be loaded as nvJPEG
	driver  *fake.Driver
	library C.fake_nvjpeg_library
}

// compiled is the library's file.
var compiled = sync.OnceValues(func() ([]byte, error) { return fake.Compile("cbridge/nvjpeg/fake/build.sh", "libnvjpeg.so.12") })

// New gives a test a library of its own, over a fake driver. At the test's end nothing may be in use, and no
// violation may have been seen.
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

// Load makes a library in a folder, where it has to stay, and loads it.
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

// Check fails the test if something is in use, or a violation was seen.
func (l *Library) Check(t testing.TB) {
	t.Helper()
	c := l.Counters()
	if c.Violations > 0 {
		t.Errorf("the fake nvJPEG saw %d violations, the first: %s", c.Violations, c.Violation)
	}
	if c.InUse() > 0 {
		t.Errorf("in use of the fake nvJPEG still: %+v", c)
	}
}

// Reset starts anew. It fails the test while something is in use.
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
	set := (*C.fake_nvjpeg_settings)(C.calloc(1, C.sizeof_fake_nvjpeg_settings)) // it has a pointer in it
	defer C.free(unsafe.Pointer(set))
	*set = C.fake_nvjpeg_settings{driver: driver, fail_call: C.int64_t(s.FailCall), fail_status: C.int32_t(s.FailStatus)}
	for i, v := range s.Version {
		set.version[i] = C.int32_t(v)
	}
	if s.Hardware {
		set.hardware = 1
	}
	if C.fake_nvjpeg_call_reset(&l.library, set) != 0 {
		t.Fatalf("the fake nvJPEG is in use still, or its driver is none: %+v", l.Counters())
	}
}

// Counters are what the library has counted.
func (l *Library) Counters() Counters {
	var c C.fake_nvjpeg_counters
	C.fake_nvjpeg_call_count(&l.library, &c)
	return Counters{Calls: int64(c.calls), Batches: int64(c.batches), Pictures: int64(c.pictures), Handles: int64(c.handles),
		States: int64(c.states), Headers: int64(c.headers), Violations: int64(c.violations),
		Violation: C.GoString(&c.violation[0]), FailedCall: C.GoString(&c.failed_call[0])}
}
