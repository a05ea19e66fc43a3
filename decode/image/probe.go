package image

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/contents"
	"github.com/spoolmedia/spool/decode/internal/failure"
)

// Probe reads an image's header without decoding it. It reads the whole object, as [Decoder.Decode] does, and returns
// the same errors.
func Probe(ctx context.Context, object spool.Object, limits decode.Limits) (Info, error) {
	limits = limits.WithDefaults()
	data, _, err := contents.Read(ctx, object, limits, nil)
	if err != nil {
		return Info{}, contents.Named(object, failure.Ended(ctx, err))
	}
	info, err := ReadHeader(ctx, data, limits)
	if err != nil {
		return Info{}, contents.Named(object, err)
	}
	return info.Detached(), nil
}

// ReadHeader reads the header of the image in data, under limits, which have their defaults set. Where it is not
// Detached, the result refers to data.
func ReadHeader(ctx context.Context, data []byte, limits decode.Limits) (Info, error) {
	_, info, err := lanes{}.header(ctx, data, 0, limits)
	return info, err
}

// Decodes reports whether images of a format are decoded without a loader that must be allowed. If not, it returns the
// error for such an image.
func Decodes(f format.Format) error {
	if (lanes{}).of(f) == nil {
		return refuse("probe", f)
	}
	return nil
}
