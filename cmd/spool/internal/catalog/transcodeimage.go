package catalog

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source/pack"
)

// imageTranscoding is how images change.
type imageTranscoding struct {
	repack  bool
	restart int
	convert encode.Format // ByName: JPEG, WebP and AVIF keep their format, and anything else becomes PNG
	quality int
}

// imageFormats are the formats of packed images.
var imageFormats = map[encode.Format]struct {
	of  format.Format
	ext string
}{
	encode.JPEG: {format.JPEG, "jpg"}, encode.PNG: {format.PNG, "png"}, encode.WebP: {format.WebP, "webp"},
	encode.AVIF: {format.AVIF, "avif"},
}

func (i *imageTranscoding) define(f *cli.Flags) {
	f.Boolean("repack", &i.repack, false, "make JPEG files smaller without any loss: Huffman tables of each image, "+
		"the same coefficients")
	f.Number("restart-rows", &i.restart, "", 1, "with --repack, a restart marker after so many rows of blocks")
	words := map[string]encode.Format{"jpeg": encode.JPEG, "png": encode.PNG, "webp": encode.WebP, "avif": encode.AVIF}
	f.Add("convert", "jpeg|png|webp|avif", "", "decode images and encode them in this format", func(text string) error {
		to, ok := words[text]
		if i.convert = to; !ok {
			return fmt.Errorf("must be jpeg, png, webp or avif")
		}
		return nil
	})
	f.Number("quality", &i.quality, "", 1, "quality of JPEG, WebP and AVIF, up to 100; 75 where images are encoded "+
		"without it")
}

func (i *imageTranscoding) judge(f *cli.Flags, resizes bool) {
	if i.restart > 0 && !i.repack {
		f.Refuse("--restart-rows needs --repack")
	}
	if i.repack && i.encodes(resizes) {
		f.Refuse("--repack excludes --size, --resize-shorter, --max-size, --crop, --convert and --quality")
	}
	if i.quality > 100 {
		f.Refuse("--quality must be from 1 to 100")
	}
}

// encodes reports whether images are decoded and encoded.
func (i *imageTranscoding) encodes(resizes bool) bool {
	return resizes || i.convert != encode.ByName || i.quality > 0
}

func (i *imageTranscoding) name(size resize.Spec) string {
	return fmt.Sprintf("images %+v to %v of quality %d", size, i.convert, i.quality)
}

// image changes an image. Files that are no images stay as they are.
func (t *transcoding) image(ctx context.Context, f pack.File) ([]byte, string, error) {
	if !t.images.repack && !t.images.encodes(t.resizes()) {
		return nil, "", nil
	}
	data, err := f.Read(ctx)
	if err != nil {
		return nil, "", err
	}
	switch from := format.Of(data); {
	case from == 0 || t.images.repack && from != format.JPEG:
		return data, f.Ext, nil
	case t.images.repack:
		return t.images.repacked(ctx, data, f.Ext)
	default:
		return t.encoded(ctx, data, from, f.Ext)
	}
}

// repacked returns a JPEG file with the same coefficients. One that cannot be repacked whole stays as it is.
func (i *imageTranscoding) repacked(ctx context.Context, data []byte, ext string) ([]byte, string, error) {
	file, err := encode.RepackJPEG(ctx, data, encode.RepackOptions{RestartRows: i.restart})
	if err == nil || ctx.Err() != nil {
		return file, ext, err
	}
	return data, ext, nil
}

// encoded returns an image of the wanted size and format. Images that only need to be small enough, and are, stay as
// they are.
func (t *transcoding) encoded(ctx context.Context, data []byte, from format.Format, ext string) ([]byte, string, error) {
	keeps := map[format.Format]encode.Format{format.JPEG: encode.JPEG, format.WebP: encode.WebP, format.AVIF: encode.AVIF}
	to := cmp.Or(t.images.convert, keeps[from], encode.PNG)
	info, err := image.ReadHeader(ctx, data, decode.Limits{}.WithDefaults())
	if err != nil {
		return nil, "", err
	}
	if imageFormats[to].of == from && t.images.quality == 0 && fits(t.resize, info) {
		return data, ext, nil
	}
	spec := image.Spec{Resize: t.resize, ICC: true}
	if to != encode.JPEG && info.Alpha {
		spec.Color = decode.RGBA
	}
	o := encode.ImageOptions{Format: to}
	if to != encode.PNG {
		o.Quality = t.images.quality
	}
	return t.pictured(ctx, data, spec, o)
}

// pictured decodes an image and encodes it.
func (t *transcoding) pictured(ctx context.Context, data []byte, spec image.Spec, o encode.ImageOptions) ([]byte, string,
	error) {
	pixels, _, err := t.decoders.Images.Decode(ctx, spool.Bytes{Data: data}, spec)
	if err != nil {
		return nil, "", err
	}
	defer pixels.Release()
	file, err := encode.Image(ctx, pixels.Bytes(), pixels.Desc(), o)
	return file, imageFormats[o.Format].ext, err
}

// mask resizes a mask with the same geometry as images. The values of its pixels, or its indices in a palette, stay.
func (t *transcoding) mask(ctx context.Context, f pack.File) ([]byte, string, error) {
	if !t.resizes() {
		return nil, "", nil
	}
	data, err := f.Read(ctx)
	if err != nil {
		return nil, "", err
	}
	spec := image.Spec{Resize: t.resize, Color: decode.Index}
	spec.Resize.Filter = resize.Nearest
	info, err := image.ReadHeader(ctx, data, decode.Limits{}.WithDefaults())
	if err != nil {
		return nil, "", err
	}
	if info.Bits > 8 {
		spec.DType = spool.Uint16
	}
	file, _, err := t.pictured(ctx, data, spec, encode.ImageOptions{Format: encode.PNG})
	return file, f.Ext, err
}

// fits reports whether an image is not larger than --resize-shorter and --max-size alone ask for.
func fits(r resize.Spec, info image.Info) bool {
	if r != (resize.Spec{Shorter: r.Shorter, MaxSize: r.MaxSize}) {
		return false
	}
	return (r.Shorter == 0 || min(info.Width, info.Height) <= r.Shorter) &&
		(r.MaxSize == 0 || max(info.Width, info.Height) <= r.MaxSize)
}
