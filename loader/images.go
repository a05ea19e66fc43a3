package loader

import (
	"context"

	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/device"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/ondevice"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// ImageOptions are the settings of a loader of images.
type ImageOptions struct {
	// Spec is the output for each image. It must fix the size, because all samples of a batch have one shape.
	Spec image.Spec
	// Augment draws a crop and flips for each sample and epoch, from Seed. The zero value draws nothing.
	Augment resize.Augment
	// Ops change the pixels of each sample, after the resize and before Spec.Mean and Std. Their values are drawn for
	// each sample and epoch, from Seed.
	Ops augment.Ops
	// JPEG chooses the engine for JPEG images.
	JPEG image.JPEGEngine
	// OnDevice, if not nil, has nvJPEG decode JPEG images, and the device crop, resize and mirror them. The samples come
	// back to host memory, and batches are as without it, but for the pixels: nvJPEG's are close to profile exact, not
	// equal. The host decodes what nvJPEG does not take, and reports damage; damage that nvJPEG does not notice is not
	// reported. Workers wait for the device here: 0 and Auto mean 64. Spec must be of uint8, HWC and RGB, in one size and
	// without padding.
	OnDevice *device.Options
	Options
}

// Validate reports all invalid options, each as a *spool.OptionError.
func (o ImageOptions) Validate() error {
	var bad invalid.Options
	spec := o.Spec
	if len(o.Ops) > 0 {
		spec.Adjust = o.Ops.Steps(order.Draw{}) // the spec has what steps exclude
	}
	if err := spec.Validate(); err != nil {
		bad.Add(err)
	} else if _, fixed := o.Spec.Sample(); !fixed {
		needsSize(&bad, o.Spec.Resize)
	}
	bad.Add(o.Augment.Validate(o.Spec.Resize))
	bad.Add(o.Ops.Validate())
	placesCrops(&bad, o.Augment, o.Spec.Crops)
	o.Options.validate(&bad, drawing(&bad, o.augments(), o.Spec.Draw != nil, o.Ops, o.Spec.Adjust != nil)...)
	if o.JPEG > image.JPEGTurbo {
		bad.Value("JPEG", uint8(o.JPEG), "no such engine")
	}
	if o.OnDevice != nil {
		ondevice.ValidateImages(&bad, spec)
	}
	return bad.Err()
}

// drawing returns the options that draw random numbers for samples. It adds what excludes each other among them.
func drawing(bad *invalid.Options, geometry, draw bool, ops augment.Ops, adjust bool) (drawn []string) {
	if geometry && draw {
		bad.Excludes(invalid.Named("Augment"), invalid.Named("Spec.Draw"), "one of them draws")
	}
	if len(ops) > 0 && adjust {
		bad.Excludes(invalid.Named("Ops"), invalid.Named("Spec.Adjust"), "one of them changes pixels")
	}
	for _, option := range []struct {
		name string
		set  bool
	}{{"Augment", geometry}, {"Spec.Draw", draw}, {"Ops", len(ops) > 0}, {"Spec.Adjust", adjust}} {
		if option.set {
			drawn = append(drawn, option.name)
		}
	}
	return drawn
}

// placesCrops adds a random crop that excludes fixed ones.
func placesCrops(bad *invalid.Options, a resize.Augment, c resize.Crops) {
	if a.Crop != nil && c != resize.OneCrop {
		bad.Excludes(invalid.Named("Augment.Crop"), invalid.With("Spec.Crops", c), "one of them places the crop")
	}
}

// augments reports whether samples are augmented.
func (o ImageOptions) augments() bool { return o.Augment != resize.Augment{} }

// Images returns a loader of images. The source is lent until Close. Images reads nothing: Batches does. Errors are
// ErrOptions with all invalid options, or ErrEmpty for a source without samples.
func Images(src source.Source, o ImageOptions) (*Loader, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	sample, _ := o.Spec.Sample()
	m := imageMedium()
	m.sample, m.recipe, m.jpeg, m.decode, m.blank = sample, o.Spec, o.JPEG, o.decode, o.blank
	m.firstWorkers = cores.Count()
	if o.OnDevice != nil {
		if o.Workers == 0 || o.Workers == Auto {
			o.Workers = deviceWorkers
		}
		m.ahead, m.firstWorkers = func(workers int) int { return workers }, 0
		m.recipe = []any{o.Spec, "nvjpeg"}
		on := &deviceImages{ImageOptions: o}
		m.open, m.close, m.decode = on.open, on.close, on.decode
	}
	return load(src, o.Options, m)
}

// deviceWorkers is how many samples wait for a device by default. Half of them make a group.
const deviceWorkers = 64

// JPEG returns counts of the engines that have decoded JPEG images so far, with reasons. It may be called concurrently,
// at any time before Close.
func (l *Loader) JPEG() image.JPEGCounts { return l.decoder.Images.JPEG() }

// decode writes an image to its slot.
func (o ImageOptions) decode(ctx context.Context, d *decoders.Set, it *item) error {
	return decodeImage(ctx, d, it, o.drawn(it))
}

// drawn returns the spec with the random choices for a sample.
func (o ImageOptions) drawn(it *item) image.Spec {
	spec := o.Spec
	if o.augments() {
		spec.Draw = o.Augment.Drawing(o.Spec.Resize, it.drawn(o.Seed, it.sample.ID))
	}
	if len(o.Ops) > 0 {
		spec.Adjust = o.Ops.Steps(it.drawn(o.Seed, it.sample.ID))
	}
	return spec
}

// decodeImage has the host write an image to its slot.
func decodeImage(ctx context.Context, d *decoders.Set, it *item, spec image.Spec) error {
	report, err := d.Images.DecodeInto(ctx, it.input(), it.slot.Bytes(), spec)
	if err != nil {
		return err
	}
	it.sample.Crop = crop(report.Region, report.FlipX, report.FlipY)
	it.sample.Warnings, it.sample.Warning = report.Warnings, report.Warning
	if report.Damaged {
		it.sample.State = batch.Damaged
	}
	return nil
}

// blank fills a slot with Spec.Fill.
func (o ImageOptions) blank(ctx context.Context, d *decoders.Set, it *item) error {
	return d.Images.Blank(ctx, it.slot.Bytes(), o.Spec)
}

// deviceImages decodes samples on a device.
type deviceImages struct {
	ImageOptions
	device *ondevice.Images
}

// open opens the device.
func (o *deviceImages) open(d *decoders.Set) (counts func() device.Counts, err error) {
	if o.device, err = ondevice.NewImages(d.Images, *o.OnDevice); err != nil {
		return nil, err
	}
	return o.device.Counts, nil
}

func (o *deviceImages) close() error {
	if o.device == nil {
		return nil
	}
	return o.device.Close()
}

// decode has the device write an image to its slot, or the host.
func (o *deviceImages) decode(ctx context.Context, d *decoders.Set, it *item) error {
	spec := o.drawn(it)
	shown, ok, err := o.device.Decode(ctx, it.inputs[0].data, &spec, it.slot.Bytes())
	if err != nil {
		return err
	}
	if !ok {
		return decodeImage(ctx, d, it, spec)
	}
	it.sample.Crop = crop(shown.Region, shown.FlipX, shown.FlipY)
	return nil
}
