package settings

import (
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/source/object"
)

// DecodeVideo is what decoding frames of a video takes.
type DecodeVideo struct {
	Frames Frames
	Spec   decode.VideoSpec
	Skip   bool // frames that did not come are left out
	Open   decode.VideoOptions
	Limits decode.Limits
	Stores object.Options // where the file is at an address
}

// DecodeVideo defines the settings of decode video. When all have been given, judge completes them and adds what is wrong.
func (s *Set) DecodeVideo(d *DecodeVideo) (judge func()) {
	var (
		frame  decode.ImageSpec
		damage decode.Damage
		planes decode.Planes
		chroma decode.Chroma
	)
	s.Frames(&d.Frames)
	s.Geometry(&frame.Resize)
	Choice(s, "planes", &planes, "converted", "frames as they are stored, luma and chroma apart: planar, as yuv420p; pairs, as nv12",
		map[string]decode.Planes{"converted": decode.Converted, "planar": decode.Planar, "pairs": decode.SemiPlanar})
	Choice(s, "chroma", &chroma, "bicubic", "how exact frames have chroma interpolated: bicubic, as the ffmpeg command; bilinear, as decord",
		map[string]decode.Chroma{"bicubic": decode.BicubicChroma, "bilinear": decode.BilinearChroma})
	p := s.Pixels(&frame)
	Choice(s, "on-damage", &damage, "fail", "fail: an error; skip: what does not come is left out; repeat: the last good frame again",
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
