package decoding

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source/object"
)

// audioLane decodes audio.
type audioLane struct{ settings.DecodeAudio }

func (l *audioLane) define(f *cli.Flags) (judge func()) { return f.DecodeAudio(&l.DecodeAudio) }

func (l *audioLane) options() (object.Options, decoders.Options) {
	return l.Stores, decoders.Options{Limits: l.Limits, Isolate: l.Isolate}
}

func (l *audioLane) decode(ctx context.Context, d *decoding, from inputs.Stores, decoder *decoders.Set) (err error) {
	in := from.Object(d.file)
	a, err := decoder.Audios.Open(ctx, in, l.Open)
	if err != nil {
		return spool.InFile(err, d.name())
	}
	defer cli.Closing(&err, a.Close)
	audio, err := a.Read(ctx, l.Spec)
	if err != nil {
		return spool.InFile(err, d.name())
	}
	defer audio.Release()
	d.say(explainAudio(a.Info(), a.Trace(), audio.Report, l.Spec))
	data := audio.Bytes()
	if n, ok := audio.Desc().Bytes(); ok {
		data = data[:n]
	}
	return d.write(audio.Desc(), data)
}
