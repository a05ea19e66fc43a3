package run

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/transfer"
)

// destination is where a run's batches go, by --device.
type destination struct {
	device *transfer.Device
	pinned *transfer.PinnedMemory // of the batches; nil on the host
	copier *transfer.Copier
}

// open opens the device of that name. The batches' memory is to come from the allocator, if it is not nil.
func (d *destination) open(name string) (memory spool.Allocator, err error) {
	if d.device, err = transfer.Open(name, transfer.DeviceOptions{}); err != nil || d.device.Kind() == transfer.Host {
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
		warning = "spool: --device " + d.device.Name() + ": memory is not pinned: " + output.OneLine(why.Error())
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
