package record

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/order"
)

// Audio decodes a window of audio to a fixed number of samples: longer audio is cut, and shorter audio is padded with
// silence. It has three arrays: NAME with the samples, NAME.length int64 with the number of samples of each channel
// before the padding, and NAME.start float64 with the time of the first one in seconds.
type Audio struct {
	// Spec is the result. Rate and Channels must be set. Start, End and Clock must not. With Length 0, a sample has
	// as many audio samples as its window, by what the file says of its length: see NewSizedPlan.
	Spec audio.Spec
	// Open chooses the stream of a file.
	Open audio.OpenOptions
	// Stream is the input that has the stream's index in the file, in place of Open.Stream: a column. Empty: none.
	Stream string

	// Like is a video field, whose clips are the windows: the same time of the file's clock. If the video has several
	// clips, NAME is NAME.0 and so on. Empty means Start and End.
	Like string
	// Start and End are the window, in seconds from the first sample. An End of 0 means the end of the file.
	Start, End Time
	// Random draws where the samples begin within the window, if it has more than Spec.Length samples.
	Random bool
}

func (Audio) value() bool { return false }

func (k Audio) times() []Time { return withStream(k.Stream, k.Start, k.End) }

func (k Audio) validate(s Schema, bad *invalid.Options) {
	bad.Add(k.Spec.Validate())
	bad.Add(k.Open.Validate())
	oneStream(bad, k.Stream, k.Open.Stream != nil || k.Open.Language != "")
	if k.Spec.Channels == 0 || k.Spec.Rate == 0 {
		bad.Addf("the samples of a batch need one shape: set Spec.Length, Spec.Rate and Spec.Channels")
	}
	if k.Like != "" && k.Spec.Length == 0 {
		bad.Needs(invalid.With("Like", k.Like), invalid.Named("Spec.Length"), "")
	}
	if k.Random && k.Spec.Length == 0 {
		bad.Needs(invalid.Named("Random"), invalid.Named("Spec.Length"), "")
	}
	if k.Spec.Start != 0 || k.Spec.End != 0 || k.Spec.Clock {
		bad.Values(invalid.Named("Spec.Start", "Spec.End", "Spec.Clock"), "must not be set: Start and End are the window")
	}
	k.Start.validate("Start", bad)
	k.End.validate("End", bad)
	if end := k.End.Seconds; k.Start.Input == "" && end != 0 && end <= k.Start.Seconds {
		bad.Value("End.Seconds", end, "must be after Start")
	}
	if k.Like == "" {
		return
	}
	if k.Random || k.Start != (Time{}) || k.End != (Time{}) {
		bad.Excludes(invalid.With("Like", k.Like), invalid.Named("Random", "Start", "End"), "the video has the window")
	}
	if i := s.Find(k.Like); i < 0 {
		bad.Value("Like", k.Like, "no field has this name")
	} else if _, ok := s[i].Kind.(Video); !ok {
		bad.Value("Like", k.Like, "is no video")
	} else if s[i].Optional {
		bad.Value("Like", k.Like, "is optional; audio that follows it would have no window")
	}
}

func (k Audio) parts(Schema) []part {
	samples := k.sample(k.Spec.Length)
	return []part{{array: true, sample: samples},
		{suffix: ".length", array: true, sample: spool.Desc{DType: spool.Int64}},
		{suffix: ".start", array: true, sample: spool.Desc{DType: spool.Float64}}}
}

// sample describes n samples of each channel.
func (k Audio) sample(n int) spool.Desc {
	spec := k.Spec
	spec.Length = max(n, 1)
	d, _ := spec.Sample()
	d.Shape[k.time()] = n
	return d
}

// time is the dimension of time.
func (k Audio) time() int {
	if k.Spec.Layout == spool.TC {
		return 0
	}
	return 1
}

// within returns the spec with the window of a record. times are those of the field.
func (r *run) within(k Audio, times []float64) audio.Spec {
	spec := k.Spec
	spec.Start, spec.End = times[0], times[1]
	if s := r.decoders.Segment; s != nil && k.Start == (Time{}) && k.End == (Time{}) {
		spec.Start, spec.End, spec.Clock = s.Start, s.End, true
	}
	return spec
}

// audioLength returns the number of samples of each channel in the window of a record.
func (r *run) audioLength(f *field) (n int, err error) {
	k := f.Kind.(Audio)
	times, err := r.seconds(f)
	if err != nil || times == nil {
		return 0, err
	}
	if k.Open.Stream, err = r.stream(f, times[2:], k.Open.Stream); err != nil {
		return 0, err
	}
	a, err := r.decoders.Audios.Open(r.ctx, r.inputs[f.input], k.Open)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	spec := r.within(k, times)
	spec.Length = 0
	if n, err = a.Expected(spec); n < 0 {
		return 0, &spool.Error{Op: "decode", File: r.inputs[f.input].Info().Name, Class: spool.ErrUnsupported,
			Text: "the file does not say how long its audio is: a fixed length is needed"}
	}
	return max(n, 1), err
}

// audio decodes the window of an audio field that follows none.
func (r *run) audio(i int) error {
	f := &r.fields[i]
	k := f.Kind.(Audio)
	times, err := r.seconds(f)
	if err != nil {
		return err
	}
	if times == nil {
		return r.absent(i)
	}
	return r.listen(f, times[2:], func(a *audio.Audio, _ int) audio.Spec {
		spec := r.within(k, times)
		if k.Random {
			by := r.draw
			by.View = f.view
			draws := by.Rand(order.OpWindow)
			spec = spec.Placed(draws.Float64(), a.Info())
		}
		return spec
	})
}

// followed decodes the audio that follows a video, whose clips show the given windows.
func (r *run) followed(f *field, windows []span) error {
	for _, i := range f.follow {
		own := &r.fields[i]
		if r.inputs[own.input] == nil {
			if err := r.absent(i); err != nil {
				return inField(own.Name, err)
			}
			continue
		}
		times, err := r.seconds(own)
		if err != nil {
			return inField(own.Name, err)
		}
		if times == nil {
			if err := r.absent(i); err != nil {
				return inField(own.Name, err)
			}
			continue
		}
		err = r.listen(own, times[2:], func(_ *audio.Audio, view int) audio.Spec {
			spec := own.Kind.(Audio).Spec
			spec.Start, spec.End, spec.Clock = windows[view].start, windows[view].end, true
			return spec
		})
		if err != nil {
			return inField(own.Name, err)
		}
	}
	return nil
}

// listen opens the audio of a field, and decodes a window for each view. numbers are those of the field after its
// times. window returns the spec with the window.
func (r *run) listen(f *field, numbers []float64, window func(a *audio.Audio, view int) audio.Spec) (err error) {
	open := f.Kind.(Audio).Open
	if open.Stream, err = r.stream(f, numbers, open.Stream); err != nil {
		return err
	}
	reports := make([]audio.Report, f.views)
	one, _ := f.Kind.(Audio).sample(1).Bytes()
	err = r.openAudio(f, open, func(a *audio.Audio) (all audio.Report, err error) {
		for view := range reports {
			dst, spec := r.part(f, view, 0), window(a, view)
			spec.Length = len(dst) / one
			if reports[view], err = a.ReadInto(r.ctx, dst, spec); err != nil {
				return all, err
			}
			all.Damage = append(all.Damage, reports[view].Damage...)
		}
		return all, nil
	})
	if err != nil {
		return err
	}
	for view, report := range reports {
		length := len(r.part(f, view, 0)) / one
		r.result.Blank += length - min(report.Samples, length)
		binary.NativeEndian.PutUint64(r.part(f, view, 1), uint64(report.Samples))
		binary.NativeEndian.PutUint64(r.part(f, view, 2), math.Float64bits(report.Start()))
		if n := len(report.Damage); n > 0 {
			r.warn(n, report.Damage[0].Text)
			r.result.Damaged = true
		}
	}
	return nil
}
