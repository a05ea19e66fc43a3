package settings

import (
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/loader"
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
	p := s.Pixels(spec)
	s.Boolean("train", &train, false,
		"consecutive frames from a random position; a random crop of each, resized to --size, and mirrored half of the time")
	s.random(&o.Augment, &o.Ops)
	s.Number("stride", &o.Stride, "", 1, "with --train: distance in frames from one to the next")
	s.onDamage(&damage)
	s.Video(&o.Open)
	l.define(s, "files")
	l.complete = func() {
		l.indexes = o.Open.IndexDir
		o.Random = train
		s.trained(train, &o.Augment)
		s.sampled(&spec.Resize, train)
		p.Judge(s)
		s.Fits(l.common.Batch, o.Frames, *spec)
		o.Spec = FrameSpec(*spec, damage)
	}
	l.validate = func(with loader.Options) error {
		o.Options = with
		return o.Validate()
	}
	l.load = func(src source.Source, with loader.Options) (*loader.Loader, error) {
		o.Options = with
		return loader.Videos(src, o)
	}
	return l
}
