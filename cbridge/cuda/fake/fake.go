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

// Settings are what the driver pretends. The zero value has one device and no failures.
type Settings struct {
	Devices  int   // 0 means 1, below 0 none
	Memory   int64 // bytes a device has; 0 means 1 GiB
	Lockable int64 // bytes of the host's memory that can be registered; 0 means 1 GiB, below 0 none

	DelayMicros int    // each operation of a stream takes up to this long, at random
	Seed        uint64 // of the delays

	FailCall int  // this call fails with FailCode, counted from 1; 0 is none
	FailOp   int  // this operation of a stream is not done: the device is lost, with FailCode
	FailCode int  // 0 means 700, an illegal address
	Lost     bool // after FailCall no call succeeds any more
	Broken   int  // what cuInit gives, if not 0
}

// Counters are what has come to pass since Reset, and what is in use now.
type Counters struct {
	Calls, Operations             int64
	ToDeviceCopies, ToDeviceBytes int64
	ToHostCopies, ToHostBytes     int64
	PageableBytes                 int64 // of these, from or to memory that is not registered
	DeviceBytes, DevicePeak       int64 // in use now, and the most there was
	RegisteredBytes               int64
	Blocks, Streams, Events       int64
	Modules                       int64
	Launches                      int64 // of kernels
	Contexts                      int64
	Pushed                        int64 // contexts that are current somewhere
	Violations                    int64
	Violation                     string // the first one
	FailedCall                    string // which one FailCall was
}

// InUse is how much is in use of everything that has to be ended.
func (c Counters) InUse() int64 {
	return c.Blocks + c.RegisteredBytes + c.Streams + c.Events + c.Modules + c.Contexts + c.Pushed
}

// Driver is a fake driver that was loaded.
type Driver struct {
	File    string // to be loaded as a driver
	library C.fake_library
}

// library is the compiled driver.
var library = sync.OnceValues(func() ([]byte, error) { return Compile("cbridge/cuda/fake/build.sh", "libcuda.so.1") })

// Compile has a script of the module's build a fake library of a name, and gives the file's bytes.
func Compile(script, name string) ([]byte, error) {
	dir, err := os.Getwd() // of a test: its package's
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			err = errors.New("fake libraries are built from the module's sources, which are not here")
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
	if text, err := exec.CommandContext(context.Background(), filepath.Join(dir, script), file).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	return os.ReadFile(file)
}

// New gives a test a driver of its own. At the test's end nothing may be in use, and no violation may have been seen.
func New(t testing.TB, s Settings) *Driver {
	t.Helper()
	d := Start(t, s)
	t.Cleanup(func() { d.Check(t) })
	return d
}

// Start is New without the checks at the end. On a machine with a device whose tests are to run on that, which
// SPOOL_TEST_CUDA=real says, it skips the test.
func Start(t testing.TB, s Settings) *Driver {
	t.Helper()
	if os.Getenv("SPOOL_TEST_CUDA") == "real" {
		t.Skip("needs the fake driver")
	}
	d, err := Load(t.TempDir())
	if err != nil {
		t.Fatal("no fake CUDA driver: ", err)
	}
	d.Reset(t, s)
	return d
}

// Load makes a driver in a folder, where it has to stay, and loads it.
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

// Check fails the test if something is in use, or a violation was seen.
func (d *Driver) Check(t testing.TB) {
	t.Helper()
	c := d.Counters()
	if c.Violations > 0 {
		t.Errorf("the fake driver saw %d violations, the first: %s", c.Violations, c.Violation)
	}
	if c.InUse() > 0 {
		t.Errorf("in use of the fake driver still: %+v", c)
	}
}

// Reset starts anew. It fails the test while something is in use.
func (d *Driver) Reset(t testing.TB, s Settings) {
	t.Helper()
	or := func(n, instead int64) C.int64_t {
		if n == 0 {
			return C.int64_t(instead)
		}
		return C.int64_t(max(n, 0))
	}
	set := C.fake_settings{devices: C.int32_t(or(int64(s.Devices), 1)), memory: or(s.Memory, 1<<30), lockable: or(s.Lockable, 1<<30),
		delay_us: C.int64_t(s.DelayMicros), seed: C.uint64_t(s.Seed), fail_call: C.int64_t(s.FailCall), fail_op: C.int64_t(s.FailOp),
		fail_code: C.int32_t(or(int64(s.FailCode), 700)), broken: C.int32_t(s.Broken)}
	if s.Lost {
		set.lost = 1
	}
	if C.fake_call_reset(&d.library, &set) != 0 {
		t.Fatalf("the fake driver is in use still: %+v", d.Counters())
	}
}

// Counters are what the driver has counted.
func (d *Driver) Counters() Counters {
	var c C.fake_counters
	C.fake_call_count(&d.library, &c)
	return Counters{Calls: int64(c.calls), Operations: int64(c.operations),
		ToDeviceCopies: int64(c.to_device_copies), ToDeviceBytes: int64(c.to_device_bytes),
		ToHostCopies: int64(c.to_host_copies), ToHostBytes: int64(c.to_host_bytes), PageableBytes: int64(c.pageable_bytes),
		DeviceBytes: int64(c.device_bytes), DevicePeak: int64(c.device_peak), RegisteredBytes: int64(c.registered_bytes),
		Blocks: int64(c.blocks), Streams: int64(c.streams), Events: int64(c.events), Modules: int64(c.modules), Launches: int64(c.launches), Contexts: int64(c.contexts),
		Pushed: int64(c.pushed), Violations: int64(c.violations), Violation: C.GoString(&c.violation[0]),
		FailedCall: C.GoString(&c.failed_call[0])}
}

// Hold keeps a stream from doing anything more, or all of them for 0, until Go.
func (d *Driver) Hold(stream uintptr) { C.fake_call_hold(&d.library, C.uintptr_t(stream)) }

// Go has all streams go on.
func (d *Driver) Go() { C.fake_call_go(&d.library) }

// Current is the context that is current on the calling thread, 0 for none. The goroutine has to be locked to it.
func (d *Driver) Current() uintptr { return uintptr(C.fake_call_current(&d.library)) }

// Push makes a device's context current on the calling thread, as another library would, until Pop.
func (d *Driver) Push(device int) { C.fake_call_push(&d.library, C.int(device)) }

// Pop ends Push.
func (d *Driver) Pop() { C.fake_call_pop(&d.library) }
