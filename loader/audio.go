package loader

import (
	"context"
	"errors"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/source"
)

// AudioOptions are the settings of a loader of sound. A placeholder is silence.
type AudioOptions struct {
	// Spec is what each sound becomes. With Length, and Rate and Channels, the samples of a batch have one shape: longer
	// sound is cut, silence follows shorter, and batch.Sample.Length says what is sound. Without Length each file is a
	// batch of its own, as long as it is, and Batch and Last do not count.
	Spec decode.AudioSpec
	// Open says which stream of a file is taken.
	Open decode.AudioOptions
	// Random takes Length samples of a sound that has more from a place that is drawn for each sample and epoch, from
	// Seed, and not from its beginning.
	Random bool

	Options
}

// Validate reports all that is wrong with the options, as spool.ErrOptions.
func (o AudioOptions) Validate() error {
	var p problems
	for _, err := range []error{o.Spec.Validate(), o.Open.Validate()} {
		if err != nil {
			p = append(p, err)
		}
	}
	switch fixed := o.Spec.Length > 0; {
	case fixed && (o.Spec.Rate == 0 || o.Spec.Channels == 0):
		p.add("the samples of a batch need one shape: set Rate and Channels beside Length")
	case !fixed && o.Random:
		p.add("a random window needs a length")
	case !fixed && o.OnError == Placeholder:
		p.add("a placeholder needs a length")
	}
	if o.Random && (o.Spec.Start != 0 || o.Spec.End != 0) {
		p.add("a random window, and a start or an end, exclude each other")
	}
	o.check(&p, o.Spec.Length > 0, o.Random)
	return errors.Join(p...)
}

// Audio prepares a loader of sound. The source is lent until Close. Nothing is read before Batches. A file of up to
// 8 MiB is read while others are decoded, a larger one where its decoder asks. The error is ErrOptions with all that
// is wrong, or ErrEmpty for a source without samples.
func Audio(src source.Source, o AudioOptions) (*Loader, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	m := medium{recipe: []any{o.Spec, o.Open}, whole: readWhole, decode: o.decode, fetchers: 2, ahead: func(workers int) int { return 4 * workers }}
	if m.sample, m.slots = o.Spec.Sample(); m.slots {
		m.blank = func(_ context.Context, _ *decode.Decoder, slot []byte) error { clear(slot); return nil }
	}
	return load(src, o.Options, m)
}

// FLAC is what has decoded FLAC files so far, and why. It may be called at any time before Close.
func (l *Loader) FLAC() decode.FLACCounts { return l.decoder.FLAC() }

// opWindow is what the place of a random window is drawn by, as opClip is for clips.
const opWindow = 17

// decode writes a sound into its slot, or into a buffer of its own where it has none.
func (o AudioOptions) decode(ctx context.Context, d *decode.Decoder, it *item) (err error) {
	a, err := d.OpenAudio(ctx, it.input(), o.Open)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	spec := o.Spec
	if o.Random {
		i := a.Info()
		draws := it.drawn(o.Seed, it.sample.ID).Rand(opWindow)
		spec.Start = draws.Float64() * max(0, i.Duration()-float64(spec.Length)/float64(spec.Rate))
	}
	var report decode.SoundReport
	if it.placed {
		report, err = a.Into(ctx, it.slot.Bytes(), spec)
	} else {
		var sound *decode.Sound
		if sound, err = a.Read(ctx, spec); err == nil {
			it.part, report = sound.Buffer, sound.SoundReport
		}
	}
	if err != nil {
		return err
	}
	it.sample.Start, it.sample.Length = report.Start(), report.Samples
	if it.sample.Warnings = len(report.Damage); it.sample.Warnings > 0 {
		it.sample.State, it.sample.Warning = batch.Damaged, report.Damage[0].Text
	}
	return nil
}
