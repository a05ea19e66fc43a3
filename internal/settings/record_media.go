package settings

import (
	"errors"
	"strconv"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/resize"
)

// time defines the setting for a time: a number of seconds, or the name of an input that has it.
func (s *Set) time(name, help string, t *record.Time) {
	s.Add(name, "S|INPUT", "", help+", in seconds, or the input that has it", func(text string) error {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			*t = record.Time{Seconds: v}
		} else {
			*t = record.Time{Input: text}
		}
		return nil
	})
}

// positive defines a setting for a number above 0.
func (s *Set) positive(name, kind, help string, p *float64) {
	s.Add(name, kind, "", help, func(text string) error {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v > 0 && v < 1e9) {
			return errors.New("must be a number above 0")
		}
		*p = v
		return nil
	})
}

func videoField(s *Set) func() record.FieldKind {
	var (
		k      record.Video
		frame  image.Spec
		damage decode.Damage
		train  bool
	)
	s.sample(&frame.Resize)
	p := s.Pixels(&frame)
	k.Frames = 16
	s.Add("frames", "N|all", "16",
		"frames of a clip, spread evenly over its window by default; all: those of the window, "+
			"of any number", func(text string) error {
			if text == "all" {
				k.Frames = record.AllFrames
				return nil
			}
			n, err := parseInt(text)
			if err != nil || n < 1 {
				return errors.New("must be a number from 1 up, or all")
			}
			k.Frames = n
			return nil
		})
	s.Number("clips", &k.Clips, "0", 0, "how many clips of a file: NAME.0, NAME.1; 0: one, called NAME")
	s.time("start", "where the window begins", &k.Start)
	s.time("end", "where the window ends; the file's end by default", &k.End)
	s.Boolean("train", &train, false,
		"a clip from a random position; a random crop of each, resized to --size, and mirrored half of the time")
	s.Boolean("random", &k.Random, false, "a clip from a random position")
	s.Number("stride", &k.Stride, "", 1, "frames this many frames apart")
	s.positive("fps", "F", "the frames that are shown at this rate", &k.FPS)
	s.Add("times", "S,S,...", "", "the frames nearest to these times after --start and --at",
		func(text string) (err error) {
			k.Times, err = parseSeconds(text)
			return err
		})
	s.time("at", "what --times are relative to, after --start", &k.At)
	s.positive("tolerance", "S", "largest distance of a frame from its time; any by default", &k.Tolerance)
	Choice(s, "pad", &k.Pad, "repeat", "frames after the window's end: repeat the last one, loop, fill, or refuse",
		map[string]record.Pad{"repeat": record.PadRepeat, "loop": record.PadLoop, "fill": record.PadFill,
			"refuse": record.PadRefuse})
	s.onDamage(&damage)
	s.streamOf(&k.Open.Stream, &k.Stream)
	s.opening(&k.Open)
	s.random(&k.Augment, &k.Ops)
	return func() record.FieldKind {
		s.trained(train, &k.Augment)
		k.Random = k.Random || train
		if len(k.Times) > 0 && !s.Given("frames") {
			k.Frames = 0
		}
		s.sampled(&frame.Resize, train)
		p.Judge(s)
		k.Spec = FrameSpec(frame, damage)
		return k
	}
}

// trained sets the geometry of training, except for settings that are given.
func (s *Set) trained(train bool, a *resize.Augment) {
	if !train {
		return
	}
	given := *a
	*a = Training()
	if given.ResizedCrop != nil {
		a.ResizedCrop = given.ResizedCrop
	}
	if s.Given("flip-x") {
		a.FlipX = given.FlipX
	}
	a.Crop, a.FlipY = given.Crop, given.FlipY
}

func audioField(s *Set) func() record.FieldKind {
	var (
		k        record.Audio
		spec     = &k.Spec
		duration float64
	)
	s.Number("rate", &spec.Rate, "16000", 1, "samples a second")
	s.Number("channels", &spec.Channels, "1", 1, "mix to this number of channels")
	s.positive("duration", "S", "seconds of a sample: longer audio is cut, and shorter audio is padded with silence; "+
		"without it, a sample has all audio of its window, which needs a --form", &duration)
	s.Text("like", &k.Like, "NAME", "the video field whose clips are the windows")
	s.time("start", "where the window begins", &k.Start)
	s.time("end", "where the window ends; the file's end by default", &k.End)
	s.Boolean("train", &k.Random, false, "take --duration from a random position of the window")
	s.AudioSamples(spec)
	s.streamOf(&k.Open.Stream, &k.Stream)
	s.audioOpening(&k.Open)
	return func() record.FieldKind {
		if spec.Length = s.samples(duration, spec.Rate); duration > 0 {
			spec.Length = max(spec.Length, 1) // a refused duration is reported once
		}
		return k
	}
}
