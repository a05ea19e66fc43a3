// Package decoders opens the decoders of all media under common limits, for programs that decode several: the loader,
// the command and the C interface.
package decoders

import (
	"errors"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/resize"
)

// Options are the settings of a Set. The zero value means the defaults of decode.Options and of the media.
type Options struct {
	Limits decode.Limits
	Pool   *spool.Pool      // see decode.Options
	Tables *resize.Tables   // see decode.Options
	JPEG   image.JPEGEngine // for images
	FLAC   audio.FLACEngine // for audio
	// Isolate has helper processes decode; see decode.Options.
	Isolate decode.Isolation
}

// Set is the decoders of all media. They share limits, pools and resize weights. It is safe for concurrent use.
type Set struct {
	*decode.Decoder
	Images *image.Decoder
	Videos *video.Decoder
	Audios *audio.Decoder
}

// New makes the decoders. The caller releases them by Close. The error is ErrOptions, with all problems at once.
func New(o Options) (*Set, error) {
	d, err := decode.New(decode.Options{Limits: o.Limits, Pool: o.Pool, Tables: o.Tables, Isolate: o.Isolate})
	if err != nil {
		return nil, err
	}
	s := &Set{Decoder: d}
	var refused [3]error
	s.Images, refused[0] = image.New(d, image.Options{JPEG: o.JPEG})
	s.Videos, refused[1] = video.New(d, video.Options{})
	s.Audios, refused[2] = audio.New(d, audio.Options{FLAC: o.FLAC})
	if err := errors.Join(refused[:]...); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close frees what the decoders hold; see decode.Decoder.Close. Videos and audio must be closed before.
func (s *Set) Close() (err error) {
	if s.Images != nil {
		err = s.Images.Close()
	}
	if s.Videos != nil {
		err = errors.Join(err, s.Videos.Close())
	}
	if s.Audios != nil {
		err = errors.Join(err, s.Audios.Close())
	}
	return errors.Join(err, s.Decoder.Close())
}
