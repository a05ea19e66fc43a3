package transfer

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
)

// DeviceKind is a kind of device.
type DeviceKind uint8

const (
	Host   DeviceKind = iota // host memory
	Pinned                   // locked host memory, for programs that copy to a device themselves
	CUDA                     // a device of the CUDA driver
)

// DeviceOptions select the CUDA driver, and the memory of a device.
type DeviceOptions struct {
	// Driver is the file of the CUDA driver, by the dynamic linker's rules. "" means libcuda.so.1.
	Driver string
	// Memory has the batches on a CUDA device. nil means the driver's own. It is not used for "host" and "pinned".
	Memory DeviceMemory
}

// DeviceMemory is an allocator of a CUDA device's memory, such as PyTorch's. Its methods are called concurrently, on
// any thread.
type DeviceMemory interface {
	// Alloc returns n > 0 bytes, aligned to 256, which work that is queued in the stream may use at once. Work in other
	// streams does not use it any longer. Without memory, the error is spool.ErrOutOfMemory.
	Alloc(n, device int, s spool.DeviceStream) (uint64, error)
	// Free frees n bytes of Alloc, after all work that uses them.
	Free(memory uint64, n, device int, s spool.DeviceStream) error
}

// DeviceInfo describes a device of the CUDA driver.
type DeviceInfo struct {
	Name       string // as in Open, "cuda:0"
	Model      string
	Bytes      int64  // of memory
	Capability string // compute capability, "9.0"
	Bus        string // its PCI address
}

// Device is a destination of batches. It is safe for concurrent use.
type Device struct {
	name   string
	kind   DeviceKind
	number int // of a CUDA device
	info   DeviceInfo
	lease  *lease       // of the device's context; nil if the driver is not needed
	memory DeviceMemory // nil: the driver's own
	why    error        // Pinned: why there is no context
}

// Devices lists the devices of the CUDA driver, and the newest CUDA version that the driver supports. The error, of
// class device, is the reason why there are none.
func Devices(o DeviceOptions) (version string, list []DeviceInfo, err error) {
	driver, err := cuda.Load(o.Driver)
	if err != nil {
		return "", nil, err
	}
	for n := range driver.Devices() {
		info, err := describe(driver, n)
		if err != nil {
			return "", nil, err
		}
		list = append(list, info)
	}
	return driver.Version(), list, nil
}

func describe(driver *cuda.Driver, n int) (DeviceInfo, error) {
	d, err := driver.Device(n)
	if err != nil {
		return DeviceInfo{}, err
	}
	return DeviceInfo{Name: cuda.Name(n), Model: d.Name, Bytes: d.Bytes, Bus: d.Bus,
		Capability: fmt.Sprintf("%d.%d", d.Major, d.Minor)}, nil
}

// Open opens a device by its name. The caller owns it and MUST Close it.
//
//   - "host" is host memory, and needs no driver.
//   - "pinned" is host memory that is locked for the first CUDA device. Without one, the operating system locks it; see
//     [PinnedStats].
//   - "cuda:N" is a CUDA device; "cuda" is the first. The first use of a device in a process initializes it.
//
// Errors are of class device if the device does not exist or cannot be used, or spool.ErrOptions for other names. They
// have the name as it was given.
func Open(name string, o DeviceOptions) (*Device, error) {
	d, err := parse(name)
	if err != nil {
		return nil, err
	}
	switch d.kind {
	case Pinned:
		d.why = d.retain(0, o)
	case CUDA:
		if err := d.retain(d.number, o); err != nil {
			return nil, spool.InFile(err, name)
		}
		d.memory = o.Memory
	}
	return d, nil
}

// CheckName returns the error of Open for a name that is wrong on every machine: spool.ErrOptions.
func CheckName(name string) error {
	_, err := parse(name)
	return err
}

// parse returns a device that is not open.
func parse(name string) (*Device, error) {
	switch kind, _, _ := strings.Cut(name, ":"); {
	case name == "host":
		return &Device{name: name, kind: Host}, nil
	case name == "pinned":
		return &Device{name: name, kind: Pinned}, nil
	case kind == "cuda":
		n, err := cuda.ParseName(name)
		return &Device{name: cuda.Name(n), kind: CUDA, number: n}, err
	}
	return nil, fmt.Errorf("%w: device %q: must be host, pinned or cuda:N", spool.ErrOptions, name)
}

// retain opens the context of CUDA device n.
func (d *Device) retain(n int, o DeviceOptions) error {
	driver, err := cuda.Load(o.Driver)
	if err != nil {
		return err
	}
	info, err := describe(driver, n)
	if err != nil {
		return err
	}
	context, err := driver.Open(n)
	if err != nil {
		return err
	}
	d.info, d.lease = info, newLease(context)
	return nil
}

// Name returns the full name of the device, "cuda:0".
func (d *Device) Name() string { return d.name }

// Number returns N of "cuda:N", and 0 for other devices.
func (d *Device) Number() int { return d.number }

// Kind returns the device's kind.
func (d *Device) Kind() DeviceKind { return d.kind }

// Info describes a CUDA device or, for Pinned, the device that memory is locked for; otherwise it is zero.
func (d *Device) Info() DeviceInfo { return d.info }

// Memory returns the free and the total bytes of a CUDA device's memory. It is ErrOptions for other kinds.
func (d *Device) Memory() (free, total int64, err error) {
	if d.kind != CUDA {
		return 0, 0, fmt.Errorf("%w: %s has no memory of its own", spool.ErrOptions, d.name)
	}
	if !d.lease.retain() {
		return 0, 0, spool.ErrClosed
	}
	free, total, err = d.lease.context.Memory()
	return free, total, errors.Join(spool.InFile(err, d.name), d.lease.release())
}

// Close closes the device. Copiers and memory of the device that are in use stay valid: Close then returns ErrLeaked,
// and the last of them closes the device. A second Close returns the same, except for errors of the driver.
func (d *Device) Close() error {
	if d.lease == nil {
		return nil
	}
	return spool.InFile(d.lease.close(), d.name)
}
