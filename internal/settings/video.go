package settings

import (
	"errors"
	"strings"

	"github.com/spoolmedia/spool/decode"
)

// Stream defines the setting for which stream of a file is taken.
func (s *Set) Stream(p **int) {
	s.Add("stream", "N", "", "which stream of the file, as probe counts them; the best one if not given", func(text string) error {
		n, err := parseInt(text)
		if err == nil && n < 0 {
			err = errors.New("at least 0")
		}
		if err == nil {
			*p = &n
		}
		return err
	})
}

// Video defines the settings for how videos are opened.
func (s *Set) Video(o *decode.VideoOptions) {
	s.Stream(&o.Stream)
	s.Text("language", &o.Language, "LANG", "the best stream of this language, like eng")
	s.Number("threads", &o.Threads, "1", 1, "threads of a file's decoder: more make sense for one long film")
	s.codec(&o.Codec, &o.CodecOptions)
	s.Text("hwaccel", &o.Device, "DEVICE", "decode by a device where there is one: cuda, cuda:1, vaapi:/dev/dri/renderD128")
	s.IndexDir(&o.IndexDir)
}

// IndexDir defines the setting for where saved indexes lie, of videos and of shards.
func (s *Set) IndexDir(p *string) {
	s.Text("index-dir", p, "DIR", "where saved indexes are looked for; beside the files if not given")
}

// codec defines the settings for the decoder of a stream.
func (s *Set) codec(name *string, options *map[string]string) {
	s.Text("codec", name, "NAME", "FFmpeg's name of the decoder to use")
	s.Add("codec-option", "NAME=VALUE", "", "an option of FFmpeg's for the decoder; a second one adds", func(text string) error {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return errors.New("not of the form NAME=VALUE")
		}
		if *options == nil {
			*options = map[string]string{}
		}
		(*options)[key] = value
		return nil
	}).join = ""
}

// FrameSpec is what is wanted of each frame of a video, in the words of pictures.
func FrameSpec(p decode.ImageSpec, onDamage decode.Damage) decode.VideoSpec {
	return decode.VideoSpec{Resize: p.Resize, Color: p.Color, DType: p.DType, Mean: p.Mean, Std: p.Std, Layout: p.Layout,
		Stored: p.Stored, Fill: p.Fill, OnDamage: onDamage}
}
