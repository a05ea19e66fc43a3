package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source/object"
)

// spool_record_spec is the fields of records and their decoders.
type spool_record_spec struct {
	*decoder
	plan *record.Plan
	open *record.OpenFiles
}

// Close releases the decoders.
func (s *spool_record_spec) Close() error { return errors.Join(s.open.Close(), s.release()) }

// newRecordSpec parses the options for records.
func newRecordSpec(json *C.char) (*spool_record_spec, error) {
	var (
		schema record.Schema
		with   decoders.Options
		stores object.Options
	)
	if err := readOptions(json, func(set *settings.Set) func() {
		unread := set.Fields(&schema)
		set.JPEG(&with.JPEG)
		set.Isolate(&with.Isolate)
		set.Limits(&with.Limits)
		set.Stores(&stores)
		return func() {
			if !unread() { // else the schema lacks a field
				set.Check(schema.Validate())
			}
		}
	}); err != nil {
		return nil, err
	}
	var (
		s   spool_record_spec
		err error
	)
	if s.plan, err = record.NewPlan(schema); err != nil {
		return nil, err
	}
	if s.open, err = record.NewOpenFiles(record.OpenFilesOptions{}); err != nil {
		return nil, err
	}
	if s.decoder, err = library.decoder(decoderKey{with, stores}); err != nil {
		return nil, err
	}
	return &s, nil
}

// records is a call that decodes a batch of records.
type records struct {
	spec    *spool_record_spec
	sources []C.spool_source // the inputs of each record, one record after the other
	n       int
	options *C.spool_images_options
	ids     []C.uint64_t
	slots   []batch.Slot
	samples []batch.Sample
	errs    []error
}

// validate checks the arguments, and stores them in b.
func (b *records) validate(sources *C.spool_source, n C.int64_t, to *C.spool_batch) error {
	o, each := b.options, len(b.spec.plan.Inputs())
	var bad invalid.Options
	if n < 0 || n > math.MaxInt32/C.int64_t(each) || n > 0 && sources == nil {
		bad.Addf("%d records at %p", n, sources)
	}
	if o.on_error < C.SPOOL_FAIL || o.on_error > C.SPOOL_PLACEHOLDER {
		bad.Addf("on_error: no such policy: %d", o.on_error)
	}
	if o.threads < 0 {
		bad.Addf("threads=%d: must not be negative", o.threads)
	}
	if o.out != nil || o.regions != nil {
		bad.Addf("out, regions: records have none")
	}
	if to == nil {
		bad.Addf("a NULL in place of a batch")
	}
	if err := bad.Err(); err != nil {
		return err
	}
	b.n, b.sources, b.ids = int(n), cSlice(sources, n*C.int64_t(each)), cSlice(o.ids, n)
	return nil
}

// run decodes the records into a batch. It returns nil if there is none, since all records have failed.
func (b *records) run(ctx context.Context) (_ *batch.Batch, err error) {
	if b.n == 0 {
		return nil, nil
	}
	assembler, err := batch.NewAssembler(batch.AssemblerOptions{Size: b.n, Fields: b.spec.plan.Arrays(),
		Pool: library.results})
	if err != nil {
		return nil, err
	}
	b.slots, b.samples = make([]batch.Slot, b.n), make([]batch.Sample, b.n)
	settled := 0
	defer func() {
		for _, s := range b.slots[settled:] {
			assembler.Fail(s)
		}
		err = errors.Join(err, assembler.Close())
	}()
	for i := range b.slots {
		if b.slots[i], err = assembler.Slot(ctx, 0); err != nil {
			b.slots = b.slots[:i]
			return nil, err
		}
	}
	e := each{n: b.n, threads: threadsOf(b.options), failFast: b.options.on_error == C.SPOOL_FAIL, decode: b.record}
	b.errs, err = e.run(ctx)
	setStatuses(b.options.statuses, b.errs)
	if err != nil {
		return nil, err
	}
	var done []*batch.Batch
	for i, s := range b.slots {
		settled++
		if b.errs[i] != nil && b.options.on_error == C.SPOOL_SKIP {
			done = append(done, assembler.Fail(s)...)
		} else {
			done = append(done, assembler.Add(s, b.samples[i])...)
		}
	}
	if done = append(done, assembler.Flush()...); len(done) == 0 {
		return nil, nil
	}
	return done[0], nil
}

// record decodes a record into its slot. A failed one gets a placeholder.
func (b *records) record(ctx context.Context, i int) error {
	s := &b.samples[i]
	*s = batch.Sample{ID: int64(i), Label: -1, Place: i}
	if b.ids != nil {
		s.ID = int64(b.ids[i])
	}
	plan := b.spec.plan
	result, err := b.decode(ctx, i, s)
	if err == nil {
		result.Describe(s)
		return nil
	}
	s.State, s.Values = batch.Placeholder, plan.Absent()
	if b.options.on_error != C.SPOOL_PLACEHOLDER || isOfCall(err) {
		return err
	}
	if blank := plan.Blank(ctx, b.spec.Images, b.slots[i].Field); blank != nil {
		return blank
	}
	return err
}

// decode decodes a record into its slot.
func (b *records) decode(ctx context.Context, i int, s *batch.Sample) (result record.Result, err error) {
	plan := b.spec.plan
	each := len(plan.Inputs())
	inputs, err := b.inputs(ctx, b.sources[i*each:(i+1)*each], s)
	if err != nil {
		return result, err
	}
	by := order.Draw{Seed: uint64(b.options.seed), Epoch: uint64(b.options.epoch), ID: uint64(s.ID)}
	with := record.Decoders{Images: b.spec.Images, Videos: b.spec.Videos, Audios: b.spec.Audios, Open: b.spec.open}
	return plan.Decode(ctx, with, inputs, b.slots[i].Field, by)
}

// inputs returns the inputs of a record. The name of its first one is the sample's.
func (b *records) inputs(ctx context.Context, sources []C.spool_source, s *batch.Sample) ([]spool.Object, error) {
	plan := b.spec.plan
	inputs := make([]spool.Object, len(sources))
	for k := range sources {
		if sources[k].path == nil && sources[k].data == nil {
			continue // absent
		}
		in, err := inputOf(&sources[k])
		if err != nil {
			return nil, err
		}
		if s.Name == "" {
			s.Name = in.name
		}
		inputs[k] = in.object(b.spec.stores)
	}
	for k, object := range inputs {
		opener, closed := object.(spool.Opener)
		if !closed || !plan.Owned(k) {
			continue
		}
		opened, err := opener.OpenParts(ctx, 0, 0) // what stays open needs an identity
		if err != nil {
			for _, earlier := range inputs[:k] {
				if earlier != nil {
					err = errors.Join(err, earlier.Close())
				}
			}
			return nil, plan.InInput(k, err)
		}
		inputs[k] = opened
	}
	return inputs, nil
}

// failures returns the records that were not decoded.
func (b *records) failures() (all []failure) {
	for i, err := range b.errs {
		if err != nil {
			all = append(all, failure{i, errorInfoOf(err, "decode")})
		}
	}
	return all
}

//export goRecordSpecNew
func goRecordSpecNew(json *C.char, spec *C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "options", func() error {
		s, err := newRecordSpec(json)
		if err == nil {
			*spec = register(s)
		}
		return err
	})
}

//export goRecordSpecRelease
func goRecordSpecRelease(spec C.uintptr_t) {
	guard(nil, "release", func() error { return release[*spool_record_spec](spec) })
}

//export goRecordSpecInputs
func goRecordSpecInputs(spec C.uintptr_t, json **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "inputs", func() error {
		return use(spec, func(_ context.Context, s *spool_record_spec) (err error) {
			type input struct {
				Name     string `json:"name"`
				Value    bool   `json:"value"`
				Optional bool   `json:"optional"`
			}
			all := []input{}
			for _, in := range s.plan.Inputs() {
				all = append(all, input{in.Name, in.Value, in.Optional})
			}
			*json, err = jsonArray(all)
			return err
		})
	})
}

//export goDecodeRecords
func goDecodeRecords(spec C.uintptr_t, sources *C.spool_source, n C.int64_t, o *C.spool_images_options,
	cancel C.uintptr_t, to *C.spool_batch, failures **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "decode", func() error {
		return use(spec, func(ctx context.Context, s *spool_record_spec) error {
			return withCancel(ctx, cancel, func(ctx context.Context) error {
				b := &records{spec: s, options: o}
				if err := b.validate(sources, n, to); err != nil {
					return err
				}
				done, err := b.run(ctx)
				if err != nil {
					return err
				}
				return b.hand(done, to, failures)
			})
		})
	})
}

// hand passes the batch and the failures to C.
func (b *records) hand(done *batch.Batch, to *C.spool_batch, failures **C.spool_array) (err error) {
	*to = C.spool_batch{}
	var told *C.spool_array
	if failed := b.failures(); len(failed) > 0 && failures != nil {
		if told, err = jsonArray(failed); err != nil {
			if done != nil {
				done.Release()
			}
			return err
		}
	}
	if done != nil {
		about := recordInfo{b.spec.plan.Schema().Outputs(), b.spec.plan.Columns(nil)}
		ready, err := forC(delivery{batch: done}, nil, about)
		if err != nil {
			C.spool_array_release(told)
			return fmt.Errorf("records: %w", err)
		}
		ready.hand(to)
	}
	if failures != nil {
		*failures = told
	}
	return nil
}
