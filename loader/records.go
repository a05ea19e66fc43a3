package loader

import (
	"context"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source"
)

// RecordOptions are the settings of a loader of records.
type RecordOptions struct {
	// Schema is the fields of a record.
	Schema record.Schema
	// Form is how batches hold samples of different sizes. The zero value needs fixed sizes.
	Form Form
	// JPEG chooses the engine for JPEG images.
	JPEG image.JPEGEngine
	Options
}

// Validate reports all invalid options. Those of a field are within a *record.FieldError.
func (o RecordOptions) Validate() error {
	var bad invalid.Options
	o.Form.validate(o.Schema, o.Options, &bad)
	bad.Add(o.Form.validateSchema(o.Schema))
	if o.JPEG > image.JPEGTurbo {
		bad.Value("JPEG", uint8(o.JPEG), "no such engine")
	}
	if caches := o.caches(); len(caches) > 0 {
		if o.Form.Kind != FormDense {
			bad.Excludes(caches, invalid.With("Form.Kind", o.Form.Kind), "cached samples have one size")
		}
		for _, f := range o.Schema {
			if draws := f.Draws(); len(draws) > 0 {
				err := &spool.OptionError{Options: invalid.Named(draws...),
					Text: "must not be set with a cache of decoded samples: " +
						"each epoch has other pixels"}
				bad.Add(&record.FieldError{Field: f.Name, Err: err})
			}
		}
	}
	o.Options.validate(&bad)
	return bad.Err()
}

// Records returns a loader of records, whose batches have an array for each image, mask, clip, window of audio and
// number: see batch.Batch.Fields. These have fixed sizes, or those that Form allows. Boxes, points, masks of objects,
// text and bytes are in batch.Sample.Values. The source gives the schema's inputs, in their order: see
// record.Schema.Inputs and source.OpenRecords. It is lent until Close. Records reads nothing: Batches does. Errors are
// ErrOptions with all invalid options, or ErrEmpty for a source without samples.
//
// The inputs of a record are read whole, once, within Fetching.Memory. Of video and audio over 8 MiB, and of files
// with a window from other inputs, the decoder reads the parts that it needs; such files stay open for other records:
// see record.OpenFiles. A bad field makes the record a bad sample, and pipe.Failure.Field names it.
func Records(src source.RecordSource, o RecordOptions) (*Loader, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if _, streamed := src.(source.Streamed); streamed && o.Form.Kind == FormBucket {
		var bad invalid.Options
		bad.Value("Form.Kind", o.Form.Kind, "a state must find the samples that wait in buckets again, which a stream cannot")
		return nil, bad.Err()
	}
	open, err := record.NewOpenFiles(record.OpenFilesOptions{})
	if err != nil {
		return nil, err
	}
	r := &records{seed: o.Seed, open: open}
	m := imageMedium()
	m.jpeg, m.form, m.recipe = o.JPEG, o.Form, []any{o.Schema}
	newPlan := record.NewPlan
	if o.Form.sized() {
		newPlan = record.NewSizedPlan
	}
	for _, s := range o.Form.schemas(o.Schema) {
		plan, err := newPlan(s)
		if err != nil {
			return nil, err
		}
		if inParts(src) {
			plan = plan.Segmented()
		}
		r.plans = append(r.plans, plan)
	}
	m.record, m.decode, m.blank, m.close = r.plans[0], r.decode, r.blank, open.Close
	if o.Form.Lengths == nil { // otherwise the frames of clips are known with their bucket
		m.fetchRanges = r.fetchRanges
	}
	switch {
	case o.Form.Kind == FormBucket:
		o.Options.setDefaults()
		if r.lengths, r.leader = o.Form.Lengths, o.Schema[o.Form.bucketed(o.Schema)].Name; r.lengths == nil {
			r.sizes = o.Form.buckets(o.Schema)
		}
		for _, p := range r.plans {
			m.buckets = append(m.buckets, p.Arrays())
		}
		m.identity, m.measure = o.Form.identity(o.Schema, o.Batch), r.choose
	case o.Form.sized():
		m.measure = r.measure
	}
	return load(src, o.Options, m)
}

// records decodes records.
type records struct {
	plans   []*record.Plan // by bucket, or one
	sizes   buckets
	lengths []int  // instead of sizes
	leader  string // the field with the size or length of the bucket
	seed    uint64
	open    *record.OpenFiles
}

// objects returns an item's inputs.
func (it *item) objects() []spool.Object {
	objects := make([]spool.Object, len(it.inputs))
	for k := range it.inputs {
		objects[k] = it.inputs[k].reader(it.inputs[k].info.Name)
	}
	return objects
}

// measure finds the sizes of an item's arrays.
func (r *records) measure(ctx context.Context, d *decoders.Set, it *item) (err error) {
	it.arrays, err = r.plans[0].Measure(ctx, r.with(d, it), it.objects(), it.drawn(r.seed, it.sample.ID))
	return err
}

// choose finds the bucket of an item.
func (r *records) choose(ctx context.Context, d *decoders.Set, it *item) error {
	if r.lengths != nil {
		n, err := r.plans[0].Length(ctx, r.with(d, it), it.objects(), r.leader)
		it.bucket, _ = slices.BinarySearch(r.lengths, n)
		it.bucket = min(it.bucket, len(r.lengths)-1)
		return err
	}
	width, height, err := r.plans[0].Upright(ctx, d.Images, it.objects(), r.leader)
	if err == nil {
		it.bucket = r.sizes.of(width, height)
	}
	return err
}

// fetchRanges fetches the packets of a record's remote clips.
func (r *records) fetchRanges(ctx context.Context, d *decoders.Set, it *item) (err error) {
	videos := make([]bool, len(it.inputs))
	for k := range it.inputs {
		videos[k] = it.inputs[k].partly
	}
	it.ahead, err = r.plans[0].Prefetch(ctx, r.with(d, it), it.objects(), videos, it.memory,
		it.drawn(r.seed, it.sample.ID))
	return err
}

// with returns what the plan of an item uses.
func (r *records) with(d *decoders.Set, it *item) record.Decoders {
	return record.Decoders{Images: d.Images, Videos: d.Videos, Audios: d.Audios, Open: r.open, Segment: it.segment,
		Ahead: it.ahead}
}

// decode writes a record's arrays to its slot.
func (r *records) decode(ctx context.Context, d *decoders.Set, it *item) error {
	plan, objects := r.plans[it.bucket], it.objects()
	for k := range it.inputs {
		if plan.Owned(k) {
			it.inputs[k].object = nil // Decode has it
		}
	}
	result, err := plan.Decode(ctx, r.with(d, it), objects, it.field, it.drawn(r.seed, it.sample.ID))
	if err != nil {
		return err
	}
	result.Describe(&it.sample)
	return nil
}

// blank fills the arrays of a slot, and gives the sample absent values.
func (r *records) blank(ctx context.Context, d *decoders.Set, it *item) error {
	it.sample.Values = r.plans[it.bucket].Absent()
	return r.plans[it.bucket].Blank(ctx, d.Images, it.slot.Field)
}

// inParts reports whether samples of a source may be parts of files.
func inParts(src source.Source) bool {
	if s, ok := src.(interface{ Segmented() bool }); ok {
		return s.Segmented()
	}
	_, ok := src.(source.Segmented)
	return ok
}
