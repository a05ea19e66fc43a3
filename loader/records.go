package loader

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
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
	// JPEG chooses the engine for JPEG images.
	JPEG image.JPEGEngine
	Options
}

// Validate reports all invalid options. Those of a field are within a *record.FieldError.
func (o RecordOptions) Validate() error {
	var bad invalid.Options
	bad.Add(o.Schema.Validate())
	if o.JPEG > image.JPEGTurbo {
		bad.Value("JPEG", uint8(o.JPEG), "no such engine")
	}
	if caches := o.caches(); len(caches) > 0 {
		bad.Values(caches, "records are not cached")
	}
	o.Options.validate(&bad)
	return bad.Err()
}

// Records returns a loader of records, whose batches have an array for each field of a fixed size: see
// batch.Batch.Fields. The fields of any length are in batch.Sample.Values. The source gives the schema's inputs, in
// their order: see record.Schema.Inputs and source.OpenRecords. It is lent until Close. Records reads nothing: Batches
// does. Errors are ErrOptions with all invalid options, or ErrEmpty for a source without samples.
//
// The inputs of a record are read whole, once, within Fetching.Memory. Of video and audio over 8 MiB, and of videos with
// a window from other inputs, the decoder reads the parts that it needs; such videos stay open for other records: see
// record.OpenVideos. A bad field makes the record a bad sample, and pipe.Failure.Field names it.
func Records(src source.RecordSource, o RecordOptions) (*Loader, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	plan, err := record.NewPlan(o.Schema)
	if err != nil {
		return nil, err
	}
	open, err := record.NewOpenVideos(record.OpenVideosOptions{})
	if err != nil {
		return nil, err
	}
	r := records{plan: plan, seed: o.Seed, open: open}
	m := imageMedium()
	m.record, m.jpeg, m.decode, m.blank, m.close = plan, o.JPEG, r.decode, r.blank, open.Close
	return load(src, o.Options, m)
}

// records decodes records.
type records struct {
	plan *record.Plan
	seed uint64
	open *record.OpenVideos
}

// decode writes a record's arrays to its slot.
func (r records) decode(ctx context.Context, d *decoders.Set, it *item) error {
	objects := make([]spool.Object, len(it.inputs))
	for k := range it.inputs {
		objects[k] = it.inputs[k].reader(it.inputs[k].info.Name)
		if r.plan.Owned(k) {
			it.inputs[k].object = nil
		}
	}
	decoders := record.Decoders{Images: d.Images, Videos: d.Videos, Audios: d.Audios, Open: r.open}
	result, err := r.plan.Decode(ctx, decoders, objects, it.slot.Field, it.drawn(r.seed, it.sample.ID))
	if err != nil {
		return err
	}
	s := &it.sample
	s.Values, s.Absent = result.Values, result.Absent
	s.Crop = crop(result.Region, result.FlipX, result.FlipY)
	s.Warnings, s.Warning = result.Warnings, result.Warning
	if result.Damaged {
		s.State = batch.Damaged
	}
	return nil
}

// blank fills the arrays of a slot, and gives the sample absent values.
func (r records) blank(ctx context.Context, d *decoders.Set, it *item) error {
	it.sample.Values = r.plan.Absent()
	return r.plan.Blank(ctx, d.Images, it.slot.Field)
}
