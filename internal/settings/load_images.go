package settings

import (
	"github.com/spoolmedia/spool/decode/device"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
)

// LoadImages defines the settings of a loader of images.
func (s *Set) LoadImages() *Load {
	var (
		l      = &Load{kind: source.Images}
		spec   = &l.Frame
		o      loader.ImageOptions
		train  bool
		nvjpeg string
	)
	s.sample(&spec.Resize)
	s.crops(&spec.Crops)
	s.Number("frame", &spec.Frame, "0", 0,
		"which frame of animated images, or which page; a file with fewer frames is a bad sample")
	p := s.ImagePixels(spec)
	s.Boolean("train", &train, false, "a random crop of each image, resized to --size, and mirrored half of the time")
	s.random(&o.Augment, &o.Ops)
	l.decoding(s, "JPEG images")
	s.Text("nvjpeg", &nvjpeg, "FILE", "nvJPEG, for --decode-on=device, by the rules of the dynamic linker")
	l.normalizing(s)
	s.JPEG(&o.JPEG)
	s.Isolate(&l.common.Isolate)
	s.IndexDir(&l.indexes)
	l.define(s, "images")
	l.complete = func() {
		s.trained(train, &o.Augment)
		s.sampled(&spec.Resize, train)
		p.Judge(s)
		s.Fits(l.common.Batch, 1, *spec)
		o.Spec = *spec
		l.normalized(s, &o.Spec.DType, &o.Spec.Layout, &o.Spec.Mean, &o.Spec.Std)
		if l.decodes(s) {
			o.OnDevice = &device.Options{Device: l.Device, Library: nvjpeg}
		}
	}
	l.makes(&o.Options, func() error { return o.Validate() }, //nolint:gocritic // a method value would copy o now
		func(src source.Source) (*loader.Loader, error) { return loader.Images(src, o) })
	return l
}
