package fake

/*
#cgo CFLAGS: -O1 -Wall -Wextra -Werror
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "control.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Settings configure the simulated driver. The zero value has one device and no failures.
type Settings struct {
	Devices  int   // 0 means 1, negative means none
	Memory   int64 // bytes of a device; 0 means 1 GiB
	Lockable int64 // bytes of host memory that can be registered; 0 means 1 GiB, negative means none

	DelayMicros int    // maximum random delay of each stream operation
	Seed        uint64 // of the delays

	FailCall int  // this call, counted from 1, fails with FailCode; 0 means none
	FailOp   int  // this stream operation fails: the device is lost with FailCode
	FailCode int  // 0 means 700, an illegal address
	Lost     bool // all calls after FailCall fail
	Broken   int  // the result of cuInit, if not 0
}

// Counters count calls and operations since Reset, and resources in use.
type Counters struct {
	Calls, Operations             int64
	ToDeviceCopies, ToDeviceBytes int64
	ToHostCopies, ToHostBytes     int64
	PageableBytes                 int64 // of these copies, from or to unregistered memory
	DeviceBytes, DevicePeak       int64 // in use now, and the maximum
	RegisteredBytes               int64
	Blocks, Streams, Events       int64
	Modules                       int64
	Launches                      int64 // of kernels
	Contexts                      int64
	Pushed                        int64 // contexts that are pushed on any thread
	Violations                    int64
	Violation                     string // the first violation
	FailedCall                    string // the name of call FailCall
}

// InUse returns the total of resources that must be released.
func (c Counters) InUse() int64 {
	return c.Blocks + c.RegisteredBytes + c.Streams + c.Events + c.Modules + c.Contexts + c.Pushed
}

// Driver is a loaded simulated driver.
type Driver struct {
	File    string // path of the library, to load as a driver
	library C.fake_library
}

// library builds the driver once and returns the file's content.
var library = sync.OnceValues(func() ([]byte, error) { return Compile("cbridge/cuda/fake/build.sh", "libcuda.so.1") })

// Compile runs a build script of the module to build a simulated library with a file name, and returns the file's
// content.
func Compile(script, name string) ([]byte, error) {
	dir, err := os.Getwd() // a test runs in its package's folder
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			err = errors.New("simulated libraries are built from the module's sources, which are not here")
		}
	}
	if err != nil {
		return nil, err
	}
	out, err := os.MkdirTemp("", "spool-fake")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	file := filepath.Join(out, name)
	if text, err := exec.CommandContext(context.Background(), filepath.Join(dir, script),
		file).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	return os.ReadFile(file)
}

// New creates a driver for a test. At the test's end it fails the test if resources are in use or a violation was
// recorded.
func New(t testing.TB, s Settings) *Driver {
	t.Helper()
	d := Start(t, s)
	t.Cleanup(func() { d.Check(t) })
	return d
}

// Start is New without the check at the end. It skips the test if SPOOL_TEST_CUDA=real, which makes tests run on the
// machine's device.
func Start(t testing.TB, s Settings) *Driver {
	t.Helper()
	if os.Getenv("SPOOL_TEST_CUDA") == "real" {
		t.Skip("needs the simulated driver")
	}
	d, err := Load(t.TempDir())
	if err != nil {
		t.Fatal("no simulated CUDA driver: ", err)
	}
	d.Reset(t, s)
	return d
}

// Load writes a driver to a folder, where the file must stay, and loads it.
func Load(folder string) (*Driver, error) {
	bytes, err := library()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(folder, "libcuda.so.1")
	if err := os.WriteFile(file, bytes, 0o600); err != nil {
		return nil, err
	}
	return Open(file)
}

// Check fails the test if resources are in use or a violation was recorded.
func (d *Driver) Check(t testing.TB) {
	t.Helper()
	c := d.Counters()
	if c.Violations > 0 {
		t.Errorf("the simulated driver saw %d violations, the first: %s", c.Violations, c.Violation)
	}
	if c.InUse() > 0 {
		t.Errorf("resources of the simulated driver are still in use: %+v", c)
	}
}

// Reset sets counters to zero and applies settings. It fails the test if resources are in use.
func (d *Driver) Reset(t testing.TB, s Settings) {
	t.Helper()
	or := func(n, instead int64) C.int64_t {
		if n == 0 {
			return C.int64_t(instead)
		}
		return C.int64_t(max(n, 0))
	}
	set := C.fake_settings{devices: C.int32_t(or(int64(s.Devices), 1)), memory: or(s.Memory, 1<<30),
		lockable: or(s.Lockable, 1<<30),
		delay_us: C.int64_t(s.DelayMicros), seed: C.uint64_t(s.Seed), fail_call: C.int64_t(s.FailCall),
		fail_op:   C.int64_t(s.FailOp),
		fail_code: C.int32_t(or(int64(s.FailCode), 700)), broken: C.int32_t(s.Broken)}
	if s.Lost {
		set.lost = 1
	}
	if C.fake_call_reset(&d.library, &set) != 0 {
		t.Fatalf("resources of the simulated driver are still in use: %+v", d.Counters())
	}
}

// Counters returns the driver's counters.
func (d *Driver) Counters() Counters {
	var c C.fake_counters
	C.fake_call_count(&d.library, &c)
	return Counters{Calls: int64(c.calls), Operations: int64(c.operations),
		ToDeviceCopies: int64(c.to_device_copies), ToDeviceBytes: int64(c.to_device_bytes),
		ToHostCopies: int64(c.to_host_copies), ToHostBytes: int64(c.to_host_bytes), PageableBytes: int64(c.pageable_bytes),
		DeviceBytes: int64(c.device_bytes), DevicePeak: int64(c.device_peak), RegisteredBytes: int64(c.registered_bytes),
		Blocks: int64(c.blocks), Streams: int64(c.streams), Events: int64(c.events), Modules: int64(c.modules),
		Launches: int64(c.launches), Contexts: int64(c.contexts),
		Pushed: int64(c.pushed), Violations: int64(c.violations), Violation: C.GoString(&c.violation[0]),
		FailedCall: C.GoString(&c.failed_call[0])}
}

// Hold pauses a stream until Go. 0 pauses all streams.
func (d *Driver) Hold(stream uintptr) { C.fake_call_hold(&d.library, C.uintptr_t(stream)) }

// Go resumes all streams.
func (d *Driver) Go() { C.fake_call_go(&d.library) }

// Current returns the context that is current on the calling thread, or 0. The goroutine must be locked to its thread.
func (d *Driver) Current() uintptr { return uintptr(C.fake_call_current(&d.library)) }

// Push makes a device's context current on the calling thread until Pop, as another library could.
func (d *Driver) Push(device int) { C.fake_call_push(&d.library, C.int(device)) }

// Pop reverts Push.
func (d *Driver) Pop() { C.fake_call_pop(&d.library) }
