// Package thumbnail decodes samples into small pictures for pages about a run.
package thumbnail

import (
	"context"
	"strconv"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// geometry is the geometry of a thumbnail, which shows whatever part of a file can be decoded.
var geometry = resize.Spec{Width: 96, Height: 72, Mode: resize.Fit, Profile: resize.Fast}

// most is the largest image file that is read for a thumbnail.
const most = 64 << 20

// Of returns a small image of a sample as JPEG; nil if nothing can be decoded.
func Of(ctx context.Context, d *decoders.Set, src source.Source, id string) []byte {
	i, err := strconv.Atoi(id)
	if err != nil || i >= src.Len() {
		return nil
	}
	o, err := src.Open(ctx, i)
	if err != nil {
		return nil
	}
	defer o.Close()
	b := decodeAny(ctx, d, o)
	if b == nil {
		return nil
	}
	defer b.Release()
	coded, err := encode.Image(ctx, b.Bytes(),
		spool.Desc{Shape: spool.Shape{geometry.Height, geometry.Width, 3}},
		encode.ImageOptions{Format: encode.JPEG})
	if err != nil {
		return nil
	}
	return coded
}

// decodeAny returns an image, or the first frame of a video; nil for neither.
func decodeAny(ctx context.Context, d *decoders.Set, o spool.Object) *spool.Buffer {
	if data, err := spool.ReadAll(ctx, o, nil, most); err == nil {
		if b, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data},
			image.Spec{Accept: 1e-9, Resize: geometry}); err == nil {
			return b
		}
	}
	v, err := d.Videos.Open(ctx, o, video.OpenOptions{NoIndex: true})
	if err != nil {
		return nil
	}
	defer func() { _ = v.Close() }() // never fails
	clip, err := v.Frames(ctx, []int{0}, video.Spec{Resize: geometry, OnDamage: decode.MarkDamage})
	if err != nil {
		return nil
	}
	if clip.Frames[0].State == video.Missing {
		clip.Release()
		return nil
	}
	return clip.Buffer
}
