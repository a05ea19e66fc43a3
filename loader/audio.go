package loader

import (
	"context"
	"math"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source"
)

// AudioOptions are the settings of a loader of audio. A placeholder is silence.
type AudioOptions struct {
	// Spec is the output for each file. If Length is set, Rate and Channels must be set too, and all samples of a batch
	// have one shape. Longer audio is trimmed, shorter audio is padded with silence, and batch.Sample.Length is the number
	// of audio samples before the padding. Without Length, each file is a batch with all of its audio, and Batch and Last
	// have no effect.
	Spec audio.Spec
	// Open chooses the stream of a file.
	Open audio.OpenOptions
	// Random draws the start of the window for each sample and epoch, from Seed, if a file, or the segment of a file, has
	// more than Length audio samples. Otherwise the window begins at Spec.Start, or with the segment.
	Random bool

	Options
}

// Validate reports all invalid options, each as a *spool.OptionError.
func (o AudioOptions) Validate() error {
	var bad invalid.Options
	bad.Add(o.Spec.Validate())
	bad.Add(o.Open.Validate())
	if o.Spec.Length > 0 {
		if o.Spec.Rate == 0 || o.Spec.Channels == 0 {
			bad.Addf("the samples of a batch need one shape: set Spec.Rate and Spec.Channels together with Spec.Length")
		}
	} else {
		o.validateWhole(&bad)
	}
	var drawn []string
	if o.Random {
		drawn = []string{"Random"}
	}
	if o.Random && (o.Spec.Start != 0 || o.Spec.End != 0) {
		bad.Excludes(invalid.Named("Random"), invalid.Named("Spec.Start", "Spec.End"), "the window is drawn")
	}
	o.Options.validate(&bad, drawn...)
	return bad.Err()
}

// validateWhole adds what needs a length, for samples that have none.
func (o AudioOptions) validateWhole(bad *invalid.Options) {
	length := invalid.Named("Spec.Length")
	if o.Random {
		bad.Needs(invalid.Named("Random"), length, "")
	}
	if o.OnError == Placeholder {
		bad.Needs(invalid.With("OnError", "Placeholder"), length, "")
	}
	if caches := o.caches(); len(caches) > 0 {
		bad.Needs(caches, length, "cached samples have one size")
	}
}

// Audio returns a loader of audio. The source is lent until Close. Audio reads nothing: Batches does. A file of up to 8
// MiB is read whole while others are decoded; of a larger file, and of a segment of a local file (source.Segmented),
// the decoder reads the ranges that it needs. Local files of which samples are segments stay open for later ones,
// within the limits of record.OpenFilesOptions. Errors are ErrOptions with all invalid options, or ErrEmpty for a
// source without samples.
func Audio(src source.Source, o AudioOptions) (*Loader, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	kept, err := record.NewOpenFiles(record.OpenFilesOptions{})
	if err != nil {
		return nil, err
	}
	m := mediumSpec{recipe: []any{o.Spec, o.Open}, whole: decoders.ReadWhole, decode: audios{o, kept}.decode,
		close: kept.Close, fetchers: 2, ahead: func(workers int) int { return 4 * workers }}
	if m.sample, m.slots = o.Spec.Sample(); m.slots {
		m.blank = func(_ context.Context, _ *decoders.Set, it *item) error { clear(it.slot.Bytes()); return nil }
	}
	return load(src, o.Options, m)
}

// FLAC returns counts of the engines that have decoded FLAC files so far, with reasons. It may be called concurrently,
// at any time before Close.
func (l *Loader) FLAC() audio.FLACCounts { return l.decoder.Audios.FLAC() }

// audios decodes samples of audio.
type audios struct {
	AudioOptions
	kept *record.OpenFiles // local files with many segments
}

// decode writes a window of audio to the item's slot, or to its own buffer if it has no slot.
func (o audios) decode(ctx context.Context, d *decoders.Set, it *item) error {
	open, spec := o.Open, o.Spec
	if part := it.segment; part != nil {
		if spec.Start = max(0, part.Start); !math.IsInf(part.End, 1) {
			spec.End = part.End
		}
		if part.Stream != nil {
			open.Stream, open.Language = part.Stream, ""
		}
	}
	kept, in := o.kept, &it.inputs[0]
	if it.segment == nil {
		kept = nil
	}
	object := it.input()
	in.object = nil // the open file has it
	var report audio.Report
	err := kept.Audio(ctx, d.Audios, object, open, func(a *audio.Audio) (_ audio.Report, err error) {
		report, err = o.window(ctx, it, a, spec)
		return report, err
	})
	if err != nil {
		return err
	}
	it.sample.Start, it.sample.Length = report.Start(), report.Samples
	if it.sample.Warnings = len(report.Damage); it.sample.Warnings > 0 {
		it.sample.State, it.sample.Warning = batch.Damaged, report.Damage[0].Text
	}
	return nil
}

// window decodes the spec's window, or a random one, for an item.
func (o AudioOptions) window(ctx context.Context, it *item, a *audio.Audio, spec audio.Spec) (audio.Report, error) {
	if o.Random {
		draws := it.drawn(o.Seed, it.sample.ID).Rand(order.OpWindow)
		spec = spec.Placed(draws.Float64(), a.Info())
	}
	if it.placed {
		return a.ReadInto(ctx, it.slot.Bytes(), spec)
	}
	samples, err := a.Read(ctx, spec)
	if err != nil {
		return audio.Report{}, err
	}
	if it.buffer != nil {
		it.buffer.Release() // of a kept file that was damaged
	}
	it.buffer = samples.Buffer
	return samples.Report, nil
}
