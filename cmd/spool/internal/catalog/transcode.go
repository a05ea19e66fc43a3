package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/pack"
)

// transcoding is how files change while they are packed, each by its kind.
type transcoding struct {
	images imageTranscoding
	videos videoTranscoding
	audio  audioTranscoding
	masks  []string // extensions of members
	resize resize.Spec

	decoders *decoders.Set
}

// define defines the flags.
func (t *transcoding) define(f *cli.Flags) {
	f.Geometry(&t.resize)
	t.images.define(f)
	f.Add("masks", "EXT,...", "", "members that are masks: resized by their nearest pixels, and packed as PNG "+
		"without loss", func(text string) error {
		t.masks = strings.Split(strings.ToLower(text), ",")
		return nil
	})
	t.videos.define(f)
	t.audio.define(f)
}

// judge refuses flags that exclude each other.
func (t *transcoding) judge(f *cli.Flags, members []string) {
	t.images.judge(f, t.resizes())
	t.videos.judge(f)
	t.audio.judge(f, t.videos.codec != "")
	for _, ext := range t.masks {
		if !slices.Contains(members, ext) {
			f.Refuse("--masks %s: no such member", ext)
		}
	}
	if err := t.resize.Validate(); t.resizes() && err != nil {
		f.Refuse("%v", err)
	}
}

func (t *transcoding) resizes() bool { return t.resize != resize.Spec{} }

// open returns what pack does with each file. The caller calls close.
func (t *transcoding) open() (_ pack.Transform, closes func() error, err error) {
	var names []string
	for _, about := range []struct {
		wanted bool
		name   string
	}{
		{t.images.repack, fmt.Sprintf("repack %d", t.images.restart)},
		{t.images.encodes(t.resizes()), t.images.name(t.resize)},
		{t.masks != nil, fmt.Sprintf("masks %v", t.masks)},
		{t.videos.codec != "", t.videos.name(t.resize, t.audio)},
		{t.audio.codec != "", t.audio.name()},
	} {
		if about.wanted {
			names = append(names, about.name)
		}
	}
	if names == nil {
		return pack.Transform{}, func() error { return nil }, nil
	}
	if err := t.videos.choose(); err != nil {
		return pack.Transform{}, nil, err
	}
	if err := t.audio.choose(t.videos.codec != ""); err != nil {
		return pack.Transform{}, nil, err
	}
	if t.decoders, err = decoders.New(decoders.Options{}); err != nil {
		return pack.Transform{}, nil, err
	}
	return pack.Transform{Name: strings.Join(names, "; "), Apply: t.apply}, t.decoders.Close, nil
}

// written returns the file that write makes. Its bytes depend on the options and on what is written alone.
func written(ctx context.Context, o encode.Options, write func(w *encode.Writer) error) (_ []byte, err error) {
	o.FormatOptions = map[string]string{"fflags": "+bitexact"}
	var file bytes.Buffer
	w, err := encode.New(ctx, &file, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := write(w); err != nil {
		return nil, err
	}
	if err := w.Finish(ctx); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

// apply changes a file by its kind.
func (t *transcoding) apply(ctx context.Context, f pack.File) (data []byte, ext string, err error) {
	switch named := "." + f.Ext; {
	case slices.Contains(t.masks, f.Ext):
		return t.mask(ctx, f)
	case slices.Contains(source.Videos.Extensions(), named):
		return t.video(ctx, f)
	case slices.Contains(source.Audio.Extensions(), named):
		return t.sound(ctx, f)
	}
	return t.image(ctx, f)
}
