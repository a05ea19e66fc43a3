package decoding

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source/object"
)

// imageLane decodes images.
type imageLane struct{ settings.DecodeImage }

func (l *imageLane) define(f *cli.Flags) (judge func()) { return f.DecodeImage(&l.DecodeImage) }

func (l *imageLane) options() (object.Options, decoders.Options) { return l.Stores, l.Options }

func (l *imageLane) decode(ctx context.Context, d *decoding, from inputs.Stores, decoder *decoders.Set) error {
	pixels, report, err := l.pixels(ctx, decoder, from.Object(d.file))
	if err != nil {
		return spool.InFile(err, d.name())
	}
	defer pixels.Release()
	d.say(explain(report, l.Spec))
	return d.write(pixels.Desc(), pixels.Bytes())
}

func (l *imageLane) pixels(ctx context.Context, decoder *decoders.Set,
	o spool.Object) (*spool.Buffer, image.Report, error) {
	if l.All {
		return decoder.Images.DecodeFrames(ctx, o, l.Spec, 0)
	}
	return decoder.Images.Decode(ctx, o, l.Spec)
}
