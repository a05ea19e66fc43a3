package main

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source/object"
)

// audioLane decodes sound.
type audioLane struct{ settings.DecodeAudio }

func (l *audioLane) define(f *flags) (judge func()) { return f.DecodeAudio(&l.DecodeAudio) }

func (l *audioLane) options() (object.Options, decode.Options) {
	return l.Stores, decode.Options{Limits: l.Limits}
}

func (l *audioLane) decode(ctx context.Context, d *decoding, from stores, decoder *decode.Decoder) (err error) {
	in, closed, err := from.input(ctx, d.file)
	if err != nil {
		return err
	}
	defer closing(&err, closed)
	a, err := decoder.OpenAudio(ctx, in, l.Open)
	if err != nil {
		return spool.InFile(err, d.name())
	}
	defer closing(&err, a.Close)
	sound, err := a.Read(ctx, l.Spec)
	if err != nil {
		return spool.InFile(err, d.name())
	}
	defer sound.Release()
	d.say(explainAudio(a.Info(), a.Road(), sound.SoundReport, l.Spec))
	data := sound.Bytes()
	if n, ok := sound.Desc().Bytes(); ok {
		data = data[:n]
	}
	return d.write(sound.Desc(), data)
}
