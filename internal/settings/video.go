package settings

import (
	"errors"
	"strings"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source/object"
)

// Stream defines the setting that selects a stream of a file.
func (s *Set) Stream(p **int) {
	s.Add("stream", "N", "", "which stream of the file, numbered as in probe; the best one if not given",
		func(text string) error {
			n, err := parseInt(text)
			if err == nil && n < 0 {
				err = errors.New("must be at least 0")
			}
			if err == nil {
				*p = &n
			}
			return err
		})
}

// streamOf is Stream for a field of records, whose input may have the number.
func (s *Set) streamOf(p **int, input *string) {
	s.Add("stream", "N|INPUT", "",
		"which stream of the file, numbered as in probe, or the input that has the number; the "+
			"best one if not given", func(text string) error {
			n, err := parseInt(text)
			switch {
			case err != nil:
				*input = text
			case n < 0:
				return errors.New("must be at least 0")
			default:
				*p = &n
			}
			return nil
		})
}

// Video defines the settings for opening videos.
func (s *Set) Video(o *video.OpenOptions) {
	s.Stream(&o.Stream)
	s.opening(o)
}

// opening defines the settings for opening videos, except for the stream's number.
func (s *Set) opening(o *video.OpenOptions) {
	s.Text("language", &o.Language, "LANG", "the best stream of this language, like eng")
	s.Number("threads", &o.Threads, "1", 1, "threads of a file's decoder: several help for a single long video")
	s.codec(&o.Codec, &o.CodecOptions)
	s.Text("hwaccel", &o.Device, "DEVICE", "decode on a device if available: cuda, cuda:1, vaapi:/dev/dri/renderD128")
	s.IndexDir(&o.IndexDir)
}

// Demux defines the settings of reading packets. Once all values are given, judge adds the problems.
func (s *Set) Demux(d *decoders.Demux) (judge func()) {
	s.Medium(&d.Medium)
	s.Stream(&d.Stream)
	s.Text("language", &d.Language, "LANG", "the best stream of this language, like eng")
	var start, end float64
	s.Seconds("start", "the begin of the window", &start)
	s.Seconds("end", "the end of the window, exclusive", &end)
	s.Text("bsf", &d.Filters, "FILTERS", "FFmpeg's bitstream filters, like h264_mp4toannexb or a,b=option=value")
	return func() {
		if s.Given("start") {
			d.Start = &start
		}
		if s.Given("end") {
			d.End = &end
		}
		if d.Start != nil && d.End != nil && start > end {
			s.Refuse("--start %v is after --end %v", start, end)
		}
	}
}

// Medium defines the setting for the medium of a stream.
func (s *Set) Medium(p *decode.Medium) {
	Choice(s, "medium", p, "video", "of the stream: video or audio",
		map[string]decode.Medium{"video": decode.Video, "audio": decode.Audio})
}

// Container defines the settings for the container of a new file.
func (s *Set) Container(format *string, options *map[string]string) {
	s.Text("format", format, "NAME", "FFmpeg's name of the container; by the extension of the file's name if not given")
	s.Pairs("format-option", "an FFmpeg option for the container; may be repeated", options)
}

// onDamage defines the setting for damaged frames of clips.
func (s *Set) onDamage(p *decode.Damage) {
	Choice(s, "on-damage", p, "fail",
		"fail: the clip fails; fill: color in place of missing frames; repeat: the last good frame again",
		map[string]decode.Damage{"fail": decode.FailOnDamage, "fill": decode.MarkDamage, "repeat": decode.RepeatOnDamage})
}

// IndexDir defines the setting for the folder of saved indexes, of videos and of shards.
func (s *Set) IndexDir(p *string) {
	s.Text("index-dir", p, "DIR", "folder of saved indexes; next to the files if not given")
}

// codec defines the settings for the decoder of a stream.
func (s *Set) codec(name *string, options *map[string]string) {
	s.Text("codec", name, "NAME", "FFmpeg's name of the decoder to use")
	s.Pairs("codec-option", "an FFmpeg option for the decoder; may be repeated", options)
}

// Pairs defines a setting for names with values, each of which is given by itself.
func (s *Set) Pairs(name, help string, pairs *map[string]string) {
	s.Add(name, "NAME=VALUE", "", help, func(text string) error {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return errors.New("must be of the form NAME=VALUE")
		}
		if *pairs == nil {
			*pairs = map[string]string{}
		}
		(*pairs)[key] = value
		return nil
	}).join = ""
}

// FrameSpec returns the spec of a video's frames that corresponds to an image spec.
func FrameSpec(p image.Spec, onDamage decode.Damage) video.Spec {
	return video.Spec{Resize: p.Resize, Color: p.Color, DType: p.DType, Mean: p.Mean, Std: p.Std, Layout: p.Layout,
		Stored: p.Stored, Fill: p.Fill, OnDamage: onDamage, Crops: p.Crops}
}

// DecodeVideo is the parameters of decoding frames of a video.
type DecodeVideo struct {
	Frames  Frames
	Spec    video.Spec
	Skip    bool // leave out frames that could not be decoded
	Open    video.OpenOptions
	Isolate decode.Isolation
	Limits  decode.Limits
	Stores  object.Options // for a file at a URL
}

// DecodeVideo defines the settings of decode video. Once all values are given, judge completes d and adds the problems.
func (s *Set) DecodeVideo(d *DecodeVideo) (judge func()) {
	var (
		frame  image.Spec
		damage decode.Damage
		planes video.Planes
		chroma video.Chroma

		filters     string
		filterFiles bool
	)
	s.Frames(&d.Frames)
	s.Text("filters", &filters, "CHAIN",
		"FFmpeg's filters before the resize, like hflip,crop=64:48; each frame is filtered by itself")
	s.Boolean("filter-files", &filterFiles, false, "filters may open the files that they name, like lut3d=file=a.cube")
	s.Geometry(&frame.Resize)
	s.crops(&frame.Crops)
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
	s.Isolate(&d.Isolate)
	s.Limits(&d.Limits)
	s.Stores(&d.Stores)
	return func() {
		d.Frames.Judge(s)
		p.Judge(s)
		d.Spec, d.Skip = FrameSpec(frame, damage), damage == decode.MarkDamage
		if d.Skip && frame.Crops != resize.OneCrop {
			s.Refuse("--crops=%v excludes --on-damage=skip: all crops have the same frames", frame.Crops)
		}
		if filterFiles && d.Isolate.Which >= decode.IsolateAuto {
			s.Refuse("--filter-files excludes --isolate=%v: helpers open no files", d.Isolate.Which)
		}
		d.Spec.Chroma, d.Spec.Filters, d.Spec.FilterFiles = chroma, filters, filterFiles
		if d.Spec.Planes = planes; planes != video.Converted && !s.Given("fill") {
			d.Spec.Fill = nil
		}
		s.Check(d.Spec.Validate())
		s.Check(d.Open.Validate())
	}
}
