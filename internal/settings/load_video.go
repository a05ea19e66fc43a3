package settings

import (
	"slices"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source"
)

// LoadVideo defines the settings of a loader of clips.
func (s *Set) LoadVideo() *Load {
	var (
		l      = &Load{kind: source.Videos}
		spec   = &l.Frame
		o      loader.VideoOptions
		damage decode.Damage
		train  bool
	)
	s.Number("frames", &o.Frames, "16", 1, "frames of a clip, evenly spread over its file")
	s.sample(&spec.Resize)
	s.crops(&spec.Crops)
	p := s.Pixels(spec)
	s.Boolean("train", &train, false,
		"consecutive frames from a random position; a random crop of each, resized to --size, and mirrored half of the time")
	s.random(&o.Augment, &o.Ops)
	s.Number("stride", &o.Stride, "", 1, "with --train: distance in frames from one to the next")
	l.decoding(s, "clips")
	l.normalizing(s)
	s.onDamage(&damage)
	s.Video(&o.Open)
	s.Isolate(&l.common.Isolate)
	l.windows.define(s)
	l.define(s, "files")
	l.complete = func() {
		l.indexes = o.Open.IndexDir
		l.windows.Open = o.Open
		o.Random = train
		s.trained(train, &o.Augment)
		s.sampled(&spec.Resize, train)
		p.Judge(s)
		s.Fits(l.common.Batch, o.Frames, *spec)
		o.Spec = FrameSpec(*spec, damage)
		l.normalized(s, &o.Spec.DType, &o.Spec.Layout, &o.Spec.Mean, &o.Spec.Std)
		if l.decodes(s) {
			o.OnDevice = &video.DeviceOptions{Device: l.Device}
		}
	}
	l.makes(&o.Options, func() error { return o.Validate() }, //nolint:gocritic // a method value would copy o now
		func(src source.Source) (*loader.Loader, error) { return loader.Videos(src, o) })
	return l
}

// windows is the setting --windows.
type windows struct{ loader.WindowOptions }

// define defines its setting.
func (w *windows) define(s *Set) {
	s.positive("windows", "S",
		"a sample for each S seconds of each video, instead of one for each video; opens all videos "+
			"before the run, to find how long they are", &w.Seconds)
}

// judge finds the video field of records that has the windows. given reports whether fields are given.
func (w *windows) judge(s *Set, schema record.Schema, given bool) {
	if w.Seconds == 0 {
		return
	}
	i := slices.IndexFunc(schema, func(f record.Field) bool {
		k, ok := f.Kind.(record.Video)
		return ok && k.Start == (record.Time{}) && k.End == (record.Time{}) && k.Stream == ""
	})
	switch {
	case !given:
		s.Refuse("--windows excludes LeRobot data sets without fields: a sample is one of their rows")
	case i < 0:
		s.Refuse("--windows needs a video field without start, end and a column of streams, which has the windows")
	default:
		w.Input, w.Open = schema.Input(i), schema[i].Kind.(record.Video).Open
	}
}
