package main

import (
	"context"
	"errors"
	"regexp"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/transfer"
)

// destination is where a run's batches go, by --device.
type destination struct {
	name   string
	device *transfer.Device
	pinned *transfer.PinnedMemory // of the batches; nil on the host
	copier *transfer.Copier
}

// destination defines its flag.
func (f *flags) destination(d *destination) {
	f.add("device", "host|pinned|cuda:N", "host", "where batches go: the host's memory, memory that a device reads by itself, or a CUDA device", func(s string) error {
		if !regexp.MustCompile(`^(host|pinned|cuda(:\d{1,4})?)$`).MatchString(s) {
			return errors.New("one of host, pinned and cuda:N")
		}
		d.name = s
		return nil
	})
}

// open opens the device. The batches' memory is to come from the allocator, if it is not nil.
func (d *destination) open() (memory spool.Allocator, err error) {
	if d.device, err = transfer.Open(d.name, transfer.DeviceOptions{}); err != nil || d.device.Kind() == transfer.Host {
		return nil, err
	}
	d.pinned = transfer.NewPinned(d.device)
	return d.pinned, nil
}

// begin makes what copies, once there is memory, and says what is wrong with that.
func (d *destination) begin() (warning string, err error) {
	if d.copier, err = transfer.NewCopier(d.device, transfer.CopierOptions{}); err != nil || d.pinned == nil {
		return "", err
	}
	if why := d.pinned.Stats().Why; why != nil {
		warning = "spool: --device " + d.name + ": memory is not pinned: " + oneLine(why.Error())
	}
	return warning, nil
}

// take takes a batch over, which is thrown away where it arrives.
func (d *destination) take(ctx context.Context, b *batch.Batch) error {
	arrived, err := d.copier.Copy(ctx, b)
	if err != nil {
		b.Release()
		return err
	}
	arrived.Release()
	return nil
}

// end waits for all copies.
func (d *destination) end() error { return d.copier.Close() }

// close gives the device back, when nothing holds memory of its any more.
func (d *destination) close() error { return d.device.Close() }
