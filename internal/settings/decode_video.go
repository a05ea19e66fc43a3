package settings

import (
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/source/object"
)

// DecodeVideo is the parameters of decoding frames of a video.
type DecodeVideo struct {
	Frames Frames
	Spec   decode.VideoSpec
	Skip   bool // leave out frames that could not be decoded
	Open   decode.VideoOptions
	Limits decode.Limits
	Stores object.Options // for a file at a URL
}

// DecodeVideo defines the settings of decode video. Once all values are given, judge completes d and adds the problems.
func (s *Set) DecodeVideo(d *DecodeVideo) (judge func()) {
	var (
		frame  decode.ImageSpec
		damage decode.Damage
		planes decode.Planes
		chroma decode.Chroma
	)
	s.Frames(&d.Frames)
	s.Geometry(&frame.Resize)
	Choice(s, "planes", &planes, "converted", "frames as stored, with separate luma and chroma: planar, like yuv420p; pairs, like nv12",
		map[string]decode.Planes{"converted": decode.Converted, "planar": decode.Planar, "pairs": decode.SemiPlanar})
	Choice(s, "chroma", &chroma, "bicubic", "chroma interpolation of exact frames: bicubic, like the ffmpeg command; bilinear, like decord",
		map[string]decode.Chroma{"bicubic": decode.BicubicChroma, "bilinear": decode.BilinearChroma})
	p := s.Pixels(&frame)
	Choice(s, "on-damage", &damage, "fail", "fail: an error; skip: leave out frames that cannot be decoded; repeat: the last good frame again",
		map[string]decode.Damage{"fail": decode.FailOnDamage, "skip": decode.MarkDamage, "repeat": decode.RepeatOnDamage})
	s.Video(&d.Open)
	s.Limits(&d.Limits)
	s.Stores(&d.Stores)
	return func() {
		d.Frames.Judge(s)
		p.Judge(s)
		d.Spec, d.Skip = FrameSpec(frame, damage), damage == decode.MarkDamage
		d.Spec.Chroma = chroma
		if d.Spec.Planes = planes; planes != decode.Converted && !s.Given("fill") {
			d.Spec.Fill = nil
		}
		s.Check(d.Spec.Validate())
		s.Check(d.Open.Validate())
	}
}
