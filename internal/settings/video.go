package settings

import (
	"errors"
	"strings"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
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

// Video defines the settings for opening videos.
func (s *Set) Video(o *video.OpenOptions) {
	s.Stream(&o.Stream)
	s.Text("language", &o.Language, "LANG", "the best stream of this language, like eng")
	s.Number("threads", &o.Threads, "1", 1, "threads of a file's decoder: several help for a single long video")
	s.codec(&o.Codec, &o.CodecOptions)
	s.Text("hwaccel", &o.Device, "DEVICE", "decode on a device if available: cuda, cuda:1, vaapi:/dev/dri/renderD128")
	s.IndexDir(&o.IndexDir)
}

// IndexDir defines the setting for the folder of saved indexes, of videos and of shards.
func (s *Set) IndexDir(p *string) {
	s.Text("index-dir", p, "DIR", "folder of saved indexes; next to the files if not given")
}

// codec defines the settings for the decoder of a stream.
func (s *Set) codec(name *string, options *map[string]string) {
	s.Text("codec", name, "NAME", "FFmpeg's name of the decoder to use")
	s.Add("codec-option", "NAME=VALUE", "", "an FFmpeg option for the decoder; may be repeated", func(text string) error {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return errors.New("must be of the form NAME=VALUE")
		}
		if *options == nil {
			*options = map[string]string{}
		}
		(*options)[key] = value
		return nil
	}).join = ""
}

// FrameSpec returns the spec of a video's frames that corresponds to an image spec.
func FrameSpec(p image.Spec, onDamage decode.Damage) video.Spec {
	return video.Spec{Resize: p.Resize, Color: p.Color, DType: p.DType, Mean: p.Mean, Std: p.Std, Layout: p.Layout,
		Stored: p.Stored, Fill: p.Fill, OnDamage: onDamage}
}
