package settings

import (
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/source/object"
)

// DecodeVideo is the parameters of decoding frames of a video.
type DecodeVideo struct {
	Frames Frames
	Spec   video.Spec
	Skip   bool // leave out frames that could not be decoded
	Open   video.OpenOptions
	Limits decode.Limits
	Stores object.Options // for a file at a URL
}

// DecodeVideo defines the settings of decode video. Once all values are given, judge completes d and adds the problems.
func (s *Set) DecodeVideo(d *DecodeVideo) (judge func()) {
	var (
		frame  image.Spec
		damage decode.Damage
		planes video.Planes
		chroma video.Chroma
	)
	s.Frames(&d.Frames)
	s.Geometry(&frame.Resize)
	Choice(s, "planes", &planes, "converted",
		"frames as stored, with separate luma and chroma: planar, like yuv420p; pairs, like nv12",
		map[string]video.Planes{"converted": video.Converted, "planar": video.Planar, "pairs": video.SemiPlanar})
	Choice(s, "chroma", &chroma, "bicubic",
		"chroma interpolation of exact frames: bicubic, like the ffmpeg command; bilinear, like decord",
		map[string]video.Chroma{"bicubic": video.BicubicChroma, "bilinear": video.BilinearChroma})
	p := s.Pixels(&frame)
	Choice(s, "on-damage", &damage, "fail",
		"fail: an error; skip: leave out frames that cannot be decoded; repeat: the last good frame again",
		map[string]decode.Damage{"fail": decode.FailOnDamage, "skip": decode.MarkDamage, "repeat": decode.RepeatOnDamage})
	s.Video(&d.Open)
	s.Limits(&d.Limits)
	s.Stores(&d.Stores)
	return func() {
		d.Frames.Judge(s)
		p.Judge(s)
		d.Spec, d.Skip = FrameSpec(frame, damage), damage == decode.MarkDamage
		d.Spec.Chroma = chroma
		if d.Spec.Planes = planes; planes != video.Converted && !s.Given("fill") {
			d.Spec.Fill = nil
		}
		s.Check(d.Spec.Validate())
		s.Check(d.Open.Validate())
	}
}
