package run

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/transfer"
)

// destination is the device of --device, to which a run's batches are copied.
type destination struct {
	device *transfer.Device
	pinned *transfer.PinnedMemory // of the batches; nil on the host
	copier *transfer.Copier
	floats *transfer.Normalizer // makes floats of batches; nil if they are copied as they are
}

// open opens the device of that name. If the allocator is not nil, it must provide the memory of batches.
func (d *destination) open(name string) (memory spool.Allocator, err error) {
	if d.device, err = transfer.Open(name, transfer.DeviceOptions{}); err != nil || d.device.Kind() == transfer.Host {
		return nil, err
	}
	d.pinned = transfer.NewPinnedMemory(d.device)
	return d.pinned, nil
}

// begin creates the copier, once there is memory. If o is not nil, the device converts the batches. The warning says
// that the memory is not pinned, and why.
func (d *destination) begin(o *transfer.NormalizerOptions) (warning string, err error) {
	if d.copier, err = transfer.NewCopier(d.device, transfer.CopierOptions{}); err != nil || d.pinned == nil {
		return "", err
	}
	if o != nil {
		if d.floats, err = transfer.NewNormalizer(d.copier, *o); err != nil {
			return "", err
		}
	}
	if why := d.pinned.Stats().Why; why != nil {
		warning = "spool: --device " + d.device.Name() + ": memory is not pinned: " + output.OneLine(why.Error())
	}
	return warning, nil
}

// copyBatch copies a batch to the device, and releases it on both sides.
func (d *destination) copyBatch(ctx context.Context, b *batch.Batch) error {
	var arrived *transfer.Batch
	var err error
	if d.floats != nil {
		arrived, err = d.floats.Copy(ctx, b, nil)
	} else {
		arrived, err = d.copier.Copy(ctx, b)
	}
	if err != nil {
		b.Release()
		return err
	}
	arrived.Release()
	return nil
}

// end waits for all copies.
func (d *destination) end() error { return d.copier.Close() }

// close closes the device, after all its memory has been released.
func (d *destination) close() error { return d.device.Close() }
