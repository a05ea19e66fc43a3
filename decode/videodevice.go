package decode

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/cuda"
)

// VideoDeviceOptions are a VideoDevice's settings.
type VideoDeviceOptions struct {
	Device int // which one, from 0

	// Held is how many frames of a video may be held at once; 0 means 4. NVDEC has room for 32, of which a stream's own
	// references take up to 20.
	Held int
}

// VideoDevice decodes videos on a CUDA device, by NVDEC, and leaves the frames there: see Video.DeviceFrames. It keeps decoders, so
// that small files that were encoded alike do not pay for their set-up. It is safe for concurrent use.
type VideoDevice struct {
	*videoDevice
	cleanup runtime.Cleanup
}

type videoDevice struct {
	context *cuda.Context
	stream  cuda.Stream // of all its decoders
	held    int
	codecs  av.Codecs
	users   users // frames that are held, and videos that are at work
}

// NewVideoDevice opens a device by the system's driver, libcuda.so.1. The caller owns it and MUST Close it.
//
//	Errors: class device, where there is no driver or device; ErrOptions.
//	Cost:   the first use of a device in a process initialises it, which takes a good part of a second.
func NewVideoDevice(o VideoDeviceOptions) (*VideoDevice, error) {
	if o.Held < 0 || o.Device < 0 {
		return nil, fmt.Errorf("%w: %d frames held of device %d", spool.ErrOptions, o.Held, o.Device)
	}
	driver, err := cuda.Load("") // which FFmpeg takes as well
	if err != nil {
		return nil, err
	}
	d := &videoDevice{held: o.Held}
	d.users.what, d.users.end = "users of a video device", d.end
	if d.held == 0 {
		d.held = 4
	}
	if d.context, err = driver.Open(o.Device); err != nil {
		return nil, err
	}
	if d.stream, err = d.context.NewStream(); err != nil {
		return nil, errors.Join(err, d.context.Close())
	}
	made := &VideoDevice{videoDevice: d}
	made.cleanup = runtime.AddCleanup(made, func(d *videoDevice) { _ = d.users.close() }, d)
	return made, nil
}

// Close frees the device's decoders. While frames are held it returns ErrLeaked, and the last Release frees the rest. A second
// Close does nothing more.
func (d *VideoDevice) Close() error {
	d.cleanup.Stop()
	return d.users.close()
}

func (d *videoDevice) end() error {
	err := d.context.Finish(d.stream)
	_ = d.codecs.Close() // which never fails
	return errors.Join(err, d.context.CloseStream(d.stream), d.context.Close())
}

// options have a decoder leave its frames on the device.
func (d *videoDevice) options() av.CUDA {
	return av.CUDA{Context: d.context.Handle(), Stream: uintptr(d.stream), Held: d.held + 1} // the player's own
}
