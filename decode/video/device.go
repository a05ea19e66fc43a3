package video

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/decode/internal/lifetime"
)

// DeviceOptions configure a Device.
type DeviceOptions struct {
	// Device is the name of the device, "cuda:1". "" means "cuda:0".
	Device string
	// Held is how many frames of a video may be unreleased at once; 0 means 4. NVDEC has room for 32, of which a stream's
	// references take up to 20.
	Held int
}

// Device decodes videos with NVDEC on a CUDA device, and leaves the frames there: see Video.DeviceFrames. It keeps
// decoders for reuse, so that small files with equal encoding do not pay for their set-up. It is safe for concurrent
// use.
type Device struct {
	*device
	cleanup runtime.Cleanup
}

type device struct {
	context *cuda.Context
	stream  cuda.Stream // shared by all decoders
	held    int
	codecs  av.Codecs
	users   lifetime.Users // unreleased frames, and videos that are decoding
}

// NewDevice opens a device with the system's driver, libcuda.so.1. The caller owns it and MUST close it.
//
//	Errors: class device without a driver or device; ErrOptions.
//	Cost:   the first use of a device in a process initializes it, which takes a good part of a second.
func NewDevice(o DeviceOptions) (*Device, error) {
	name := cmp.Or(o.Device, cuda.Name(0))
	n, err := cuda.ParseName(name)
	if o.Held < 0 {
		err = errors.Join(err, fmt.Errorf("%w: %d frames held", spool.ErrOptions, o.Held))
	}
	if err != nil {
		return nil, err
	}
	driver, err := cuda.Load("") // the driver that FFmpeg uses
	if err != nil {
		return nil, spool.InFile(err, name)
	}
	d := &device{held: o.Held}
	d.users.What, d.users.End = "users of a video device", d.end
	if d.held == 0 {
		d.held = 4
	}
	if d.context, err = driver.Open(n); err != nil {
		return nil, spool.InFile(err, name)
	}
	if d.stream, err = d.context.NewStream(); err != nil {
		return nil, errors.Join(err, d.context.Close())
	}
	made := &Device{device: d}
	made.cleanup = runtime.AddCleanup(made, func(d *device) { _ = d.users.Close() }, d)
	return made, nil
}

// Close frees the device's decoders. While frames are unreleased it returns ErrLeaked, and the last Release frees the
// rest. A second Close does nothing more.
func (d *Device) Close() error {
	d.cleanup.Stop()
	return d.users.Close()
}

func (d *device) end() error {
	err := d.context.Finish(d.stream)
	_ = d.codecs.Close() // never fails
	return errors.Join(err, d.context.CloseStream(d.stream), d.context.Close())
}

// options make a decoder leave its frames on the device.
func (d *device) options() av.CUDA {
	// one more for the session's frame
	return av.CUDA{Context: d.context.Handle(), Stream: uintptr(d.stream), Held: d.held + 1}
}
