package loader

import (
	"context"

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
	// Form is how batches hold images of different sizes. The zero value needs fixed sizes.
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
		bad.Values(caches, "records are not cached")
	}
	o.Options.validate(&bad)
	return bad.Err()
}

// Records returns a loader of records, whose batches have an array for each image, mask and number: see
// batch.Batch.Fields. Images and masks have fixed sizes, or those that Form allows. The fields of any length are in
// batch.Sample.Values. The source gives the schema's inputs, in their order: see record.Schema.Inputs and
// source.OpenRecords. It is lent until Close. Records reads nothing: Batches does. Errors are ErrOptions with all
// invalid options, or ErrEmpty for a source without samples.
//
// The inputs of a record are read whole, once, within Fetching.Memory. Of video and audio over 8 MiB, and of videos
// with a window from other inputs, the decoder reads the parts that it needs; such videos stay open for other records:
// see record.OpenVideos. A bad field makes the record a bad sample, and pipe.Failure.Field names it.
func Records(src source.RecordSource, o RecordOptions) (*Loader, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	open, err := record.NewOpenVideos(record.OpenVideosOptions{})
	if err != nil {
		return nil, err
	}
	r := &records{seed: o.Seed, open: open}
	m := imageMedium()
	m.jpeg, m.form = o.JPEG, o.Form
	newPlan := record.NewPlan
	if o.Form.sized() {
		newPlan = record.NewSizedPlan
	}
	for _, s := range o.Form.schemas(o.Schema) {
		plan, err := newPlan(s)
		if err != nil {
			return nil, err
		}
		if _, ok := src.(source.Segmented); ok {
			plan = plan.Segmented()
		}
		r.plans = append(r.plans, plan)
	}
	m.record, m.decode, m.blank, m.close = r.plans[0], r.decode, r.blank, open.Close
	switch {
	case o.Form.Kind == FormBucket:
		o.Options.setDefaults()
		r.sizes, r.leader = o.Form.buckets(o.Schema), o.Schema[o.Form.bucketed(o.Schema)].Name
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
	plans  []*record.Plan // by bucket, or one
	sizes  buckets
	leader string // the image field with the size of the bucket
	seed   uint64
	open   *record.OpenVideos
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
	it.arrays, err = r.plans[0].Measure(ctx, d.Images, it.objects(), it.drawn(r.seed, it.sample.ID))
	return err
}

// choose finds the bucket of an item.
func (r *records) choose(ctx context.Context, d *decoders.Set, it *item) error {
	width, height, err := r.plans[0].Upright(ctx, d.Images, it.objects(), r.leader)
	if err == nil {
		it.bucket = r.sizes.of(width, height)
	}
	return err
}

// decode writes a record's arrays to its slot.
func (r *records) decode(ctx context.Context, d *decoders.Set, it *item) error {
	plan, objects := r.plans[it.bucket], it.objects()
	for k := range it.inputs {
		if plan.Owned(k) {
			it.inputs[k].object = nil // Decode has it
		}
	}
	with := record.Decoders{Images: d.Images, Videos: d.Videos, Audios: d.Audios, Open: r.open,
		Segment: it.segment}
	result, err := plan.Decode(ctx, with, objects, it.field, it.drawn(r.seed, it.sample.ID))
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
