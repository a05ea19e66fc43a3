package catalog

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source/pack"
)

// transcoding is how images change while they are packed.
type transcoding struct {
	repack  bool
	restart int
	resize  resize.Spec
	convert encode.Format // ByName: JPEG stays JPEG, PNG PNG, WebP WebP, and anything else becomes PNG
	quality int

	decoder *image.Decoder
}

// define defines the flags.
func (t *transcoding) define(f *cli.Flags) {
	f.Boolean("repack", &t.repack, false, "make JPEG files smaller without any loss: Huffman tables of each image, "+
		"the same coefficients")
	f.Number("restart-rows", &t.restart, "", 1, "with --repack, a restart marker after so many rows of blocks")
	f.Geometry(&t.resize)
	words := map[string]encode.Format{"jpeg": encode.JPEG, "png": encode.PNG, "webp": encode.WebP}
	f.Add("convert", "jpeg|png|webp", "", "decode images and encode them in this format", func(text string) error {
		to, ok := words[text]
		if t.convert = to; !ok {
			return fmt.Errorf("must be jpeg, png or webp")
		}
		return nil
	})
	f.Number("quality", &t.quality, "", 1, "quality of JPEG and WebP, up to 100; 75 where images are encoded without it")
}

// encodes reports whether images are decoded and encoded.
func (t *transcoding) encodes() bool {
	return t.resize != resize.Spec{} || t.convert != encode.ByName || t.quality > 0
}

// judge refuses flags that exclude each other.
func (t *transcoding) judge(f *cli.Flags) {
	if t.restart > 0 && !t.repack {
		f.Refuse("--restart-rows needs --repack")
	}
	if t.repack && t.encodes() {
		f.Refuse("--repack excludes --size, --resize-shorter, --max-size, --crop, --convert and --quality")
	}
	if t.quality > 100 {
		f.Refuse("--quality must be from 1 to 100")
	}
	if err := t.resize.Validate(); t.encodes() && err != nil {
		f.Refuse("%v", err)
	}
}

// open returns what pack does with each image. The caller calls close.
func (t *transcoding) open() (_ pack.Transform, closes func() error, err error) {
	switch {
	case t.repack:
		return pack.Transform{Name: fmt.Sprintf("repack %d", t.restart), Apply: t.repacked}, func() error { return nil }, nil
	case !t.encodes():
		return pack.Transform{}, func() error { return nil }, nil
	}
	d, err := decoders.New(decoders.Options{})
	if err != nil {
		return pack.Transform{}, nil, err
	}
	t.decoder = d.Images
	name := fmt.Sprintf("%+v to %v of quality %d", t.resize, t.convert, t.quality)
	return pack.Transform{Name: name, Apply: t.encoded}, d.Close, nil
}

// repacked returns a JPEG file with the same coefficients. One that cannot be repacked whole stays as it is.
func (t *transcoding) repacked(ctx context.Context, data []byte, ext string) ([]byte, string, error) {
	if format.Of(data) != format.JPEG {
		return data, ext, nil
	}
	file, err := encode.RepackJPEG(ctx, data, encode.RepackOptions{RestartRows: t.restart})
	if err == nil || ctx.Err() != nil {
		return file, ext, err
	}
	return data, ext, nil
}

// encoded returns an image of the wanted size and format. Files that are no images stay as they are, and so do images
// that only need to be small enough, and are.
func (t *transcoding) encoded(ctx context.Context, data []byte, ext string) ([]byte, string, error) {
	from := format.Of(data)
	if from == 0 {
		return data, ext, nil
	}
	to := t.convert
	if to == encode.ByName {
		to = map[format.Format]encode.Format{format.JPEG: encode.JPEG, format.WebP: encode.WebP}[from]
		if to == encode.ByName {
			to = encode.PNG
		}
	}
	same := map[encode.Format]format.Format{encode.JPEG: format.JPEG, encode.PNG: format.PNG, encode.WebP: format.WebP}
	info, err := image.ReadHeader(ctx, data, decode.Limits{}.WithDefaults())
	if err != nil {
		return nil, "", err
	}
	if same[to] == from && t.quality == 0 && t.fits(info) {
		return data, ext, nil
	}
	spec := image.Spec{Resize: t.resize, ICC: true}
	if to != encode.JPEG && info.Alpha {
		spec.Color = decode.RGBA
	}
	pixels, _, err := t.decoder.Decode(ctx, spool.Bytes{Data: data}, spec)
	if err != nil {
		return nil, "", err
	}
	defer pixels.Release()
	o := encode.ImageOptions{Format: to}
	if to != encode.PNG {
		o.Quality = t.quality
	}
	file, err := encode.Image(ctx, pixels.Bytes(), pixels.Desc(), o)
	return file, map[encode.Format]string{encode.JPEG: "jpg", encode.PNG: "png", encode.WebP: "webp"}[to], err
}

// fits reports whether an image is not larger than --resize-shorter and --max-size alone ask for.
func (t *transcoding) fits(info image.Info) bool {
	if t.resize != (resize.Spec{Shorter: t.resize.Shorter, MaxSize: t.resize.MaxSize}) {
		return false
	}
	return (t.resize.Shorter == 0 || min(info.Width, info.Height) <= t.resize.Shorter) &&
		(t.resize.MaxSize == 0 || max(info.Width, info.Height) <= t.resize.MaxSize)
}
