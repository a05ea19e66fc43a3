package ondevice

import (
	"errors"
	"sync"

	"github.com/spoolmedia/spool/decode/device"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/transfer"
)

// inFlight is how many groups of images the device has at a time: one that it decodes, and one that is queued.
const inFlight = 2

// Images decodes JPEG images by nvJPEG, in groups of the images that callers wait for. It is safe for concurrent use.
type Images struct {
	decoder *device.Decoder
	gpu     *transfer.Device
	copier  *transfer.Copier
	turns   chan struct{} // one for each group in flight

	mu      sync.Mutex
	waiting []*waiting
}

// waiting is an image that a caller waits for.
type waiting struct {
	data    []byte
	planned transfer.Resized

	done  chan struct{}   // closed when the rest is set
	batch *transfer.Batch // has the result; nil: the host has to decode the image
	array int             // of the batch
	err   error
}

// NewImages opens nvJPEG and a ring of device memory. Host decodes what nvJPEG refuses. The caller owns the result.
func NewImages(host *image.Decoder, o device.Options) (_ *Images, err error) {
	o.Batches = inFlight
	d := &Images{turns: make(chan struct{}, inFlight)}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	if d.decoder, err = device.New(host, o); err != nil {
		return nil, err
	}
	if d.gpu, d.copier, err = open(o.Device, o.Driver, inFlight+1); err != nil {
		return nil, err
	}
	return d, nil
}

// open opens a device with a ring of device memory.
func open(name, driver string, slabs int) (*transfer.Device, *transfer.Copier, error) {
	if name == "" {
		name = "cuda:0"
	}
	gpu, err := transfer.Open(name, transfer.DeviceOptions{Driver: driver})
	if err != nil {
		return nil, nil, err
	}
	copier, err := transfer.NewCopier(gpu, transfer.CopierOptions{Slabs: slabs})
	return gpu, copier, err
}

// Counts returns the images so far by where they were decoded.
func (d *Images) Counts() device.Counts { return d.decoder.Counts() }

// Close frees everything. No image may be waited for.
func (d *Images) Close() (err error) {
	if d.copier != nil {
		err = d.copier.Close()
	}
	if d.decoder != nil {
		err = errors.Join(err, d.decoder.Close())
	}
	if d.gpu != nil {
		err = errors.Join(err, d.gpu.Close())
	}
	return err
}
