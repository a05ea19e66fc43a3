package main

/*
#include "spool.h"
*/
import "C"

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/spoolmedia/spool"
	ondevice "github.com/spoolmedia/spool/decode/device"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/transfer"
)

// images is a call that decodes a batch.
type images struct {
	spec    *spool_image_spec
	sources []C.spool_source
	options *C.spool_images_options
	rows    []byte
	size    int // of a row, in bytes
	ids     []C.uint64_t
	regions []C.spool_region
	errs    []error
}

// failure is an image that was not decoded.
type failure struct {
	Index int `json:"index"`
	errorInfo
}

// isOfCall reports whether an error is of the call, and not of a source.
func isOfCall(err error) bool {
	status, _ := classify(err)
	return status >= C.SPOOL_OPTIONS
}

// threadsOf returns the number of threads that the options ask for.
func threadsOf(o *C.spool_images_options) int {
	return cmp.Or(int(o.threads), cores.Count())
}

// decode decodes all images, and sets errs to the result of each. The returned error is that of the whole call.
func (b *images) decode(ctx context.Context) (err error) {
	clear(b.regions)
	e := each{n: len(b.sources), threads: threadsOf(b.options), failFast: b.options.on_error == C.SPOOL_FAIL,
		decode: func(ctx context.Context, i int) error {
			err := b.image(ctx, i)
			if err != nil && b.options.on_error != C.SPOOL_FAIL {
				clear(b.row(int64(i))) // it may hold an older image
			}
			return err
		}}
	b.errs, err = e.run(ctx)
	return err
}

// image decodes an image into its row.
func (b *images) image(ctx context.Context, i int) error {
	in, err := inputOf(&b.sources[i])
	if err != nil {
		return err
	}
	id := uint64(i)
	if b.ids != nil {
		id = uint64(b.ids[i])
	}
	spec := b.spec.drawn(uint64(b.options.seed), uint64(b.options.epoch), id)
	report, err := b.spec.Images.DecodeInto(ctx, in.object(b.spec.decoder.stores), b.row(int64(i)), spec)
	if err == nil && b.regions != nil {
		b.regions[i] = regionOf(report)
	}
	return in.named(err)
}

// row returns the memory of an image.
func (b *images) row(i int64) []byte { return b.rows[int(i)*b.size:][:b.size] }

// collect gathers the failures, and with SPOOL_SKIP closes the gaps of rows that were not decoded. It returns the
// number of rows.
func (b *images) collect() (rows int, failures []failure) {
	skip := b.options.on_error == C.SPOOL_SKIP
	for i, err := range b.errs {
		switch {
		case err != nil:
			failures = append(failures, failure{i, errorInfoOf(err, "decode")})
		case skip && rows < i:
			copy(b.rows[rows*b.size:], b.rows[i*b.size:][:b.size])
		}
		if err == nil || !skip {
			rows++
		}
	}
	return rows, failures
}

// setStatuses passes the status of each source to C, unless to is NULL.
func setStatuses(to *C.int32_t, errs []error) {
	if to == nil {
		return
	}
	statuses := unsafe.Slice(to, len(errs))
	for i, err := range errs {
		statuses[i], _ = classify(err)
	}
}

// cSlice returns n values in C memory, or nil for NULL.
func cSlice[T any](p *T, n C.int64_t) []T {
	if p == nil {
		return nil
	}
	return unsafe.Slice(p, int(n))
}

//export goDecodeImages
func goDecodeImages(spec C.uintptr_t, sources *C.spool_source, n C.int64_t, o *C.spool_images_options,
	cancel C.uintptr_t,
	pixels, failures **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "decode", func() error {
		return use(spec, func(ctx context.Context, s *spool_image_spec) error {
			return withCancel(ctx, cancel, func(ctx context.Context) error {
				b := &images{spec: s, options: o}
				sample, err := b.validate(sources, n, pixels != nil)
				if err != nil {
					return err
				}
				return b.run(ctx, sample, pixels, failures)
			})
		})
	})
}

// validate checks the arguments, and stores them in b.
func (b *images) validate(sources *C.spool_source, n C.int64_t, pixels bool) (sample spool.Desc, err error) {
	o := b.options
	var bad invalid.Options
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			bad.Addf(format, args...)
		}
	}
	refuse(n < 0 || n > math.MaxInt32 || n > 0 && sources == nil, "%d sources at %p", n, sources)
	refuse(o.on_error < C.SPOOL_FAIL || o.on_error > C.SPOOL_PLACEHOLDER, "on_error: no such policy: %d", o.on_error)
	refuse(o.threads < 0, "threads=%d: must not be negative", o.threads)
	refuse(o.out == nil && !pixels, "neither memory for the batch nor a place for an array")
	sample, fixed := b.spec.Spec.Sample()
	refuse(!fixed, "the images of a batch need one size: give size, or resize_shorter with crop")
	refuse(b.spec.All, "frame=all: a batch holds one frame of each image; give a number")
	if err := bad.Err(); err != nil {
		return spool.Desc{}, err
	}
	b.size, _ = sample.Bytes()
	b.sources, b.ids, b.regions = cSlice(sources, n), cSlice(o.ids, n), cSlice(o.regions, n)
	return sample, nil
}

// run decodes the batch into the caller's memory, or into a new array.
func (b *images) run(ctx context.Context, sample spool.Desc, pixels, failures **C.spool_array) (err error) {
	desc := spool.Desc{Shape: append(spool.Shape{len(b.sources)}, sample.Shape...), DType: sample.DType,
		Layout: sample.Layout.Batched()}
	total, ok := desc.Bytes()
	if !ok {
		return &spool.Error{Op: "decode", Class: spool.ErrTooLarge, Text: fmt.Sprintf("a batch of %v", desc)}
	}
	var own *spool.Buffer
	if b.options.out == nil {
		if own, err = library.results.GetFor(ctx, total, spool.Slab); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				own.Release()
			}
		}()
		b.rows = own.Bytes()
	} else if b.rows, err = cBytes(b.options.out, b.options.out_size); err != nil {
		return err
	} else if len(b.rows) != total {
		return fmt.Errorf("%w: %v takes %d bytes, the memory given has %d", spool.ErrShape, desc, total, len(b.rows))
	}
	err = b.decode(ctx)
	setStatuses(b.options.statuses, b.errs)
	if err != nil {
		return err
	}
	rows, failed := b.collect()
	var told *C.spool_array
	if len(failed) > 0 && failures != nil {
		if told, err = jsonArray(failed); err != nil {
			return err
		}
	}
	if own != nil {
		desc.Shape[0] = rows
		own.SetDesc(desc)
		if *pixels, err = bufferArray(own.Retain()); err != nil {
			C.spool_array_release(told)
			return err
		}
		own.Release()
	}
	if failures != nil {
		*failures = told
	}
	return nil
}

// jpegs decodes JPEG images on a device.
type jpegs struct {
	*decoder
	onDevice *ondevice.Decoder
}

// Close closes nvJPEG, once the device has finished.
func (j *jpegs) Close() error {
	return errors.Join(unlessLeaked(j.onDevice.Close()), j.release())
}

// decoder opens nvJPEG once.
func (d *spool_device) decoder() (*jpegs, error) {
	d.opening.Lock()
	defer d.opening.Unlock()
	if d.jpegs != nil {
		return d.jpegs, nil
	}
	host, err := library.decoder(decoderKey{})
	if err != nil {
		return nil, err
	}
	made, err := ondevice.New(host.Images, ondevice.Options{Device: d.Name(), Library: d.nvjpeg, Staging: d.memory,
		Batches: int(d.ring), Threads: cores.Count()})
	if err != nil {
		return nil, errors.Join(err, host.release())
	}
	d.jpegs = &jpegs{host, made}
	return d.jpegs, nil
}

// decode decodes images to the device, and passes their arrays to C. It returns the failures of images.
func (d *spool_device) decode(ctx context.Context, sources []C.spool_source, to []*C.spool_array) ([]failure, error) {
	j, err := d.decoder()
	if err != nil {
		return nil, err
	}
	coded, ins := make([][]byte, len(sources)), make([]input, len(sources))
	e := each{n: len(sources), threads: cores.Count(), decode: func(ctx context.Context, i int) (err error) {
		if ins[i], err = inputOf(&sources[i]); err == nil {
			coded[i], err = ins[i].read(ctx, j.stores, j.Images.Limits().MaxBytes)
		}
		return ins[i].named(err)
	}}
	errs, err := e.run(ctx)
	if err != nil {
		return nil, err
	}
	b, err := j.onDevice.Plan(ctx, coded)
	if err != nil {
		return nil, err
	}
	var parts []transfer.Resized
	var places []*C.spool_array
	for i := range b.Images {
		p := &b.Images[i]
		if p.Err != nil {
			continue
		}
		part, err := transfer.NewResized(p.Offset, p.Desc, d.resize)
		if err != nil {
			p.Err, p.Desc = err, spool.Desc{}
			continue
		}
		parts = append(parts, part)
	}
	var on *transfer.Batch
	if len(parts) > 0 {
		on, err = d.queue(ctx, func(wait context.Context) (*transfer.Batch, error) {
			return d.fill(wait, parts, b)
		})
	}
	if on == nil {
		b.Release()
	}
	if err != nil {
		return nil, err
	}
	if on != nil {
		places = make([]*C.spool_array, len(parts))
		if err := d.hand(on, places); err != nil {
			return nil, err
		}
	}
	var failures []failure
	for i, p := range b.Images {
		if p.Desc.Shape != nil {
			to[i], places = places[0], places[1:]
		}
		if err := cmp.Or(errs[i], ins[i].named(p.Err)); err != nil {
			failures = append(failures, failure{i, errorInfoOf(err, "decode")})
			C.spool_array_release(to[i])
			to[i] = nil
		}
	}
	return failures, nil
}

// fill decodes images to memory of the device, where they are resized if this was asked for.
func (d *spool_device) fill(ctx context.Context, images []transfer.Resized, b *ondevice.Batch) (*transfer.Batch, error) {
	decode := func(memory uint64, s spool.DeviceStream) error { return b.Decode(ctx, memory, s) }
	if d.resize != (resize.Spec{Filter: d.resize.Filter}) {
		return d.copier.FillResized(ctx, images, b.Release, decode)
	}
	var parts []transfer.ArrayAt
	for _, image := range images {
		parts = append(parts, transfer.ArrayAt{Offset: image.Offset, Desc: image.Desc})
	}
	return d.copier.Fill(ctx, parts, b.Release, decode)
}

//export goDeviceDecode
func goDeviceDecode(handle C.uintptr_t, sources *C.spool_source, n C.size_t, cancel C.uintptr_t,
	arrays, failures **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "decode", func() error {
		return use(handle, func(ctx context.Context, d *spool_device) error {
			return withCancel(ctx, cancel, func(ctx context.Context) error {
				to := unsafe.Slice(arrays, n)
				clear(to)
				failed, err := d.decode(ctx, unsafe.Slice(sources, n), to)
				if err != nil || failures == nil {
					return err
				}
				if *failures = nil; len(failed) > 0 {
					*failures, err = jsonArray(failed)
				}
				return err
			})
		})
	})
}

//export goDeviceCounts
func goDeviceCounts(handle C.uintptr_t, json **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "describe", func() error {
		return use(handle, func(_ context.Context, d *spool_device) error {
			j, err := d.decoder()
			if err == nil {
				*json, err = jsonArray(struct {
					ondevice.Counts
					Engine  bool   `json:"engine"`
					Version string `json:"nvjpeg"`
				}{j.onDevice.Counts(), j.onDevice.Engine(), j.onDevice.Version()})
			}
			return err
		})
	})
}
