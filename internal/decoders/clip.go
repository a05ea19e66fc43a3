package decoders

import (
	"context"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
)

// ReadWhole is the largest size of video and audio that loaders read whole. Small files are read while others are
// decoded. Of large files, much may never be needed.
const ReadWhole = 8 << 20

// FrameSpec returns an image spec for a blank frame of a video.
func FrameSpec(s video.Spec) image.Spec {
	if s.Color == decode.Index {
		s.Color = decode.Gray // of any depth
	}
	return image.Spec{Resize: s.Resize, Color: s.Color, DType: s.DType, Mean: s.Mean, Std: s.Std, Layout: s.Layout,
		Fill: s.Fill}
}

// Blank fills a clip of so many frames, 1 or more, as if all of them were lost. Errors are those of
// image.Decoder.Blank.
func Blank(ctx context.Context, d *image.Decoder, clip []byte, frames int, s video.Spec) error {
	n := len(clip) / frames
	if err := d.Blank(ctx, clip[:n], FrameSpec(s)); err != nil {
		return err
	}
	for ; n < len(clip); n *= 2 {
		copy(clip[n:], clip[:n])
	}
	return nil
}
