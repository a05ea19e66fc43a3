package main

import (
	"errors"
	"strings"

	"github.com/spoolmedia/spool/decode"
)

// stream defines the flag for which stream of a file is taken.
func (f *flags) stream(p **int) {
	f.add("stream", "N", "", "which stream of the file, as probe counts them; the best one if not given", func(s string) error {
		n, err := parseInt(s)
		if err == nil && n < 0 {
			err = errors.New("at least 0")
		}
		if err == nil {
			*p = &n
		}
		return err
	})
}

// video defines the flags for how videos are opened.
func (f *flags) video(o *decode.VideoOptions) {
	f.stream(&o.Stream)
	f.text("language", &o.Language, "LANG", "the best stream of this language, like eng")
	f.number("threads", &o.Threads, "1", 1, "threads of a file's decoder: more make sense for one long film")
	f.codec(&o.Codec, &o.CodecOptions)
	f.text("hwaccel", &o.Device, "DEVICE", "decode by a device where there is one: cuda, cuda:1, vaapi:/dev/dri/renderD128")
	f.text("index-dir", &o.IndexDir, "DIR", "where saved indexes are looked for; beside the files if not given")
}

// codec defines the flags for the decoder of a stream.
func (f *flags) codec(name *string, options *map[string]string) {
	f.text("codec", name, "NAME", "FFmpeg's name of the decoder to use")
	f.add("codec-option", "NAME=VALUE", "", "an option of FFmpeg's for the decoder; a second one adds", func(s string) error {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return errors.New("not of the form NAME=VALUE")
		}
		if *options == nil {
			*options = map[string]string{}
		}
		(*options)[key] = value
		return nil
	})
}
