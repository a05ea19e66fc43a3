package transfer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
)

// Kind is a kind of device.
type Kind uint8

const (
	Host   Kind = iota // the host's memory
	Pinned             // the host's memory, locked, for programs that copy by themselves
	CUDA               // a device of the CUDA driver's
)

// DeviceOptions say how devices are found.
type DeviceOptions struct {
	// Driver is the CUDA driver's file, as the dynamic linker finds it. "" means libcuda.so.1.
	Driver string
}

// Info describes a device of the CUDA driver's.
type Info struct {
	Name       string // as Open takes it, "cuda:0"
	Model      string
	Bytes      int64  // of memory
	Capability string // what it computes, "9.0"
	Bus        string // its PCI address
}

// Device is where batches go. It is safe for concurrent use.
type Device struct {
	name   string
	kind   Kind
	number int // of a CUDA device
	info   Info
	held   *lease // of the device's context; nil where the driver is not needed
	why    error  // Pinned: why there is no context
}

// Devices lists the CUDA driver's devices, with the newest CUDA that the driver serves. The error, of class device, says
// why there are none.
func Devices(o DeviceOptions) (version string, list []Info, err error) {
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

func describe(driver *cuda.Driver, n int) (Info, error) {
	d, err := driver.Device(n)
	if err != nil {
		return Info{}, err
	}
	return Info{Name: fmt.Sprintf("cuda:%d", n), Model: d.Name, Bytes: d.Bytes, Bus: d.Bus,
		Capability: fmt.Sprintf("%d.%d", d.Major, d.Minor)}, nil
}

// Open opens a device by its name. The caller owns it and MUST Close it.
//
//   - "host" is the host's memory, and needs no driver.
//   - "pinned" is the same, locked as the first CUDA device needs it; without one it is locked as the system does
//     it, see [PinnedStats].
//   - "cuda:N" is a CUDA device; "cuda" is the first. The first use of a device in a process initialises it.
//
// Errors are of class device, with the device named, where there is none or it cannot be used, or spool.ErrOptions for other names.
func Open(name string, o DeviceOptions) (*Device, error) {
	switch kind, number, numbered := strings.Cut(name, ":"); {
	case name == "host":
		return &Device{name: name, kind: Host}, nil
	case name == "pinned":
		d := &Device{name: name, kind: Pinned}
		d.why = d.retain(0, o)
		return d, nil
	case kind == "cuda":
		n := 0
		if numbered {
			var err error
			if n, err = strconv.Atoi(number); err != nil || n < 0 {
				return nil, fmt.Errorf("%w: device %q: what follows cuda: is no number", spool.ErrOptions, name)
			}
		}
		d := &Device{name: fmt.Sprintf("cuda:%d", n), kind: CUDA, number: n}
		if err := d.retain(n, o); err != nil {
			return nil, spool.InFile(err, d.name)
		}
		return d, nil
	}
	return nil, fmt.Errorf("%w: device %q: there are host, pinned and cuda:N", spool.ErrOptions, name)
}

// retain takes hold of CUDA device n.
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
	d.info, d.held = info, newLease(context)
	return nil
}

// Name is the device's name in full, "cuda:0".
func (d *Device) Name() string { return d.name }

// Number is N of "cuda:N"; 0 of others.
func (d *Device) Number() int { return d.number }

// Kind is the device's kind.
func (d *Device) Kind() Kind { return d.kind }

// Info describes a CUDA device, and of Pinned the one that memory is locked for; else it is zero.
func (d *Device) Info() Info { return d.info }

// Memory is how many bytes of a CUDA device's memory are free, and how many there are. It is ErrOptions for other kinds.
func (d *Device) Memory() (free, total int64, err error) {
	if d.kind != CUDA {
		return 0, 0, fmt.Errorf("%w: %s has no memory of its own", spool.ErrOptions, d.name)
	}
	if !d.held.retain() {
		return 0, 0, spool.ErrClosed
	}
	free, total, err = d.held.context.Memory()
	return free, total, errors.Join(spool.InFile(err, d.name), d.held.release())
}

// Close gives the device back. While copiers or memory of its are in use these stay valid: it returns ErrLeaked then,
// and the last of them gives the device back. A second Close does the same again, but for errors of the driver's.
func (d *Device) Close() error {
	if d.held == nil {
		return nil
	}
	return spool.InFile(d.held.close(), d.name)
}
